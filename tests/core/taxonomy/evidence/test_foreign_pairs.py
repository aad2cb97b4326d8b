"""How well the predicates judge pairs that another hand wrote: no false alarm, and enough of what happened is seen."""

from __future__ import annotations

import pytest

from aegis_core.taxonomy.evidence import judge, modes_with_evidence
from tests.core.taxonomy.evidence.foreign_pairs import FOREIGN_PAIRS, ForeignPair

LEAST_SEEN = {"FM-1.1": 9, "FM-2.4": 27, "FM-2.6": 6}
"""Of 12, 31 and 12 pairs. Most of the others need more understanding than a rule has."""


@pytest.mark.parametrize("pair", [pytest.param(pair, id=pair.name) for pair in FOREIGN_PAIRS if not pair.holds])
def test_what_did_not_happen_is_not_seen(pair: ForeignPair) -> None:
    evidence = judge(pair.mode, pair.context)

    assert not evidence.holds, f"{pair.why}; but: {evidence.because}"


@pytest.mark.parametrize("mode", modes_with_evidence())
def test_enough_of_what_happened_is_seen(mode: str) -> None:
    happened = [pair for pair in FOREIGN_PAIRS if pair.mode == mode and pair.holds]
    seen = [pair for pair in happened if judge(mode, pair.context).holds]

    assert len(seen) >= LEAST_SEEN[mode], sorted({pair.name for pair in happened} - {pair.name for pair in seen})


@pytest.mark.parametrize("pair", [pytest.param(pair, id=pair.name) for pair in FOREIGN_PAIRS])
def test_a_turn_that_is_served_again_is_no_mode(pair: ForeignPair) -> None:
    context = pair.context
    same = context.model_copy(update={"faulty": context.clean, "faulty_seen": context.clean_seen})

    assert not any(judge(mode, same).holds for mode in modes_with_evidence())
