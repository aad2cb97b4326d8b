"""One trajectory, readable from top to bottom."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator

from aegis_core.trajectory import Agent, Step, Trajectory

__all__ = ["show"]

WIDTH = 110


def show(trajectory: Trajectory) -> str:
    """The run as text: what it was asked, who took part, each step with who said it to whom, and the answer."""
    return "\n".join(_lines(trajectory)) + "\n"


def _lines(run: Trajectory) -> Iterator[str]:
    yield f"Run {run.run_id}" + (f" of {run.system}" if run.system else "") + _recorded(run)
    yield ""
    yield "Task"
    yield from _indented(run.task)
    yield ""
    yield "Agents"
    for agent in run.agents:
        yield f"  {_member(agent)}"
    yield ""
    for step in run.steps:
        yield _head(step)
        yield from _indented(step.text, "       ")
        for content in step.content:
            data = content.uri or json.dumps(content.data, ensure_ascii=False, sort_keys=True)
            yield from _indented(f"{content.type}: {data}", "       ")
    yield ""
    if run.error is not None:
        where = f" in {run.error.agent}" if run.error.agent else ""
        yield f"Ended with {run.error.type}{where}: {run.error.message}"
    yield "Final output"
    yield from _indented(run.final_output if run.final_output is not None else "(none)")


def _recorded(run: Trajectory) -> str:
    return f", recorded by the adapter {run.adapter}" if run.adapter else ""


def _member(agent: Agent) -> str:
    kind = "" if agent.kind == "worker" else f" ({agent.kind})"
    tools = f", tools: {', '.join(agent.tools)}" if agent.tools else ""
    return f"{agent.path}{kind}{tools}"


def _head(step: Step) -> str:
    branch = f"[{step.branch}]" if step.branch else ""
    turn = f", turn {step.turn}" if step.turn > 1 else ""
    kind = "" if step.kind == "message" else f", {step.kind.replace('_', ' ')}"
    to = f" to {', '.join(step.addressed_to)}" if step.addressed_to else ""
    return f"[{step.index:>3}] {step.agent}{branch}{turn}{kind}{to}"


def _indented(text: str, indent: str = "  ") -> Iterator[str]:
    for line in text.splitlines() or [""]:
        yield from textwrap.wrap(
            line, WIDTH, initial_indent=indent, subsequent_indent=indent,
            break_long_words=False, break_on_hyphens=False,
        ) or [""]  # fmt: skip
