"""Numbers in texts, with what they count or measure: reading, converting, comparing."""

# Word lists read best as prose.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor, isclose

from aegis_core.taxonomy.evidence.reading.passages import stem
from aegis_core.taxonomy.evidence.reading.units import UNITS, Unit, unit_named

__all__ = [
    "Quantity",
    "comparable",
    "decimals",
    "other_unit",
    "quantities",
    "rounded",
    "said_by",
    "same_nouns",
    "same_value",
]  # fmt: skip

_SMALL = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen "
        "eighteen nineteen".split()
    )
    if word != "one"  # hardly ever a figure: `no one`, `one of them`
}
_TENS = {
    word: 10 * value
    for value, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_ONES = {word: value for word, value in (*_SMALL.items(), ("one", 1)) if 0 < value < 10}
_MULTIPLES = {"dozen": 12.0, "hundred": 100.0, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_WORDS = "|".join((*_TENS, *sorted(_SMALL, key=len, reverse=True)))
_FIRST_WORDS = (*_TENS, *_SMALL, "a dozen", "a hundred", "a thousand")
_DIGITS = re.compile(r"\d+")
_QUANTITY = re.compile(
    r"(?P<currency>[$€£]\s?)?"
    r"(?P<amount>(?<![\w.,:])(?P<clock>\d{1,2}:\d{2})(?![\d:])"
    r"|(?<![\w.^])(?P<number>(?:(?<![\d)\]])[-+](?=\d))?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?)"
    rf"|\b(?P<word>a (?:dozen|hundred|thousand)|(?:{_WORDS})(?:-(?:{'|'.join(_ONES)}))?)\b)"
    r"(?:(?: {0,9}|-)(?P<unit>%|[$€£°](?:[CF]\b)?|(?:(?:square|cubic) )?[^\W\d_]+(?:[²³]|\^?[23](?!\d))?"
    r"(?:/[^\W\d_]+(?:²|\^?2)?| (?:per|an?) [^\W\d_]+)?)(?P<tail>(?: [^\W\d_]+){0,3}))?",
    re.IGNORECASE,
)
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_ENUMERATOR = re.compile(r"(?:^|\n)[ \t>#*]*\(?\Z")
_LABELS = frozenset(
    "# step clue task option part question fact figure table row turn round rule section point hint note item no "
    "no. nos "
    "phase stage version room gate line level agent node query result".split()
)
_ABOUT = frozenset(
    "about approximately approx approx. around roughly nearly almost circa some estimated ca. ~ ≈".split()
)
_NO_UNIT = frozenset(
    "a an and any are as at be been before but by can do each equals for from gives has have he her his if in "
    "into is it "
    "its leaves less made make makes minus more must no nor not of off on or our out over plus she so than that "
    "the their "
    "them then there these they this those through times to too under until up was we were when where which while who "
    "will with x you your respectively altogether in total divided multiplied per both all remain remains left".split()
)
_INLINE = re.compile(r"(?:[:;.,] |^)\d{1,2}[.)] (?=[^\W\d_])")
_JOINED = re.compile(r"[\s,]*(?:and )?\Z")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in a text. `start` and `end` count characters from 0 and hold number, currency and unit."""

    value: float
    literal: str
    """The number as written, without currency and unit."""
    unit: Unit | None
    nouns: frozenset[str]
    """Stems of the words after it that may say what is counted."""
    start: int
    end: int
    about: bool
    """Whether the text calls it approximate."""
    component: bool = False
    """Whether it is only a part of a larger quantity, as `1 h` in `1 h 30 min`."""
    number_end: int = 0

    @property
    def base(self) -> float:
        """The value in the base unit of its dimension; the value itself without one."""
        return self.value * self.unit.factor if self.unit else self.value

    @property
    def bare(self) -> bool:
        """Whether nothing says what it counts or measures."""
        return self.unit is None and not self.nouns


def quantities(text: str) -> tuple[Quantity, ...]:
    """The quantities of a text (as `plain` makes it), in order; not its list numbers, step numbers and ordinals."""
    found: list[Quantity] = []
    listed = 0
    for match in _numbers(text):
        if match["number"] in {"1", str(listed + 1)} and _INLINE.match(text, max(0, match.start() - 2)):
            listed = int(match["number"])
            continue
        quantity = _quantity(text, match)
        if quantity is None:
            continue
        previous = found[-1] if found else None
        found.append(quantity)
        if previous and _composes(text, previous, quantity):
            found[-2:] = _composed(previous, quantity)
    return tuple(found)


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """The numbers of a text with what stands around them. Finding digits first is what makes long texts cheap."""
    end = 0
    for start in sorted({*(run.start() for run in _DIGITS.finditer(text)), *_word_starts(text.lower())}):
        if start < end:
            continue
        match = _QUANTITY.match(text, _with_sign(text, start, end)) or _QUANTITY.match(text, start)
        if match:
            end = _number_end(match)
            yield match


def _word_starts(lower: str) -> Iterator[int]:
    """Where number words may start. A text has few of the words, so each is looked for on its own."""
    for word in _FIRST_WORDS:
        at = lower.find(word)
        while at >= 0:
            yield at
            at = lower.find(word, at + 1)


def _with_sign(text: str, start: int, least: int) -> int:
    """Where a number that has a digit at `start` begins, with sign and currency."""
    begin = start
    if begin > least and text[begin - 1] in "+-":
        begin -= 1
    if begin > least and text[begin - 1] in "$€£":
        return begin - 1
    if begin - 1 > least and text[begin - 1] == " " and text[begin - 2] in "$€£":
        return begin - 2
    return begin


def _quantity(text: str, match: re.Match[str]) -> Quantity | None:
    start = match.start()
    if match["unit"] and match["unit"].casefold() in _ORDINALS and match.start("unit") == match.end("amount"):
        return None
    previous = _word_before(text, start)
    if previous in _LABELS or _enumerates(text, match):
        return None
    value, literal = _value(match)
    unit, nouns, end, multiple = _unit(match)
    return Quantity(
        value=value * multiple, literal=literal, unit=unit, nouns=nouns, start=start, end=end,
        about=previous in _ABOUT or previous.endswith(("~", "≈")), number_end=_number_end(match),
    )  # fmt: skip


def _word_before(text: str, start: int) -> str:
    """The word before a place, lower case; "close to" and "more or less" as "about"."""
    before = text[max(0, start - 18) : start].rstrip(" \t$€£").casefold()
    if before.endswith(("close to", "more or less")):
        return "about"
    return before.split()[-1].lstrip("([*\"'") if before and not before[-1].isspace() else ""


def _number_end(match: re.Match[str]) -> int:
    return match.end("amount")


def _enumerates(text: str, match: re.Match[str]) -> bool:
    number = match["number"]
    if not number or len(number) > 3 or not number.isdigit():
        return False
    after = text[match.end("number") : match.end("number") + 2]
    if len(after) < 2 or after[0] not in ".)" or after[1] not in " \t*":
        return False
    begin = match.start("number")
    return bool(_ENUMERATOR.search(text[max(0, begin - 12) : begin] if begin > 12 else "\n" + text[:begin]))


def _value(match: re.Match[str]) -> tuple[float, str]:
    if match["clock"]:
        hours, minutes = match["clock"].split(":")
        return int(hours) * 60.0 + int(minutes), match["clock"]
    if match["number"]:
        return float(match["number"].replace(",", "")), match["number"]
    if match["word"][0] in "aA":
        return _MULTIPLES[match["word"].casefold().split()[1]], match["word"]
    tens, _, ones = match["word"].casefold().partition("-")
    return float(_TENS.get(tens, _SMALL.get(tens, 0)) + _ONES.get(ones, 0)), match["word"]


def _unit(match: re.Match[str]) -> tuple[Unit | None, frozenset[str], int, float]:
    """Unit, nouns, end of the whole, and what the value is multiplied by (`3 dozen`)."""
    end = _number_end(match)
    currency = (match["currency"] or "").strip()
    if match["clock"]:
        return UNITS["clock"], frozenset(), end, 1.0
    multiple = 1.0
    tokens: list[str] = [match["unit"], *(match["tail"] or "").split()] if match["unit"] else []
    if tokens and stem(tokens[0]) in _MULTIPLES:
        multiple = _MULTIPLES[stem(tokens[0])]
        end = match.end("unit")
        tokens = tokens[1:]
    if currency:
        return unit_named(currency), frozenset(), end, multiple
    known = unit_named(" ".join(tokens[:1])) if tokens else None
    if known is not None:
        return known, frozenset(), max(end, match.end("unit")), multiple
    nouns: list[str] = []
    for token in tokens:
        if token.casefold() in _NO_UNIT:
            break
        nouns.append(token.casefold())
    if not nouns or not nouns[0].replace(" ", "").isalpha():
        return None, frozenset(), end, multiple
    counted = frozenset(stem(noun.split()[0]) for noun in nouns)
    return None, counted, _nouns_end(match, nouns, end), multiple


def _nouns_end(match: re.Match[str], nouns: list[str], end: int) -> int:
    return end + match.string[end : match.end()].casefold().find(nouns[-1]) + len(nouns[-1])


def _composes(text: str, first: Quantity, second: Quantity) -> bool:
    return bool(
        first.unit and second.unit and first.unit.dimension == second.unit.dimension
        and first.unit.currency == second.unit.currency and first.unit.factor > second.unit.factor
        and second.start - first.end < 7 and second.value >= 0 and second.base < first.unit.factor
        and _JOINED.match(text[first.end : second.start])
    )  # fmt: skip


def _composed(first: Quantity, second: Quantity) -> tuple[Quantity, Quantity, Quantity]:
    factor = first.unit.factor if first.unit else 1.0
    whole = Quantity(
        value=(first.base + second.base) / factor, literal=first.literal, unit=first.unit, nouns=frozenset(),
        start=first.start, end=second.end, about=first.about, number_end=second.number_end,
    )  # fmt: skip
    return _as_component(first), _as_component(second), whole


def _as_component(part: Quantity) -> Quantity:
    return Quantity(
        value=part.value, literal=part.literal, unit=part.unit, nouns=part.nouns, start=part.start, end=part.end,
        about=part.about, component=True, number_end=part.number_end,
    )  # fmt: skip


def decimals(quantity: Quantity) -> int:
    """Digits after the decimal point, as written."""
    return len(quantity.literal.partition(".")[2])


def _close(first: float, second: float) -> bool:
    return isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


def _convertible(first: Quantity, second: Quantity) -> bool:
    return bool(first.unit and second.unit and first.unit.converts_to(second.unit))


def same_nouns(first: Quantity, second: Quantity) -> bool:
    """Whether both count the same thing by name."""
    return bool(first.nouns & second.nouns)


def comparable(first: Quantity, second: Quantity) -> bool:
    """Whether both can be statements of one thing: the same unit or noun, or one of them without either."""
    if first.unit and second.unit:
        return first.unit.name == second.unit.name
    return first.bare or second.bare or same_nouns(first, second)


def other_unit(first: Quantity, second: Quantity) -> bool:
    """Whether both have known units, and not the same one."""
    return bool(first.unit and second.unit and first.unit.name != second.unit.name)


def same_value(first: Quantity, second: Quantity) -> bool:
    """Whether both are the same amount: equal numbers, or equal after converting units."""
    if _convertible(first, second):
        return _close(first.base, second.base)
    if _close(first.value, second.value):
        return True
    one_is_ratio = any(item.unit is not None and item.unit.dimension == "ratio" for item in (first, second))
    return one_is_ratio and (first.unit is None or second.unit is None) and _close(first.base, second.base)


def rounded(exact: Quantity, given: Quantity, *, coarse: bool) -> bool:
    """Whether `given` is `exact` with fewer decimals, or up or down to a whole; `coarse`: to tens and hundreds too."""
    value = exact.value
    if exact.unit and given.unit and exact.unit.converts_to(given.unit):
        value = exact.base / given.unit.factor
    places = decimals(given)
    if abs(value - given.value) <= 0.5000001 * 10.0**-places and not _close(value, given.value):
        return True
    if not places and given.value in {floor(value), ceil(value)}:
        return True
    return coarse and any(
        given.value % step == 0 and abs(value - given.value) <= step
        for step in (5, 10, 50, 100, 1000)
        if step < abs(value)
    )


def said_by(quantity: Quantity, others: Iterable[Quantity]) -> bool:
    """Whether one of the others states the same amount, at least rounded."""
    return any(
        same_value(quantity, other) or (_alike(quantity, other) and rounded(quantity, other, coarse=other.about))
        for other in others
    )


def _alike(first: Quantity, second: Quantity) -> bool:
    return _convertible(first, second) or comparable(first, second)
