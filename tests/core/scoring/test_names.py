"""Names: which spellings mean which agent of a run."""

from __future__ import annotations

import pytest

from aegis_core.scoring import RunNames, fold

NAMES = RunNames(("WebSurfer", "Node1", "Node-1", "Orchestrator", "team/Solver", "ghost", "GHOST"))


@pytest.mark.parametrize(
    ("spelling", "agent"),
    [
        ("WebSurfer", "WebSurfer"),
        (" WebSurfer ", "WebSurfer"),
        ("Websurfer", "WebSurfer"),
        ("web_surfer", "WebSurfer"),
        ("Web Surfer", "WebSurfer"),
        ("Orchestrator (thought)", "Orchestrator"),
        ("Orchestrator (-> WebSurfer)", "Orchestrator"),
        ("Solver", "team/Solver"),
        ("TEAM/solver", "team/Solver"),
    ],
)
def test_another_spelling_of_an_agent_means_that_agent(spelling, agent):
    assert NAMES.agent(spelling) == NAMES.folded(spelling) == agent


def test_agents_that_differ_in_punctuation_or_case_only_stay_two():
    assert [NAMES.folded(name) for name in ("Node1", "Node-1", "node1", "node-1")] == [
        "Node1", "Node-1", "Node1", "Node-1",
    ]  # fmt: skip
    assert (NAMES.folded("ghost"), NAMES.folded("GHOST")) == ("ghost", "GHOST")


@pytest.mark.parametrize(("spelling", "folded"), [("node 1", "node1"), ("Node_1", "node1"), ("Ghost", "Ghost")])
def test_a_spelling_that_fits_several_agents_means_none_of_them(spelling, folded):
    assert NAMES.agent(spelling) is None
    assert NAMES.folded(spelling) == folded  # not `ghost`, which is one of the two


@pytest.mark.parametrize("spelling", ["Coder", "Node2", "elsewhere/Solver", "Web", ""])
def test_a_stranger_is_no_agent(spelling):
    assert NAMES.agent(spelling) is None


def test_two_spellings_of_a_stranger_are_one():
    assert NAMES.folded("Data Analyst") == NAMES.folded("data_analyst") == "dataanalyst"


def test_numbered_agents_are_not_taken_for_one_another():
    names = RunNames(("Solver (1)", "Solver (2)"))
    assert [names.agent(name) for name in ("solver 1", "Solver (2)", "Solver", "Solver (3)")] == [
        "Solver (1)", "Solver (2)", None, None,
    ]  # fmt: skip
    assert RunNames(("Solver (1)",)).agent("Solver (2)") is None


def test_strict_takes_away_outer_space_only():
    assert NAMES.strict(" Websurfer ") == "Websurfer"


def test_a_name_without_letters_is_left_as_it_is():
    assert fold("—!") == ""
    assert NAMES.folded(" ?? ") == "??"


def test_folding_knows_other_scripts_and_widths():
    assert fold("Ｓolver") == "solver"
    assert fold("Straße") == "strasse"
    assert fold("求解者 1") == "求解者1"
