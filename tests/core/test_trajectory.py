"""Trajectories: their rules, and that they hold nothing by which an injected run could be told."""

from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from aegis_core.errors import UnknownAgentError
from aegis_core.trajectory import Agent, Content, RunError, Step, Trajectory, Usage


def step(index: int, agent: str = "Solver", **more: Any) -> Step:
    return Step(**{"index": index, "agent": agent, "kind": "message", "text": f"text {index}", **more})


def run(*steps: Step, **more: Any) -> Trajectory:
    agents = (Agent(path="Solver"), Agent(path="Team/Critic", kind="manager"), Agent(path="user", kind="user"))
    return Trajectory(**{"run_id": "r1", "task": "2 + 2?", "agents": agents, "steps": steps, **more})


FULL = run(
    step(0, "user", addressed_to=("Solver",), visible_to=("Solver", "Team/Critic")),
    step(
        1,
        branch="left",
        turn=3,
        kind="tool_call",
        content=(Content(type="json", data={"x": [1, None]}),),
        parents=(0,),
        call_id="c1",
        model="tiny",
        usage=Usage(input_tokens=5, output_tokens=0),
        start=0.5,
        end=1.25,
    ),
    final_output="4",
    error=RunError(type="ValueError", message="no", agent="Solver"),
    system="team",
    adapter="callables",
)


def test_trajectory_survives_json() -> None:
    assert Trajectory.model_validate_json(FULL.model_dump_json()) == FULL


def test_step_has_all_that_a_step_must_tell() -> None:
    assert set(Step.model_fields) == {
        "index",
        "agent",
        "branch",
        "turn",
        "kind",
        "text",
        "content",
        "addressed_to",
        "visible_to",
        "parents",
        "call_id",
        "model",
        "usage",
        "start",
        "end",
    }


def field_names(record: Any) -> set[str]:
    if isinstance(record, dict):
        return set(record).union(*(field_names(value) for value in record.values()))
    if isinstance(record, list):
        return set().union(*(field_names(value) for value in record))
    return set()


def test_no_field_of_a_trajectory_can_bear_a_label() -> None:
    named = field_names(FULL.model_dump(mode="json"))
    telling = (
        "label",
        "fault",
        "mode_",
        "inject",
        "arm",
        "plan_",
        "target",
        "strateg",
        "altered",
        "changed",
        "outcome",
    )
    assert not [name for name in named if any(word in f"{name}_" for word in telling)]


def test_indices_without_gaps_from_0() -> None:
    for indices in ((1,), (0, 2), (1, 0), (0, 0)):
        with pytest.raises(ValidationError, match=r"run r1: step \d stands at position \d"):
            run(*(step(index) for index in indices))


@pytest.mark.parametrize(
    "wrong", [{"agent": "Ghost"}, {"addressed_to": ("Ghost",)}, {"visible_to": ("Solver", "Ghost")}]
)
def test_unknown_agent_is_an_error_that_names_the_known_ones(wrong: dict[str, Any]) -> None:
    says = r"run r1, step 0: agent 'Ghost' is not in the run; known: \['Solver', 'Team/Critic', 'user'\]"
    with pytest.raises(ValidationError, match=says):
        run(step(0, **wrong))


def test_unknown_kind_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(
        ValidationError, match="'message', 'tool_call', 'tool_result', 'handoff', 'plan', 'thought', 'error'"
    ):
        step(0, kind="shout")


def test_agent_paths_are_unique() -> None:
    with pytest.raises(ValidationError, match=r"agents \['A'\] occur twice"):
        run(agents=(Agent(path="A"), Agent(path="B"), Agent(path="A", role="other")))


@pytest.mark.parametrize("parents", [(1,), (2,), (-1,)])
def test_parents_are_earlier_steps(parents: tuple[int, ...]) -> None:
    with pytest.raises(ValidationError, match=r"step 1: parents \[-?\d\] are not earlier steps"):
        step(1, parents=parents)


@pytest.mark.parametrize(
    "wrong",
    [{"start": 2.0, "end": 1.0}, {"start": -1.0}, {"end": math.inf}, {"end": math.nan}, {"turn": 0}, {"index": -1}],
)
def test_times_and_numbers_have_their_ranges(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        step(wrong.pop("index", 0), **wrong)


def test_agent_is_found_by_its_path() -> None:
    assert FULL.agent("Team/Critic").name == "Critic"
    with pytest.raises(
        UnknownAgentError, match=r"run r1 has no agent 'Critic'; known: \['Solver', 'Team/Critic', 'user'\]"
    ):
        FULL.agent("Critic")


def test_turn_is_found_by_agent_number_and_branch() -> None:
    assert [found.index for found in FULL.turn("Solver", 3, "left")] == [1]
    assert FULL.turn("Solver", 3) == ()
