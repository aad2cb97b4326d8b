"""Lies of a forger who covers his tracks: what he changes in one file he changes in the others as well."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from aegis_core.dataset import layout
from tests.verification.forgery import (
    LIES,
    PAIR_LIES,
    Forgery,
    Lie,
    Record,
    kept_entry,
    later_target,
    lie,
    redundant,
    single,
    strategy,
)
from tests.verification.material import Claim

__all__ = ["LIES", "PAIR_LIES", "Lie"]


def _discarding(claim: Claim) -> bool:
    return single(claim) and any(not entry.kept for entry in claim.case.faulty)


# -- runs with fewer targets, and targets that are not told of ----------------------------------------------------


@lie("tape", of=redundant)
def a_needless_target_that_fails_alone(forgery: Forgery) -> None:
    """The answer of one run turns wrong, its outcome, the minimal sets and the label with it."""
    wrong = forgery.claim.faulty.trajectory.final_output
    needed = {index for subset in forgery.claim.proof.sufficient for index in subset}
    subset = next(a for a in forgery.claim.arms("fault") if len(a.targets) == 1 and set(a.targets) != needed)

    def prove(proof: Record) -> None:
        proof["sufficient"] = [[0], [1]]
        whole = next(arm for arm in proof["arms"] if arm["run_id"] == forgery.run_id)
        next(arm for arm in proof["arms"] if arm["run_id"] == subset.run_id)["outcome"] = whole["outcome"]

    def label(labels: Record) -> None:
        labels["faults"] = sorted([*labels["faults"], *labels["redundant"]], key=lambda fault: fault["step"])
        labels["redundant"] = []

    forgery.edit(layout.ARMS, subset.run_id, lambda run: run.update(final_output=wrong))
    forgery.edit(layout.PROOFS, forgery.run_id, prove)
    forgery.edit(layout.LABELS, forgery.run_id, label)


@lie("tape", "prefix", of=redundant)
def the_first_of_two_targets_hidden(forgery: Forgery) -> None:
    _hide(forgery, 0)


@lie("tape", of=redundant)
def the_second_of_two_targets_hidden(forgery: Forgery) -> None:
    _hide(forgery, 1)


def _hide(forgery: Forgery, hidden: int) -> None:
    """Leave a target out of plan, proof, label and ledgers, and with it the runs with fewer targets."""
    claim, moment = forgery.claim, forgery.claim.plan.targets[hidden].moment
    parts = {arm.run_id for arm in claim.arms("fault") if arm.run_id != forgery.run_id}

    def plan(record: Record) -> None:
        del record["plan"]["targets"][hidden]

    def prove(proof: Record) -> None:
        plan(proof)
        del proof["evidence"][hidden]
        proof["sufficient"] = [[0]]
        proof["arms"] = [arm for arm in proof["arms"] if arm["run_id"] not in parts]
        for arm in proof["arms"]:
            arm["targets"] = [0] if arm["arm"] != "clean" else []

    def label(labels: Record) -> None:
        faults = [*labels["faults"], *labels["redundant"]]
        labels.update(faults=[fault for fault in faults if fault["agent"] != moment.agent], redundant=[])

    def forget(ledger: Record) -> None:
        entries = ledger["interventions"]
        ledger["interventions"] = [e for e in entries if e["target"]["moment"]["agent"] != moment.agent]

    for run_id in sorted(parts):
        for file in (layout.ARMS, layout.TAPES, layout.LEDGERS):
            forgery.drop(file, run_id)
    for kind in ("null", "sham"):
        forgery.edit(layout.LEDGERS, forgery.arm(kind), forget)
    forgery.edit(layout.LEDGERS, forgery.run_id, forget)
    forgery.edit(layout.CASES, claim.case.case_id, lambda case: plan(kept_entry(case, forgery.run_id)))
    forgery.edit(layout.PROOFS, forgery.run_id, prove)
    forgery.edit(layout.LABELS, forgery.run_id, label)


# -- steps and answers --------------------------------------------------------------------------------------------


@lie("tape", of=single)
def another_text_in_the_last_step(forgery: Forgery) -> None:
    forgery.edit(layout.TRAJECTORIES, forgery.run_id, lambda run: _recase(run["steps"][-1]))


@lie("tape", of=later_target)
def the_first_step_changed_in_all_runs_alike(forgery: Forgery) -> None:
    for run_id in forgery.claim.runs:
        trajectories = {forgery.run_id, forgery.claim.proof.clean_run_id}
        file = layout.TRAJECTORIES if run_id in trajectories else layout.ARMS
        forgery.edit(file, run_id, lambda run: _recase(run["steps"][0]))


def _recase(step: Record) -> None:
    """Other words of the same length, so that no figure tells of it."""
    step["text"] = step["text"].swapcase()


@lie("tape", also=("outcome",))
def another_wrong_answer(forgery: Forgery) -> None:
    forgery.edit(layout.TRAJECTORIES, forgery.run_id, lambda run: run.update(final_output="Answer: 123456789"))


@lie("tape", of=single)
def another_right_answer_of_a_control(forgery: Forgery) -> None:
    right = forgery.claim.clean.trajectory.final_output
    forgery.edit(layout.ARMS, forgery.arm("sham"), lambda run: run.update(final_output=f"{right} ".upper()))


@lie("tape", of=strategy("prompt_injection"))
def another_agent_that_was_told_something_else_in_secret(forgery: Forgery) -> None:
    target = forgery.claim.plan.targets[0].moment

    def tell(tape: Record) -> None:
        inputs = [entry for entry in tape["entries"] if entry["key"]["kind"] == "input"]
        last = next(e for e in reversed(inputs) if e["key"]["moment"]["agent"] != target.agent)
        last["request"][0]["text"] += " Give no unit this time."

    forgery.edit(layout.TAPES, forgery.run_id, tell)


# -- controls and evidence ----------------------------------------------------------------------------------------


@lie("sham control", also=("wall",), of=strategy("response_corruption"))
def a_sham_that_is_a_null_control_and_a_full_stop(forgery: Forgery) -> None:
    _small_sham(forgery, ".")


@lie("sham control", also=("wall",), of=lambda claim: strategy("response_corruption")(claim) and _is_large(claim))
def a_sham_of_one_word(forgery: Forgery) -> None:
    _small_sham(forgery, " Well")


def _is_large(claim: Claim) -> bool:
    change = claim.faulty.ledger.interventions[0].changes[0]
    return len(set(change.after.split()) ^ set(change.before.split())) > 6


def _small_sham(forgery: Forgery, more: str) -> None:
    null, sham = forgery.arm("null"), forgery.arm("sham")
    for file in (layout.TAPES, layout.ARMS):
        forgery.copy(file, null, sham, {})
    fault = forgery.read(layout.LEDGERS, forgery.run_id)["interventions"][0]["changes"][0]
    null_changes = forgery.read(layout.LEDGERS, null)["interventions"][0]["changes"]
    change = next(change for change in null_changes if change["before"] == fault["before"])
    change["after"] += more
    forgery.ledger(sham, lambda entry: entry.update(changes=[change]))

    def deliver(run: Record) -> None:
        next(step for step in run["steps"] if step["text"] == change["before"])["text"] += more

    forgery.edit(layout.ARMS, sham, deliver)


@lie("mode", of=single)
def reasons_that_no_predicate_gave(forgery: Forgery) -> None:
    _evidence(forgery, because="the agent wrote nonsense")


@lie("mode", of=single)
def spans_that_no_predicate_found(forgery: Forgery) -> None:
    _evidence(forgery, spans=["a quotation"])


def _evidence(forgery: Forgery, **changes: Any) -> None:
    forgery.edit(layout.PROOFS, forgery.run_id, lambda proof: proof["evidence"][0].update(changes))


# -- what was not kept --------------------------------------------------------------------------------------------


@lie("discard", of=single)
def a_kept_run_told_of_as_still_right(forgery: Forgery) -> None:
    answer = forgery.claim.clean.trajectory.final_output or ""
    _discard(forgery, "still right", f"the answer is {answer[:80]!r}")


@lie("discard", of=single)
def a_kept_run_told_of_as_one_without_its_mode(forgery: Forgery) -> None:
    _discard(forgery, "mode not realised", "it is not there")


@lie("discard", of=single)
def a_kept_run_told_of_as_not_observed(forgery: Forgery) -> None:
    _discard(forgery, "not observed", "nobody saw it")


@lie("discard", of=single)
def a_kept_run_told_of_as_one_that_drifted(forgery: Forgery) -> None:
    _discard(forgery, "drift", "it went another way")


@lie("files", "discard", of=single)
def a_kept_run_hidden_with_its_tapes_left_behind(forgery: Forgery) -> None:
    _discard(forgery, "fragile site", "the control failed", left=True)


def _discard(forgery: Forgery, reason: str, detail: str, *, left: bool = False) -> None:
    """Make a kept run one that was discarded, and take its records out of the dataset."""

    def discard(case: Record) -> None:
        kept_entry(case, forgery.run_id).update(kept=False, reason=reason, detail=detail)

    forgery.edit(layout.CASES, forgery.claim.case.case_id, discard)
    for file in (layout.TRAJECTORIES, layout.LABELS, layout.PROOFS):
        forgery.drop(file, forgery.run_id)
    for run_id in set(forgery.claim.runs) - {forgery.claim.proof.clean_run_id} if not left else ():
        for other in (layout.TAPES, layout.LEDGERS, *((layout.ARMS,) if run_id != forgery.run_id else ())):
            forgery.drop(other, run_id)


@lie("discard", of=_discarding)
def another_reason_of_discarding(forgery: Forgery) -> None:
    def swap(entry: Record) -> None:
        entry["reason"] = "fragile site" if entry["reason"] != "fragile site" else "null control failed"

    _first_discarded(forgery, swap)


@lie("discard", of=_discarding)
def a_reason_that_there_is_not(forgery: Forgery) -> None:
    _first_discarded(forgery, lambda entry: entry.update(reason="not wanted"))


def _first_discarded(forgery: Forgery, change: Callable[[Record], object]) -> None:
    forgery.edit(
        layout.CASES,
        forgery.claim.case.case_id,
        lambda case: change(next(entry for entry in case["faulty"] if not entry["kept"])),
    )


# -- counts -------------------------------------------------------------------------------------------------------


@lie("counts")
def more_kept_runs_than_there_are(forgery: Forgery) -> None:
    _summary(forgery, lambda said: said.update(faulty_runs_kept=99))


@lie("counts")
def other_modes_in_the_summary(forgery: Forgery) -> None:
    _summary(forgery, lambda said: said.update(by_mode={"FM-1.1": 99}))


@lie("counts")
def no_dependence_in_the_summary(forgery: Forgery) -> None:
    _summary(forgery, lambda said: said.update(mode_agent_bits=said["mode_agent_bits"] + 0.5))


@lie("counts")
def no_summary(forgery: Forgery) -> None:
    _path(forgery).unlink()


def _summary(forgery: Forgery, change: Callable[[Record], object]) -> None:
    said = json.loads(_path(forgery).read_text(encoding="utf-8"))
    change(said)
    _path(forgery).write_text(json.dumps(said), encoding="utf-8")


def _path(forgery: Forgery) -> Path:
    return forgery.folder / "dataset" / layout.SUMMARY


# -- marks on a faulty run ----------------------------------------------------------------------------------------


@lie("wall")
def a_thin_space_in_a_faulty_run_and_its_tape(forgery: Forgery) -> None:
    said = forgery.claim.faulty.trajectory.steps[-1].text
    forgery.reword(forgery.run_id, said, said.replace(" ", "\N{THIN SPACE}", 1))


@lie("wall")
def a_reader_who_read_nothing(forgery: Forgery) -> None:
    first = forgery.claim.faulty.trajectory.agents[-1].path
    forgery.edit(layout.TRAJECTORIES, forgery.run_id, lambda run: run["steps"][-1].update(visible_to=[first]))


@lie("wall")
def a_reader_left_out(forgery: Forgery) -> None:
    def leave_out(run: Record) -> None:
        next(step for step in run["steps"] if len(step["text"]) > 40 and step["visible_to"])["visible_to"].pop()

    forgery.edit(layout.TRAJECTORIES, forgery.run_id, leave_out)


@lie("wall")
def more_tokens_read_in_a_faulty_run(forgery: Forgery) -> None:
    def read(run: Record) -> None:
        run["steps"][-1]["usage"]["input_tokens"] += 40

    forgery.edit(layout.TRAJECTORIES, forgery.run_id, read)


@lie("wall")
def another_model_in_a_faulty_run(forgery: Forgery) -> None:
    forgery.edit(layout.TRAJECTORIES, forgery.run_id, lambda run: run["steps"][-1].update(model="simulated "))
