"""What of a request counts for its hash: not random ids, points in time, nor authors."""

from __future__ import annotations

from datetime import date
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aegis_langgraph.adapter import LangGraphAdapter

_RANDOM = st.one_of(
    st.uuids().map(str),
    st.uuids().map(lambda found: found.hex),
    st.builds(
        "{:%Y-%m-%d}{}{:%H:%M:%S}".format, st.dates(min_value=date(1000, 1, 1)), st.sampled_from("T "), st.times()
    ),
)
_AROUND = st.sampled_from(["", " ", "a long-winded text: ", '{"id": "', "id=", ".\n", "(", "run id "])


def normal(text: str) -> object:
    request = LangGraphAdapter().normalise({"parts": [["user", "author", "message", text, {"k": text}]], "extra": text})
    assert isinstance(request, dict)
    assert request["parts"] == [["user", "message", request["extra"], {"k": request["extra"]}]]
    return request["extra"]


@given(_AROUND, _RANDOM, _AROUND)
def test_what_is_drawn_at_random_is_masked_wherever_it_stands(before: str, drawn: str, after: str) -> None:
    assert normal(f"{before}{drawn} {after}") == f"{before}* {after}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a-b",
        "Planner: 12 crates, 8-packs",
        "2024-01-02",
        "12:30:00",
        UUID(int=5).hex[:31],
        "x" * 40,
        "a: well-known",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert normal(text) == text
