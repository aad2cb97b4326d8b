"""Systems under study: a factory that builds a fresh one for every run, and the adapter that takes hold of it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from aegis_core.adapter import Adapter, Capabilities, ReplayLevel, System
from aegis_core.errors import AegisError, CampaignError
from aegis_core.plugins import Plugins

__all__ = ["Factory", "Wrapped", "load_attribute", "load_factory", "replay_level", "wrap"]

Build = Callable[..., Any]
"""A user's factory; what it returns is a framework's own object, or a `System` around it: hence Any."""


def load_attribute(spec: str, what: str) -> Any:  # Any: whatever the user's module holds
    """The object that `module:attribute` names (dots inside the attribute are followed).

    Raises:
        CampaignError: there is no such module or attribute, or the module can't be imported; `__cause__` says why.
    """
    module_name, colon, path = spec.partition(":")
    if not colon or not module_name or not path:
        raise CampaignError(f"{what} {spec!r}: write it as `module:attribute`, for example `mypackage.team:build`")
    try:
        value: Any = importlib.import_module(module_name)
    except ImportError as error:
        hint = "is its folder on PYTHONPATH?" if _is_missing(error, module_name) else "something it imports is missing"
        raise CampaignError(f"{what} {spec!r}: can't import {module_name!r} ({error}); {hint}") from error
    except (Exception, SystemExit) as error:  # plugin boundary: the user's module runs code of its own when imported
        raise CampaignError(f"{what} {spec!r}: {module_name!r} failed at import: {_words(error)}") from error
    for name in path.split("."):
        if not hasattr(value, name):
            known = ", ".join(sorted(item for item in vars(value) if not item.startswith("_"))) or "nothing public"
            raise CampaignError(f"{what} {spec!r}: {module_name!r} has no {path!r}; it has: {known}")
        value = getattr(value, name)
    return value


def _is_missing(error: ImportError, module: str) -> bool:
    return (
        isinstance(error, ModuleNotFoundError) and error.name is not None and f"{module}.".startswith(f"{error.name}.")
    )


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


@dataclass(frozen=True)
class Factory:
    """Builds a fresh system for every run: stateful objects are never reused.

    `name` says which one it is in files and run ids. The factory is called with `seed` if it takes one.
    """

    name: str
    build_app: Build
    takes_seed: bool

    def build(self, seed: int) -> System:
        """A fresh system.

        Raises:
            CampaignError: the factory raised, or returned nothing; `__cause__` is its own exception.
        """
        try:
            built = self.build_app(seed=seed) if self.takes_seed else self.build_app()
        except AegisError:
            raise
        except (Exception, SystemExit) as error:  # plugin boundary: the user's factory
            raise CampaignError(f"the factory {self.name!r} raised {_words(error)}") from error
        if built is None:
            raise CampaignError(f"the factory {self.name!r} returned None; it has to return the system that it built")
        return built if isinstance(built, System) else System(app=built)


def load_factory(system: str | Build) -> Factory:
    """The factory that `module:attribute` names, or around a callable.

    Raises:
        CampaignError: it can't be found, can't be called, or asks for arguments that a campaign does not have.
    """
    build = load_attribute(system, "system") if isinstance(system, str) else system
    name = system if isinstance(system, str) else _name_of(system)
    if not callable(build):
        raise CampaignError(
            f"system {name!r} is a {type(build).__name__}, not a factory: a campaign builds a fresh system for every "
            "run, so give it a function that takes nothing (or `seed`) and returns the system"
        )
    try:
        parameters = inspect.signature(build).parameters
    except (TypeError, ValueError):
        return Factory(name, build, takes_seed=False)
    needed = [
        p.name
        for p in parameters.values()
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name != "seed"
    ]
    if needed:
        raise CampaignError(f"the factory {name!r} asks for {', '.join(needed)}; a campaign can only give it `seed`")
    seed = parameters.get("seed")
    return Factory(name, build, takes_seed=seed is not None and seed.kind is not seed.POSITIONAL_ONLY)


def _name_of(build: Build) -> str:
    name = getattr(build, "__qualname__", type(build).__qualname__)
    return f"{getattr(build, '__module__', '')}:{name}"


@dataclass(frozen=True)
class Wrapped:
    """What a campaign knows of a system before the first run, from one instance of it."""

    name: str
    adapter: Adapter
    capabilities: Capabilities
    level: ReplayLevel


def wrap(
    factory: Factory,
    seed: int,
    plugins: Plugins,
    adapter: Adapter | str | None = None,
    replay: ReplayLevel | None = None,
) -> Wrapped:
    """Choose the adapter of the factory's systems and ask it what it can do with them.

    Args:
        adapter: the adapter or its name; None: the one that can handle the object.
        replay: the level at which runs are to be served; None: the best one.

    Raises:
        CampaignError: the adapter can't handle the system, or can't replay (at this level) or alter it.
        PluginError: there is no such adapter, or none or several for this object.
    """
    system = factory.build(seed)
    chosen = plugins.adapter(adapter) if isinstance(adapter, str) else adapter or plugins.adapter_for(system.app)
    if not chosen.can_handle(system.app):
        raise CampaignError(
            f"the adapter {chosen.name!r} can't handle the {type(system.app).__name__} that {factory.name!r} builds"
        )
    capabilities = chosen.capabilities(system.app)
    return Wrapped(system.name or factory.name, chosen, capabilities, replay_level(capabilities, factory.name, replay))


def replay_level(capabilities: Capabilities, system: str, wanted: ReplayLevel | None = None) -> ReplayLevel:
    """At which level runs are served: the wanted one, else whole nodes if they are offered, else calls.

    Raises:
        CampaignError: the system can't be replayed, not at this level, or can't be altered; the message holds the
            adapter's notes.
    """
    notes = "".join(f" {note}" for note in capabilities.notes)
    if not capabilities.replay:
        raise CampaignError(f"runs of {system!r} can't be served from a tape, so no fault can be proven.{notes}")
    if not capabilities.sites:
        raise CampaignError(f"nothing can be altered in {system!r}.{notes}")
    if wanted is None:
        return "node" if "node" in capabilities.replay else "call"
    if wanted not in capabilities.replay:
        raise CampaignError(
            f"runs of {system!r} can't be served at the level {wanted!r}, only at: {', '.join(capabilities.replay)}; "
            f"leave replay out or give one of these.{notes}"
        )
    return wanted
