"""Models: streams, providers that answer in their own way, models of actions, of planners, and of people."""

from __future__ import annotations

import asyncio
import builtins
import json

import pytest
from metagpt.actions import UserRequirement
from metagpt.configs.llm_config import LLMType
from metagpt.context import Context
from metagpt.provider.base_llm import BaseLLM
from metagpt.provider.llm_provider_registry import LLM_REGISTRY
from metagpt.schema import TaskResult

import aegis_core as aegis
from aegis_core.adapter import Site
from aegis_core.faults import Moment
from aegis_core.testing.marking import MARK
from aegis_metagpt.adapter import MetaGPTAdapter
from tests.adapters.metagpt.teams import (
    TASK,
    Ask,
    ListLLM,
    Review,
    Rex,
    Wanda,
    Write,
    altered,
    chain,
    memory,
    recorded,
    role,
    said,
    team,
)

pytestmark = pytest.mark.framework

BELIEF = Site(strategy="response_corruption", scope="belief")
EPHEMERAL = Site(strategy="prompt_injection", scope="ephemeral")


def calls(run) -> list[tuple[str, str]]:
    return [(e.key.moment.agent, e.key.kind) for e in run.tape.entries if e.key.kind not in ("input", "output")]


def alone(model, *actions, **more):
    context = Context()
    return team(role(Wanda, model, list(actions), [UserRequirement], context, **more), context=context)


def test_a_model_that_streams_is_recorded_as_one_that_does_not() -> None:
    plain = recorded(chain()[0])
    run = recorded(chain(wanda=ListLLM("W1 said", stream=True))[0])

    assert said(run) == said(plain)
    assert calls(run) == calls(plain)
    assert run.trajectory.steps[0].usage == plain.trajectory.steps[0].usage


class OwnLLM(ListLLM):
    """Answers in `aask`, without the methods that this calls in other providers."""

    async def aask(self, msg, system_msgs=None, **more):
        self.asked.append([{"content": text} for text in [*(system_msgs or ()), str(msg)]])
        return self.answers[0]


def test_a_provider_that_answers_at_once_is_recorded_and_altered() -> None:
    app, models = chain(wanda=OwnLLM("W1 said"), rex=OwnLLM("R1 said"))

    assert calls(recorded(app)) == [("Wanda", "model"), ("Rex", "model"), ("Pam", "model")]
    again, models = chain(wanda=OwnLLM("W1 said"), rex=OwnLLM("R1 said"))
    altered(again, Moment(agent="Wanda"), BELIEF)
    assert MARK in models[1].seen[0]
    third, models = chain(wanda=OwnLLM("W1 said"))
    altered(third, Moment(agent="Wanda"), EPHEMERAL)
    assert MARK in models[0].seen[0]


class CodeLLM(ListLLM):
    async def aask_code(self, messages, **more):
        return {"language": "python", "code": self.answers[0]}


class WriteCode(Ask):
    async def run(self, history):
        return (await self.llm.aask_code([{"role": "user", "content": "Count the crates."}]))["code"]


def test_code_that_a_model_is_asked_for_is_recorded_and_altered() -> None:
    run = recorded(alone(CodeLLM("print(27)"), WriteCode))

    (call,) = [entry for entry in run.tape.entries if entry.key.kind == "model"]
    assert (call.key.name, call.payload["value"]) == ("code", {"language": "python", "code": "print(27)"})
    app = alone(CodeLLM("print(27)"), WriteCode)
    altered(app, Moment(agent="Wanda"), BELIEF)
    assert memory(app.env.get_role("wanda"))[-1] == f"print(27) {MARK}"


def test_an_action_with_a_model_of_its_own_is_recorded_under_its_role() -> None:
    context = Context()
    own, other = ListLLM("from the action's model"), ListLLM("from the role's model")
    app = team(role(Wanda, other, [Write(context=context, llm=own)], [UserRequirement], context), context=context)

    run = recorded(app)

    assert said(run) == [("Wanda", "from the action's model")]
    assert calls(run) == [("Wanda", "model")]
    assert not other.asked


class Pictures(Ask):
    async def run(self, history):
        return await self.llm.aask("What is in the hall?", images=["data:not a text"])


def test_pictures_are_not_recorded() -> None:
    run = recorded(alone(ListLLM("Crates."), Pictures))

    (call,) = [entry for entry in run.tape.entries if entry.key.kind == "model"]
    assert [part.text for part in call.request][1:] == ["What is in the hall?"]
    assert "data:" not in call.model_dump_json()


class Batch(Ask):
    async def run(self, history):
        return await self.llm.aask_batch(["one?", "two?"])


def test_questions_in_a_row_are_calls_in_a_row() -> None:
    run = recorded(alone(ListLLM("one", "two"), Batch))

    assert [e.key.call for e in run.tape.entries if e.key.kind == "model"] == [1, 2]
    assert said(run) == [("Wanda", "one\ntwo")]


class Flaky(ListLLM):
    async def _achat_completion(self, messages, **_):
        if not self.asked:
            self.asked.append([])
            raise ConnectionError("try again")
        return await super()._achat_completion(messages)


def test_a_call_that_the_provider_tries_again_is_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(_seconds: float) -> None:
        return None

    monkeypatch.setattr(Flaky.acompletion_text.retry, "sleep", at_once)

    run = recorded(alone(Flaky("W1 said"), Write))

    assert calls(run) == [("Wanda", "model")]
    assert said(run) == [("Wanda", "W1 said")]


# -- planners ---------------------------------------------------------------------------------------------------------

PLAN = json.dumps([{"task_id": "1", "dependent_task_ids": [], "instruction": "Count.", "task_type": "other"}])


class Doer(Wanda):
    async def _act_on_task(self, current_task) -> TaskResult:
        return TaskResult(code="", result=await self.llm.aask(current_task.instruction), is_success=True)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the planner's own
def test_planning_and_acting_are_one_turn_with_the_calls_of_the_planner(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planner makes an action of its own, whose model comes from the configuration."""
    planning = ListLLM(f"```json\n{PLAN}\n```")
    monkeypatch.setitem(LLM_REGISTRY.providers, LLMType.OPENAI, lambda config: planning)
    context = Context()
    doer = role(Doer, ListLLM("27 crates"), [Write], [UserRequirement], context, goal="")
    doer._set_react_mode("plan_and_act")
    app = team(doer, context=context)

    run = recorded(app, n_round=1)

    assert run.trajectory.error is None
    assert calls(run) == [("Doer", "model"), ("Doer", "model")]
    (step,) = run.trajectory.steps
    assert (step.agent, step.turn) == ("Doer", 1)
    assert "27 crates" in step.text
    assert "acompletion_text" not in vars(planning)
    assert "sk-secret" not in run.tape.model_dump_json()


LOOSE = ListLLM("27 crates")


class AskLoose(Ask):
    async def run(self, history):
        return await LOOSE.aask("How many?")


def test_a_model_that_no_role_holds_is_recorded_where_it_is_asked() -> None:
    before = dict(vars(BaseLLM))

    run = recorded(alone(ListLLM("-"), AskLoose))

    assert calls(run) == [("Wanda", "model")]
    assert "acompletion_text" not in vars(LOOSE)
    assert all(vars(BaseLLM)[name] is held for name, held in before.items())


# -- people -----------------------------------------------------------------------------------------------------------


def human_team():
    context = Context()
    wanda = role(Wanda, ListLLM("W1 said"), [Write], [UserRequirement], context)
    rex = Rex(name="Rex", profile="rex", watch=[Write], context=context, is_human=True)
    rex.set_actions([Review])  # as classes: an action that is made already has another model
    return team(wanda, rex, context=context)


def test_the_answer_of_a_human_is_a_call_of_that_kind_and_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answered(prompt: str = "") -> str:
        asked.append(prompt)
        return "That is fine."

    monkeypatch.setattr(builtins, "input", answered)
    run = recorded(human_team())

    assert said(run) == [("Wanda", "W1 said"), ("Rex", "That is fine.")]
    assert calls(run) == [("Wanda", "model"), ("Rex", "human")]
    assert len(asked) == 1
    from aegis_core.run import Replay, Run, RunInfo

    again, adapter = human_team(), MetaGPTAdapter()
    served = Run(
        RunInfo(run_id="run", task=TASK, adapter="metagpt"),
        replay=Replay(run.tape, (), "call"),
        normalise=adapter.normalise,
    )
    with adapter.attach(again, served):
        asyncio.run(adapter.start(again, TASK))
    assert said(served) == said(run)
    assert len(asked) == 1


def test_capabilities_name_the_people() -> None:
    notes = MetaGPTAdapter().capabilities(human_team()).notes

    assert any(note.startswith("Rex: answers of a human") for note in notes)


def test_calls_outside_of_turns_are_not_recorded() -> None:
    app, models = chain()

    with aegis.record(app) as run:
        asyncio.run(models[0].aask("Are you there?"))
        asyncio.run(app.run(n_round=5, idea=TASK))

    assert len(calls(run)) == 3
