"""Small runs for tests of what is read out of texts."""

from __future__ import annotations

from aegis_core.trajectory import Agent, AgentKind, RunError, Step, StepKind, Trajectory

KINDS: dict[str, AgentKind] = {"Human": "user", "Terminal": "tool", "Boss": "manager"}


def run(*said: tuple[str, ...], task: str = "How many bottles are in 12 crates of 8?", **more: object) -> Trajectory:
    """A run of these (agent, text) or (agent, text, kind); each change of speaker is a turn."""
    steps, turns, last = [], dict[str, int](), ""
    for index, (agent, text, *kind) in enumerate(said):
        turns[agent] = turns.get(agent, 0) + (agent != last)
        last = agent
        step_kind: StepKind = kind[0] if kind else "tool_result" if agent == "Terminal" else "message"
        steps.append(Step(index=index, agent=agent, kind=step_kind, text=text, turn=turns[agent]))
    agents = tuple(Agent(path=name, kind=KINDS.get(name, "worker")) for name in turns)
    return Trajectory(run_id="r", task=task, agents=agents, steps=tuple(steps), **more)


def error(message: str, agent: str | None = None) -> RunError:
    """An exception with which a run ended."""
    return RunError(type="ValueError", message=message, agent=agent)
