"""Small failed runs with labels, on which attributors, learners and formats are tried."""

from __future__ import annotations

from aegis_core.faults import Fault, Labels
from aegis_core.format import LabelledRun
from aegis_core.trajectory import Agent, Content, RunError, Step, Trajectory

__all__ = ["labelled_runs", "odd_trajectories"]

_TEAM = ("Planner", "Solver", "Critic", "Writer")
_GOODS = ("bottles", "candles", "lamps", "plates")


def labelled_runs(number: int = 12) -> tuple[LabelledRun, ...]:
    """Runs of one team, each on a task of its own, in each of which one agent errs."""
    return tuple(map(_labelled, range(number)))


def _labelled(number: int) -> LabelledRun:
    culprit, goods = _TEAM[number % 3], _GOODS[number % len(_GOODS)]
    crates, each = 12 + number, 8 + number % 5
    right = crates * each
    wrong = right - 10
    said = {
        "Planner": f"Multiply the number of crates, {crates}, by the {goods} in each, {each}.",
        "Solver": f"{crates} crates x {each} {goods} = {wrong if culprit == 'Solver' else right} {goods}",
        "Critic": "Checked: the working is right." if culprit != "Critic" else f"The working is wrong: it is {wrong}.",
        "Writer": f"Answer: {wrong} {goods}",
    }
    if culprit == "Planner":
        said["Planner"] = f"Multiply the number of crates, {crates}, by the {goods} in each, {each}, and take away 10."
        said["Solver"] = f"{crates} crates x {each} {goods} - 10 = {wrong} {goods}"
    run_id, task_id = f"run-{number}", f"task-{number}"
    steps = tuple(
        Step(index=index, agent=agent, kind="message", text=text, parents=(index - 1,) if index else ())
        for index, (agent, text) in enumerate(said.items())
    )
    trajectory = Trajectory(
        run_id=run_id,
        task=f"There are {crates} crates of {each} {goods} each. How many {goods} are there?",
        agents=tuple(Agent(path=agent, role=f"You are the {agent.lower()} of the team.") for agent in _TEAM),
        steps=steps,
        final_output=said["Writer"],
    )
    mode = {"Planner": "FM-1.1", "Solver": "FM-2.6", "Critic": "FM-2.6"}[culprit]
    fault = Fault(agent=culprit, mode=mode, step=_TEAM.index(culprit), origin="toy")
    return LabelledRun(trajectory, (Labels(run_id=run_id, case_id=task_id, faults=(fault,)),), group=task_id)


def odd_trajectories() -> tuple[Trajectory, ...]:
    """Runs that leave out what most runs have: agents, steps, texts, an answer; and one of everything at once."""
    lonely = Agent(path="Solver")
    tool, person = Agent(path="calculator", kind="tool"), Agent(path="user", kind="user")
    everything = (
        Step(index=0, agent="user", kind="message", text="How many?"),
        Step(
            index=1, agent="Team/Solver", kind="tool_call", text="calculator('2*3')", call_id="c", branch="a/b", turn=2,
            content=(Content(type="json", data={"expression": "2*3", "nested": [1, None, {"x": "y"}]}),),
        ),
        Step(index=2, agent="calculator", kind="tool_result", text="6", call_id="c", parents=(1,)),
        Step(index=3, agent="Team/Solver", kind="error", text="ValueError: \x1b[31m\u202e"),
        Step(index=4, agent="Team/Solver", kind="handoff", text="", addressed_to=("user",), start=1.5, end=2.5),
        Step(index=5, agent="Team/Solver", kind="message", text="word " * 5000, parents=(0, 2)),
    )  # fmt: skip
    return (
        Trajectory(run_id="nobody", task="", agents=(), steps=()),
        Trajectory(run_id="silent", task="Do it.", agents=(lonely,), steps=()),
        Trajectory(
            run_id="blank", task="?", agents=(lonely,), steps=(Step(index=0, agent="Solver", kind="message", text=""),)
        ),
        Trajectory(
            run_id="tools", task="?", agents=(tool,),
            steps=(Step(index=0, agent="calculator", kind="tool_result", text="6"),),
        ),
        Trajectory(
            run_id="everything", task="How many?", agents=(Agent(path="Team/Solver"), tool, person), steps=everything,
            error=RunError(type="ValueError", message="no", agent="Team/Solver"),
        ),
    )  # fmt: skip
