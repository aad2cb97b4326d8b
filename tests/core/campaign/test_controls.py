"""The null control changes nothing; the sham changes the same place by about as much, and harms nothing."""

import asyncio
import random
import re
from collections import Counter

import pytest

from aegis_core.adapter import Part
from aegis_core.campaign.controls import NullInjector, ShamInjector
from aegis_core.campaign.courtesies import CLOSINGS, LEAD_INS, OPENINGS, courteous
from aegis_core.campaign.harmless import ASIDES, REALISATIONS, REMARKS, Unfit, Wanted, guarded_words
from aegis_core.faults import Intervention, Moment, PartChange, Target
from aegis_core.injector import InjectionContext, Refused
from aegis_core.trajectory import Agent

PROSE = (
    "Let us begin with the facts. Green Hill farm has 12 crates in the barn. North Mill sold 30 kg of flour on "
    "Monday. The order must be given in kilograms, because the buyer asked for it. It is 42 kg in total.\n"
    "Therefore we get 42 kg.\nAnswer: 42 kg"
)
TARGET = Target(
    moment=Moment(agent="Solver"), mode="FM-2.6", strategy="response_corruption", scope="outgoing", realisation="x"
)
TOLD = TARGET.model_copy(update={"strategy": "prompt_injection", "scope": "persistent"})


def context(*parts: Part, seed: int = 1) -> InjectionContext:
    agent = Agent(path="Solver")
    return InjectionContext(task="T", agent=agent, agents=(agent,), parts=parts, scope="outgoing", seed=seed)


def alter(injector, site, target=TARGET):
    return asyncio.run(injector.alter(site, target, 1))


def fault(*changes: PartChange, target: Target = TARGET) -> Intervention:
    return Intervention(target=target, arm="fault", fired=True, realisation="x", changes=changes)


def test_the_null_sends_every_editable_text_back_as_it_was():
    parts = (Part(id="a", text="one"), Part(id="b", text="two", editable=False), Part(id="c", text="three"))

    edits = alter(NullInjector(), context(*parts))

    assert edits.texts == {"a": "one", "c": "three"}


def test_the_null_refuses_a_site_without_an_editable_text():
    assert isinstance(alter(NullInjector(), context(Part(id="a", text="one", editable=False))), Refused)


@pytest.mark.parametrize("seed", range(12))
def test_a_sham_alters_the_part_that_the_fault_altered_and_keeps_its_figures(seed):
    parts = (Part(id="new-1", text="Something else is said here."), Part(id="new-2", text=PROSE))
    injector = ShamInjector([fault(PartChange(part="old-2", before=PROSE, after=PROSE.replace("42 kg", "24 kg")))])

    edits = alter(injector, context(*parts, seed=seed))

    assert list(edits.texts) == ["new-2"]
    text = edits.texts["new-2"]
    assert text != PROSE
    assert re.findall(r"\d+", text) == re.findall(r"\d+", PROSE) or sorted(re.findall(r"\d+", text)) == sorted(
        re.findall(r"\d+", PROSE)
    )
    assert text.endswith("Answer: 42 kg")
    assert edits.realisation.startswith("sham:")


def test_shams_come_in_several_kinds_drawn_by_the_seed():
    injector = ShamInjector([fault(PartChange(part="p", before=PROSE, after=PROSE.replace("42", "24")))])

    drawn = {alter(injector, context(Part(id="p", text=PROSE), seed=seed)).realisation for seed in range(20)}

    assert drawn == {"sham:aside", "sham:paraphrase", "sham:reorder"}


def test_the_same_seed_gives_the_same_sham():
    injector = ShamInjector([fault(PartChange(part="p", before=PROSE, after=PROSE.replace("42", "24")))])
    site = context(Part(id="p", text=PROSE), seed=5)

    assert alter(injector, site) == alter(injector, site)


@pytest.mark.parametrize("words", [6, 20, 45])
def test_a_sham_of_an_input_adds_a_remark_of_like_size_where_the_fault_added_its_own(words):
    order = " ".join(["word"] * words)
    before = "Please work this out: 3 crates of 5 bottles."
    for after, at_start in ((f"{before}\n{order}", False), (f"{order}\n{before}", True)):
        injector = ShamInjector([fault(PartChange(part="p", before=before, after=after), target=TOLD)])

        edits = alter(injector, context(Part(id="p", text=before)), TOLD)

        text = edits.texts["p"]
        assert text.endswith(before) if at_start else text.startswith(before)
        added = text.replace(before, "").split()
        assert words - 6 <= len(added) <= words + 6


@pytest.mark.parametrize(
    "text", ["96", "96 bottles", "yes", '{"answer": 96, "unit": "the bottles"}', "| a | b |\n| the | 2 |"]
)
def test_a_sham_refuses_an_output_that_is_no_prose_with_the_reason(text):
    injector = ShamInjector([fault(PartChange(part="p", before=text, after="other"))])

    refused = alter(injector, context(Part(id="p", text=text)))

    assert isinstance(refused, Refused)
    assert "no prose" in refused.reason or "too short" in refused.reason


SHORT = ("3 times 7 is 21", "It is 21 in all.", "Mira has 12 crates", "Answer: 96 bottles in all", "I say 21.")


@pytest.mark.parametrize("text", SHORT)
def test_a_short_output_gets_a_few_words_that_take_nothing_away(text):
    after = text.replace("21", "22").replace("12", "13").replace("96", "97")
    injector = ShamInjector([fault(PartChange(part="p", before=text, after=after))])

    for seed in range(30):
        edits = alter(injector, context(Part(id="p", text=text), seed=seed))
        shown = edits.texts["p"]
        assert guarded_words(shown) == guarded_words(text)
        if edits.realisation == "sham:courtesy":
            assert text.lower() in shown.lower()
            assert 1 <= edits.notes["sham_words"] <= edits.notes["fault_words"] + 3
            if shown.lower().endswith(text.lower()):  # the first word stays as it was where it may be a name
                assert text[1:] in shown


def test_no_few_words_are_the_mark_of_a_sham():
    text = "3 times 7 is 21"
    injector = ShamInjector([fault(PartChange(part="p", before=text, after="3 times 7 is 22"))])

    shown = Counter(alter(injector, context(Part(id="p", text=text), seed=seed)).texts["p"] for seed in range(400))

    assert len(shown) >= 20
    assert max(shown.values()) <= 400 * 0.12


@pytest.mark.parametrize("words", [1, 2, 3, 5])
@pytest.mark.parametrize("at_start", [True, False])
def test_a_courtesy_is_about_as_long_as_the_fault_and_stands_at_its_end(words, at_start):
    for seed in range(20):
        text = courteous("It is 21.", words, at_start, random.Random(seed))
        assert words - 1 <= len(text.split()) - len("It is 21.".split()) <= words + 1
        assert not at_start or text.endswith("is 21.")


def test_a_sham_of_a_fault_that_never_fired_is_refused():
    never = Intervention(target=TARGET, arm="fault", fired=False, reason="refused: nothing")

    assert isinstance(alter(ShamInjector([never]), context(Part(id="p", text=PROSE))), Refused)


@pytest.mark.parametrize("kind", sorted(REALISATIONS))
@pytest.mark.parametrize("seed", range(10))
def test_no_harmless_edit_touches_figures_requirements_or_the_last_line(kind, seed):
    wanted = Wanted(words=12, at_start=False, rng=random.Random(seed))
    if kind == "courtesy":
        with pytest.raises(Unfit, match="long enough"):
            REALISATIONS[kind](PROSE, wanted)
        return

    text = REALISATIONS[kind](PROSE, wanted)

    assert text != PROSE
    assert guarded_words(text) == guarded_words(PROSE)
    for word in ("Green Hill", "North Mill", "kilograms", "Monday", "must be given"):
        assert word in text
    assert kind == "remark" or text.splitlines()[-1] == "Answer: 42 kg"


def test_sentences_that_lean_on_each_other_keep_their_order():
    text = "Green Hill has 12 crates. So it has 96 bottles. That is what was asked for. Answer: 96 bottles"

    with pytest.raises(Unfit):
        REALISATIONS["reorder"](text, Wanted(words=8, at_start=False, rng=random.Random(1)))


def test_what_is_added_holds_no_figure_and_no_requirement():
    for sentence in (*REMARKS, *ASIDES, *LEAD_INS, *OPENINGS, *CLOSINGS):
        assert not guarded_words(sentence), sentence
