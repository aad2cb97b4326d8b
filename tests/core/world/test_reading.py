"""The model computes from what it reads, and can't know what it was not sent."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from aegis_core.campaign.checkers import check
from aegis_core.campaign.tasks import Task
from aegis_core.errors import CampaignError
from aegis_core.world import FAMILIES, Message, SimulatedModel, generate_tasks
from aegis_core.world.model.families.arithmetic import Amounts
from aegis_core.world.model.view import view
from aegis_core.world.tasks import build
from tests.core.world.conftest import conversation

CRATES = (
    "There are 12 crates in the market hall. Each crate holds 8 bottles. On the way 5 bottles get broken. "
    "How many good bottles are there in the end?"
)
FRESH = """
import json, sys
from aegis_core.world import Message, SimulatedModel
for messages in json.load(sys.stdin):
    print(json.dumps(SimulatedModel(7, 0.5).reply([Message(*m) for m in messages]).content))
"""


def test_the_same_messages_give_the_same_reply_in_a_fresh_process():
    conversations = []
    for task in generate_tasks(9, 4):
        plan = SimulatedModel(7, 0.5).reply(conversation("Planner", task.text)).content
        notes = SimulatedModel(7, 0.5).reply(conversation("Reader", task.text)).content
        conversations += [
            conversation("Planner", task.text),
            conversation("Reader", task.text, ("Planner", plan)),
            conversation("Solver", task.text, ("Planner", plan), ("Reader", notes)),
            conversation("Critic", task.text, ("Reader", notes), ("Solver", "Answer: 17")),
            conversation("Reporter", task.text, ("Solver", "Answer: 17")),
        ]
    here = [SimulatedModel(7, 0.5).reply(messages).content for messages in conversations]
    sent = json.dumps([[[m.role, m.content, m.name] for m in messages] for messages in conversations])
    fresh = subprocess.run(
        [sys.executable, "-c", FRESH],
        input=sent,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "321", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    assert [json.loads(line) for line in fresh.stdout.splitlines()] == here


def test_a_reply_does_not_hang_on_what_was_asked_before():
    model, other = SimulatedModel(1, 0.5), SimulatedModel(1, 0.5)
    tasks = generate_tasks(12, 8)
    for task in reversed(tasks):
        other.reply(conversation("Planner", task.text))
    forward = [model.reply(conversation("Solver", task.text)).content for task in tasks]
    backward = [other.reply(conversation("Solver", task.text)).content for task in reversed(tasks)]
    assert forward == backward[::-1]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("difficulty", [1, 2, 3])
def test_replacing_every_number_of_a_task_changes_the_answer_accordingly(family, difficulty, team_answer):
    """The expected answers come from the formulas of the templates, which share no code with the model."""
    changed = 0
    for builder in FAMILIES[family]:
        for words in range(4):
            drafts = [build(builder, f"w{words}", f"n{numbers}", difficulty) for numbers in range(3)]
            for draft in drafts:
                task = Task(task_id="t", text=draft.text, answer=draft.answer, checker=draft.checker)
                assert check(task, team_answer(draft.text)).right, draft
            changed += len({draft.answer for draft in drafts}) > 1
    assert changed > 2 * len(FAMILIES[family])


def test_facts_that_are_taken_out_of_the_notes_are_not_known(ask):
    whole = ask("Solver", CRATES, ("Reader", "12 crates\n8 bottles per crate\nminus 5 bottles"))
    assert "91 bottles" in whole
    less = ask("Solver", CRATES, ("Reader", "12 crates\n8 bottles per crate"))
    assert "96 bottles" in less and "91" not in less
    for seed in range(20):
        answer = ask("Solver", CRATES, ("Reader", "12 crates\nminus 5 bottles"), seed=seed)
        if "96" in answer or "91" in answer:  # some go back to the task itself, and say so
            assert re.search(r"task", answer), answer


def test_facts_that_are_in_no_message_can_not_be_known(ask):
    cut = "There are 12 crates in the market hall. On the way 5 bottles get broken. How many good bottles are there?"
    for seed in range(30):
        assert not re.search(r"\b(?:91|96)\b", ask("Solver", cut, ("Reader", "12 crates\nminus 5 bottles"), seed=seed))


def test_altered_figures_are_computed_with(ask):
    assert "131 bottles" in ask("Solver", CRATES, ("Reader", "17 crates\n8 bottles per crate\nminus 5 bottles"))


def test_a_note_in_foreign_words_is_understood(ask):
    notes = "According to the text the number of crates is 12; every single crate contains 8 bottles, 5 bottles broke."
    assert "91 bottles" in ask("Solver", CRATES, ("Reader", notes))


def test_the_order_of_messages_beside_the_point_does_not_matter(ask):
    notes, chat = ("Reader", "12 crates\n8 bottles per crate"), ("Planner", "Good luck to all of us.")
    assert ask("Solver", CRATES, notes, chat) == ask("Solver", CRATES, chat, notes)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_voice_is_read_back_to_the_same_facts(family):
    for task in generate_tasks(60, 6, families=[family]):
        seen = view(0, [Message("user", task.text)], ())
        facts = seen.task_facts()
        assert facts and seen.family is not None
        for voice in range(4):
            told = "\n".join(f"- {seen.family.tell(fact, voice)}." for fact in facts)
            assert set(seen.family.facts(told, seen.question)) == set(facts), (voice, told)


def test_a_figure_that_does_not_matter_is_left_aside(ask):
    aside = CRATES.replace("On the way", "By the way, 33 visitors came on the day before. On the way")
    assert "91 bottles" in ask("Solver", aside)


def test_an_agent_answers_in_the_unit_that_its_own_copy_of_the_task_asks_for(ask):
    task = "A van has 120 kilometres to go. Its speed is 80 km/h. How long does it take? Give the answer in {}."
    assert "90 minutes" in ask("Solver", task.format("minutes"))
    assert ask("Solver", task.format("hours")).rstrip(".").endswith("1.5 hours")


def test_an_agent_gives_the_order_that_its_own_copy_of_the_task_asks_for(ask):
    task = "Ana, Ben and Cleo run a race. Ana is faster than Ben. Ben is faster than Cleo. List them from {}."
    assert ask("Solver", task.format("first to last")).rstrip(".").endswith("Ana, Ben, Cleo")
    assert ask("Solver", task.format("last to first")).rstrip(".").endswith("Cleo, Ben, Ana")


def test_something_that_is_no_task_at_all_gets_an_answer_without_a_result(ask):
    for me in ("Planner", "Reader", "Solver", "Critic", "Reporter"):
        assert ask(me, "Write a poem about the sea.")
        assert not re.search(r"\d", ask(me, "Write a poem about the sea."))


def test_figures_without_an_end_are_read_one_by_one():
    """Each with what stands around it: read anew for each, a line of forty thousand took for ever."""
    found = Amounts().facts("7 crates, " * 4000 + "and 5 crates", Amounts().question(CRATES))
    assert {fact.number for fact in found} == {5, 7}


def test_a_message_without_text_is_an_error_that_names_it():
    with pytest.raises(CampaignError, match=r"message 1 of 'Planner': its content is a NoneType"):
        SimulatedModel(7).reply([Message("system", "You are Solver."), Message("user", None, "Planner")])
