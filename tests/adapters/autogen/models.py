"""Model clients for tests: what they say is a function of what they are shown, and they keep account of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

from autogen_core import FunctionCall
from autogen_core.models import CreateResult, RequestUsage

from aegis_autogen.testing.conformance import ScriptedClient, _texts, _tool_name
from aegis_core.testing import Script

Answer = str | list[FunctionCall] | CreateResult | BaseException
Reply = Callable[[list[str], list[str]], Any]


@dataclass
class Book:
    """Who was shown what, in order: (owner of the client, texts)."""

    shown: list[tuple[str, list[str]]] = field(default_factory=list)
    used: list[str] = field(default_factory=list)
    """Tools that were really called."""

    def of(self, owner: str) -> list[list[str]]:
        return [texts for name, texts in self.shown if name == owner]

    @property
    def owners(self) -> list[str]:
        return [name for name, _ in self.shown]


def echo(owner: str) -> Reply:
    """Says its name around the last text that it is shown."""
    return lambda texts, _: f"{owner}<{texts[-1]}>"


class Client(ScriptedClient):
    """A client with a function behind it. It takes `delay` turns of the event loop to answer."""

    def __init__(self, book: Book, owner: str, reply: Reply | None = None, *, delay: float = 0.0) -> None:
        super().__init__(Script(), owner)
        del self.script  # it has a lock, and can't be copied
        self.book = book
        self.owner = owner
        self.reply = reply or echo(owner)
        self.delay = delay

    async def create(self, messages: Any, *, tools: Any = (), tool_choice: Any = "auto", **more: Any) -> CreateResult:
        import asyncio

        if self.delay:
            await asyncio.sleep(self.delay)
        texts = [text for message in messages for text in _texts(message)]
        self.book.shown.append((self.owner, texts))
        offered = [] if tool_choice == "none" else [_tool_name(tool) for tool in tools]
        answer = self.reply(texts, offered)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, CreateResult):
            return answer
        usage = RequestUsage(prompt_tokens=len(texts), completion_tokens=7)
        reason: Any = "stop" if isinstance(answer, str) else "function_calls"
        return CreateResult(finish_reason=reason, content=answer, usage=usage, cached=False)

    async def create_stream(self, messages: Any, **more: Any) -> AsyncGenerator[str | CreateResult, None]:
        result = await self.create(messages, **more)
        if isinstance(result.content, str):
            for word in result.content.split(" "):
                yield word + " "
        yield result


def call(name: str, arguments: str = "{}", call_id: str | None = None) -> FunctionCall:
    return FunctionCall(id=call_id or f"call_{name}_0123456789", name=name, arguments=arguments)


@dataclass
class _InTurn:
    left: list[Any]

    def __call__(self, texts: list[str], tools: list[str]) -> Any:
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]


def in_turn(*answers: Any) -> Reply:
    """One answer after the other; the last one again and again. Only for runs that are not served."""
    return _InTurn(list(answers))


def when(*cases: tuple[str, Any], otherwise: Any) -> Reply:
    """The answer of the first case whose text is in the last one shown; so it can be served from a tape."""

    def reply(texts: list[str], _: list[str]) -> Any:
        return next((answer for text, answer in cases if text in texts[-1]), otherwise)

    return reply
