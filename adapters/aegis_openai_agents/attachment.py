"""The hold on an agent or a workflow for one run."""

from __future__ import annotations

from contextvars import Token
from typing import Any

from aegis_core.adapter import Attachment
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_openai_agents.hold import Hold
from aegis_openai_agents.names import Layout
from aegis_openai_agents.runner import current_hold, held, let_go, take_hold
from aegis_openai_agents.workflow import Workflow

__all__ = ["AgentsAttachment"]


class AgentsAttachment(Attachment):
    """Puts taps around the models and tools of all agents that can be reached, and takes part in `Runner.run`."""

    def __init__(self, app: Any, run: Run) -> None:
        other = next((hold for hold in list(held) if hold.app is app), None)
        if other is not None:
            raise AdapterError(
                f"this {type(app).__name__} is attached to run {other.run.info.run_id} already; "
                "leave that `with` block first, or give each run agents of its own (`agent.clone()`)"
            )
        self.app = app
        self._hold: Hold | None = Hold(app, run, Layout(app), several=isinstance(app, Workflow))
        for agent in self._hold.layout.objects():
            self._hold.tap(agent)
        take_hold(self._hold)
        self._token: Token[Hold | None] | None = current_hold.set(self._hold)

    def detach(self) -> None:
        hold, self._hold = self._hold, None
        if hold is None:
            return
        let_go(hold)
        hold.taps.release()
        try:
            if self._token is not None:
                current_hold.reset(self._token)
        except ValueError:  # left in another context than entered
            if current_hold.get() is hold:
                current_hold.set(None)
