"""Small teams of real roles, whose models answer from a list or by a function."""

from __future__ import annotations

import asyncio
from typing import Any

from metagpt.actions import Action, UserRequirement
from metagpt.configs.llm_config import LLMConfig
from metagpt.context import Context
from metagpt.provider.base_llm import BaseLLM
from metagpt.roles import Role
from metagpt.schema import Message
from metagpt.team import Team

import aegis_core as aegis
from aegis_core.faults import Moment
from aegis_core.run import Interventions, Replay, Run, RunInfo
from aegis_core.testing.marking import Marks, target_at
from aegis_metagpt.adapter import MetaGPTAdapter

TASK = "Say how many crates hall 27 holds."


class ListLLM(BaseLLM):
    """Answers from a list; the last answer again and again. Tells 7 + 3 tokens a call."""

    def __init__(self, *answers: Any, stream: bool = False, delay: float = 0.0) -> None:
        self.config = LLMConfig(api_key="sk-secret-of-the-test", model="gpt-4o", stream=stream)
        self.model = "gpt-4o"
        self.answers = list(answers)
        self.delay = delay
        self.asked: list[list[dict[str, Any]]] = []

    @property
    def seen(self) -> list[str]:
        """All that the model was shown, a text a call."""
        return ["\n".join(str(message["content"]) for message in messages) for messages in self.asked]

    async def _achat_completion(self, messages: list[dict[str, Any]], **_: Any) -> Any:
        self.asked.append([dict(message) for message in messages])
        await asyncio.sleep(self.delay)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        text = answer(self.seen[-1]) if callable(answer) else answer
        self._update_costs({"prompt_tokens": 7, "completion_tokens": 3}, self.model)
        return {"choices": [{"message": {"role": "assistant", "content": text}}]}

    async def acompletion(self, messages: list[dict[str, Any]], **_: Any) -> Any:
        return await self._achat_completion(messages)

    async def _achat_completion_stream(self, messages: list[dict[str, Any]], **_: Any) -> str:
        return self.get_choice_text(await self._achat_completion(messages))


class Ask(Action):
    """Shows the model the whole memory as one prompt, as most actions of MetaGPT do."""

    to: Any = None

    async def run(self, history: list[Message]) -> Any:
        said = await self._aask("Do your part.\n" + "\n".join(message.content for message in history))
        if self.to is None:
            return said
        return Message(content=said, role="", cause_by=type(self), sent_from=self, send_to=self.to)


class Write(Ask):
    pass


class Improve(Ask):
    pass


class Review(Ask):
    pass


class Publish(Ask):
    pass


class Wanda(Role):
    pass


class Rex(Role):
    pass


class Pam(Role):
    pass


def role(cls: type[Role], model: Any, actions: list[Any], watch: list[Any], context: Context, **more: Any) -> Role:
    made = [action if isinstance(action, Action) else action(context=context) for action in actions]
    named = {"name": cls.__name__, "profile": cls.__name__.lower(), "goal": "help"} | more
    return cls(llm=model, context=context, actions=made, watch=watch, **named)


def team(*members: Role, context: Context) -> Team:
    made = Team(context=context)
    made.hire(list(members))
    return made


def chain(
    *, wanda: Any = "W1 said", rex: Any = "R1 said", pam: Any = "P1 said", to: Any = None
) -> tuple[Team, list[Any]]:
    """Wanda writes, Rex reviews, Pam publishes. With the models, in that order."""
    context = Context()
    models = [answer if isinstance(answer, BaseLLM) else ListLLM(answer) for answer in (wanda, rex, pam)]
    members = (
        role(Wanda, models[0], [Write(context=context, to=to)], [UserRequirement], context),
        role(Rex, models[1], [Review], [Write], context),
        role(Pam, models[2], [Publish], [Review], context),
    )
    return team(*members, context=context), models


def recorded(app: Team, *, n_round: int = 8, task: str = TASK) -> Any:
    """A recording of `Team.run`, as a user calls it."""
    before = _taps(app)
    with aegis.record(app) as run:
        run.result = asyncio.run(app.run(n_round=n_round, idea=task))
    assert _taps(app) == before
    assert type(run.trajectory).model_validate_json(run.trajectory.model_dump_json()) == run.trajectory
    return run


def _taps(app: Team) -> list[dict[str, int]]:
    """Which callable stands where, in the own namespaces of what can be tapped, by identity."""
    roles = list(app.env.member_addrs)
    owners = [app, app.env, *roles, *(action for member in roles for action in member.actions), BaseLLM]
    owners += [member.llm for member in roles]
    return [{name: id(value) for name, value in vars(owner).items() if callable(value)} for owner in owners]


def altered(app: Any, moment: Moment, site: Any, *, served: Any = None, injector: Any = None, task: str = TASK) -> Run:
    """A run in which one site is altered, by the adapter's own way to start it."""
    adapter = MetaGPTAdapter()
    target = target_at(moment, site)
    run = Run(
        RunInfo(run_id="run", task=task, adapter="metagpt", agents=adapter.agents(app)),
        replay=Replay(served, (target,), "call") if served is not None else None,
        interventions=Interventions(aegis.Plan(targets=(target,), seed=1), injector or Marks()),
        normalise=adapter.normalise,
    )
    with adapter.attach(app, run) as attachment:
        asyncio.run(adapter.start(attachment.app, task))
    return run


def steps(run: Any) -> Any:
    """The steps of a recording, or of a run."""
    trajectory = run.trajectory() if callable(run.trajectory) else run.trajectory
    return trajectory.steps


def said(run: Any) -> list[tuple[str, str]]:
    return [(step.agent, step.text) for step in steps(run) if step.kind == "message"]


def memory(member: Role) -> list[str]:
    return [message.content for message in member.rc.memory.get()]
