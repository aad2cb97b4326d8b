"""Who is the agent? The nodes of a graph, and which of them are members of the system.

- A node that runs a function or a runnable is an agent, by the name of the node.
- A node that runs a graph is a team: its nodes are agents `team/node`.
- A graph that is one agent's loop of model and tools (`create_agent`, `create_react_agent`) is one agent, named as
  its author named it, else after the node that runs it. Model, tools and middleware nodes are what happens inside.
- A tools node outside of such a loop is an agent of kind `tool`.

A node that writes no text has turns but no steps; a function on a conditional edge is no node, and never an agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from aegis_core.trajectory import Agent, AgentKind
from aegis_langgraph import _compat

__all__ = ["Layout", "Shape", "is_loop_node", "kind_of", "loop_role", "survey"]

Role = Literal["team", "agent", "leaf", "tools", "model", "inner"]
"""`agent` is a graph that is one agent's loop; `model`, `tools` and `inner` are nodes of such a loop. A `tools` node
elsewhere, and a `leaf`, act on their own."""

_MODEL_NODES = frozenset({"agent", "model", "call_model"})
_LOOP_NODES = _MODEL_NODES | {"tools", "pre_model_hook", "post_model_hook", "generate_structured_response"}
_MIDDLEWARE = re.compile(r".+\.(before|after)_(agent|model)")
_MANAGERS = re.compile(r"(?i)(?:.*_)?(supervisor|manager|orchestrator|coordinator|selector|router|dispatcher)(?:_.*)?")


def is_loop_node(node: str) -> bool:
    """Whether a node is called as the loops of `create_agent` and `create_react_agent` call theirs."""
    return node in _LOOP_NODES or _MIDDLEWARE.fullmatch(node) is not None


def loop_role(node: str) -> Literal["model", "tools", "inner"]:
    """What a node of such a loop does, judged by its name."""
    if node in _MODEL_NODES:
        return "model"
    return "tools" if node == "tools" else "inner"


@dataclass(frozen=True)
class Shape:
    """A graph or a node of one.

    `names` are the nodes from the root, `path` is the agent's (a team's: what the paths of its members begin with).
    `fields` are the channels of the graph in which the node stands, with their kind.
    """

    names: tuple[str, ...]
    role: Role
    path: str
    node: str = ""
    graph: Any = None
    bound: Any = None
    fields: Mapping[str, str] = field(default_factory=dict)
    children: Mapping[str, Shape] = field(default_factory=dict)
    in_loop: bool = False
    caught: bool = False
    """Of a node of an agent's loop: whether each call of the agent's model can be caught, behind all middleware."""
    kind: AgentKind = "worker"
    description: str = ""
    tools: tuple[str, ...] = ()

    @property
    def acts(self) -> bool:
        """Whether this is one agent."""
        return self.role == "agent" or (self.role in ("leaf", "tools") and not self.in_loop)

    @property
    def first(self) -> Shape | None:
        """The agent that acts when control comes here: of a team the first at its entry."""
        if self.acts:
            return self
        entries = _compat.entries(self.graph) if self.role == "team" else ()
        found = (child.first for name in entries if (child := self.children.get(name)) is not None)
        return next((shape for shape in found if shape is not None), None)

    def walk(self) -> Iterator[Shape]:
        """This shape and all below it, in order of definition."""
        yield self
        for child in self.children.values():
            yield from child.walk()


class Layout:
    """The shapes of a graph, by the names of their nodes from the root."""

    def __init__(self, root: Shape | None) -> None:
        self.root = root
        self._shapes = {shape.names: shape for shape in root.walk()} if root is not None else {}

    def find(self, names: tuple[str, ...]) -> Shape | None:
        """The shape there, or None for what the graph does not show (a graph called inside a function)."""
        return self._shapes.get(names)

    def acting(self) -> tuple[Shape, ...]:
        """All agents, in order of definition."""
        return tuple(shape for shape in self._shapes.values() if shape.acts)

    def agents(self) -> tuple[Agent, ...]:
        """All agents, as the trajectory will name them."""
        return tuple(
            Agent(path=shape.path, kind=shape.kind, role=shape.description, tools=shape.tools)
            for shape in self.acting()
        )

    def authors(self) -> dict[str, str]:
        """Paths of agents by the names that their messages may carry."""
        found: dict[str, str] = {}
        for shape in self.acting():
            for name in (shape.path, shape.node, shape.path.rsplit("/", 1)[-1]):
                found.setdefault(name, shape.path)
        found.pop("", None)
        return found

    def nodes(self) -> frozenset[str]:
        """Names of all nodes: what texts that steer the graph consist of."""
        return frozenset(shape.node for shape in self._shapes.values() if shape.node)


def survey(app: Any) -> Layout:
    """Look through a compiled graph; without a builder (functional API) there is nothing to be seen."""
    return Layout(_graph(app, (), "", "", frozenset()) if _compat.is_graph(app) else None)


def _graph(app: Any, names: tuple[str, ...], prefix: str, node: str, taken: frozenset[str]) -> Shape:
    fields = _compat.state_fields(app)
    nodes = _compat.children(app)
    if _is_loop(nodes):
        own = "" if app.name in ("", None, _compat.DEFAULT_NAME) else str(app.name)
        path = prefix + (own if own and own not in taken else node or own or "agent")
        caught = all(_compat.calls_model(bound) for name, bound in nodes.items() if name in _MODEL_NODES)
        loop = {name: _loop_node(app, names, path, name, bound, fields, caught) for name, bound in nodes.items()}
        return Shape(
            names=names,
            role="agent",
            path=path,
            node=node,
            graph=app,
            fields=fields,
            children=loop,
            kind=kind_of(path),
            description=next((text for bound in nodes.values() if (text := _compat.system_prompt(bound))), ""),
            tools=tuple(tool for bound in nodes.values() for tool in _compat.tools_of(bound) or ()),
        )
    inside = f"{prefix}{node}/" if node else prefix
    children: dict[str, Shape] = {}
    used: set[str] = set()
    for name, bound in nodes.items():
        if _compat.is_graph(bound):
            below = frozenset((used | set(nodes)) - {name})
            child = _graph(bound, (*names, name), inside, name, below)
            child = _described(child, _compat.node_metadata(app, name))
        else:
            child = _leaf(app, (*names, name), inside, name, bound, fields)
        used.add(child.path.rsplit("/", 1)[-1])
        children[name] = child
    return Shape(
        names=names, role="team", path=inside.rstrip("/"), node=node, graph=app, fields=fields, children=children
    )


def _is_loop(nodes: Mapping[str, Any]) -> bool:
    loop = all(is_loop_node(name) and not _compat.is_graph(bound) for name, bound in nodes.items())
    return loop and any(name in _MODEL_NODES for name in nodes)


def _loop_node(
    app: Any,
    names: tuple[str, ...],
    path: str,
    name: str,
    bound: Any,
    fields: Mapping[str, str],
    caught: bool,
) -> Shape:
    role: Role = "inner"
    if name in _MODEL_NODES:
        role = "model"
    elif _compat.tools_of(bound) is not None:
        role = "tools"
    return Shape(
        names=(*names, name),
        role=role,
        path=path,
        node=name,
        graph=app,
        bound=bound,
        fields=fields,
        in_loop=True,
        caught=caught,
    )


def _leaf(app: Any, names: tuple[str, ...], prefix: str, name: str, bound: Any, fields: Mapping[str, str]) -> Shape:
    tools = _compat.tools_of(bound)
    metadata = _compat.node_metadata(app, name)
    worker = _graph(inner, (), "", "", frozenset()) if _compat.is_graph(inner := _compat.worker_inside(bound)) else None
    agent = worker if worker is not None and worker.role == "agent" else None
    return Shape(
        names=names,
        role="leaf" if tools is None else "tools",
        path=f"{prefix}{name}",
        node=name,
        graph=app,
        bound=bound,
        fields=fields,
        kind="tool" if tools is not None else _kind(name, metadata),
        description=str(metadata.get("role") or metadata.get("description") or (agent.description if agent else "")),
        tools=tools or (agent.tools if agent else ()),
    )


def _described(shape: Shape, metadata: Mapping[str, Any]) -> Shape:
    text = metadata.get("role") or metadata.get("description")
    if shape.role != "agent":
        return shape
    changes: dict[str, Any] = {"kind": _kind(shape.path, metadata)}
    if text:
        changes["description"] = str(text)
    return Shape(**{**vars(shape), **changes})


def _kind(path: str, metadata: Mapping[str, Any]) -> AgentKind:
    if metadata.get("kind") in ("worker", "manager", "tool"):
        return metadata["kind"]  # type: ignore[no-any-return]
    return kind_of(path)


def kind_of(path: str) -> AgentKind:
    """What an agent is for, judged by its name."""
    return "manager" if _MANAGERS.fullmatch(path.rsplit("/", 1)[-1]) else "worker"
