"""An alteration is made once, where it is due, and anything that goes wrong leaves the text as it was."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from aegis_callables.adapter import CallablesAdapter
from aegis_core.adapter import Part
from aegis_core.faults import Plan, Target
from aegis_core.injector import Edits, InjectionContext, Refused
from aegis_core.run import Interventions, Run, RunInfo
from tests.core.run.systems import Scripted, recorded, relay, rerun, target

ADAPTER = CallablesAdapter()


class Answering(Scripted):
    """An injector that gives a fixed answer, or raises it."""

    def __init__(self, answer: Any) -> None:
        super().__init__()
        self._answer = answer

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:
        if isinstance(self._answer, Exception):
            raise self._answer
        result: Edits | Refused = self._answer
        return result


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (ValueError("bug"), "the injector raised ValueError: bug"),
        (Refused("no figures"), "refused: no figures"),
        (Edits(texts={"elsewhere": "x"}, realisation="r"), "are not editable parts here"),
        (Edits(texts={"value": "plan: <2+2>"}, realisation="r"), "the text was not changed"),
        (Edits(texts={}, realisation="r"), "the text was not changed"),
    ],
)
def test_what_goes_wrong_in_an_injector_leaves_the_run_clean(answer: Any, reason: str) -> None:
    clean, tape, result = recorded(ADAPTER, relay, "2+2")
    run, again = rerun(
        ADAPTER, relay, "2+2", tape, target("Planner", "response_corruption", "outgoing"), injector=Answering(answer)
    )
    entry = run.ledger().interventions[0]
    assert not entry.fired
    assert reason in entry.reason
    assert again == result
    assert [step.text for step in run.trajectory().steps] == [step.text for step in clean.steps]


def test_a_target_that_never_comes_is_not_fired() -> None:
    never = target("Solver", "response_corruption", "outgoing", turn=3)
    run = Run(RunInfo(run_id="r"), interventions=Interventions(Plan(targets=(never,), seed=0), Scripted()))
    with ADAPTER.attach(relay, run) as attachment:
        attachment.app("2+2")
    assert run.ledger().interventions[0].reason == "not fired: Solver turn 3 never came to this site"


def test_null_control_writes_the_text_back_and_gives_the_clean_run() -> None:
    _, tape, result = recorded(ADAPTER, relay, "2+2")
    for strategy, scope in [
        ("response_corruption", "outgoing"),
        ("response_corruption", "belief"),
        ("prompt_injection", "persistent"),
        ("prompt_injection", "ephemeral"),
    ]:
        run, again = rerun(
            ADAPTER, relay, "2+2", tape, target("Solver", strategy, scope), injector=Scripted(lambda t: t), arm="null"
        )
        entry = run.ledger().interventions[0]
        assert again == result
        assert entry.fired
        assert entry.changes
        assert all(change.before == change.after for change in entry.changes)


def test_only_the_active_targets_are_carried_out() -> None:
    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    both = (target("Planner", "response_corruption", "outgoing"), target("Solver", "response_corruption", "outgoing"))
    run, result = rerun(ADAPTER, relay, "2+2", tape, *both, active=(1,))
    assert [entry.target.moment.agent for entry in run.ledger().interventions] == ["Solver"]
    assert result.count("ALTERED") == 1
    run, result = rerun(ADAPTER, relay, "2+2", tape, *both)
    assert result.count("ALTERED") == 2


def test_the_injector_knows_the_run_so_far_and_a_seed_of_its_own() -> None:
    _, tape, _ = recorded(ADAPTER, relay, "2+2")
    injector = Scripted()
    both = (target("Planner", "response_corruption", "outgoing"), target("Solver", "response_corruption", "outgoing"))
    rerun(ADAPTER, relay, "2+2", tape, *both, injector=injector)
    first, second = injector.contexts
    assert first.task == "2+2"
    assert [part.text for part in first.seen] == ["2+2"]
    assert second.history == (("Planner", "plan: <2+2> ALTERED"),)
    assert first.seed != second.seed
    again = Scripted()
    rerun(ADAPTER, relay, "2+2", tape, *both, injector=again)
    assert [context.seed for context in again.contexts] == [first.seed, second.seed]


def test_an_injector_that_really_waits_works_in_a_synchronous_run_inside_a_running_loop() -> None:
    class Waiting(Scripted):
        async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:
            await asyncio.sleep(0.001)
            return await super().alter(context, target, attempt)

    _, tape, _ = recorded(ADAPTER, relay, "2+2")

    async def main() -> str:
        _, result = rerun(
            ADAPTER, relay, "2+2", tape, target("Planner", "response_corruption", "outgoing"), injector=Waiting()
        )
        return str(result)

    assert "ALTERED" in asyncio.run(main())


def test_parts_that_may_not_be_edited_are_not() -> None:
    fixed = Part(id="fixed", text="system prompt", editable=False)
    free = Part(id="free", text="question")
    planned = Plan(targets=(target("A", "prompt_injection", "persistent"),), seed=0)
    run = Run(RunInfo(run_id="r"), interventions=Interventions(planned, Scripted()))
    turn = run.begin_turn("A", (fixed, free))
    assert turn.texts() == {"free": "question ALTERED"}
    assert turn.scope == "persistent"
