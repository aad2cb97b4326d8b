"""FM-2.4: findings are kept back, not falsified."""

from __future__ import annotations

import json
import re

import pytest

from aegis_core.adapter import Part

PROMPT, RESPONSE = "prompt_injection", "response_corruption"
VAN = "A van carries 12 crates with 8 bottles each. How many bottles does it carry? Give a whole number."
RACE = "Anna, Ben and Carla ran. Ben beat Anna; Carla was last. Who won?"
FACTS = """I have read the table for you.

Here is what it says:
- Crates in the van: 12
- Bottles in a crate: 8
- Drivers: 2

Please go on with this."""
SOLVED = "The table is easy to read. Each crate holds 8 bottles. 12 x 8 = 96 bottles. So the van holds 96 bottles."


@pytest.mark.parametrize("realisation", ["told_to_reserve", "told_to_outline"])
def test_the_agent_is_told_in_many_words(altered, realisation):
    added = set()
    for seed in range(40):
        text = altered("FM-2.4", PROMPT, VAN, realisation=realisation, seed=seed)
        sentences = set(re.split(r"(?<=[.?]) ", text)) - set(re.split(r"(?<=[.?]) ", VAN))
        assert len(sentences) == 1
        added |= sentences
        assert re.search(r"figures|numbers|values|amounts|quantities", text)
    assert len(added) > 20
    firsts = {tuple(sentence.split()[:2]) for sentence in added}
    assert len(firsts) > 6


def test_without_figures_it_is_findings_that_are_kept_back(altered):
    text = altered("FM-2.4", PROMPT, RACE, realisation="told_to_reserve", seed=1)
    assert re.search(r"findings|facts|details", text)


def test_the_sentence_goes_to_the_task_the_latest_message_or_the_system_prompt(alter):
    parts = [
        Part(id="system", text="You solve what you are given.", role="system", kind="system"),
        Part(id="task", text=VAN, role="user", author="user"),
        Part(id="plan", text="Planner says: first read, then multiply.", author="planner"),
        Part(id="own", text="I said this myself, 96 bottles.", author="solver"),
        Part(id="latest", text="Critic asks you to check the sum.", author="critic"),
        Part(id="tool", text="8 and 12 and 96", role="tool", kind="tool_result"),
    ]
    where = [next(iter(alter("FM-2.4", PROMPT, parts, seed=seed).texts)) for seed in range(60)]
    assert set(where) == {"system", "task", "latest"}
    assert where.count("system") < where.count("task")


def test_a_bullet_follows_bullets_and_code_is_left_alone(altered):
    text = "Solve the task.\n\n```python\nx = 12\n```\n\n## Constraints\n- Use 12 crates.\n- Report the total.\n"
    for seed in range(10):
        after = altered("FM-2.4", PROMPT, text, seed=seed)
        assert after.startswith(
            "Solve the task.\n\n```python\nx = 12\n```\n\n## Constraints\n- Use 12 crates.\n- Report the total.\n- "
        )
        assert after.endswith(".\n")


def test_findings_are_cut_and_the_rest_is_untouched(altered):
    after = altered("FM-2.4", RESPONSE, SOLVED, realisation="findings_cut", task=VAN)
    assert after == "The table is easy to read. Each crate holds 8 bottles."


def test_facts_are_cut_with_the_words_that_lead_to_them(altered):
    after = altered("FM-2.4", RESPONSE, FACTS, realisation="facts_cut", task=VAN)
    assert after == "I have read the table for you.\n\nPlease go on with this."


def test_one_fact_of_several_is_cut(altered):
    lines = FACTS.splitlines()
    for seed in range(8):
        after = altered("FM-2.4", RESPONSE, FACTS, realisation="key_fact_cut", task=VAN, seed=seed).splitlines()
        assert len(after) == len(lines) - 1
        assert [line for line in lines if line in after] == after


def test_a_status_stands_in_for_the_facts(altered):
    texts = {altered("FM-2.4", RESPONSE, SOLVED, realisation="status_only", task=VAN, seed=s) for s in range(30)}
    assert len(texts) > 10
    for text in texts:
        assert text.startswith("The table is easy to read. ")
        assert not re.search(r"\d", text)


def test_an_order_and_the_clues_to_it_can_be_kept_back(altered):
    before = "I thought it over. We know that Ben beat Anna, and Carla was last. Final order: Ben, Anna, Carla"
    after = altered("FM-2.4", RESPONSE, before, realisation="findings_cut", task=RACE)
    assert after == "I thought it over."
    after = altered("FM-2.4", RESPONSE, before, realisation="facts_cut", task=RACE)
    assert after == "I thought it over."


def test_json_keeps_its_keys(altered):
    before = '{"note": "The table was read. It gives 12 crates.", "crates": 12, "ok": true}'
    after = altered("FM-2.4", RESPONSE, before, realisation="facts_cut", task=VAN)
    assert json.loads(after) == {"note": "The table was read.", "crates": None, "ok": True}


def test_rows_of_a_table_are_cut(altered):
    before = "Read it with care.\n\n| stall | price |\n|---|---|\n| North | 3 |\n| South | 4 |\n\nThat is what it says."
    after = altered("FM-2.4", RESPONSE, before, realisation="facts_cut", task=VAN)
    assert after == "Read it with care.\n\nThat is what it says."


def test_all_parts_are_cut_and_a_fixed_part_with_the_same_figure_is_a_reason_to_refuse(alter, refusal):
    parts = [Part(id="a", text=SOLVED), Part(id="b", text="I can say that it is 96 bottles. Well done, all of you.")]
    edits = alter("FM-2.4", RESPONSE, parts, realisation="findings_cut", task=VAN)
    assert set(edits.texts) == {"a", "b"}
    assert not any("96" in text for text in edits.texts.values())
    parts[1] = parts[1].model_copy(update={"editable": False})
    assert "can't be edited" in refusal("FM-2.4", RESPONSE, parts, realisation="findings_cut", task=VAN)


@pytest.mark.parametrize(
    ("realisation", "text", "reason"),
    [
        ("findings_cut", "I will look into it and report back.", "no conclusion"),
        ("findings_cut", "Answer: 96 bottles", "nothing but the facts"),
        ("facts_cut", "I will look into it and report back.", "no quantities and no facts"),
        ("key_fact_cut", "I read the table. It has 12 rows.", "no more than one fact"),
        ("key_fact_cut", SOLVED + " Answer: 96", "states its conclusion"),
        ("status_only", "I will look into it and report back.", "no quantities and no facts"),
    ],
)
def test_it_refuses_where_there_is_nothing_to_withhold(refusal, realisation, text, reason):
    assert reason in refusal("FM-2.4", RESPONSE, text, realisation=realisation, task=VAN)


def test_nothing_to_keep_back_is_a_reason_to_refuse(refusal):
    assert "neither the task nor the input" in refusal("FM-2.4", PROMPT, "please go on with it now", task="go on")
