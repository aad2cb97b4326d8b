"""Scripted models: what the agents of a test system say, and an account of what they were really shown.

All models and tools of one built system share one `Script`. What an agent says is a function of every text that it
was shown (their checksum), so that the slightest change of one of them shows downstream, and no agent ever repeats
what it was shown. The account is what the record of an adapter is compared with.
"""

from __future__ import annotations

import asyncio
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

__all__ = ["Delay", "Heard", "Reply", "Script", "ScriptedError", "ToolCall", "ToolUse"]

Delay = Callable[[str, tuple[str, ...]], float]
"""How long a reply takes, in seconds, by the agent and the texts that it is shown."""

_STOCK = "crates are in stock"
_PATIENCE_S = 30.0
"""How long a reply that is held back waits before it gives up, so that no failing check hangs."""


class ScriptedError(Exception):
    """What a scripted model raises where the script says so."""


@dataclass(frozen=True)
class ToolCall:
    """The tool that a scripted model asks for, with its one argument."""

    name: str
    argument: str
    call_id: str


@dataclass(frozen=True)
class Reply:
    """What a scripted model answers: a text, or (`text` is "" then) a tool that it wants called."""

    text: str
    tool: ToolCall | None = None
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True)
class Heard:
    """One call of a scripted model: who called it, with which texts, and what it said."""

    agent: str
    texts: tuple[str, ...]
    reply: Reply

    @property
    def said(self) -> str:
        """The text of the reply; "" if it asks for a tool."""
        return self.reply.text


@dataclass(frozen=True)
class ToolUse:
    """One call of a scripted tool, with what it returned."""

    name: str
    argument: str
    result: str


@dataclass
class Script:
    """The models and tools of one system. Safe to be used from several threads and tasks.

    Args:
        fails: path of the agent whose model raises `ScriptedError`.
        failures: how often it raises; after that it answers.
        holds: path of the agent whose model does not answer before it is cancelled.
        delay: how long replies take; None: no time.
        api_key, header: what a model's client holds beside the messages. Hand them to your fake client as its key and
            in its headers, and to `reply` as `secrets`, so that the kit can look for them in the record.
    """

    fails: str = ""
    failures: int = 1_000_000
    holds: str = ""
    delay: Delay | None = None
    api_key: str = "sk-aegis-7f3a9c51d2e84b06"
    header: str = "Bearer aegis-5b8e21c07d9f4a63"
    heard: list[Heard] = field(default_factory=list)
    """Every call of a model that was answered, in the order of the answers."""
    tools_used: list[ToolUse] = field(default_factory=list)
    secrets: set[str] = field(default_factory=set)
    """Which secrets were there when a model was called."""
    raised: list[ScriptedError] = field(default_factory=list)
    held: bool = False
    """Whether a reply is being held back."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(
        self, agent: str, texts: Iterable[str], *, tools: Sequence[str] = (), secrets: Iterable[str] = ()
    ) -> Reply:
        """What the model of an agent answers, and a line in the account.

        Args:
            agent: path of the agent, spelled as the adapter is to spell it.
            texts: all texts of the request, in order, as the framework hands them to the model.
            tools: names of the tools that the model may ask for. It asks for the first one as long as no text holds
                what that tool returns.
            secrets: the key and the headers of the client that is called.

        Raises:
            ScriptedError: the script says so.
        """
        shown = tuple(texts)
        if seconds := self._begun(agent, shown, secrets):
            time.sleep(seconds)
        if self.holds == agent:
            self.held = True
            time.sleep(_PATIENCE_S)
        return self._answered(agent, shown, tools)

    async def areply(
        self, agent: str, texts: Iterable[str], *, tools: Sequence[str] = (), secrets: Iterable[str] = ()
    ) -> Reply:
        """Asynchronous form of `reply`."""
        shown = tuple(texts)
        await asyncio.sleep(self._begun(agent, shown, secrets))
        if self.holds == agent:
            self.held = True
            gives_up = time.monotonic() + _PATIENCE_S
            while self.holds == agent and time.monotonic() < gives_up:  # noqa: ASYNC110  let go from wherever
                await asyncio.sleep(0.01)
        return self._answered(agent, shown, tools)

    def tool(self, name: str, argument: str) -> str:
        """What a scripted tool returns, and a line in the account."""
        result = f"{zlib.crc32(argument.encode()) % 90 + 10} {_STOCK} for {argument!r}."
        with self._lock:
            self.tools_used.append(ToolUse(name, argument, result))
        return result

    def said(self) -> list[tuple[str, str]]:
        """(agent, text) of all replies that are texts, in the order of the answers."""
        with self._lock:
            return [(heard.agent, heard.said) for heard in self.heard if heard.said]

    def calls_of(self, agent: str) -> list[Heard]:
        """The calls of one agent's model, in order."""
        with self._lock:
            return [heard for heard in self.heard if heard.agent == agent]

    def saw(self, text: str) -> set[str]:
        """The agents whose models were shown a text that holds this one."""
        with self._lock:
            return {heard.agent for heard in self.heard if any(text in shown for shown in heard.texts)}

    def shown(self, agent: str) -> tuple[str, ...]:
        """All texts that the model of an agent was shown."""
        return tuple(text for heard in self.calls_of(agent) for text in heard.texts)

    def _begun(self, agent: str, texts: tuple[str, ...], secrets: Iterable[str]) -> float:
        with self._lock:
            self.secrets.update(secrets)
        return self.delay(agent, texts) if self.delay is not None else 0.0

    def _answered(self, agent: str, texts: tuple[str, ...], tools: Sequence[str]) -> Reply:
        with self._lock:
            if self.fails == agent and len(self.raised) < self.failures:
                self.raised.append(ScriptedError(f"the model of {agent} is out of order"))
                raise self.raised[-1]
            reply = _reply(agent, texts, tools)
            self.heard.append(Heard(agent, texts, reply))
        return reply


def _reply(agent: str, texts: tuple[str, ...], tools: Sequence[str]) -> Reply:
    checksum = zlib.crc32("\x1f".join(texts).encode("utf-8", "surrogatepass"))
    if tools and not any(_STOCK in text for text in texts):
        call = ToolCall(tools[0], f"hall {checksum % 1000}", f"call_{checksum:08x}")
        return Reply("", call, input_tokens=len(texts), output_tokens=1)
    name = agent.rpartition("/")[2]
    return Reply(
        f"{name} has read {len(texts)} texts and comes to {checksum:08x}.", input_tokens=len(texts), output_tokens=9
    )
