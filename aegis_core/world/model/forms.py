"""The form of an answer: read from what is asked, and given to a result."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from aegis_core.world.model.language import MEASURED, Unit, sentences, show, unit_named
from aegis_core.world.model.understanding import Form, Value

__all__ = ["fitted", "merged", "read_form", "render", "sentence_form"]

_REQUEST = re.compile(
    r"\b(?:give|giving|state|stating|express|answer|report|write|use|using|result|wanted|round|convert|list|name|put|"
    r"present|quote|provide|return|deliver|show|tell|output|phrase|formulate|switch|change|sort|arrange|order|"
    r"spell|number|figure|total|unit|need|want|expect|outcome|reply|respond|say|turn|measured?)\w*\b",
    re.I,
)
_IN_UNIT = re.compile(
    r"\b(?:in|as|into|to|using|use|of|with|by)\s+(?:whole |full |plain |just |the unit )?(%|[a-zA-Z]+)\b"
)
_DENIED = re.compile(r"\b(?:not|instead of|rather than|never|than|without|don't|avoid)\s+(?:\w+\s+){0,4}$", re.I)
_PREFERRED = re.compile(r"\b([a-z]+)(?:,? (?:and )?not|,? instead of|,? rather than|,? in place of) (?:in )?([a-z]+)\b")
_ON_LINES = (
    r"(?:one|each|every)(?: \w+)? (?:per|on (?:a|its own|a separate|a new)) line|line breaks?|new lines?"
    r"|below (?:each|one an)other"
)
_SEPARATORS = (
    (r"semi-?colons?", "; "),
    (r"(?<!semi)(?<!semi-)commas?", ", "),
    (r"slash(?:es)?", " / "),
    (r"dash(?:es)?|hyphens?", " - "),
    (r"arrows?", " -> "),
    (_ON_LINES, "\n"),
    (r"(?:only |just )?(?:blanks|spaces)", " "),
    (r"pipes?|vertical bars?", " | "),
)  # fmt: skip
_REVERSED = (
    r"revers\w*|backwards?|last to (?:the )?first|opposite (?:order|direction|sequence)|last (?:name |one )?first"
    r"|from the (?:end|back)|end to (?:the )?(?:beginning|start)|back to front|inverse"
)
_WORDED = (
    r"in words|as words|spell(?:ed|ing)?(?: it| the \w+)? out|written out|words (?:instead|rather)"
    r"|letters? (?:instead|rather)|(?:without|no) digits"
)
_BARRED = re.compile(r"\b(?:not|never|don't|avoid|instead of|rather than|without)\b(?: \w+){0,3} $")
_EMPTY = Form()
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()


@lru_cache(maxsize=1024)
def read_form(text: str) -> Form:
    """The form that a text asks for; where it asks twice, the later request counts."""
    form = Form()
    for sentence in sentences(text):
        if "|" not in sentence:
            form = merged(form, sentence_form(sentence))
    return form


@lru_cache(maxsize=4096)
def sentence_form(sentence: str) -> Form:
    """The form that one sentence asks for; empty if it asks for none."""
    low = sentence.lower()
    if not _REQUEST.search(low):
        return Form()
    form = Form(unit=_unit(low), rounding=_rounding(low), separator=_separator(low))
    if _affirmed(_REVERSED, low):
        form = replace(form, reverse=True)
    if _affirmed(r"alphabet\w*|from a to z|a-z", low):
        form = replace(form, alphabetical=True)
    if _affirmed(_WORDED, low) or re.search(r"(?:without|no|not|avoid)(?: \w+){0,2} digits", low):
        form = replace(form, in_words=True)
    return form


def _affirmed(pattern: str, low: str) -> bool:
    match = re.search(rf"\b(?:{pattern})", low)
    return bool(match) and not _BARRED.search(low[: match.start()] if match else "")


def _unit(low: str) -> Unit | None:
    preferred = _PREFERRED.search(low)
    if preferred and unit_named(preferred[1]).dimension in MEASURED:
        return unit_named(preferred[1])
    chosen = None
    for match in _IN_UNIT.finditer(low):
        unit = unit_named(match[1])
        if unit.dimension in MEASURED and len(match[1]) > 1 and not _DENIED.search(low[: match.start()] + " "):
            chosen = unit
    return chosen


def _rounding(low: str) -> str | None:
    if re.search(r"\b(?:not|don't|never|without) round", low):
        return None
    nearest = re.search(r"\b(?:round\w*|nearest|full|multiple of)\b.*?\b(ten|hundred|thousand)s?\b(?!th)", low)
    if nearest:
        return nearest[1]
    places = re.search(r"\b(one|two|three|\d) (?:decimal|digit)s?(?: places?)?(?: after)?", low)
    if places:
        return {"one": "1", "two": "2", "three": "3"}.get(places[1], places[1])
    if re.search(
        r"\bwhole (?:number|\w+s\b)|\binteger|\bno decimals|\bwithout decimals|\bround(?:ed)? (?:up|down|off)", low
    ):
        return "0"
    return None


def _separator(low: str) -> str:
    if not re.search(r"separat|between|with|by|use|using|per line|line|split|divid|instead|join", low):
        return ""
    for pattern, separator in _SEPARATORS:
        if _affirmed(pattern, low):
            return separator
    return ""


def merged(form: Form, later: Form) -> Form:
    """A form with what a later request says put over it."""
    if later == _EMPTY:
        return form
    return Form(
        unit=later.unit or form.unit,
        rounding=later.rounding or form.rounding,
        reverse=later.reverse or form.reverse,
        alphabetical=later.alphabetical or form.alphabetical,
        separator=later.separator or form.separator,
        in_words=later.in_words or form.in_words,
    )


def fitted(value: Value, form: Form) -> Value:
    """A result brought to the unit and the rounding of a form, as far as it can be."""
    if value.number is None:
        return value
    number, unit = value.number, value.unit
    if form.unit and unit and form.unit.name != unit and form.unit.dimension == unit_named(unit).dimension:
        number, unit = number * unit_named(unit).factor / form.unit.factor, form.unit.name
    if form.rounding in ("ten", "hundred", "thousand"):
        size = {"ten": 10, "hundred": 100, "thousand": 1000}[form.rounding]
        number = Fraction(int(number / size + Fraction(1, 2)) * size)
    elif form.rounding is not None:
        scale = 10 ** int(form.rounding)
        number = Fraction(int(number * scale + Fraction(1, 2)), scale)
    return Value(number, unit)


def render(value: Value, form: Form) -> str:
    """A result in words, in the form that is wanted."""
    if value.number is None:
        return (form.separator or ", ").join(value.items)
    value = fitted(value, form)
    if form.in_words and value.number is not None and value.number.denominator == 1:
        return " ".join((_words(int(value.number)), *value.text.split()[1:]))
    return value.text


def _words(number: int) -> str:
    if number < 0:
        return "minus " + _words(-number)
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    for size, name in ((1000000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = f" {_words(number % size)}" if number % size else ""
            return f"{_words(number // size)} {name}{rest}"
    return show(Fraction(number))
