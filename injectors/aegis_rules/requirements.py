"""What a text asks for: the unit, the rounding, the order, the item and the form of the answer.

A requirement is found with the ways in which it could be worded otherwise, so that it can be altered in place
and everywhere alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from aegis_rules.conclusions import Reading
from aegis_rules.figures import masked
from aegis_rules.sentences import Sentence
from aegis_rules.units import Unit, alternatives, find_unit, unit_pattern, written_like

__all__ = ["FORM_KINDS", "Requirement", "asked_unit", "find_requirements", "is_request"]

Options = tuple[tuple[str, str], ...]
RequirementKind = Literal["unit", "rounding", "order", "goal", "layout"]
FORM_KINDS: tuple[RequirementKind, ...] = ("unit", "rounding", "order", "layout")
"""Kinds that say how the answer is to be given; `goal` says what is asked for."""


@dataclass(frozen=True)
class Requirement:
    """A requirement at text[start:end] of a passage.

    `topic` is what it demands, the same wherever the same is demanded. `options` maps the name of another demand to
    the words that make it in this place.
    """

    kind: RequirementKind
    topic: str
    passage: int
    start: int
    end: int
    options: tuple[tuple[str, str], ...]
    sentence: Sentence


_REQUEST = re.compile(
    r"\?|^[\W_]*(?:please\s+|now\s+|then\s+|finally\s+|your task is to\s+)?(?:find|give|list|identify|determine|calculate|compute|report|"
    r"state|name|work out|answer|provide|return|which|what|how|who|when|where|express|convert|round|show|tell|say|put|arrange|order|"
    r"sort|rank|write|use|count|add|sum|present|express)\b|\b(?:must|should|is to be|are to be|has to be|needs? to|asked|wanted|required|"
    r"output|format|the answer|task is|question|goal is|looking for|we need|we want)\b",
    re.IGNORECASE,
)
_STATED = re.compile(r":\s*[*_]*[$€£\d]|\bversion\b")
_UNIT_ASKED = re.compile(
    r"(?:\bhow many|\bhow much in|\b(?:answer|result|total|value|figure|it|expressed|given|stated|measured|reported|converted|output|"
    r"cost|price|length|distance|weight|mass|time|volume|speed|area|duration|amount|difference|number|sum|average)\b[^.?!;:\d]{0,40}?"
    r"\b(?:in|as|into|to|of)|\bin|\binto|\bunits?\s*(?:is|are|of|:)?|\bnumber of)\s+(?:whole\s+|full\s+|total\s+|the unit\s+)?"
    rf"(?P<unit>{unit_pattern(symbols=False)}|(?:km|kg|cm|mm|ml|km/h|m/s|kWh)(?![\w/]))",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\bhow many\s+(?P<noun>[a-z]{3,})\b", re.IGNORECASE)
_UNCOUNTED = frozenset("more other times different people of thousand million hundred dozen tens pairs stops years papers".split())
_EDGES = {
    "first": "last", "last": "first", "earliest": "latest", "latest": "earliest", "start": "end", "end": "start",
    "left": "right", "right": "left", "top": "bottom", "bottom": "top", "front": "back", "back": "front",
    "begin": "end", "high": "low", "low": "high", "a": "z", "z": "a",
}  # fmt: skip
_RANGE = re.compile(
    r"\bfrom (?:the )?(?P<one>\w+est|most \w+|least \w+|[a-z]{1,6})(?P<what> \w+)? to (?:the )?(?P<two>\w+est|most \w+|least \w+|[a-z]{1,6})\b",
    re.IGNORECASE,
)
_BARE_RANGE = re.compile(r"\b(?P<one>first|last|earliest|latest|smallest|largest|lowest|highest|oldest|youngest|shortest|tallest|"
                         r"cheapest|lightest|heaviest|slowest|fastest|nearest|farthest)[ -]to[ -](?P<two>\w+est|first|last)\b", re.I)  # fmt: skip
_DIRECTIONS = {
    "ascending": "descending", "descending": "ascending", "increasing": "decreasing", "decreasing": "increasing",
    "alphabetical order": "reverse alphabetical order", "alphabetically": "in reverse alphabetical order",
    "chronological order": "reverse chronological order", "chronologically": "in reverse chronological order",
}  # fmt: skip
_DIRECTION = re.compile(rf"(?<!reverse )\b(?:{'|'.join(_DIRECTIONS)})\b", re.IGNORECASE)
_GOALS = {
    "highest": "lowest", "lowest": "highest", "largest": "smallest", "smallest": "largest", "biggest": "smallest",
    "greatest": "least", "maximum": "minimum", "minimum": "maximum", "cheapest": "most expensive",
    "most expensive": "cheapest", "oldest": "newest", "newest": "oldest", "youngest": "oldest", "earliest": "latest",
    "latest": "earliest", "closest": "farthest", "nearest": "farthest", "farthest": "nearest", "longest": "shortest",
    "shortest": "longest", "tallest": "shortest", "heaviest": "lightest", "lightest": "heaviest", "fastest": "slowest",
    "slowest": "fastest", "best": "worst", "worst": "best", "westernmost": "easternmost", "easternmost": "westernmost",
    "total": "average", "sum": "average", "average": "total", "mean": "total", "fewest": "most", "least": "most",
    "difference": "sum", "in total": "on average", "altogether": "on average",
}  # fmt: skip
_GOAL = re.compile(
    rf"(?<!at )(?<!to the )(?<!the sample )\b(?:{'|'.join(sorted(_GOALS, key=len, reverse=True))})\b(?!-)"
    r"|\b(?P<verb>is|was|came|comes|finished|finishes|arrived|arrives|stands|sits)(?P<edge> first| last)(?= in\b|[?.,]|$)",
    re.IGNORECASE,
)
_NEAREST = re.compile(r"\b(?:to )?the nearest (?P<unit>whole number|integer|unit|ten|hundred|thousand|[\d,]+|\w+)\b", re.IGNORECASE)
_COARSER = {
    "whole number": ("ten", "hundred"), "integer": ("ten", "hundred"), "unit": ("ten", "hundred"),
    "one": ("ten", "hundred"), "ten": ("hundred", "thousand"), "10": ("100", "1000"), "hundred": ("thousand",),
    "100": ("1000",), "1000": ("10000",), "1,000": ("10,000",), "thousand": ("million",), "cent": ("dollar", "ten dollars"),
    "penny": ("pound",), "minute": ("hour",), "second": ("minute",), "hour": ("day",), "day": ("week",),
    "tenth": ("whole number",), "hundredth": ("tenth", "whole number"), "thousandth": ("hundredth", "whole number"),
}  # fmt: skip
_WHOLE = re.compile(r"\b(?:as |in |be )?(?:a |an )?(?:single |exact )?(?P<what>whole numbers?|integers?)\b(?! difference)", re.IGNORECASE)
_DECIMALS = re.compile(r"\b(?P<lead>to |with )(?P<n>\d|one|two|three|four|five) (?P<what>decimal places?|decimals?|significant (?:figures|digits))", re.I)
_EXACT = re.compile(r"\b(?P<word>exact|precise|integer)(?= (?:[a-z]+ )?(?:number|value|amount|figure|answer|result|difference|count|total|price|sum)\b)", re.I)
_DIGITS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_LAYOUTS = (
    (re.compile(r"\bcomma[- ](?:separated|delimited)\b", re.I), "commas", (("semicolons", "semicolon-separated"), ("dashes", "dash-separated"))),
    (re.compile(r"\bseparated by commas?\b", re.I), "commas", (("semicolons", "separated by semicolons"), ("dashes", "separated by dashes"))),
    (re.compile(r"\b(?:in|as a) percent(?:age)?\b", re.I), "percentage", (("fraction", "as a fraction"),)),
    (re.compile(r"\blast names?\b", re.I), "last name", (("first name", "first name"),)),
    (re.compile(r"\bsurnames?\b", re.I), "last name", (("first name", "first name"),)),
    (re.compile(r"\bfirst names?\b", re.I), "first name", (("last name", "last name"),)),
)  # fmt: skip


def is_request(sentence: Sentence) -> bool:
    """Whether a sentence asks for something or says how it is to be done."""
    return bool(_REQUEST.search(sentence.text))


def find_requirements(reading: Reading) -> tuple[Requirement, ...]:
    """The requirements in a text, in order; those of one kind never overlap."""
    found: list[Requirement] = []
    for position, sentence in reading.all():
        own: list[Requirement] = []
        layout = sentence.kind == "item" or is_request(sentence)
        view = masked(reading.passages[position].text)
        for kind, find in _FINDERS:
            if (not layout and kind != "order") or (kind == "goal" and _STATED.search(sentence.text)):
                continue
            for topic, start, end, options in find(view, sentence.start, sentence.end):
                if options and not any(start < other.end and other.start < end for other in own):
                    begin, worded = _with_article(view, start, options)
                    own.append(Requirement(kind, topic, position, begin, end, worded, sentence))
        found += own
    return tuple(found)


def asked_unit(requirement: Requirement) -> Unit | None:
    """The unit that a requirement of kind `unit` demands, or None if what is asked for is a count of things."""
    return find_unit(requirement.topic)


def _with_article(text: str, start: int, options: Options) -> tuple[int, Options]:
    """Take in an article that stands before, where another wording may need the other one."""
    article = re.search(r"\b(an?) $", text[max(0, start - 4) : start], re.IGNORECASE)
    if article is None:
        return start, options
    worded = []
    for name, words in options:
        new = "an" if words[0].lower() in "aeiou" else "a"
        worded.append((name, f"{new.capitalize() if article[1][0] == 'A' else new} {words}"))
    return start - len(article[0]), tuple(worded)


Found = tuple[str, int, int, Options]
Finder = Callable[[str, int, int], Iterator[Found]]


def _units(text: str, start: int, end: int) -> Iterator[Found]:
    for match in _UNIT_ASKED.finditer(text, start, end):
        written = match["unit"]
        unit = find_unit(written)
        if unit is None or re.search(r"\d\s*$", text[: match.start("unit")]):
            continue
        options = tuple((other.plural, _plural_like(other, unit, written)) for other in alternatives(unit))
        yield unit.plural, *match.span("unit"), options
    for match in _COUNTED.finditer(text, start, end):
        noun = match["noun"].lower()
        if noun not in _UNCOUNTED and find_unit(noun) is None and noun.endswith("s"):
            yield noun, *match.span("noun"), ((f"dozen {noun}", f"dozen {match['noun']}"),)


def _plural_like(other: Unit, unit: Unit, written: str) -> str:
    singular = written.lower() in (unit.singular, *unit.spellings[::2]) and written.lower() != unit.plural
    name = written_like(other, written, None)
    return other.singular if singular and name == other.plural else name


def _orders(text: str, start: int, end: int) -> Iterator[Found]:
    for pattern in (_RANGE, _BARE_RANGE):
        for match in pattern.finditer(text, start, end):
            one, two = match["one"].lower(), match["two"].lower()
            edges = _EDGES.get(one) == two or (one.endswith("est") and two.endswith("est")) or one.startswith(("most", "least"))
            if not edges or one == two:
                continue
            swapped = match[0]
            first, second = match.start("one") - match.start(), match.start("two") - match.start()
            swapped = swapped[:first] + match["two"] + swapped[first + len(one) : second] + match["one"] + swapped[second + len(two) :]
            yield f"{one} to {two}", *match.span(), ((f"{two} to {one}", swapped),)
    for match in _DIRECTION.finditer(text, start, end):
        other = _DIRECTIONS[match[0].lower()]
        preceded = "in " if other.startswith("in ") and text[: match.start()].endswith("in ") else ""
        yield match[0].lower().replace("ally", "al order"), *match.span(), ((other.removeprefix("in "), _cased(other.removeprefix(preceded), match[0])),)


def _goals(text: str, start: int, end: int) -> Iterator[Found]:
    for match in _GOAL.finditer(text, start, end):
        if match["verb"]:
            edge = match["edge"].strip().lower()
            yield f"who {edge}", *match.span("edge"), ((f"who {_EDGES[edge]}", f" {_EDGES[edge]}"),)
        else:
            other = _GOALS[match[0].lower()]
            yield match[0].lower(), *match.span(), ((other, _cased(other, match[0])),)


def _roundings(text: str, start: int, end: int) -> Iterator[Found]:
    for match in _NEAREST.finditer(text, start, end):
        coarser = _COARSER.get(match["unit"].lower(), ())
        yield f"nearest {match['unit'].lower()}", *match.span("unit"), tuple((f"nearest {name}", name) for name in coarser)
    for match in _WHOLE.finditer(text, start, end):
        if text[: match.start()].lower().endswith("the "):
            continue
        lead = next((lead for lead in ("be ", "as ", "in ") if match[0].lower().startswith(lead)), "")
        goes_on = re.match(r" [a-z]", text[match.end() :])
        noun = "a number " if goes_on or not lead else ""
        lead = "" if lead in ("as ", "in ") and not noun else lead
        options = tuple((f"nearest {name}", f"{lead}{noun}rounded to the nearest {name}") for name in ("ten", "hundred"))
        yield "whole number", *match.span(), options
    for match in _DECIMALS.finditer(text, start, end):
        places = _DIGITS.get(match["n"].lower()) or int(match["n"])
        if places > 1 and "significant" not in match["what"].lower():
            fewer = ("1", "one")[match["n"].isalpha()]
            word = "decimal place" if "place" in match["what"] else "decimal"
            yield f"{places} decimals", *match.span(), (("1 decimal", f"{match['lead']}{fewer} {word}"),)
    for match in _EXACT.finditer(text, start, end):
        yield "exact", *match.span("word"), (("approximate", "approximate" if match["word"].lower() != "precise" else "rough"),)


def _layouts(text: str, start: int, end: int) -> Iterator[Found]:
    for pattern, topic, options in _LAYOUTS:
        for match in pattern.finditer(text, start, end):
            plural = "s" if topic.endswith("name") and match[0].endswith("s") else ""
            yield topic, *match.span(), tuple((name, _cased(words + plural, match[0])) for name, words in options)


def _cased(words: str, like: str) -> str:
    return words[0].upper() + words[1:] if like[:1].isupper() else words


_FINDERS: tuple[tuple[RequirementKind, Finder], ...] = (
    ("order", _orders),
    ("unit", _units),
    ("rounding", _roundings),
    ("goal", _goals),
    ("layout", _layouts),
)
