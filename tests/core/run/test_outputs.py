"""One output of an agent is one step, whatever it consists of."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

import aegis_core as aegis
from aegis_callables.adapter import CallablesAdapter
from aegis_core.adapter import Part
from aegis_core.faults import Scope, Strategy
from aegis_core.run.canonical import canonical
from aegis_core.run.observation import output_change
from aegis_core.run.outputs import call_data, call_text, output_steps, readable, step_texts
from aegis_core.run.values import plain_data, value_parts, write_value
from aegis_core.trajectory import Content, Step
from tests.core.run.systems import Scripted, recorded, rerun, target

ADAPTER = CallablesAdapter()


class Color(Enum):
    RED = "red"


class Finding(BaseModel):
    claim: str
    sure: float
    key: SecretStr = SecretStr("hunter2")


@dataclass
class Pair:
    id: str
    words: tuple[str, ...]


def steps_of(value: Any) -> list[tuple[str, Any]]:
    """(text, data) of each step of an output."""
    return [(part.text, part.data) for part in output_steps(value, value_parts(value))]


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("value", "steps"),
    [
        ("a text", [("a text", None)]),
        ({"answer": "a text"}, [("a text", None)]),
        (["a text", None], [("a text", None)]),
        (
            {"claim": "5 boxes", "n": 5, "sure": True, "sources": ["p. 1", "p. 2"]},
            [
                (
                    "claim: 5 boxes\nn: 5\nsure: true\nsources:\n  - p. 1\n  - p. 2",
                    {"claim": "5 boxes", "n": 5, "sure": True, "sources": ["p. 1", "p. 2"]},
                )
            ],
        ),
        (("a", "b"), [("- a\n- b", ["a", "b"])]),
        ({"rows": [{"k": "v", "n": 1}], "none": []}, [("rows:\n  -\n    k: v\n    n: 1\nnone: []", ...)]),
        (Finding(claim="c", sure=0.5), [("claim: c\nsure: 0.5\nkey: <SecretStr>", ...)]),
        ({"n": Decimal("1.5"), "c": Color.RED, "t": "x"}, [("n: 1.5\nc: red\nt: x", ...)]),
        ({"n": float("nan"), "t": "x"}, [("n: nan\nt: x", {"n": "nan", "t": "x"})]),
        ({"t": "x", "o": object()}, [("x", None)]),
        (Pair(id="8f3a", words=("a", "b")), [("words:\n  - a\n  - b", {"words": ["a", "b"]})]),
    ],
)
def test_an_output_is_one_step_with_its_data(value: Any, steps: list[tuple[str, Any]]) -> None:
    found = steps_of(value)
    assert [text for text, _ in found] == [text for text, _ in steps]
    assert all(wanted in (..., data) for (_, data), (_, wanted) in zip(found, steps, strict=True))


def test_a_list_of_chat_messages_is_a_step_for_each() -> None:
    messages = [{"role": "user", "content": "why"}, {"role": "assistant", "name": "A", "content": "so", "sure": 0.5}]
    alone, beside = steps_of(messages), steps_of({"messages": messages, "n": 3, "note": "done"})
    assert [text for text, _ in alone] == ["why", "role: assistant\nname: A\ncontent: so\nsure: 0.5"]
    assert [text for text, _ in beside] == [*(text for text, _ in alone), "n: 3\nnote: done"]


@given(VALUES)
def test_content_is_json_and_every_text_stands_in_the_step_word_by_word(value: Any) -> None:
    parts = value_parts(value)
    steps = output_steps(value, parts)
    assert len(steps) <= 1
    for step in steps:
        assert json.loads(json.dumps(step.data, allow_nan=False)) == step.data
        assert all(part.text in step.text for part in parts)


@given(VALUES)
def test_the_texts_of_a_step_are_those_of_the_output(value: Any) -> None:
    for part in output_steps(value, value_parts(value)):
        content = (Content(type="json", data=part.data),) if part.data is not None else ()
        step = Step(index=0, agent="a", kind="message", text=part.text, content=content)
        assert [text for text in step_texts(step) if text not in ("nan", "inf", "-inf")] == [
            found.text for found in value_parts(value)
        ] or not value_parts(value)


@given(VALUES)
def test_no_text_that_was_altered_is_left(value: Any) -> None:
    parts = value_parts(value)
    texts = {part.id: f"altered {number}" for number, part in enumerate(parts)}
    after = write_value(value, texts)
    steps = output_steps(after, [part.model_copy(update={"text": texts[part.id]}) for part in parts])
    again = output_steps(after, value_parts(after))
    assert [(step.text, step.data) for step in steps] == [(step.text, step.data) for step in again]


def test_content_that_is_not_what_the_text_says_is_no_text_of_the_step() -> None:
    call = Step(index=0, agent="a", kind="tool_call", text='f(x="1")', content=(Content(type="json", data={"x": "1"}),))
    assert step_texts(call) == ('f(x="1")',)


def test_plain_data_shares_nothing_with_the_value() -> None:
    value = {"rows": ["a"]}
    data = plain_data(value)
    value["rows"].append("b")
    assert data == {"rows": ["a"]}


def test_data_without_texts_is_json() -> None:
    assert readable({"n": 1, "x": [2.5, None]}) == '{"n": 1, "x": [2.5, null]}'


# -- in a run -----------------------------------------------------------------------------------------------------


@aegis.agent("Finder")
def find(question: str) -> dict[str, Any]:
    return {"claim": f"There are five boxes in {question}.", "n": 5, "from": ["the first page", "the last page"]}


@aegis.agent("Writer")
def write(claim: str, source: str) -> str:
    return f"{claim} It says so on {source}."


@aegis.trace
def desk(question: str) -> str:
    found = find(question)
    return write(found["claim"], found["from"][1])


def test_whoever_reads_a_text_of_an_output_has_read_its_step() -> None:
    clean, _, _ = recorded(ADAPTER, desk, "the shed")
    first, second = clean.steps
    assert first.visible_to == ("Writer",)
    assert second.parents == (0,)


@pytest.mark.parametrize("strategy", ["response_corruption", "prompt_injection"])
def test_an_altered_output_is_told_as_it_was_delivered(strategy: Strategy) -> None:
    scope: Scope = "outgoing" if strategy == "response_corruption" else "persistent"
    swaps = Scripted(lambda text: text.replace("five boxes", "six boxes").replace("the shed", "the barn"))
    clean, tape, _ = recorded(ADAPTER, desk, "the shed")
    run, result = rerun(ADAPTER, desk, "the shed", tape, target("Finder", strategy, scope), injector=swaps)
    (entry,) = run.ledger().interventions
    assert entry.fired
    faulty, _, _ = canonical(run.trajectory(), run.tape(), run.ledger())
    told = faulty.steps[0]
    wanted = "six boxes in the barn" if strategy == "response_corruption" else "five boxes in the barn"
    assert wanted in told.text
    assert wanted in str(told.content[0].data)
    assert "five boxes in the shed" not in faulty.model_dump_json()
    assert wanted in result
    (change,) = output_change(entry, clean, faulty)
    assert change.after.split("\n")[1:] == ["the first page", "the last page"]


def test_parts_keep_their_ids_and_can_be_edited_one_by_one() -> None:
    injector = Scripted()
    _, tape, _ = recorded(ADAPTER, desk, "the shed")
    rerun(ADAPTER, desk, "the shed", tape, target("Finder", "response_corruption", "outgoing"), injector=injector)
    parts: tuple[Part, ...] = injector.contexts[0].parts
    assert [part.id for part in parts] == ["value['claim']", "value['from'][0]", "value['from'][1]"]
    assert all(part.data is None and part.editable for part in parts)


# -- calls of tools -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "text", "args"),
    [
        ({"city": "Köln", "n": 3, "ids": ["a", None]}, 'f(city="Köln", n=3, ids=["a", null])', ...),
        ({"customer_id": "C-17", "api_key": "x"}, 'f(customer_id="C-17", api_key="<secret>")', ...),
        ({"client": object()}, 'f(client="<object>")', {"client": "<object>"}),
        ({}, "f()", {}),
        (None, "f()", {}),
        (["a", 1], 'f(["a", 1])', ["a", 1]),
        ("plain", 'f("plain")', "plain"),
    ],
)
def test_a_call_of_a_tool_looks_the_same_everywhere(arguments: Any, text: str, args: Any) -> None:
    assert call_text("f", arguments) == text
    wanted = args if args is not ... else {**arguments, **({"api_key": "<secret>"} if "api_key" in arguments else {})}
    assert call_data("f", arguments) == {"name": "f", "args": wanted}
