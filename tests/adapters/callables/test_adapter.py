"""Undecorated functions are recorded while attached and are themselves again afterwards."""

from __future__ import annotations

import asyncio
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import aegis_core as aegis
from aegis_callables.adapter import CallablesAdapter
from aegis_callables.system import Callables
from aegis_core.errors import AdapterError
from aegis_core.run import Run, RunInfo
from tests.core.run.systems import Scripted, recorded, relay, rerun, target

ADAPTER = CallablesAdapter()


def make_team() -> types.SimpleNamespace:
    team = types.SimpleNamespace()
    team.plan = lambda question: f"plan {question}"
    team.compute = lambda plan: f"result of {plan}"
    team.solve = lambda question: team.compute(team.plan(question))
    return team


def system(team: types.SimpleNamespace) -> Callables:
    members = {"Planner": (team, "plan"), "Solver": (team, "compute")}
    return Callables(entry=team.solve, members=members, roles={"Planner": "plans"})


def test_members_are_recorded_and_restored_by_identity() -> None:
    team = make_team()
    before = vars(team).copy()
    with aegis.record(system(team)) as run:
        run.app("2+2")
    assert [(step.agent, step.text) for step in run.trajectory.steps] == [
        ("Planner", "plan 2+2"),
        ("Solver", "result of plan 2+2"),
    ]
    assert run.trajectory.agent("Planner").role == "plans"
    assert all(vars(team)[name] is value for name, value in before.items())


def test_members_are_restored_after_an_exception() -> None:
    team = make_team()
    before = team.plan
    with pytest.raises(ZeroDivisionError), aegis.record(system(team)):
        raise ZeroDivisionError
    assert team.plan is before


def test_a_member_that_does_not_exist_is_named_and_nothing_stays_patched() -> None:
    team = make_team()
    before = team.plan
    broken = Callables(entry=team.solve, members={"Planner": (team, "plan"), "Critic": (team, "criticise")})
    with pytest.raises(AdapterError, match="'Critic'.*no function 'criticise'"), aegis.record(broken):
        pass
    assert team.plan is before


def test_a_second_recording_in_the_same_context_is_refused() -> None:
    with aegis.record(relay):
        relay("2+2")
        with pytest.raises(AdapterError, match="being recorded here already"), aegis.record(relay):
            pass


def test_undecorated_members_can_be_altered() -> None:
    team = make_team()
    _, tape, _ = recorded(ADAPTER, system(team), "2+2")
    run, result = rerun(
        ADAPTER, system(team), "2+2", tape, target("Planner", "response_corruption", "outgoing"), injector=Scripted()
    )
    assert result == "result of plan 2+2 ALTERED"
    assert run.ledger().interventions[0].fired


def test_capabilities_follow_from_the_object() -> None:
    with_model = ADAPTER.capabilities(relay)
    assert with_model.offers("prompt_injection", "ephemeral")
    assert with_model.offers("response_corruption", "belief")
    without = ADAPTER.capabilities(system(make_team()))
    assert not without.offers("response_corruption", "belief")
    assert without.notes

    @aegis.trace
    async def asynchronous(question: str) -> str:
        return question

    assert ADAPTER.capabilities(asynchronous).asynchronous


def test_activations_that_overlap_on_one_branch_are_noted_and_branches_tell_them_apart() -> None:
    @aegis.agent("Worker")
    async def work(item: str) -> str:
        await asyncio.sleep(0.001)
        return f"done {item}"

    async def named(item: str) -> str:
        with aegis.branch(item):
            return await work(item)

    @aegis.trace
    async def crowd(use_branches: bool) -> str:
        one = named if use_branches else work
        return ",".join(await asyncio.gather(one("a"), one("b")))

    async def overlapping(use_branches: bool) -> tuple[str, ...]:
        run = Run(RunInfo(run_id="r"))
        with ADAPTER.attach(crowd, run) as attachment:
            await attachment.app(use_branches)
        return run.tape().overlapping

    assert asyncio.run(overlapping(False)) == ("Worker",)
    assert asyncio.run(overlapping(True)) == ()


def test_recursion_is_no_overlap() -> None:
    @aegis.agent("Counter")
    def count(n: int) -> str:
        return f"{n} " + (count(n - 1) if n else "")

    @aegis.trace
    def system(n: int) -> str:
        return count(n)

    run = Run(RunInfo(run_id="r"))
    with ADAPTER.attach(system, run) as attachment:
        attachment.app(2)
    assert run.tape().overlapping == ()
    assert [step.turn for step in run.trajectory().steps] == [3, 2, 1]


def test_what_the_readme_shows_works(monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (Path(__file__).parents[3] / "adapters" / "aegis_callables" / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", readme, flags=re.MULTILINE | re.DOTALL)
    team = types.ModuleType("team")
    vars(team).update(vars(make_team()))
    monkeypatch.setattr(team, "solve", lambda question: team.compute(team.plan(question)))
    monkeypatch.setitem(sys.modules, "team", team)
    space: dict[str, Any] = {}
    exec(code, space)
    assert [step.agent for step in space["run"].trajectory.steps] == ["Planner", "Solver"]
