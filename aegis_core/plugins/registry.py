"""`Plugins`: everything that is installed, discovered once, asked for by name."""

from __future__ import annotations

import difflib
import os
import threading
import warnings
from collections.abc import Iterable, Mapping
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from aegis_core.adapter import Adapter
from aegis_core.errors import AdapterError, PluginError, PluginWarning, UnknownModeError
from aegis_core.format import Format
from aegis_core.hookspecs import PROJECT, Provider
from aegis_core.injector import Injector
from aegis_core.learner import Attributor, Learner
from aegis_core.plugins import choice
from aegis_core.plugins.catalogue import Catalogue, discover
from aegis_core.plugins.clash import foreign_cores
from aegis_core.plugins.discovery import Failure
from aegis_core.plugins.evidence import EvidencePredicate, predicate
from aegis_core.plugins.kinds import Kind
from aegis_core.plugins.report import PluginReport
from aegis_core.plugins.requirements import unmet
from aegis_core.plugins.selection import Selection
from aegis_core.plugins.targets import instantiate
from aegis_core.taxonomy import ErrorMode

if TYPE_CHECKING:
    from aegis_core.faults import Evidence
    from aegis_core.run import RunInfo
    from aegis_core.taxonomy.evidence import TurnContext
    from aegis_core.trajectory import Trajectory

__all__ = ["Plugins", "default_plugins"]


class Plugins:
    """The plugins of one set of entry points. The first look-up discovers all of them, once, under a lock.

    A broken plugin is skipped with one `PluginWarning` at the first look-up; `report` and `failures`, which tell the
    same, give no warning. With `AEGIS_STRICT_PLUGINS=1` every look-up raises `PluginError` instead, but these two
    still answer.

    Args:
        entry_points: by default those of group `aegis` that are installed.
        environ: where `AEGIS_PLUGINS`, `AEGIS_DISABLE_PLUGINS` and `AEGIS_STRICT_PLUGINS` are read at discovery; by
            default the environment of the process.
    """

    def __init__(
        self, entry_points: Iterable[EntryPoint] | None = None, *, environ: Mapping[str, str] | None = None
    ) -> None:
        self._entry_points = None if entry_points is None else tuple(entry_points)
        self._environ = environ
        self._lock = threading.RLock()
        self._discovering = False
        self._found: Catalogue | None = None
        self._instances: dict[tuple[Kind, str], Any] = {}  # Any: instances of the kinds' contracts
        self._warned: set[str] = set()

    # -- by name --------------------------------------------------------------------------------------------

    def adapter(self, name: str) -> Adapter:
        """The adapter of this name. All look-ups by name raise alike.

        Raises:
            MissingDependencyError: its framework is not installed, or has the wrong version.
            PluginError: there is none of this name (the message lists those there are), or its plugin is broken
                (`__cause__` is the plugin's own exception).
        """
        adapter: Adapter = self._get("adapter", name)
        return adapter

    def injector(self, name: str) -> Injector:
        """The injector of this name."""
        injector: Injector = self._get("injector", name)
        return injector

    def learner(self, name: str) -> Learner:
        """The learner of this name."""
        learner: Learner = self._get("learner", name)
        return learner

    def attributor(self, name: str) -> Attributor:
        """The attributor of this name."""
        attributor: Attributor = self._get("attributor", name)
        return attributor

    def format(self, name: str) -> Format:
        """The format of this name."""
        format_: Format = self._get("format", name)
        return format_

    def names(self, kind: Kind) -> tuple[str, ...]:
        """Names of all providers of a kind, sorted, whether or not what they require is installed."""
        return tuple(sorted(self._catalogue().providers[kind]))

    # -- modes ----------------------------------------------------------------------------------------------

    def error_modes(self) -> Mapping[str, ErrorMode]:
        """All error modes by id: MAST's fourteen, then those of plugins, sorted."""
        return MappingProxyType(self._catalogue().modes)

    def error_mode(self, mode_id: str) -> ErrorMode:
        """The error mode with this id, in capitals or not: people type it.

        Raises:
            UnknownModeError: neither MAST nor a plugin has it; the message lists those there are.
        """
        modes = self.error_modes()
        if mode_id in modes:
            return modes[mode_id]
        alike = [mode for known, mode in modes.items() if known.lower() == mode_id.lower()]
        if len(alike) != 1:
            close = difflib.get_close_matches(mode_id.lower(), [known.lower() for known in modes], n=1, cutoff=0.85)
            hint = next((f"; did you mean {known!r}?" for known in modes if known.lower() in close), "")
            raise UnknownModeError(
                f"unknown error mode {mode_id!r}{hint}; known: {', '.join(modes)}{self._catalogue().skipped_note()}"
            )
        return alike[0]

    def evidence(self, mode_id: str) -> EvidencePredicate:
        """The predicate `(TurnContext) -> Evidence` of a mode, MAST's or a plugin's. It never raises.

        Raises:
            UnknownModeError: there is no such mode.
            PluginError: the mode names no predicate, or one that can't be imported.
        """
        return predicate(self.error_mode(mode_id))

    def judge(self, mode_id: str, context: TurnContext) -> Evidence:
        """The verdict of a mode's predicate on one turn; raises as `evidence` does."""
        return self.evidence(mode_id)(context)

    # -- by object ------------------------------------------------------------------------------------------

    def adapter_for(self, app: object) -> Adapter:
        """The one adapter that handles an object.

        Adapters whose `matches` fit the object's class are asked first; where none of them takes it, all others
        whose framework is loaded. A framework that is not loaded is never imported for this.

        Raises:
            AdapterError: none handles it, or several do; the message lists them.
            PluginError: the only one that matches is broken, or (`MissingDependencyError`) its framework is missing.
        """
        names = choice.class_names(app)
        providers = self._catalogue().providers["adapter"]
        matching = [provider for provider, _ in providers.values() if choice.matches(provider, names)]
        unusable: list[PluginError] = []
        found = self._able(app, matching, unusable)
        if not found and unusable:
            raise unusable[0]
        if not found:
            others = [p for p, _ in providers.values() if p not in matching and choice.is_plausible(p)]
            found = self._able(app, [p for p in others if not unmet(p.requires)], unusable)
        if len(found) == 1:
            return found[0]
        if found:
            claims = ", ".join(sorted(adapter.name for adapter in found))
            raise AdapterError(
                f"several adapters handle an object of class {choice.describe(app)}: {claims}. Choose with adapter=NAME"
            )
        broken = "".join(f"; {error}" for error in unusable)
        raise AdapterError(
            f"{choice.refusal(app, (provider for provider, _ in providers.values()))}"
            f"{self._catalogue().skipped_note()}{broken}. Name one with adapter=NAME, or wrap your own code with "
            "@aegis.trace and @aegis.agent"
        )

    def _able(self, app: object, providers: Iterable[Provider], unusable: list[PluginError]) -> list[Adapter]:
        """The adapters that can handle an object; those that can't be had at all go to `unusable`."""
        able = []
        for provider in providers:
            try:
                adapter = self.adapter(provider.name)
            except PluginError as error:
                unusable.append(error)
                continue
            try:
                if adapter.can_handle(app):
                    able.append(adapter)
            except Exception as error:  # plugin boundary: one adapter's fault must not hide the others
                self._warn_once(
                    f"adapter {provider.name}",
                    f"adapter {provider.name!r} was passed over for a {choice.describe(app)}: "
                    f"{type(error).__name__}: {error}",
                )
        return able

    # -- observers ------------------------------------------------------------------------------------------

    def run_started(self, run: RunInfo) -> None:
        """Tell all observers that a run starts. Never raises for a plugin's sake."""
        self._notify("aegis_run_started", run=run)

    def run_finished(self, run: RunInfo, trajectory: Trajectory) -> None:
        """Tell all observers that a run has ended. Never raises for a plugin's sake."""
        self._notify("aegis_run_finished", run=run, trajectory=trajectory)

    def _notify(self, hook: str, **arguments: object) -> None:
        for origin, observe in self._warned_of().observers.get(hook, ()):
            try:
                observe(**arguments)
            except (Exception, SystemExit) as error:  # plugin boundary: observe
                self._warn_once(
                    str(origin), f"{origin}: {hook} raised {type(error).__name__}: {error}; the run is not affected"
                )

    # -- what there is --------------------------------------------------------------------------------------

    def failures(self) -> tuple[Failure, ...]:
        """Every plugin that was skipped, wholly or in part, with the reason and its own exception. Warns of none."""
        return self._discovered().failures

    def report(self) -> PluginReport:
        """All plugins and what they offer, for `aegis plugins`.

        Imports no framework; neither raises nor warns for a plugin, since the report tells of it.
        """
        found = self._discovered()
        return PluginReport(plugins=found.infos(), problems=(*found.problems, *foreign_cores()))

    # -- inside ---------------------------------------------------------------------------------------------

    def _get(self, kind: Kind, name: str) -> Any:  # Any: an instance of the kind's contract
        found = self._catalogue()
        if name not in found.providers[kind]:
            raise found.unknown(kind, name)
        if (kind, name) not in self._instances:
            provider, origin = found.providers[kind][name]
            # Made outside the lock: importing takes the import system's locks, and two orders would deadlock.
            instance = instantiate(kind, provider, origin)
            with self._lock:
                self._instances.setdefault((kind, name), instance)
        return self._instances[kind, name]

    def _catalogue(self) -> Catalogue:
        found = self._warned_of()
        if found.strict and (found.failures or found.problems):
            reasons = [*map(str, found.failures), *found.problems]
            cause = next((failure.error for failure in found.failures), None)
            raise PluginError(
                f"AEGIS_STRICT_PLUGINS is set, and {len(reasons)} plugin(s) failed: {'; '.join(reasons)}"
            ) from cause
        return found

    def _warned_of(self) -> Catalogue:
        """What was discovered, after a warning of each thing that is wrong with it."""
        found = self._discovered()
        if not found.strict:
            for failure in found.failures:
                self._warn_once(str(failure.origin), f"{failure}. Run 'aegis plugins' for details.")
            for problem in found.problems:
                self._warn_once(problem, problem)
        return found

    def _discovered(self) -> Catalogue:
        found = self._found
        if found is None:
            with self._lock:
                found = self._found or self._discover()
        return found

    def _discover(self) -> Catalogue:
        if self._discovering:
            raise PluginError("plugins were asked for while they were being discovered; not at a plugin's import")
        self._discovering = True
        try:
            points = entry_points(group=PROJECT) if self._entry_points is None else self._entry_points
            environ = os.environ if self._environ is None else self._environ
            self._found = found = discover(points, Selection.read(environ))
        finally:
            self._discovering = False
        return found

    def _warn_once(self, cause: str, message: str) -> None:
        with self._lock:
            if cause in self._warned:
                return
            self._warned.add(cause)
        warnings.warn(f"aegis: {message}", PluginWarning, stacklevel=4)


_DEFAULT = Plugins()


def default_plugins() -> Plugins:
    """The plugins that are installed in this environment; one instance for the whole process."""
    return _DEFAULT
