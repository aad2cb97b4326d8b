"""Managers of teams: who speaks next, in which order, and what they ask their models for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autogen_agentchat.messages import BaseChatMessage
from autogen_core.models import CreateResult

from aegis_autogen import _compat
from aegis_autogen.signals import Signals
from aegis_autogen.taps.orders import Plan
from aegis_autogen.taps.turns import Activation, Speaker
from aegis_autogen.texts.messages import given_parts, usage_of, write_message
from aegis_autogen.texts.results import json_object
from aegis_core.adapter import Delivery, Part, Turn
from aegis_core.run import Run
from aegis_core.trace.active import guarded
from aegis_core.trajectory import StepKind

__all__ = ["ManagerTap", "OrchestratorTap", "noting_choices"]


def noting_choices(manager: Any, plan: Plan) -> Callable[..., Any]:
    """`select_speaker` of a manager that asks no model: whom it chooses, in which order."""
    real = manager.select_speaker

    async def select_speaker(thread: Sequence[Any]) -> Any:
        chosen = await real(thread)
        plan.selected([chosen] if isinstance(chosen, str) else chosen)
        return chosen

    return select_speaker


class ManagerTap:
    """What is put around a manager that asks a model. Also the owner of that model's client.

    A turn begins with the first question to the model: where nothing is asked, there is none.
    """

    def __init__(self, manager: Any, run: Run, speaker: Speaker, plan: Plan, signals: Signals) -> None:
        self.manager = manager
        self.run = run
        self.speaker = speaker
        self.authors = speaker.authors
        self.plan = plan
        self.signals = signals
        self.activation: Activation | None = None
        self.pending: tuple[Part, ...] = ()
        """What the manager got since its last turn."""
        self._seen = 0

    async def turn(self) -> Turn | None:
        if self.activation is None:
            self.activation = Activation(self.run, self.speaker, self.plan.deciding())
            with guarded(self.run):
                await self.activation.begin_with(self.pending, scopes=())
        return self.activation.at(self.activation.place)

    def answered(self, result: CreateResult) -> None:
        if self.activation is not None:
            self.activation.usage = usage_of(result.usage)

    def failed(self, error: Exception) -> None:
        """An exception leaves the manager."""
        activation, self.activation = self.activation, None
        if activation is not None and self.signals.raised is None:
            with guarded(self.run):
                activation.failed(error)

    def select(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`select_speaker` of the manager of a SelectorGroupChat."""

        async def select_speaker(thread: Sequence[Any]) -> Any:
            self._seen = self._seen if self._seen <= len(thread) else 0  # a team that was reset forgets
            new = [message for message in list(thread)[self._seen :] if isinstance(message, BaseChatMessage)]
            with guarded(self.run):
                self.pending = given_parts(new, self.authors)
            try:
                chosen = await real(thread)
            except Exception as error:
                self.failed(error)
                raise
            if self.activation is not None and not isinstance(chosen, str) and len(chosen) == 1:
                self._seen = len(thread)
                chosen = [await self._chosen(chosen[0])]
            self.plan.selected([chosen] if isinstance(chosen, str) else chosen)
            return chosen

        return select_speaker

    async def _chosen(self, name: str) -> str:
        """The turn ends with the choice; returns whom it goes to."""
        activation, self.activation = self.activation, None
        if activation is None or activation.turn is None:
            return name
        route = self.speaker.paths.get(name, name)
        part = Part(
            id="choice", text=name, role="assistant", author=self.speaker.path, kind="handoff", editable=False
        )  # fmt: skip
        delivery: Delivery | None = None
        with self.signals.noted(), guarded(self.run):
            delivery = await self.run.aend_turn(activation.turn, (part,), route=route, usage=activation.usage)
        other = self.speaker.name_of(delivery.route) if delivery is not None and delivery.route else None
        if other is None or other == name:
            return name
        setattr(self.manager, _compat.PREVIOUS_SPEAKER, other)
        return other


class OrchestratorTap(ManagerTap):
    """The same for the orchestrator of a MagenticOneGroupChat.

    A turn ends with each message of its own: the plan, an instruction to the next speaker, or the final answer.
    """

    def __init__(self, manager: Any, run: Run, speaker: Speaker, plan: Plan, signals: Signals) -> None:
        super().__init__(manager, run, speaker, plan, signals)
        self._name = _compat.own_name(manager)
        self._answer = ""
        """What the model answered last in this turn."""
        self._redirected: tuple[str, str] | None = None

    def answered(self, result: CreateResult) -> None:
        super().answered(result)
        self._answer = result.content if isinstance(result.content, str) else ""

    def handle(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`on_message_impl`: a task or a response comes in."""

        async def on_message_impl(message: Any, ctx: Any) -> Any:
            kind = _compat.event_kind(message)
            with guarded(self.run):
                if kind == "start":
                    self.pending = given_parts(message.messages or (), self.authors)
                elif kind == "response":
                    self.pending = given_parts([_compat.event_response(message).chat_message], self.authors)
            try:
                return await real(message, ctx)
            except Exception as error:
                if kind in ("start", "response"):
                    self.failed(error)
                raise

        return on_message_impl

    def remember(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`update_message_thread`, which an own message comes through first; others get it after that."""

        async def update_message_thread(messages: Sequence[Any]) -> Any:
            own = len(messages) == 1 and getattr(messages[0], "source", None) == self._name
            if not own or self.activation is None:
                return await real(messages)
            message = messages[0]
            original = message.model_copy()
            kind: StepKind = "message" if _compat.thread(self.manager) else "plan"
            with self.signals.noted(), guarded(self.run):
                await self._said(message, kind)
            return await real([original if original.content != message.content else message])

        return update_message_thread

    async def _said(self, message: Any, kind: StepKind) -> None:
        """The turn ends with a message, which is altered itself: nobody else has it yet."""
        activation, self.activation = self.activation, None
        assert activation is not None
        speaker = self._next_speaker() if kind == "message" else None
        path = self.speaker.paths.get(speaker) if speaker is not None else None
        delivery = await activation.end_with(message, route=path, kind=kind)
        if delivery is not None and delivery.changed:
            message.content = write_message(message, delivery.texts()).content
        other = self.speaker.name_of(delivery.route) if delivery is not None and delivery.route else None
        if speaker is not None and other is not None:
            self._redirected = (speaker, other) if other != speaker else None
            self.plan.selected([other])
        self.pending = given_parts([message], self.authors)

    def _next_speaker(self) -> str | None:
        """Who is to speak next by the ledger that the model wrote last; None if it wrote none."""
        ledger = json_object(_unfenced(self._answer)) or {}
        entry = ledger.get("next_speaker")
        names = [name for name, path in self.speaker.paths.items() if path != self.speaker.path]
        answer = entry.get("answer") if isinstance(entry, dict) else None
        if len(names) == 1 and isinstance(entry, dict):
            return names[0]
        return answer if isinstance(answer, str) and answer in names else None

    def publish(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`publish_message`: the request to speak goes to whom the turn was sent."""

        async def publish_message(message: Any, topic_id: Any, **more: Any) -> Any:
            if _compat.event_kind(message) == "request" and self._redirected is not None:
                topic = _compat.speaker_topic(self.manager, self._redirected[1])
                self._redirected = None
                topic_id = type(topic_id)(type=topic) if topic is not None else topic_id
            return await real(message, topic_id, **more)

        return publish_message


def _unfenced(text: str) -> str:
    """A text without the fence of a code block around it."""
    lines = text.strip().splitlines()
    fenced = len(lines) > 1 and lines[0].startswith("```") and lines[-1].startswith("```")
    return "\n".join(lines[1:-1]) if fenced else text
