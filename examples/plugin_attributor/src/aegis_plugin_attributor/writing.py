"""From a run to a chat."""

from __future__ import annotations

import json
from typing import Any

from aegis_core import Step, Trajectory
from aegis_core.errors import StoreError
from aegis_core.format import LabelledRun
from aegis_plugin_attributor.messages import parsed
from aegis_plugin_attributor.reading import CALLER, read_run

__all__ = ["chat_line"]


def chat_line(run: LabelledRun) -> bytes:
    """The line of a run, with its line feed.

    Raises:
        StoreError: a chat can't hold the run: it has labels or ended with an error, or it would not be read back as
            it is.
    """
    trajectory = run.trajectory
    if run.labels:
        raise StoreError(
            f"run {trajectory.run_id} has labels, for which a chat has no place; write the run without them, and the "
            "labels to a file of their own"
        )
    if trajectory.error:
        raise StoreError(f"run {trajectory.run_id} ended with {trajectory.error.type}, which a chat can't say")
    chat = {"messages": [*_opening(trajectory), *_said(trajectory)]}
    # What UTF-8 can't hold becomes "?", by which the text is read otherwise and the run refused.
    line = json.dumps(chat, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    _check(trajectory, line)
    return line


def _opening(trajectory: Trajectory) -> list[dict[str, Any]]:  # Any: JSON
    """Roles, and those who never speak; then the task."""
    speaking = {step.agent for step in trajectory.steps}
    roles = [
        {"role": "system", "name": agent.path, "content": agent.role}
        for agent in trajectory.agents
        if agent.role or agent.path not in speaking
    ]
    return [*roles, {"role": "user", "content": trajectory.task}]


def _said(trajectory: Trajectory) -> list[dict[str, Any]]:  # Any: JSON
    callers = {step.call_id: step.agent for step in trajectory.steps if step.kind == "tool_call"}
    messages: list[dict[str, Any]] = []  # Any: JSON
    for step in trajectory.steps:
        if step.kind == "tool_call":
            last = messages[-1] if messages else {}
            if (last.get("role"), last.get("name")) != ("assistant", step.agent):
                messages.append({"role": "assistant", "name": step.agent, "content": None})
            messages[-1].setdefault("tool_calls", []).append(_call(step))
        elif step.kind == "tool_result":
            name = {} if callers.get(step.call_id) == step.agent else {"name": step.agent}
            messages.append({"role": "tool", **name, "tool_call_id": step.call_id, "content": step.text})
        elif step.kind == "system":
            messages.append({"role": "system", "name": step.agent, "content": step.text})
        elif trajectory.agent(step.agent).kind == "user":
            name = {} if step.agent == CALLER else {"name": step.agent}
            messages.append({"role": "user", **name, "content": step.text})
        else:
            messages.append({"role": "assistant", "name": step.agent, "content": step.text})
    return messages


def _call(step: Step) -> dict[str, Any]:  # Any: JSON
    """A call by its data; without any, by its text, `name(arguments)`."""
    data = next((content.data for content in step.content if content.type == "json"), None)
    if isinstance(data, dict) and isinstance(data.get("args"), dict):
        name, arguments = str(data.get("name")), json.dumps(data["args"], ensure_ascii=False)
    else:
        name, _, rest = step.text.partition("(")
        arguments = rest.removesuffix(")")
    return {"id": step.call_id or "", "type": "function", "function": {"name": name, "arguments": arguments}}


def _check(trajectory: Trajectory, line: bytes) -> None:
    where = f"run {trajectory.run_id}"
    try:
        again = read_run(parsed(line, where), trajectory.run_id, where).trajectory
    except StoreError as error:
        raise StoreError(f"{where} can't be told in a chat: {error}") from error
    if trajectory.final_output not in {None, again.final_output}:
        raise StoreError(f"{where} can't be told in a chat: its final output is not the last message of an agent")
    for one, other in zip(trajectory.steps, again.steps, strict=False):
        if changed := [field for field in ("agent", "kind", "text") if getattr(one, field) != getattr(other, field)]:
            raise StoreError(
                f"{where} can't be told in a chat: step {one.index}, a {one.kind} of {one.agent}, would be read back "
                f"with another {' and another '.join(changed)}"
            )
    if trajectory.task != again.task or _agents(trajectory) != _agents(again):
        raise StoreError(f"{where} can't be told in a chat: its task or agents would be read back otherwise")


def _agents(trajectory: Trajectory) -> dict[str, tuple[str, str]]:
    """Kind and role by path; a chat doesn't tell managers from workers."""
    return {agent.path: (agent.kind.replace("manager", "worker"), agent.role) for agent in trajectory.agents}
