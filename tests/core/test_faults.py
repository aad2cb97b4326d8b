"""The words of intervening and labelling: what they refuse, and in which words."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from aegis_core.faults import (
    SCOPES,
    ArmResult,
    Case,
    Evidence,
    Fault,
    FaultyRun,
    Intervention,
    Labels,
    Ledger,
    Moment,
    Observation,
    Outcome,
    PartChange,
    Plan,
    Proof,
    Target,
)
from aegis_core.taxonomy import MAST


def target(agent: str = "Solver", **more: Any) -> Target:
    fields = {"mode": "FM-1.1", "strategy": "prompt_injection", "scope": "persistent", **more}
    return Target(moment=fields.pop("moment", Moment(agent=agent)), **fields)


@pytest.mark.parametrize("mode", ["FM-4.1", "fm-1.1", "FM-1.10", "drift", "", "Acme:drift", "acme:", ":drift"])
@pytest.mark.parametrize("make", [lambda mode: target(mode=mode), lambda mode: Fault(agent="A", mode=mode)])
def test_unknown_mode_is_an_error_that_names_the_known_ones(mode: str, make: Any) -> None:
    with pytest.raises(ValidationError) as caught:
        make(mode)
    assert all(known.id in str(caught.value) for known in MAST)
    assert "vendor:slug" in str(caught.value)


@pytest.mark.parametrize("mode", ["FM-1.1", "FM-3.3", "acme:drift", "env:tool-timeout"])
def test_modes_of_mast_of_third_parties_and_of_the_environment_are_modes(mode: str) -> None:
    assert target(mode=mode).mode == Fault(agent="A", mode=mode).mode == mode


def test_only_an_annotator_may_leave_the_mode_out() -> None:
    assert Fault(agent="A", step=3, origin="whowhen").mode is None
    with pytest.raises(ValidationError, match="fault of A: a proof says which mode"):
        Fault(agent="A", step=3)
    with pytest.raises(ValidationError, match="unknown error mode 'careless'"):
        Fault(agent="A", mode="careless", origin="whowhen")


@pytest.mark.parametrize(("strategy", "scope"), [(name, scope) for name, scopes in SCOPES.items() for scope in scopes])
def test_each_strategy_has_its_scopes(strategy: str, scope: str) -> None:
    assert target(strategy=strategy, scope=scope).scope == scope
    for other in SCOPES:
        if other != strategy:
            with pytest.raises(ValidationError, match=rf"target Solver turn 1: {other} has scopes .*, not '{scope}'"):
                target(strategy=other, scope=scope)


def test_unknown_strategy_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValidationError, match="'prompt_injection', 'response_corruption' or 'environment'"):
        target(strategy="hypnosis")


def test_plan_has_a_turn_for_each_target() -> None:
    with pytest.raises(ValidationError, match="two targets share one turn"):
        Plan(targets=(target(), target(mode="FM-2.4")), seed=0)
    assert len(Plan(targets=(target("A"), target("B")), seed=0).targets) == 2
    with pytest.raises(ValidationError):
        Plan(targets=(), seed=0)


def test_moment_reads_as_words() -> None:
    assert str(Moment(agent="Team/Critic", turn=2)) == "Team/Critic turn 2"
    assert str(Moment(agent="Critic", branch="left")) == "Critic[left] turn 1"


@pytest.mark.parametrize("fields", [{"right": True, "failure": "wrong"}, {"right": False}])
def test_outcome_is_right_or_has_one_kind_of_failure(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="a right run has no kind of failure, a wrong one has exactly one"):
        Outcome(**fields)


def test_unknown_failure_is_an_error_that_names_the_known_ones() -> None:
    with pytest.raises(ValidationError, match="'wrong', 'no_answer', 'no_end' or 'crash'"):
        Outcome(right=False, failure="late")  # type: ignore[arg-type]


@pytest.mark.parametrize("fields", [{"kept": True, "reason": "drift"}, {"kept": False}])
def test_faulty_run_is_kept_or_has_a_reason(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="a discarded run has a reason, a kept one has none"):
        FaultyRun(run_id="r", plan=Plan(targets=(target(),), seed=0), **fields)


def test_role_of_a_fault_is_cause_unless_said_otherwise() -> None:
    assert Fault(agent="A", mode="FM-1.1").role == "cause"
    with pytest.raises(ValidationError, match="'cause', 'carrier' or 'missed'"):
        Fault(agent="A", mode="FM-1.1", role="witness")  # type: ignore[arg-type]


PLAN = Plan(
    targets=(target("A"), target("B", mode="acme:drift", strategy="response_corruption", scope="belief")), seed=7
)
RECORDS = [
    Ledger(
        run_id="r",
        interventions=(
            Intervention(
                target=PLAN.targets[0],
                arm="fault",
                fired=True,
                realisation="unit",
                notes={"figure": 12},
                changes=(PartChange(part="0", before="96 bottles", after="96 crates"),),
                route="B",
                observed_by=(Observation(moment=Moment(agent="B"), how="lacks", span="96 bottles"),),
            ),
            Intervention(target=PLAN.targets[1], arm="sham", fired=False, reason="refused: no figure"),
        ),
    ),
    Labels(
        run_id="r",
        case_id="c",
        faults=(Fault(agent="A", mode="FM-1.1", step=3),),
        redundant=(Fault(agent="B", mode="acme:drift"),),
    ),
    Labels(run_id="r", case_id="c", faults=(Fault(agent="A", step=3, origin="whowhen"),)),
    Proof(
        run_id="r",
        case_id="c",
        clean_run_id="r0",
        plan=PLAN,
        sufficient=((0,), (1,)),
        arms=(
            ArmResult(arm="null", run_id="r1", targets=(0,), outcome=Outcome(right=True)),
            ArmResult(arm="fault", run_id="r2", targets=(0, 1), invalid="drift: another speaker"),
        ),
        evidence=(Evidence(mode="FM-1.1", holds=True, because="another unit", spans=("crates",)),),
    ),
    Case(
        case_id="c",
        task_id="t",
        system="team",
        clean_run_id="r0",
        clean_outcome=Outcome(right=True),
        faulty=(
            FaultyRun(run_id="r", plan=PLAN, kept=True),
            FaultyRun(run_id="q", plan=PLAN, kept=False, reason="drift"),
        ),
    ),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_record_survives_json(record: Any) -> None:
    assert type(record).model_validate_json(record.model_dump_json()) == record
