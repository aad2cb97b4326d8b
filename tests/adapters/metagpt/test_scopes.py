"""What an alteration reaches in MetaGPT, where one message object is in the memory of all roles."""

from __future__ import annotations

import json

import pytest
from metagpt.actions import UserRequirement
from metagpt.actions.action_node import ActionNode
from metagpt.context import Context
from pydantic import BaseModel

from aegis_core.adapter import Site
from aegis_core.faults import Moment
from aegis_core.injector import Edits, Injector
from aegis_core.testing.marking import MARK
from aegis_metagpt._compat import Message
from tests.adapters.metagpt.teams import (
    Ask,
    ListLLM,
    Pam,
    Publish,
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
    steps,
    team,
)

pytestmark = pytest.mark.framework

PERSISTENT = Site(strategy="prompt_injection", scope="persistent")
EPHEMERAL = Site(strategy="prompt_injection", scope="ephemeral")
OUTGOING = Site(strategy="response_corruption", scope="outgoing")
BELIEF = Site(strategy="response_corruption", scope="belief")


class Appends(Injector):
    """Appends the mark to the part whose text is given."""

    name = "appends"

    def __init__(self, text: str) -> None:
        self.text = text

    def realisations(self):
        return ()

    async def alter(self, context, target, attempt):
        (part,) = [part for part in context.parts if part.text == self.text and part.editable]
        return Edits(texts={part.id: f"{part.text} {MARK}"}, realisation="mark")


def members(app) -> dict[str, object]:
    return {member.name: member for member in app.env.roles.values()}


@pytest.mark.case("metagpt-22")
def test_a_persistent_injection_is_in_the_memory_of_its_target_alone() -> None:
    app, models = chain()

    run = altered(app, Moment(agent="Rex"), PERSISTENT, injector=Appends("W1 said"))

    assert run.ledger().interventions[0].fired
    roles = members(app)
    assert f"W1 said {MARK}" in memory(roles["Rex"])
    assert "W1 said" not in memory(roles["Rex"])
    assert memory(roles["Pam"]) == ["Say how many crates hall 27 holds.", "W1 said", "R1 said", "P1 said"]
    assert memory(roles["Wanda"])[1] == "W1 said"
    assert MARK in models[1].seen[0]
    assert MARK not in models[2].seen[0]


@pytest.mark.case("metagpt-22")
def test_an_ephemeral_injection_is_in_no_memory() -> None:
    app, models = chain()

    altered(app, Moment(agent="Rex"), EPHEMERAL)

    assert MARK in models[1].seen[0]
    assert not any(MARK in text for member in members(app).values() for text in memory(member))


@pytest.mark.case("metagpt-23")
def test_an_outgoing_corruption_leaves_the_author_its_own_words_alone() -> None:
    app, models = chain()

    run = altered(app, Moment(agent="Wanda"), OUTGOING)

    roles = members(app)
    assert said(run)[0] == ("Wanda", f"W1 said {MARK}")
    assert MARK in models[1].seen[0]
    assert memory(roles["Wanda"])[:2] == ["Say how many crates hall 27 holds.", "W1 said"]
    assert not any(MARK in text for text in memory(roles["Wanda"]))
    (own,) = [message for message in roles["Wanda"].rc.memory.get() if message.content == "W1 said"]
    (others,) = [message for message in roles["Rex"].rc.memory.get() if MARK in message.content]
    assert (own.id, own.cause_by, own.sent_from, own.send_to) == (
        others.id, others.cause_by, others.sent_from, others.send_to,
    )  # fmt: skip
    assert own is not others


def test_an_author_that_is_recorded_alone_keeps_its_own_words_too() -> None:
    app, models = chain()
    wanda = members(app)["Wanda"]

    altered(wanda, Moment(agent="Wanda"), OUTGOING)

    assert [message.content for message in wanda.rc.msg_buffer.pop_all()] == ["W1 said"]
    (told,) = members(app)["Rex"].rc.msg_buffer.pop_all()
    assert told.content == f"W1 said {MARK}"
    assert len(models[0].asked) == 1


def test_a_belief_is_in_all_memories() -> None:
    app, models = chain()

    altered(app, Moment(agent="Wanda"), BELIEF)

    assert all(f"W1 said {MARK}" in memory(member) for member in members(app).values())
    assert MARK in models[2].seen[0]


def test_a_belief_is_altered_where_the_model_streams() -> None:
    app, models = chain(wanda=ListLLM("W1 said", stream=True))

    altered(app, Moment(agent="Wanda"), BELIEF)

    assert MARK in models[1].seen[0]


class Figures(BaseModel):
    answer: str
    unit: str = "crates"


class WriteFigures(Ask):
    async def run(self, history):
        figures = Figures(answer=await self._aask("Figures!"))
        return Message(
            content=figures.model_dump_json(), instruct_content=figures, role="", cause_by=Write, sent_from=self
        )


class ReadFigures(Ask):
    async def run(self, history):
        message = next(m for m in history if m.instruct_content is not None)
        return await self._aask(f"{message.content} // {message.instruct_content.answer}")


def figures_team():
    context = Context()
    models = ListLLM('27 "big" crates'), ListLLM("R1 said")
    return team(
        role(Wanda, models[0], [WriteFigures], [UserRequirement], context),
        role(Rex, models[1], [ReadFigures], [Write], context),
        context=context,
    ), models


def test_a_structured_message_is_one_step_with_its_data() -> None:
    run = recorded(figures_team()[0])

    step = run.trajectory.steps[0]
    assert step.text == 'answer: 27 "big" crates\nunit: crates'
    assert step.content[0].data == {"answer": '27 "big" crates', "unit": "crates"}


def test_both_forms_of_a_structured_message_are_altered_alike() -> None:
    app, models = figures_team()

    run = altered(app, Moment(agent="Wanda"), OUTGOING)

    (message,) = [m for m in members(app)["Rex"].rc.memory.get() if m.instruct_content is not None]
    assert message.instruct_content.answer == f'27 "big" crates {MARK}'
    assert isinstance(message.instruct_content, Figures)
    assert json.loads(message.content) == message.instruct_content.model_dump()
    assert models[1].seen[0].count(MARK) == 2
    (own,) = [m for m in members(app)["Wanda"].rc.memory.get() if m.instruct_content is not None]
    assert own.instruct_content.answer == '27 "big" crates'
    assert steps(run)[0].content[0].data["answer"] == f'27 "big" crates {MARK}'


NODE = ActionNode(key="Crates", expected_type=str, instruction="How many?", example="12", schema="raw")
ANSWER = ActionNode.from_children("Answer", [NODE])


class FillIn(Ask):
    async def run(self, history):
        return await ANSWER.fill(context=history[0].content, llm=self.llm, schema="json")


def test_an_action_node_is_one_call_and_one_step_under_the_name_of_its_role() -> None:
    context = Context()
    model = ListLLM('[CONTENT]{"Crates": "27 crates"}[/CONTENT]')
    app = team(role(Wanda, model, [FillIn], [UserRequirement], context), context=context)

    run = recorded(app)

    (step,) = run.trajectory.steps
    assert (step.agent, step.text) == ("Wanda", "27 crates")
    assert len(model.asked) == 1


def test_an_answer_that_breaks_its_form_is_asked_for_again_in_the_same_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(_seconds: float) -> None:
        return None

    monkeypatch.setattr(ActionNode._aask_v1.retry, "sleep", at_once)
    context = Context()
    model = ListLLM("no form", '[CONTENT]{"Crates": "27 crates"}[/CONTENT]')
    app = team(role(Wanda, model, [FillIn], [UserRequirement], context), context=context)

    run = recorded(app)

    assert said(run) == [("Wanda", "27 crates")]
    calls = [entry.key for entry in run.tape.entries if entry.key.kind == "model"]
    assert [(key.moment.turn, key.call) for key in calls] == [(1, 1), (1, 2)]


def test_a_run_that_is_served_up_to_its_target_calls_nobody_before() -> None:
    app, _ = chain()
    tape = recorded(app).tape
    again, models = chain()

    run = altered(again, Moment(agent="Rex"), PERSISTENT, served=tape, injector=Appends("W1 said"))

    assert not run.void
    assert [len(model.asked) for model in models] == [0, 1, 1]
    costs = again.cost_manager.get_costs()
    assert (costs.total_prompt_tokens, costs.total_completion_tokens) == (21, 9)  # served calls count as well


def test_who_works_side_by_side_is_served_as_it_was() -> None:
    """The roles of a round look at their messages one after the other, and a served call takes no time."""

    def pair(delay: float):
        context = Context()
        first = role(Wanda, ListLLM("W1 said"), [Write], [UserRequirement], context)
        sides = [
            role(cls, ListLLM(f"{cls.__name__} said", delay=delay), [Review], [Write], context) for cls in (Rex, Pam)
        ]
        last = role(Wanda, ListLLM("J1 said"), [Publish], [Review], context, name="Join", profile="join")
        return team(first, *sides, last, context=context)

    tape = recorded(pair(0.01)).tape

    run = altered(pair(0.0), Moment(agent="Join"), EPHEMERAL, served=tape)

    assert not run.void
    assert run.live_model_calls == 1
