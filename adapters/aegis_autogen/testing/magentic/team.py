"""A Magentic-One team over the embedded world: `--system aegis_autogen.testing.magentic.team:magentic_one`."""

from __future__ import annotations

import asyncio
import tempfile
from typing import Any

from autogen_agentchat.agents import AssistantAgent, MessageFilterAgent, MessageFilterConfig, PerSourceFilter
from autogen_agentchat.base import TaskResult
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import MagenticOneGroupChat
from autogen_core.tools import FunctionTool
from autogen_ext.agents.file_surfer import FileSurfer
from autogen_ext.agents.magentic_one import MagenticOneCoderAgent

from aegis_autogen.testing.magentic._compat import BROWSER
from aegis_autogen.testing.magentic.desk import Desk, FolderBrowser
from aegis_autogen.testing.magentic.members import ORCHESTRATOR, MemberClient
from aegis_autogen.testing.magentic.orchestrator import FILE, PAGE, OrchestratorClient
from aegis_core.adapter import System
from aegis_core.world.prompts import handed, job_number

__all__ = ["magentic_one"]

_SLIPS = 0.1


def magentic_one(*, seed: int = 0) -> System:
    """The orchestrator of Magentic-One with FileSurfer, Coder, and a WebSurfer that reads plain pages.

    The orchestrator gets the task. Its material lies in a file and on a page of this machine; the surfers open them and
    hand on notes of their shares, the Coder works the answer out, and the orchestrator states it. A member is shown the
    last instruction of the orchestrator and no more (`MessageFilterAgent`): in it is word by word what it has to know.

    Args:
        seed: of the simulated models.
    """
    return _Office(seed).system()


class _Office:
    def __init__(self, seed: int) -> None:
        self._desk: Desk | None = None
        self._seed = seed
        self._surfer = FileSurfer("FileSurfer", self._client("FileSurfer"), base_path=tempfile.gettempdir())

    def system(self) -> System:
        web_surfer = AssistantAgent(
            "WebSurfer",
            self._client("WebSurfer"),
            tools=[FunctionTool(self._visit_page, "Open a page and read it.", name="visit_page")],
            description="A helpful assistant that reads pages.",
            system_message=None,
            reflect_on_tool_use=True,
        )
        members = (self._surfer, web_surfer, MagenticOneCoderAgent("Coder", self._client("Coder")))
        team = MagenticOneGroupChat(
            [MessageFilterAgent(member.name, member, _LAST_INSTRUCTION) for member in members],
            model_client=OrchestratorClient(seed=self._seed, slip_rate=_SLIPS),
        )
        return System(team, start=self._start, output=_answer, name="magentic_one")

    def _client(self, name: str) -> MemberClient:
        return MemberClient(name, seed=self._seed, slip_rate=_SLIPS)

    async def _visit_page(self, address: str) -> str:
        if self._desk is None or address != PAGE:
            return f"There is no page {address}."
        return await asyncio.to_thread(self._desk.read_page)

    async def _start(self, team: MagenticOneGroupChat, task: str) -> TaskResult:
        with Desk(FILE, f"Job {job_number(task)}", task) as self._desk:
            setattr(self._surfer, BROWSER, FolderBrowser(getattr(self._surfer, BROWSER), self._desk.folder))
            return await team.run(task=handed(job_number(task), task))


_LAST_INSTRUCTION = MessageFilterConfig(per_source=[PerSourceFilter(source=ORCHESTRATOR, position="last", count=1)])


def _answer(result: Any) -> str | None:
    said = [m for m in result.messages if isinstance(m, TextMessage) and m.source == ORCHESTRATOR]
    return said[-1].content if said else None
