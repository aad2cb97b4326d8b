"""What the attributor promises. Run it with `pip install .[testing]` and `pytest`."""

import pytest

from aegis_core import Agent, Step, Trajectory
from aegis_core.plugins import default_plugins

KINDS = {"user": "user", "Search": "tool", "Lead": "manager"}


def run(*said, task="12 crates of 8 bottles. How many?", final=None):
    steps = []
    for index, (agent, text, *kind) in enumerate(said):
        steps.append(Step(index=index, agent=agent, kind=kind[0] if kind else "message", text=text))
    agents = tuple(Agent(path=name, kind=KINDS.get(name, "worker")) for name in {step.agent for step in steps})
    return Trajectory(run_id="r", task=task, agents=agents, steps=tuple(steps), final_output=final)


def attribute(*said, **more):
    return default_plugins().attributor("answer-origin").attribute(run(*said, **more))


def blamed(*said, **more):
    (blame,) = attribute(*said, **more).blames
    return blame.agent, blame.step


def test_who_first_said_the_answer_is_blamed_and_not_who_repeated_it():
    found = attribute(("Reader", "12 crates, 8 bottles each"), ("Solver", "That makes 86."), ("Lead", "Answer: 86"))
    (blame,) = found.blames
    assert (found.run_id, found.attributor, found.abstained) == ("r", "answer-origin", "")
    assert (blame.agent, blame.step, blame.mode, blame.confidence) == ("Solver", 1, None, 0.5)
    assert "86" in blame.evidence


def test_who_alone_says_it_is_blamed_for_certain():
    (blame,) = attribute(("Solver", "96"), ("Lead", "Answer: 69")).blames
    assert (blame.agent, blame.confidence) == ("Lead", 1.0)


def test_the_final_output_counts_more_than_the_last_message():
    assert blamed(("Solver", "86"), ("Critic", "95"), ("Lead", "done, 7"), final="95 bottles") == ("Critic", 1)


def test_one_number_may_be_written_in_two_ways():
    assert blamed(("Solver", "1296.0 in all"), ("Lead", "Answer: 1,296")) == ("Solver", 0)


def test_a_figure_that_is_part_of_another_is_another():
    assert blamed(("Reader", "186 and 86.5"), ("Solver", "86."), ("Lead", "86")) == ("Solver", 1)


def test_figures_of_the_task_are_nobodys():
    assert blamed(("Solver", "86"), ("Lead", "86 bottles in 12 crates")) == ("Solver", 0)


def test_what_an_agent_hands_to_a_tool_is_its_own():
    said = (("Solver", "add(86, 0)", "tool_call"), ("Solver", "86", "tool_result"), ("Lead", "86"))
    assert blamed(*said) == ("Solver", 0)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ((("user", "hm"),), "no final answer"),
        ((("Lead", "I can't say."),), "no figure"),
        ((("Lead", "12 crates"),), "no figure"),
        ((("Search", "86", "tool_result"), ("Lead", "86")), "came in by a tool or the user, at step 0"),
        ((("Lead", "86", "tool_result"), ("Lead", "86")), "came in by a tool or the user, at step 0"),
        ((("user", "Is it 86?"), ("Lead", "86")), "came in by a tool or the user, at step 0"),
    ],
)
def test_it_abstains_where_no_agent_brought_the_answer_in(said, reason):
    found = attribute(*said)
    assert not found.blames
    assert reason in found.abstained


def test_it_abstains_where_the_answer_was_never_said():
    assert "no step says 95" in attribute(("Solver", "86"), final="95").abstained


def test_many_runs_are_answered_in_their_order():
    attributor = default_plugins().attributor("answer-origin")
    found = list(attributor.attribute_many([run(("Lead", "86")), run(("Solver", "3"))]))
    assert [one.blames[0].agent for one in found] == ["Lead", "Solver"]
