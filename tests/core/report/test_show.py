"""One trajectory, readable."""

from __future__ import annotations

from aegis_core.report import show
from aegis_core.trajectory import Agent, Content, RunError, Step, Trajectory

RUN = Trajectory(
    run_id="r1",
    task="Count the bottles.",
    agents=(
        Agent(path="Lead", kind="manager"),
        Agent(path="team/Solver", tools=("sum",)),
        Agent(path="user", kind="user"),
    ),
    steps=(
        Step(
            index=0, agent="Lead", kind="plan", text="First the crates,\nthen the bottles.",
            addressed_to=("team/Solver",),
        ),
        Step(
            index=1, agent="team/Solver", kind="tool_call", text="sum", branch="b2", turn=2,
            content=(Content(type="json", data={"of": [1, 2]}), Content(type="image", uri="file:x.png")),
        ),
        Step(index=2, agent="team/Solver", kind="message", text="word " * 60),
    ),
    system="team",
    adapter="callables",
)  # fmt: skip
EXPECTED = """\
Run r1 of team, recorded by the adapter callables

Task
  Count the bottles.

Agents
  Lead (manager)
  team/Solver, tools: sum
  user (user)

[  0] Lead, plan to team/Solver
       First the crates,
       then the bottles.
[  1] team/Solver[b2], turn 2, tool call
       sum
       json: {"of": [1, 2]}
       image: file:x.png
[  2] team/Solver
"""


def test_a_run_is_told_from_top_to_bottom():
    text = show(RUN)
    assert text.startswith(EXPECTED)
    assert text.endswith("\nFinal output\n  (none)\n")


def test_long_texts_are_folded_and_nothing_is_left_out():
    text = show(RUN)
    assert max(map(len, text.splitlines())) <= 110
    assert text.count("word") == 60


def test_an_exception_and_the_final_output_are_told():
    error = RunError(type="KeyError", message="'n'", agent="Lead")
    text = show(RUN.model_copy(update={"error": error, "final_output": "96"}))
    assert text.endswith("Ended with KeyError in Lead: 'n'\nFinal output\n  96\n")
