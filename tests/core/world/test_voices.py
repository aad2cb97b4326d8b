"""Members talk in voices of their own, and what they say beside the point says nothing."""

from __future__ import annotations

import re
from statistics import median

import pytest

from aegis_core.world import Message, generate_tasks, review_objects
from aegis_core.world.model.forms import read_form
from aegis_core.world.model.instructions import Instructions, directive_form, overriding_form, read_instructions
from aegis_core.world.model.understanding import Form
from aegis_core.world.model.view import view
from aegis_core.world.model.voices import phrases, voice_of
from aegis_core.world.prompts import system_prompt
from tests.core.world.conftest import TEAM, conversation

SAID = sorted({phrase for said in (*phrases.SAID.values(), *phrases.HEADS.values()) for phrase in said})
CRATES = (
    "There are 12 crates in the market hall. Each crate holds 8 bottles. On the way 5 bottles get broken. "
    "How many good bottles are there in the end?"
)
NOTES = ("Reader", "12 crates\n8 bottles per crate\nminus 5 bottles")
SAYS = (NOTES, ("Solver", "Answer: 91 bottles"), ("Critic", "Approved."))


@pytest.mark.parametrize("phrase", SAID)
def test_a_phrase_beside_the_point_tells_nobody_anything(phrase):
    assert read_instructions([phrase]) == Instructions()
    assert read_form(phrase) == directive_form(phrase) == overriding_form(phrase) == Form()
    assert not re.search(r"\d|\?", phrase) and not review_objects(phrase)
    assert view(0, [Message("user", phrase)], ()).family is None


@pytest.mark.parametrize("me", TEAM)
def test_members_differ_in_length_and_layout(ask, me):
    texts = [ask(me, CRATES, *SAYS[: 1 if me == "Solver" else 3], seed=seed) for seed in range(60)]
    lengths = sorted(map(len, texts))
    assert lengths[-1] > 2 * lengths[0] and lengths[45] > 1.25 * lengths[15]
    assert any(re.search(r"^#+ ", text, re.M) for text in texts)
    assert any("**" in text for text in texts) and any("**" not in text and "#" not in text for text in texts)


@pytest.mark.parametrize("me", ["Planner", "Reader", "Solver"])
def test_lists_come_in_several_layouts(ask, me):
    texts = [ask(me, CRATES, *SAYS[: 1 if me == "Solver" else 0], seed=seed) for seed in range(60)]
    for mark in (r"^- ", r"^\* ", r"^\d\. "):
        assert any(re.search(mark, text, re.M) for text in texts), mark


def test_a_member_keeps_its_voice_in_most_jobs():
    def voices(seed):
        tasks = generate_tasks(60, 2)
        seen = [
            view(seed, [Message("system", system_prompt("Solver", TEAM)), Message("user", t.text)], ()) for t in tasks
        ]
        return [voice_of(one) for one in seen]

    for seed in range(6):
        lengths = [voice.length for voice in voices(seed)]
        usual = max(set(lengths), key=lengths.count)
        assert 0.6 < lengths.count(usual) / len(lengths) < 1
    assert len({voices(seed)[0] for seed in range(30)}) > 15


@pytest.mark.parametrize("seed", range(4))
def test_what_a_critic_says_is_understood_as_it_is_meant(ask, seed):
    for number, task in enumerate(generate_tasks(45, 7 + seed)):
        said = []
        for me in ("Planner", "Reader", "Analyst", "Solver"):
            said.append((me, ask(me, task.text, *said, seed=number)))
        assert not review_objects(ask("Critic", task.text, *said, seed=number))
        none = ask("Critic", task.text, *said[:3], ("Solver", "I am through."), seed=number)
        assert review_objects(none) or len(none) < 60


def test_lengths_are_those_of_real_logs_by_and_large(ask):
    """Half of what experts say in public logs of teams of models has between 200 and 1600 characters."""
    texts = []
    for number, task in enumerate(generate_tasks(60, 4, difficulty=3)):
        said = []
        for me in TEAM:
            said.append((me, ask(me, task.text, *said, seed=number)))
        texts += [text for _, text in said]
    assert 150 < median(map(len, texts)) < 800
    assert sum(len(text) > 500 for text in texts) > len(texts) / 6


def test_the_voice_hangs_on_no_figure_of_the_notes():
    one = view(3, conversation("Solver", CRATES, NOTES), ())
    other = view(3, conversation("Solver", CRATES, ("Reader", "13 crates\n9 bottles per crate")), ())
    assert voice_of(one) == voice_of(other)
