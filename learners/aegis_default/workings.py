"""Signs in spelt-out calculations: that they don't hold, are not what is concluded, or start from nowhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from fractions import Fraction

from aegis_default.conclusions import Conclusion, normal
from aegis_default.quantities import NUMBER, as_number
from aegis_default.reading import Entry, Reading
from aegis_default.signs import Sign

__all__ = ["departures", "slips", "sourceless_operands"]

_MENDED = 0.3
"""Strength where nobody took over the wrong figure: somebody noticed."""
_ELSEWHERE = 0.7
_LEAST_ITEMS = 3
_LIST = re.compile(r"[^\s,]+(?:, ?[\w’'-]+){2,}")
_TOLD = re.compile(
    rf"\b(?:makes|gives|yields|equals|comes to|amounts to)\b[ :]{{1,2}}[€$£]?({NUMBER})(?![\d.,]*\d)", re.IGNORECASE
)
_CONCLUDING_NAME = (
    r"(?:i(?<=\bi)s|w(?<=\bw)as) (?P<worked>[A-Z]\w+)[.;]?\s+(?i:so |thus |therefore |hence )?"
    r"(?i:my |the )?(?i:final )?(?i:answer|result)(?: is|:) (?P<concluded>[A-Z]\w+)[.!]?\s*$"
)
_CONCLUDED_NAME = re.compile(_CONCLUDING_NAME, re.MULTILINE)
_NAMED = re.compile(rf"[^\n.:]*{_CONCLUDING_NAME}", re.MULTILINE)
_CONSTANTS = frozenset(Fraction(text) for text in "0 0.5 1 2 3 7 10 12 24 30 60 100 365 1000 3600 3.14".split())
"""Factors that need no source: conversions, halves, percentages, means of a few."""


def slips(reading: Reading) -> Iterator[Sign]:
    """`slip`: a calculation doesn't come to what is stated."""
    for entry in reading.suspects:
        for one in entry.calculations:
            if not one.holds:
                evidence = f'"{one.text}" is wrong: it comes to {_figure(one.value)}'
                strength = 1.0 if reading.is_relied_on(entry, one.stated) else _MENDED
                yield Sign(signal="slip", step=entry.index, evidence=evidence, strength=strength)


def departures(reading: Reading) -> Iterator[Sign]:
    """`departure`: the conclusion is not what the step's own working comes to. Speaks for FM-2.6.

    A number that is no result of its calculations, or only a result that goes on into a later one; or a list with the
    items of its working in another order.
    """
    for entry in reading.suspects:
        evidence, strength = _other_figure(reading, entry)
        if not evidence:
            evidence, strength = _other_order(entry) or _other_name(entry), 1.0
        if evidence:
            yield Sign(signal="departure", step=entry.index, evidence=evidence, strength=strength, mode="FM-2.6")


def _other_figure(reading: Reading, entry: Entry) -> tuple[str, float]:
    """Evidence and strength; "" where the conclusion is what the working comes to, or there is nothing to compare."""
    concluded = [one for one in entry.conclusions if one.quantity and not _is_calculation(one)]
    if not concluded:
        return "", 0.0
    told = [(found[0], as_number(found[1])) for found in _TOLD.finditer(entry.prose)]
    told += [(one.text, one.stated) for one in entry.calculations]
    if not told:
        return "", 0.0
    last = concluded[-1]
    value = last.quantity.value if last.quantity else Fraction(0)
    worked = {number for one in entry.calculations for number in one.operands}
    results = entry.derived | {number for _, number in told}
    if _is_among(value, results) and (value not in worked or told[-1][1] == value):
        return "", 0.0
    strength = _ELSEWHERE if value in worked else 1.0
    strength *= 1.0 if reading.is_relied_on(entry, value) else _MENDED
    return f'it concludes "{last.text}", but its working ends with "{told[-1][0]}"', strength


def _other_name(entry: Entry) -> str:
    """Evidence if the sentence before the conclusion ends with another name; "" if not."""
    hint = _CONCLUDED_NAME.search(entry.prose)
    if not hint:
        return ""
    # A match starts where its sentence does. Looking for one from every letter takes far longer.
    found = _NAMED.match(entry.prose, max(entry.prose.rfind(mark, 0, hint.start()) for mark in "\n.:") + 1)
    if not found or found["worked"] == found["concluded"]:
        return ""
    sentence = " ".join(entry.prose[found.start() : found.end("worked")].split())
    return f'it concludes "{found["concluded"]}", but its working ends with "{sentence}"'


def _other_order(entry: Entry) -> str:
    last = _items(entry.conclusions[-1].text) if entry.conclusions else []
    if len(last) < _LEAST_ITEMS:
        return ""
    worked = (_items(found) for found in _LIST.findall(entry.prose))
    other = next((one for one in worked if one != last and sorted(one) == sorted(last)), None)
    if other is None:
        return ""
    return f'it concludes "{entry.conclusions[-1].text}", but its working has the order "{", ".join(other)}"'


def _items(text: str) -> list[str]:
    return [words[-1] for item in text.split(",") if (words := normal(item).split())]


def sourceless_operands(reading: Reading) -> Iterator[Sign]:
    """`operand`: it calculates with a number that is neither in the task nor in anything it can have seen or found."""
    for entry in reading.suspects:
        if not entry.calculations:
            continue
        known, found = reading.known_to(entry), set[Fraction]()
        for one in entry.calculations:
            strange = [n for n in one.operands if n not in known and n not in found and n not in _CONSTANTS]
            found |= {one.stated}
            if strange and not _is_derived(strange[0], entry):
                evidence = f'"{one.text}" takes {_figure(strange[0])} from nowhere: it stands in nothing that was seen'
                is_used = any(reading.is_relied_on(entry, number) for number in found)
                yield Sign(signal="operand", step=entry.index, evidence=evidence, strength=1.0 if is_used else _MENDED)
                break


def _is_derived(number: Fraction, entry: Entry) -> bool:
    """Whether the text itself gives the number elsewhere, as a result that can't be checked, say of a bracket."""
    return f"= {_figure(number)}" in entry.prose


def _is_calculation(conclusion: Conclusion) -> bool:
    return "=" in conclusion.text


def _is_among(value: Fraction, results: AbstractSet[Fraction]) -> bool:
    """Equal, or equal when rounded as people round: to a hundredth of the value."""
    return any(abs(value - result) <= abs(result) / 100 for result in results)


def _figure(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.6g}"
