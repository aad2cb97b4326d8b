"""Magentic-One with all its agents as they are, over a page and a file of this machine, with a real browser."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("markitdown", reason="needs the extra magentic-one")

import aegis_core as aegis
from aegis_autogen.adapter import AutoGenAdapter
from aegis_autogen.testing.magentic.full import FullOffice, browser_path, full_office
from aegis_autogen.testing.magentic.members import ORCHESTRATOR
from aegis_core.campaign.checkers import check
from aegis_core.faults import Moment, Plan, Target
from aegis_core.run import Interventions, Replay, Run, RunInfo, Tape
from aegis_core.testing.marking import MARK, Marks
from aegis_core.world import generate_tasks

pytestmark = pytest.mark.skipif(
    not browser_path(),
    reason="no browser; on Debian: apt-get install --no-install-recommends chromium",
)

TASK = generate_tasks(2, seed=1)[1]
TARGET = Target(
    moment=Moment(agent="WebSurfer", turn=2), mode="FM-2.4", strategy="response_corruption", scope="outgoing"
)


async def recorded(office: FullOffice) -> Run:
    team = await office.team()
    with aegis.record(team) as recording:
        await team.run(task=office.task)
    return recording.run


async def altered(office: FullOffice, tape: Tape) -> Run:
    adapter, team = AutoGenAdapter(), await office.team()
    run = Run(
        RunInfo(run_id="run", task=office.task, adapter="autogen", agents=adapter.agents(team)),
        replay=Replay(tape, (TARGET,)),
        interventions=Interventions(Plan(targets=(TARGET,), seed=1), Marks()),
        normalise=adapter.normalise,
    )
    with adapter.attach(team, run):
        await team.run(task=office.task)
    return run


async def both() -> tuple[Run, Run]:
    async with full_office(TASK.text) as office:
        clean = await recorded(office)
        return clean, await altered(office, clean.tape())


@pytest.fixture(scope="module")
def runs() -> tuple[Run, Run]:
    return asyncio.run(both())


@pytest.mark.case("autogen-8")
def test_all_five_agents_are_recorded(runs: tuple[Run, Run]) -> None:
    trajectory = runs[0].trajectory()
    members = ["FileSurfer", "WebSurfer", "Coder", "ComputerTerminal"]
    assert [agent.path for agent in trajectory.agents] == [ORCHESTRATOR, *members]
    assert [step.agent for step in trajectory.steps if step.agent != ORCHESTRATOR and step.kind == "message"] == [
        "FileSurfer",
        "FileSurfer",
        "WebSurfer",
        "WebSurfer",
        "Coder",
        "ComputerTerminal",
    ]
    assert check(TASK, trajectory.final_output).right, trajectory.final_output
    assert not trajectory.error


def test_the_browser_and_the_terminal_did_what_they_were_told(runs: tuple[Run, Run]) -> None:
    said = {(step.agent, step.turn): step.text for step in runs[0].trajectory().steps if step.kind == "message"}
    assert "visible in the viewport:\n\nJob" in said["WebSurfer", 1]
    assert said["ComputerTerminal", 1].strip() in said["Coder", 1]


def test_no_screenshot_is_recorded(runs: tuple[Run, Run]) -> None:
    for run in runs:
        written = run.trajectory().model_dump_json() + run.tape().model_dump_json()
        assert "iVBORw0KGgo" not in written
        assert "[image]" in written
        assert len(written) < 200_000


@pytest.mark.case("autogen-15")
def test_a_run_is_served_up_to_the_alteration_of_what_the_web_surfer_found(runs: tuple[Run, Run]) -> None:
    clean, run = runs
    assert not run.void
    assert run.ledger().interventions[0].fired
    later = ("Coder", ORCHESTRATOR)
    shown = [e for e in run.tape().entries if e.key.kind == "model" and e.key.moment.agent in later]
    assert any(MARK in part.text for entry in shown for part in entry.request)
    assert run.live_model_calls == sum(
        entry.key.kind == "model" and position > _end_of_target(clean.tape())
        for position, entry in enumerate(clean.tape().entries)
    )


def _end_of_target(tape: Tape) -> int:
    return max(position for position, entry in enumerate(tape.entries) if entry.key.moment == TARGET.moment)
