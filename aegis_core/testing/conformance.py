"""`AdapterConformance`: the contract of adapters as checks that pytest runs."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import pytest

from aegis_core.testing.checks.acting import ActingChecks
from aegis_core.testing.checks.concurrency import ConcurrencyChecks
from aegis_core.testing.checks.lifecycle import LifecycleChecks
from aegis_core.testing.checks.plugin import PluginChecks
from aegis_core.testing.checks.record import RecordChecks
from aegis_core.testing.checks.replaying import ReplayChecks
from aegis_core.testing.checks.wall import WallChecks

__all__ = ["AdapterConformance"]

Check = Callable[..., None]


class AdapterConformance(
    WallChecks, ReplayChecks, ActingChecks, ConcurrencyChecks, LifecycleChecks, RecordChecks, PluginChecks
):
    """What every adapter has to keep to. Fill in what `Stage` asks for; each check says how to repair what it finds.

    Put a subclass with the name `...Conformance` into the module `testing.conformance` of your plugin's package (or
    `testing`), where `aegis adapters test` finds it, and one of it with the name `Test...` into your tests. Add cases
    of your own as other methods; a check of the kit can't be overridden. What your adapter can't do yet goes into
    `expected_failures`, by the name of the check, with the reason: the certificate tells it, and it is a failure once
    it works.
    """

    __test__ = False
    expected_failures: ClassVar[Mapping[str, str]] = {}
    _overridden: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.__test__ = cls.__name__.startswith("Test")
        own = {name for name in vars(cls) if name.startswith("test_") and hasattr(AdapterConformance, name)}
        cls._overridden = tuple(sorted({*cls._overridden, *own}))
        for name, reason in vars(cls).get("expected_failures", {}).items():
            check = getattr(AdapterConformance, name, None)
            if not name.startswith("test_") or check is None:
                raise TypeError(f"{cls.__name__}.expected_failures names {name!r}, which is no check of the kit")
            setattr(cls, name, _expected(check, reason))

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
