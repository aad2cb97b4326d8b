"""Everything of CAMEL that is not public, in one place, and what has to be installed beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from aegis_core.errors import MissingDependencyError

__all__ = [
    "ANALYSE",
    "CALLBACKS",
    "DECOMPOSE",
    "PROCESS",
    "api_key",
    "check_mcp",
    "children",
    "in_loop",
    "pending_agents",
    "stream_pieces",
    "tools_of",
]

ANALYSE = "_analyze_task"
"""Of a Workforce: has the task agent judge a result, or a failure."""
DECOMPOSE = "_decompose_task"
"""Of a Workforce: has the task agent cut a task into subtasks."""
PROCESS = "_process_task"
"""Of a worker: works on one task."""
CALLBACKS = "_callbacks"
"""Of a Workforce: who is told of events; public in the constructor alone."""


def check_mcp(find: Callable[[str], str] = version) -> None:
    """Refuse what CAMEL can't be imported with.

    Raises:
        MissingDependencyError: mcp 2 is installed (https://github.com/camel-ai/camel/issues/4246).
    """
    try:
        installed = find("mcp")
    except PackageNotFoundError:
        return
    if installed.partition(".")[0].isdigit() and int(installed.partition(".")[0]) >= 2:
        raise MissingDependencyError(
            f"CAMEL needs mcp<2, but mcp {installed} is installed, with which camel.agents can't be imported "
            "(camel-ai/camel#4246); pip install 'mcp<2'"
        )


def in_loop() -> bool:
    """Whether the current code runs in an event loop, in which CAMEL's synchronous `process_task` waits for ever."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def children(workforce: Any) -> tuple[Any, ...]:
    """The nodes of a workforce, in the order in which they were added."""
    return tuple(workforce._children)


def pending_agents(worker: Any) -> Iterable[Any]:
    """The clones that wait in the pool of a worker."""
    pool = getattr(worker, "agent_pool", None)
    return tuple(pool._available_agents) if pool is not None else ()


def tools_of(agent: Any) -> dict[str, Any]:
    """The tools of an agent by name: the very mapping from which it takes them when it calls one."""
    tools: dict[str, Any] = agent._internal_tools
    return tools


def api_key(model: Any) -> str:
    """The key that a model was given."""
    return str(model._api_key)


def stream_pieces(response: Any) -> Any:
    """The generator behind a streaming response."""
    return response._generator if hasattr(response, "_generator") else response._async_generator
