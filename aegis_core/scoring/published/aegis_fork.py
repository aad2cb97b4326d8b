"""The scorer of the Aegis fork, as published.

Source: `tingwl0122/AEGIS`, `evaluation/get_numbers.py`, commits a3c0c3f and e3ca0d2; the authors' own repository
`kfq20/AEGIS` holds none. The second commit splits macro-F1 into two variants and breaks the script (two names are not
imported, and the report asks for keys that are no longer there); here its definitions are carried out.

Faults that are kept:

- A record with `error`, or without `model_detection`, is left out before anything is counted: failing helps.
- Names and modes are compared as spelt, but for space around them.
- A name or mode that is null becomes the word `None`, and counts.
- At the level of modes the classes of the macro average are MAST's fourteen, whatever occurs; other modes count in the
  micro average only.
- Lines that are not JSON are passed over in silence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from pydantic import Field

from aegis_core.errors import RecordError
from aegis_core.records import Record
from aegis_core.scoring.rules import MAST_IDS, Rules
from aegis_core.scoring.runs import Compared, ScoredRun

__all__ = ["ForkLevel", "ForkScores", "read_lines", "records_of", "score"]

_Set = frozenset[tuple[str, ...]]


class ForkLevel(Record):
    """The figures of one level; fractions, not per cent."""

    micro_precision: float
    micro_recall: float
    micro_f1: float
    macro_f1: float
    """`macro_f1` of a3c0c3f, `macro_f1_all_classes` of e3ca0d2."""
    macro_f1_skip_zero_support: float
    """Of e3ca0d2: only over classes that the truth holds."""
    classes: int = Field(ge=0)
    true_positives: int = Field(ge=0)
    false_positives: int = Field(ge=0)
    false_negatives: int = Field(ge=0)


class ForkScores(Record):
    """What the script prints, and how many records it left out before it counted."""

    samples: int = Field(ge=0)
    left_out: int = Field(ge=0)
    pair: ForkLevel
    agent: ForkLevel
    error: ForkLevel


def read_lines(lines: Iterable[str]) -> list[dict[str, Any]]:
    """The records of a file of results, without the lines that are not JSON."""
    records = []
    for line in lines:
        try:
            records.append(json.loads(line.strip()))
        except json.JSONDecodeError:
            continue
    return records


def score(records: Sequence[Mapping[str, Any]]) -> ForkScores:
    """Score records of the form `{"ground_truth": {"faulty_agents": […]}, "model_detection": {"faulty_agents": […]}}`.

    Each faulty agent is `{"agent_name", "error_type"}`.

    Raises:
        RecordError: no record is left to be scored; the script ends with a line in its log there.
    """
    valid = [record for record in records if "model_detection" in record and "error" not in record]
    if not valid:
        raise RecordError(f"the fork's scorer leaves out all {len(records)} records: each failed or has no answer")
    counted = [record for record in valid if record.get("ground_truth", {}) is not None]
    true = [_faulty(record.get("ground_truth", {})) for record in counted]
    said = [_faulty(record["model_detection"]) for record in counted]
    return ForkScores(
        samples=len(counted),
        left_out=len(records) - len(counted),
        pair=_level(list(map(_pairs, true)), list(map(_pairs, said))),
        agent=_level(_column(true, "agent_name"), _column(said, "agent_name")),
        error=_level(_column(true, "error_type"), _column(said, "error_type"), [(mode,) for mode in MAST_IDS]),
    )


def records_of(runs: Iterable[ScoredRun], rules: Rules | None = None) -> list[dict[str, Any]]:
    """Scored runs as the fork's records.

    A run that could not be judged becomes a record with `error`, an abstention an answer without faulty agents, a
    mode that was not said an empty string. The environment's faults stay out, as they have no agent.
    """
    rules = rules or Rules()
    records: list[dict[str, Any]] = []
    for run in runs:
        seen = Compared(run, rules)
        record: dict[str, Any] = {"id": run.run_id, "ground_truth": {"faulty_agents": list(map(_entry, seen.faults))}}
        if run.prediction is None:
            record["error"] = run.not_judged
        else:
            record["model_detection"] = {"faulty_agents": list(map(_entry, seen.blames))}
        records.append(record)
    return records


def _entry(blamed: Any) -> dict[str, str]:  # a fault or a blame: both have an agent and perhaps a mode
    return {"agent_name": blamed.agent, "error_type": blamed.mode or ""}


def _faulty(answer: Any) -> list[Mapping[str, Any]]:  # whatever stands in a file
    return list(answer.get("faulty_agents", [])) if isinstance(answer, dict) else []


def _text(entry: Mapping[str, Any], key: str) -> str:
    return str(entry.get(key, "")).strip()


def _pairs(faulty: Iterable[Mapping[str, Any]]) -> _Set:
    pairs = ((_text(entry, "agent_name"), _text(entry, "error_type")) for entry in faulty)
    return frozenset(pair for pair in pairs if all(pair))


def _column(side: Iterable[Iterable[Mapping[str, Any]]], key: str) -> list[_Set]:
    return [frozenset((text,) for entry in faulty if (text := _text(entry, key))) for faulty in side]


def _level(true: Sequence[_Set], said: Sequence[_Set], classes: Sequence[tuple[str, ...]] | None = None) -> ForkLevel:
    runs = list(zip(true, said, strict=True))
    tp, fp, fn = _counts(runs)
    precision, recall = _ratio(tp, tp + fp), _ratio(tp, tp + fn)
    chosen = sorted(frozenset[tuple[str, ...]]().union(*true)) if classes is None else classes
    per_class = [_counts([(one & {name}, other & {name}) for one, other in runs]) for name in chosen]
    f1 = [_f1(*counts) for counts in per_class]
    supported = [value for value, (hit, _, missed) in zip(f1, per_class, strict=True) if hit + missed]
    return ForkLevel(
        micro_precision=precision,
        micro_recall=recall,
        micro_f1=_ratio(2 * precision * recall, precision + recall),
        macro_f1=_ratio(sum(f1), len(f1)),
        macro_f1_skip_zero_support=_ratio(sum(supported), len(supported)),
        classes=len(chosen),
        true_positives=tp,
        false_positives=fp,
        false_negatives=fn,
    )


def _counts(runs: Iterable[tuple[AbstractSet[tuple[str, ...]], AbstractSet[tuple[str, ...]]]]) -> tuple[int, int, int]:
    tp = fp = fn = 0
    for true, said in runs:
        tp, fp, fn = tp + len(true & said), fp + len(said - true), fn + len(true - said)
    return tp, fp, fn


def _f1(tp: int, fp: int, fn: int) -> float:
    precision, recall = _ratio(tp, tp + fp), _ratio(tp, tp + fn)
    return _ratio(2 * precision * recall, precision + recall)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
