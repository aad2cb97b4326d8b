"""Control that goes from one agent to others, by commands and by tools, and who is named in it."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import create_react_agent
from langgraph.types import Command, Send
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_handoff_tool, create_swarm

from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, Seen, look
from tests.adapters.langgraph.models import Scripted, asks, calls, in_turn, repeats, says
from tests.adapters.langgraph.running import ADAPTER, Live, Ran, altered, ran, served, target

pytestmark = pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])


def told(done: Ran) -> list[tuple[str, int, str, tuple[str, ...]]]:
    return [(step.agent, step.turn, step.kind, step.addressed_to) for step in done.trajectory.steps]


def said(text: str) -> dict[str, Any]:
    return {"messages": [("ai", text)]}


COMMANDS: dict[str, tuple[Any, list[tuple[str, tuple[str, ...]]], list[str]]] = {
    "a list with one goal": (
        lambda _: [Command(update=said("one")), Command(update=said("two"), goto="b")],
        [("message", ("b",)), ("handoff", ("b",))],
        ["b"],
    ),
    "a list with two": (
        lambda _: [Command(update=said("one"), goto="b"), Command(update=said("two"), goto="c")],
        [("message", ("b", "c")), ("handoff", ("b", "c"))],
        ["b", "c"],
    ),
    "a list of commands without goals": (
        lambda _: [Command(update=said("one")), Command(update=said("two"))],
        [("message", ()), ("message", ())],
        [],
    ),
    "two goals": (lambda _: Command(update=said("both"), goto=["b", "c"]), [("handoff", ("b", "c"))], ["b", "c"]),
    "two sent": (
        lambda _: Command(update=said("sent"), goto=[Send("b", {"messages": [("user", word)]}) for word in "xy"]),
        [("handoff", ("b",))],
        ["b", "b"],
    ),
    "no words": (lambda _: Command(goto="b"), [("handoff", ("b",))], ["b"]),
    "the end": (lambda _: Command(update=said("done"), goto="__end__"), [("message", ())], []),
}


@PATHS
@pytest.mark.parametrize(("first", "steps", "then"), COMMANDS.values(), ids=COMMANDS)
@pytest.mark.case("langgraph-19")
def test_commands_of_every_form(first: Any, steps: Any, then: list[str], replay: Any) -> None:
    def build() -> Any:
        graph = StateGraph(MessagesState)
        graph.add_node("a", first, destinations=("b", "c", "__end__"))
        for name in "bc":
            graph.add_node(name, graphs.member(name))
        graph.add_edge(START, "a")
        return graph.compile()

    done = ran(build(), ASK, replay=replay() if replay else None)
    own = [(step.kind, step.addressed_to) for step in done.trajectory.steps if step.agent == "a"]
    assert own == steps
    assert [step.agent for step in done.trajectory.steps[len(own) :]] == then
    again = served(build, ASK, done)
    assert again.canonical == done.canonical


@pytest.mark.parametrize("scope", ["belief", "outgoing"])
@pytest.mark.case("langgraph-22")
def test_each_message_of_a_list_of_commands_can_be_altered(scope: Any) -> None:
    def build(seen: Seen | None = None) -> Any:
        graph = StateGraph(MessagesState)
        graph.add_node("a", COMMANDS["a list with one goal"][0], destinations=("b",))
        graph.add_node("b", graphs.member("b", seen))
        graph.add_edge(START, "a")
        return graph.compile()

    clean = ran(build(), ASK)
    seen: Seen = []
    altered(lambda: build(seen), ASK, clean, target("a", "response_corruption", scope))
    assert seen == [["start", "one", "two ALTERED"]]


MAKERS = pytest.mark.parametrize("make", [create_agent, create_react_agent], ids=["agent", "react"])


@PATHS
@MAKERS
@pytest.mark.case("langgraph-21")
@pytest.mark.case("langgraph-N11")
def test_members_of_a_swarm_are_named_as_their_author_named_them(make: Any, replay: Any) -> None:
    alice = make(
        Scripted(answer=in_turn(calls("transfer_to_bob", "c1"), "alice")),
        [create_handoff_tool(agent_name="bob")],
        name="alice",
    )
    bob = make(Scripted(answer=repeats("bob")), [create_handoff_tool(agent_name="alice")], name="bob")
    app = create_swarm([alice, bob], default_active_agent="alice").compile()
    done = ran(app, ASK, replay=replay() if replay else None)
    assert told(done) == [("alice", 1, "handoff", ("bob",)), ("bob", 1, "message", ())]
    assert [agent.path for agent in ADAPTER.agents(app)] == ["alice", "bob"]


def deciding(member: str) -> Any:
    def decide(messages: list[Any]) -> Any:
        spoken = {message.name for message in messages if message.type == "ai"}
        return "all done" if member in spoken else calls(f"transfer_to_{member}", f"call_{member}")

    return decide


def hierarchy(make: Any) -> Any:
    """A supervisor over a team that has a supervisor of its own."""
    writer = make(Scripted(answer=repeats("writer")), [], name="writer")
    desk = create_supervisor([writer], model=Scripted(answer=deciding("writer")), supervisor_name="editor")
    inner = desk.compile(name="desk")
    return create_supervisor([inner], model=Scripted(answer=deciding("desk")), supervisor_name="chief").compile()


@PATHS
@MAKERS
@pytest.mark.case("langgraph-20")
@pytest.mark.case("langgraph-N11")
def test_a_supervisor_over_a_supervisor(make: Any, replay: Any) -> None:
    done = ran(hierarchy(make), ASK, replay=replay() if replay else None)
    assert told(done) == [
        ("chief", 1, "handoff", ("desk",)),
        ("desk/editor", 1, "handoff", ("desk/writer",)),
        ("desk/writer", 1, "message", ("desk/editor",)),
        ("desk/writer", 1, "handoff", ("desk/editor",)),
        ("desk/editor", 2, "message", ()),
        ("desk", 1, "handoff", ("chief",)),
        ("chief", 2, "message", ()),
    ]
    again = served(lambda: hierarchy(make), ASK, done)
    assert (again.run.live_model_calls, again.canonical) == (0, done.canonical)


def working(make: Any) -> Any:
    """A supervisor over a worker with a tool, and over one without."""
    looks = Scripted(answer=lambda messages: "found" if messages[-1].name == "look" else calls("look", x="it"))
    workers = [make(looks, [look], name="finder"), make(Scripted(answer=says("written")), [], name="Writer Two")]

    def decide(messages: list[Any]) -> Any:
        spoken = {message.name for message in messages if message.type == "ai"}
        waiting = next((name for name in ("finder", "Writer Two") if name not in spoken), None)
        return calls(f"transfer_to_{waiting.lower().replace(' ', '_')}", f"call_{waiting}") if waiting else "all done"

    return create_supervisor(workers, model=Scripted(answer=decide), supervisor_name="Chief Editor").compile()


@PATHS
@MAKERS
@pytest.mark.case("langgraph-20")
def test_workers_hand_back_to_their_supervisor_by_its_path(make: Any, replay: Any) -> None:
    app = working(make)
    done = ran(app, ASK, replay=replay() if replay else None)
    assert told(done) == [
        ("Chief Editor", 1, "handoff", ("finder",)),
        ("finder", 1, "tool_call", ()),
        ("finder", 1, "tool_result", ()),
        ("finder", 1, "message", ("Chief Editor",)),
        ("finder", 1, "handoff", ("Chief Editor",)),
        ("Chief Editor", 2, "handoff", ("Writer Two",)),
        ("Writer Two", 1, "message", ("Chief Editor",)),
        ("Writer Two", 1, "handoff", ("Chief Editor",)),
        ("Chief Editor", 3, "message", ()),
    ]
    assert {agent.path: agent.tools for agent in ADAPTER.agents(app)} == {
        "Chief Editor": ("transfer_to_finder", "transfer_to_writer_two"),
        "finder": ("look",),
        "Writer Two": (),
    }


@MAKERS
@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize("scope", ["outgoing", "belief"])
@pytest.mark.case("langgraph-20")
def test_an_altered_hand_off_of_a_supervisor_is_told_once(make: Any, scope: Any, turn: int) -> None:
    clean = ran(working(make), ASK)
    done = altered(
        lambda: working(make), ASK, clean, target("Chief Editor", "response_corruption", scope, turn=turn), level="call"
    )
    assert told(done) == told(clean)
    changed = [(old, new) for old, new in zip(clean.texts, done.texts, strict=True) if old != new]
    assert [new for _, new in changed] == [f"{old} ALTERED" for old, _ in changed]
    assert len(changed) == 1


@MAKERS
@pytest.mark.parametrize("inner", ["graph", "agent", "react"])
@pytest.mark.parametrize("inside", [False, True], ids=["root", "node"])
@pytest.mark.case("langgraph-N11")
def test_what_an_agents_tool_calls_is_not_named_after_the_agent(make: Any, inner: str, inside: bool) -> None:
    """Callbacks of the inner graph carry the name of the agent outside."""
    helpers: dict[str, Any] = {
        "graph": lambda: graphs.chain("helper"),
        "agent": lambda: create_agent(Scripted(answer=repeats("helper")), [], name="helper"),
        "react": lambda: create_react_agent(Scripted(answer=repeats("helper")), [], name="helper"),
    }
    helper = helpers[inner]()

    @tool
    def consult(question: str) -> str:
        """Ask."""
        return str(helper.invoke({"messages": [("user", question)]})["messages"][-1].text)

    app = make(Scripted(answer=in_turn(asks(("consult", {"question": "why"}, "c1")), "so")), [consult], name="boss")
    if inside:
        graph = StateGraph(MessagesState)
        graph.add_node("node", app)
        graph.add_edge(START, "node")
        app = graph.compile()
    done = ran(app, ASK)
    assert [(step.agent, step.kind) for step in done.trajectory.steps] == [
        ("boss", "tool_call"),
        ("boss/helper", "message"),
        ("boss", "tool_result"),
        ("boss", "message"),
    ]
