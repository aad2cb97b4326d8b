"""Counts as aligned lines."""

from __future__ import annotations

from aegis_core.dataset import Dataset, statistics
from aegis_core.report.counts import counts_text, statistics_text, summary_text


def test_numbers_are_aligned_and_nothing_is_said_to_be_nothing():
    assert list(counts_text("by mode", {"FM-1.1": 3, "acme:false-rounding": 12})) == [
        "by mode",
        "  FM-1.1                    3",
        "  acme:false-rounding      12",
    ]
    assert list(counts_text("by mode", {})) == ["by mode", "  none"]


def test_a_summary_is_told_in_full(campaign):
    text = "\n".join(summary_text(campaign.summary))
    assert text.startswith(
        "clean runs: 3, of them right 2, 1 wrong\nfaulty runs: 8 tried, 4 kept, 4 discarded\n"
        "  of those kept, 2 have two targets\n"
    )
    assert "discarded, by reason\n  still right       2\n  redundant         2\n" in text
    assert "labels by agent\n  Solver       4\n" in text
    assert "fired, but not needed for the failure: 2" in text


def test_right_runs_in_which_nothing_could_be_planned_are_told(campaign):
    text = "\n".join(summary_text(campaign.summary.model_copy(update={"without_plan": 2})))
    assert "right runs with nothing to try, as no known agent's words are read by another: 2" in text


def test_statistics_say_the_same_as_the_summary(campaign):
    text = "\n".join(statistics_text(statistics(Dataset(campaign.out / "dataset"))))
    assert "clean runs 3, of them right 2" in text
    assert "faulty runs planned 8, kept 4" in text
    assert "labels 4; fired, but not needed for the failure: 2" in text
    assert [line.split() for line in text.splitlines() if "/persistent" in line] == [
        ["prompt_injection/persistent", "2"]
    ]
    assert "steps of a faulty run: 3 to 3, median 3, mean 3.0, over 4 runs" in text
