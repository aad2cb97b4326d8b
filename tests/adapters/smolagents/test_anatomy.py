"""Texts of the memory, taken apart and put together again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from smolagents.agents import ActionStep, AgentError, TaskStep, ToolCall
from smolagents.monitoring import AgentLogger, LogLevel, Timing

from aegis_smolagents._compat import MORE, TASK
from aegis_smolagents.anatomy import put_together, take_apart
from tests.adapters.smolagents.models import shown

WORDS = st.text(max_size=40)


def texts(role: str, text: str, known: tuple[str, ...] = ()) -> list[str]:
    return [part.text for piece in take_apart(role, text, known) for part in piece.parts("", role, "message")]


def memory(**fields: object) -> list[tuple[str, str]]:
    """(role, text) of the messages that a step of the memory makes."""
    step = ActionStep(step_number=1, timing=Timing(0.0, 1.0), **fields)  # type: ignore[arg-type]
    return [(message.role.value, shown([message])) for message in step.to_messages()]


@given(results=st.lists(WORDS.map(str.strip), min_size=1, max_size=4))
def test_observations_are_the_results_of_which_they_are_made(results: list[str]) -> None:
    ((role, text),) = memory(observations="\n".join(results))

    found = texts(role, text, tuple(results))

    assert "\n".join(found) == "\n".join(results)
    assert put_together(take_apart(role, text, tuple(results)), "", {}) == text


def test_two_results_are_two_texts() -> None:
    assert texts("tool-response", "Observation:\n12 crates\n7\nmore", ("7\nmore", "12 crates", "7")) == [
        "12 crates",
        "7\nmore",
    ]


def test_an_observation_with_something_else_in_it_is_one_text() -> None:
    assert texts("tool-response", "Observation:\n12 crates [seen]", ("12 crates",)) == ["12 crates [seen]"]


@given(task=WORDS, note=WORDS, new=WORDS)
def test_a_task_and_its_arguments_are_texts_that_can_be_put_back(task: str, note: str, new: str) -> None:
    more = {"note": note, "n": 3}
    text = shown(TaskStep(f"{task}{MORE}{more}.").to_messages())

    pieces = take_apart("user", text)

    assert texts("user", text) == [task, note]
    assert put_together(pieces, "", {}) == text
    changed = put_together(pieces, "", {".more['note']": new})
    assert texts("user", changed) == [task, new]


def test_a_quoted_object_leaves_the_task_whole() -> None:
    text = f"{TASK}Count.{MORE}{{'x': <object>}}."

    assert "".join(texts("user", text)) == text.removeprefix(TASK)


@given(argument=WORDS)
def test_calls_are_their_arguments_and_not_their_ids(argument: str) -> None:
    ((role, text),) = memory(tool_calls=[ToolCall("stock", {"place": argument}, "call_77")])

    found = texts(role, text)

    assert argument in found
    assert "call_77" not in found
    assert put_together(take_apart(role, text), "", {}) == text


def test_calls_that_can_not_be_read_are_told_without_their_ids() -> None:
    assert texts("tool-call", "Calling tools:\n[{'id': 'call_77', 'x': <object>}]") == [
        "Calling tools:\n[{'x': <object>}]"
    ]


@pytest.mark.parametrize("called", [True, False])
def test_an_error_is_its_message_without_what_smolagents_says_to_it(called: bool) -> None:
    error = AgentError("no line\nto the hall", AgentLogger(LogLevel.OFF))
    calls = [ToolCall("stock", {"place": "a"}, "call_77")] if called else None
    role, text = memory(error=error, tool_calls=calls)[-1]

    assert texts(role, text) == ["no line\nto the hall"]
    assert put_together(take_apart(role, text), "", {"": "no"}) == text.replace("no line\nto the hall", "no")


@given(role=st.sampled_from(["user", "assistant", "system", "tool-call", "tool-response"]), text=WORDS)
def test_any_other_text_is_itself(role: str, text: str) -> None:
    assert texts(role, text) == [text]
    assert put_together(take_apart(role, text), "", {"": "new"}) in ("new", text)
