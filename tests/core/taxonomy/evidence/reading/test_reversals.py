from __future__ import annotations

import pytest

from aegis_core.taxonomy.evidence.reading.reversals import reversal
from aegis_core.taxonomy.evidence.reading.turns import Turn

OVEN = "The oven reaches 260 degrees and the glaze needs 240 degrees. "
BIDS = "The bid of Moss is 400 EUR and the bid of Fern is 520 EUR. Moss is cheaper"


def turned(reasons: str, right: str, wrong: str) -> bool:
    return reversal(Turn([reasons + right]), Turn([reasons + wrong])) is not None


@pytest.mark.parametrize(
    ("reasons", "right", "wrong"),
    [
        (OVEN, "260 is more than 240, so the oven will do.", "260 is more than 240, so the oven will not do."),
        (OVEN, "Therefore we can fire it.", "Therefore we can't fire it."),
        (OVEN + "260 is more than 240. ", "Verdict: TRUE", "Verdict: FALSE"),
        (BIDS, ", so I propose Moss.", ", so I propose Fern."),
        (BIDS, ". We choose Moss.", ". We choose Fern."),
    ],
    ids=["negation", "contraction", "opposite word", "rival drawn", "rival chosen"],
)
def test_the_opposite_after_the_same_reasons_is_a_reversal(reasons, right, wrong):
    assert turned(reasons, right, wrong)
    assert not turned(reasons, right, right)


@pytest.mark.parametrize(
    ("reasons", "right", "wrong"),
    [
        ("", "So the oven will do.", "So the oven will not do."),
        ("The reviewer has read the whole draft with great care. ", "Verdict: TRUE", "Verdict: FALSE"),
        ("Moss and Fern have both sent in their bids on time. ", "We choose Moss.", "We choose Fern."),
        (OVEN, "So the oven will do.", "So the oven will do nicely."),
        (OVEN, "So there are 20 degrees to spare.", "So there are 30 degrees to spare."),
        (OVEN, "The potter is Ada.", "The potter is not Ada."),
        (OVEN, "So it will do.", "So it will not do. " + "The thermometer was off by forty degrees all week. " * 2),
    ],
    ids=["no reasons", "idle reasons", "nothing argued", "more words", "figures", "no conclusion", "reasons after it"],
)
def test_what_may_not_contradict_its_reasons_is_none(reasons, right, wrong):
    assert not turned(reasons, right, wrong)


def test_other_reasons_make_another_conclusion_no_reversal():
    clean = OVEN + "260 is more than 240, so the oven will do."
    faulty = OVEN.replace("260", "230") + "230 is less than 240, so the oven will not do."

    assert reversal(Turn([clean]), Turn([faulty])) is None
