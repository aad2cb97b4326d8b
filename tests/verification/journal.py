"""The journal of a campaign, read as plain lines: all runs that were made, kept or not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["NAME", "Journal"]

NAME = "journal.jsonl"

_Line = dict[str, Any]  # a run as it stands in the file


class Journal:
    """The runs of a campaign by task. Of a missing file: none."""

    def __init__(self, path: Path) -> None:
        self._by_task: dict[str, list[_Line]] = {}
        for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            line: _Line = json.loads(text)
            self._by_task.setdefault(line["task_id"], []).append(line)

    def __bool__(self) -> bool:
        return bool(self._by_task)

    def tried(self, task_id: str) -> Iterator[str]:
        """The ids of the faulty runs of a task, those with all targets of their plan."""
        for line in self._by_task.get(task_id, ()):
            if line["arm"] == "fault" and len(line["targets"]) == len(line["plan"]["targets"]):
                yield line["run_id"]

    def of_plan(self, task_id: str, plan: _Line) -> list[_Line]:
        """All runs of a task that were made for a plan, and its clean one."""
        return [line for line in self._by_task.get(task_id, ()) if line["plan"] in (None, plan)]
