"""One call of a tapped chat model: what is sent, what comes back, and what of it is altered.

In a function node it is a call like any other. In an agent's loop, its alteration is that of the whole turn: later
calls of the turn are shown it too, and answers are altered where they leave the agent. A call that fails there is no
call: whoever catches the exception may try again.
"""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from aegis_core.run.streams import astream, stream
from aegis_langgraph.acting.tapping import Here, here
from aegis_langgraph.signals import surfacing
from aegis_langgraph.texts.codec import AnswerCodec, ModelCodec
from aegis_langgraph.texts.messages import offered, plain, write_message
from aegis_langgraph.texts.state import Text
from aegis_langgraph.watching.tracker import Edit

__all__ = ["ModelCall"]

Messages = list[BaseMessage]


class _Raised(BaseException):
    """Carries an exception of a model past the tape."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


class ModelCall:
    """A tapped model is called inside a turn."""

    def __init__(self, place: Here, messages: Messages, stop: Any, kwargs: Mapping[str, Any]) -> None:
        self._place = place
        told = self._read(messages)
        place.watcher.claim(place.parent_id, tuple(text.part for text in told))
        self._messages = self._shown(messages, told)
        self._texts = told if self._messages is messages else self._read(self._messages)
        self._parts = tuple(text.part for text in self._texts)
        self._more: dict[str, Any] = {"extra": {"stop": plain(stop), "options": plain(dict(kwargs))}}
        if place.in_loop:
            self._more = {"extra": offered({**kwargs, "stop": stop}), "before": ("ephemeral",), "after": ()}

    @classmethod
    def of(cls, model: Any, messages: Messages, stop: Any, kwargs: Mapping[str, Any]) -> ModelCall | None:
        """The call that a tapped model is about to make; None where it is to be itself."""
        place = here(model)
        return cls(place, messages, stop, kwargs) if place is not None else None

    def _read(self, messages: Messages) -> list[Text]:
        reader = self._place.watcher.tracker.naming.reader
        return [
            Text(part, "messages", message)
            for index, message in enumerate(messages)
            for part in reader.parts(f"[{index}]", message)
        ]

    def _shown(self, messages: Messages, told: list[Text]) -> Messages:
        """The messages as this turn's model is shown them."""
        texts: dict[str, str] = {}
        for edit in self._place.state.told if self._place.in_loop else ():
            for text in told:
                if _is_same(text, edit.text):
                    texts[text.part.id] = edit.after
        return _edited(messages, texts)

    def _altered(self, texts: Mapping[str, str]) -> Messages:
        if self._place.in_loop:
            known = {text.part.id: text for text in self._texts}
            self._place.state.told += [Edit(known[part], known[part].part.text, new) for part, new in texts.items()]
        return _edited(self._messages, texts)

    def call(self, live: Callable[[Messages], ChatResult]) -> ChatResult:
        """Make the call, by `live` or from the tape."""

        def making(texts: dict[str, str]) -> ChatResult:
            try:
                return live(self._altered(texts))
            except Exception as error:
                raise self._carried(error) from None

        with surfacing(), _Passing(self):
            result: ChatResult = self._place.run.call(
                self._place.turn, "model", self._parts, making, self._codec(ModelCodec, AnswerCodec), **self._more
            )
        return result

    async def acall(self, live: Callable[[Messages], Any]) -> ChatResult:
        """Asynchronous form of `call`."""

        async def making(texts: dict[str, str]) -> ChatResult:
            try:
                return await live(self._altered(texts))  # type: ignore[no-any-return]
            except Exception as error:
                raise self._carried(error) from None

        with surfacing(), _Passing(self):
            return await self._place.run.acall(
                self._place.turn, "model", self._parts, making, self._codec(ModelCodec, AnswerCodec), **self._more
            )

    def stream(self, live: Callable[[Messages], Iterator[ChatGenerationChunk]]) -> Iterator[ChatGenerationChunk]:
        """`call` for an answer that comes in chunks."""

        def making(texts: dict[str, str]) -> Iterator[ChatGenerationChunk]:
            try:
                yield from live(self._altered(texts))
            except Exception as error:
                raise self._carried(error) from None

        codec = self._codec(_StreamCodec, _AnswerStreamCodec)
        with surfacing(), _Passing(self):
            yield from stream(self._place.run, self._place.turn, "model", self._parts, making, codec, **self._more)

    async def astream(
        self, live: Callable[[Messages], AsyncIterator[ChatGenerationChunk]]
    ) -> AsyncIterator[ChatGenerationChunk]:
        """Asynchronous form of `stream`."""

        async def making(texts: dict[str, str]) -> AsyncIterator[ChatGenerationChunk]:
            try:
                async for chunk in live(self._altered(texts)):
                    yield chunk
            except Exception as error:
                raise self._carried(error) from None

        codec = self._codec(_StreamCodec, _AnswerStreamCodec)
        with surfacing(), _Passing(self):
            async for chunk in astream(
                self._place.run, self._place.turn, "model", self._parts, making, codec, **self._more
            ):
                yield chunk

    def _codec(self, alone: type[Any], in_loop: type[Any]) -> Any:
        return in_loop() if self._place.in_loop else alone()

    def _carried(self, error: Exception) -> BaseException:
        return _Raised(error) if self._place.in_loop else error

    @property
    def calls(self) -> dict[str, int]:
        """How many calls of each kind the turn has made."""
        return self._place.turn.calls


class _Passing:
    """Lets an exception of a model go on as it was raised, and takes back that it was a call."""

    def __init__(self, call: ModelCall) -> None:
        self._calls = call.calls
        self._before = call.calls.get(_COUNTER, 0)

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, raised: BaseException | None, __: object) -> None:
        if isinstance(raised, _Raised):
            if self._calls.get(_COUNTER, 0) > self._before:
                self._calls[_COUNTER] -= 1
            error, cause, context = raised.error, raised.error.__cause__, raised.error.__context__
            try:
                raise error
            finally:
                error.__cause__, error.__context__ = cause, context


_COUNTER = "model/"


def _is_same(text: Text, other: Text) -> bool:
    """Whether a text is one that an earlier call of the turn was shown. Middleware makes messages anew, without ids."""
    return (text.message_id, text.part.role, text.part.text) == (other.message_id, other.part.role, other.part.text)


def _edited(messages: Messages, texts: Mapping[str, str]) -> Messages:
    if not texts:
        return messages
    return [write_message(f"[{index}]", message, texts) for index, message in enumerate(messages)]


class _StreamCodec(ModelCodec):
    """Codec of a chat model's result that comes in chunks."""

    def join(self, chunks: list[ChatGenerationChunk]) -> ChatResult:
        if not chunks:
            return ChatResult(generations=[])
        whole = functools.reduce(lambda left, right: left + right, chunks)
        return ChatResult(generations=[ChatGeneration(message=whole.message, generation_info=whole.generation_info)])

    def split(self, result: ChatResult) -> Iterator[ChatGenerationChunk]:
        for generation in result.generations:
            message = generation.message
            text = message.content if isinstance(message.content, str) else ""
            pieces = text.splitlines(keepends=True) if text else []
            for piece in pieces[:-1]:
                yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
            rest: Any = pieces[-1] if pieces else message.content
            fields = {name: getattr(message, name) for name in AIMessageChunk.model_fields if hasattr(message, name)}
            yield ChatGenerationChunk(
                message=AIMessageChunk(**fields | {"type": "AIMessageChunk", "content": rest}),
                generation_info=generation.generation_info,
            )


class _AnswerStreamCodec(AnswerCodec, _StreamCodec):
    """The same inside an agent's loop."""
