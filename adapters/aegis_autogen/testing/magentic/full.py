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
from typing import Any

from autogen_agentchat.agents import BaseChatAgent, CodeExecutorAgent, MessageFilterAgent, MessageFilterConfig
from autogen_agentchat.agents import PerSourceFilter as Seen
from autogen_agentchat.teams import MagenticOneGroupChat
from autogen_ext.agents.file_surfer import FileSurfer
from autogen_ext.agents.magentic_one import MagenticOneCoderAgent
from autogen_ext.agents.web_surfer import MultimodalWebSurfer
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
from playwright.async_api import async_playwright

from aegis_autogen.testing.magentic.desk import Desk, pages
from aegis_autogen.testing.magentic.members import ORCHESTRATOR, MemberClient
from aegis_autogen.testing.magentic.orchestrator import FILE, OrchestratorClient
from aegis_core.world.prompts import handed, job_number

__all__ = ["FullTeam", "browser_path", "full_team"]

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def browser_path() -> str:
    """The browser of this machine, "" if there is none that is known."""
    return next((path for name in _BROWSERS if (path := shutil.which(name))), "")


@dataclass
class FullTeam:
    """A team for one task, and the text with which it is started."""

    team: MagenticOneGroupChat
    task: str

    async def run(self) -> Any:
        """The result of the team."""
        return await self.team.run(task=self.task)


@asynccontextmanager
async def full_team(task: str, *, seed: int = 0) -> AsyncIterator[FullTeam]:
    """The team of Magentic-One with its five agents, on a task of the embedded world.

    Args:
        seed: of the simulated models.
    """
    number = job_number(task)
    with Desk(FILE, f"Job {number}", task) as desk, tempfile.TemporaryDirectory() as work:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=browser_path() or None, args=["--no-sandbox"])
            try:
                surfer = MultimodalWebSurfer(
                    "WebSurfer",
                    _client("WebSurfer", seed),
                    start_page=pages().address,
                    playwright=playwright,
                    context=await browser.new_context(),
                )
                files = FileSurfer("FileSurfer", _client("FileSurfer", seed), base_path=desk.folder)
                coder = MagenticOneCoderAgent("Coder", _client("Coder", seed))
                team = MagenticOneGroupChat(
                    [*_told_by_orchestrator(files, surfer, coder), _terminal(work)],
                    model_client=OrchestratorClient(
                        seed=seed, slip_rate=0, page=desk.address, browser=True, terminal=True
                    ),
                )
                yield FullTeam(team, handed(number, task))
            finally:
                await browser.close()


def _client(name: str, seed: int) -> MemberClient:
    return MemberClient(name, seed=seed, slip_rate=0, writes_code=name == "Coder")


def _told_by_orchestrator(*members: BaseChatAgent) -> Sequence[BaseChatAgent]:
    """The members as they are shown the last instruction of the orchestrator, and no more."""
    seen = MessageFilterConfig(per_source=[Seen(source=ORCHESTRATOR, position="last", count=1)])
    return [MessageFilterAgent(member.name, member, seen) for member in members]


def _terminal(folder: str) -> CodeExecutorAgent:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that code runs on this machine, which is the point
        return CodeExecutorAgent("ComputerTerminal", LocalCommandLineCodeExecutor(work_dir=folder), sources=["Coder"])
