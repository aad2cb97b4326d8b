"""Hashes of requests: what counts, and what does not."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.errors import AdapterError
from aegis_core.run.requests import Requests

_texts = st.text(max_size=8)
_data = st.one_of(st.none(), st.dictionaries(_texts, st.integers() | _texts, max_size=2))
_parts = st.builds(Part, id=_texts, text=_texts, role=_texts, author=_texts, data=_data)


def without_digits(request: JsonValue) -> JsonValue:
    if isinstance(request, str):
        return "".join(character for character in request if not character.isdigit())
    if isinstance(request, list):
        return [without_digits(item) for item in request]
    return {key: without_digits(item) for key, item in request.items()} if isinstance(request, dict) else request


@given(st.lists(st.lists(_parts, max_size=4), max_size=4), _data)
def test_a_request_hashes_as_its_normalised_json_whatever_was_sent_before(
    sent: list[list[Part]], extra: JsonValue
) -> None:
    requests = Requests(without_digits)
    for parts in sent:
        plain: JsonValue = {
            "parts": [[part.role, part.author, part.kind, part.text, part.data] for part in parts],
            "extra": extra,
        }
        text = json.dumps(without_digits(plain), sort_keys=True, ensure_ascii=False)
        expected = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        assert requests.hash(parts, extra) == expected


def test_ids_of_parts_do_not_count_and_order_does() -> None:
    requests = Requests()
    one, other = Part(id="a", text="one"), Part(id="b", text="other")
    assert requests.hash([one]) == requests.hash([one.model_copy(update={"id": "z"})])
    assert requests.hash([one, other]) != requests.hash([other, one])
    assert requests.hash([one]) != requests.hash([one, one])


def test_equal_parts_are_normalised_once() -> None:
    asked: list[JsonValue] = []

    def normalise(request: JsonValue) -> JsonValue:
        asked.append(request)
        return request

    requests = Requests(normalise)
    for _ in range(3):
        requests.hash([Part(id="a", text="one"), Part(id="b", text="one"), Part(id="c", text="two")])
    assert asked == [{"parts": [["", "", "message", text, None]], "extra": None} for text in ("one", "two")]


def test_a_part_that_normalise_leaves_out_does_not_count() -> None:
    requests = Requests(lambda request: {"parts": []} if "skip" in str(request) else request)
    assert requests.hash([Part(id="a", text="skip"), Part(id="b", text="one")]) == requests.hash(
        [Part(id="b", text="one")]
    )


def test_a_normalise_that_returns_no_request_is_named() -> None:
    with pytest.raises(AdapterError, match="`normalise` of an adapter returned a list"):
        Requests(lambda _: []).hash([Part(id="a", text="one")])
