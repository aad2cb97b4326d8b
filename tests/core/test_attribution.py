"""Attributions: what they can say, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from aegis_core.attribution import Attribution, Blame


def test_attribution_survives_json() -> None:
    blames = (
        Blame(agent="A", mode="FM-2.6", step=4, confidence=0.75, evidence="it says 12, then 13"),
        Blame(agent="B", confidence=0.75),
    )
    record = Attribution(run_id="r", blames=blames, attributor="default")
    assert Attribution.model_validate_json(record.model_dump_json()) == record


@pytest.mark.parametrize("agent", ["", " "])
def test_nobody_can_be_blamed_without_a_name(agent: str) -> None:
    with pytest.raises(ValidationError, match="agent"):
        Blame(agent=agent)


def test_attribution_may_abstain() -> None:
    assert Attribution(run_id="r", abstained="the run is right").blames == ()


def test_a_blame_after_one_that_is_less_sure_is_refused() -> None:
    blames = (Blame(agent="A", confidence=0.5), Blame(agent="B", confidence=0.5), Blame(agent="C"))
    with pytest.raises(
        ValidationError, match=r"run r: blame 2 has confidence 0\.5, and blame 3 after it 1\.0; give the surest first"
    ):
        Attribution(run_id="r", blames=blames)


def test_mode_and_step_may_be_left_open() -> None:
    assert (Blame(agent="A").mode, Blame(agent="A").step) == (None, None)


def test_unknown_mode_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValidationError, match=r"unknown error mode 'FM-9\.9'; known: FM-1\.1, .*FM-3\.3"):
        Blame(agent="A", mode="FM-9.9")


@pytest.mark.parametrize("wrong", [{"confidence": 1.01}, {"confidence": -0.1}, {"confidence": math.nan}, {"step": -1}])
def test_numbers_have_their_ranges(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Blame(agent="A", **wrong)
