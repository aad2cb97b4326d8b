"""Small teams of AutoGen with scripted models, one for each topology."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from autogen_agentchat.agents import (
    AssistantAgent,
    BaseChatAgent,
    SocietyOfMindAgent,
)
from autogen_agentchat.base import Response
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import BaseChatMessage, TextMessage
from autogen_agentchat.teams import (
    DiGraphBuilder,
    GraphFlow,
    MagenticOneGroupChat,
    RoundRobinGroupChat,
    SelectorGroupChat,
    Swarm,
)
from autogen_agentchat.tools import AgentTool
from autogen_core import CancellationToken

from tests.adapters.autogen.models import Book, Client, Reply, call


def assistant(
    book: Book, name: str, reply: Reply | None = None, *, owner: str = "", delay: float = 0.0, **more: Any
) -> Any:
    client = more.pop("client", None) or Client(book, owner or name, reply, delay=delay)
    return AssistantAgent(name, client, system_message=f"You are {name}.", description=f"the {name}", **more)


def round_robin(book: Book | None = None, *, stream: bool = False, most: int = 5) -> RoundRobinGroupChat:
    """a, b, a, b."""
    book = book or Book()
    members: Any = [assistant(book, name, model_client_stream=stream) for name in ("a", "b")]
    return RoundRobinGroupChat(members, termination_condition=MaxMessageTermination(most))


def choose(texts: list[str], _: list[str]) -> str:
    """A selector: x, then y, then z, by what stands in its prompt."""
    prompt = texts[0]
    return "z" if "\ny: y<" in prompt else "y" if "\nx: x<" in prompt else "x"


def selector(book: Book | None = None, *, most: int = 4, emits: bool = True, client: Any = None) -> SelectorGroupChat:
    """x, y, z, chosen by a model."""
    book = book or Book()
    members: Any = [assistant(book, name, client=client) for name in ("x", "y", "z")]
    return SelectorGroupChat(
        members,
        model_client=client or Client(book, "SelectorGroupChatManager", choose),
        termination_condition=MaxMessageTermination(most),
        emit_team_events=emits,
    )


def swarm(book: Book | None = None) -> Swarm:
    """a looks something up and hands over to b; c could be reached too."""
    book = book or Book()

    def look(place: str) -> str:
        """Look."""
        book.used.append(place)
        return f"9 crates in {place}"

    def first(texts: list[str], _: list[str]) -> Any:
        if not any("9 crates" in text for text in texts):
            return [call("look", '{"place": "hall 2"}')]
        return [call("transfer_to_b")]

    a = assistant(book, "a", first, tools=[look], handoffs=["b", "c"], max_tool_iterations=3)
    return Swarm([a, assistant(book, "b"), assistant(book, "c")], max_turns=2)


def graph(
    book: Book | None = None, *, delays: tuple[float, float] = (0.0, 0.0), wrap: Callable[[Any], Any] = lambda a: a
) -> GraphFlow:
    """a, then b and c at once, then d."""
    book = book or Book()
    waits = {"b": delays[0], "c": delays[1]}
    a, b, c, d = (wrap(assistant(book, name, delay=waits.get(name, 0.0))) for name in "abcd")
    builder = DiGraphBuilder()
    for member in (a, b, c, d):
        builder.add_node(member)
    builder.add_edge(a, b).add_edge(a, c).add_edge(b, d).add_edge(c, d)
    return GraphFlow([a, b, c, d], graph=builder.build())


def loop(book: Book | None = None) -> GraphFlow:
    """write, review, write, review, ... until the review says that it is good; then print."""
    book = book or Book()

    def judge(texts: list[str], _: list[str]) -> str:
        return "good" if sum(text.startswith("write<") for text in texts) >= 3 else "again"

    write, review, out = assistant(book, "write"), assistant(book, "review", judge), assistant(book, "out")
    builder = DiGraphBuilder()
    for member in (write, review, out):
        builder.add_node(member)
    builder.add_edge(write, review)
    builder.add_edge(review, write, condition="again")
    builder.add_edge(review, out, condition="good")
    builder.set_entry_point(write)
    return GraphFlow([write, review, out], graph=builder.build(), termination_condition=MaxMessageTermination(20))


def ledger(speaker: str, instruction: str, *, done: bool = False) -> str:
    def entry(answer: Any) -> dict[str, Any]:
        return {"reason": "because", "answer": answer}

    return json.dumps(
        {
            "is_request_satisfied": entry(done),
            "is_in_loop": entry(False),
            "is_progress_being_made": entry(True),
            "next_speaker": entry(speaker),
            "instruction_or_question": entry(instruction),
        }
    )


def orchestrate(texts: list[str], _: list[str]) -> str:
    """Facts, plan, a, b, final answer."""
    last, history = texts[-1], "\n".join(texts[:-1])
    if "GIVEN OR VERIFIED FACTS" in last:
        return "FACTS"
    if "devise a short bullet-point plan" in last:
        return "PLAN"
    if "pure JSON" in last:
        if "b<" in history:
            return ledger("b", "nothing", done=True)
        return ledger("b", "now count, b") if "a<" in history else ledger("a", "look, a")
    return f"FINAL of {len(texts)}: {texts[-2]}"


def magentic(book: Book | None = None) -> MagenticOneGroupChat:
    """An orchestrator, with a and b."""
    book = book or Book()
    members: Any = [assistant(book, name) for name in ("a", "b")]
    return MagenticOneGroupChat(members, model_client=Client(book, "MagenticOneOrchestrator", orchestrate))


def society(book: Book | None = None) -> RoundRobinGroupChat:
    """som, in which a and b talk, then c."""
    book = book or Book()
    inner: Any = [assistant(book, name, owner=f"som/{name}") for name in ("a", "b")]
    som = SocietyOfMindAgent("som", RoundRobinGroupChat(inner, max_turns=2), Client(book, "som"))
    return RoundRobinGroupChat([som, assistant(book, "c")], max_turns=2)


def agent_tool(book: Book | None = None, *, client: Any = None) -> RoundRobinGroupChat:
    """outer asks inner as a tool, then answers; then c."""
    book = book or Book()
    inner = assistant(book, "inner", owner="outer/inner", client=client)

    def ask(texts: list[str], tools: list[str]) -> Any:
        if tools and not any("inner<" in text for text in texts):
            return [call("inner", '{"task": "count for me"}')]
        return f"outer<{texts[-1]}>"

    outer = assistant(book, "outer", ask, tools=[AgentTool(inner)], max_tool_iterations=2, client=client)
    return RoundRobinGroupChat([outer, assistant(book, "c", client=client)], max_turns=2)


class Whole(BaseChatAgent):
    """An agent of the user's own that has `on_messages` only."""

    def __init__(self, name: str, client: Any = None) -> None:
        super().__init__(name, f"the {name}")
        self.brain = client

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (TextMessage,)

    async def on_messages(self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken) -> Response:
        last = messages[-1].to_model_text() if messages else "nothing"
        text = f"{self.name}<{last}>"
        if self.brain is not None:
            result = await self.brain.create([message.to_model_message() for message in messages])
            text = result.content
        return Response(chat_message=TextMessage(content=text, source=self.name))

    async def on_reset(self, cancellation_token: CancellationToken) -> None:
        pass


class Streamed(Whole):
    """An agent of the user's own that has `on_messages_stream`, and makes `on_messages` of it."""

    async def on_messages(self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken) -> Response:
        async for item in self.on_messages_stream(messages, cancellation_token):
            if isinstance(item, Response):
                return item
        raise AssertionError

    async def on_messages_stream(self, messages: Any, cancellation_token: Any) -> Any:
        yield TextMessage(content="thinking", source=self.name)
        await asyncio.sleep(0)
        yield await super().on_messages(messages, cancellation_token)
