"""The three environment variables that Aegis reads: which plugins may load, and how strict it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = ["ALLOW", "DENY", "STRICT", "Selection"]

ALLOW = "AEGIS_PLUGINS"
DENY = "AEGIS_DISABLE_PLUGINS"
STRICT = "AEGIS_STRICT_PLUGINS"


@dataclass(frozen=True)
class Selection:
    """Entry-point names that may load (None: all), that may not, and whether a broken plugin is an error."""

    allowed: frozenset[str] | None = None
    denied: frozenset[str] = frozenset()
    strict: bool = False

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Selection:
        """Read the variables. Lists are separated by commas; an empty allow list allows nothing."""
        return cls(
            allowed=_names(environ[ALLOW]) if ALLOW in environ else None,
            denied=_names(environ.get(DENY, "")),
            strict=environ.get(STRICT, "").strip().lower() not in {"", "0", "false", "no", "off"},
        )

    def refusal(self, name: str) -> str:
        """Why a plugin may not load, or ""."""
        if name in self.denied:
            return f"{DENY} names it"
        if self.allowed is not None and name not in self.allowed:
            return f"{ALLOW} does not name it"
        return ""

    def unknown(self, names: Iterable[str]) -> tuple[str, ...]:
        """Sentences about names in the lists that no installed plugin has."""
        known = sorted(set(names))
        lists = ((ALLOW, self.allowed or frozenset()), (DENY, self.denied))
        return tuple(
            f"{variable} names {name!r}, but no plugin of that name is installed; known: {', '.join(known) or 'none'}"
            for variable, listed in lists
            for name in sorted(listed - set(known))
        )


def _names(text: str) -> frozenset[str]:
    return frozenset(filter(None, (name.strip() for name in text.split(","))))
