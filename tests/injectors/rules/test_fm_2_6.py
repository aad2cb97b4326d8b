"""FM-2.6: the reasoning stays, the conclusion does not follow from it."""

from __future__ import annotations

import json
import re

import pytest

from aegis_core.adapter import Part

PROMPT, RESPONSE = "prompt_injection", "response_corruption"
VAN = "A van carries 12 crates with 8 bottles each. How many bottles does it carry? Give a whole number."
TRAM = "A tram runs 18 km a trip, 7 trips a day. How many kilometres does it run in a day? Answer in kilometres."
RACE = "Anna, Ben, Carla and Dov ran. Ben beat Anna; Dov was last. List them from first to last."
STALLS = "Stall North takes 120 dollars, Stall South 95 dollars. Which stall has the highest takings?"
SOLVED = "Each crate holds 8 bottles. 12 crates x 8 bottles = 96 bottles. Answer: 96 bottles"
ORDERED = "Dov was last and Ben beat Anna. Carla came before Dov.\nFinal order: Ben, Anna, Carla, Dov"


@pytest.mark.parametrize("realisation", ["conclusion_shifted", "conclusion_borrowed"])
def test_only_the_concluding_figure_changes(altered, realisation):
    head = SOLVED.removesuffix("96 bottles")
    for seed in range(20):
        after = altered("FM-2.6", RESPONSE, SOLVED, realisation=realisation, task=VAN, seed=seed)
        match = re.fullmatch(re.escape(head) + r"(\d+) bottles", after)
        assert match, after
        assert int(match[1]) != 96
        assert (match[1] in {"8", "12"}) == (realisation == "conclusion_borrowed")


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("2 x 6,250 = 12,500. The result is 12,500 m.", r"2 x 6,250 = 12,500\. The result is \d{1,2},\d{3} m\."),
        ("5 x $2.50 = $12.50. The result is $12.50.", r"5 x \$2\.50 = \$12\.50\. The result is \$\d+\.\d\d\."),
        ("Twice 4 is 8 and 8 + 1 = 9. So there are 9 cats.", r"Twice 4 is 8 and 8 \+ 1 = 9\. So there are \d+ cats\."),
        ("300 + 100 = 400 km. **Answer:** 400 km", r"300 \+ 100 = 400 km\. \*\*Answer:\*\* \d\d0 km"),
    ],
)
def test_a_figure_keeps_its_format(altered, text, pattern):
    for seed in range(10):
        after = altered("FM-2.6", RESPONSE, text, realisation="conclusion_shifted", task=VAN, seed=seed)
        assert re.fullmatch(pattern, after), after


def test_neighbours_of_an_order_change_places(altered):
    afters = {
        altered("FM-2.6", RESPONSE, ORDERED, realisation="conclusion_shifted", task=RACE, seed=s) for s in range(20)
    }
    head = ORDERED.removesuffix("Ben, Anna, Carla, Dov")
    assert afters == {
        head + order for order in ("Anna, Ben, Carla, Dov", "Ben, Carla, Anna, Dov", "Ben, Anna, Dov, Carla")
    }


def test_an_order_is_borrowed_from_the_order_of_mention(altered):
    after = altered("FM-2.6", RESPONSE, ORDERED, realisation="conclusion_borrowed", task=RACE)
    assert after.endswith("Final order: Dov, Ben, Anna, Carla")


def test_another_option_is_chosen(altered):
    before = "Stall North takes 120 and Stall South 95. 120 is more than 95. The answer is Stall North."
    after = altered("FM-2.6", RESPONSE, before, task=STALLS)
    assert after == before.replace("answer is Stall North", "answer is Stall South")


def test_a_hand_off_is_no_conclusion(refusal):
    before = '{"next_speaker": {"reason": "The critic has to check 12 x 8.", "answer": "critic"}}'
    assert "no conclusion" in refusal("FM-2.6", RESPONSE, before, task=VAN)


def test_json_stays_json(altered):
    before = '{"reasoning": "12 x 8 = 96", "answer": 96, "unit": "bottles"}'
    after = json.loads(altered("FM-2.6", RESPONSE, before, realisation="conclusion_shifted", task=VAN))
    assert after.pop("answer") != 96
    assert after == {"reasoning": "12 x 8 = 96", "unit": "bottles"}


def test_the_reasoning_may_stand_in_another_part(alter):
    parts = [Part(id="thought", text="12 x 8 = 96.", kind="thought"), Part(id="text", text="Answer: 96 bottles")]
    edits = alter("FM-2.6", RESPONSE, parts, task=VAN)
    assert set(edits.texts) == {"text"}


@pytest.mark.parametrize("realisation", ["told_to_depart", "told_the_conclusion"])
@pytest.mark.parametrize("task", [VAN, TRAM, RACE, STALLS])
def test_the_agent_is_told_to_depart_from_its_reasoning(altered, realisation, task):
    added = set()
    for seed in range(30):
        text = altered("FM-2.6", PROMPT, task, realisation=realisation, seed=seed)
        sentences = set(re.split(r"(?<=[.?]) ", text)) - set(re.split(r"(?<=[.?]) ", task))
        assert len(sentences) == 1
        added |= sentences
    assert len(added) > 20
    assert all(re.search(r"reason|work|step", sentence.lower()) for sentence in added)


def test_the_conclusion_named_is_of_the_kind_asked_for(altered):
    text = altered("FM-2.6", PROMPT, TRAM, realisation="told_the_conclusion", seed=4)
    assert re.search(r" \d+ kilometres", text.replace(TRAM, ""))
    text = altered("FM-2.6", PROMPT, STALLS, realisation="told_the_conclusion", seed=4)
    assert re.search(r"Stall (North|South)", text.replace(STALLS, ""))
    text = altered("FM-2.6", PROMPT, RACE, realisation="told_the_conclusion", seed=4)
    assert re.search(r"(?:(?:Anna|Ben|Carla|Dov),? ){3}(?:Anna|Ben|Carla|Dov)", text.replace(RACE, ""))
    assert "Anna, Ben, Carla, Dov" not in text.replace(RACE, "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I will look at the table first.", "no conclusion"),
        ("Answer: 96 bottles", "no reasoning"),
        ("The total is 12 x 8 = 96 bottles.", "written-out calculation"),
        ("It has 8 wheels, I think, since 4 + 4 = 8, less 7. The answer is 1 wheel.", "single one"),
    ],
)
def test_it_refuses_where_nothing_could_be_contradicted(refusal, text, reason):
    assert reason in refusal("FM-2.6", RESPONSE, text, realisation="conclusion_shifted", task=VAN)


def test_it_refuses_to_name_a_conclusion_without_material(refusal):
    reason = refusal("FM-2.6", PROMPT, "please go on with it now", realisation="told_the_conclusion")
    assert "no figure, list or option" in reason
    assert "nothing is asked for" in refusal("FM-2.6", PROMPT, "please go on now", realisation="told_to_depart")
