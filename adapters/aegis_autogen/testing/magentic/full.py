"""Magentic-One with all its agents as they are: a browser, and a terminal that runs what the Coder writes.

Slower by far than `team.magentic_one`, as the browser waits three seconds after everything that it does, and its pages
have an address of this machine: for looking at real runs, not for `aegis generate`.
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from autogen_agentchat.agents import BaseChatAgent, CodeExecutorAgent, MessageFilterAgent, MessageFilterConfig
from autogen_agentchat.agents import PerSourceFilter as Seen
from autogen_agentchat.base import ChatAgent
from autogen_agentchat.teams import MagenticOneGroupChat
from autogen_ext.agents.file_surfer import FileSurfer
from autogen_ext.agents.magentic_one import MagenticOneCoderAgent
from autogen_ext.agents.web_surfer import MultimodalWebSurfer
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
from playwright.async_api import Browser, Playwright, async_playwright

from aegis_autogen.testing.magentic.desk import Desk, pages
from aegis_autogen.testing.magentic.members import ORCHESTRATOR, MemberClient
from aegis_autogen.testing.magentic.orchestrator import FILE, OrchestratorClient
from aegis_core.world.prompts import handed, job_number

__all__ = ["FullOffice", "browser_path", "full_office"]

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser_path() -> str:
    """The browser of this machine, "" if there is none that is known."""
    return next((path for name in _BROWSERS if (path := shutil.which(name))), "")


@dataclass
class FullOffice:
    """One task with its material, and a browser."""

    task: str
    """What a team is started with."""
    address: str
    """Of the page with the material."""
    _folder: str
    _work: str
    _seed: int
    _playwright: Playwright
    _browser: Browser

    async def team(self) -> MagenticOneGroupChat:
        """A fresh team: orchestrator, FileSurfer, WebSurfer, Coder and ComputerTerminal."""
        surfer = MultimodalWebSurfer(
            "WebSurfer",
            self._client("WebSurfer"),
            start_page=pages().address,
            playwright=self._playwright,
            context=await self._browser.new_context(),
        )
        files = FileSurfer("FileSurfer", self._client("FileSurfer"), base_path=self._folder)
        coder = MagenticOneCoderAgent("Coder", self._client("Coder"))
        model = OrchestratorClient(seed=self._seed, slip_rate=0, page=self.address, browser=True, terminal=True)
        members: list[ChatAgent] = [*_told_by_orchestrator(files, surfer, coder), _terminal(self._work)]
        return MagenticOneGroupChat(members, model_client=model)

    def _client(self, name: str) -> MemberClient:
        return MemberClient(name, seed=self._seed, slip_rate=0, writes_code=name == "Coder")


@asynccontextmanager
async def full_office(task: str, *, seed: int = 0) -> AsyncIterator[FullOffice]:
    """Where the team of Magentic-One works on a task of the embedded world.

    Args:
        seed: of the simulated models.
    """
    number = job_number(task)
    with Desk(FILE, f"Job {number}", task) as desk, tempfile.TemporaryDirectory() as work:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=browser_path() or None, args=["--no-sandbox"])
            try:
                yield FullOffice(handed(number, task), desk.address, desk.folder, work, seed, playwright, browser)
            finally:
                await browser.close()


def _told_by_orchestrator(*members: BaseChatAgent) -> Sequence[BaseChatAgent]:
    """The members as they are shown the last instruction of the orchestrator, and no more."""
    seen = MessageFilterConfig(per_source=[Seen(source=ORCHESTRATOR, position="last", count=1)])
    return [MessageFilterAgent(member.name, member, seen) for member in members]


def _terminal(folder: str) -> CodeExecutorAgent:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that code runs on this machine, which is the point
        return CodeExecutorAgent("ComputerTerminal", LocalCommandLineCodeExecutor(work_dir=folder), sources=["Coder"])
