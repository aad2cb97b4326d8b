"""Teams whose models are a `Script`: real roles, actions and environment of MetaGPT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from metagpt.actions import Action, UserRequirement
from metagpt.configs.llm_config import LLMConfig
from metagpt.context import Context
from metagpt.provider.base_llm import BaseLLM
from metagpt.roles import Role
from metagpt.schema import Message
from metagpt.team import Team
from metagpt.utils.common import any_to_str

from aegis_core.testing import Script

__all__ = [
    "Criticise",
    "Draft",
    "HandOver",
    "Join",
    "Left",
    "Member",
    "Nothing",
    "Revise",
    "Right",
    "ScriptedLLM",
    "Speak",
    "conversation",
    "handing_over",
    "side_by_side",
]

_MODEL = "gpt-4o"


class ScriptedLLM(BaseLLM):
    """MetaGPT's interface of a model, with a script behind it."""

    def __init__(self, script: Script, path: str, *, stream: bool = False) -> None:
        self.config = LLMConfig(api_key=script.api_key, model=_MODEL, stream=stream)
        self.model = _MODEL
        self.script, self.path = script, path
        self.headers = {"Authorization": script.header}

    async def _achat_completion(self, messages: list[dict[str, Any]], **_: Any) -> Any:
        secrets = (self.config.api_key, *self.headers.values())
        reply = await self.script.areply(self.path, [message["content"] for message in messages], secrets=secrets)
        self._update_costs({"prompt_tokens": reply.input_tokens, "completion_tokens": reply.output_tokens}, self.model)
        return {"choices": [{"message": {"role": "assistant", "content": reply.text}}]}

    async def acompletion(self, messages: list[dict[str, Any]], **_: Any) -> Any:
        return await self._achat_completion(messages)

    async def _achat_completion_stream(self, messages: list[dict[str, Any]], **_: Any) -> str:
        return str(self.get_choice_text(await self._achat_completion(messages)))


class Speak(Action):
    """Shows the model all that its role remembers, each message by itself."""

    speaker: str = ""

    async def run(self, history: Sequence[Message]) -> Any:
        return await self.llm.aask([self.shown(message) for message in history])

    def shown(self, message: Message) -> dict[str, str]:
        """A message in the model's terms."""
        return {"role": "assistant" if message.role == self.speaker else "user", "content": message.content}


class Draft(Speak):
    """What the first speaker does with a requirement."""


class Criticise(Speak):
    """What is done with a draft."""


class Revise(Speak):
    """What is done with a critique."""


class Left(Speak):
    """What is done with a draft on one side."""


class Right(Speak):
    """What is done with a draft on the other side."""


class Join(Speak):
    """What is done with what both sides say, in whatever order they said it."""

    async def run(self, history: Sequence[Message]) -> Any:
        return await super().run(sorted(history, key=lambda message: str(message.role)))


class HandOver(Speak):
    """Sends what the model says to the Critic alone."""

    async def run(self, history: Sequence[Message]) -> Any:
        said = await super().run(history)
        return Message(content=said, role=self.speaker, cause_by=HandOver, sent_from=self, send_to={"Critic"})


class Nothing(Action):
    """What nobody does: who watches this alone acts only on messages sent to it by name."""


class Member(Role):
    """Answers each kind of message that it watches with an action of its own."""

    answers: dict[str, int] = {}  # noqa: RUF012  a field of a pydantic model

    async def _think(self) -> bool:
        self._set_state(self.answers.get(self.rc.news[0].cause_by, 0))
        return True


def _member(script: Script, name: str, context: Context, answers: dict[Any, type[Speak]]) -> Member:
    model = ScriptedLLM(script, name)
    return Member(
        name=name,
        profile=name,
        goal="talk about crates",
        context=context,
        llm=model,
        actions=[action(context=context, speaker=name) for action in answers.values()],
        watch=list(answers),
        answers={any_to_str(cause): index for index, cause in enumerate(answers)},
    )


def _team(script: Script, *members: tuple[str, dict[Any, type[Speak]]]) -> Team:
    context = Context()
    team = Team(context=context)
    team.hire([_member(script, name, context, answers) for name, answers in members])
    return team


def conversation(script: Script) -> Team:
    """Writer, Critic, Writer."""
    return _team(script, ("Writer", {UserRequirement: Draft, Criticise: Revise}), ("Critic", {Draft: Criticise}))


def side_by_side(script: Script) -> Team:
    """Planner, then two at the same time, then Joiner."""
    return _team(
        script,
        ("Planner", {UserRequirement: Draft}),
        ("West", {Draft: Left}),
        ("East", {Draft: Right}),
        ("Joiner", {Left: Join, Right: Join}),
    )


def handing_over(script: Script) -> Team:
    """Writer sends what it says to Critic by name; Clerk could be reached so too."""
    return _team(
        script,
        ("Writer", {UserRequirement: HandOver}),
        ("Critic", {Nothing: Criticise}),
        ("Clerk", {Nothing: Criticise}),
    )
