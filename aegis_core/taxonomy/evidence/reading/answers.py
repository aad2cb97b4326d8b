"""Whether an answer's amount is what was asked: its unit, exactness, and the item it is about."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from aegis_core.taxonomy.evidence.reading.claims import Conclusion
from aegis_core.taxonomy.evidence.reading.passages import names, plain, stem, words
from aegis_core.taxonomy.evidence.reading.quantities import (
    Quantity,
    comparable,
    decimals,
    quantities,
    rounded,
    same_value,
)
from aegis_core.taxonomy.evidence.reading.requirements import AGGREGATES, Requirement
from aegis_core.taxonomy.evidence.reading.turns import Turn
from aegis_core.taxonomy.evidence.reading.units import Unit, unit_named

__all__ = ["ANSWER_CHECKS", "Asked", "Breach", "Check", "key_unit"]

_MOST_AMOUNTS = 40
_UNIT_KEY = re.compile(r'"units?"\s*:\s*"([^"\n]{1,30})"', re.IGNORECASE)
_UNSURE = re.compile(r"\b(?:unknown|unclear|cannot|can't|unable|not (?:known|given|enough|possible))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Breach:
    """How a faulty turn breaks a requirement that the clean turn meets, in words, with what it rests on."""

    wanted: str
    instead: str
    clean: str
    faulty: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A requirement, all others beside it, and the task it stands in."""

    requirement: Requirement
    others: tuple[Requirement, ...]
    task: str


Check = Callable[[Asked, Turn, Turn], Breach | None]


def _conclusions(clean: Turn, faulty: Turn) -> tuple[Conclusion, Conclusion] | None:
    right, given = clean.conclusion, faulty.conclusion
    if right is None or given is None or _UNSURE.search(given.text):
        return None
    if right.strength == "closing" and not clean.derivations and len(clean.passages) > 1:
        return None
    if given.strength == "closing" and right.strength != "closing" and len(faulty.passages) > 2:
        return None
    return right, given


def _amounts(drawn: Conclusion) -> list[Quantity]:
    return [item for item in drawn.quantities[:_MOST_AMOUNTS] if not item.component]


def _breach(wanted: str, instead: str, clean: Turn, faulty: Turn) -> Breach:
    right, given = clean.conclusion, faulty.conclusion
    return Breach(
        wanted,
        instead,
        clean.exact(right.passages[-1]) if right else "",
        faulty.exact(given.passages[-1]) if given else "",
    )


# -- unit and counted thing ------------------------------------------------------------------------------------


def key_unit(turn: Turn, drawn: Conclusion) -> Unit | None:
    """The unit that a JSON answer gives under a key of its own."""
    held = "".join(part.text for part in drawn.passages)
    match = _UNIT_KEY.search(held) or (
        _UNIT_KEY.search(turn.plain) if turn.plain.lstrip().startswith(("{", "`")) else None
    )
    return unit_named(match[1].strip()) if match else None


def _unit(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    both = _conclusions(clean, faulty)
    wanted = asked.requirement.unit
    if both is None or wanted is None:
        return None
    right, given = both
    accepted = {item.unit.name for item in (asked.requirement, *asked.others) if item.kind == "unit" and item.unit}
    meant, said = _amounts(right), _amounts(given)
    before, after = _unit_names(clean, right, meant), _unit_names(faulty, given, said)
    other = [item for item in said if item.unit and item.unit.name not in accepted] or (
        [said[0]] if said and after and not after & accepted and said[0].unit is None else []
    )
    if not meant or not other or after & accepted or _mentions(given, accepted):
        return None
    if not before & accepted and not (_all_bare(meant) and _alike(faulty, given, other[0], wanted)):
        return None
    name = _name(faulty, given, other[0])
    return _breach(f"an answer in {wanted.name}", f"an answer in {name}", clean, faulty)


def _unit_names(turn: Turn, drawn: Conclusion, items: list[Quantity]) -> set[str]:
    found = {item.unit.name for item in items if item.unit}
    key = key_unit(turn, drawn)
    return found | ({key.name} if key else set())


def _all_bare(items: list[Quantity]) -> bool:
    return all(item.bare for item in items)


def _alike(turn: Turn, drawn: Conclusion, item: Quantity, wanted: Unit) -> bool:
    unit = item.unit or key_unit(turn, drawn)
    return unit is not None and unit.dimension == wanted.dimension


def _name(turn: Turn, drawn: Conclusion, item: Quantity) -> str:
    unit = item.unit or key_unit(turn, drawn)
    return turn.plain[item.number_end : item.end].strip() or (unit.name if unit else "another unit")


def _mentions(drawn: Conclusion, accepted: set[str]) -> bool:
    """Whether a conclusion names an asked unit apart from its figures (`Distance in km: 5.4`)."""
    held = re.findall(r"[^\W\d_]+(?:/[^\W\d_]+)?|[%€$£]", " ".join(part.text for part in drawn.passages))
    units = (unit_named(word) for word in held)
    return any(unit is not None and unit.name in accepted for unit in units)


def _counted(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    both = _conclusions(clean, faulty)
    if both is None:
        return None
    right, given = both
    if right.strength == "closing" and not clean.derivations:
        return None
    wanted = {noun for item in (asked.requirement, *asked.others) if item.kind == "counted" for noun in item.wanted}
    meant, said = _amounts(right), _amounts(given)
    if not any(item.nouns & wanted for item in meant) or not said or wanted & set(words(given.text)):
        return None
    counted = {noun for item in quantities(plain(asked.task)) for noun in item.nouns} - wanted
    other = [item for item in said if item.unit or item.nouns & counted]
    if not other or len(other) < len([item for item in said if not item.bare]):
        return None
    instead = faulty.plain[other[0].number_end : other[0].end].strip()
    return _breach(f"a number of {asked.requirement.wanted[-1]}", f"a figure of {instead}", clean, faulty)


# -- exactness -------------------------------------------------------------------------------------------------


def _claims(clean: Turn, faulty: Turn) -> tuple[Quantity, Quantity] | None:
    """The answered amounts of both turns, if each has one that can be compared."""
    both = _conclusions(clean, faulty)
    if both is None:
        return None
    meant, said = _amounts(both[0]), _amounts(both[1])
    if not meant or not said:
        return None
    alike = [item for item in said if comparable(meant[0], item)]
    return (meant[0], alike[0]) if alike else None


def _whole(_asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    pair = _claims(clean, faulty)
    if pair is None or not pair[0].value.is_integer() or pair[1].value.is_integer():
        return None
    return _breach("a whole number", pair[1].literal, clean, faulty)


def _decimals(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    pair = _claims(clean, faulty)
    if pair is None or decimals(pair[0]) != asked.requirement.number:
        return None
    meant, said = pair
    fewer = decimals(said) < decimals(meant)
    if decimals(said) == decimals(meant) or (
        fewer and not (rounded(meant, said, coarse=said.about) and said.value != meant.value)
    ):
        return None
    return _breach(f"{asked.requirement.number} decimals", said.literal, clean, faulty)


def _nearest(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    pair = _claims(clean, faulty)
    step = asked.requirement.number
    if pair is None or pair[0].value % step or not pair[1].value % step:
        return None
    return _breach(f"a value to the nearest {step}", pair[1].literal, clean, faulty)


def _exact(_asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    pair = _claims(clean, faulty)
    if pair is None or pair[0].about:
        return None
    meant, said = pair
    if not said.about and not (decimals(said) < decimals(meant) and rounded(meant, said, coarse=False)):
        return None
    return _breach("an exact value", f"the rounded {faulty.plain[said.start : said.end]}", clean, faulty)


# -- item ------------------------------------------------------------------------------------------------------


def _aggregate(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    pair = _claims(clean, faulty)
    both = _conclusions(clean, faulty)
    if pair is None or both is None or same_value(*pair) or sum(item.kind == "aggregate" for item in asked.others) > 1:
        return None
    wanted = asked.requirement.wanted[0]
    before, after = _labels(both[0].text), _labels(both[1].text)
    if len(after) != 1 or wanted in after or (before and before != {wanted}):
        return None
    label = next(iter(after))
    if AGGREGATES[wanted].search(both[1].text) or not _labelled(both[1].text, label):
        return None
    return _breach(f"the {wanted}", f"the {label}", clean, faulty)


def _labels(text: str) -> set[str]:
    return {name for name, pattern in AGGREGATES.items() if pattern.search(text)}


def _labelled(text: str, label: str) -> bool:
    """Whether a passage says what its figure is (`the average is 32`), rather than using the word in passing."""
    return bool(
        re.search(
            rf"(?:{AGGREGATES[label].pattern})[^.\d]{{0,50}}?(?:\bis|\bare|\bwas|:|=|\bof|\bto)\s*\W{{0,3}}\d",
            text,
            re.I,
        )
    )


def _subject(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    both, pair = _conclusions(clean, faulty), _claims(clean, faulty)
    if both is None or pair is None or same_value(*pair):
        return None
    wanted = set(asked.requirement.wanted)
    known = {name.casefold() for name in names(plain(asked.task), plain(asked.task))}
    before, after = _known(both[0].text, known), _known(both[1].text, known)
    if not before or not before <= wanted or not after or after & wanted or len(after) != 1:
        return None
    if not _same_shape(both[0].text, both[1].text, before | after):
        return None
    return _breach(f"a figure for {', '.join(sorted(before))}", f"one for {after.pop()}", clean, faulty)


def _known(text: str, known: set[str]) -> set[str]:
    lower = text.casefold()
    return {name for name in known if re.search(rf"\b{re.escape(name)}\b", lower)}


def _same_shape(first: str, second: str, but: set[str]) -> bool:
    left, right = (
        {stem(word) for word in words(text)} - {stem(part) for name in but for part in name.split()}
        for text in (first, second)
    )
    return len(left & right) >= 0.6 * max(1, len(left | right))


def _name_asked(_asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    both = _conclusions(clean, faulty)
    if both is None or both[0].strength != "marked" or both[1].strength != "marked":
        return None
    right, given = both
    if right.quantities or not given.quantities or not names("x " + right.payload):
        return None
    if any(item.nouns for item in given.quantities):
        return None
    rest = given.payload
    for item in given.quantities:
        rest = rest.replace(faulty.plain[item.start : item.end], " ")
    if any(character.isalpha() for character in rest):
        return None
    return _breach("a name", f"only the figure {given.payload.strip()}", clean, faulty)


ANSWER_CHECKS: dict[str, Check] = {
    "unit": _unit, "counted": _counted, "whole": _whole, "decimals": _decimals, "nearest": _nearest, "exact": _exact,
    "aggregate": _aggregate, "subject": _subject, "name": _name_asked,
}  # fmt: skip
