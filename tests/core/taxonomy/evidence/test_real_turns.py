"""The predicates on real multi-agent conversations (Who&When), read where they lie and never copied."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

from aegis_core.taxonomy.evidence import TurnContext, judge, modes_with_evidence

FOLDER = Path(__file__).parents[5] / "shared" / "data" / "whowhen"
MOST_SWAPS = 0.02
"""Share of the turns for which an unrelated one may count as withholding."""
MOST_HARMLESS = 0.002


@pytest.fixture(scope="module")
def turns() -> list[tuple[TurnContext, list[str]]]:
    """Turns of every third run, clean and faulty alike, each with the other turns of its run."""
    if not FOLDER.is_dir():
        pytest.skip(f"the Who&When development data is not at {FOLDER.parent.name}/{FOLDER.name}")
    found = []
    for path in sorted(FOLDER.glob("*/*.json"))[::3]:
        run = json.loads(path.read_text(encoding="utf-8"))
        history = [turn for turn in run["history"] if turn["content"].strip()]
        texts = [turn["content"] for turn in history]
        for index, turn in enumerate(history):
            others = [text for text in texts if text != turn["content"]]
            seen = (run["question"], *texts[:index])
            context = TurnContext(
                task=run["question"], agent=turn.get("name") or turn["role"], strategy="response_corruption",
                clean=(turn["content"],), faulty=(turn["content"],), clean_seen=seen, faulty_seen=seen,
            )  # fmt: skip
            found.append((context, others))
    assert len(found) > 300
    return found


def test_an_unrelated_turn_of_the_same_run_is_hardly_ever_withholding(
    turns: list[tuple[TurnContext, list[str]]],
) -> None:
    choice = random.Random(7)
    seen = []
    for context, others in turns:
        swapped = context.model_copy(update={"faulty": (choice.choice(others),)})
        seen.append(judge("FM-2.4", swapped).holds)

    assert sum(seen) < MOST_SWAPS * len(seen), f"{sum(seen)} of {len(seen)}"


@pytest.mark.parametrize("change", ["greeted", "shuffled", "unmarked"])
def test_a_harmless_alteration_of_a_turn_is_hardly_ever_a_mode(
    turns: list[tuple[TurnContext, list[str]]], change: str
) -> None:
    order = random.Random(11)
    wrong = n = 0
    for context, _ in turns[::5]:
        faulty = _altered(context.clean[0], change, order)
        if faulty == context.clean[0]:
            continue
        for mode in modes_with_evidence():
            n += 1
            wrong += judge(mode, context.model_copy(update={"faulty": (faulty,)})).holds

    assert wrong <= MOST_HARMLESS * n, f"{wrong} of {n}"


def _altered(text: str, change: str, order: random.Random) -> str:
    if change == "greeted":
        return f"Hello everyone, thank you for your patience.\n\n{text}\n\nI hope that this helps."
    if change == "unmarked":
        return re.sub(r"\*\*|__|`|(?m:^#+ )", "", text)
    paragraphs = text.split("\n\n")
    order.shuffle(paragraphs)
    return "\n\n".join(paragraphs)
