"""Runs of agents as turns, and the entry of a system."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import inspect
import warnings
from collections.abc import Callable, Generator, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aegis_core.adapter import Delivery, Part
from aegis_core.errors import RecorderWarning
from aegis_core.faults import Scope as FaultScope
from aegis_core.run.outputs import output_steps
from aegis_core.run.recorder import OrderKey
from aegis_core.run.values import text_of, value_parts, write_value
from aegis_core.trace.active import guarded
from aegis_smolagents._compat import FinalAnswerStep, run_result_output
from aegis_smolagents.frames import Frame, Site, active, precedes, site
from aegis_smolagents.signals import Leaving, leaving
from aegis_smolagents.values import plain_text, with_texts

if TYPE_CHECKING:
    from aegis_smolagents.agents import AgentTap

__all__ = ["TurnTap", "inside_entry", "through"]

inside_entry: ContextVar[bool] = ContextVar("aegis_smolagents_entry", default=False)
"""Whether the current code is part of the entry of a group."""
_TASK = "task"
_MORE = "additional_args"
_ANSWER = "answer"


@dataclass(frozen=True)
class _Origin:
    """Where a run of an agent was started from."""

    path: str
    place: OrderKey
    branch: str = ""
    manager: str = ""
    parents: tuple[int, ...] = ()
    outermost: bool = False
    call: Site | None = None


class _Given:
    """The arguments of a call of `run`, whose signature may be that of a subclass."""

    def __init__(self, bound: inspect.BoundArguments) -> None:
        self.bound = bound
        kinds = bound.signature.parameters.values()
        more = next((found.name for found in kinds if found.kind is found.VAR_KEYWORD), "")
        self._more: dict[str, Any] = bound.arguments.get(more, {})
        self._first = _TASK if _TASK in (*bound.arguments, *self._more) else next(iter(bound.arguments), _TASK)

    def get(self, name: str) -> Any:
        """An argument; None if it was not given. The task is the first one, if none has that name."""
        name = self._first if name == _TASK else name
        return self.bound.arguments.get(name, self._more.get(name))

    def put(self, name: str, value: Any) -> None:
        """Give another one."""
        name = self._first if name == _TASK else name
        held = self._more if name in self._more else self.bound.arguments
        held[name] = value


class TurnTap:
    """What an agent's `run` is while it is tapped.

    Args:
        agent: the tap of the agent.
        real: its own `run`.
    """

    def __init__(self, agent: AgentTap, real: Callable[..., Any]) -> None:
        self._agent = agent
        self._hold = agent.hold
        self._real = real
        self._signature = inspect.signature(real)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the agent: one turn."""
        try:
            given = _Given(self._signature.bind(*args, **kwargs))
        except TypeError:
            return self._real(*args, **kwargs)  # raises it again, as it would unrecorded
        if self._hold.closed or not isinstance(given.get(_TASK), str):
            return self._real(*args, **kwargs)
        self._agent.renew()
        begun: list[tuple[_Origin, Frame]] = []
        with guarded(self._hold.run):
            origin = self._origin()
            begun.append((origin, self._begun(origin, given)))
        if not begun:
            return self._real(*args, **kwargs)
        ((origin, frame),) = begun
        try:
            with _at_the_top(origin), through(frame):
                result = self._real(*given.bound.args, **given.bound.kwargs)
            if inspect.isgenerator(result):
                events: Any = result
                return self._events(frame, origin, events)
            answered = self._answered(frame, origin, result)
        except BaseException as error:
            self._agent.over(frame)
            self._failed(frame, origin, error)
            raise
        self._agent.over(frame)
        return answered

    def _origin(self) -> _Origin:
        """Who calls: a manager, something inside another agent's turn, or the user's own code."""
        called, outer = site.get(), active.get()
        if called is not None:
            frame = called.frame
            path = f"{frame.path}/{called.name}" if called.managed else self._agent.path
            parents = () if called.step is None else (called.step,)
            return _Origin(path, called.order, frame.inner_branch(called.branch), frame.path, parents, call=called)
        if outer is not None:
            return _Origin(self._agent.path, (*outer.next_order(), 0), outer.turn.moment.branch)
        return _Origin(self._agent.path, self._hold.next_place(), outermost=not inside_entry.get())

    def _begun(self, origin: _Origin, given: _Given) -> Frame:
        """Begin the turn, and write what was altered into the arguments."""
        hold, task = self._hold, given.get(_TASK)
        told: tuple[int, ...] = ()
        if hold.is_entry(self._agent) and origin.outermost:
            hold.enter(task, goes_on=given.get("reset") is False)
            if given.get("reset") is False and origin.place[0] != 1:
                told = (hold.told_by_user(task, origin.path, origin.place),)
        parts: tuple[Part, ...] = (
            Part(id=_TASK, text=task, role="user", author=_author(origin, task)),
            *value_parts(given.get(_MORE) or {}, root=_MORE, role="user"),
        )
        parts, sources = hold.run.recorder.sources(parts, origin.path, precedes=precedes(origin.place))
        parents = tuple(dict.fromkeys((*told, *origin.parents, *sources)))
        with _at_the_top(origin), leaving():
            turn = hold.run.begin_turn(
                origin.path,
                parts,
                branch=origin.branch,
                order=origin.place,
                parents=parents,
                scopes=() if self._is_summarised(origin) else ("persistent",),
                nested=self._is_inside(),
            )
        texts = turn.texts()
        if _TASK in texts:
            given.put(_TASK, texts[_TASK])
        if any(name.startswith(_MORE) for name in texts):
            given.put(_MORE, write_value(given.get(_MORE), texts, root=_MORE))
        frame = Frame(hold.run, self._agent, turn, origin.path, origin.place)
        self._agent.begun(frame)
        return frame

    def _is_summarised(self, origin: _Origin) -> bool:
        """Whether the manager is told the agent's memory beside its answer."""
        return bool(origin.manager) and self._agent.agent.provide_run_summary

    def _is_inside(self) -> bool:
        """Whether the agent is called inside a turn of its own, however many others are between."""
        frame = active.get()
        return frame is not None and frame.tap is self._agent

    def _events(self, frame: Frame, origin: _Origin, events: Generator[Any, None, Any]) -> Iterator[Any]:
        try:
            while True:
                if self._hold.closed:
                    _told_late(frame)
                    yield from events
                    return
                with _at_the_top(origin), through(frame):
                    try:
                        event = next(events)
                    except StopIteration:
                        return
                if isinstance(event, FinalAnswerStep):
                    event = self._answered(frame, origin, event)
                yield event
        except GeneratorExit:
            self._agent.over(frame)
            if self._enters(origin) and not frame.turn.ended:
                with guarded(frame.run):
                    self._hold.run.leave(None)
            events.close()
            raise
        except BaseException as error:
            self._failed(frame, origin, error)
            raise
        finally:
            self._agent.over(frame)

    def _enters(self, origin: _Origin) -> bool:
        return origin.outermost and self._hold.is_entry(self._agent)

    def _answered(self, frame: Frame, origin: _Origin, result: Any) -> Any:
        """End the turn with what the agent answers; the result with what was altered in it."""
        if self._hold.closed:
            return result
        with guarded(frame.run):
            output = result.output if isinstance(result, FinalAnswerStep) else run_result_output(result)
            delivery = self._delivered(frame, origin, plain_text(output))
            if origin.call is not None:
                origin.call.answers += delivery.steps
            if texts := delivery.texts():
                result = _with_output(result, output, with_texts(output, texts, root=_ANSWER))
        if self._enters(origin):
            self._hold.leave(result)
        return result

    def _delivered(self, frame: Frame, origin: _Origin, value: Any) -> Delivery:
        to = (origin.manager,) if origin.manager else ()

        def steps(delivery: Delivery) -> tuple[Part, ...]:
            return output_steps(write_value(value, delivery.texts(), root=_ANSWER), delivery.parts, root=_ANSWER)

        parts = value_parts(value, root=_ANSWER, role="assistant") or (
            Part(id=_ANSWER, text=text_of(value) or "", role="assistant", editable=False),
        )
        scopes: tuple[FaultScope, ...] = () if self._is_summarised(origin) else ("outgoing",)
        delivery: Delivery = frame.ended(parts, addressed_to=to, visible_to=to, steps=steps, scopes=scopes)
        return delivery

    def _failed(self, frame: Frame, origin: _Origin, error: BaseException) -> None:
        """An exception leaves the agent."""
        if self._hold.closed:
            return
        if not isinstance(error, Leaving | GeneratorExit) and not frame.turn.ended:
            with guarded(frame.run):
                if frame.is_told(error):
                    frame.told(error)
                else:
                    frame.tell(error)
        if self._enters(origin):
            self._hold.failed(error)


def _author(origin: _Origin, task: str) -> str:
    """Who wrote a task word by word: a manager's words come in a form of the agent that it calls."""
    if not origin.manager:
        return "user" if origin.call is None else ""
    asked = origin.call.arguments if origin.call is not None else None
    return origin.manager if isinstance(asked, Mapping) and asked.get(_TASK) == task else ""


def _told_late(frame: Frame) -> None:
    """Say, once a stream, that it is read too late."""
    if not frame.late:
        frame.late = True
        warnings.warn(
            f"aegis: a stream of {frame.path} is read behind the `with` block in which it was begun: what it gives "
            "from here on is not recorded. Read it to its end inside the block",
            RecorderWarning,
            stacklevel=3,
        )


def _with_output(result: Any, before: Any, output: Any) -> Any:
    """A result of `run` with another answer."""
    if result is before:
        return output
    if isinstance(result, FinalAnswerStep):
        return dataclasses.replace(result, output=output)
    changed = copy.copy(result)
    changed.output = output
    return changed


@contextlib.contextmanager
def _at_the_top(origin: _Origin) -> Iterator[None]:
    """Where the user's own code called, drift and limits leave in their own form."""
    try:
        yield
    except Leaving as left:
        if not origin.outermost:
            raise
        raise left.error from None


@contextlib.contextmanager
def through(frame: Frame) -> Iterator[None]:
    """The code inside is part of an activation."""
    tokens = active.set(frame), site.set(None)
    try:
        yield
    finally:
        site.reset(tokens[1])
        active.reset(tokens[0])
