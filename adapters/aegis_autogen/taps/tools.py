"""Tools, code and humans: whatever an agent asks beside its model goes through the run.

A tool that runs an agent or a team is no call of its own: what is inside is told, served and altered there, so that the
memories of those agents are what they would be.

Nothing is raised out of a tool: AutoGen waits for ever for a tool that raises. What is ours is remembered instead, and
raised by the tap of the agent when the tool's result comes out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from autogen_core.tools import TextResultContent, ToolResult

from aegis_autogen import _compat
from aegis_autogen.signals import OWN
from aegis_autogen.taps.agents import AgentTap, stepping
from aegis_autogen.taps.standing import StandIn
from aegis_autogen.taps.turns import Place, inside
from aegis_autogen.texts.tools import CodeCodec, TextCodec, ToolCodec, ToolOutcome, ValueCodec
from aegis_core.adapter import Codec, Part, Turn
from aegis_core.run import Run

__all__ = ["ToolTap", "WorkbenchTap", "tapped_code", "tapped_input"]

_Call = Callable[..., Any]


class WorkbenchTap(StandIn):
    """A workbench in the hands of one agent."""

    def __init__(self, workbench: Any, tap: AgentTap) -> None:
        super().__init__(workbench)
        tools = _compat.tools_in(workbench)
        object.__setattr__(self, "_aegis_tap", tap)
        object.__setattr__(self, "_aegis_runners", {tool.name for tool in tools if _compat.runner(tool) is not None})

    async def call_tool(self, name: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> ToolResult:
        async def live(_: dict[str, str]) -> ToolOutcome:
            return ToolOutcome(await self._aegis_real.call_tool(name=name, arguments=arguments, **more))

        place = self._aegis_tap.here()
        if place is None:
            return (await live({})).result
        order = place.activation.next_call()
        if name in self._aegis_runners:
            token = inside.set(Place(place.activation, order))
            try:
                return (await live({})).result
            finally:
                inside.reset(token)
        part = place.activation.call_part(name, arguments, more.get("call_id"))
        return (await self._made(place.activation.at(order), part, name, live)).result

    async def call_tool_stream(
        self, name: str, arguments: Mapping[str, Any] | None = None, **more: Any
    ) -> AsyncGenerator[Any, None]:
        place = self._aegis_tap.here()
        stream = self._aegis_real.call_tool_stream
        if place is None:
            async for item in stream(name=name, arguments=arguments, **more):
                yield item
            return
        order = place.activation.next_call()
        if name in self._aegis_runners:
            there = Place(place.activation, order)
            async for item in stepping(stream(name=name, arguments=arguments, **more), lambda: there):
                yield item
            return
        passing = _Passing()

        async def live(_: dict[str, str]) -> ToolOutcome:
            return await passing.gather(stream(name=name, arguments=arguments, **more))

        part = place.activation.call_part(name, arguments, more.get("call_id"))
        making = asyncio.ensure_future(self._made(place.activation.at(order), part, name, live))
        async for item in passing.out(making):
            yield item

    async def _made(self, turn: Turn | None, part: Part, name: str, live: Callable[..., Any]) -> ToolOutcome:
        if turn is None:
            made: ToolOutcome = await live({})
            return made
        try:
            outcome: ToolOutcome = await _called(self._aegis_tap.run, turn, part, name, live, ToolCodec())
        except OWN as error:
            self._aegis_tap.signals.note(error)
            told = TextResultContent(content="stopped by Aegis")
            outcome = ToolOutcome(ToolResult(name=name, result=[told], is_error=True))
        return outcome


class _Passing:
    """Lets what a tool tells of its work pass as it comes, while the call is being made."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Any] = asyncio.Queue()
        self._passed = 0

    async def gather(self, stream: Any) -> ToolOutcome:
        """The result of a tool, made of its stream."""
        told: list[Any] = []
        result: ToolResult | None = None
        async for item in stream:
            if isinstance(item, ToolResult):
                result = item
            else:
                told.append(item)
                self._queue.put_nowait(item)
        assert result is not None, "a workbench gave no result"
        return ToolOutcome(result, tuple(told))

    async def out(self, making: asyncio.Future[ToolOutcome]) -> AsyncGenerator[Any, None]:
        """What is told, as it comes, then the result. A call that was served tells it all at the end."""
        making.add_done_callback(lambda _: self._queue.put_nowait(None))
        try:
            while (item := await self._queue.get()) is not None:
                self._passed += 1
                yield item
            outcome = await making
            for item in outcome.told[self._passed :]:
                yield item
            yield outcome.result
        finally:
            if not making.done():
                making.cancel()


class ToolTap(StandIn):
    """A tool that an agent calls itself."""

    def __init__(self, tool: Any, tap: AgentTap) -> None:
        super().__init__(tool)
        object.__setattr__(self, "_aegis_tap", tap)

    async def run_json(self, args: Mapping[str, Any], *more: Any, **options: Any) -> Any:
        async def live(_: dict[str, str]) -> Any:
            return await self._aegis_real.run_json(args, *more, **options)

        tap, tool = self._aegis_tap, self._aegis_real
        place = tap.here()
        if place is None:
            return await live({})
        order = place.activation.next_call()
        if _compat.runner(tool) is not None:
            token = inside.set(Place(place.activation, order))
            try:
                return await live({})
            finally:
                inside.reset(token)
        turn = place.activation.at(order)
        if turn is None:
            return await live({})
        part = place.activation.call_part(tool.name, args, None)
        with tap.signals.noted():
            return await _called(tap.run, turn, part, tool.name, live, ValueCodec(tool.return_type()))


def tapped_code(agent: Any, tap: AgentTap) -> _Call:
    """`execute_code_block` of a CodeExecutorAgent."""
    real = agent.execute_code_block

    async def execute_code_block(code_blocks: Any, *more: Any, **options: Any) -> Any:
        place = tap.here()
        turn = place.activation.at(place.activation.next_call()) if place is not None else None

        async def live(_: dict[str, str]) -> Any:
            return await real(code_blocks, *more, **options)

        if turn is None or place is None:
            return await live({})
        blocks = [{"language": block.language, "code": block.code} for block in code_blocks]
        with tap.signals.noted():
            part = place.activation.call_part("code", {"blocks": blocks}, None)
            return await _called(tap.run, turn, part, "code", live, CodeCodec())

    return execute_code_block


def tapped_input(agent: Any, tap: AgentTap) -> _Call:
    """How a UserProxyAgent asks its human."""
    real = getattr(agent, _compat.GET_INPUT)

    async def get_input(prompt: str, *more: Any, **options: Any) -> str:
        turn = await tap.turn()

        async def live(_: dict[str, str]) -> str:
            answer: str = await real(prompt, *more, **options)
            return answer

        if turn is None:
            return await live({})
        parts = (Part(id="prompt", text=prompt, role="assistant", editable=False),)
        with tap.signals.noted():
            return await tap.run.acall(turn, "human", parts, live, TextCodec(), before=(), after=())

    return get_input


async def _called(run: Run, turn: Turn, part: Part, name: str, live: Callable[..., Any], codec: Codec[Any]) -> Any:
    return await run.acall(turn, "tool", (part,), live, codec, name=name, before=(), after=("call",))
