"""Managers of teams: who speaks next, in which order, and what they ask their models for that."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from autogen_agentchat.messages import BaseChatMessage
from autogen_core.models import CreateResult

from aegis_autogen import _compat
from aegis_autogen.signals import Signals
from aegis_autogen.taps.orders import Plan
from aegis_autogen.taps.turns import Activation, Speaker
from aegis_autogen.texts.messages import given_parts, usage_of, write_given, write_message
from aegis_autogen.texts.results import json_object
from aegis_core.adapter import Delivery, Part, Turn
from aegis_core.errors import AdapterError
from aegis_core.faults import Moment, Scope
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
        self.sources = speaker.sources
        self.plan = plan
        self.signals = signals
        self.activation: Activation | None = None
        self.pending: tuple[Part, ...] = ()
        """What the manager got since its last turn."""
        self.known: dict[str, tuple[int, ...]] = {}
        """Of which steps these are the texts."""
        self.model: str | None = None
        self._seen = 0
        self._turns = 0

    async def turn(self) -> Turn | None:
        activation = self.activation or await self._begun(())
        return activation.at(activation.place)

    async def _begun(self, scopes: tuple[Scope, ...]) -> Activation:
        activation = self.activation = Activation(self.run, self.speaker, self.plan.deciding())
        self._turns += 1
        with self.signals.noted(), guarded(self.run):
            await activation.begin_with(self.pending, scopes=scopes, known=self.known)
        return activation

    def _got(self, messages: Sequence[BaseChatMessage]) -> None:
        self.pending = given_parts(messages, self.authors)
        self.known = self.speaker.words.known(messages, self.pending)

    async def _told(self) -> Mapping[str, str]:
        """What is to be remembered otherwise of what came in.

        Only for this a turn begins before anything is asked: if an alteration is due in it.
        """
        moment = Moment(agent=self.speaker.path, turn=self._turns + 1)
        plan = self.run.interventions
        if self.activation is not None or plan is None or not plan.due(moment, "prompt_injection", ("persistent",)):
            return {}
        turn = (await self._begun(("persistent",))).turn
        return turn.texts() if turn is not None else {}

    def answered(self, result: CreateResult) -> None:
        if self.activation is not None:
            self.activation.answered(usage_of(getattr(result, "usage", None)), self.model)

    def failed(self, error: Exception) -> None:
        """An exception leaves the manager."""
        activation, self.activation = self.activation, None
        cause = self.signals.passing(error)
        if activation is not None and self.signals.raised is None:
            with guarded(self.run):
                activation.failed(error, cause)

    def select(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`select_speaker` of the manager of a SelectorGroupChat."""

        async def select_speaker(thread: Sequence[Any]) -> Any:
            self._seen = self._seen if self._seen <= len(thread) else 0  # a team that was reset forgets
            new = [message for message in list(thread)[self._seen :] if isinstance(message, BaseChatMessage)]
            with guarded(self.run):
                self._got(new)
            self._remember(self.pending, await self._told())
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

    def _remember(self, given: tuple[Part, ...], texts: Mapping[str, str]) -> None:
        """Write altered texts into what the manager shows to its model."""
        remembered = _compat.remembered(self.manager) if texts else []
        for part in (part for part in given if part.id in texts):
            places = [index for index, known in enumerate(remembered) if known.content == part.text]
            with guarded(self.run):
                if not places:
                    raise AdapterError(f"{self.speaker.path} does not show {part.id} to its model as it is")
                changed = remembered[places[-1]].model_copy(update={"content": texts[part.id]})
                remembered[places[-1]] = changed

    async def _chosen(self, name: str) -> str:
        """The turn ends with the choice; returns whom it goes to."""
        activation, self.activation = self.activation, None
        if activation is None or activation.turn is None:
            return name
        route = self.speaker.routes.get(name, name)
        part = Part(
            id="choice", text=name, role="assistant", author=self.speaker.path, kind="handoff", editable=False
        )  # fmt: skip
        delivery: Delivery | None = None
        with self.signals.noted(), guarded(self.run):
            delivery = await self.run.aend_turn(
                activation.turn, (part,), route=route, model=activation.model, usage=activation.usage
            )
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
        self._redirected: str | None = None
        self._task: str | None = None
        """What is to be remembered as the task, if it was altered."""

    def answered(self, result: CreateResult) -> None:
        super().answered(result)
        content = getattr(result, "content", None)
        self._answer = content if isinstance(content, str) else ""

    def handle(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`on_message_impl`: a task or a response comes in."""

        async def on_message_impl(message: Any, ctx: Any) -> Any:
            kind = _compat.event_kind(message)
            with guarded(self.run):
                message = await self._given(kind, message)
            try:
                return await real(message, ctx)
            except Exception as error:
                if kind in ("start", "response"):
                    self.failed(error)
                raise

        return on_message_impl

    async def _given(self, kind: str, message: Any) -> Any:
        """What comes in, as the orchestrator is to remember it."""
        if kind == "start":
            given = list(message.messages or ())
            self._got(given)
            if texts := await self._told():
                self._task = " ".join(altered.to_model_text() for altered in write_given(given, texts))
        elif kind == "response":
            response = _compat.event_response(message)
            self._got([response.chat_message])
            if texts := await self._told():
                (altered,) = write_given([response.chat_message], texts)
                return _compat.with_response(message, dataclasses.replace(response, chat_message=altered))
        return message

    def facts(self, real: Callable[..., str]) -> Callable[..., str]:
        """What the orchestrator asks first; the task stands in it, and is remembered from here on."""

        def prompt(task: str) -> str:
            if self._task is not None:
                task, self._task = self._task, None
                _compat.set_task(self.manager, task)
            return real(task)

        return prompt

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
            result = await real([original if original.content != message.content else message])
            if kind == "plan" and (texts := await self._told()):  # of its next turn: the plan, as it remembers it
                _compat.thread(self.manager)[-1] = write_given([original], texts)[0]
            return result

        return update_message_thread

    async def _said(self, message: Any, kind: StepKind) -> None:
        """The turn ends with a message, which is altered itself: nobody else has it yet."""
        activation, self.activation = self.activation, None
        assert activation is not None
        speaker = self._next_speaker() if kind == "message" else None
        path = self.speaker.routes.get(speaker) if speaker is not None else None
        delivery = await activation.end_with(message, route=path, kind=kind)
        if delivery is not None and delivery.changed:
            message.content = write_message(message, delivery.texts()).content
        other = self.speaker.name_of(delivery.route) if delivery is not None and delivery.route else None
        if speaker is not None and other is not None:
            self._redirected = other if other != speaker else None
            self.plan.selected([other])
        self._got([message])

    def _next_speaker(self) -> str | None:
        """Who is to speak next by the ledger that the model wrote last; None if it wrote none."""
        ledger = json_object(_unfenced(self._answer)) or {}
        entry = ledger.get("next_speaker")
        names = [name for name, path in self.speaker.routes.items() if path != self.speaker.path]
        answer = entry.get("answer") if isinstance(entry, dict) else None
        if len(names) == 1 and isinstance(entry, dict):
            return names[0]
        return answer if isinstance(answer, str) and answer in names else None

    def publish(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`publish_message`: the request to speak goes to whom the turn was sent."""

        async def publish_message(message: Any, topic_id: Any, **more: Any) -> Any:
            if _compat.event_kind(message) == "request" and self._redirected is not None:
                topic = _compat.speaker_topic(self.manager, self._redirected)
                self._redirected = None
                topic_id = type(topic_id)(type=topic) if topic is not None else topic_id
            return await real(message, topic_id, **more)

        return publish_message


def _unfenced(text: str) -> str:
    """A text without the fence of a code block around it."""
    lines = text.strip().splitlines()
    fenced = len(lines) > 1 and lines[0].startswith("```") and lines[-1].startswith("```")
    return "\n".join(lines[1:-1]) if fenced else text
