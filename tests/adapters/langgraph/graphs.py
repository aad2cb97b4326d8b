"""Graphs for tests. Each call builds a fresh one; models write what they see into `seen`."""

from __future__ import annotations

import operator
import warnings
from typing import Annotated, Any, TypedDict

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, create_react_agent
from langgraph.types import Command, Send
from langgraph.warnings import LangGraphDeprecatedSinceV10
from langgraph_supervisor import create_supervisor
from langgraph_swarm import create_handoff_tool, create_swarm

from tests.adapters.langgraph.models import Scripted, asks, calls, in_turn, repeats

Seen = list[list[str]]
ASK = {"messages": [("user", "start")]}


@tool
def look(x: str) -> str:
    """Look something up."""
    return f"found {x}"


@tool
def broken(x: str) -> str:
    """Never works."""
    raise ValueError(f"no {x} today")


def member(name: str, seen: Seen | None = None) -> Any:
    """A node that hands its messages to a model of its own."""
    model = Scripted(answer=repeats(name), seen=seen)

    def speak(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"]).model_copy(update={"name": name})]}

    return speak


def amember(name: str, seen: Seen | None = None) -> Any:
    """The same, asynchronous only."""
    model = Scripted(answer=repeats(name), seen=seen)

    async def speak(state: MessagesState) -> dict[str, Any]:
        reply = await model.ainvoke(state["messages"])
        return {"messages": [reply.model_copy(update={"name": name})]}

    return speak


def chain(*names: str, seen: Seen | None = None, make: Any = member, **options: Any) -> Any:
    """Members one after another."""
    graph = StateGraph(MessagesState)
    for name in names:
        graph.add_node(name, make(name, seen))
    for first, second in zip((START, *names), (*names, END), strict=True):
        graph.add_edge(first, second)
    return graph.compile(**options)


def there_and_back(seen: Seen | None = None) -> Any:
    """a, b, and a once more."""
    graph = StateGraph(MessagesState)
    graph.add_node("a", member("a", seen))
    graph.add_node("b", member("b", seen))
    graph.add_edge(START, "a")
    graph.add_edge("b", "a")
    graph.add_conditional_edges("a", lambda state: "b" if len(state["messages"]) < 3 else END, ["b", END])
    return graph.compile()


class Items(TypedDict):
    question: str
    notes: Annotated[list[str], operator.add]
    answer: str


def fan_out(delays: dict[str, float] | None = None) -> Any:
    """Three tasks of one node, sent by a planner, then a join. State of plain strings."""
    import time

    def planner(state: Items) -> dict[str, Any]:
        return {"question": f"plan of {state['question']}"}

    def worker(state: dict[str, str]) -> dict[str, Any]:
        time.sleep((delays or {}).get(state["item"], 0))
        return {"notes": [f"note on {state['item']}"]}

    def join(state: Items) -> dict[str, Any]:
        return {"answer": "; ".join(state["notes"])}

    graph = StateGraph(Items)
    graph.add_node("planner", planner)
    graph.add_node("worker", worker)
    graph.add_node("join", join)
    graph.add_edge(START, "planner")
    graph.add_conditional_edges("planner", lambda _: [Send("worker", {"item": item}) for item in "xyz"], ["worker"])
    graph.add_edge("worker", "join")
    return graph.compile()


def teams(seen: Seen | None = None) -> Any:
    """A team with a team inside, then carol."""
    inner = chain("deep", seen=seen)
    team = StateGraph(MessagesState)
    team.add_node("alice", member("alice", seen))
    team.add_node("sub", inner)
    team.add_node("bob", member("bob", seen))
    team.add_edge(START, "alice")
    team.add_edge("alice", "sub")
    team.add_edge("sub", "bob")
    graph = StateGraph(MessagesState)
    graph.add_node("team", team.compile())
    graph.add_node("carol", member("carol", seen))
    graph.add_edge(START, "team")
    graph.add_edge("team", "carol")
    return graph.compile()


def commanding(seen: Seen | None = None) -> Any:
    """a hands over to b by a command; carol could be reached too."""
    speak = member("a", seen)

    def first(state: MessagesState) -> Command[Any]:
        return Command(update=speak(state), goto="b")

    graph = StateGraph(MessagesState)
    graph.add_node("a", first, destinations=("b", "carol"))
    graph.add_node("b", member("b", seen))
    graph.add_node("carol", member("carol", seen))
    graph.add_edge(START, "a")
    return graph.compile()


def researcher(seen: Seen | None = None, **more: Any) -> Any:
    """An agent that thinks aloud, asks for two tools at once and for one that there is not, then answers."""
    first = asks(("look", {"x": "p"}, "c1"), ("look", {"x": "q"}, "c2"), ("nope", {}, "c3"), text="let me see")
    final = repeats("done")

    def answer(messages: list[Any]) -> Any:
        return first.model_copy(deep=True) if messages[-1].type == "human" else final(messages)

    model = Scripted(answer=answer, seen=seen)
    return create_agent(model, [look], system_prompt="You look things up.", name="researcher", **more)


def agent_and_writer(seen: Seen | None = None) -> Any:
    """`researcher` as a node, then a writer."""
    graph = StateGraph(MessagesState)
    graph.add_node("researcher", researcher(seen))
    graph.add_node("writer", member("writer", seen))
    graph.add_edge(START, "researcher")
    graph.add_edge("researcher", "writer")
    return graph.compile()


def supervised(seen: Seen | None = None) -> Any:
    """A supervisor with a worker of each make."""
    one = create_agent(Scripted(answer=repeats("R"), seen=seen), [], name="researcher")

    def decide(messages: list[Any]) -> AIMessage | str:
        spoken = {message.name for message in messages if message.type == "ai"}
        if "researcher" not in spoken:
            return calls("transfer_to_researcher", "call_1")
        if "writer" not in spoken:
            return calls("transfer_to_writer", "call_2")
        return "final"

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LangGraphDeprecatedSinceV10)  # create_react_agent, which supervisor uses too
        two = create_react_agent(Scripted(answer=repeats("W"), seen=seen), [], name="writer")
        return create_supervisor([one, two], model=Scripted(answer=decide, seen=seen), prompt="Decide.").compile()


def swarm(seen: Seen | None = None) -> Any:
    """alice hands over to bob."""
    alice = create_agent(
        Scripted(answer=in_turn(calls("transfer_to_bob", "call_t"), "alice here"), seen=seen),
        [create_handoff_tool(agent_name="bob"), create_handoff_tool(agent_name="carol")],
        name="alice",
    )
    bob, carol = (
        create_agent(Scripted(answer=repeats(name), seen=seen), [create_handoff_tool(agent_name="alice")], name=name)
        for name in ("bob", "carol")
    )
    return create_swarm([alice, bob, carol], default_active_agent="alice").compile()


def inside_function(seen: Seen | None = None) -> Any:
    """A node whose function calls a graph twice, a model and a tool."""
    inner = chain("inner", "second", seen=seen)
    model = Scripted(answer=repeats("model"), seen=seen)

    def outer(state: MessagesState) -> dict[str, Any]:
        texts = [
            inner.invoke({"messages": [HumanMessage(f"{word} {state['messages'][-1].text}")]})["messages"][-1].text
            for word in ("once", "twice")
        ]
        said = model.invoke([HumanMessage(" ".join(texts))])
        return {"messages": [AIMessage(f"{said.text} {look.invoke({'x': 'it'})}", name="outer")]}

    graph = StateGraph(MessagesState)
    graph.add_node("outer", outer)
    graph.add_node("last", member("last", seen))
    graph.add_edge(START, "outer")
    graph.add_edge("outer", "last")
    return graph.compile()


def asking(name: str = "ag", tools: str = "tools", seen: Seen | None = None) -> Any:
    """A graph of a node that asks for a tool, and of a node that runs it."""
    chat = Scripted(answer=in_turn(calls("look", x="it"), "that is it"), seen=seen)
    graph = StateGraph(MessagesState)
    graph.add_node(name, lambda state: {"messages": [chat.invoke(state["messages"])]})
    graph.add_node(tools, ToolNode([look]))
    graph.add_edge(START, name)
    graph.add_conditional_edges(
        name, lambda state: tools if state["messages"][-1].tool_calls else "__end__", [tools, "__end__"]
    )
    graph.add_edge(tools, name)
    return graph.compile()


def calling(make: Any = asking, *, as_node: bool = False, returned: int = -1, **options: Any) -> Any:
    """A node that is a graph, or whose function calls that graph and returns the last messages of it."""
    inner = make(**options)

    def call(state: MessagesState) -> dict[str, Any]:
        return {"messages": inner.invoke(state)["messages"][returned:]}

    async def acall(state: MessagesState) -> dict[str, Any]:
        return {"messages": (await inner.ainvoke(state))["messages"][returned:]}

    graph = StateGraph(MessagesState)
    graph.add_node("call", inner if as_node else RunnableLambda(call, acall))
    graph.add_node("last", member("last"))
    graph.add_edge(START, "call")
    graph.add_edge("call", "last")
    return graph.compile()


def consulting(seen: Seen | None = None) -> Any:
    """An agent whose tool asks a graph of two agents."""
    inner = chain("clerk", "judge", seen=seen)

    @tool
    def consult(question: str) -> str:
        """Ask the office."""
        return str(inner.invoke({"messages": [("user", question)]})["messages"][-1].text)

    model = Scripted(answer=in_turn(calls("consult", question="why"), "because"), seen=seen)
    return create_agent(model, [consult], name="boss")


class Plain(TypedDict):
    messages: Annotated[list[AnyMessage], operator.add]
    topic: str
