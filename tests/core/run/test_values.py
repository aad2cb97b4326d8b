"""Strings inside plain values are found by path and written back; everything else is untouched."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from aegis_core.run.values import text_of, value_parts, write_value


@dataclass(frozen=True)
class Note:
    text: str
    size: int


class Model(BaseModel):
    text: str
    tags: list[str]


class Pair(NamedTuple):
    left: str
    right: str


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(PLAIN)
def test_writing_nothing_and_writing_the_same_change_nothing(value: Any) -> None:
    parts = value_parts(value)
    assert len({part.id for part in parts}) == len(parts)
    assert write_value(value, {}) is value
    assert write_value(value, {part.id: part.text for part in parts}) == value


@given(PLAIN)
def test_every_string_can_be_replaced(value: Any) -> None:
    written = write_value(value, {part.id: part.text + "!" for part in value_parts(value)})
    assert [part.text for part in value_parts(written)] == [part.text + "!" for part in value_parts(value)]


@pytest.mark.parametrize(
    ("value", "texts", "result"),
    [
        (Note("a", 1), {"value.text": "b"}, Note("b", 1)),
        (Model(text="a", tags=["x", "y"]), {"value.tags[1]": "z"}, Model(text="a", tags=["x", "z"])),
        (Pair("a", "b"), {"value[0]": "c"}, Pair("c", "b")),
        ({"k": ("a", 3)}, {"value['k'][0]": "b"}, {"k": ("b", 3)}),
    ],
)
def test_structure_and_class_stay(value: Any, texts: dict[str, str], result: Any) -> None:
    written = write_value(value, texts)
    assert written == result
    assert type(written) is type(value)


def test_one_path_being_the_beginning_of_another_is_no_confusion() -> None:
    value = {"a": "x", "ab": "y"}
    assert write_value(value, {"value['ab']": "z"}) == {"a": "x", "ab": "z"}


def test_chat_messages_give_their_texts_and_keep_role_name_and_ids() -> None:
    call = {"id": "call_1", "name": "look_up", "arguments": {"name": "Ana"}}
    messages = [
        {"role": "system", "content": "be brief"},
        {"role": "user", "name": "Planner", "content": "find it", "tool_calls": [call]},
    ]
    parts = value_parts(messages)
    assert [(part.text, part.role, part.author, part.editable) for part in parts] == [
        ("be brief", "system", "", True),
        ("find it", "user", "Planner", True),
        ("look_up", "user", "Planner", False),
        ("Ana", "user", "Planner", False),
    ]


class Wordless:
    """No words of its own."""


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({2023: "twelve crates"}, '{"2023": "twelve crates"}'),
        ([{2023: {1: "x"}}], '[{"2023": {"1": "x"}}]'),
        ({("a", 1): "x"}, '{"(\'a\', 1)": "x"}'),
        (dt.date(2024, 1, 1), "2024-01-01"),
        (Decimal("1.50"), "1.50"),
        ({"b", "a"}, '["a", "b"]'),
        ({"day": dt.date(2024, 1, 1)}, '{"day": "2024-01-01"}'),
        (Wordless(), "<Wordless>"),
        ({"api_key": "sk-1", "n": 1}, '{"api_key": "<secret>", "n": 1}'),
        (True, "true"),
    ],
)
def test_a_result_of_any_kind_has_a_text_that_does_not_depend_on_the_run(value: Any, text: str) -> None:
    assert text_of(value) == text


def test_a_result_that_holds_itself_has_a_text() -> None:
    assert text_of(CIRCLE) is not None
