"""Which adapter an object belongs to, found without importing frameworks that the object can't come from."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable

from aegis_core.hookspecs import Provider

__all__ = ["class_names", "describe", "is_plausible", "matches", "refusal"]


def class_names(app: object) -> tuple[str, ...]:
    """Qualified names of the classes in the object's MRO, without `object`."""
    return tuple(f"{cls.__module__}.{cls.__qualname__}" for cls in type(app).__mro__ if cls is not object)


def matches(provider: Provider, names: tuple[str, ...]) -> bool:
    """Whether one of the provider's dotted prefixes fits one of the class names."""
    prefixes = tuple(prefix.rstrip(".") for prefix in provider.matches)
    return any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes for name in names)


def is_plausible(provider: Provider) -> bool:
    """Whether an object that fits none of its prefixes may be the provider's: not if its framework isn't loaded."""
    roots = {prefix.partition(".")[0] for prefix in provider.matches}
    return not roots or any(root in sys.modules for root in roots)


def describe(app: object) -> str:
    """The object's class, for messages."""
    return f"{type(app).__module__}.{type(app).__qualname__}"


def refusal(app: object, providers: Iterable[Provider]) -> str:
    """What to tell somebody whose object no adapter handles, and what to give instead.

    Args:
        providers: the adapters that are installed.
    """
    known = sorted(providers, key=lambda provider: provider.name)
    taken = ", ".join(f"{one.name} ({one.summary})" if one.summary else one.name for one in known)
    return f"{_why(app, known)}; known: {taken or 'none'}"


def _why(app: object, providers: list[Provider]) -> str:
    if app is None:
        return "no adapter handles None: the system is missing; give the object that you would run"
    if isinstance(app, type):
        mro = tuple(f"{cls.__module__}.{cls.__qualname__}" for cls in app.__mro__ if cls is not object)
        makers = [provider.name for provider in providers if matches(provider, mro)]
        whose = f", which the adapter {makers[0]!r} may handle" if makers else ""
        return f"no adapter handles the class {app.__qualname__} itself; give an instance of it{whose}"
    what = f"no adapter handles an object of class {describe(app)}"
    if inspect.iscoroutine(app):
        return f"{what}: the function that made it is asynchronous; await it and give its result"
    if callable(getattr(app, "compile", None)) and any(matches(provider, class_names(app)) for provider in providers):
        return f"{what} as it is: its framework runs what `.compile()` returns; give that instead"
    return what
