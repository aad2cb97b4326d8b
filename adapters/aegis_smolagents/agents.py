"""One agent, tapped: its runs are turns, calls of its model and tools go through the run, its steps are recorded."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from aegis_core.run.patches import Patches
from aegis_smolagents._compat import CodeAgent, FinalAnswerTool, MultiStepAgent, is_remote
from aegis_smolagents.calls import CallTap
from aegis_smolagents.frames import Frame, active
from aegis_smolagents.messages import Requests
from aegis_smolagents.models import ModelTap
from aegis_smolagents.steps import StepTaps
from aegis_smolagents.turns import TurnTap
from aegis_smolagents.twins import twin

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

    def patch(self, patches: Patches) -> None:
        """Put the taps in place."""
        agent, steps = self.agent, StepTaps(self)
        patches.attribute(agent, "run", TurnTap(self, agent.run).run)
        patches.attribute(agent, "model", twin(agent.model, ModelTap.methods, ModelTap(self)))
        patches.attribute(agent, "step_callbacks", twin(agent.step_callbacks, ("callback",), steps.callback))
        for name in ("process_tool_calls", "execute_tool_call"):
            if (real := getattr(agent, name, None)) is not None:
                patches.attribute(agent, name, functools.partial(getattr(steps, name), real))
        if self.writes_code:
            patches.attribute(agent, "python_executor", twin(agent.python_executor, ("__call__",), steps.execute))
        for name, tool in () if is_remote(agent) else tuple(agent.tools.items()):
            if type(tool) is not FinalAnswerTool:
                patches.item(agent.tools, name, twin(tool, ("__call__",), CallTap(self, name)))
        for name, member in tuple(agent.managed_agents.items()):
            patches.item(agent.managed_agents, name, twin(member, ("__call__",), CallTap(self, name, managed=True)))

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
