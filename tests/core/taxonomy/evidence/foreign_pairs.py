"""Pairs of turns in `foreign_pairs.jsonl`, written by another hand than the predicates.

Their author knew what the modes mean and none of the predicates' code. The predicates were mended with them, so that
what holds of these pairs says little about others.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aegis_core.taxonomy.evidence import TurnContext

__all__ = ["FOREIGN_PAIRS", "ForeignPair"]


@dataclass(frozen=True)
class ForeignPair:
    """One pair with what its author says of one mode: whether it happened, and why."""

    name: str
    mode: str
    holds: bool
    why: str
    context: TurnContext


def _read(line: str) -> ForeignPair:
    record: dict[str, Any] = json.loads(line)
    context = TurnContext(
        task=record["task"],
        agent=record["agent"],
        role=record.get("role", ""),
        strategy=record["strategy"],
        clean=tuple(record["clean"]),
        faulty=tuple(record["faulty"]),
        clean_seen=tuple(record["clean_seen"]),
        faulty_seen=tuple(record.get("faulty_seen", record["clean_seen"])),
    )
    return ForeignPair(record["id"], record["mode"], record["holds"], record["why"], context)


FOREIGN_PAIRS = tuple(
    _read(line) for line in Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
)
