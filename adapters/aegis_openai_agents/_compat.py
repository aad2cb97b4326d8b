"""Every name of the SDK that is not part of its documented interface, in one place.

What is used, and why:

- `agents.run.set_default_agent_runner`: where `Runner.run`, `run_sync` and `run_streamed` find who does the work.
  Marked experimental; other integrations (Temporal's) build on it as well.
- `FunctionTool._agent_instance`: which agent an `Agent.as_tool()` runs.
- `Handoff._agent_ref`: which agent a hand-off made by `handoff()` goes to.
- the `_invoke_tool_impl` of a tool's invoker: what raises before `failure_error_function` makes a text of it
  (openai-agents-python #945: there is no hook for it).
- `RunResultStreaming.run_loop_task`: the task in the background that does the work of a streamed run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import agents

from aegis_core.errors import AdapterError

if not (hasattr(agents, "Runner") and hasattr(agents, "FunctionTool") and hasattr(agents, "Handoff")):
    raise AdapterError(
        f"the module `agents` that is imported here ({getattr(agents, '__file__', '?')}) "
        "is not that of the distribution openai-agents; rename your own, or move it behind it on the path"
    )

from agents import Agent, FunctionTool, Handoff
from agents.run import get_default_agent_runner, set_default_agent_runner

__all__ = [
    "agent_of_tool",
    "default_runner",
    "loop_task",
    "set_default_runner",
    "stored_exception",
    "target_of",
    "watch_failures",
]


def default_runner() -> Any:
    """Who does the work of `Runner.run` now."""
    return get_default_agent_runner()


def set_default_runner(runner: Any) -> None:
    """Have `Runner.run` ask another."""
    set_default_agent_runner(runner)


def agent_of_tool(tool: Any) -> Agent[Any] | None:
    """The agent that a tool made by `Agent.as_tool()` runs."""
    found = getattr(tool, "_agent_instance", None) if isinstance(tool, FunctionTool) else None
    return found if isinstance(found, Agent) else None


def target_of(item: Any) -> Agent[Any] | None:
    """The agent that an entry of `Agent.handoffs` leads to; None if only its own code knows."""
    if isinstance(item, Agent):
        return item
    reference = getattr(item, "_agent_ref", None) if isinstance(item, Handoff) else None
    found = reference() if callable(reference) else None
    return found if isinstance(found, Agent) else None


def watch_failures(invoker: Any, told: Callable[[Exception], None]) -> tuple[Any, str, Any] | None:
    """What to patch so that `told` hears of exceptions that a tool makes texts of; None if the tool makes none."""
    real = getattr(invoker, "_invoke_tool_impl", None)
    if real is None:
        return None

    async def watched(*args: Any, **kwargs: Any) -> Any:
        try:
            return await real(*args, **kwargs)
        except Exception as error:
            told(error)
            raise

    for name, value in vars(real).items() if hasattr(real, "__dict__") else ():
        setattr(watched, name, value)
    return invoker, "_invoke_tool_impl", watched


def loop_task(result: Any) -> asyncio.Task[Any] | None:
    """The task that does the work of a streamed run."""
    task = getattr(result, "run_loop_task", None) or getattr(result, "_run_impl_task", None)
    return task if isinstance(task, asyncio.Task) else None


def stored_exception(result: Any) -> BaseException | None:
    """The exception that a streamed run ends with, as far as it is known."""
    found = getattr(result, "_stored_exception", None)
    return found if isinstance(found, BaseException) else None
