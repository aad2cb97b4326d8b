"""What a dataset says about each kept faulty run, gathered by run, and in which words a doubt about it is put."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import JsonValue

from aegis_core.dataset import Dataset, layout
from aegis_core.faults import ArmKind, ArmResult, Case, FaultyRun, Intervention, Labels, Ledger, Moment, Plan, Proof
from aegis_core.plugins import Plugins, default_plugins
from aegis_core.run import Limits
from aegis_core.run.tape import Tape, TapeEntry
from aegis_core.trajectory import Step, Trajectory
from tests.verification.journal import NAME, Journal

__all__ = ["Claim", "Files", "Recorded", "Rule", "Settings", "Task", "Violation", "passages", "texts_in"]

Rule = Literal[
    "files",
    "tape",
    "prefix",
    "alteration",
    "observed",
    "private",
    "outcome",
    "null control",
    "sham control",
    "mode",
    "subsets",
    "label",
    "discard",
    "counts",
    "wall",
    "re-run",
]
"""Which promise of a dataset is broken."""


@dataclass(frozen=True, order=True)
class Violation:
    """One broken promise: of which run, which, and how."""

    run_id: str
    rule: Rule
    words: str

    def __str__(self) -> str:
        return f"{self.run_id}: {self.rule}: {self.words}"


@dataclass(frozen=True)
class Settings:
    """What `campaign.json` tells of how the runs were made."""

    system: str
    adapter: str
    checker: str
    """Name of the checker that every task has to be stored with, or "" if each task names its own."""
    seed: int
    replay: Literal["call", "node"]
    limits: Limits
    limited: bool = False
    """Whether the campaign ends when it has kept so many runs."""

    @classmethod
    def read(cls, path: Path) -> Settings:
        """The settings in a `campaign.json`."""
        said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            system=said["system"],
            adapter=said["adapter"],
            checker=said["checker"],
            seed=said["seed"],
            replay=said["replay"],
            limits=Limits(**said["limits"]),
            limited=said.get("limit") is not None,
        )


@dataclass(frozen=True)
class Task:
    """A task as it stands in the file; a checker of the user's own is handed this."""

    task_id: str
    text: str
    answer: str
    checker: str = "exact"
    family: str = ""
    source: str = ""

    @classmethod
    def read(cls, path: Path) -> Iterator[Task]:
        """The tasks in a `tasks.jsonl`."""
        for line in path.read_text(encoding="utf-8").splitlines():
            said: dict[str, Any] = json.loads(line)
            yield cls(**{name: said[name] for name in cls.__dataclass_fields__ if name in said})


def passages(step: Step) -> list[str]:
    """The texts of a step: its text; if it shows data, a line or more for each text in there, those texts."""
    data = [content.data for content in step.content if content.type == "json"]
    found = [text for text in texts_in(data) if not re.fullmatch(r"<\w+>", text)]  # what has no text but a type
    shown = step.kind in ("message", "handoff") and found and all(text in step.text for text in found)
    return found if shown else [step.text]


def texts_in(data: JsonValue) -> list[str]:
    """Every text in plain data."""
    if isinstance(data, str):
        return [data]
    children = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return [text for child in children for text in texts_in(child)]


@dataclass(frozen=True)
class Recorded:
    """One run: what an observer saw, the tape, and what was done to it."""

    trajectory: Trajectory
    tape: Tape
    ledger: Ledger

    def turn(self, moment: Moment) -> tuple[Step, ...]:
        """The steps of a turn, as delivered."""
        return self.trajectory.turn(moment.agent, moment.turn, moment.branch)

    def said(self, moment: Moment) -> tuple[str, ...]:
        """The texts of a turn, as delivered."""
        return tuple(step.text for step in self.turn(moment))

    def passages(self, moment: Moment) -> tuple[str, ...]:
        """The texts of a turn one by one, as delivered: of a step that shows data, those in the data."""
        return tuple(text for step in self.turn(moment) for text in passages(step))

    def entries(self, moment: Moment, *kinds: str) -> tuple[TapeEntry, ...]:
        """The entries of a turn, of all kinds if none is given."""
        return tuple(e for e in self.tape.entries if e.key.moment == moment and (not kinds or e.key.kind in kinds))

    def position(self, moment: Moment) -> int:
        """Where on the tape a turn begins; the end of the tape if it never does."""
        return next((i for i, e in enumerate(self.tape.entries) if e.key.moment == moment), len(self.tape.entries))

    def intervention(self, moment: Moment) -> Intervention | None:
        """What was done to a turn, or None."""
        return next((entry for entry in self.ledger.interventions if entry.target.moment == moment), None)


@dataclass(frozen=True)
class Claim:
    """A faulty run that a dataset keeps, with all that its label rests on."""

    labels: Labels
    proof: Proof
    case: Case
    entry: FaultyRun
    task: Task
    runs: Mapping[str, Recorded]

    @property
    def run_id(self) -> str:
        return self.proof.run_id

    @property
    def plan(self) -> Plan:
        return self.proof.plan

    @property
    def everything(self) -> tuple[int, ...]:
        """The indices of all targets."""
        return tuple(range(len(self.plan.targets)))

    @property
    def clean(self) -> Recorded:
        return self.runs[self.proof.clean_run_id]

    @property
    def faulty(self) -> Recorded:
        return self.runs[self.proof.run_id]

    def arms(self, kind: ArmKind, targets: tuple[int, ...] | None = None) -> tuple[ArmResult, ...]:
        """The arms of a kind, of all subsets of targets or of one."""
        return tuple(
            arm for arm in self.proof.arms if arm.arm == kind and (targets is None or _same(arm.targets, targets))
        )

    def chronological(self, arm: ArmResult) -> tuple[int, ...]:
        """The targets of an arm in the order in which they came up in its run."""
        run = self.runs[arm.run_id]
        return tuple(sorted(arm.targets, key=lambda index: run.position(self.plan.targets[index].moment)))

    def without(self, arm: ArmResult, index: int) -> Recorded | None:
        """The run that differs from an arm's in one target alone, so that up to its turn the two are the same.

        None where there is no such run: for the later targets of a control.
        """
        chronological = self.chronological(arm)
        if chronological[0] == index:
            return self.clean
        rest = tuple(other for other in arm.targets if other != index)
        twins = self.arms("fault", rest) if arm.arm == "fault" else ()
        return self.runs[twins[0].run_id] if twins else None


def _same(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    return sorted(left) == sorted(right)


@dataclass
class Files:
    """A dataset in memory, and the campaign that it came from."""

    dataset: Dataset
    settings: Settings
    plugins: Plugins
    """Where the predicates of modes and the adapter are found."""
    journal: Journal
    """All runs that the campaign made; empty if the dataset was moved away from it."""
    doubts: list[Violation] = field(default_factory=list)
    """Records that are missing or do not fit together, found while claims were gathered."""

    @classmethod
    def open(cls, folder: str | Path, plugins: Plugins | None = None) -> Files:
        """The dataset in a folder, or in the `dataset` below it; `campaign.json` is looked for beside it.

        Without `plugins`, those that are installed.
        """
        path = Path(folder)
        path = path / "dataset" if (path / "dataset").is_dir() else path
        settings = Settings.read(path.resolve().parent / "campaign.json")
        journal = Journal(path.resolve().parent / NAME)
        return cls(Dataset(path), settings, plugins or default_plugins(), journal)

    def __post_init__(self) -> None:
        self.trajectories = {t.run_id: t for t in self.dataset.trajectories()}
        self.labels = {labels.run_id: labels for labels in self.dataset.labels()}
        self.cases = {case.case_id: case for case in self.dataset.cases()}
        self.tasks = {task.task_id: task for task in Task.read(self.dataset.path / layout.TASKS.name)}
        self.proofs = {proof.run_id: proof for proof in self.dataset.proofs()}
        self._seen = self.trajectories | {t.run_id: t for t in self.dataset.arms()}
        self._tapes = {tape.run_id: tape for tape in self.dataset.tapes()}
        self._ledgers = {ledger.run_id: ledger for ledger in self.dataset.ledgers()}

    def claims(self) -> Iterator[Claim]:
        """Every kept run whose records are all there; the others become doubts of rule `files`."""
        for case in self.cases.values():
            for entry in case.faulty:
                if entry.kept and (claim := self._claim(case, entry)) is not None:
                    yield claim

    def recorded(self) -> Iterator[Recorded]:
        """Every run that has a trajectory, a tape and a ledger."""
        for run_id in sorted(self._seen):
            if (run := self._recorded(run_id)) is not None:
                yield run

    def beside(self) -> frozenset[str]:
        """The ids in the files beside trajectories and labels: of arms, tapes and ledgers."""
        return frozenset((*self._seen, *self._tapes, *self._ledgers))

    def run_ids(self) -> frozenset[str]:
        """The ids of all runs in any file."""
        planned = (entry.run_id for case in self.cases.values() for entry in case.faulty)
        return frozenset((*self._seen, *self._tapes, *self._ledgers, *self.proofs, *planned))

    def _claim(self, case: Case, entry: FaultyRun) -> Claim | None:
        proof, labels = self.proofs.get(entry.run_id), self.labels.get(entry.run_id)
        task = self.tasks.get(case.task_id)
        if proof is None or labels is None or task is None:
            names = {layout.PROOFS.name: proof, layout.LABELS.name: labels, layout.TASKS.name: task}
            missing = ", ".join(name for name, record in names.items() if record is None)
            self.doubts.append(Violation(entry.run_id, "files", f"kept, but has no record in {missing}"))
            return None
        named = {proof.run_id, proof.clean_run_id, *(arm.run_id for arm in proof.arms)}
        runs = {run_id: run for run_id in sorted(named) if (run := self._recorded(run_id)) is not None}
        if named - set(runs):
            lost = ", ".join(sorted(named - set(runs)))
            words = f"its proof names runs without trajectory, tape or ledger: {lost}"
            self.doubts.append(Violation(entry.run_id, "files", words))
            return None
        return Claim(labels=labels, proof=proof, case=case, entry=entry, task=task, runs=runs)

    def discarded(self, case: Case, entry: FaultyRun) -> Claim | None:
        """The runs that the journal has of a discarded run's plan, as if it were claimed; None without a journal."""
        task = self.tasks.get(case.task_id)
        lines = self.journal.of_plan(case.task_id, entry.plan.model_dump(mode="json"))
        if task is None or entry.run_id not in {line["run_id"] for line in lines}:
            return None
        runs = {
            line["run_id"]: Recorded(
                Trajectory.model_validate_json(json.dumps(line["trajectory"])),
                Tape.model_validate_json(json.dumps(line["tape"])),
                Ledger.model_validate_json(json.dumps(line["ledger"])),
            )
            for line in lines
        }
        names = ("arm", "run_id", "targets", "outcome", "invalid")
        arms = [ArmResult.model_validate_json(json.dumps({name: line[name] for name in names})) for line in lines]
        proof = Proof(
            run_id=entry.run_id,
            case_id=case.case_id,
            clean_run_id=case.clean_run_id,
            plan=entry.plan,
            arms=tuple(arms),
            evidence=(),
            sufficient=(),
        )
        labels = Labels(run_id=entry.run_id, case_id=case.case_id)
        return Claim(labels=labels, proof=proof, case=case, entry=entry, task=task, runs=runs)

    def _recorded(self, run_id: str) -> Recorded | None:
        trajectory, tape, ledger = self._seen.get(run_id), self._tapes.get(run_id), self._ledgers.get(run_id)
        if trajectory is None or tape is None or ledger is None:
            return None
        return Recorded(trajectory, tape, ledger)
