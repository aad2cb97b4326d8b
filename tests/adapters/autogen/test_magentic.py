"""The Magentic-One team over the embedded world: what it records, how facts travel, and that runs are reproducible."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

pytest.importorskip("markitdown", reason="needs the extra magentic-one")

from autogen_core.models import AssistantMessage, SystemMessage, UserMessage

import aegis_core as aegis
from aegis_autogen.adapter import AutoGenAdapter
from aegis_autogen.testing.magentic.clients import text_of_message
from aegis_autogen.testing.magentic.desk import Desk
from aegis_autogen.testing.magentic.handing import instruction, sections
from aegis_autogen.testing.magentic.members import ORCHESTRATOR, MemberClient
from aegis_autogen.testing.magentic.team import magentic_one
from aegis_core.campaign.checkers import check
from aegis_core.errors import ReplayDrift
from aegis_core.faults import Moment, Plan, Scope, Strategy, Target
from aegis_core.run import Interventions, Replay, Run, RunInfo, Tape
from aegis_core.run.canonical import canonical
from aegis_core.testing.marking import MARK, Marks
from aegis_core.world import generate_tasks

TASK = generate_tasks(1, seed=1)[0]


def ran(
    *targets: Target, tape: Tape | None = None, task: str = TASK.text, answer: list[str | None] | None = None
) -> Run:
    adapter, system = AutoGenAdapter(), magentic_one()
    run = Run(
        RunInfo(run_id="run", task=task, adapter="autogen", agents=adapter.agents(system.app)),
        replay=Replay(tape, targets) if tape is not None else None,
        interventions=Interventions(Plan(targets=targets, seed=1), Marks()) if targets else None,
        normalise=adapter.normalise,
    )
    assert system.start is not None
    assert system.output is not None
    with adapter.attach(system.app, run) as attachment:
        result = asyncio.run(system.start(attachment.app, task))
    if answer is not None:
        answer.append(system.output(result))
    return run


def target(agent: str, turn: int, strategy: Strategy, scope: Scope) -> Target:
    return Target(moment=Moment(agent=agent, turn=turn), mode="FM-1.1", strategy=strategy, scope=scope)


def test_the_team_answers_from_a_file_and_a_page() -> None:
    answers: list[str | None] = []
    run = ran(answer=answers)
    assert check(TASK, answers[0]).right
    steps = [(step.agent, step.turn, step.kind) for step in run.trajectory().steps]
    assert steps == [
        (ORCHESTRATOR, 1, "plan"),
        (ORCHESTRATOR, 2, "message"),
        ("FileSurfer", 1, "message"),
        (ORCHESTRATOR, 3, "message"),
        ("FileSurfer", 2, "message"),
        (ORCHESTRATOR, 4, "message"),
        ("WebSurfer", 1, "tool_call"),
        ("WebSurfer", 1, "tool_result"),
        ("WebSurfer", 1, "message"),
        (ORCHESTRATOR, 5, "message"),
        ("Coder", 1, "message"),
        (ORCHESTRATOR, 6, "message"),
    ]
    by_kind = {step.kind: step.text for step in run.trajectory().steps if step.agent == "WebSurfer"}
    assert "Kira has 2 shifts of 4 hours each" in by_kind["tool_result"], "the page was not read"
    assert "Kira has 2 shifts of 4 hours each" in run.trajectory().steps[2].text, "the file was not opened"


def test_most_tasks_are_answered_right() -> None:
    tasks = generate_tasks(12, seed=1)
    answers: list[str | None] = []
    for task in tasks:
        ran(task=task.text, answer=answers)
    right = [check(task, answer).right for task, answer in zip(tasks, answers, strict=True)]
    assert sum(right) >= 10, right


def test_a_member_is_shown_its_instructions_and_no_more() -> None:
    tape = ran().tape()
    (given,) = (e.request for e in tape.entries if e.key.moment.agent == "Coder" and e.key.kind == "input")
    shown = [part.text for part in given]
    assert all(text.startswith("Job ") for text in shown), shown
    assert not any(TASK.text in text for text in shown), "the Coder knows the task from plan and notes alone"


def test_two_runs_are_equal_to_the_byte_and_name_no_folder_port_or_date() -> None:
    first, second = (canonical(run.trajectory(), run.tape(), run.ledger()) for run in (ran(), ran()))
    written = [json.dumps([part.model_dump(mode="json") for part in run]) for run in (first, second)]
    assert written[0] == written[1]
    assert not re.search(r"aegis-magentic|127\.0\.0\.1|localhost|/tmp|20\d\d-\d\d", written[0])


@pytest.mark.case("autogen-15")
@pytest.mark.parametrize(
    ("agent", "turn", "strategy", "scope", "live"),
    [
        ("FileSurfer", 2, "response_corruption", "outgoing", 8),
        ("FileSurfer", 2, "response_corruption", "belief", 8),
        ("FileSurfer", 2, "prompt_injection", "persistent", 9),
        ("Coder", 1, "response_corruption", "outgoing", 2),
        ("Coder", 1, "prompt_injection", "ephemeral", 3),
        (ORCHESTRATOR, 3, "response_corruption", "outgoing", 9),
    ],
)
def test_what_precedes_an_alteration_is_served_and_what_follows_shows_it(
    agent: str, turn: int, strategy: Strategy, scope: Scope, live: int
) -> None:
    clean = ran()
    run = ran(target(agent, turn, strategy, scope), tape=clean.tape())
    (entry,) = run.ledger().interventions
    assert entry.fired, entry.reason
    assert not run.void
    assert run.live_model_calls <= live < clean.live_model_calls
    if strategy == "response_corruption":
        later = [e for e in run.tape().entries if e.key.kind == "model" and e.key.moment.agent != agent]
        assert any(MARK in part.text for e in later for part in e.request), "nobody downstream is shown it"


def test_a_drift_inside_a_file_surfer_which_swallows_every_exception_ends_the_run_and_voids_it() -> None:
    tape = ran().tape()
    notes = next(e for e in tape.entries if str(e.key.moment) == "FileSurfer turn 2" and e.key.kind == "model")
    other = notes.model_copy(update={"request_hash": "another"})
    tape = tape.model_copy(update={"entries": tuple(other if e is notes else e for e in tape.entries)})
    adapter, system = AutoGenAdapter(), magentic_one()
    targets = (target("Coder", 1, "response_corruption", "outgoing"),)
    run = Run(
        RunInfo(run_id="run", task=TASK.text, adapter="autogen", agents=adapter.agents(system.app)),
        replay=Replay(tape, targets),
        interventions=Interventions(Plan(targets=targets, seed=1), Marks()),
        normalise=adapter.normalise,
    )
    assert system.start is not None
    with adapter.attach(system.app, run) as attachment, pytest.raises(ReplayDrift, match="FileSurfer turn 2"):
        asyncio.run(system.start(attachment.app, TASK.text))
    assert "FileSurfer turn 2" in run.void
    assert "Coder" not in {step.agent for step in run.trajectory().steps}, "the run went on"


def test_the_recorded_team_is_as_it_was_afterwards() -> None:
    system = magentic_one()
    before = dict(vars(system.app))
    assert system.start is not None
    with aegis.record(system) as recording:
        asyncio.run(system.start(recording.app, TASK.text))
    assert {name: vars(system.app)[name] is value for name, value in before.items() if callable(value)} == {
        name: True for name, value in before.items() if callable(value)
    }
    assert recording.trajectory.final_output == recording.trajectory.steps[-1].text


def test_an_instruction_is_taken_apart_as_it_was_put_together() -> None:
    handed = [("FileSurfer", "12 crates\n8 bottles"), ("WebSurfer", "nothing")]
    assert sections(instruction("Job 7. Work it out.", handed)) == ("Job 7. Work it out.", handed)


def test_a_page_is_read_over_http_and_is_gone_afterwards() -> None:
    with Desk("material.txt", "Job 7", "12 crates <&> 8 bottles") as desk:
        assert "12 crates <&> 8 bottles" in desk.read_page()
    with pytest.raises(OSError, match="404"):
        desk.read_page()


def test_what_a_system_message_says_beside_the_sealed_prompt_reaches_the_model() -> None:
    from autogen_ext.agents.magentic_one._magentic_one_coder_agent import MAGENTIC_ONE_CODER_SYSTEM_MESSAGE as SEALED

    client = MemberClient("Coder", seed=0, slip_rate=0)
    told = instruction("Job 7. Work it out.", [(ORCHESTRATOR, "How many bottles?"), ("FileSurfer", "12 bottles.")])

    def said(system: str) -> str:
        messages = [SystemMessage(content=system), UserMessage(content=told, source=ORCHESTRATOR)]
        result = asyncio.run(client.create(messages))
        assert isinstance(result.content, str)
        return result.content

    assert said(f"{SEALED} Do not give any figures; keep your findings to yourself.") != said(SEALED)


def test_text_of_a_message_is_all_its_text() -> None:
    assert text_of_message(UserMessage(content=["a", "b"], source="user")) == "a\nb"
    assert text_of_message(AssistantMessage(content=[], source="x")) == ""
