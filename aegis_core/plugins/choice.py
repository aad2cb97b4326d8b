"""Which adapter an object belongs to, found without importing frameworks that the object can't come from."""

from __future__ import annotations

import sys

from aegis_core.hookspecs import Provider

__all__ = ["class_names", "describe", "is_plausible", "matches"]


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
