"""The adapter's hold on agents for one run."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Generator, Iterator
from typing import Any

from aegis_core.adapter import Attachment
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.run.patches import Patches
from aegis_core.run.recorder import OrderKey
from aegis_core.run.values import text_of
from aegis_core.trace.active import guarded
from aegis_core.trajectory import Agent
from aegis_smolagents._compat import FinalAnswerStep, run_result_output
from aegis_smolagents.agents import AgentTap
from aegis_smolagents.frames import Frame
from aegis_smolagents.names import described, everyone
from aegis_smolagents.signals import Leaving
from aegis_smolagents.system import Group
from aegis_smolagents.turns import TurnTap, inside_entry
from aegis_smolagents.twins import original_of
from aegis_smolagents.values import plain_text

__all__ = ["Hold", "SmolagentsAttachment", "answer_text", "is_tapped"]


def answer_text(result: Any) -> str | None:
    """The final answer in what an agent or a group returned, or in the events of a stream."""
    if isinstance(result, list):
        final = next((item for item in reversed(result) if isinstance(item, FinalAnswerStep)), None)
        result = result if final is None else final
    if isinstance(result, FinalAnswerStep):
        result = result.output
    return text_of(plain_text(run_result_output(result)))


class Hold:
    """What the taps of one attachment share.

    Args:
        entry: the agent that is the system; None for a group.
    """

    def __init__(self, run: Run, entry: Any = None) -> None:
        self.run = run
        self.closed = False
        self.patches = Patches()
        self.taps: dict[int, AgentTap] = {}
        self._entry = entry
        self._places = itertools.count(1)

    def adopt(self, agent: Any, path: str) -> None:
        """An agent was put into the system since it is recorded."""
        agent = original_of(agent)
        if id(agent) in self.taps or is_tapped(agent):
            return
        self.run.recorder.declare([described(path, agent)])
        self.taps[id(agent)] = AgentTap(agent, self, path)
        self.taps[id(agent)].patch()

    def next_place(self) -> OrderKey:
        """The order key of the next run that the user's own code starts."""
        return (next(self._places),)

    def is_entry(self, agent: AgentTap) -> bool:
        """Whether runs of this agent are runs of the system."""
        return agent.agent is self._entry

    def is_root(self, frame: Frame) -> bool:
        """Whether this activation is the run of the system."""
        return self.is_entry(frame.tap) and len(frame.place) == 1

    def enter(self, task: str, *, goes_on: bool = False) -> None:
        """The system was called."""
        if self.run.entered:
            self.run.entered_beside()
            return
        self.run.error, self.run.limit_reached = None, ""  # how an earlier call ended is not how the run ends
        self.run.enter(task, goes_on=goes_on)

    def told_by_user(self, text: str, path: str, place: OrderKey) -> int:
        """Record what the user said to the system after its task; returns the number of the step."""
        self.run.recorder.declare([Agent(path="user", kind="user")])
        return self.run.step("user", "message", text, order=(*place, 0), addressed_to=(path,), visible_to=(path,))

    def leave(self, result: Any) -> None:
        """The system returned."""
        with guarded(self.run):
            answer, why = (answer_text(result), "") if self.run.output is None else self.run.own_answer(result)
            self.run.leave(answer, unanswered=why)

    def failed(self, error: BaseException) -> None:
        """The system ended with an exception."""
        with guarded(self.run):
            self.run.leave(None)
            if not isinstance(error, Leaving):
                self.run.failed(error)


class SmolagentsAttachment(Attachment):
    """Taps instances: the agents, and what they hold. No class is touched."""

    def __init__(self, app: Any, run: Run) -> None:
        self.app = app
        self._hold = Hold(run, None if isinstance(app, Group) else app)
        self._patches, taps = self._hold.patches, self._hold.taps
        for path, agent in everyone(app):
            if id(agent) not in taps:
                taps[id(agent)] = AgentTap(agent, self._hold, path)
        if any(is_tapped(owner) for owner in (app, *(tap.agent for tap in taps.values()))):
            raise AdapterError(
                "one of these agents is attached to a run already; leave that `with` block first, and give systems "
                "that run at the same time agents of their own"
            )
        try:
            for tap in tuple(taps.values()):
                tap.patch()
            if isinstance(app, Group):
                self._patches.attribute(app, "run", _GroupTap(self._hold, app.run).run)
        except BaseException:
            self._patches.restore()
            raise

    def detach(self) -> None:
        self._hold.closed = True
        self._patches.restore()


def is_tapped(owner: Any) -> bool:
    """Whether an agent, or a group, is held by a run already."""
    own = vars(owner).get("run")
    return isinstance(getattr(own, "__self__", None), TurnTap | _GroupTap)


class _GroupTap:
    """What the `run` of a group is while it is tapped."""

    def __init__(self, hold: Hold, real: Callable[..., Any]) -> None:
        self._hold = hold
        self._real = real

    def run(self, task: str, *args: Any, **kwargs: Any) -> Any:
        """Calls the group's function, as the entry of the run."""
        if self._hold.closed:
            return self._real(task, *args, **kwargs)
        with guarded(self._hold.run):
            self._hold.enter(task)
        try:
            result = self._stepped(lambda: self._real(task, *args, **kwargs))
        except BaseException as error:
            self._hold.failed(error)
            raise
        if inspect.isgenerator(result):
            return self._events(result)
        self._hold.leave(result)
        return result

    def _events(self, events: Iterator[Any]) -> Generator[Any, None, Any]:
        last: Any = None
        try:
            while True:
                try:
                    event = self._stepped(lambda: next(events))
                except StopIteration as stop:
                    self._hold.leave(last if stop.value is None else stop.value)
                    return stop.value
                if isinstance(event, FinalAnswerStep):
                    last = event
                yield event
        except GeneratorExit:
            events.close()  # type: ignore[attr-defined]  # it is a generator
            with guarded(self._hold.run):
                self._hold.run.leave(None)
            raise
        except BaseException as error:
            self._hold.failed(error)
            raise

    def _stepped(self, step: Callable[[], Any]) -> Any:
        """One step of the function, inside the entry; drift and limits leave in their own form."""
        token = inside_entry.set(True)
        try:
            return step()
        except Leaving as left:
            raise left.error from None
        finally:
            inside_entry.reset(token)
