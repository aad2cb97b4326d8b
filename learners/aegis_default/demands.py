"""Signs that an answer is not what the task asks for: another unit, or a figure that is not exact."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aegis_default.reading import Entry, Reading
from aegis_default.signs import Sign
from aegis_default.wording import ADDING, LOOSE, quote

__all__ = ["loosened_answers", "other_units"]

_MODE = "FM-1.1"
_ASKED = re.compile(
    r"\b(?:answer|result|total|give|state|express|report|return|provide|format)\b[^.?!\n]{0,50}?\bin (?:whole |full )?"
    r"(?P<unit>[a-z]{2,}(?:\^?[23])?)",
    re.IGNORECASE,
)
_NO_UNIT = frozenset(
    "the a an all any order total this that these those their its his her our my your each which what order words word "
    "one two three four five six general particular english case full detail short addition python json csv "
    "alphabetical ascending descending numerical form terms question question's text".split()
)


def other_units(reading: Reading) -> Iterator[Sign]:
    """`other-unit`: it concludes in, or asks others for, another unit than the task asks for. Speaks for FM-1.1."""
    asked = _unit(reading.run.task)
    if not asked:
        return
    for entry in reading.suspects:
        if entry.part == "briefing":
            continue
        passed_on = _unit(entry.prose)
        if (
            passed_on
            and not _is_same(passed_on, asked)
            and entry.part in ("direction", "work")
            and not entry.conclusions
        ):
            evidence = f'it wants the result in "{passed_on}"; the task asks for "{asked}"'
            yield Sign(signal="other-unit", step=entry.index, evidence=evidence, mode=_MODE)
        elif odd := _odd_unit(entry, asked):
            evidence = f'it concludes "{odd}"; the task asks for "{asked}"'
            yield Sign(signal="other-unit", step=entry.index, evidence=evidence, mode=_MODE)


def _odd_unit(entry: Entry, asked: str) -> str:
    """The last conclusion of a step if it has a unit and not the one asked for, else ""."""
    if not entry.conclusions or not entry.conclusions[-1].quantity:
        return ""
    last = entry.conclusions[-1]
    unit = last.quantity.unit if last.quantity else ""
    named = len(unit) > 2 and unit not in (
        "and",
        "for",
        "with",
        "per",
        "from",
        "was",
        "has",
        "because",
        "which",
        "that",
    )
    return last.text if named and not _is_same(unit, asked) and asked.rstrip("s") not in last.text.casefold() else ""


def _unit(text: str) -> str:
    """The unit in which a text wants the answer, "" if it names none."""
    units = [found["unit"].casefold() for found in _ASKED.finditer(text)]
    return next((unit for unit in units if unit not in _NO_UNIT), "")


def _is_same(one: str, other: str) -> bool:
    """Whether two spellings can mean one unit: equal but for plural and ending, or one the beginning of the other."""
    first, second = sorted((one.rstrip("s"), other.rstrip("s")), key=len)
    return second.startswith(first[:4] if len(first) > 4 else first)


def loosened_answers(reading: Reading) -> Iterator[Sign]:
    """`loosened`: it concludes a range or a round figure, where the task asks for an exact one. Speaks for FM-1.1."""
    if ADDING.search(reading.run.task):
        return
    for entry in reading.suspects:
        for one in entry.conclusions if entry.part == "work" else ():
            loose = LOOSE.search(one.text) if one.is_short else None
            if loose:
                evidence = f"it concludes no exact figure: {quote(one.text, loose.start(), loose.end())}"
                yield Sign(signal="loosened", step=entry.index, evidence=evidence, mode=_MODE)
                break
