"""The three modes are told apart, and from everything else, on all hand-written pairs."""

from __future__ import annotations

import pytest

from aegis_core.taxonomy.evidence import judge, modes_with_evidence
from tests.core.taxonomy.evidence.last_pairs import LAST_PAIRS
from tests.core.taxonomy.evidence.pairs import PAIRS, Pair
from tests.core.taxonomy.evidence.unseen_pairs import UNSEEN_PAIRS

ALL = (*PAIRS, *UNSEEN_PAIRS, *LAST_PAIRS)
BLIND_SPOTS = {
    # a share given as a fraction of one is no unit that could be compared
    "percent as a fraction of one",
    # `exceed` is not read as a question for a difference
    "maximum instead of difference",
    # FM-2.4 is strict: what remains may speak of the thing that lost its figure
    "figure without unit dropped, dash list",
    "a name dropped from a report",
    "number words dropped",
    # nor does it know every way to say nothing
    "critic names no error any more",
    "reassuring summary",
    "speed withheld by a live turn",
}
MODES = modes_with_evidence()
EACH = [pytest.param(pair, id=pair.name) for pair in ALL]


@pytest.mark.parametrize("pair", EACH)
def test_no_mode_is_seen_that_did_not_happen(pair: Pair) -> None:
    seen = {mode: judge(mode, pair.context) for mode in MODES}

    wrong = {mode: evidence.because for mode, evidence in seen.items() if evidence.holds and mode != pair.mode}
    assert not wrong


@pytest.mark.parametrize(
    "pair", [pair for pair in EACH if pair.values[0].mode and pair.values[0].name not in BLIND_SPOTS]
)
def test_the_mode_that_happened_is_seen(pair: Pair) -> None:
    assert pair.mode
    evidence = judge(pair.mode, pair.context)

    assert evidence.holds, evidence.because
    assert evidence.mode == pair.mode


@pytest.mark.parametrize("pair", [pair for pair in EACH if pair.values[0].name in BLIND_SPOTS])
def test_blind_spots_are_still_blind(pair: Pair) -> None:
    assert pair.mode
    assert not judge(pair.mode, pair.context).holds


@pytest.mark.parametrize("pair", EACH)
def test_spans_stand_in_the_texts_and_the_reason_is_in_words(pair: Pair) -> None:
    context = pair.context
    texts = (context.task, context.role, *context.clean, *context.faulty)

    for mode in MODES:
        evidence = judge(mode, context)
        assert len(evidence.because.split()) > 3
        assert bool(evidence.spans) == evidence.holds
        assert all(any(span in text for text in texts) for span in evidence.spans), evidence.spans


@pytest.mark.parametrize("pair", EACH)
def test_the_other_way_round_the_clean_turn_is_never_at_fault(pair: Pair) -> None:
    """With the turns exchanged the faulty one is what was clean, so neither FM-1.1 nor FM-2.6 can hold."""
    context = pair.context
    turned = context.model_copy(update={"clean": context.faulty, "faulty": context.clean})

    if pair.mode:
        assert not judge("FM-1.1", turned).holds
        assert not judge("FM-2.6", turned).holds


@pytest.mark.parametrize("mode", MODES)
def test_each_mode_has_enough_pairs_of_both_kinds(mode: str) -> None:
    positive = [pair for pair in ALL if pair.mode == mode]
    negative = [pair for pair in ALL if pair.mode != mode]

    assert len(positive) >= 12
    assert len(negative) >= 12
    assert {pair.context.strategy for pair in positive} == {"prompt_injection", "response_corruption"}


def test_names_of_pairs_are_unique() -> None:
    assert len({pair.name for pair in ALL}) == len(ALL)
