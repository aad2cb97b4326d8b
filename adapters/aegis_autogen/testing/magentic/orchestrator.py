"""The model of the orchestrator: plans as the simulated planner, hands on what members found, and reports at the end.

It reads nothing but what the orchestrator of the framework sends: its prompts, and the thread of what was said. Every
fact that a member needs is handed on word by word in its instruction, and so is whatever is wrong with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from autogen_core.models import AssistantMessage, LLMMessage, UserMessage

from aegis_autogen.testing.magentic.clients import PlainClient, text_of_message
from aegis_autogen.testing.magentic.handing import instruction
from aegis_autogen.testing.magentic.members import ORCHESTRATOR, TEAM
from aegis_core.world import Message
from aegis_core.world.prompts import system_prompt

__all__ = ["FILE", "PAGE", "OrchestratorClient"]

FILE = "material.txt"
PAGE = "/material.html"

_TASKS = (
    re.compile(r"Here is the request:\n\n(.*?)\n\nHere is the pre-survey:", re.S),
    re.compile(r"We are working to address the following user request:\n\n(.*?)\n\n\nTo answer this request", re.S),
)
_PLAN = re.compile(r"Here is the plan to follow as best as possible:\n\n(.*)\Z", re.S)
_JOB = re.compile(r"^Job (\d+)", re.M)
_CODE = re.compile(r"```.*?```", re.S)
_FACTS = """1. GIVEN OR VERIFIED FACTS
The wording of the request.

2. FACTS TO LOOK UP
The figures and names that the request is about: in the file {file} and on the page {page}, which hold the same.

3. FACTS TO DERIVE
The answer.

4. EDUCATED GUESSES
None."""
_REPORTING = {"Planner": "planner", **{name: role for name, role in TEAM.items() if name != ORCHESTRATOR}} | {
    ORCHESTRATOR: "reporter"
}


class OrchestratorClient(PlainClient):
    """Replies to the prompts of `MagenticOneOrchestrator`: facts, plan, progress ledger, final answer.

    Args:
        seed, slip_rate: of the simulated model.
        page: address of the page with the material.
        browser: whether the WebSurfer has a real browser, which opens a page in one turn and reads it in the next.
        terminal: whether there is a ComputerTerminal that runs what the Coder writes.
    """

    def __init__(
        self, *, seed: int, slip_rate: float, page: str = PAGE, browser: bool = False, terminal: bool = False
    ) -> None:
        super().__init__(seed=seed, slip_rate=slip_rate)
        self._page, self._browser, self._terminal = page, browser, terminal

    def answer(self, messages: Sequence[LLMMessage], tools: frozenset[str]) -> str:
        """What the prompt at the end asks for."""
        del tools
        texts = [text_of_message(message) for message in messages]
        if "Here is the pre-survey:" in texts[-1]:
            return _FACTS.format(file=FILE, page=self._page)
        if "devise a short bullet-point plan" in texts[-1]:
            return self._plan(texts)
        if "Is the request fully satisfied?" in texts[-1]:
            return json.dumps(self._ledger(_Thread(messages)), ensure_ascii=False, indent=1)
        return self._report(_Thread(messages))

    def _ledger(self, thread: _Thread) -> dict[str, dict[str, object]]:
        """The progress ledger: who is next, and what it is told."""
        job, plan = f"Job {thread.job}.", (ORCHESTRATOR, thread.plan)
        files, pages, work = (thread.said(member) for member in ("FileSurfer", "WebSurfer", "Coder"))
        notes = "hand on your notes on it. The plan says which share is yours."
        if not files:
            return _next("FileSurfer", f"{job} Please open {FILE}.", "the material has to be read first")
        if len(files) == 1:
            return _next("FileSurfer", instruction(f"{job} Please {notes}", [plan]), "its share is needed")
        if self._browser and not pages:
            return _next("WebSurfer", f"{job} Please open {self._page} .", "its page has to be read first")
        if len(pages) <= self._browser:
            lead = f"{job} Please {notes}" if self._browser else f"{job} Please open {self._page} and {notes}"
            return _next("WebSurfer", instruction(lead, [plan]), "its share is needed")
        if not work:
            lead = f"{job} Please work out the answer from plan and notes, and show how you get there."
            found = [("FileSurfer", files[-1]), ("WebSurfer", pages[-1])]
            return _next("Coder", instruction(lead, [plan, *found]), "all facts are there")
        if self._terminal and not thread.said("ComputerTerminal"):
            return _next("ComputerTerminal", f"{job} Please run it.", "the result has to be run")
        return _next("Coder", "Thank you.", "the answer was worked out", satisfied=True)

    def _plan(self, texts: Sequence[str]) -> str:
        task = next((found[1] for text in texts for pattern in _TASKS if (found := pattern.search(text))), texts[0])
        return self._as(TEAM, [Message("user", task)])

    def _report(self, thread: _Thread) -> str:
        said = [
            Message("user", thread.plan, "Planner"),
            *(Message("user", _CODE.sub("", text), "Coder") for text in thread.said("Coder")),
        ]
        return self._as(_REPORTING, [Message("user", f"Job {thread.job}."), *said])

    def _as(self, team: Mapping[str, str], messages: list[Message]) -> str:
        return self._model.reply([Message("system", system_prompt(ORCHESTRATOR, team)), *messages]).content


class _Thread:
    """What was said so far, without the prompt at the end."""

    def __init__(self, messages: Sequence[LLMMessage]) -> None:
        self._messages = messages[:-1]
        texts = [text_of_message(message) for message in messages]
        self.job = next((found[1] for text in texts if (found := _JOB.search(text))), "0")
        own = [text_of_message(message) for message in self._messages if isinstance(message, AssistantMessage)]
        self.plan = next((found[1].strip() for text in own if (found := _PLAN.search(text))), "")

    def said(self, member: str) -> list[str]:
        """What a member said, in order."""
        return [
            text_of_message(message)
            for message in self._messages
            if isinstance(message, UserMessage) and message.source == member
        ]


def _next(member: str, told: str, why: str, *, satisfied: bool = False) -> dict[str, dict[str, object]]:
    return {
        "is_request_satisfied": {"reason": why, "answer": satisfied},
        "is_in_loop": {"reason": "no request was made twice", "answer": False},
        "is_progress_being_made": {"reason": why, "answer": True},
        "next_speaker": {"reason": why, "answer": member},
        "instruction_or_question": {"reason": why, "answer": told},
    }
