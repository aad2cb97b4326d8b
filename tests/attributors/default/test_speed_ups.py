"""What is read by a fast way is what the plain pattern finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aegis_default import wording
from aegis_default.conclusions import normal
from aegis_default.quantities import NUMBER, as_number, prose, quantities

WORDINGS = {name: found for name, found in vars(wording).items() if isinstance(found, wording.Wording)}
PLAIN_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")
PLAIN_QUANTITY = re.compile(rf"(?<![\w.])(?<!\d,)(-?{NUMBER})(?![\d.]*\d)(?:[ \t]?(%|[A-Za-zµ°€$£²³^/]+(?:[23])?))?")
PLAIN_ADDRESS = re.compile(r"\b(?:https?|file)://\S+|\bwww\.\S+|(?<!\w)[./~]*/(?:[\w.-]+/)+[\w.-]*")
# Few signs, so that those that matter stand side by side.
TEXTS = st.text("aZ_é’'-.—  \n07,%/$ßİ") | st.text()


@pytest.mark.parametrize("name", sorted(WORDINGS))
@given(data=st.data())
def test_a_wording_is_found_where_its_patterns_joined_are_found(name, data):
    found = WORDINGS[name]
    patterns = [pattern for pattern, _ in found.forms]
    joined = re.compile("|".join(f"(?:{pattern.pattern})" for pattern in patterns), patterns[0].flags)
    parts = st.one_of(*map(st.from_regex, patterns), st.text())
    text = " ".join(data.draw(st.lists(parts, min_size=1, max_size=3)))

    here, there = found.search(text), joined.search(text)

    assert (here and here.span()) == (there and there.span())


@given(TEXTS)
def test_words_are_those_of_the_plain_pattern(text):
    assert normal(text) == " ".join(word.casefold().replace("’", "'") for word in PLAIN_WORD.findall(text))


@given(TEXTS)
def test_quantities_are_those_of_the_plain_pattern(text):
    plain = [(as_number(found[1]), (found[2] or "").casefold(), found[1]) for found in PLAIN_QUANTITY.finditer(text)]
    assert [(one.value, one.unit, one.text) for one in quantities(text)] == plain


@given(st.lists(st.sampled_from([" ", *"http https file www :// . / ~ a - é".split()])).map("".join))
def test_addresses_are_those_of_the_plain_pattern(pieces):
    text = f"see {pieces.replace('~~~', '~~ ')}"  # neither a list nor code
    assert prose(text) == PLAIN_ADDRESS.sub(" ", text)
