"""Every name of LangGraph and LangChain that is not documented as public, in one place.

Checked by `tests/adapters/langgraph/test_compat.py` against the versions that the lanes install.
"""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from importlib.util import find_spec
from types import CellType, FrameType, FunctionType
from typing import Any, get_args, get_type_hints

from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.runnables import Runnable
from langgraph.channels import BinaryOperatorAggregate, LastValue
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from langgraph.pregel import Pregel
from langgraph.types import Command, Send
from pydantic import BaseModel

if find_spec("langgraph.callbacks") is not None:  # langgraph 1.2 warns of handlers that are not of this class
    from langgraph.callbacks import GraphCallbackHandler
else:
    from langchain_core.callbacks import BaseCallbackHandler as GraphCallbackHandler  # type: ignore[assignment]

__all__ = [
    "DEFAULT_NAME",
    "MODEL_EVENTS",
    "MODEL_WAYS",
    "PARENT",
    "TOOL_WAYS",
    "GraphCallbackHandler",
    "Place",
    "agent_name",
    "back_to",
    "bare",
    "begins",
    "calls_model",
    "children",
    "commanded",
    "delta_channels",
    "destination",
    "entries",
    "field_kind",
    "functions",
    "goals",
    "is_graph",
    "is_hand_back",
    "is_interrupt_id",
    "is_private",
    "is_same_graph",
    "keeps_steps",
    "place",
    "replace_nodes",
    "starting_graph",
    "state_fields",
    "system_prompt",
    "tool_form",
    "tool_metadata_destination",
    "tools_of",
    "with_model",
    "worker_inside",
]

DEFAULT_NAME = "LangGraph"
"""What a compiled graph is called if its author gave it no name."""
PARENT: str = Command.PARENT
START_NODE = "__start__"
MODEL_WAYS = ("_generate", "_agenerate", "_stream", "_astream")
"""The ways to call a chat model to which all others lead, as its class may have them."""
MODEL_EVENTS = ("_stream_chat_model_events", "_astream_chat_model_events")
"""A protocol of events that goes round them."""
TOOL_WAYS = ("_run", "_arun")
"""What a tool does, synchronously and asynchronously."""
_PUSH = "__pregel_push"
_NS_SEP, _NS_END = "|", ":"
_HAND_BACK = "__is_handoff_back"
_TRANSFER_BACK = "transfer_back_to_"
_DESTINATION = "__handoff_destination"


@dataclass(frozen=True)
class Place:
    """Where a task stands, from the metadata of its callbacks.

    `namespace` names it uniquely, `names` are the nodes from the root. `push` is its index among the tasks that were
    sent (`Send`) in this superstep, or None for a node that was triggered by an edge.
    """

    node: str
    namespace: str
    names: tuple[str, ...]
    step: int
    push: int | None

    @property
    def key(self) -> tuple[int, str]:
        """(superstep, path) in the order in which LangGraph merges what parallel tasks write."""
        path = f"pull:{self.node}" if self.push is None else f"push:{self.push:010d}"
        return self.step, path


def place(metadata: Mapping[str, Any] | None) -> Place | None:
    """The task that a callback belongs to, or None outside of any."""
    namespace = (metadata or {}).get("langgraph_checkpoint_ns")
    if metadata is None or not isinstance(namespace, str) or not namespace:
        return None
    segments = [segment for segment in namespace.split(_NS_SEP) if not segment.isdigit()]
    names = tuple(segment.split(_NS_END, 1)[0] for segment in segments)
    path = tuple(metadata.get("langgraph_path") or ())
    push: int | None = None
    if path and path[0] == _PUSH:  # (push, index, …) for a Send, (push, path of the caller, index, …) for a call
        push = next((item for item in path[1:] if isinstance(item, int)), 0)
    step = metadata.get("langgraph_step")
    node = str(metadata.get("langgraph_node", names[-1]))
    return Place(node, namespace, names, step if isinstance(step, int) else 0, push)


def agent_name(metadata: Mapping[str, Any] | None) -> str | None:
    """The name that `create_agent` puts into the metadata; missing in older versions, inherited by what it calls."""
    name = (metadata or {}).get("lc_agent_name")
    return name if isinstance(name, str) and name else None


def starts_a_completion() -> bool:
    """Whether the caller's caller is LangChain's asynchronous start of a completion.

    If it finds one handler that runs inline it tells no other of the start (langchain-core 1.8.3,
    `AsyncCallbackManager.on_llm_start`), so to it ours is none. Python 3.11 asks out of a comprehension.
    """
    asks = sys._getframe(2)
    return "on_llm_start" in (asks.f_code.co_name, asks.f_back.f_code.co_name if asks.f_back else "")


def starting_graph() -> Any:
    """The graph whose start a handler is told of at this moment; None, if it is the start of something else.

    Callbacks tell the name of what starts, and not which object it is. It is the one that called them.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not _is_of(frame, "langchain_core.callbacks"):
        frame = frame.f_back
    while frame is not None and _is_of(frame, "langchain_core.callbacks"):
        frame = frame.f_back
    found = frame.f_locals.get("self") if frame is not None and _is_of(frame, "langgraph.pregel") else None
    return found if isinstance(found, Pregel) else None


def _is_of(frame: FrameType, module: str) -> bool:
    return str(frame.f_globals.get("__name__")).startswith(module)


def is_same_graph(graph: Any, other: Any) -> bool:
    """Whether one is the other, or a copy of it (`with_config`): copies share their nodes."""
    return graph is other or any(graph.nodes.get(name) is node for name, node in other.nodes.items())


def is_graph(value: Any) -> bool:
    """Whether this is a compiled graph whose nodes can be looked into."""
    return isinstance(value, CompiledStateGraph)


def children(graph: CompiledStateGraph[Any, Any, Any, Any]) -> dict[str, Runnable[Any, Any]]:
    """The nodes of a compiled graph, in order of definition, each with what it runs."""
    return {name: node.bound for name, node in graph.nodes.items() if name != START_NODE}


def replace_nodes(
    graph: CompiledStateGraph[Any, Any, Any, Any], bound: Mapping[str, Runnable[Any, Any]]
) -> CompiledStateGraph[Any, Any, Any, Any]:
    """A copy of a compiled graph in which some nodes run something else; all else (name, retries, caches, store,
    checkpointer, interrupts, configuration) is kept, and the original is not touched.
    """
    nodes = dict(graph.nodes)
    for name, runnable in bound.items():
        update: dict[str, Any] = {"bound": runnable}
        if is_graph(runnable):
            update["subgraphs"] = [runnable]
        nodes[name] = nodes[name].copy(update)
    return graph.copy({"nodes": nodes})


def functions(runnable: Any) -> tuple[Any, Any]:
    """The synchronous and the asynchronous function of a node, where it has them."""
    return getattr(runnable, "func", None), getattr(runnable, "afunc", None)


_FACTORIES = ("langchain.agents.factory", "langgraph.prebuilt.chat_agent_executor")
"""Modules in which `create_agent` and `create_react_agent` define what their model nodes run."""


def _changed(request: Any, change: Callable[[Any], Any]) -> Any:
    return request.override(model=change(request.model))


def _resolving(resolve: Any, change: Callable[[Any], Any]) -> Any:
    async def resolving(state: Any, runtime: Any) -> Any:
        return change(await resolve(state, runtime))

    return resolving


_ASKING: dict[str, Callable[[Any, Callable[[Any], Any]], Any]] = {
    "_execute_model_sync": lambda execute, change: lambda request: execute(_changed(request, change)),
    "_execute_model_async": lambda execute, change: lambda request: execute(_changed(request, change)),
    "static_model": lambda model, change: change(model),
    "_resolve_model": lambda resolve, change: lambda state, runtime: change(resolve(state, runtime)),
    "_aresolve_model": _resolving,
}
"""What a model node calls its model by, behind all middleware: variables of the function around it."""


def calls_model(runnable: Any) -> bool:
    """Whether this is a model node of `create_agent` or `create_react_agent`, whose calls `with_model` can catch."""
    return any(not _ASKING.keys().isdisjoint(_free(function)) for function in functions(runnable))


def with_model(runnable: Any, change: Callable[[Any], Any]) -> Any:
    """A copy of such a node that calls `change(model)` where it would call the model, after all middleware."""
    made = copy.copy(runnable)
    made.func, made.afunc = (_rebound(function, change) for function in functions(runnable))
    return made


def _free(function: Any) -> tuple[str, ...]:
    of_factory = isinstance(function, FunctionType) and function.__module__ in _FACTORIES
    return function.__code__.co_freevars if of_factory else ()


def _rebound(function: Any, change: Callable[[Any], Any]) -> Any:
    names = _free(function)
    if not names:
        return function
    cells = tuple(
        CellType(_ASKING[name](found, change)) if name in _ASKING and (found := _content(cell)) is not None else cell
        for name, cell in zip(names, function.__closure__ or (), strict=True)
    )
    made = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, cells)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__qualname__, made.__annotations__ = function.__qualname__, function.__annotations__
    return made


def bare(graph: CompiledStateGraph[Any, Any, Any, Any]) -> Any:
    """The builder from which a graph was compiled."""
    return graph.builder


def begins(graph: CompiledStateGraph[Any, Any, Any, Any]) -> tuple[str, ...]:
    """The nodes with which a graph begins in any case, at once."""
    return tuple(name for name in graph.builder.nodes if (START_NODE, name) in graph.builder.edges)


def is_interrupt_id(value: Any) -> bool:
    """Whether this has the form in which LangGraph names interrupts."""
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{32}", value) is not None


def entries(graph: CompiledStateGraph[Any, Any, Any, Any]) -> tuple[str, ...]:
    """The nodes with which a graph may begin, in order of definition."""
    builder = graph.builder
    named = {end for start, end in builder.edges if start == START_NODE}
    branches = builder.branches.get(START_NODE, {}).values()
    if any(branch.ends is None for branch in branches):
        return tuple(builder.nodes)
    named.update(end for branch in branches for end in (branch.ends or {}).values())
    return tuple(name for name in builder.nodes if name in named)


def destinations(graph: CompiledStateGraph[Any, Any, Any, Any], node: str) -> tuple[str, ...]:
    """Where a node says that its `Command`s may go."""
    spec = graph.builder.nodes.get(node)
    return tuple(getattr(spec, "ends", None) or ())


def node_metadata(graph: CompiledStateGraph[Any, Any, Any, Any], node: str) -> Mapping[str, Any]:
    """The metadata given to `add_node`."""
    spec = graph.builder.nodes.get(node)
    return getattr(spec, "metadata", None) or {}


def tools_of(runnable: Any) -> tuple[str, ...] | None:
    """Names of the tools that a tools node holds; None if it is none.

    A supervisor makes its tools from a set, so their order is another one in each process.
    """
    if not isinstance(runnable, ToolNode):
        return None
    names = tuple(runnable.tools_by_name)
    return tuple(sorted(names)) if any(tool_metadata_destination(runnable, name) for name in names) else names


def tool_metadata_destination(runnable: ToolNode, tool: str) -> str | None:
    """Which agent a hand-off tool of supervisor or swarm leads to."""
    found = (getattr(runnable.tools_by_name.get(tool), "metadata", None) or {}).get(_DESTINATION)
    return found if isinstance(found, str) else None


def is_hand_back(message: BaseMessage) -> bool:
    """Whether a supervisor made this message up to say that control comes back to it."""
    return bool(message.response_metadata.get(_HAND_BACK))


def back_to(message: BaseMessage) -> str:
    """The name of the supervisor to which such a message hands back, as `tool_form` writes it; "" if it says none."""
    called = [call["name"] for call in message.tool_calls] if isinstance(message, AIMessage) else [message.name or ""]
    return called[0].removeprefix(_TRANSFER_BACK) if called and called[0].startswith(_TRANSFER_BACK) else ""


def tool_form(name: str) -> str:
    """An agent's name as supervisors write it in names of tools."""
    return re.sub(r"\s+", "_", name.strip()).lower()


def worker_inside(runnable: Any) -> Any:
    """The graph that a supervisor's node calls, which is its worker; None for any other node."""
    for function in functions(runnable):
        if getattr(function, "__module__", None) == "langgraph_supervisor.supervisor":
            names = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
            return _content(names["agent"]) if "agent" in names else None
    return None


def state_fields(graph: CompiledStateGraph[Any, Any, Any, Any]) -> dict[str, str]:
    """The channels of the graph's state with their kind, see `field_kind`."""
    return {name: field_kind(channel) for name, channel in graph.builder.channels.items()}


def is_private(graph: CompiledStateGraph[Any, Any, Any, Any], key: str) -> bool:
    """Whether a channel of the graph's state is no part of its result."""
    outputs = graph.output_channels
    return key not in ([outputs] if isinstance(outputs, str) else outputs)


def keeps_steps(graph: CompiledStateGraph[Any, Any, Any, Any]) -> bool:
    """Whether a graph has a checkpointer of its own."""
    return isinstance(graph.checkpointer, BaseCheckpointSaver)


def delta_channels(graph: CompiledStateGraph[Any, Any, Any, Any]) -> tuple[str, ...]:
    """The channels that keep what changed instead of what is."""
    return tuple(name for name, channel in graph.builder.channels.items() if type(channel).__name__ == "DeltaChannel")


def commanded(update: Mapping[str, Any], goto: list[str]) -> Command[Any]:
    """An update that hands control on."""
    return Command(update=dict(update), goto=goto)


def input_fields(graph: CompiledStateGraph[Any, Any, Any, Any]) -> dict[str, Any]:
    """The keys of the graph's input that have to be given, with their types."""
    schema = graph.builder.input_schema
    try:
        hints = get_type_hints(schema)
    except Exception:  # a schema of the user's, with names that are not to be found from here
        hints = dict(getattr(schema, "__annotations__", {}))
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        required = {name for name, item in schema.model_fields.items() if item.is_required()}
        return {name: hint for name, hint in hints.items() if name in required} or hints
    if is_dataclass(schema):
        required = {item.name for item in fields(schema) if item.default is MISSING and item.default_factory is MISSING}
        return {name: hint for name, hint in hints.items() if name in required} or hints
    required = set(getattr(schema, "__required_keys__", ()))
    return {name: hint for name, hint in hints.items() if name in required} or hints


def is_text(hint: Any) -> bool:
    """Whether a type is that of a text, optional or not."""
    return hint is str or set(get_args(hint)) == {str, type(None)}


def field_kind(channel: Any) -> str:
    """`messages` (merged by message id), `last` (each write replaces the value), or `other`."""
    if isinstance(channel, BinaryOperatorAggregate):
        operator = channel.operator
        merges = operator is add_messages or getattr(operator, "func", None) is add_messages
        return "messages" if merges or getattr(operator, "__name__", "") == "_add_messages" else "other"
    if type(channel).__name__ == "DeltaChannel":
        return "messages" if "messages" in getattr(getattr(channel, "reducer", None), "__name__", "") else "other"
    return "last" if type(channel) is LastValue else "other"


def system_prompt(runnable: Any) -> str:
    """The fixed system prompt of a `create_agent` model node, or "" where it can't be told."""
    for function in functions(runnable):
        for cell in getattr(function, "__closure__", None) or ():
            content = _content(cell)
            if isinstance(content, SystemMessage) and isinstance(content.content, str):
                return content.content
    return ""


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None


def goals(command: Command[Any]) -> tuple[str, ...]:
    """The nodes that a command hands control to, in order."""
    goto: Any = command.goto
    found = goto if isinstance(goto, list | tuple) else (goto,)
    named = (str(item.node) if isinstance(item, Send) else item for item in found)
    return tuple(dict.fromkeys(name for name in named if isinstance(name, str) and name))


def destination(command: Command[Any]) -> str | None:
    """The one node that a command hands control to; None if there is none, or more than one."""
    several = isinstance(command.goto, list | tuple) and len(command.goto) != 1
    found = goals(command)
    return found[0] if len(found) == 1 and not several else None


def directed(command: Command[Any], node: str) -> Command[Any]:
    """The command with another destination; what is sent along stays."""
    goto: Any = command.goto
    sent = goto[0] if isinstance(goto, list | tuple) and goto else goto
    return replace(command, goto=[Send(node, sent.arg)] if isinstance(sent, Send) else node)


Function = Callable[..., Any]
