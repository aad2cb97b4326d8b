"""Copies of a case that can be written to, and the plain lies about a kept run: one thing said that is not so.

Each lie has the rules that must notice it, and no others. Those of a forger who covers his tracks stand in `lies.py`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from aegis_core.dataset import layout
from tests.verification import journal
from tests.verification.counts import counted
from tests.verification.material import Claim, Files, Rule

__all__ = [
    "LIES",
    "PAIR_LIES",
    "Forgery",
    "Lie",
    "Record",
    "excerpt",
    "kept_entry",
    "later_target",
    "lie",
    "redundant",
    "settle",
    "single",
    "strategy",
]

Record = dict[str, Any]  # a record as it stands in a file


def excerpt(source: Path, claim: Claim, to: Path) -> Path:
    """A campaign folder with the one case of a claim, and in it no other kept run."""
    others = {entry.run_id for entry in claim.case.faulty if entry.kept} - {claim.run_id}
    wanted = {*claim.runs, claim.case.case_id, claim.task.task_id}
    (to / "dataset").mkdir(parents=True)
    for file in layout.FILES:
        records = [json.loads(line) for key, line in _lines(source / "dataset" / file.name, file.key) if key in wanted]
        if file is layout.CASES:
            records[0]["faulty"] = [entry for entry in records[0]["faulty"] if entry["run_id"] not in others]
        _write(to / "dataset" / file.name, records)
    shutil.copy(source / "campaign.json", to)
    made = [line for key, line in _lines(source / journal.NAME, "task_id") if key == claim.task.task_id]
    made = [line for line in made if json.loads(line)["run_id"] not in others]
    (to / journal.NAME).write_text("".join(line + "\n" for line in made), encoding="utf-8")
    return to


def settle(files: Files) -> None:
    """Make the summary of a dataset agree with its records."""
    path = files.dataset.path / layout.SUMMARY
    path.write_text(json.dumps({"schema_version": 1, **counted(files)}), encoding="utf-8")


@cache
def _lines(path: Path, key: str) -> list[tuple[str, str]]:
    """The lines of a file that is not written to any more, each with its id."""
    return [(json.loads(line)[key], line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write(path: Path, records: list[Record]) -> None:
    lines = [json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in records]
    path.write_text("".join(lines), encoding="utf-8")


@dataclass(frozen=True)
class Forgery:
    """A copy of a case that can be written to, record by record."""

    folder: Path
    claim: Claim

    def edit(self, file: layout.DatasetFile[Any], key: str, change: Callable[[Record], object]) -> None:
        """Change the one record with this id in place."""
        self._rewrite(file, lambda records: [change(r) for r in records if r[file.key] == key], key)

    def drop(self, file: layout.DatasetFile[Any], key: str) -> None:
        """Leave a record out."""
        self._rewrite(file, lambda records: records.remove(next(r for r in records if r[file.key] == key)), key)

    def copy(self, file: layout.DatasetFile[Any], source: str, key: str, changes: Record) -> None:
        """Put the contents of one record in the place of another's, under the other's id."""
        origin = self.read(file, source)
        self.edit(file, key, lambda record: record.update({**origin, file.key: key, **changes}))

    def read(self, file: layout.DatasetFile[Any], key: str) -> Record:
        """The record with this id."""
        return next(record for record in self._records(file) if record[file.key] == key)

    def _records(self, file: layout.DatasetFile[Any]) -> list[Record]:
        text = (self.folder / "dataset" / file.name).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def _rewrite(self, file: layout.DatasetFile[Any], change: Callable[[list[Record]], object], key: str) -> None:
        records = self._records(file)
        assert key in [record[file.key] for record in records], f"{file.name} has no {key}"
        before = json.dumps(records)
        change(records)
        assert json.dumps(records) != before, f"nothing was changed in {file.name}"
        _write(self.folder / "dataset" / file.name, records)

    def reword(self, run_id: str, old: str, new: str) -> None:
        """Put one text in the place of another wherever it stands in a run, of the trajectory and of the tape."""
        before, after = (json.dumps(text, ensure_ascii=False)[1:-1] for text in (old, new))
        for file in (layout.TRAJECTORIES, layout.ARMS, layout.TAPES):
            path = self.folder / "dataset" / file.name
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines):
                if run_id in line:
                    record = json.loads(json.dumps(json.loads(line), ensure_ascii=False).replace(before, after))
                    lines[number] = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
            path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    # -- the places that lies are told about ----------------------------------------------------------------------

    @property
    def run_id(self) -> str:
        return self.claim.run_id

    def arm(self, kind: str) -> str:
        """The run id of an arm with all targets."""
        return next(arm.run_id for arm in self.claim.proof.arms if arm.arm == kind)

    def ledger(self, run_id: str, change: Callable[[Record], object]) -> None:
        """Change what a ledger says of the first target."""
        self.edit(layout.LEDGERS, run_id, lambda ledger: change(ledger["interventions"][0]))


@dataclass(frozen=True)
class Lie:
    """A lie: about which claims it can be told, how, and which rules notice it.

    Some other rules may notice it, too, by what kind of system the runs are of.
    """

    name: str
    tell: Callable[[Forgery], None]
    rules: frozenset[Rule]
    also: frozenset[Rule] = frozenset()
    of: Callable[[Claim], bool] = field(default=lambda _: True)

    def __str__(self) -> str:
        return self.name


LIES: list[Lie] = []
"""Lies that can be told of a run with one target."""
PAIR_LIES: list[Lie] = []
"""Lies that need two targets, of which only one is needed."""


def lie(
    *rules: Rule, of: Callable[[Claim], bool] = lambda _: True, also: tuple[Rule, ...] = ()
) -> Callable[[Callable[[Forgery], None]], None]:
    """Registers a lie that breaks these rules, perhaps some others also, and can be told of such claims."""

    def register(tell: Callable[[Forgery], None]) -> None:
        lies = PAIR_LIES if of is redundant else LIES
        lies.append(Lie(tell.__name__.replace("_", " "), tell, frozenset(rules), frozenset(also), of))

    return register


def single(claim: Claim) -> bool:
    """One target."""
    return len(claim.plan.targets) == 1


def strategy(name: str) -> Callable[[Claim], bool]:
    """One target, of this strategy."""
    return lambda claim: single(claim) and claim.plan.targets[0].strategy == name


def later_target(claim: Claim) -> bool:
    """One target, with steps before it."""
    return single(claim) and claim.faulty.turn(claim.plan.targets[0].moment)[0].index > 0


def redundant(claim: Claim) -> bool:
    """Two targets, one of them needless."""
    return bool(claim.labels.redundant)


# -- the label ----------------------------------------------------------------------------------------------------


def _faults(forgery: Forgery, **changes: Any) -> None:
    forgery.edit(layout.LABELS, forgery.run_id, lambda labels: labels["faults"][0].update(changes))


@lie("label")
def the_label_moved_to_another_agent(forgery: Forgery) -> None:
    agent = forgery.claim.labels.faults[0].agent
    _faults(forgery, agent=next(a.path for a in forgery.claim.faulty.trajectory.agents if a.path != agent))


@lie("label")
def the_mode_swapped_in_the_label(forgery: Forgery) -> None:
    _faults(forgery, mode="FM-1.1" if forgery.claim.labels.faults[0].mode != "FM-1.1" else "FM-2.4")


@lie("label")
def the_step_moved(forgery: Forgery) -> None:
    _faults(forgery, step=(forgery.claim.labels.faults[0].step or 0) + 1)


@lie("label")
def the_scope_changed_in_the_label(forgery: Forgery) -> None:
    scopes = {"persistent": "ephemeral", "ephemeral": "persistent", "outgoing": "belief", "belief": "outgoing"}
    _faults(forgery, scope=scopes[str(forgery.claim.labels.faults[0].scope)])


@lie("label")
def a_clean_run_with_a_fault(forgery: Forgery) -> None:
    faults = forgery.read(layout.LABELS, forgery.run_id)["faults"]
    clean = forgery.claim.proof.clean_run_id
    forgery.edit(layout.LABELS, clean, lambda labels: labels.update(faults=faults))


@lie("label", of=redundant)
def a_redundant_target_labelled_as_a_cause(forgery: Forgery) -> None:
    def promote(labels: Record) -> None:
        labels["faults"] += labels["redundant"]
        labels["redundant"] = []

    forgery.edit(layout.LABELS, forgery.run_id, promote)


@lie("subsets", "label", of=redundant)
def a_redundant_target_proven_as_a_cause(forgery: Forgery) -> None:
    def promote(labels: Record) -> None:
        labels["faults"] += labels["redundant"]
        labels["redundant"] = []

    forgery.edit(layout.LABELS, forgery.run_id, promote)
    forgery.edit(layout.PROOFS, forgery.run_id, lambda proof: proof.update(sufficient=[[0, 1]]))


@lie("subsets", "files", of=redundant)
def a_subset_that_was_never_tried(forgery: Forgery) -> None:
    def forget(proof: Record) -> None:
        proof["arms"] = [arm for arm in proof["arms"] if arm["arm"] != "fault" or set(arm["targets"]) != spare]

    spare = set(forgery.claim.everything) - {index for subset in forgery.claim.proof.sufficient for index in subset}
    forgery.edit(layout.PROOFS, forgery.run_id, forget)


# -- the mode -----------------------------------------------------------------------------------------------------


@lie("mode", of=lambda claim: single(claim) and claim.plan.targets[0].mode == "FM-2.4")
def the_mode_swapped_everywhere(forgery: Forgery) -> None:
    mode = "FM-2.6"

    def plan(record: Record) -> None:
        record["plan"]["targets"][0]["mode"] = mode

    _faults(forgery, mode=mode)
    forgery.edit(layout.PROOFS, forgery.run_id, plan)
    forgery.edit(layout.PROOFS, forgery.run_id, lambda proof: proof["evidence"][0].update(mode=mode))
    forgery.edit(layout.CASES, forgery.claim.case.case_id, lambda case: plan(kept_entry(case, forgery.run_id)))
    for kind in ("fault", "null", "sham"):
        forgery.ledger(forgery.arm(kind), lambda entry: entry["target"].update(mode=mode))


def kept_entry(case: Record, run_id: str) -> Record:
    """The entry of a run in its case."""
    entry: Record = next(entry for entry in case["faulty"] if entry["run_id"] == run_id)
    return entry


# -- what was done, and who saw it --------------------------------------------------------------------------------


@lie("observed", "tape", "wall", of=single, also=("mode",))
def nobody_was_given_what_was_altered(forgery: Forgery) -> None:
    target = forgery.claim.plan.targets[0].moment
    clean = {str(entry.key): entry for entry in forgery.claim.clean.tape.entries}
    begins = forgery.claim.faulty.position(target)

    def restore(tape: Record) -> None:
        entries = []
        for number, (entry, known) in enumerate(zip(tape["entries"], forgery.claim.faulty.tape.entries, strict=True)):
            other = known.key.moment.agent != target.agent and number > begins and known.key.kind != "output"
            if other and str(known.key) not in clean:
                continue
            if other:
                entry["request"] = [part.model_dump(mode="json") for part in clean[str(known.key)].request]
            entries.append(entry)
        tape["entries"] = entries

    forgery.edit(layout.TAPES, forgery.run_id, restore)


@lie("observed", of=single)
def an_observer_who_does_not_know(forgery: Forgery) -> None:
    forgery.ledger(forgery.run_id, lambda entry: entry["observed_by"][0].update(span="a span that nobody ever saw"))


@lie("observed", of=single)
def no_observer_named(forgery: Forgery) -> None:
    forgery.ledger(forgery.run_id, lambda entry: entry.update(observed_by=[]))


@lie("private", of=strategy("prompt_injection"), also=("wall",))
def another_agent_that_was_told_as_well(forgery: Forgery) -> None:
    def tell(tape: Record) -> None:
        later = [
            entry
            for entry in tape["entries"][forgery.claim.faulty.position(target) :]
            if entry["key"]["kind"] == "input" and entry["key"]["moment"]["agent"] != target.agent
        ]
        later[-1]["request"].append({**later[-1]["request"][0], "id": "told", "text": change.after})

    target = forgery.claim.plan.targets[0].moment
    change = forgery.claim.faulty.ledger.interventions[0].changes[0]
    forgery.edit(layout.TAPES, forgery.run_id, tell)


@lie("alteration", "tape", of=strategy("response_corruption"))
def another_text_before_in_what_was_said(forgery: Forgery) -> None:
    forgery.ledger(forgery.run_id, lambda entry: entry["changes"][0].update(before=_longer(entry, "before")))


@lie("alteration", of=strategy("prompt_injection"))
def another_text_before_in_what_was_seen(forgery: Forgery) -> None:
    forgery.ledger(forgery.run_id, lambda entry: entry["changes"][0].update(before=_longer(entry, "before")))


@lie("alteration", "tape", of=strategy("prompt_injection"))
def another_text_after_than_was_seen(forgery: Forgery) -> None:
    forgery.ledger(forgery.run_id, lambda entry: entry["changes"][0].update(after=_longer(entry, "after")))


def _longer(entry: Record, side: str) -> str:
    return f"{entry['changes'][0][side]} Or so it is said."


@lie("alteration", "tape", of=strategy("prompt_injection"))
def a_second_edit_that_the_ledger_hides(forgery: Forgery) -> None:
    def add(tape: Record) -> None:
        numbers = [i for i, e in enumerate(forgery.claim.faulty.tape.entries) if e.key.moment == target and e.request]
        parts: list[Record] = tape["entries"][numbers[0]]["request"]
        altered = {change.part for entry in forgery.claim.faulty.ledger.interventions for change in entry.changes}
        next(part for part in parts if part["id"] not in altered)["text"] += " And be quick."

    target = forgery.claim.plan.targets[0].moment
    forgery.edit(layout.TAPES, forgery.run_id, add)


@lie("alteration", "tape", of=single)
def an_alteration_that_never_fired(forgery: Forgery) -> None:
    forgery.ledger(forgery.run_id, lambda entry: entry.update(fired=False, reason="refused", changes=[]))


# -- the prefix ---------------------------------------------------------------------------------------------------


@lie("prefix", "tape", "wall", of=later_target)
def another_step_before_the_target(forgery: Forgery) -> None:
    step = forgery.claim.faulty.turn(forgery.claim.plan.targets[0].moment)[0].index - 1
    forgery.edit(layout.TRAJECTORIES, forgery.run_id, lambda run: _append(run["steps"][step], "text", " Perhaps."))


@lie("prefix", "tape", of=later_target)
def another_entry_before_the_target_on_the_tape(forgery: Forgery) -> None:
    number = forgery.claim.faulty.position(forgery.claim.plan.targets[0].moment) - 1
    forgery.edit(
        layout.TAPES, forgery.run_id, lambda tape: _append(tape["entries"][number]["request"][0], "text", " Perhaps.")
    )


@lie("prefix", "tape", "wall", of=later_target)
def a_control_with_another_prefix(forgery: Forgery) -> None:
    forgery.edit(layout.ARMS, forgery.arm("sham"), lambda run: _append(run["steps"][0], "text", " Perhaps."))


def _append(record: Record, name: str, text: str) -> None:
    record[name] += text


# -- outcomes -----------------------------------------------------------------------------------------------------


@lie("outcome")
def the_outcome_of_the_fault_flipped(forgery: Forgery) -> None:
    _outcome(forgery, "fault", {"right": True, "failure": None, "detail": ""})


@lie("outcome")
def the_outcome_of_the_clean_run_flipped(forgery: Forgery) -> None:
    _outcome(forgery, "clean", {"right": False, "failure": "wrong", "detail": ""})


def _outcome(forgery: Forgery, kind: str, outcome: Record) -> None:
    def flip(proof: Record) -> None:
        next(arm for arm in proof["arms"] if arm["arm"] == kind)["outcome"] = outcome

    forgery.edit(layout.PROOFS, forgery.run_id, flip)


@lie("outcome", "subsets", "label", "tape", of=single)
def the_final_output_set_right(forgery: Forgery) -> None:
    right = forgery.claim.clean.trajectory.final_output
    forgery.edit(layout.TRAJECTORIES, forgery.run_id, lambda run: run.update(final_output=right))


# -- controls -----------------------------------------------------------------------------------------------------


@lie("null control", "files")
def no_null_control(forgery: Forgery) -> None:
    forgery.edit(layout.PROOFS, forgery.run_id, lambda proof: _without(proof, "null"))


@lie("null control")
def a_null_control_that_touched_nothing(forgery: Forgery) -> None:
    forgery.ledger(forgery.arm("null"), lambda entry: entry.update(changes=[]))


@lie("null control", "tape", of=single)
def a_null_control_that_changed_the_text(forgery: Forgery) -> None:
    forgery.ledger(forgery.arm("null"), lambda entry: entry["changes"][0].update(after=_longer(entry, "after")))


@lie("null control", "outcome", "tape")
def a_null_control_that_failed(forgery: Forgery) -> None:
    wrong = forgery.claim.faulty.trajectory.final_output
    forgery.edit(layout.ARMS, forgery.arm("null"), lambda run: run.update(final_output=wrong))


@lie("null control", "sham control", "files")
def the_clean_run_as_its_own_controls(forgery: Forgery) -> None:
    def point(proof: Record) -> None:
        for arm in proof["arms"]:
            if arm["arm"] in ("null", "sham"):
                arm["run_id"] = clean

    clean = forgery.claim.proof.clean_run_id
    forgery.edit(layout.PROOFS, forgery.run_id, point)


@lie("sham control", "files")
def no_sham_control(forgery: Forgery) -> None:
    forgery.edit(layout.PROOFS, forgery.run_id, lambda proof: _without(proof, "sham"))


@lie("sham control", "tape", of=single)
def a_sham_with_the_edit_of_the_fault_in_its_ledger(forgery: Forgery) -> None:
    changes = forgery.read(layout.LEDGERS, forgery.run_id)["interventions"][0]["changes"]
    forgery.ledger(forgery.arm("sham"), lambda entry: entry.update(changes=changes))


@lie("sham control", "tape", of=single)
def a_sham_that_is_the_fault_but_for_the_answer(forgery: Forgery) -> None:
    sham = forgery.arm("sham")
    changes = forgery.read(layout.LEDGERS, forgery.run_id)["interventions"][0]["changes"]
    right = forgery.claim.clean.trajectory.final_output
    steps = forgery.read(layout.TRAJECTORIES, forgery.run_id)["steps"]
    forgery.copy(layout.TAPES, forgery.run_id, sham, {})
    forgery.ledger(sham, lambda entry: entry.update(changes=changes))
    forgery.edit(layout.ARMS, sham, lambda run: run.update(steps=steps, final_output=right))


@lie("sham control", "alteration", of=strategy("response_corruption"))
def a_sham_that_is_a_null_control(forgery: Forgery) -> None:
    null, sham = forgery.arm("null"), forgery.arm("sham")
    changes = forgery.read(layout.LEDGERS, null)["interventions"][0]["changes"]
    for file in (layout.TAPES, layout.ARMS):
        forgery.copy(file, null, sham, {})
    forgery.ledger(sham, lambda entry: entry.update(changes=changes))


def _without(proof: Record, kind: str) -> None:
    proof["arms"] = [arm for arm in proof["arms"] if arm["arm"] != kind]


# -- files and the wall -------------------------------------------------------------------------------------------


@lie("outcome")
def another_checker_than_the_one_that_judged(forgery: Forgery) -> None:
    path = forgery.folder / "campaign.json"
    settings = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**settings, "checker": "choice"}), encoding="utf-8")


@lie("files")
def a_tape_that_is_lost(forgery: Forgery) -> None:
    forgery.drop(layout.TAPES, forgery.arm("null"))


@lie("files", "label")
def a_label_without_a_proof(forgery: Forgery) -> None:
    forgery.drop(layout.PROOFS, forgery.run_id)


def _last_step(forgery: Forgery, change: Callable[[Record], object]) -> None:
    forgery.edit(layout.TRAJECTORIES, forgery.run_id, lambda run: change(run["steps"][-1]))


@lie("wall", "tape")
def a_run_named_in_a_text(forgery: Forgery) -> None:
    _last_step(forgery, lambda step: step.update(text=f"{step['text']} (after {forgery.claim.proof.clean_run_id})"))


@lie("wall")
def a_field_left_out_of_a_faulty_run(forgery: Forgery) -> None:
    _last_step(forgery, lambda step: step.pop("model"))


@lie("wall")
def no_usage_in_a_faulty_run(forgery: Forgery) -> None:
    _last_step(forgery, lambda step: step.update(usage=None))


@lie("wall")
def a_pause_in_a_faulty_run(forgery: Forgery) -> None:
    _last_step(forgery, lambda step: step.update(start=step["start"] + 1, end=step["end"] + 1))


@lie("wall")
def another_role_in_a_faulty_run(forgery: Forgery) -> None:
    forgery.edit(layout.TRAJECTORIES, forgery.run_id, lambda run: run["agents"][0].update(role="careless"))
