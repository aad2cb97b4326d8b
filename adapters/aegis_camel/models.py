"""Tapping models: those of an agent that is tapped, and those of agents that come and go while a run is going on.

specifier = tap(ModelFactory.create(...), "Specifier", kind="plan")    # then hand it to whatever makes the agent
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from camel.models import BaseModelBackend, ModelManager

from aegis_camel.calls import ModelCall
from aegis_camel.session import Scope, Session, Visit
from aegis_camel.streams import form_of
from aegis_camel.texts.messages import request_parts
from aegis_camel.texts.shapes import shape_of
from aegis_core.adapter import Part
from aegis_core.errors import AdapterError
from aegis_core.trajectory import StepKind

if TYPE_CHECKING:
    from aegis_camel.agents import AgentTap

__all__ = ["ModelTap", "bind", "is_tapped", "name_of", "tap", "tapped_manager"]


def tapped_manager(manager: ModelManager, tap: AgentTap) -> Any:
    """A stand-in for the models of one agent. It shares all that the real one holds; only calls go through the run."""
    base: Any = type(manager)
    cls = _manager_class(base)
    stand_in = cls.__new__(cls)
    object.__setattr__(stand_in, "__dict__", vars(manager))
    stand_in.aegis_real, stand_in.aegis_tap = getattr(manager, "aegis_real", manager), tap
    return stand_in


def is_tapped(agent: Any) -> bool:
    """Whether an agent is attached to a run."""
    return hasattr(agent.model_backend, "aegis_tap")


@functools.cache
def _manager_class(base: type) -> Any:
    base = next(cls for cls in base.__mro__ if "aegis_real" not in vars(cls))

    def run(self: Any, messages: Any, response_format: Any = None, tools: Any = None) -> Any:
        real = self.aegis_real.run
        return self.aegis_tap.call_model(real, messages, response_format, tools, streams=_streams(self))

    async def arun(self: Any, messages: Any, response_format: Any = None, tools: Any = None) -> Any:
        real = self.aegis_real.arun
        return await self.aegis_tap.acall_model(real, messages, response_format, tools, streams=_streams(self))

    return type(
        f"Tapped{base.__name__}",
        (base,),
        {"__slots__": ("aegis_real", "aegis_tap"), "__doc__": base.__doc__, "run": run, "arun": arun},
    )


def _streams(models: Any) -> bool:
    return bool(models.model_config_dict.get("stream", False))


class _Binding:
    """What a tapped model is bound to: the name of its agent, and the run, while there is one."""

    def __init__(self, name: str, kind: StepKind) -> None:
        self.name = name
        self.kind = kind
        self.tap: ModelTap | None = None


def tap(model: BaseModelBackend, name: str, *, kind: Literal["message", "plan"] = "message") -> Any:
    """A stand-in for a model that acts for one agent, by whose name its calls are recorded.

    For agents that can't be reached before they act: the task specifier and the planner of a `RolePlaying` act in its
    constructor, other societies make their agents as they go. Hand it to what makes the agent, and to the
    `Ensemble(models=...)` that is recorded. Without a run it is the model, and nothing else.

    Args:
        name: of the agent.
        kind: what its answers are: `plan`, where others are given them to work on, as with specifier and planner.
    """
    cls = _model_class(type(model))
    stand_in = cls.__new__(cls)
    object.__setattr__(stand_in, "__dict__", vars(model))
    stand_in.aegis_real, stand_in.aegis_binding = model, _Binding(name, kind)
    return stand_in


def name_of(model: Any) -> str:
    """The name that a tapped model was given; "" for any other."""
    binding = getattr(model, "aegis_binding", None)
    return binding.name if isinstance(binding, _Binding) else ""


@functools.cache
def _model_class(base: Any) -> Any:
    def run(self: Any, messages: Any, response_format: Any = None, tools: Any = None) -> Any:
        taken = self.aegis_binding.tap
        real = self.aegis_real.run
        if taken is None or taken.session.inside_model:
            return real(messages, response_format, tools)
        return taken.call(real, messages, response_format, tools, streams=_streams(self))

    async def arun(self: Any, messages: Any, response_format: Any = None, tools: Any = None) -> Any:
        taken = self.aegis_binding.tap
        real = self.aegis_real.arun
        if taken is None or taken.session.inside_model:
            return await real(messages, response_format, tools)
        return await taken.acall(real, messages, response_format, tools, streams=_streams(self))

    space = {"__slots__": ("aegis_binding", "aegis_real"), "__doc__": base.__doc__, "__module__": __name__}
    cls: Any = type(base)(f"Tapped{base.__name__}", (base,), space)
    # Set afterwards: the metaclass would have messages and results worked on twice.
    cls.run, cls.arun = run, arun
    return cls


def bind(session: Session, model: Any, path: str) -> None:
    """Have the calls of a tapped model go to a run.

    Raises:
        AdapterError: they go to another run already.
    """
    binding = model.aegis_binding
    if binding.tap is not None:
        raise AdapterError(f"the model of {binding.name!r} is attached to a run already; leave that `with` block first")
    binding.tap = ModelTap(session, path, binding.kind)
    session.closing.append(binding.tap.close)
    session.patches.undone_by(lambda: setattr(binding, "tap", None))


class ModelTap:
    """Turns of an agent of which nothing but the model is known: from a message to it, up to its answer in words."""

    def __init__(self, session: Session, path: str, kind: StepKind = "message") -> None:
        self.session = session
        self.path = path
        self._kind = kind
        self._open: dict[Scope, Visit] = {}
        self._lock = threading.Lock()

    def call(self, real: Any, messages: Any, response_format: Any, tools: Any, *, streams: bool) -> Any:
        """Stands for `run` of the model."""
        visit = self._visit(messages)
        try:
            raw = ModelCall(real, messages, response_format, tools, streams).make(visit)
        except BaseException as error:
            self._failed(visit, error)
            raise
        self._said(visit, raw)
        return raw

    async def acall(self, real: Any, messages: Any, response_format: Any, tools: Any, *, streams: bool) -> Any:
        """Stands for `arun` of the model."""
        visit = self._visit(messages)
        try:
            raw = await ModelCall(real, messages, response_format, tools, streams).amake(visit)
        except BaseException as error:
            self._failed(visit, error)
            raise
        self._said(visit, raw)
        return raw

    def _visit(self, messages: Sequence[Mapping[str, Any]]) -> Visit:
        session = self.session
        session.check()
        scope = session.scope()
        with self._lock:
            visit = self._open.get(scope)
        if visit is not None:
            if messages and messages[-1].get("role") == "tool":
                return visit
            self._end(visit, scope)
        given = tuple(part for part in request_parts(messages[-1:], session.wrapping) if part.kind == "message")
        authored, parents = session.run.recorder.sources(given, self.path)
        order, branch = scope.place(), scope.branch
        try:
            turn = session.run.begin_turn(self.path, authored, branch=branch, order=order, parents=parents, scopes=())
        except BaseException as error:
            session.noted(error)
            raise
        visit = Visit(session, turn, Scope(session, order, branch))
        with self._lock:
            self._open[scope] = visit
        return visit

    def _failed(self, visit: Visit, error: BaseException) -> None:
        self._forget(visit)
        self.session.noted(error)
        self.session.run.failed(error, self.path, moment=visit.turn.moment, order=visit.turn.order)

    def _forget(self, visit: Visit) -> None:
        with self._lock:
            self._open = {scope: other for scope, other in self._open.items() if other is not visit}

    def _said(self, visit: Visit, raw: Any) -> None:
        """End the turn with an answer in words; one that asks for tools, or comes in pieces, is not over."""
        if form_of(raw) == "whole" and not visit.asked:
            self._end(visit, None)

    def _end(self, visit: Visit, scope: Scope | None) -> None:
        del scope
        if visit.stream is not None:
            visit.stream.finish()
        self._forget(visit)
        said = [] if visit.asked else visit.said
        shapes = [(f"msgs[{index}]", shape_of(text)) for index, text in enumerate(said)]
        parts = tuple(
            part for place, shape in shapes for part in shape.parts(place, role="assistant", author=self.path)
        )
        for part in parts:
            self.session.wrapping.learn(part.text)
        told = [(place, *shape.step()) for place, shape in shapes if shape.text.strip()]
        steps = tuple(
            Part(id=place, text=text, role="assistant", author=self.path, kind=self._kind, data=data)
            for place, text, data in told
        )
        self.session.run.end_turn(
            visit.turn, parts, model=visit.model, usage=visit.usage, scopes=(), steps=lambda _: steps
        )

    def close(self) -> None:
        """The run is over: so are turns that wait for a tool's result or the end of a stream."""
        for visit in list(self._open.values()):
            self._end(visit, None)
