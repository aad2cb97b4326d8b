"""The labels of a campaign on a LangGraph team, rebuilt; and lies about them, caught."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("langgraph", reason="the system under study is a LangGraph graph")

from tests.verification.lies import LIES, Lie
from tests.verification.material import Files
from tests.verification.trials import assert_all_labels_hold, assert_lie_is_caught, assert_runs_come_out_alike


def test_every_label_can_be_rebuilt(analysis: Files) -> None:
    assert_all_labels_hold(analysis)


def test_twenty_random_faulty_runs_and_their_controls_come_out_alike(analysis: Files) -> None:
    assert_runs_come_out_alike(analysis)


@pytest.mark.parametrize("lie", LIES, ids=str)
def test_a_lie_is_caught_by_the_rule_that_it_breaks(lie: Lie, analysis: Files, tmp_path: Path) -> None:
    assert_lie_is_caught(lie, analysis, tmp_path)
