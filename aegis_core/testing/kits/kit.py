"""What makes a class of checks a kit: which classes pytest collects, expected failures, no check overridden."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

__all__ = ["Kit"]

Check = Callable[..., None]


class Kit:
    """A set of checks that authors of plugins subclass.

    pytest collects subclasses with the name `Test...`. Own cases are added as other methods; a check of the kit can't
    be overridden. What can't be done yet goes into `expected_failures`, by the name of the check, with the reason: it
    is a failure once it works.
    """

    __test__ = False
    expected_failures: ClassVar[Mapping[str, str]] = {}
    _checks: ClassVar[frozenset[str]] = frozenset()
    """Names of the checks, as far as they come with Aegis."""
    _overridden: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.__test__ = cls.__name__.startswith("Test")
        if cls.__module__.startswith("aegis_core.testing."):
            cls._checks = frozenset(name for name in dir(cls) if name.startswith("test_"))
            return
        own = {name for name in vars(cls) if name in cls._checks}
        cls._overridden = tuple(sorted({*cls._overridden, *own}))
        for name, reason in vars(cls).get("expected_failures", {}).items():
            if name not in cls._checks:
                raise TypeError(f"{cls.__name__}.expected_failures names {name!r}, which is no check of the kit")
            setattr(cls, name, _expected(getattr(cls, name), reason))

    def test_no_check_is_overridden(self) -> None:
        """The checks are those of the kit.

        Repair: rename your own tests; give what fails for a good reason in `expected_failures`.
        """
        assert not self._overridden, f"overridden: {', '.join(self._overridden)}"


def _expected(check: Check, reason: str) -> Check:
    """A check of its own that is expected to fail: marks belong to the function, which all adapters share."""
    assert isinstance(check, types.FunctionType)
    copy = types.FunctionType(check.__code__, check.__globals__, check.__name__, check.__defaults__, check.__closure__)
    copy.__dict__.update(check.__dict__)
    copy.__doc__, copy.__qualname__ = check.__doc__, check.__qualname__
    copy.__annotations__ = dict(check.__annotations__)
    marked: Check = pytest.mark.xfail(reason=reason, strict=True)(copy)
    return marked
