"""Tapping agents: a step of an agent is a turn, and whatever it is asked to do in there goes through the run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterator
from typing import Any

from camel.agents.chat_agent import AsyncStreamingChatAgentResponse, StreamingChatAgentResponse

from aegis_camel import _compat
from aegis_camel.calls import ModelCall
from aegis_camel.held import cut_anew, said_in
from aegis_camel.models import tapped_manager
from aegis_camel.session import Session, Visit
from aegis_camel.texts.messages import written_input
from aegis_camel.tools import real_tool, tapped_tool
from aegis_camel.turns import Manner, Turns
from aegis_core.trace.active import guarded

__all__ = ["AgentTap"]


class AgentTap(Turns):
    """The hold on one agent object. Clones that it makes are tapped too, as the same agent."""

    def __init__(self, session: Session, agent: Any, path: str, manner: Manner | None = None) -> None:
        super().__init__(session, path, manner or Manner())
        self.agent = agent
        patches = session.patches
        self._step, self._astep, self._clone = agent.step, agent.astep, agent.clone
        patches.attribute(agent, "step", self.step)
        patches.attribute(agent, "astep", self.astep)
        patches.attribute(agent, "clone", self.clone)
        patches.attribute(agent, "model_backend", tapped_manager(agent.model_backend, self))
        patches.items(_compat.tools_of(agent), lambda tool: tapped_tool(tool, self))

    def step(self, input_message: Any, *args: Any, **kwargs: Any) -> Any:
        """Stands for `agent.step`."""
        if self.session.patches.closed or self.is_inside():
            return self._step(input_message, *args, **kwargs)
        if self._streams():
            return StreamingChatAgentResponse(self._streamed(input_message, args, kwargs))
        visit = self.begin(input_message)
        if visit is None:
            return self._step(input_message, *args, **kwargs)
        try:
            with self.session.at(visit):
                response = self._step(self._told(visit, input_message), *args, **kwargs)
        except BaseException as error:
            self.failed(visit, error)
            raise
        return self.end(visit, response)

    async def astep(self, input_message: Any, *args: Any, **kwargs: Any) -> Any:
        """Stands for `agent.astep`."""
        if self.session.patches.closed or self.is_inside():
            return await self._astep(input_message, *args, **kwargs)
        if self._streams():
            return AsyncStreamingChatAgentResponse(self._astreamed(input_message, args, kwargs))
        visit = self.begin(input_message)
        if visit is None:
            return await self._astep(input_message, *args, **kwargs)
        try:
            with self.session.at(visit):
                response = await self._astep(self._told(visit, input_message), *args, **kwargs)
        except BaseException as error:
            self.failed(visit, error)
            raise
        return self.end(visit, response)

    def clone(self, *args: Any, **kwargs: Any) -> Any:
        """Stands for `agent.clone`: the clone is the same agent."""
        clone = self._clone(*args, **kwargs)
        for tool in _compat.tools_of(clone).values():
            tool.func = real_tool(tool.func)
        if not self.session.patches.closed:
            AgentTap(self.session, clone, self.path, self.manner)
        return clone

    def call_model(self, real: Any, messages: Any, response_format: Any, tools: Any, *, streams: bool) -> Any:
        """Stands for the `run` of the agent's models."""
        visit = self.visit()
        if visit is None:
            return real(messages, response_format, tools)
        return ModelCall(real, messages, response_format, tools, streams).make(visit)

    async def acall_model(self, real: Any, messages: Any, response_format: Any, tools: Any, *, streams: bool) -> Any:
        """Stands for the `arun` of the agent's models."""
        visit = self.visit()
        if visit is None:
            return await real(messages, response_format, tools)
        return await ModelCall(real, messages, response_format, tools, streams).amake(visit)

    def _told(self, visit: Visit, message: Any) -> Any:
        """The message with which a turn begins, as it is to be."""
        return written_input(message, visit.turn.texts(), self.session.wrapping)

    def _streams(self) -> bool:
        return bool(self.agent.model_backend.model_config_dict.get("stream", False))

    def _streamed(self, message: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Generator[Any, None, None]:
        visit = self.begin(message) if not self.session.patches.closed else None
        if visit is None:
            yield from self._step(message, *args, **kwargs)
            return
        held = self.due(visit)
        chunks: list[Any] = []
        try:
            with self.session.at(visit):
                response = self._step(self._told(visit, message), *args, **kwargs)
            pieces = iter(_compat.stream_pieces(response))
            while True:
                with self.session.at(visit):
                    chunk = next(pieces, None)
                if chunk is None:
                    break
                chunks.append(chunk)
                if not held:
                    yield chunk
        except GeneratorExit:
            self.left(visit)
            raise
        except BaseException as error:
            self.failed(visit, error)
            raise
        yield from self._whole(visit, chunks, held=held)

    async def _astreamed(
        self, message: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> AsyncGenerator[Any, None]:
        visit = self.begin(message) if not self.session.patches.closed else None
        if visit is None:
            async for chunk in await self._astep(message, *args, **kwargs):
                yield chunk
            return
        held = self.due(visit)
        chunks: list[Any] = []
        try:
            with self.session.at(visit):
                response = await self._astep(self._told(visit, message), *args, **kwargs)
            pieces = aiter(_compat.stream_pieces(response))
            while True:
                with self.session.at(visit):
                    chunk = await anext(pieces, None)
                if chunk is None:
                    break
                chunks.append(chunk)
                if not held:
                    yield chunk
        except GeneratorExit:
            self.left(visit)
            raise
        except BaseException as error:
            self.failed(visit, error)
            raise
        for chunk in self._whole(visit, chunks, held=held):
            yield chunk

    def _whole(self, visit: Visit, chunks: list[Any], *, held: bool) -> Iterator[Any]:
        """The stream is over: end the turn, and give what was held back."""
        if visit.stream is not None:
            visit.stream.finish()
        if visit.error is not None:  # CAMEL makes a message of what the model raised
            self.failed(visit, visit.error)
            self.session.check()
            yield from chunks if held else ()
            return
        messages = delivered = said_in(chunks, visit.said)
        with guarded(self.session.run):
            delivered = self.deliver(visit, messages, chunks[-1].info if chunks else {})
        if held:
            yield from cut_anew(chunks, messages, delivered)
