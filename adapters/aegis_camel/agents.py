"""Tapping agents: a step of an agent is a turn, and whatever it is asked to do in there goes through the run."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator, Iterator
from typing import Any

from camel.agents import TaskPlannerAgent, TaskSpecifyAgent
from camel.agents.chat_agent import AsyncStreamingChatAgentResponse, StreamingChatAgentResponse

from aegis_camel import _compat
from aegis_camel.calls import ModelCall
from aegis_camel.held import cut_anew, said_in
from aegis_camel.models import tapped_manager
from aegis_camel.session import Session, Visit
from aegis_camel.texts.messages import written_input
from aegis_camel.tools import real_tool, tapped_tool
from aegis_camel.turns import Manner, Planning, Turns
from aegis_core.trace.active import guarded

__all__ = ["AgentTap"]

_PLANNERS = (TaskSpecifyAgent, TaskPlannerAgent)


class AgentTap(Turns):
    """The hold on one agent object. Clones that it makes are tapped too, as the same agent."""

    def __init__(self, session: Session, agent: Any, path: str, manner: Manner | None = None) -> None:
        super().__init__(session, path, manner or (Planning() if isinstance(agent, _PLANNERS) else Manner()))
        self.agent = agent
        self._flowing: dict[Visit, list[Any]] = {}
        """The chunks that were taken from streams that are open."""
        session.closing.append(self._run_ends)
        patches = session.patches
        self._step, self._astep, self._clone = agent.step, agent.astep, agent.clone
        patches.attribute(agent, "step", self.step)
        patches.attribute(agent, "astep", self.astep)
        patches.attribute(agent, "clone", self.clone)
        self._take()

    def begin(self, message: Any) -> Visit | None:
        """A turn begins with a message."""
        with guarded(self.session.run):
            self._take()
        return super().begin(message)

    def _take(self) -> None:
        """Tap models and tools; those too that were put in their place since the last turn, and stay there."""
        agent, patches, tools = self.agent, self.session.patches, _compat.tools_of(self.agent)
        if getattr(agent.model_backend, "aegis_tap", None) is not self:
            patches.attribute(agent, "model_backend", tapped_manager(agent.model_backend, self))
        for name, tool in list(tools.items()):
            if getattr(tool, "aegis_tap", None) is not self:
                patches.item(tools, name, tapped_tool(tool, self))

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
                response = self._step(self._told(visit), *args, **kwargs)
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
                response = await self._astep(self._told(visit), *args, **kwargs)
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

    def _told(self, visit: Visit) -> Any:
        """The message with which a turn begins, as it is to be."""
        return written_input(visit.message, visit.turn.texts(), self.session.wrapping)

    def _streams(self) -> bool:
        return bool(self.agent.model_backend.model_config_dict.get("stream", False))

    def _streamed(self, message: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Generator[Any, None, None]:
        visit = self.begin(message) if not self.session.patches.closed else None
        if visit is None:
            yield from self._step(message, *args, **kwargs)
            return
        held, rests = self.due(visit), False
        chunks = self._flowing[visit] = []
        try:
            with self.session.at(visit):
                response = self._step(self._told(visit), *args, **kwargs)
            pieces = iter(_compat.stream_pieces(response))
            while True:
                with self.session.at(visit):
                    chunk = next(pieces, None)
                if chunk is None:
                    break
                chunks.append(chunk)
                rests = not held
                if rests:
                    yield chunk
                rests = False
        except BaseException as error:
            self._broken(visit, error, rests=rests)
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
        held, rests = self.due(visit), False
        chunks = self._flowing[visit] = []
        try:
            with self.session.at(visit):
                response = await self._astep(self._told(visit), *args, **kwargs)
            pieces = aiter(_compat.stream_pieces(response))
            while True:
                with self.session.at(visit):
                    chunk = await anext(pieces, None)
                if chunk is None:
                    break
                chunks.append(chunk)
                rests = not held
                if rests:
                    yield chunk
                rests = False
        except BaseException as error:
            self._broken(visit, error, rests=rests)
            raise
        for chunk in self._whole(visit, chunks, held=held):
            yield chunk

    def _broken(self, visit: Visit, error: BaseException, *, rests: bool) -> None:
        """A stream ended before its end. If it was resting at a chunk, it was left; else the agent raised something."""
        chunks = self._flowing.pop(visit, [])
        if rests:
            self.left(visit, chunks)
        elif not visit.turn.ended:
            self.failed(visit, error)

    def _run_ends(self) -> None:
        """The run is over: what was given of streams that are still open stands."""
        for visit, chunks in list(self._flowing.items()):
            if not self.due(visit):
                self.left(visit, chunks)

    def _whole(self, visit: Visit, chunks: list[Any], *, held: bool) -> Iterator[Any]:
        """The stream is over: end the turn, and give what was held back."""
        self._flowing.pop(visit, None)
        if visit.turn.ended:  # the run was over before
            yield from chunks if held else ()
            return
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
