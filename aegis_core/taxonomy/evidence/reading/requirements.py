"""What a task, or a role prompt, asks of an answer: its unit, exactness, item, order, format and length."""

# Word lists read best as prose.

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from aegis_core.taxonomy.evidence.reading.passages import Passage, names, passages, plain, stem
from aegis_core.taxonomy.evidence.reading.units import Unit, unit_named

__all__ = ["AGGREGATES", "Kind", "Requirement", "requirements"]

Kind = Literal[
    "unit", "counted", "whole", "decimals", "nearest", "exact", "aggregate", "subject", "name", "direction", "sorted",
    "format", "marker", "words", "sentences", "items",
]  # fmt: skip

_ASKS = re.compile(
    r"\?\s*$|\b(?:give|answers?|state|report|express|list|write|return|provide|convert|round|find|calculate|compute|"
    r"determine|order|sort|rank|name|respond|reply|output|present|end|finish|begin|start|conclude|format|arrange|show|"
    r"tell|say|must be|should be|what|which|who|how|always|alphabeti[sz]e|use|separate|put|place|summari[sz]e|describe|"
    r"explain|translate|keep|at most|no more than)\b",
    re.IGNORECASE,
)
_NUMBER_WORDS = {"one": 1, "a single": 1, "single": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "ten": 10}
_N = r"(?P<n>\d+|a single|single|one|two|three|four|five|six|ten)"
_HOW_MANY = re.compile(
    r"\b(?:how many|(?:the )?(?:number|count) of)\s+(?P<what>(?:[^\W\d_]+(?:/[^\W\d_]+| per [^\W\d_]+)?\s*){1,4})", re.I
)
_BEFORE_NOUN = frozenset("more fewer other additional different whole full total the of all such remaining".split())
_AFTER_NOUN = frozenset(
    "of are is was were be do does did will would can could should must have has had in on at there that which "
    "who left remain "
    "remains and or to for from with per by it they he she you we did each altogether".split()
)
_IN_UNIT = re.compile(
    r"\bin\s+(?:whole\s+|full\s+|units? of\s+)?(?P<unit>%|°[CF]|(?:square |cubic )?[^\W\d_]+(?:[²³]|\^?[23](?!\d))?"
    r"(?:/[^\W\d_]+| per [^\W\d_]+)?)(?=[\s.,;:?!)]|$)|\bas an? (?P<share>percentage)\b",
    re.IGNORECASE,
)
_ABBREVIATED = frozenset("mm cm m km mg g kg t h s ms min ml cl dl l ha % °c °f usd eur gbp lb oz kwh".split())
_WHOLE = re.compile(
    r"\b(?:whole number|integer|nearest whole|without decimals?|no decimals?|nearest (?:unit|integer))\b", re.I
)
_DECIMALS = re.compile(rf"\b{_N}[ -](?:decimal(?:s| places?| digits?)?|digits? after the (?:decimal )?point)\b", re.I)
_FRACTIONS = {"tenth": 1, "hundredth": 2, "cent": 2, "thousandth": 3}
_NEAREST_FRACTION = re.compile(r"\bnearest (?P<part>tenth|hundredth|cent|thousandth)\b", re.IGNORECASE)
_NEAREST = re.compile(r"\bnearest (?P<step>ten|hundred|thousand|10+|5|50)\b", re.IGNORECASE)
_STEPS = {"ten": 10, "hundred": 100, "thousand": 1000}
_EXACT = re.compile(
    r"\bexact\b|\bexactly\b(?!\s+(?:\d|one|two|three|four|five|six|ten|as)\b)|\b(?:do not|don't|without|no|never) "
    r"(?:round|rounding|approximat\w+|estimat\w+)\b|\bnot (?:rounded|approximate\w*)\b",
    re.IGNORECASE,
)
AGGREGATES: dict[str, re.Pattern[str]] = {
    name: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    for name, pattern in (
        ("total", "total|sum|altogether|combined"),
        ("average", "average|mean"),
        ("median", "median"),
        ("difference", "difference|how (?:many|much) (?:more|fewer|less)"),
        ("maximum", "maximum|highest|largest|greatest"),
        ("minimum", "minimum|lowest|smallest"),
        ("remainder", "left over|left|remain(?:s|ing|der)?"),
    )
}
"""The things that can be asked about several figures, each with the words that name it."""
_ENDS = (
    r"(?:first|last|left|right|top|bottom|front|back|start|finish|end|beginning|high|low|best|worst|(?:left|right)most|"
    r"(?:most|least) [^\W\d_]+|[^\W\d_]{2,}est)"
)
_DIRECTION = re.compile(rf"\b(?P<one>{_ENDS})(?:\s+[^\W\d_]+)?\s+to\s+(?:the\s+)?(?P<other>{_ENDS})\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?P<one>[^\W\d_]{2,}est) first\b", re.IGNORECASE)
_SORTED = re.compile(
    r"\b(?P<how>ascending|increasing|descending|decreasing)(?: [^\W\d_]+)? order\b|\b(?P<abc>alphabeti\w+|from A "
    r"to Z)\b",
    re.I,
)
_FORMATS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("json", r"\bjson\b"),
        ("only json", r"\bjson\b[^.\n]*\bnothing else\b|\bonly (?:a |an |the )?(?:valid )?json\b"),
        ("commas", r"\bcomma[- ](?:separated|delimited)\b|\bseparated (?:only )?(?:by|with) (?:a )?commas?\b"),
        ("semicolons", r"\bsemicolon[- ]separated\b|\bseparated (?:only )?(?:by|with) (?:a )?semicolons?\b"),
        ("bullets", r"\bbullet(?:ed)?\b"),
        ("numbered", r"\bnumbered (?:list|lines|points|steps)\b"),
        ("lines", r"\bone (?:[^\W\d_]+ )?per line\b|\b(?:on|in) (?:its|their) own lines?\b|\bseparate lines?\b"),
        ("table", r"\b(?:as|in) an? (?:markdown )?table\b"),
        ("yes or no", r"\byes (?:or|/) ?no\b"),
        ("letter", r"\b(?:with|only|just) (?:only )?the letter\b|\bletter only\b"),
        ("capitals", r"\b(?:in|all) (?:upper[- ]?case|capitals?(?: letters)?|block letters)\b"),
    )
)
_MARKER = re.compile(
    r"\b(?:begin|start|end|finish|conclude|close|introduce|prefix|precede)\w*\b[^.\"\n]{0,70}?\b(?:with|"
    r"by)\b[^\"\n]{0,40}"
    r"\"(?P<marker>[^\"\n]{2,60})\"|\b(?:begin|start|end|finish|conclude|close)\w*\b[^.'\n]{0,70}?\bwith\b[^'\n]{0,40}"
    r"(?<!\w)'(?P<single>[^'\n]{2,60})'",
    re.IGNORECASE,
)
_KEPT = re.compile(
    r"\b(?:named|called)\s+[\"']?(?P<name>[A-Za-z_]\w*(?=\()|[A-Za-z]+_\w+)|\bkeep\b[^.\n]*?(?P<kept>\{\w+\}|<\w+>)",
    re.IGNORECASE,
)
_SIGNALS = frozenset({"terminate", "done", "stop", "end", "finish", "exit"})
_AT_MOST = r"(?:at most|no more than|not more than|up to|a maximum of|maximum|max\.?|within|in|using|with)"
_WORDS = re.compile(rf"\b{_AT_MOST}\s+(?:only\s+|just\s+|exactly\s+)?{_N}\s+words?\b", re.IGNORECASE)
_FEWER_WORDS = re.compile(rf"\b(?:under|fewer than|less than)\s+{_N}\s+words?\b", re.IGNORECASE)
_SENTENCES = re.compile(
    rf"\b{_AT_MOST}\s+(?:only\s+|just\s+|exactly\s+)?{_N}\s+(?:short\s+)?sentences?\b", re.IGNORECASE
)
_ITEMS = re.compile(
    rf"\b(?:list|name|give|state)\s+(?:only\s+)?(?:the\s+)?(?:top\s+|first\s+|last\s+|best\s+)?{_N}\s+[^\W\d_]", re.I
)


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that is asked of the answer. `source` is the passage that asks for it, in its own words."""

    kind: Kind
    wanted: tuple[str, ...]
    """In words: names of units, stems of nouns, a number, names, ends of an order, a format."""
    source: str
    unit: Unit | None = None

    @property
    def number(self) -> int:
        """The number wanted, for kinds that have one."""
        return int(self.wanted[0])


def requirements(task: str, role: str = "") -> tuple[Requirement, ...]:
    """What a task and a role prompt ask of an answer, in the order in which they ask."""
    found: dict[tuple[Kind, tuple[str, ...]], Requirement] = {}
    for text in (task, role):
        known = names(plain(text), plain(text))
        for part in passages(plain(text)):
            if _ASKS.search(part.text):
                for item in _asked(text[part.start : part.end], part, known):
                    found.setdefault((item.kind, item.wanted), item)
    return tuple(found.values())


def _asked(source: str, part: Passage, known: set[str]) -> Iterator[Requirement]:
    for kind, read in _READERS:
        for wanted, unit in read(part.text):
            yield Requirement(kind, wanted, source, unit)
    if part.text.rstrip().endswith("?"):
        here = tuple(sorted(name.casefold() for name in known if re.search(rf"\b{re.escape(name)}\b", part.text)))
        if here and not re.match(r"\W*(?:which|who)\b", part.text, re.IGNORECASE):
            yield Requirement("subject", here, source)
        if re.match(r"\W*(?:which|who)\b(?! (?:number|year|percentage|amount|price)\b)", part.text, re.IGNORECASE):
            yield Requirement("name", (), source)


_Found = Iterator[tuple[tuple[str, ...], Unit | None]]


def _units(text: str) -> _Found:
    for match in _IN_UNIT.finditer(text):
        word = match["unit"] or match["share"]
        unit = unit_named(word)
        clear = (
            word.casefold() in _ABBREVIATED
            or stem(word.split()[-1]) != word.casefold().split()[-1]
            or bool(match["share"])
        )
        if unit and (
            clear or word.casefold() in {"percent", "celsius", "feet", "usd"} or "/" in word or " per " in word
        ):
            yield (unit.name,), unit
    for match in _HOW_MANY.finditer(text):
        unit = unit_named(match["what"].strip()) or unit_named(match["what"].split()[0])
        if unit:
            yield (unit.name,), unit


def _counted(text: str) -> _Found:
    for match in _HOW_MANY.finditer(text):
        nouns: list[str] = []
        for word in match["what"].split():
            if word.casefold() in _AFTER_NOUN and nouns:
                break
            if word.casefold() not in _BEFORE_NOUN:
                nouns.append(stem(word))
        if nouns and not unit_named(nouns[0]) and nouns[0] not in _AFTER_NOUN:
            yield tuple(nouns[:2]), None


def _whole(text: str) -> _Found:
    if _WHOLE.search(text):
        yield ("whole number",), None


def _number(text: str) -> str:
    return str(_NUMBER_WORDS.get(text.casefold(), text))


def _places(text: str) -> _Found:
    for match in _DECIMALS.finditer(text):
        yield (_number(match["n"]),), None
    for match in _NEAREST_FRACTION.finditer(text):
        yield (str(_FRACTIONS[match["part"].casefold()]),), None


def _nearest(text: str) -> _Found:
    for match in _NEAREST.finditer(text):
        yield (str(_STEPS.get(match["step"].casefold(), match["step"])),), None


def _exact(text: str) -> _Found:
    if _EXACT.search(text):
        yield ("exact",), None


def _aggregate(text: str) -> _Found:
    asked = tuple(name for name, pattern in AGGREGATES.items() if pattern.search(text))
    if len(asked) == 1:
        yield asked, None


def _direction(text: str) -> _Found:
    for match in _DIRECTION.finditer(text):
        if match["one"].casefold() != match["other"].casefold():
            yield (match["one"].casefold(), match["other"].casefold()), None
    for match in _FIRST.finditer(text):
        yield (match["one"].casefold(), "last"), None


def _sorted(text: str) -> _Found:
    for match in _SORTED.finditer(text):
        how = "alphabetical" if match["abc"] else match["how"].casefold()
        yield ({"increasing": "ascending", "decreasing": "descending"}.get(how, how),), None


def _format(text: str) -> _Found:
    for name, pattern in _FORMATS:
        if pattern.search(text):
            yield (name,), None


def _marker(text: str) -> _Found:
    for match in _MARKER.finditer(text):
        marker = re.split(r"\.{3}|…|[<\[{]", match["marker"] or match["single"])[0].strip()
        if len(marker) > 2 and marker.casefold() not in _SIGNALS:
            yield (marker,), None
    for match in _KEPT.finditer(text):
        yield (match["name"] or match["kept"],), None


def _words(text: str) -> _Found:
    for match in _WORDS.finditer(text):
        yield (_number(match["n"]),), None
    for match in _FEWER_WORDS.finditer(text):
        yield (str(int(_number(match["n"])) - 1),), None


def _counts(pattern: re.Pattern[str]) -> Callable[[str], _Found]:
    def read(text: str) -> _Found:
        for match in pattern.finditer(text):
            yield (_number(match["n"]),), None

    return read


_READERS: tuple[tuple[Kind, Callable[[str], _Found]], ...] = (
    ("unit", _units), ("counted", _counted), ("whole", _whole), ("decimals", _places), ("nearest", _nearest),
    ("exact", _exact), ("aggregate", _aggregate), ("direction", _direction), ("sorted", _sorted), ("format", _format),
    ("marker", _marker), ("words", _words), ("sentences", _counts(_SENTENCES)), ("items", _counts(_ITEMS)),
)  # fmt: skip
