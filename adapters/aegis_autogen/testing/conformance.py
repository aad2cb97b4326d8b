"""The conformance kit for AutoGen: small teams whose models are scripted. Needs pytest."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from autogen_agentchat.agents import (
    AssistantAgent,
    BaseChatAgent,
    MessageFilterAgent,
    MessageFilterConfig,
    PerSourceFilter,
)
from autogen_agentchat.base import Response, TaskResult
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import BaseChatMessage, HandoffMessage, ModelClientStreamingChunkEvent
from autogen_agentchat.teams import DiGraphBuilder, GraphFlow, RoundRobinGroupChat, Swarm
from autogen_core import CancellationToken, FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    ModelFamily,
    RequestUsage,
)

from aegis_autogen import _compat
from aegis_core.testing import AdapterConformance, Reply, Script, Way

__all__ = ["AutoGenConformance", "ScriptedClient"]

_TOOL = "stock"


class ScriptedClient(ChatCompletionClient):
    """The model of one agent of the kit's systems.

    Args:
        script: what it says, and the account of it.
        agent: path of the agent.
    """

    component_type = "model"

    def __init__(self, script: Script, agent: str) -> None:
        self.script = script
        self.agent = agent
        self.api_key, self.headers = script.api_key, {"Authorization": script.header}
        self._used = RequestUsage(0, 0)

    async def create(self, messages: Any, *, tools: Any = (), tool_choice: Any = "auto", **more: Any) -> CreateResult:
        del more
        offered = [] if tool_choice == "none" else [_tool_name(tool) for tool in tools]
        texts = [text for message in messages for text in _texts(message)]
        secrets = (self.api_key, *self.headers.values())
        return _result(await self.script.areply(self.agent, texts, tools=offered, secrets=secrets))

    async def create_stream(self, messages: Any, **more: Any) -> AsyncGenerator[str | CreateResult, None]:
        result = await self.create(messages, **more)
        if isinstance(result.content, str):
            middle = len(result.content) // 2
            yield result.content[:middle]
            yield result.content[middle:]
        yield result

    async def close(self) -> None:
        """Nothing to close."""

    def actual_usage(self) -> RequestUsage:
        return self._used

    def total_usage(self) -> RequestUsage:
        return self._used

    def count_tokens(self, messages: Any, *, tools: Any = ()) -> int:
        del tools
        return len(messages)

    def remaining_tokens(self, messages: Any, *, tools: Any = ()) -> int:
        return 10_000 - self.count_tokens(messages, tools=tools)

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> Any:
        return {
            "vision": False,
            "function_calling": True,
            "json_output": False,
            "family": ModelFamily.UNKNOWN,
            "structured_output": False,
            "multiple_system_messages": True,
        }


def _tool_name(tool: Any) -> str:
    return str(tool["name"] if isinstance(tool, Mapping) else tool.name)


def _texts(message: Any) -> list[str]:
    if isinstance(message, FunctionExecutionResultMessage):
        return [result.content for result in message.content]
    thought = [message.thought] if isinstance(message, AssistantMessage) and message.thought else []
    if isinstance(message.content, str):
        return [*thought, message.content]
    return thought + [item for item in message.content if isinstance(item, str)]


def _result(reply: Reply) -> CreateResult:
    wanted = reply.tool
    usage = RequestUsage(prompt_tokens=reply.input_tokens, completion_tokens=reply.output_tokens)
    if wanted is None:
        return CreateResult(finish_reason="stop", content=reply.text, usage=usage, cached=False)
    arguments = f'{{"place": "{wanted.argument}"}}'
    call = FunctionCall(id=wanted.call_id, name=wanted.name, arguments=arguments)
    return CreateResult(finish_reason="function_calls", content=[call], usage=usage, cached=False)


class _HandingOver(BaseChatAgent):
    """An agent of the user's own making: hands over with what its model says."""

    def __init__(self, name: str, client: ChatCompletionClient, target: str) -> None:
        super().__init__(name, "hands over")
        self._client = client
        self._target = target
        self._heard: list[Any] = []

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (HandoffMessage,)

    async def on_messages(self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken) -> Response:
        self._heard += [message.to_model_message() for message in messages]
        result = await self._client.create(self._heard, cancellation_token=cancellation_token)
        assert isinstance(result.content, str)
        self._heard.append(AssistantMessage(content=result.content, source=self.name))
        usage = result.usage
        return Response(
            chat_message=HandoffMessage(
                content=result.content, source=self.name, target=self._target, models_usage=usage
            )
        )

    async def on_reset(self, cancellation_token: CancellationToken) -> None:  # noqa: ARG002  the framework's form
        self._heard.clear()


class AutoGenConformance(AdapterConformance):
    """Teams of assistants, and one agent of the user's own making."""

    name = "autogen"
    ways = ("async", "astream")
    framework_modules = ("autogen_agentchat", "autogen_core", "autogen_ext")
    distributions = ("autogen-agentchat", "autogen-core")
    reports_usage = True

    def run(self, app: Any, task: str, way: Way) -> Any:
        return app.run_stream(task=task) if way == "astream" else app.run(task=task)

    def message(self, error: BaseException) -> str:
        return str(error).partition("\nTraceback")[0]

    def plain(self, result: Any) -> Any:
        return [_plain(item) for item in result] if isinstance(result, list) else _plain(result)

    def conversation(self, script: Script, way: Way) -> Any:
        members: list[Any] = [_assistant(script, name, stream=way == "astream") for name in ("Writer", "Critic")]
        return RoundRobinGroupChat(members, termination_condition=MaxMessageTermination(4))

    def tool_use(self, script: Script, way: Way) -> Any:
        del way

        def stock(place: str) -> str:
            """Look up what is in stock in a place."""
            return script.tool(_TOOL, place)

        clerk = _assistant(script, "Clerk", tools=[stock], max_tool_iterations=2)
        return RoundRobinGroupChat([clerk, _assistant(script, "Writer")], max_turns=2)

    def side_by_side(self, script: Script, way: Way) -> Any:
        del way
        planner, left, right, last = (_assistant(script, name) for name in ("Planner", "Left", "Right", "Joiner"))
        # AutoGen tells a join of its branches as they arrive; a filter puts them into an order of their own.
        heard = [PerSourceFilter(source=source) for source in ("user", "Planner", "Left", "Right")]
        joiner = MessageFilterAgent("Joiner", last, MessageFilterConfig(per_source=heard))
        graph = DiGraphBuilder()
        for member in (planner, left, right, joiner):
            graph.add_node(member)
        graph.add_edge(planner, left).add_edge(planner, right).add_edge(left, joiner).add_edge(right, joiner)
        return GraphFlow([planner, left, right, joiner], graph=graph.build())

    def nested(self, script: Script, way: Way) -> Any:
        del way
        if not _compat.teams_nest():
            return None
        office: list[Any] = [_assistant(script, f"Office/{name}") for name in ("Clerk", "Typist")]
        inner = RoundRobinGroupChat(office, name="Office", max_turns=2)  # type: ignore[call-arg,unused-ignore]
        lead, editor = (_assistant(script, name) for name in ("Lead", "Editor"))
        return RoundRobinGroupChat([lead, inner, editor], max_turns=3)

    def handing_over(self, script: Script, way: Way) -> Any:
        del way
        writer = _HandingOver("Writer", ScriptedClient(script, "Writer"), "Critic")
        others = [_assistant(script, name) for name in ("Critic", "Clerk")]
        return Swarm([writer, *others], max_turns=2)


def _assistant(script: Script, path: str, *, stream: bool = False, **more: Any) -> AssistantAgent:
    name = path.rpartition("/")[2]
    client = ScriptedClient(script, path)
    return AssistantAgent(name, client, system_message=f"You are {name}.", model_client_stream=stream, **more)


def _plain(item: Any) -> Any:
    if isinstance(item, TaskResult):
        return [_plain(message) for message in item.messages], item.stop_reason
    ids = {"id", "created_at"} | ({"full_message_id"} if isinstance(item, ModelClientStreamingChunkEvent) else set())
    return item.model_dump(exclude=ids)
