"""Numbers with their units in prose: where they stand, what they are worth, and how they are written."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from aegis_rules.reading.units import Unit, find_unit, unit_pattern, write_number

__all__ = ["Figure", "find_figures", "has_quantity", "is_operated", "masked", "written_as"]

_PROTECTED = re.compile(
    r"`[^`\n]*`|(?:https?://|www\.)[^\s)>\]]+"
    r"|(?<![\w./-])(?:\.{0,2}/)?(?:[\w.-]{1,80}/){2,12}[\w.-]{1,80}\.\w{1,8}|<[^<>\n]{1,80}>"
)
_DATES = re.compile(
    r"\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b|\b\d{1,2}(?:st|nd|rd|th)\b"
    r"|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2}\b(?!,\d{3})"
    r"|\b\d{1,2}\s+(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_ORDINALS = re.compile(
    r"^[ \t]*(?:[-*•+][ \t]+)?[*_]*\d{1,3}[.)](?=[\s*])"
    r"|\b(?:[Ss]tep|[Ss]ection|[Cc]hapter|[Pp]art|[Pp]oint|[Tt]able|[Ff]igure|[Oo]ption|[Ii]tem|[Qq]uestion|[Rr]ow|[Nn]o\.|[Vv]ersion"
    r"|[Rr]ound|[Cc]lue|[Rr]ule|[Ff]act|[Tt]ask)\s*#?\d+",
    re.MULTILINE,
)
_NUMBER = re.compile(
    rf"(?<![\w.,/:#^\\])(?P<sign>US\$|[$€£])?\s?(?<![\w.,])(?P<number>(?:[-\u2212](?=\d)(?<![\d)]\s[-\u2212])(?<![\d)][-\u2212]))?"
    rf"(?:[0-9]{{1,3}}(?:,[0-9]{{3}}){{1,5}}|[0-9]{{1,15}})(?:\.[0-9]{{1,9}})?)(?![\d:]|[.,]\d|/\d)"
    rf"(?:(?P<space>[ \u00a0-]?)(?P<unit>{unit_pattern(symbols=True)})|(?![A-Za-z_]))"
)
_NOUN = re.compile(r"\s(?P<noun>[a-z][a-z-]+)")
_NO_NOUN = re.compile(
    r"(?:a|an|and|are|as|at|be|but|by|each|equals|for|from|gives|had|has|have|if|in|into|is|it|less|makes|minus|more|of"
    r"|on|or|out|per|plus|since|so|than|that|the|then|there|they|this|times|to|was|we|were|when|which|who|with|divided"
    r"|multiplied|apiece|respectively|total|altogether|x)$"
)
_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen"
    "|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen|half|twice"
)
_NUMBER_WORD = re.compile(rf"\b(?:{_WORDS})\b", re.IGNORECASE)
_OPERATED = re.compile(
    r"(?:\d|\))[^\d=\n]{0,40}?(?:[+\u00d7*\u00f7/\u2212-]|\bx\b|\bplus\b|\bminus\b|\btimes\b)[^\d=\n]{0,40}?\d[^=\n]*=\s*$"
)


@dataclass(frozen=True)
class Figure:
    """A number in a text. `start` and `end` span it with currency sign and unit, `number` the digits alone.

    `noun` is what is counted, where no known unit follows. `written` is the unit as it stands in the text.
    """

    start: int
    end: int
    number: tuple[int, int]
    value: Fraction
    decimals: int
    grouped: bool
    sign: str = ""
    space: str = " "
    written: str = ""
    unit: Unit | None = None
    noun: str = ""

    @property
    def year_like(self) -> bool:
        """Whether it looks like a year: four bare digits from 1500 to 2100."""
        bare = not (self.grouped or self.decimals or self.unit or self.sign)
        return bare and 1500 <= self.value <= 2100 and self.noun == ""


@lru_cache(maxsize=256)
def masked(text: str) -> str:
    """The text, of the same length, without what is no prose: inline code, addresses, paths, dates, list numbers."""
    for pattern in (_PROTECTED, _DATES, _ORDINALS):
        text = pattern.sub(lambda match: "\ufffc" * len(match[0]), text)
    return text


def find_figures(text: str, start: int = 0, end: int | None = None) -> tuple[Figure, ...]:
    """The figures in a stretch of prose, in order. Numbers of steps, lists, dates, versions and code are none."""
    every = _all_figures(text)
    first = bisect_left(every, start, key=lambda figure: figure.number[0])
    stop = bisect_right(every, len(text) if end is None else end, key=lambda figure: figure.end)
    return every[first:stop]


@lru_cache(maxsize=1024)
def _all_figures(text: str) -> tuple[Figure, ...]:
    view = masked(text)
    found = []
    for match in _NUMBER.finditer(view):
        digits = match["number"]
        written = match["unit"] or ""
        sign = match["sign"] or ""
        noun = None if written or sign else _NOUN.match(view, match.end())
        first = noun["noun"].split()[0] if noun else ""
        found.append(
            Figure(
                start=match.start("sign") if sign else match.start("number"),
                end=match.end(),
                number=match.span("number"),
                value=Fraction(digits.replace(",", "").replace("\u2212", "-")),
                decimals=len(digits.partition(".")[2]),
                grouped="," in digits,
                sign=sign,
                space=match["space"] or "",
                written=written,
                unit=find_unit(written or sign),
                noun="" if _NO_NOUN.match(first) else first,
            )
        )
    return tuple(found)


def has_quantity(text: str) -> bool:
    """Whether the text states a quantity, in digits or in words; bare years do not count."""
    return bool(_NUMBER_WORD.search(masked(text))) or any(not figure.year_like for figure in find_figures(text))


def is_operated(text: str, figure: Figure) -> bool:
    """Whether the figure is the right-hand side of a calculation, as in `12 x 8 = 96`."""
    line = text.rfind("\n", 0, figure.start) + 1
    return bool(_OPERATED.search(text, max(line, figure.start - 200), figure.start))


def written_as(figure: Figure, value: Fraction, others: Sequence[Figure] = ()) -> str | None:
    """Another value in the format of a figure: its decimals (or more, if needed) and separators of thousands.

    Where the figure itself is too small to show separators, `others` of the same text decide. None if the value
    can't be written exactly.
    """
    grouped = figure.grouped or (abs(figure.value) < 1000 and any(other.grouped for other in others))
    return write_number(value, decimals=figure.decimals, grouped=grouped) or write_number(value, grouped=grouped)
