"""Whatever a node returns becomes plain JSON and comes back equal, without pickle."""

from __future__ import annotations

import dataclasses
import enum
import json
import threading
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph.types import Command, Overwrite, Send
from pydantic import BaseModel

from aegis_core.errors import ReplayError
from aegis_langgraph.texts.codec import MessageIds
from aegis_langgraph.texts.state import Naming, rest, texts_of, write
from aegis_langgraph.texts.update import redirected, route_of, texts_of_update, written
from aegis_langgraph.texts.values import decode, encode

NAMING = Naming({"bob": "team/bob"}, {"bob"})


class Point(BaseModel):
    x: int
    label: str = "p"


@dataclasses.dataclass(frozen=True)
class Pair:
    left: str
    right: tuple[int, ...]


class Color(enum.Enum):
    RED = "red"


def through_json(value: Any) -> Any:
    return decode(json.loads(json.dumps(encode(value))))


class Word(str):
    """As the texts of LangChain's messages are."""

    __slots__ = ()


class Figure(float):
    """As those of numpy are."""


VALUES = [
    {"text": AIMessage("hello").text, "word": Word("w"), "figure": Figure(0.5), "odd": Figure("inf")},
    {"messages": [HumanMessage("hi", name="bob", id="h"), SystemMessage("s")], "n": 1},
    AIMessage("", tool_calls=[{"name": "look", "args": {"x": 1}, "id": "c"}], id="a", usage_metadata=None),
    ToolMessage("r", tool_call_id="c", status="error", artifact=Point(x=1)),
    AIMessage([{"type": "text", "text": "t"}, {"type": "image_url", "image_url": {"url": "u"}}]),
    Command(update={"messages": [AIMessage("x")]}, goto="bob"),
    Command(update=[("a", 1), ("b", (2, 3))], goto=[Send("w", {"item": Point(x=2)})], graph=Command.PARENT),
    [Command(update={"a": {1: "b", (2,): "c"}}), {"n": None}],
    Pair("l", (1, 2)),
    {"c": Color.RED, "s": {1, 2}, "f": frozenset({"x"}), "b": b"\x00\xff", "o": Overwrite([1])},
    {"d": Decimal("1.5"), "u": UUID(int=5), "t": datetime(2026, 1, 2, tzinfo=UTC), "day": date(2026, 1, 2)},
    {"delta": timedelta(days=1, microseconds=3), "nan": [float("inf"), -0.0, True, 1], "$": "mine"},
    None,
    "text",
    RemoveMessage(id="a"),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_comes_back_equal_and_of_the_same_type(value: Any) -> None:
    again = through_json(value)
    assert again == value
    assert type(again) is type(value)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=12,
)


@given(plain)
def test_any_plain_value_comes_back_equal(value: Any) -> None:
    assert through_json(value) == value


@pytest.mark.parametrize("value", [threading.Lock(), object(), lambda: None, [object()]])
def test_what_has_no_plain_form_is_written_down_but_not_read_back(value: Any) -> None:
    data = encode({"ok": 1, "odd": value})
    json.dumps(data)
    with pytest.raises(ReplayError, match="no plain form"):
        decode(data)


def test_an_object_that_breaks_when_it_is_read_ends_no_run() -> None:
    class Broken(BaseModel):
        x: int

        def __getattribute__(self, name: str) -> Any:
            if name == "x":
                raise RuntimeError
            return super().__getattribute__(name)

    assert encode(Broken(x=1)) == {"$": "opaque", "value": "Broken"}


def test_a_class_is_never_imported_for_a_tape() -> None:
    with pytest.raises(ReplayError, match="not loaded"):
        decode({"$": "object", "cls": "antigravity:Anything", "value": {}})
    with pytest.raises(ReplayError, match="not loaded"):
        decode({"$": "object", "cls": "subprocess:Popen", "value": {"args": "true"}})


def test_messages_are_named_by_where_they_stood() -> None:
    old, new = HumanMessage("hi", id="11111111-1111-1111-1111-111111111111"), AIMessage("yes")
    there, here = MessageIds(), MessageIds()
    there.learn("given", [old])
    here.learn("given", [HumanMessage("hi", id="other")])
    data = there.written(encode([old, new, AIMessage("mine", id="chosen")]))
    assert "1111" not in json.dumps(data)
    served = decode(here.read(data, lambda place: f"made {place}"))
    assert [message.id for message in served] == ["other", "made new[1]", "chosen"]


# -- texts and edits ----------------------------------------------------------------------------------------------


def test_texts_of_a_state_with_their_places() -> None:
    ai = AIMessage("x", name="bob", tool_calls=[{"name": "look", "args": {"x": 1}, "id": "c"}])
    state = {"messages": [HumanMessage("hi"), ai], "notes": ["n", {"deep": "d"}], "next": "bob", "count": 3}
    found = [(t.part.id, t.part.text, t.part.author, t.part.editable, t.part.kind) for t in texts_of(state, NAMING)]
    assert found == [
        ("messages[0]", "hi", "user", True, "message"),
        ("messages[1]", "x", "team/bob", True, "message"),
        ("messages[1].tool_calls[0]", "look(x=1)", "team/bob", False, "tool_call"),
        ("notes[0]", "n", "", True, "message"),
        ("notes[1]['deep']", "d", "", True, "message"),
        ("next", "bob", "", False, "handoff"),
    ]
    assert rest(state)["count"] == 3  # type: ignore[index, call-overload]


@pytest.mark.parametrize(
    ("message", "field", "value"),
    [
        (AIMessage("x"), "content", "y"),
        (AIMessage("x"), "content", [{"type": "text", "text": "y"}]),
        (AIMessage("x"), "name", "bob"),
        (AIMessage("x"), "tool_calls", [{"name": "look", "args": {"x": 1}, "id": "c"}]),
        (ToolMessage("x", tool_call_id="c"), "tool_call_id", "d"),
    ],
)
def test_a_message_that_is_changed_in_place_is_read_anew(message: Any, field: str, value: Any) -> None:
    naming = Naming({"bob": "team/bob"})
    before = texts_of([message], naming)
    assert texts_of([message], naming) == before
    setattr(message, field, value)
    after = texts_of([message], naming)
    assert after == texts_of([message], Naming({"bob": "team/bob"})) != before
    assert texts_of([message.model_copy()], naming) == after


@pytest.mark.parametrize(
    "state",
    [
        {"text": "a", "list": ["b", "c"], "deep": {"k": Point(x=1, label="d")}, "pair": Pair("e", (1,))},
        Point(x=1, label="a"),
        Pair("a", (1,)),
        [HumanMessage([{"type": "text", "text": "a"}, "b"])],
        "a",
    ],
)
def test_every_editable_text_can_be_written_back(state: Any) -> None:
    before = encode(state)
    for text in texts_of(state, NAMING):
        edited = write(state, {text.part.id: "NEW"})
        assert [t.part.text for t in texts_of(edited, NAMING)] == [
            "NEW" if t.part.id == text.part.id else t.part.text for t in texts_of(state, NAMING)
        ]
        assert type(edited) is type(state)
    assert encode(state) == before
    assert write(state, {}) is state


@pytest.mark.parametrize(
    "result",
    [
        {"messages": [AIMessage("a", id="i")], "draft": "d"},
        {"messages": AIMessage("a")},
        Command(update={"messages": [AIMessage("a")]}, goto="bob"),
        Command(update=[("messages", [AIMessage("a")])], graph=Command.PARENT, goto="bob"),
        [Command(update={"messages": [AIMessage("a")]}), {"draft": "d"}],
        [AIMessage("a")],
    ],
)
def test_every_form_of_result_can_be_altered(result: Any) -> None:
    texts = texts_of_update(result, NAMING)
    first = texts[0].part
    done = written(result, {first.id: "NEW"}, lambda place: f"id {place}")
    again = texts_of_update(done, NAMING)
    assert [text.part.text for text in again] == ["NEW", *(text.part.text for text in texts[1:])]
    assert again[0].message_id is not None
    assert type(done) is type(result)
    assert texts_of_update(result, NAMING) == texts


def test_a_command_keeps_all_else_when_it_is_altered_or_redirected() -> None:
    command = Command(update={"a": "x"}, goto="bob", graph=Command.PARENT, resume=1)
    assert written(command, {"a": "y"}, str) == dataclasses.replace(command, update={"a": "y"})
    assert redirected(command, "carol") == dataclasses.replace(command, goto="carol")
    route = route_of([command])
    assert route is not None
    assert (route.node, route.parent) == ("bob", True)
    assert route_of(Command(goto="__end__")) is None
    assert route_of(Command(goto=["bob", "carol"])) is None
    assert route_of({"a": 1}) is None
