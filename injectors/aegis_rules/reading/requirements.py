"""What a text asks for: the unit, the rounding, the order, the item and the form of the answer.

A requirement is found with the ways in which it could be worded otherwise, so that it can be altered in place
and everywhere alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from aegis_rules.reading import demands
from aegis_rules.reading.figures import masked
from aegis_rules.reading.passages import Reading
from aegis_rules.reading.sentences import Sentence
from aegis_rules.reading.units import Unit, alternatives, find_unit, written_like

__all__ = ["FORM_KINDS", "Requirement", "asked_unit", "find_requirements", "is_request"]

Options = tuple[tuple[str, str], ...]
RequirementKind = Literal["unit", "rounding", "order", "goal", "layout"]
FORM_KINDS: tuple[RequirementKind, ...] = ("unit", "rounding", "order", "layout")
"""Kinds that say how the answer is to be given; `goal` says what is asked for."""


@dataclass(frozen=True)
class Requirement:
    """A requirement at text[start:end] of a passage.

    `topic` is what it demands, the same wherever the same is demanded. `options` maps the name of another demand to
    the words that make it in this place. `firm` is one that stands in a request; the others only repeat it.
    """

    kind: RequirementKind
    topic: str
    passage: int
    start: int
    end: int
    options: tuple[tuple[str, str], ...]
    sentence: Sentence
    firm: bool = True


_LOOSE = re.compile(r"\b(?:order|sort|rank|list|arrange)\w*\b", re.IGNORECASE)


def is_request(sentence: Sentence) -> bool:
    """Whether a sentence asks for something or says how it is to be done."""
    return bool(demands.REQUEST.search(sentence.text))


@lru_cache(maxsize=256)
def find_requirements(reading: Reading) -> tuple[Requirement, ...]:
    """The requirements in a text, in order; those of one kind never overlap."""
    found: list[Requirement] = []
    for position, sentence in reading.all():
        firm = is_request(sentence)
        if not firm and sentence.kind != "item" and not _LOOSE.search(sentence.text):
            continue
        own: list[Requirement] = []
        view = masked(reading.passages[position].text)
        for kind, find in _FINDERS:
            if kind == "goal" and demands.STATED.search(sentence.text):
                continue
            for topic, start, end, options in find(view, sentence.start, sentence.end):
                if options and not any(start < other.end and other.start < end for other in own):
                    begin, worded = _with_article(view, start, options)
                    own.append(Requirement(kind, topic, position, begin, end, worded, sentence, firm))
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
    for match in demands.UNIT_ASKED.finditer(text, start, end):
        written = match["unit"]
        unit = find_unit(written)
        if unit is None or re.search(r"\d\s*$", text[: match.start("unit")]):
            continue
        options = tuple((other.plural, _plural_like(other, unit, written)) for other in alternatives(unit))
        yield unit.plural, *match.span("unit"), options
    for match in demands.COUNTED.finditer(text, start, end):
        noun = match["noun"].lower()
        if noun not in demands.UNCOUNTED and find_unit(noun) is None and noun.endswith("s"):
            yield noun, *match.span("noun"), ((f"dozen {noun}", f"dozen {match['noun']}"),)


def _plural_like(other: Unit, unit: Unit, written: str) -> str:
    singular = written.lower() in (unit.singular, *unit.spellings[::2]) and written.lower() != unit.plural
    name = written_like(other, written, None)
    return other.singular if singular and name == other.plural else name


def _orders(text: str, start: int, end: int) -> Iterator[Found]:
    for pattern in (demands.RANGE, demands.BARE_RANGE):
        for match in pattern.finditer(text, start, end):
            one, two = match["one"].lower(), match["two"].lower()
            edges = (
                demands.EDGES.get(one) == two
                or (one.endswith("est") and two.endswith("est"))
                or one.startswith(("most", "least"))
            )
            if not edges or one == two:
                continue
            swapped = match[0]
            first, second = match.start("one") - match.start(), match.start("two") - match.start()
            swapped = (
                swapped[:first]
                + match["two"]
                + swapped[first + len(one) : second]
                + match["one"]
                + swapped[second + len(two) :]
            )
            yield f"{one} to {two}", *match.span(), ((f"{two} to {one}", swapped),)
    for match in demands.DIRECTION.finditer(text, start, end):
        other = demands.DIRECTIONS[match[0].lower()]
        preceded = "in " if other.startswith("in ") and text[: match.start()].endswith("in ") else ""
        yield (
            match[0].lower().replace("ally", "al order"),
            *match.span(),
            ((other.removeprefix("in "), _cased(other.removeprefix(preceded), match[0])),),
        )


def _goals(text: str, start: int, end: int) -> Iterator[Found]:
    for match in demands.GOAL.finditer(text, start, end):
        if match["verb"]:
            edge = match["edge"].strip().lower()
            yield f"who {edge}", *match.span("edge"), ((f"who {demands.EDGES[edge]}", f" {demands.EDGES[edge]}"),)
        else:
            other = demands.GOALS[match[0].lower()]
            yield match[0].lower(), *match.span(), ((other, _cased(other, match[0])),)


def _roundings(text: str, start: int, end: int) -> Iterator[Found]:
    for match in demands.NEAREST.finditer(text, start, end):
        coarser = demands.COARSER.get(match["unit"].lower(), ())
        yield (
            f"nearest {match['unit'].lower()}",
            *match.span("unit"),
            tuple((f"nearest {name}", name) for name in coarser),
        )
    for match in demands.WHOLE.finditer(text, start, end):
        if text[: match.start()].lower().endswith("the "):
            continue
        lead = next((lead for lead in ("be ", "as ", "in ") if match[0].lower().startswith(lead)), "")
        goes_on = re.match(r" [a-z]", text[match.end() :])
        noun = "a number " if goes_on or not lead else ""
        lead = "" if lead in ("as ", "in ") and not noun else lead
        options = tuple(
            (f"nearest {name}", f"{lead}{noun}rounded to the nearest {name}") for name in ("ten", "hundred")
        )
        yield "whole number", *match.span(), options
    for match in demands.DECIMALS.finditer(text, start, end):
        places = demands.DIGITS.get(match["n"].lower()) or int(match["n"])
        if places > 1 and "significant" not in match["what"].lower():
            fewer = ("1", "one")[match["n"].isalpha()]
            word = "decimal place" if "place" in match["what"] else "decimal"
            yield f"{places} decimals", *match.span(), (("1 decimal", f"{match['lead']}{fewer} {word}"),)
    for match in demands.EXACT.finditer(text, start, end):
        yield (
            "exact",
            *match.span("word"),
            (("approximate", "approximate" if match["word"].lower() != "precise" else "rough"),),
        )


def _layouts(text: str, start: int, end: int) -> Iterator[Found]:
    for pattern, topic, options in demands.LAYOUTS:
        for match in re.finditer(pattern, text[start:end], re.IGNORECASE):
            plural = "s" if topic.endswith("name") and match[0].endswith("s") else ""
            worded = tuple((name, _cased(words + plural, match[0])) for name, words in options.items())
            yield topic, start + match.start(), start + match.end(), worded


def _cased(words: str, like: str) -> str:
    return words[0].upper() + words[1:] if like[:1].isupper() else words


_FINDERS: tuple[tuple[RequirementKind, Finder], ...] = (
    ("order", _orders),
    ("unit", _units),
    ("rounding", _roundings),
    ("goal", _goals),
    ("layout", _layouts),
)
