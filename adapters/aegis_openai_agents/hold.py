"""What an attachment knows of its run while agents act."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agents import Model

from aegis_core.adapter import Part
from aegis_core.run import Run
from aegis_openai_agents.names import Layout
from aegis_openai_agents.taps import Taps

__all__ = ["Hold", "Views"]


class Views:
    """How single agents see texts of the history that all of them share.

    A text that one agent was told in altered form it goes on seeing so; a text that others got altered its author goes
    on seeing as it said it. Nobody else is concerned, and the history itself is not touched.
    """

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, str]] = {}

    def keep(self, path: str, found: str, seen: str) -> None:
        """Wherever the agent meets a text from now on, it sees another one."""
        if found != seen:
            self._texts.setdefault(path, {})[found] = seen

    def of(self, path: str, parts: tuple[Part, ...]) -> tuple[tuple[Part, ...], dict[str, str]]:
        """The parts as the agent sees them, and what differs, by id."""
        own: Mapping[str, str] = self._texts.get(path, {})
        if not own:
            return parts, {}
        texts = {part.id: own[part.text] for part in parts if part.editable and part.text in own}
        seen = (part.model_copy(update={"text": texts[part.id]}) if part.id in texts else part for part in parts)
        return tuple(seen), texts


class Hold:
    """One run's hold on its agents. Nothing in it outlives the attachment.

    Args:
        several: whether several calls of `Runner.run` make up the run.
    """

    def __init__(self, app: Any, run: Run, layout: Layout, *, several: bool) -> None:
        self.app = app
        self.run = run
        self.layout = layout
        self.several = several
        self.views = Views()
        self.taps = Taps()
        self.begun = 0
        """Calls from outside so far."""
        self.open: set[int] = set()
        """Numbers of those that have not ended."""
        self.sessions: list[Any] = []
        self.ending: BaseException | None = None
        """A drift or a limit, which the SDK may have made a text of."""
        self.told: list[BaseException] = []
        """Exceptions that are in the record already."""
        self.interrupted: list[Any] = []
        """Activations that wait for somebody's approval."""

    def tap_tools(self, tools: Iterable[Any]) -> None:
        """Put a tap around the function tools among these."""
        from aegis_openai_agents.tools import tap_tool

        for tool in tools:
            tap_tool(self.taps, tool)

    def tap(self, agent: Any) -> None:
        """Put taps around an agent's model, and its tools."""
        from aegis_openai_agents.models import TappedModel, untapped

        if isinstance(agent.model, Model):
            self.taps.put(agent, "model", lambda model: model if isinstance(model, TappedModel) else TappedModel(model))
            self.taps.put(agent, "clone", untapped)
        self.tap_tools(agent.tools)

    @property
    def altering(self) -> bool:
        """Whether the run is served or altered, so that answers have to be whole before they pass on."""
        return self.run.replay is not None or self.run.interventions is not None

    def is_told(self, error: BaseException) -> bool:
        """Whether an exception, or one that it was made of, is in the record already."""
        seen: set[int] = set()
        current: BaseException | None = error
        while current is not None and id(current) not in seen:
            if any(known is current for known in self.told):
                return True
            seen.add(id(current))
            current = current.__cause__ or current.__context__
        return False
