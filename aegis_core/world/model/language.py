"""Words, sentences, numbers and units as the simulated model reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

__all__ = ["NUMBER", "STOP_WORDS", "Unit", "plural", "sentences", "show", "stem", "to_number", "unit_named"]

NUMBER = r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d])"
_BREAK = re.compile(r"(?<=[.!?])[\"')*]*\s+|\n+|;\s+")
_IRREGULAR = {"people": "person", "persons": "person", "loaves": "loaf", "shelves": "shelf", "children": "child"}
_PLURALS = {"person": "people", "loaf": "loaves", "shelf": "shelves", "child": "children", "percent": "percent"}

STOP_WORDS = frozenset(
    "a an and are as at be but by can each every for from go had has have if in into is it its more less no not of on "
    "one or out per so than that the their them then there they this to two was were what when which who will with "
    "x times plus minus makes make gives give get gets comes come equals still left good usable all any same other "
    "apiece together altogether here how much many".split()
)
"""Words that are never the unit of a number."""


@dataclass(frozen=True)
class Unit:
    """A unit of measure or a thing that is counted. Units of one `dimension` convert by their factors."""

    name: str
    dimension: str
    factor: Fraction = Fraction(1)


_MEASURES: tuple[tuple[str, str, Fraction, str], ...] = (
    ("second", "time", Fraction(1), "second sec secs s"),
    ("minute", "time", Fraction(60), "minute min mins"),
    ("hour", "time", Fraction(3600), "hour h hr hrs"),
    ("day", "time", Fraction(86400), "day"),
    ("week", "time", Fraction(604800), "week"),
    ("centimetre", "length", Fraction(1, 100), "centimetre centimeter cm"),
    ("metre", "length", Fraction(1), "metre meter m"),
    ("kilometre", "length", Fraction(1000), "kilometre kilometer km"),
    ("gram", "mass", Fraction(1), "gram gramme g"),
    ("kilogram", "mass", Fraction(1000), "kilogram kilo kg"),
    ("tonne", "mass", Fraction(1000000), "tonne"),
    ("millilitre", "volume", Fraction(1, 1000), "millilitre milliliter ml"),
    ("litre", "volume", Fraction(1), "litre liter l"),
    ("cent", "money", Fraction(1, 100), "cent ct cts"),
    ("euro", "money", Fraction(1), "euro eur €"),
    ("dollar", "dollar", Fraction(1), "dollar usd $"),
    ("pound", "pound", Fraction(1), "pound gbp £"),
    ("percent", "percent", Fraction(1), "percent %"),
    ("dozen", "dozen", Fraction(1), "dozen"),
)
_BY_ALIAS = {
    alias: Unit(name, dimension, factor) for name, dimension, factor, names in _MEASURES for alias in names.split()
}
MEASURED = frozenset(dimension for _, dimension, _, _ in _MEASURES)
"""Dimensions of measures, as opposed to things that are counted."""


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The singular of a noun, in lower case; other words lose at most an -s."""
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2:
        return word[:-1]
    return word


@lru_cache(maxsize=4096)
def unit_named(word: str) -> Unit:
    """The unit of a word behind a number: a measure if it is one, else the thing that is counted."""
    low = word.lower()
    found = _BY_ALIAS.get(low) or _BY_ALIAS.get(stem(low))
    return found or Unit(stem(low), stem(low))


@lru_cache(maxsize=4096)
def plural(noun: str) -> str:
    """The plural of a noun."""
    if noun in _PLURALS:
        return _PLURALS[noun]
    if noun.endswith("y") and noun[-2:-1] not in ("a", "e", "o", "u"):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("x", "s", "ch", "sh")) else "s")


@lru_cache(maxsize=4096)
def to_number(text: str) -> Fraction:
    """The value of digits with thousands separators and decimals."""
    return Fraction(text.replace(",", ""))


def show(number: Fraction) -> str:
    """A number as one writes it: exact if four decimals are enough, else rounded to two."""
    if number.denominator == 1:
        return str(number.numerator)
    scaled = number * 10000
    places = 4 if scaled.denominator == 1 else 2
    scale = 10**places
    whole, rest = divmod(abs(round(number * scale)), scale)
    digits = f"{rest:0{places}d}".rstrip("0")
    return ("-" if number < 0 else "") + (f"{whole}.{digits}" if digits else str(whole))


@lru_cache(maxsize=2048)
def sentences(text: str) -> tuple[str, ...]:
    """Sentences, lines and parts between semicolons, in order."""
    return tuple(piece.strip() for piece in _BREAK.split(text) if piece.strip())
