"""The conformance kit for LangGraph: small graphs whose models are scripted. Needs pytest and langchain."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import BaseTool, tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, RetryPolicy
from pydantic import SecretStr

from aegis_core.testing import AdapterConformance, Reply, Script, ScriptedError, Way
from aegis_langgraph.models import tap

__all__ = ["LangGraphConformance", "ScriptedChatModel"]

_TOOL = "stock"


class ScriptedChatModel(BaseChatModel):
    """The model of one agent of the kit's systems."""

    script: Any
    agent: str
    api_key: SecretStr
    default_headers: dict[str, str]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @classmethod
    def of(cls, script: Script, agent: str) -> ScriptedChatModel:
        """The model of an agent, with the key and the headers of a client."""
        headers = {"x-api-key": script.api_key}
        return cls(script=script, agent=agent, api_key=SecretStr(script.api_key), default_headers=headers)

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self.bind(tools=[found.name for found in tools if isinstance(found, BaseTool)], **kwargs)

    def _given(self, messages: list[BaseMessage], options: dict[str, Any]) -> dict[str, Any]:
        texts = [str(message.text) for message in messages]
        headers = {**self.default_headers, **options.get("extra_headers", {})}
        secrets = (self.api_key.get_secret_value(), *headers.values())
        return {"agent": self.agent, "texts": texts, "tools": options.get("tools") or (), "secrets": secrets}

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        del stop, run_manager
        reply = self.script.reply(**self._given(messages, kwargs))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(**_fields(reply)))])

    async def _agenerate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        del stop, run_manager
        reply = await self.script.areply(**self._given(messages, kwargs))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(**_fields(reply)))])

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        del stop, run_manager
        yield from _chunks(self.script.reply(**self._given(messages, kwargs)))

    async def _astream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        del stop, run_manager
        for chunk in _chunks(await self.script.areply(**self._given(messages, kwargs))):
            yield chunk


def _fields(reply: Reply) -> dict[str, Any]:
    whole = reply.input_tokens + reply.output_tokens
    usage = {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens, "total_tokens": whole}
    wanted = reply.tool
    calls = [{"name": wanted.name, "args": {"place": wanted.argument}, "id": wanted.call_id}] if wanted else []
    return {"content": reply.text, "tool_calls": calls, "usage_metadata": usage}


def _chunks(reply: Reply) -> Iterator[ChatGenerationChunk]:
    """A reply in two pieces, the second with what is known at the end."""
    middle = len(reply.text) // 2
    if middle:
        yield ChatGenerationChunk(message=AIMessageChunk(content=reply.text[:middle]))
    fields = _fields(reply) | {"content": reply.text[middle:]}
    yield ChatGenerationChunk(message=AIMessageChunk(**fields))


class LangGraphConformance(AdapterConformance):
    """Graphs of function nodes with tapped models, and of `create_agent` members."""

    name = "langgraph"
    ways = ("sync", "async", "stream", "astream")
    framework_modules = ("langgraph", "langchain_core", "langchain")
    distributions = ("langgraph", "langgraph-prebuilt", "langgraph-checkpoint", "langchain-core", "langchain")
    reports_usage = True

    def run(self, app: Any, task: str, way: Way) -> Any:
        given = {"messages": [HumanMessage(task)]}
        if way == "stream":
            return app.stream(given, stream_mode="values")
        if way == "astream":
            return app.astream(given, stream_mode="values")
        return app.invoke(given) if way == "sync" else app.ainvoke(given)

    def plain(self, result: Any) -> Any:
        states = result if isinstance(result, list) else [result]
        return [[_said(message) for message in state["messages"]] for state in states]

    def conversation(self, script: Script, way: Way) -> Any:
        writer, critic = (_member(script, name, way) for name in ("Writer", "Critic"))
        graph = StateGraph(MessagesState)
        graph.add_node("Writer", writer)
        graph.add_node("Critic", critic)
        graph.add_edge(START, "Writer")
        graph.add_conditional_edges("Writer", _criticised, ["Critic", END])
        graph.add_edge("Critic", "Writer")
        return graph.compile(name="conversation")

    def tool_use(self, script: Script, way: Way) -> Any:
        @tool(_TOOL)
        def stock(place: str) -> str:
            """Look up what is in stock in a place."""
            return script.tool(_TOOL, place)

        clerk = create_agent(ScriptedChatModel.of(script, "Clerk"), [stock], system_prompt="You count.", name="Clerk")
        return _chain({"Clerk": clerk, "Writer": _member(script, "Writer", way)})

    def side_by_side(self, script: Script, way: Way) -> Any:
        graph = StateGraph(MessagesState)
        for name in ("Planner", "Left", "Right", "Joiner"):
            graph.add_node(name, _member(script, name, way))
        graph.add_edge(START, "Planner")
        graph.add_edge("Planner", "Left")
        graph.add_edge("Planner", "Right")
        graph.add_edge(["Left", "Right"], "Joiner")
        graph.add_edge("Joiner", END)
        return graph.compile(name="side_by_side")

    def nested(self, script: Script, way: Way) -> Any:
        office = _chain({name: _member(script, f"Office/{name}", way) for name in ("Clerk", "Typist")})
        outer = {name: _member(script, name, way) for name in ("Lead", "Editor")}
        return _chain({"Lead": outer["Lead"], "Office": office, "Editor": outer["Editor"]})

    def handing_over(self, script: Script, way: Way) -> Any:
        speak = _member(script, "Writer", way)

        def writer(state: MessagesState) -> Command[Any]:
            return Command(update=speak(state), goto="Critic")

        async def awriter(state: MessagesState) -> Command[Any]:
            return Command(update=await speak(state), goto="Critic")

        graph = StateGraph(MessagesState)
        first = writer if way in ("sync", "stream") else awriter
        graph.add_node("Writer", first, destinations=("Critic", "Clerk"))
        for name in ("Critic", "Clerk"):
            graph.add_node(name, _member(script, name, way))
            graph.add_edge(name, END)
        graph.add_edge(START, "Writer")
        return graph.compile(name="handing_over")

    def retrying(self, script: Script, way: Way) -> Any:
        graph = StateGraph(MessagesState)
        graph.add_node("Writer", _member(script, "Writer", way))
        policy = RetryPolicy(initial_interval=0.001, jitter=False, max_attempts=2, retry_on=ScriptedError)
        graph.add_node("Critic", _member(script, "Critic", way), retry_policy=policy)
        graph.add_edge(START, "Writer")
        graph.add_edge("Writer", "Critic")
        graph.add_edge("Critic", END)
        return graph.compile(name="retrying")


def _said(message: BaseMessage) -> tuple[Any, ...]:
    calls = getattr(message, "tool_calls", None) or []
    asked = [(call["name"], call["args"], call["id"]) for call in calls]
    return type(message), message.name, message.content, asked, getattr(message, "usage_metadata", None)


def _member(script: Script, path: str, way: Way) -> Any:
    """A node that shows all messages to a tapped model of its own, and adds what that says."""
    model = tap(ScriptedChatModel.of(script, path))
    name = path.rpartition("/")[2]
    headers = {"Authorization": script.header}  # some clients take headers with each call

    def speak(state: MessagesState) -> dict[str, Any]:
        said = model.invoke(state["messages"], extra_headers=headers)
        return {"messages": [said.model_copy(update={"name": name})]}

    async def aspeak(state: MessagesState) -> dict[str, Any]:
        said = await model.ainvoke(state["messages"], extra_headers=headers)
        return {"messages": [said.model_copy(update={"name": name})]}

    return speak if way in ("sync", "stream") else aspeak


def _criticised(state: MessagesState) -> str:
    return END if any(message.name == "Critic" for message in state["messages"]) else "Critic"


def _chain(nodes: dict[str, Any]) -> Any:
    graph = StateGraph(MessagesState)
    names = list(nodes)
    for name, node in nodes.items():
        graph.add_node(name, node)
    for first, second in zip((START, *names), (*names, END), strict=True):
        graph.add_edge(first, second)
    return graph.compile(name="chain")
