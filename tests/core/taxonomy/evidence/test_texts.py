"""Any text at all: no error, the same answer twice, no mode in a turn that only looks different, and in short time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aegis_core.taxonomy.evidence import TurnContext, judge, modes_with_evidence
from tests.core.taxonomy.evidence.last_pairs import LAST_PAIRS
from tests.core.taxonomy.evidence.pairs import PAIRS, Pair
from tests.core.taxonomy.evidence.unseen_pairs import UNSEEN_PAIRS

ALL = (*PAIRS, *UNSEEN_PAIRS, *LAST_PAIRS)
MODES = modes_with_evidence()
TASK = "How many bottles are in 12 crates of 8? Answer in litres, as JSON, from first to last, in at most 5 words."
FACT_LINES = "".join(
    f"Crate {i} from Lyon holds {i * 7 % 93} bottles of {i} cl, so it weighs {i / 10} kg.\n" for i in range(4000)
)
PROSE = (
    "The agent saw that the result, which Anna had given before Ben, was right; it listed more than two things. " * 2900
)
LONG = {
    "facts": FACT_LINES,
    "prose": PROSE,
    "one line": "a" * 300_000,
    "brackets": "[" * 300_000,
    "braces": '{"a":' * 60_000,
    "equations": "1 + 1 = 2. " * 28_000,
    "spaces": " " * 300_000,
    "lines": "\n" * 300_000,
    "capitals": "Anna Ben Cara, " * 20_000,
    "foreign": "木箱が12個あり、各箱に瓶が8本ある。" * 15_000,
}  # fmt: skip


def context(clean: str, faulty: str, seen: tuple[str, ...] = (), strategy: str = "response_corruption") -> TurnContext:
    return TurnContext(
        task=TASK, agent="solver", role="Be brief.", strategy=strategy, clean=(clean,), faulty=(faulty,),
        clean_seen=seen, faulty_seen=seen,
    )  # fmt: skip


@pytest.mark.parametrize("kind", LONG)
def test_a_turn_of_300_kb_is_judged_in_well_under_a_second(kind):
    clean, faulty = LONG[kind] + "\nAnswer: 96 bottles", LONG[kind][:-2000] + "\nAnswer: 69 bottles"
    seen = (LONG[kind],)

    for mode in MODES:
        start = time.process_time()
        judge(mode, context(clean, faulty, seen, "prompt_injection"))
        assert time.process_time() - start < 1.0, mode


def test_an_ordinary_turn_is_judged_in_milliseconds():
    contexts = [pair.context for pair in ALL]
    for each in contexts:
        for mode in MODES:
            judge(mode, each)

    start = time.process_time()
    for each in contexts:
        for mode in MODES:
            judge(mode, each)
    assert (time.process_time() - start) / (len(contexts) * len(MODES)) < 0.004  # about 1 ms on an idle machine


@pytest.mark.parametrize("pair", [pytest.param(pair, id=pair.name) for pair in ALL])
def test_the_same_question_gets_the_same_answer(pair: Pair):
    for mode in MODES:
        assert judge(mode, pair.context) == judge(mode, pair.context)


FREE_OF_FORM = [
    pytest.param(pair, id=pair.name)
    for pair in ALL
    if pair.clean and not pair.role and "per line" not in pair.task  # else such a change can break what is asked for
]


@pytest.mark.parametrize("pair", FREE_OF_FORM)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text,
        lambda text: f"Hello everyone. {text}",
        lambda text: f"{text}\n\nThank you.",
        lambda text: text.replace("**", ""),
        lambda text: text.replace(" x ", " × ").replace(" * ", " × "),
        lambda text: text.replace(". ", ".\n"),
    ],
    ids=["same", "greeting", "thanks", "not bold", "other sign", "lines"],
)
def test_harmless_changes_of_a_clean_turn_are_no_mode(pair: Pair, change):
    clean = pair.context.clean
    same = pair.context.model_copy(
        update={"faulty": tuple(change(text) for text in clean), "faulty_seen": pair.context.clean_seen}
    )

    for mode in MODES:
        assert not judge(mode, same).holds


WORDS = (
    "12", "96", "8.5", "%", "=", "x", "+", "-", "Answer:", "so", "Anna", "Ben", "Cara", "before", "\n", "- ", "|", ",",
    ".", "kg", "€", "{", "}", '"', "not", "12:30", "\\boxed{", "1.", "?", "木箱", "é", "\u2009",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=30).map(" ".join)


@given(clean=TEXTS, faulty=TEXTS, task=TEXTS, seen=st.lists(TEXTS, max_size=2))
def test_any_text_gets_an_answer_whose_spans_stand_in_the_texts(clean, faulty, task, seen):
    given_context = TurnContext(
        task=task, agent="a", strategy="prompt_injection", clean=(clean,), faulty=(faulty,),
        clean_seen=tuple(seen), faulty_seen=tuple(seen),
    )  # fmt: skip
    for mode in MODES:
        evidence = judge(mode, given_context)
        assert evidence.holds or not evidence.spans
        assert all(span in clean or span in faulty or span in task for span in evidence.spans)


@given(text=TEXTS)
def test_a_turn_never_errs_against_itself(text):
    for mode in MODES:
        assert not judge(mode, context(text, text, (text,))).holds


@given(text=TEXTS)
def test_an_empty_turn_proves_nothing(text):
    for mode in MODES:
        assert not judge(mode, context(text, "", (text,))).holds
        assert not judge(mode, context("", text, (text,))).holds
