"""The rules on real multi-agent conversations (Who&When), read where they lie and never copied."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from aegis_core.adapter import Part
from aegis_core.injector import Edits

FOLDER = Path(__file__).parents[4] / "shared" / "data" / "whowhen"
MODES = ("FM-1.1", "FM-2.4", "FM-2.6")
LEAST_CARRIED_OUT = {
    # Share of turns in which at least one way must find something to alter; low where real turns seldom conclude.
    ("FM-1.1", "prompt_injection"): 0.5,
    ("FM-2.4", "prompt_injection"): 0.9,
    ("FM-2.6", "prompt_injection"): 0.9,
    ("FM-1.1", "response_corruption"): 0.005,
    ("FM-2.4", "response_corruption"): 0.4,
    ("FM-2.6", "response_corruption"): 0.03,
}


@pytest.fixture(scope="module")
def turns():
    """(task, parts seen, text said) of agents' turns: every fourth one of every third run."""
    if not FOLDER.is_dir():
        pytest.skip(f"the Who&When development data is not at {FOLDER.parent.name}/{FOLDER.name}")
    found = []
    for path in sorted(FOLDER.glob("*/*.json"))[::3]:
        run = json.loads(path.read_text(encoding="utf-8"))
        history = run["history"]
        for index in range(1, len(history), 4):
            said = history[index]["content"]
            if "omputer" in speaker(history[index]) or not said.strip() or len(said) > 8000:
                continue
            seen = tuple(
                Part(id=f"m{n}", text=turn["content"], author=speaker(turn))
                for n, turn in enumerate(history[max(0, index - 2) : index])
            )
            found.append((run["question"], seen, said))
    assert len(found) > 50
    return found


def speaker(turn):
    return turn.get("name") or turn["role"]


@pytest.mark.parametrize("strategy", ["prompt_injection", "response_corruption"])
@pytest.mark.parametrize("mode", MODES)
def test_real_turns_are_altered_within_bounds(alter, turns, mode, strategy):
    counts: Counter[str] = Counter()
    for seed, (task, seen, said) in enumerate(turns):
        if strategy == "prompt_injection":
            parts = seen
            result = alter(mode, strategy, parts, task=task, seed=seed)
        else:
            parts = (Part(id="out", text=said),)
            result = alter(mode, strategy, parts, task=task, seen=seen, seed=seed)
        counts[type(result).__name__] += 1
        if isinstance(result, Edits):
            before = {part.id: part.text for part in parts}
            marks = {mark for text in (task, *before.values()) for mark in text}
            for part_id, text in result.texts.items():
                check(mode, strategy, before[part_id], text, marks)
    assert counts["Edits"] / counts.total() >= LEAST_CARRIED_OUT[mode, strategy], counts


def check(mode, strategy, before, after, marks):
    assert after != before
    assert {mark for mark in after if not mark.isascii()} <= marks
    code = re.compile(r"^```(?:python|sh).*?^```$", re.M | re.S)
    assert code.findall(before) == code.findall(after)
    if mode == "FM-2.4" and strategy == "response_corruption":
        assert len(after) < len(before) + 120
    else:
        assert abs(len(after) - len(before)) < 260
