"""Loading one plugin in isolation: import, registration, and the descriptors that its hooks return.

Every trouble of a plugin ends here as a `Failure` with a reason in words; nothing of it reaches other plugins.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from typing import Any

import pluggy

from aegis_core import __version__, hookspecs
from aegis_core.errors import PluginError
from aegis_core.hookspecs import PROJECT, Provider
from aegis_core.plugins.kinds import DESCRIBING_HOOKS, MODE_HOOK, Kind
from aegis_core.taxonomy import ErrorMode

__all__ = ["Failure", "Offer", "Origin", "PluginLoader"]


@dataclass(frozen=True)
class Origin:
    """Where a plugin comes from."""

    name: str
    """Of its entry point."""
    distribution: str
    version: str
    module: str
    """Value of its entry point."""

    @classmethod
    def of(cls, entry_point: EntryPoint) -> Origin:
        """The origin that an entry point states; "unknown" where it belongs to no distribution."""
        dist = entry_point.dist
        name = (dist.metadata["Name"] or "unknown") if dist else "unknown"
        return cls(entry_point.name, name, (dist.version or "") if dist else "", entry_point.value)

    def __str__(self) -> str:
        return f"plugin {self.name!r} ({' '.join(filter(None, (self.distribution, self.version)))}, {self.module})"


@dataclass(frozen=True)
class Failure:
    """Why a plugin was skipped, or a part of it (`wholly` False)."""

    origin: Origin
    reason: str
    error: BaseException | None = None
    wholly: bool = True
    names: tuple[str, ...] = ()
    """What it had offered by then, and so is not there."""

    def __str__(self) -> str:
        what = "skipped" if self.wholly else "skipped in part"
        return f"{self.origin} {what}: {self.reason}"


@dataclass
class Offer:
    """What a plugin that works has said of itself."""

    origin: Origin
    providers: list[tuple[Kind, Provider]] = field(default_factory=list)
    modes: list[ErrorMode] = field(default_factory=list)
    observers: dict[str, Callable[..., object]] = field(default_factory=dict)
    """Hook name to a function of all of the hook's arguments by keyword."""
    hooks: tuple[str, ...] = ()

    def names(self) -> tuple[str, ...]:
        """Names of the providers and ids of the modes."""
        return (*(provider.name for _, provider in self.providers), *(mode.id for mode in self.modes))


class _Broken(Exception):
    """A plugin breaks the rules; the message is the reason."""


class PluginLoader:
    """Loads plugins one by one into a pluggy manager of its own."""

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(hookspecs)

    def load(self, entry_point: EntryPoint, origin: Origin) -> Offer | Failure:
        """Import and question one plugin."""
        offer = Offer(origin)
        plugin: object = None
        try:
            plugin = entry_point.load()
            self._register(plugin, origin)
            self._collect(plugin, offer)
        except KeyboardInterrupt as stopped:  # the user's, as far as can be told: it stops everything
            stopped.add_note(f"{origin} was being loaded")
            raise
        except BaseException as error:  # plugin boundary: load; also what derives from no Exception
            if plugin is not None and self._manager.is_registered(plugin) and self._registered_as(plugin, origin):
                self._manager.unregister(plugin)
            return Failure(origin, _reason(error), error, names=offer.names())
        return offer

    def _registered_as(self, plugin: object, origin: Origin) -> bool:
        return self._manager.get_name(plugin) == str(origin)

    def _register(self, plugin: object, origin: Origin) -> None:
        if self._manager.is_registered(plugin):
            raise _Broken(f"it is the same module as {self._manager.get_name(plugin)}")
        if unmarked := _unmarked(plugin):
            raise _Broken(f"{', '.join(unmarked)}: not marked with @hookimpl, so it would never be called")
        self._manager.register(plugin, name=str(origin))
        callers = self._manager.get_hookcallers(plugin) or []
        if not callers:
            raise _Broken(f"it implements no hook; known: {', '.join(_known_hooks())}")

    def _collect(self, plugin: object, offer: Offer) -> None:
        impls = dict(self._impls(plugin))
        offer.hooks = tuple(sorted(impls))
        for kind, hook in DESCRIBING_HOOKS.items():
            for item in _results(impls, hook):
                if not isinstance(item, Provider):
                    raise _Broken(f"{hook} returned {_describe(item)}, not a Provider")
                if (kind, item.name) in {(kind, known.name) for kind, known in offer.providers}:
                    raise _Broken(f"{hook} returned the name {item.name!r} twice")
                offer.providers.append((kind, item))
        for mode in _results(impls, MODE_HOOK):
            offer.modes.append(_checked_mode(mode, offer.modes))
        for hook in ("aegis_run_started", "aegis_run_finished"):
            if hook in impls:
                offer.observers[hook] = _observer(impls[hook])

    def _impls(self, plugin: object) -> Iterable[tuple[str, pluggy.HookImpl]]:
        """The plugin's implementations by hook name, without those that it marks as optional and nobody knows."""
        for caller in self._manager.get_hookcallers(plugin) or []:
            for impl in caller.get_hookimpls():
                if impl.plugin is not plugin:
                    continue
                if not caller.has_spec():
                    if impl.optionalhook:
                        continue
                    raise _Broken(
                        f"this Aegis ({__version__}) has no hook {caller.name!r}; known: "
                        f"{', '.join(_known_hooks())}; the plugin may need a newer aegis-mas"
                    )
                if impl.wrapper or impl.hookwrapper:
                    raise _Broken(f"{caller.name} is a wrapper; no plugin sees what another returns")
                yield caller.name, impl


def _known_hooks() -> tuple[str, ...]:
    return tuple(sorted(name for name in hookspecs.__all__ if name.startswith("aegis_")))


def _unmarked(plugin: object) -> list[str]:
    """Functions that are named like a hook, or nearly, but are no implementations."""
    return [
        name
        for name, value in inspect.getmembers_static(plugin, inspect.isroutine)
        if name.startswith("aegis_")
        and not hasattr(value, f"{PROJECT}_impl")
        and difflib.get_close_matches(name, _known_hooks(), n=1, cutoff=0.9)
    ]


def _results(impls: dict[str, pluggy.HookImpl], hook: str) -> list[Any]:  # Any: a plugin may return what it likes
    if hook not in impls:
        return []
    result: Any = impls[hook].function()
    if inspect.iscoroutine(result):
        result.close()
        raise _Broken(f"{hook} is asynchronous; hooks are plain functions")
    if isinstance(result, (Provider, ErrorMode, str)) or not isinstance(result, Iterable):
        raise _Broken(f"{hook} returned {_describe(result)}, not a list")
    return list(result)


def _checked_mode(mode: object, earlier: list[ErrorMode]) -> ErrorMode:
    if not isinstance(mode, ErrorMode):
        raise _Broken(f"{MODE_HOOK} returned {_describe(mode)}, not an ErrorMode")
    if mode.id.startswith("FM-"):
        raise _Broken(f"{MODE_HOOK} returned {mode.id!r}; FM-x.y is reserved for MAST, use `vendor:slug`")
    if mode.id in {known.id for known in earlier}:
        raise _Broken(f"{MODE_HOOK} returned the id {mode.id!r} twice")
    return mode


def _observer(impl: pluggy.HookImpl) -> Callable[..., object]:
    wanted = impl.argnames

    def observe(**arguments: object) -> object:
        return impl.function(*(arguments[name] for name in wanted))

    return observe


def _describe(value: object) -> str:
    text = repr(value)
    return f"{text if len(text) <= 80 else text[:77] + '...'} (a {type(value).__name__})"


def _reason(error: BaseException) -> str:
    """One line that says what is wrong."""
    if isinstance(error, _Broken):
        return str(error)
    if isinstance(error, pluggy.PluginValidationError):
        return "wrong signature: " + " ".join(str(error).split())
    if isinstance(error, SystemExit):
        return f"it called sys.exit({error.code!r})"
    if isinstance(error, PluginError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
