"""`aegis.record`: record one run of any supported object, used as before, inside a `with` block."""

from __future__ import annotations

import uuid
import warnings
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from aegis_core.adapter import Adapter, System
from aegis_core.errors import AdapterError, RecorderWarning
from aegis_core.run import Run, RunInfo, Tape
from aegis_core.trace.active import at_work, guarded, over, recorded
from aegis_core.trace.observers import tell_finished, tell_started
from aegis_core.trajectory import Trajectory

__all__ = ["Recording", "record"]


def record(
    app: Any,  # any object that an installed adapter can handle, or a `System` around one
    *,
    adapter: str | Adapter | None = None,
    to: str | Path | None = None,
    task: str = "",
    system: str = "",
    run_id: str | None = None,
) -> Recording:
    """Record what happens in `app` inside a `with` block.

        with aegis.record(graph) as run:
            graph.invoke({"messages": [...]})
        run.trajectory

    The block is one run: open one for each. Calls in it that do not go on with the first (as the answer to an interrupt
    does) are warned of, and recorded one after another, with the task of the first and the answer of the last. Threads
    and thread pools do not know of the block by themselves: give them `aegis.bind(function)`; asyncio tasks and
    `asyncio.to_thread` do.

    Args:
        app: a framework's object, an `@aegis.trace` function, or whatever else an adapter handles; in an
            `aegis.System(app, output=...)` where the adapter can't tell the final answer from the result.
        adapter: name of the adapter; chosen by the object if not given.
        to: JSONL file to which the trajectory is appended, also after an exception.
        task: text of the task, where the adapter can't see it.
        system: name of the system.
        run_id: a random one if not given.

    Raises:
        AdapterError: no adapter, or more than one, handles the object; the message lists them.
    """
    return Recording(app, adapter, to, task, system, run_id)


class Recording:
    """One recorded run. `trajectory` and `tape` can be read at any time, and are whole after the `with` block."""

    def __init__(
        self,
        app: Any,
        adapter: str | Adapter | None,
        to: str | Path | None,
        task: str,
        system: str,
        run_id: str | None,
    ) -> None:
        given = app if isinstance(app, System) else System(app)
        app = given.app
        self._adapter = _choose(app, adapter)
        self._given = app
        self._to = Path(to) if to is not None else None
        self._stack = ExitStack()
        self._entered = False
        self._kept: tuple[Trajectory, Tape | None] | None = None
        info = RunInfo(
            run_id=run_id or uuid.uuid4().hex,
            task=task,
            system=system or given.name or _name(app),
            adapter=self._adapter.name,
            agents=self._adapter.agents(app),
        )
        self.run = Run(info, normalise=self._adapter.normalise, output=given.output)
        self.app = app
        """What the adapter wants to be run; the object itself wherever recording needs no other."""

    def __enter__(self) -> Self:
        if self._entered:
            raise AdapterError("this recording was used already; call aegis.record(...) anew for each run")
        self._entered = True
        attachment = self._stack.enter_context(self._adapter.attach(self._given, self.run))
        self.app = attachment.app
        with guarded(self.run):
            tell_started(self.run.info)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with guarded(self.run):
            if error is not None:
                self.run.failed(error)
        of_functions = self.run in recorded
        self._stack.close()
        goes_on = self.run.entered or self.run.unfinished != ()
        with guarded(self.run):
            trajectory = self.trajectory
            self._kept = trajectory, self.tape if goes_on else None  # what is not read need not be made
            tell_finished(self.run.info, trajectory)
            if self._to is not None:
                from aegis_core.store import append

                append(self._to, trajectory)
        if error is None:
            self._warn()
            working = at_work(self.run) or (("the entry",) if self.run.entered else ())
            if working and of_functions:  # of frameworks' turns not all are told that are cancelled
                over(self.run, f"{', '.join(working)} went on")

    def _warn(self) -> None:
        """Say what is odd about a run that went well."""
        if not self.run.separate_calls and not self.trajectory.steps:
            warnings.warn(
                f"aegis: nothing was recorded: {self.run.info.system!r} (or `run.app`, for a function that is not "
                "decorated) was not called inside the block. What is called in a thread or pool there has to be given "
                "to it as `aegis.bind(function)`",
                RecorderWarning,
                stacklevel=3,
            )
        if self.run.unanswered:
            warnings.warn(f"aegis: {self.run.unanswered}", RecorderWarning, stacklevel=3)
        if self.run.separate_calls > 1:
            warnings.warn(
                f"aegis: {self.run.separate_calls} calls of {self.run.info.system!r} were recorded as one run, with "
                "the task of the first and the answer of the last; open an `aegis.record` block for each run",
                RecorderWarning,
                stacklevel=3,
            )

    @property
    def trajectory(self) -> Trajectory:
        """The run as far as it went; what goes on after the block is no part of it."""
        return self.run.trajectory() if self._kept is None else self._kept[0]

    @property
    def tape(self) -> Tape:
        """The tape as far as it went."""
        kept = self._kept[1] if self._kept is not None else None
        return self.run.tape() if kept is None else kept


def _choose(app: Any, adapter: str | Adapter | None) -> Adapter:
    from aegis_core.plugins import default_plugins

    if adapter is None:
        return default_plugins().adapter_for(app)
    chosen = default_plugins().adapter(adapter) if isinstance(adapter, str) else adapter
    if not isinstance(chosen, Adapter):
        raise AdapterError(
            f"adapter={chosen!r} is neither the name of an adapter nor an instance of `aegis.Adapter`; leave it out to "
            "have it chosen by the object"
        )
    if not chosen.can_handle(app):
        raise AdapterError(
            f"the adapter {chosen.name!r} can't handle {_described(app)}; give it an object of its framework, or leave "
            "adapter out to have it chosen by the object"
        )
    return chosen


def _described(app: Any) -> str:
    if app is None:
        return "None"
    return f"the class {app.__qualname__} itself" if isinstance(app, type) else f"a {type(app).__name__}"


def _name(app: Any) -> str:
    name = getattr(app, "name", None) or getattr(app, "__name__", None)
    return name if isinstance(name, str) else type(app).__name__
