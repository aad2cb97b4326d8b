"""The kit for formats."""

from __future__ import annotations

import json
from pathlib import Path

from aegis_core.testing import FormatConformance


class TestAegis(FormatConformance):
    name = "aegis"


class TestWhoWhen(FormatConformance):
    name = "whowhen"
    writes = False

    def sample(self, folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        rows = [
            {
                "question": f"How many, {number}?",
                "history": [
                    {"role": "user", "name": "Asker", "content": "How many?"},
                    {"role": "user", "name": "Expert", "content": f"{number} and no more."},
                ],
                "mistake_agent": "Expert",
                "mistake_step": "1",
                "mistake_reason": "It counts badly.",
                "ground_truth": "7",
                "question_ID": f"q{number}",
                "is_correct": False,
            }
            for number in (1, 2, 3)
        ]
        path = folder / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path
