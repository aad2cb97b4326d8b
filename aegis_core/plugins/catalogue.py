"""What discovery found: providers and modes by name, observers, failures. Clashes are settled here."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint

from aegis_core.errors import PluginError
from aegis_core.hookspecs import Provider
from aegis_core.plugins.clash import is_own
from aegis_core.plugins.discovery import Failure, Offer, Origin, PluginLoader
from aegis_core.plugins.kinds import DESCRIBING_HOOKS, Kind
from aegis_core.plugins.report import PluginInfo, Provided
from aegis_core.plugins.requirements import install_line, unmet
from aegis_core.plugins.selection import Selection
from aegis_core.taxonomy import MAST, ErrorMode

__all__ = ["Catalogue", "discover"]


@dataclass
class Catalogue:
    """The result of one discovery."""

    strict: bool = False
    providers: dict[Kind, dict[str, tuple[Provider, Origin]]] = field(
        default_factory=lambda: {kind: {} for kind in DESCRIBING_HOOKS}
    )
    modes: dict[str, ErrorMode] = field(default_factory=lambda: {mode.id: mode for mode in MAST})
    mode_origins: dict[str, Origin] = field(default_factory=dict)
    observers: dict[str, list[tuple[Origin, Callable[..., object]]]] = field(default_factory=dict)
    loaded: list[Origin] = field(default_factory=list)
    disabled: list[tuple[Origin, str]] = field(default_factory=list)
    failures: tuple[Failure, ...] = ()
    problems: tuple[str, ...] = ()

    def take(self, offer: Offer) -> Failure | None:
        """Enter what a plugin offers; a failure in part if another plugin has taken some of its names."""
        origin, clashes, lost = offer.origin, [], []
        for kind, provider in offer.providers:
            first = self.providers[kind].setdefault(provider.name, (provider, origin))[1]
            if first != origin:
                clashes.append(f"{kind} {provider.name!r} is already that of {first}")
                lost.append(provider.name)
        for mode in offer.modes:
            self.modes.setdefault(mode.id, mode)
            first = self.mode_origins.setdefault(mode.id, origin)
            if first != origin:
                clashes.append(f"error mode {mode.id!r} is already that of {first}")
                lost.append(mode.id)
        for hook, observe in offer.observers.items():
            self.observers.setdefault(hook, []).append((origin, observe))
        self.loaded.append(origin)
        if not clashes:
            return None
        return Failure(origin, "name clash: " + "; ".join(clashes), wholly=False, names=tuple(lost))

    def unknown(self, kind: Kind, name: str) -> PluginError:
        """The error for a name that nobody provides, with the plugin's own exception as cause where there is one."""
        for failure in self.failures:
            if failure.wholly and name in {failure.origin.name, failure.origin.distribution, *failure.names}:
                error = PluginError(f"{kind} {name!r} is not available: {failure}")
                error.__cause__ = failure.error
                return error
        for origin, reason in self.disabled:
            if origin.name == name:
                return PluginError(f"{kind} {name!r} is not available: {origin} is disabled, {reason}")
        known = sorted(self.providers[kind])
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        return PluginError(f"unknown {kind} {name!r}{hint}; known: {', '.join(known) or 'none'}{self.skipped_note()}")

    def skipped_note(self) -> str:
        """A clause that names the skipped plugins, for messages about what is not there; "" if there are none."""
        names = sorted(failure.origin.name for failure in self.failures if failure.wholly)
        return f" (skipped plugins: {', '.join(names)}; 'aegis plugins' says why)" if names else ""

    def infos(self) -> tuple[PluginInfo, ...]:
        """One record a plugin, sorted by name and distribution."""
        partly = {failure.origin: failure.reason for failure in self.failures if not failure.wholly}
        infos = [self._working(origin, partly.get(origin, "")) for origin in self.loaded]
        infos += [
            PluginInfo(**vars(failure.origin), status="skipped", reason=failure.reason)
            for failure in self.failures
            if failure.wholly
        ]
        infos += [PluginInfo(**vars(origin), status="disabled", reason=reason) for origin, reason in self.disabled]
        return tuple(sorted(infos, key=lambda info: (info.name, info.distribution)))

    def _working(self, origin: Origin, reason: str) -> PluginInfo:
        provides = [
            _provided(kind, provider)
            for kind, named in self.providers.items()
            for provider, owner in named.values()
            if owner == origin
        ]
        provides += [
            Provided(kind="mode", name=mode_id, summary=self.modes[mode_id].name, target=self.modes[mode_id].evidence)
            for mode_id, owner in self.mode_origins.items()
            if owner == origin
        ]
        observes = tuple(hook for hook, known in self.observers.items() if origin in {owner for owner, _ in known})
        return PluginInfo(
            **vars(origin),
            status="partly" if reason else "loaded",
            reason=reason,
            provides=tuple(provides),
            observes=observes,
        )


def _provided(kind: Kind, provider: Provider) -> Provided:
    missing = ", ".join(unmet(provider.requires))
    return Provided(
        kind=kind,
        name=provider.name,
        summary=provider.summary,
        target=provider.target,
        missing=missing,
        install=install_line(provider) if missing else "",
    )


def discover(entry_points: Iterable[EntryPoint], selection: Selection) -> Catalogue:
    """Load every allowed plugin in isolation: those of this distribution, then others, by (name, distribution).

    Names belong to the first that claims them. So no other distribution can take a name, a mode or a module away
    from what is shipped here, whatever it calls itself.
    """
    found, failures, loader = Catalogue(strict=selection.strict), [], PluginLoader()
    points = [(Origin.of(point), point) for point in entry_points]
    for origin, point in sorted(points, key=lambda pair: _precedence(pair[0])):
        if refusal := selection.refusal(origin.name):
            found.disabled.append((origin, refusal))
            continue
        result = loader.load(point, origin)
        failure = result if isinstance(result, Failure) else found.take(result)
        if failure is not None:
            failures.append(failure)
    found.failures = tuple(failures)
    found.modes = {**{mode.id: mode for mode in MAST}, **dict(sorted(found.modes.items()))}
    found.problems = selection.unknown(origin.name for origin, _ in points)
    return found


def _precedence(origin: Origin) -> tuple[bool, str, str]:
    return not is_own(origin.distribution), origin.name, origin.distribution
