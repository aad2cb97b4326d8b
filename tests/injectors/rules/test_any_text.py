"""Whatever the text: the rules never raise, keep within bounds, and leave no marker."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aegis_core.adapter import Part
from aegis_core.faults import SCOPES
from aegis_core.injector import Edits, Refused

MODES = ("FM-1.1", "FM-2.4", "FM-2.6")
CELLS = [(mode, strategy) for mode in MODES for strategy in ("prompt_injection", "response_corruption")]
TASK = "How many kilometres is it from first to last? Give the total as a whole number."
MARKERS = re.compile(
    r"inject|corrupt|altered|manipulat|malicious|instructed|FM-\d|\bfault|\berror mode|<<|>>|\[\[", re.IGNORECASE
)

numbers = st.one_of(
    st.integers(0, 10**7).map(str),
    st.integers(0, 10**7).map(lambda n: f"{n:,}"),
    st.floats(0, 9999, allow_nan=False).map(lambda x: f"{x:.2f}"),
)
units = st.sampled_from(["km", " km", " bottles", " minutes", "%", " kg", "", " metres", " dollars"])
names = st.sampled_from(["Anna", "Ben", "Carla", "Dov", "Stall North", "Stall South"])
quantities = st.builds("{}{}".format, numbers, units)
lists = st.lists(names, min_size=2, max_size=5, unique=True).map(", ".join)
ends = st.one_of(quantities, lists, names)
sentences = st.one_of(
    st.builds("There are {} and {} in it.".format, quantities, quantities),
    st.builds("{} x {} = {}.".format, quantities, quantities, quantities),
    st.builds("{} came before {}.".format, names, names),
    st.builds("Answer: {}".format, ends),
    st.builds("The result is {}.".format, ends),
    st.builds("So the total is {}.".format, quantities),
    st.builds("- {}: {}".format, names, quantities),
    st.builds("How many {} are there?".format, names),
    st.sampled_from(
        ["# Plan", "```python\nx = 12\n```", "TERMINATE", "Give it in kilometres.", "List them in order.", ""]
    ),
    st.text(max_size=30),
)
prose = st.lists(sentences, max_size=8).flatmap(
    lambda lines: st.sampled_from([" ", "\n", "\n\n"]).map(lambda joint: joint.join(lines))
)
leaves = st.one_of(st.none(), st.booleans(), st.integers(-999, 999), st.text(max_size=20), sentences)
keys = st.sampled_from(["answer", "why", "order", "total", "é", "n"])
structures = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
    max_leaves=12,
)
texts = st.one_of(
    prose, prose, st.text(), structures.map(json.dumps), structures.map(lambda value: f"See:\n{json.dumps(value)}")
)
parts = st.lists(
    st.builds(
        dict,
        text=texts,
        editable=st.sampled_from([True, True, True, False]),
        kind=st.sampled_from(["message", "message", "message", "thought", "tool_call", "tool_result", "system"]),
        role=st.sampled_from(["", "user", "assistant", "system", "tool"]),
        author=st.sampled_from(["", "user", "planner", "solver"]),
    ),
    max_size=4,
).map(lambda fields: tuple(Part(id=f"p{n}", **field) for n, field in enumerate(fields)))


@pytest.mark.parametrize(("mode", "strategy"), CELLS)
@settings(max_examples=60)
@given(parts=parts, seed=st.integers(0, 2**48), data=st.data())
def test_bounds_hold_for_any_text(alter, mode, strategy, parts, seed, data):
    scope = data.draw(st.sampled_from(SCOPES[strategy]))
    result = alter(mode, strategy, parts, task=TASK, seen=TASK, seed=seed, scope=scope)
    assert isinstance(result, Edits | Refused)
    if isinstance(result, Refused):
        assert result.reason
        return
    before = {part.id: part.text for part in parts if part.editable}
    assert set(result.texts) <= set(before)
    assert result.texts
    for part_id, text in result.texts.items():
        assert text != before[part_id]
        assert text.strip()
        assert_no_marker(before[part_id], text)
        assert_still_json(before[part_id], text)
        assert re.findall(r"^```python.*?^```$", before[part_id], re.M | re.S) == re.findall(
            r"^```python.*?^```$", text, re.M | re.S
        )
    assert result == alter(mode, strategy, parts, task=TASK, seen=TASK, seed=seed, scope=scope)


def assert_no_marker(before, after):
    assert len(MARKERS.findall(after)) <= len(MARKERS.findall(before))
    assert after.count("[") <= before.count("[")
    assert after.count("{") <= before.count("{")
    unusual = {mark for mark in after if not mark.isascii()} - set(before)
    assert not unusual
    assert len(re.findall(r"\S {2,}\S", after)) <= len(re.findall(r"\S {2,}\S", before))


def assert_still_json(before, after):
    try:
        json.loads(before)
    except (ValueError, RecursionError):
        return
    json.loads(after)
