"""The hooks by which plugins reach Aegis (pluggy project `aegis`), and `Provider`, what most of them return.

A plugin is a light module, named by an entry point of group `aegis`. It imports `aegis_core` and nothing heavy,
and holds functions marked with `hookimpl`:

    from aegis_core.hookspecs import Provider, hookimpl

    @hookimpl
    def aegis_adapters():
        yield Provider(
            name="crew",
            target="aegis_crew.adapter:CrewAdapter",
            requires=("crewai>=1.0,<2",),
            matches=("crewai",),
            summary="CrewAI crews and flows",
        )

Six hooks describe what the plugin offers: they are called once, at discovery, and import nothing. Nothing is
chosen by load order: users ask by name. A name or a mode that two plugins claim stays with the one that comes with
aegis-mas, otherwise with the first in the order of (entry-point name, distribution); the other loses that name alone,
and `aegis plugins` says to whom. Two hooks observe runs; they can't alter anything. The functions below are never run,
only their signatures count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy
from pydantic import Field, field_validator

from aegis_core.records import Record

if TYPE_CHECKING:
    from aegis_core.run import RunInfo
    from aegis_core.taxonomy import ErrorMode
    from aegis_core.trajectory import Trajectory

__all__ = [
    "PROJECT",
    "Provider",
    "aegis_adapters",
    "aegis_attributors",
    "aegis_error_modes",
    "aegis_formats",
    "aegis_injectors",
    "aegis_learners",
    "aegis_run_finished",
    "aegis_run_started",
    "hookimpl",
    "hookspec",
]

PROJECT = "aegis"
"""Name of the pluggy project, and of the entry-point group."""
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a plugin's implementation of a hook."""


class Provider(Record):
    """Describes a class that a plugin offers, without importing it.

    `requires` is compared with what is installed before `target` is imported, so a missing framework ends in one
    sentence with the command that installs it, not in a traceback through the framework.

    `matches` serves adapters only. Each entry is a dotted prefix of the qualified name of a class; an object is
    matched if any class in its MRO has such a name (`object` itself does not count). `"langgraph"` matches all that
    derives from a class of the package langgraph, `"langgraph.graph.state.CompiledStateGraph"` just that class and
    its children. Kinds of plain callables are classes like others: `"builtins.function"`, `"builtins.method"`,
    `"functools.partial"`. What has no common class (any object with `__call__`) is left to `can_handle`, which is
    asked where no prefix matches.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_.-]*$")
    """What a user types. Unique among all providers of one kind."""
    target: str = Field(pattern=r"^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*$")
    """`package.module:Class`. The class takes no arguments and has the provider's name as its `name`."""
    requires: tuple[str, ...] = ()
    """Requirements in the form of PEP 508, with the range of versions for which the class is meant."""
    matches: tuple[str, ...] = ()
    summary: str = ""
    """One line for `aegis plugins`."""
    install: str = ""
    """The command that installs what is required; by default `pip install` and the requirements."""

    @field_validator("requires")
    @classmethod
    def _requires(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        from packaging.requirements import InvalidRequirement, Requirement  # slow to load, and recording needs none

        for text in value:
            try:
                Requirement(text)
            except InvalidRequirement as error:
                raise ValueError(f"{text!r} is not a requirement: {error}") from error
        return value

    @field_validator("matches")
    @classmethod
    def _matches(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for prefix in value:
            if not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*\.?", prefix) or prefix.rstrip(".") == "builtins":
                raise ValueError(f"{prefix!r} is not a dotted prefix such as 'langgraph' or 'builtins.function'")
        return value


@hookspec
def aegis_adapters() -> Iterable[Provider]:
    """Offer adapters of frameworks.

    When: once, at discovery. Import nothing but `aegis_core`.
    Arguments: none.
    Result: providers whose targets derive from `aegis_core.adapter.Adapter`. Give `matches`, or every object that
        no other adapter claims is put to your `can_handle`, for which your module has to be imported.

    Example:
        @hookimpl
        def aegis_adapters():
            return [Provider(name="crew", target="aegis_crew.adapter:CrewAdapter",
                             requires=("crewai>=1.0,<2",), matches=("crewai",))]
    """
    return ()


@hookspec
def aegis_injectors() -> Iterable[Provider]:
    """Offer injectors, which write the altered text of a fault.

    When: once, at discovery. Import nothing but `aegis_core`.
    Arguments: none.
    Result: providers whose targets derive from `aegis_core.injector.Injector`. Which modes one can cause, and by
        which strategy, its `realisations()` say.

    Example:
        @hookimpl
        def aegis_injectors():
            return [Provider(name="acme", target="aegis_acme.injector:AcmeInjector")]
    """
    return ()


@hookspec
def aegis_learners() -> Iterable[Provider]:
    """Offer learners, which make an attributor from labelled runs.

    When: once, at discovery. Import nothing but `aegis_core`: a training library at the top of your module makes
        every start of Aegis slow.
    Arguments: none.
    Result: providers whose targets derive from `aegis_core.learner.Learner`.

    Example:
        @hookimpl
        def aegis_learners():
            return [Provider(name="forest", target="aegis_acme.forest:ForestLearner",
                             requires=("scikit-learn>=1.4",))]
    """
    return ()


@hookspec
def aegis_attributors() -> Iterable[Provider]:
    """Offer attributors that are ready for use, trained or in no need of it.

    When: once, at discovery. Import nothing but `aegis_core`.
    Arguments: none.
    Result: providers whose targets derive from `aegis_core.learner.Attributor`.

    Example:
        @hookimpl
        def aegis_attributors():
            return [Provider(name="last-speaker", target="aegis_acme.last:LastSpeaker")]
    """
    return ()


@hookspec
def aegis_error_modes() -> Iterable[ErrorMode]:
    """Add error modes to the fourteen of MAST.

    When: once, at discovery.
    Arguments: none.
    Result: error modes with ids of the form `vendor:slug`; `FM-x.y` belongs to the core. Give `evidence`
        (`module:function`), a function `(TurnContext) -> Evidence` that says whether the mode happened in a turn,
        or runs with the mode can be made but no label proven. It must know nothing of the injector.

    Example:
        @hookimpl
        def aegis_error_modes():
            return [ErrorMode(id="acme:wrong-currency", name="Wrong currency", source="Acme",
                              definition="The agent names another currency than the figures have.",
                              evidence="aegis_acme.evidence:wrong_currency")]
    """
    return ()


@hookspec
def aegis_formats() -> Iterable[Provider]:
    """Offer readers and writers of formats of runs, labelled or not.

    When: once, at discovery. Import nothing but `aegis_core`.
    Arguments: none.
    Result: providers whose targets derive from `aegis_core.format.Format`.

    Example:
        @hookimpl
        def aegis_formats():
            return [Provider(name="acme-log", target="aegis_acme.log:AcmeLog")]
    """
    return ()


@hookspec
def aegis_run_started(run: RunInfo) -> None:
    """Observe that a run starts.

    When: once a run, after the adapter took hold of the system, before the first step.
    Arguments: run: what is known before the start, frozen.
    Result: ignored. An exception becomes one warning per plugin, and the run goes on.

    Example:
        @hookimpl
        def aegis_run_started(run):
            print("started", run.run_id, file=sys.stderr)
    """


@hookspec
def aegis_run_finished(run: RunInfo, trajectory: Trajectory) -> None:
    """Observe that a run has ended; the place for exporters.

    When: once a run, also after an exception (`trajectory.error` is set then).
    Arguments: run: as in `aegis_run_started`. trajectory: the whole run, frozen. It carries no label.
    Result: ignored. An exception becomes one warning per plugin, and the user's result is not touched.

    Example:
        @hookimpl
        def aegis_run_finished(run, trajectory):
            Path("runs", f"{run.run_id}.json").write_text(trajectory.model_dump_json())
    """
