from __future__ import annotations

import pytest

from aegis_core.errors import PluginError, RecordError, UnknownModeError
from aegis_core.faults import Evidence
from aegis_core.taxonomy import MAST
from aegis_core.taxonomy.evidence import TurnContext, judge, modes_with_evidence, verdict

CONTEXT = TurnContext(
    task="How many bottles?", agent="team/solver", strategy="response_corruption",
    clean=("12 x 8 = 96. Answer: 96 bottles",), faulty=("12 x 8 = 96. Answer: 69 bottles",),
)  # fmt: skip


def test_three_modes_have_evidence():
    assert modes_with_evidence() == ("FM-1.1", "FM-2.4", "FM-2.6")


@pytest.mark.parametrize("mode", [mode.id for mode in MAST if mode.id not in {"FM-1.1", "FM-2.4", "FM-2.6"}])
def test_another_mast_mode_is_an_error_that_names_those_with_evidence(mode):
    with pytest.raises(UnknownModeError, match=r"FM-1\.1, FM-2\.4, FM-2\.6") as caught:
        judge(mode, CONTEXT)
    assert mode in str(caught.value)


def test_a_foreign_mode_without_predicate_is_an_error_that_says_what_to_do():
    with pytest.raises(UnknownModeError, match="predicate="):
        judge("acme:drift", CONTEXT)


def test_an_impossible_mode_is_an_error_even_with_a_predicate():
    with pytest.raises(UnknownModeError, match="vendor:slug"):
        judge("drift", CONTEXT, predicate=lambda context: verdict("drift", True, "because"))


def test_a_foreign_mode_is_judged_by_the_predicate_passed():
    seen = []

    def drifted(context: TurnContext) -> Evidence:
        seen.append(context)
        return verdict("acme:drift", True, "it drifted", ["96", " 96 ", ""])

    evidence = judge("acme:drift", CONTEXT, predicate=drifted)

    assert seen == [CONTEXT]
    assert evidence == Evidence(mode="acme:drift", holds=True, because="it drifted", spans=("96",))


def test_a_predicate_passed_takes_the_place_of_the_cores_own():
    assert not judge("FM-2.6", CONTEXT, predicate=lambda context: verdict("FM-2.6", False, "never")).holds
    assert judge("FM-2.6", CONTEXT).holds


@pytest.mark.parametrize("answer", [True, None, "yes", verdict("acme:other", True, "other")])
def test_a_predicate_that_answers_with_something_else_is_an_error_that_says_what(answer):
    with pytest.raises(PluginError, match=r"acme:drift.*must return Evidence"):
        judge("acme:drift", CONTEXT, predicate=lambda context: answer)


def test_a_predicates_own_error_comes_through():
    def broken(context: TurnContext) -> Evidence:
        raise KeyError("speed")

    with pytest.raises(KeyError, match="speed"):
        judge("acme:drift", CONTEXT, predicate=broken)


LOOK_UP = CONTEXT.model_copy(
    update={
        "clean": ("Crates: 12. Bottles in each: 8.", "The store has 12 crates of 8 bottles."),
        "faulty": ("Crates: 12. Bottles in each: 8.", "I have looked up the crates and bottles of the store."),
    }
)


def test_what_stays_in_the_result_of_a_tool_is_withheld():
    said = {"clean_said": LOOK_UP.clean[1:], "faulty_said": LOOK_UP.faulty[1:]}

    assert judge("FM-2.4", LOOK_UP.model_copy(update=said)).holds


KEPT = {"clean_said": LOOK_UP.clean[1:], "faulty_said": LOOK_UP.faulty[1:]}
TASK = ("The store has 12 crates of 8 bottles. How many bottles is that?", "I have looked up the crates.")
NOTES = ("How many bottles is that?", "I have looked up the crates.")


def test_nothing_is_withheld_from_those_who_have_it_from_elsewhere():
    found = judge("FM-2.4", LOOK_UP.model_copy(update={**KEPT, "receivers_seen": (TASK,)}))

    assert not found.holds
    assert "have it from elsewhere" in found.because


def test_one_receiver_who_lacks_it_is_enough():
    assert judge("FM-2.4", LOOK_UP.model_copy(update={**KEPT, "receivers_seen": (TASK, NOTES)})).holds


def test_without_a_word_on_what_was_handed_on_all_of_a_turn_was():
    assert LOOK_UP.handed_on == (LOOK_UP.clean, LOOK_UP.faulty)
    assert not judge("FM-2.4", LOOK_UP).holds


def test_an_answer_in_the_result_of_a_tool_does_not_meet_what_the_task_asks():
    context = CONTEXT.model_copy(
        update={
            "task": "How long does it take? Answer in minutes.",
            "clean": ("90 minutes", "Answer: 90 minutes"), "faulty": ("90 minutes", "Answer: 1.5 hours"),
            "clean_said": ("Answer: 90 minutes",), "faulty_said": ("Answer: 1.5 hours",),
        }
    )  # fmt: skip

    assert judge("FM-1.1", context).holds


def test_a_long_span_is_cut():
    assert len(verdict("FM-1.1", True, "long", ["word " * 100]).spans[0]) <= 240


def test_a_context_needs_a_known_strategy_and_an_agent():
    fields = CONTEXT.model_dump()
    with pytest.raises(ValueError, match="strategy"):
        TurnContext(**{**fields, "strategy": "magic"})
    with pytest.raises(ValueError, match="agent"):
        TurnContext(**{**fields, "agent": ""})
    with pytest.raises(ValueError, match="extra"):
        TurnContext(**fields, label="FM-1.1")
    assert issubclass(RecordError, ValueError)
