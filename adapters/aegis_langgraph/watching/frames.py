"""Where the code of a graph is at the moment: the runs that callbacks tell of, as a tree of frames.

A frame's `order` is the key by which steps are sorted: the number of the invocation, then superstep and path of each
task from the outermost to the innermost. At odd places stands what comes one after another (supersteps, calls of a
graph inside a node), at even ones what runs side by side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, Literal

from aegis_core.adapter import Part
from aegis_core.run.recorder import OrderKey
from aegis_core.trajectory import Agent
from aegis_langgraph import _compat
from aegis_langgraph.names import Layout, Shape, is_loop_node, kind_of, loop_role
from aegis_langgraph.texts.state import Text
from aegis_langgraph.watching.answers import Written

__all__ = ["INVOCATION", "Frame", "Frames", "precedes"]

INVOCATION = "invocation "
"""What the keys of turns begin with that belong to a whole invocation: the loop of an agent at the root."""

Role = Literal["invocation", "foreign", "chain", "team", "agent", "leaf", "tools", "model", "inner", "within"]
"""Beside the roles of a shape: `invocation` is a run without a parent, `chain` a run that is no task, `within` a task
that belongs to the turn of the node around it, `foreign` a graph that is not the recorded one nor called by it, and all
inside of it."""


@dataclass(eq=False)
class Frame:
    """One run of something, as callbacks tell of it.

    `turn_key` says to which turn a task belongs: the same for all attempts at it, and for all nodes of one loop.
    """

    name: str
    role: Role
    parent: Frame | None = None
    names: tuple[str, ...] = ()
    depth: int = 0
    """How many nodes of foreign graphs stand around the recorded one."""
    namespace: str = ""
    order: OrderKey = ()
    branch: str = ""
    path: str = ""
    turn_key: str = ""
    pushed: bool = False
    shape: Shape | None = None
    lc_name: str | None = None
    inputs: Any = None
    entered: bool = False
    """Of the outermost graph: whether a node of it has begun."""
    written: Written | None = None
    """Of the outermost graph: what its nodes have written."""
    thread: Any = None
    """Of what may be the outermost graph: the thread of its checkpointer, as the user named it."""
    serial: int = 0
    graphs: int = 0
    """How many graphs were called inside this task, or by this tool."""
    call: int | None = None
    """Of a tool that a model asked for: the how manieth of its message, from 0."""
    ordinal: int = 0
    """Of a graph that was called inside a task: the how manieth."""
    is_loop: bool | None = None
    """Of such a graph: whether it is one agent's loop, as far as its nodes have told."""
    repeatable: list[Text] = field(default_factory=list)
    """Of a task: the messages that agents said inside it. It may return them."""

    handed_over: bool = False
    """Of a node: whether it ended by a hand-off that was made in a graph inside it."""
    met: dict[str, Agent] = field(default_factory=dict)
    """Of a task: the agents that acted inside it, by path."""
    sent: list[Part] = field(default_factory=list)
    """Of a task: what its models were shown, where the task as a whole is the call."""

    @property
    def task(self) -> Frame:
        """The innermost task around this, or the invocation."""
        frame = self
        while frame.role == "chain" and frame.parent is not None:
            frame = frame.parent
        return frame

    @property
    def tool(self) -> Frame | None:
        """The call of a tool around this, of which the place among those beside it is known."""
        frame: Frame | None = self
        while frame is not None and frame.role == "chain":
            if frame.call is not None:
                return frame
            frame = frame.parent
        return None

    @property
    def in_loop(self) -> bool:
        """Whether this is a node of an agent's loop, whose turn is that of the whole loop."""
        return self.turn_key != self.namespace

    def meet(self) -> Agent | None:
        """The agent of this task, if the graph does not show it; the tasks around it are told."""
        if self.shape is not None:
            return None
        is_tool = self.role == "tools" and not self.in_loop
        agent = Agent(path=self.path, kind="tool" if is_tool else kind_of(self.path))
        above = self.parent
        while above is not None:
            if above.role in ("leaf", "tools"):
                above.met.setdefault(self.path, agent)
            above = above.parent
        return agent

    @property
    def catches(self) -> bool:
        """Whether this is a node of an agent's loop in which each call of a model counts by itself."""
        return self.role == "inner" or (self.role == "model" and self.shape is not None and self.shape.caught)

    @property
    def turn_order(self) -> OrderKey:
        """The key of the turn: of the node itself, or of the loop around it."""
        return self.order[:-2] if self.in_loop else self.order

    def said_inside(self, text: Text) -> bool:
        """Whether an agent inside this task said this text, and by this very message."""
        return any(
            said.part.text == text.part.text
            and (said.origin is text.origin or (said.message_id is not None and said.message_id == text.message_id))
            for said in self.repeatable
        )

    @property
    def graph_name(self) -> str:
        """The name of the graph whose task this is, if it was called inside a node."""
        above = self.parent
        return above.name if above is not None and above.role == "chain" else ""


def precedes(order: OrderKey, later: OrderKey) -> bool:
    """Whether what has the first key happened before, rather than beside, what has the second."""
    for place, (left, right) in enumerate(zip(order, later, strict=False)):
        if left != right:
            return (place % 2 == 1 or place == 0) and _is_before(left, right)
    return True


def _is_before(left: int | str, right: int | str) -> bool:
    """Numbers before names, as `sortable` has it."""
    if isinstance(left, int):
        return not isinstance(right, int) or left < right
    return not isinstance(right, int) and left < right


class Frames:
    """The frames that are open. Bounded: a frame goes when its run ends."""

    def __init__(self, layout: Layout, app: Any) -> None:
        self._layout = layout
        self._app = app
        self.foreign: dict[str, None] = {}
        """Names of the other graphs that were called beside the recorded one."""
        self._open: dict[Any, Frame] = {}
        self._invocations = 0
        self._serial = 0
        self._lock = RLock()

    def __len__(self) -> int:
        return len(self._open)

    def get(self, run_id: Any) -> Frame | None:
        """The frame of a run, if it is open."""
        return self._open.get(run_id)

    def invocations(self) -> tuple[Frame, ...]:
        """The open frames that have no parent."""
        with self._lock:
            return tuple(frame for frame in self._open.values() if frame.role == "invocation")

    def begin(
        self,
        run_id: Any,
        parent_id: Any,
        name: str,
        metadata: Mapping[str, Any] | None,
        inputs: Any,
        graph: Any = None,
    ) -> Frame:
        """A run begins; `graph` is what runs, if it is one."""
        with self._lock:
            parent = self._open.get(parent_id)
            around = parent.task.role if parent is not None else "foreign"
            if graph is not None and around in ("invocation", "foreign") and not self._is_recorded(graph):
                self.foreign[name] = None
                frame = Frame(name=name, role="foreign", parent=parent)
            elif parent is None or (graph is not None and around == "foreign"):
                frame = self._invocation(name, metadata, inputs)
            elif around == "foreign":
                frame = Frame(name=name, role="foreign", parent=parent)
            else:
                frame = self._child(parent, name, metadata, inputs)
            self._serial += 1
            frame.serial = self._serial
            self._open[run_id] = frame
            return frame

    def _is_recorded(self, graph: Any) -> bool:
        return self._app is None or _compat.is_same_graph(graph, self._app)

    def _invocation(self, name: str, metadata: Mapping[str, Any] | None, inputs: Any) -> Frame:
        number, place = self._invocations, _compat.place(metadata)
        self._invocations += 1
        return Frame(
            name=name,
            role="invocation",
            depth=len(place.names) if place is not None else 0,
            namespace=place.namespace if place is not None else "",
            order=(number,),
            turn_key=f"{INVOCATION}{number}",
            inputs=inputs,
        )

    def end(self, run_id: Any) -> Frame | None:
        """A run ends, in whichever way."""
        with self._lock:
            return self._open.pop(run_id, None)

    def _child(self, parent: Frame, name: str, metadata: Mapping[str, Any] | None, inputs: Any) -> Frame:
        place = _compat.place(metadata)
        around = parent.task
        tool = parent.tool
        branch = _branched(around.branch, tool.call if tool is not None else None)
        is_task = place is not None and place.namespace != around.namespace and name == place.node
        if place is None or not is_task or place.node == _compat.START_NODE:
            return Frame(
                name=name,
                role="chain",
                parent=parent,
                names=around.names,
                depth=around.depth,
                namespace=around.namespace,
                order=around.order,
                branch=branch,
                path=around.path,
                turn_key=around.turn_key,
                shape=around.shape,
                lc_name=_compat.agent_name(metadata),
                inputs=inputs if around.role == "invocation" else None,
            )
        frame = Frame(
            name=name,
            role="leaf",
            parent=parent,
            names=place.names[around.depth :],
            depth=around.depth,
            namespace=place.namespace,
            order=(*around.order, *place.key),
            branch=branch,
            turn_key=place.namespace,
            pushed=place.push is not None,
            lc_name=_compat.agent_name(metadata),
        )
        shape = self._layout.find(frame.names)
        if shape is not None:
            _known(frame, around, shape)
        else:
            _number(frame, around)
            _unknown(frame, around)
        in_loop = frame.role in ("tools", "model", "inner", "within") and frame.turn_key != frame.namespace
        if place.push is not None and not in_loop:
            frame.branch = f"{branch}/{place.push}" if branch else str(place.push)
        return frame


def _branched(branch: str, call: int | None) -> str:
    """The branch of what a tool calls: tools of one message run side by side. The first is where a single one is."""
    if not call:
        return branch
    return f"{branch}/{call}" if branch else str(call)


def _known(frame: Frame, around: Frame, shape: Shape) -> None:
    frame.shape, frame.role, frame.path = shape, shape.role, shape.path
    if shape.in_loop:
        frame.turn_key = around.turn_key


def _number(frame: Frame, around: Frame) -> None:
    """Tell the tasks of one call of a graph from those of the next."""
    graph = frame.parent
    if graph is None or graph is around:
        return
    tool = graph.tool
    if not graph.ordinal:
        within = tool or around
        within.graphs += 1
        graph.ordinal = within.graphs
    beside = (0, f"call:{tool.call:04d}") if tool is not None else ()
    frame.order = (*around.order, *beside, graph.ordinal, "graph", *frame.order[len(around.order) :])


def _unknown(frame: Frame, around: Frame) -> None:
    """A task of a graph that was called inside a node, or of the functional API: named by what callbacks tell."""
    graph = frame.graph_name
    own = around.path.rsplit("/", 1)[-1]
    prefix = f"{around.path}/" if around.path else ""
    named = graph not in ("", _compat.DEFAULT_NAME)
    if not _is_of_a_loop(frame):
        frame.path = f"{prefix}{graph}/{frame.name}" if named and graph != own and prefix else f"{prefix}{frame.name}"
        frame.role = "tools" if is_loop_node(frame.name) and loop_role(frame.name) == "tools" else "leaf"
        return
    inherited = around.lc_name
    agent = frame.lc_name if frame.lc_name not in (None, inherited) else graph if named else own
    if not prefix or agent != own:
        frame.path = f"{prefix}{agent or 'agent'}"
        frame.role = loop_role(frame.name)
        frame.turn_key = f"{around.turn_key}|{frame.parent.serial if frame.parent is not None else 0}"
    else:
        frame.path, frame.role, frame.turn_key = around.path, "within", around.turn_key


def _is_of_a_loop(frame: Frame) -> bool:
    """Whether this is a node of one agent's loop. `tools` alone does not tell: the first node beside it does."""
    graph = frame.parent
    if not is_loop_node(frame.name):
        is_loop = False
    elif loop_role(frame.name) == "tools":
        return graph is None or graph.is_loop is not False
    else:
        is_loop = True
    if graph is not None and graph.role == "chain" and graph.is_loop is None:
        graph.is_loop = is_loop
    return is_loop
