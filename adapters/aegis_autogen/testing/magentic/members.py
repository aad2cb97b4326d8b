"""The models of the members of a Magentic-One team: the simulated model, in the part that each has to play."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from autogen_core import FunctionCall
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResultMessage,
    LLMMessage,
    SystemMessage,
    UserMessage,
)
from autogen_ext.agents.file_surfer import FileSurfer

from aegis_autogen.testing.magentic._compat import CODER_PROMPT
from aegis_autogen.testing.magentic.clients import PlainClient, text_of_message, wanted
from aegis_autogen.testing.magentic.handing import sections
from aegis_core.world import Message
from aegis_core.world.prompts import system_prompt

__all__ = ["ORCHESTRATOR", "TEAM", "MemberClient"]

ORCHESTRATOR = "MagenticOneOrchestrator"
TEAM: Mapping[str, str] = {
    ORCHESTRATOR: "planner",
    "FileSurfer": "researcher",
    "WebSurfer": "researcher",
    "Coder": "solver",
}
"""Who plays which part of the embedded world."""

_OPEN = re.compile(r"\bopen (\S+?)[.,]?(?:\s|$)", re.I)
_JOB = re.compile(r"^Job \d+", re.M)
_PAGE = re.compile(r"\APath: .*?\n=+\n", re.S)
_VIEW = re.compile(
    r"web browser is open to the page \[.*?\]\((?P<url>\S*)\)\..*?"
    r"visible in the viewport:\n\n(?P<text>.*?)\n\nYou have",
    re.S,
)
_GAP = re.compile(r"\n{2,}")


class MemberClient(PlainClient):
    """What a member's model says to what it is shown.

    With tools it first opens what it is told to open. What it has open is the source that it reads; what it is handed
    with an instruction are the words of the others.

    Args:
        name: of the member, a key of `TEAM`.
        seed, slip_rate: of the simulated model.
        writes_code: whether it adds a script, which prints what it comes to.
    """

    def __init__(self, name: str, *, seed: int, slip_rate: float, writes_code: bool = False) -> None:
        super().__init__(seed=seed, slip_rate=slip_rate)
        self._name = name
        self._writes_code = writes_code

    def answer(self, messages: Sequence[LLMMessage], tools: frozenset[str]) -> str | FunctionCall:
        """A call that opens something, or what the part that it plays says."""
        told = [text_of_message(message) for message in messages if isinstance(message, UserMessage)]
        told = [text for text in told if not _VIEW.search(text)]
        opening = next((found[1] for text in reversed(told) if (found := _OPEN.search(text))), "")
        source = _source(messages, opening)
        if opening and not source and (tool := _opens(tools)):
            name, argument = tool
            return wanted(name, self._name, messages, **{argument: opening})
        said = self._model.reply(self._conversation(messages, told, source)).content
        return f"{said}\n\n{_script(said)}" if self._writes_code else said

    def _conversation(self, messages: Sequence[LLMMessage], told: Sequence[str], source: str) -> list[Message]:
        own = [text_of_message(message) for message in messages if isinstance(message, AssistantMessage)]
        parsed = [sections(text) for text in told]
        lead = "\n\n".join(lead for lead, _ in parsed)
        handed = [said for _, saids in parsed for said in saids]
        job = found[0] if (found := _JOB.search(lead)) else "Job 0"
        opening = f"{job}:\n{source}" if source else f"{job}.\n{_JOB.sub('', lead, count=1).lstrip(' .:')}"
        system = system_prompt(self._name, TEAM) + "".join(f"\n{text}" for text in _added(messages))
        said = [Message("user", text, author) for author, text in handed]
        if source:
            said.insert(0, Message("user", lead, ORCHESTRATOR))
        drafts = [Message("assistant", text, self._name) for text in own if text and not _PAGE.match(text)]
        return [Message("system", system), Message("user", opening), *said, *drafts]


def _opens(tools: frozenset[str]) -> tuple[str, str] | None:
    """The tool that opens something, and what its argument is called."""
    for name, argument in (("open_path", "path"), ("visit_page", "address"), ("visit_url", "url")):
        if name in tools:
            return name, argument
    return None


def _source(messages: Sequence[LLMMessage], opening: str) -> str:
    """The text of what the member has open; nothing, if a browser shows something else than what is to be opened."""
    for message in reversed(messages):
        text = text_of_message(message)
        if isinstance(message, UserMessage) and (view := _VIEW.search(text)):
            return _lines(view["text"]) if opening in ("", view["url"]) else ""
        if isinstance(message, FunctionExecutionResultMessage) or (
            isinstance(message, AssistantMessage) and _PAGE.match(text)
        ):
            return _lines(_PAGE.sub("", text))
    return ""


def _lines(text: str) -> str:
    """The lines of what is open, without the empty ones that Markdown puts between paragraphs."""
    return _GAP.sub("\n", text).strip()


def _script(said: str) -> str:
    return f"```python\nprint({said.splitlines()[-1]!r})\n```"


_SEALED = (*(message.content.strip() for message in FileSurfer.DEFAULT_SYSTEM_MESSAGES), CODER_PROMPT.strip())


def _added(messages: Sequence[LLMMessage]) -> list[str]:
    """What stands in system messages beside the prompts that every Magentic-One team has, which ask for code."""
    texts = [message.content for message in messages if isinstance(message, SystemMessage)]
    for sealed in _SEALED:
        texts = [text.replace(sealed, "").strip() for text in texts]
    return [text for text in texts if text]
