"""One agent, tapped: its runs are turns, calls of its model and tools go through the run, its steps are recorded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from aegis_core.trace.active import guarded
from aegis_smolagents._compat import CodeAgent, FinalAnswerTool, MultiStepAgent, give_back_tools, is_remote
from aegis_smolagents.calls import CallTap
from aegis_smolagents.copies import plain_copies
from aegis_smolagents.frames import Frame, active
from aegis_smolagents.messages import Requests
from aegis_smolagents.models import ModelTap
from aegis_smolagents.steps import StepTaps
from aegis_smolagents.turns import TurnTap
from aegis_smolagents.twins import is_twin, twin

if TYPE_CHECKING:
    from aegis_smolagents.attachment import Hold

__all__ = ["AgentTap"]


class AgentTap:
    """Taps one instance of an agent, however many managers it has.

    Args:
        hold: what all taps of one attachment share.
        path: of the agent, where no manager calls it.
    """

    def __init__(self, agent: MultiStepAgent, hold: Hold, path: str) -> None:
        self.agent = agent
        self.hold = hold
        self.path = path
        self.writes_code = isinstance(agent, CodeAgent)
        self.requests = Requests()
        self._frames: list[Frame] = []
        self._patches = hold.patches
        self._steps = StepTaps(self)
        self._untapped: list[Any] = []

    def patch(self) -> None:
        """Put the taps in place."""
        agent, patches = self.agent, self._patches
        methods = tuple(name for name in ("process_tool_calls", "execute_tool_call") if hasattr(agent, name))
        patches.attribute(agent, "__reduce_ex__", plain_copies(agent, ("run", *methods)))
        patches.attribute(agent, "run", TurnTap(self, agent.run).run)
        for name in methods:
            patches.attribute(agent, name, functools.partial(getattr(self._steps, name), getattr(agent, name)))
        if self.writes_code and not is_remote(agent):
            patches.undone_by(functools.partial(give_back_tools, agent))
        self._put_twins()

    def renew(self) -> None:
        """Tap what was put in place since: another model, tools, members. What can't be tapped is told of once."""
        if not self.hold.closed:
            with guarded(self.hold.run):
                self._put_twins()

    def _put_twins(self) -> None:
        agent, steps = self.agent, self._steps
        self._put(vars(agent), "model", ModelTap.methods, ModelTap(self))
        self._put(vars(agent), "step_callbacks", ("callback",), steps.callback)
        if self.writes_code:
            self._put(vars(agent), "python_executor", ("__call__",), steps.execute)
        for name, tool in () if is_remote(agent) else tuple(agent.tools.items()):
            if type(tool) is not FinalAnswerTool:
                self._put(agent.tools, name, ("__call__",), CallTap(self, name))
        for name, member in tuple(agent.managed_agents.items()):
            if not is_twin(member):
                self.hold.adopt(member, f"{self.path}/{name}")
            self._put(agent.managed_agents, name, ("__call__",), CallTap(self, name, managed=True))

    def _put(self, space: dict[str, Any], name: str, methods: tuple[str, ...], tap: Callable[..., Any]) -> None:
        """A twin in the place of what is there, unless that is one."""
        there = space.get(name)
        if there is None or is_twin(there) or any(there is one for one in self._untapped):
            return
        self._untapped.append(there)  # taken off the list once it has a tap
        self._patches.item(space, name, twin(there, methods, tap))
        self._untapped.pop()

    def frame(self) -> Frame | None:
        """The activation of this agent that the current code is part of; None if it does not run, or is let go.

        A code agent's code runs in a thread that knows no context (smolagents issue 1961): there it is the last one
        that began.
        """
        if self.hold.closed:
            return None
        here = active.get()
        if here is not None and here.tap is self and not here.turn.ended:
            return here
        return self._frames[-1] if self._frames else None

    def begun(self, frame: Frame) -> None:
        """An activation began."""
        self._frames.append(frame)

    def over(self, frame: Frame) -> None:
        """An activation is over, in whatever way."""
        if frame in self._frames:
            self._frames.remove(frame)
