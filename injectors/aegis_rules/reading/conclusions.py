"""What a text concludes: the figure, the order or the choice that it ends on, and everywhere it says so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from aegis_rules.reading import demands
from aegis_rules.reading.cues import ANSWER_KEY, conclusion_starts
from aegis_rules.reading.figures import Figure, find_figures, is_operated
from aegis_rules.reading.passages import Reading
from aegis_rules.reading.sentences import Sentence, n_words

__all__ = ["Conclusion", "find_conclusions"]

Span = tuple[int, int]

_SEPARATOR = re.compile(
    r"\s*(?:,\s+and\s+then\s+|,\s+and\s+|,\s+then\s+|,\s+|;\s+|\s+then\s+|\s+and\s+|\s*(?:->|→|>|<)\s*)\s*"
)
_NAME = r"[A-Z][\w\u2019'-]*(?: [A-Z][\w\u2019'-]*){0,2}"
_LIST = re.compile(rf"{_NAME}(?:, (?:then |and )?{_NAME}){{2,}}(?: and {_NAME})?|{_NAME}, {_NAME},? and {_NAME}")
_ORDERED = re.compile(
    r"\b(?:first|last|order|finish\w*|place\w*|rank\w*|sequence|arriv\w+|sit|stand|run|left to right)\b", re.IGNORECASE
)
_TRIM = " \t*_\"'\u201c\u201d\u2018\u2019.,;:!`()[]$\\{}"
_ITEM = re.compile(r"[^\W_][\w'\u2019.&/ -]{0,38}")
_CHOICE_END = re.compile(
    r"\s(?:with|because|since|as|which|who|where|at|for|if|based|in|on|by|and|from|due)\s|[,;(]|\s-\s|\.\s"
)
_BOUND = re.compile(
    r"\b(?:above|below|over|under|at least|at most|more than|less than|fewer than|up to|beyond|within)\s+(?:about\s+)?$"
    r"|[<>\u2264\u2265]\s*$|[\d)]\s*[+*\u00d7\u00f7/]\s*$|\S[ \t]+[\u2212-][ \t]+$|\bx[ \t]+$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"-[a-z]|\}\s*[\\{]|\s*(?:[+*\u00d7\u00f7/]|\s-|\bx\b)\s*[\d(\\$]|\s[A-Z][a-z]")
_VERBS = frozenset(
    ("is", "are", "was", "were", "be", "has", "have", "had", "that", "this", "it", "we", "they", "he", "she", "will",
     "can", "not", "also", "been", "same", "right", "correct", "wrong")
)  # fmt: skip


@dataclass(frozen=True)
class Conclusion:
    """A place where a text says what it concludes.

    `sentence` is where it stands in the passage (None: the passage is a bare leaf of JSON). For a `value`, `figure`
    is the figure; for an `order`, `items` are the places of its members; for a `choice`, `span` is what is chosen.
    `rank` is how plainly it is said: 3 an answer, 2 another named result, 1 a cue such as `therefore`, 0 a guess.
    """

    kind: Literal["value", "order", "choice"]
    passage: int
    sentence: Sentence | None
    span: Span
    text: str
    rank: int
    figure: Figure | None = None
    items: tuple[Span, ...] = ()
    members: tuple[str, ...] = ()
    places: tuple[int, ...] = ()
    """Passages of the items, where each is a leaf of its own."""
    operated: bool = False
    """The figure is the right-hand side of a calculation."""

    def same(self, other: Conclusion) -> bool:
        """Whether two places say the same."""
        if self.kind != other.kind:
            return False
        if self.figure and other.figure:
            return self.figure.value == other.figure.value
        return self.members == other.members if self.kind == "order" else self.text.lower() == other.text.lower()


@lru_cache(maxsize=256)
def find_conclusions(reading: Reading) -> tuple[Conclusion, ...]:
    """All places where the text says what it concludes, in order; they all say the same. Empty if there are none.

    Where a text concludes several things, the plainest and then the last counts.
    """
    found = [*_leaves(reading), *_stated(reading)] or _guessed(reading)
    if not found:
        return ()
    rank = max(one.rank for one in found)
    main = [one for one in found if one.rank == rank][-1]
    return tuple(one for one in found if one.same(main))


def _stated(reading: Reading) -> list[Conclusion]:
    found: list[Conclusion] = []
    every = reading.all()
    closing = _closing(every)
    for number, (position, sentence) in enumerate(every):
        if sentence.kind == "row" or sentence.text.endswith("?"):
            continue
        text = reading.passages[position].text
        begins = conclusion_starts(sentence, last=number == closing)
        following = every[number + 1 :]
        for begin, rank in begins:
            start = sentence.start + begin
            if not text[start : sentence.end].strip(_TRIM):
                one = _below(reading, following, rank)
            else:
                one = _payload(text, start, sentence.end, rank)
                one = replace(one, passage=position, sentence=sentence) if one else None
            if one:
                found.append(one)
                break
    return found


def _closing(every: Sequence[tuple[int, Sentence]]) -> int:
    """The number of the last sentence that says something."""
    telling = (number for number in range(len(every) - 1, -1, -1) if n_words(every[number][1].text) >= 2)
    return next(telling, -1)


def _guessed(reading: Reading) -> list[Conclusion]:
    """What the last sentence says, if it is the result of a written calculation or a list of at least three names."""
    every = reading.all()
    closing = _closing(every)
    if closing < 0 or every[closing][1].kind in ("row", "heading") or every[closing][1].text.endswith("?"):
        return []
    position, sentence = every[closing]
    text = reading.passages[position].text
    results = {
        figure.value
        for passage in reading.passages
        for figure in find_figures(passage.text)
        if is_operated(passage.text, figure) and _stands_alone(passage.text, figure)
    }
    for figure in reversed(find_figures(text, sentence.start, sentence.end)):
        if figure.value in results and _stands_alone(text, figure):
            span, operated = (figure.start, figure.end), is_operated(text, figure)
            said = text[slice(*span)]
            return [Conclusion("value", position, sentence, span, said, 0, figure, operated=operated)]
    one = None if demands.PLAN.search(sentence.text) else _listed(reading, position, sentence)
    return [replace(one, passage=position, sentence=sentence)] if one and one.kind == "order" else []


def _listed(reading: Reading, position: int, sentence: Sentence) -> Conclusion | None:
    """The list of names on which a sentence ends, if the sentence speaks of an order or the text of these names."""
    text = reading.passages[position].text
    lists = list(_LIST.finditer(text, sentence.start, sentence.end))
    if not lists or text[lists[-1].end() : sentence.end].strip(_TRIM):
        return None
    one = _payload(text, *lists[-1].span(), 0)
    if one is None or one.kind != "order":
        return None
    others = [other.text for _, other in reading.all() if other is not sentence]
    known = [member for member in one.members if any(member in other for other in others)]
    return one if len(known) >= 2 or _ORDERED.search(sentence.text) else None


def _below(reading: Reading, following: tuple[tuple[int, Sentence], ...], rank: int) -> Conclusion | None:
    """The conclusion that a lead-in (`The final answer is:`) announces: list items, or the next sentence."""
    if not following:
        return None
    place, first = following[0]
    text = reading.passages[place].text
    rows: list[Sentence] = []
    for position, sentence in following:
        if position != place or sentence.kind != "item" or (rows and sentence.line != rows[-1].line + 1):
            break
        rows.append(sentence)
    if len(rows) >= 2 and all(_is_item(row.text.strip(_TRIM)) for row in rows):
        spans = tuple(_trimmed(text, row.start, row.end) for row in rows)
        members = tuple(text[begin:end] for begin, end in spans)
        if len(set(members)) == len(members):
            whole = (spans[0][0], spans[-1][1])
            return Conclusion("order", place, rows[0], whole, text[slice(*whole)], rank, None, spans, members)
    announced = len(rows) < 2 and not demands.PLAN.search(first.text)
    one = _payload(text, first.start, first.end, rank) if announced else None
    return replace(one, passage=place, sentence=first) if one else None


def _payload(text: str, start: int, end: int, rank: int) -> Conclusion | None:
    """What text[start:end] gives as a conclusion: a list, a figure or a name."""
    items = _items(text, start, end)
    if items:
        members = tuple(text[begin:stop] for begin, stop in items)
        whole = (items[0][0], items[-1][1])
        return Conclusion("order", 0, None, whole, text[slice(*whole)], rank, None, items, members)
    figures = find_figures(text, start, end)
    equation = text.rfind("=", start, end)
    later = tuple(figure for figure in figures if figure.start > equation)
    if equation >= 0 and later:
        figures = later[:1]
    figures = tuple(figure for figure in figures if _stands_alone(text, figure))
    plain = [figure for figure in figures if not figure.year_like] or list(figures if rank >= 2 else ())
    if plain:
        figure = plain[0]
        before = text[start : figure.start] if equation < 0 else ""
        if (rank == 1 or len(before) <= 30) and (rank == 1 or not re.search(r"[A-Z][a-z]+|[\"“]", before)):
            span = (figure.start, figure.end)
            operated = is_operated(text, figure)
            return Conclusion("value", 0, None, span, text[slice(*span)], rank, figure, operated=operated)
    return _choice(text, start, end, rank) if rank >= 2 else None


def _stands_alone(text: str, figure: Figure) -> bool:
    """Whether a figure is said as such: no bound, no operand, no part of a compound or of a name."""
    return not _BOUND.search(text, max(0, figure.start - 40), figure.start) and not _GOES_ON.match(text, figure.end)


def _items(text: str, start: int, end: int) -> tuple[Span, ...]:
    stop = end - len(text[start:end]) + len(text[start:end].rstrip(_TRIM))
    begin = start + len(text[start:end]) - len(text[start:end].lstrip(_TRIM))
    spans = []
    done = begin
    for match in _SEPARATOR.finditer(text, begin, max(begin, stop)):
        spans.append(_trimmed(text, done, match.start()))
        done = match.end()
    spans.append(_trimmed(text, done, max(done, stop)))
    members = [text[first:last] for first, last in spans]
    if len(members) < 2 or len(set(members)) < len(members) or not all(_is_item(member) for member in members):
        return ()
    alike = all(m[0].isupper() for m in members) or (len(members) >= 3 and all(m[0].isdigit() for m in members))
    single = len(members) >= 3 and all(len(m.split()) == 1 for m in members)
    return tuple(spans) if alike or single else ()


def _is_item(text: str) -> bool:
    words = text.split()
    return bool(_ITEM.fullmatch(text)) and len(words) <= 4 and not _VERBS & {word.lower() for word in words}


def _trimmed(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip(_TRIM)), start + max(
        len(piece.rstrip(_TRIM)), len(piece) - len(piece.lstrip(_TRIM))
    )


def _choice(text: str, start: int, end: int, rank: int) -> Conclusion | None:
    piece = text[start:end]
    opening = len(piece) - len(piece.lstrip(_TRIM))
    quoted = piece[:opening].strip()[-1:] in tuple("*\"\u201c'\u2018_")
    rest = piece[opening:]
    close = re.search(r"[*\"\u201d]", rest) if quoted else _CHOICE_END.search(rest)
    name = (rest[: close.start()] if close else rest).rstrip(_TRIM)
    words = name.split()
    capitals = [word for word in words if word[0].isupper() or word[0].isdigit() or word in ("of", "the", "and")]
    begins_well = quoted or (
        (name[:1].isupper() or len(capitals) == len(words) > 1) and (close is None or len(capitals) == len(words))
    )
    if not name or not begins_well or not 1 <= len(words) <= 6 or _VERBS & {word.lower() for word in words}:
        return None
    span = (start + opening, start + opening + len(name))
    return Conclusion("choice", 0, None, span, name, rank)


def _leaves(reading: Reading) -> list[Conclusion]:
    """Conclusions that stand under a telling key of JSON: a figure, a name, or a list of them."""
    found: list[Conclusion] = []
    passages = reading.passages
    seen: set[int] = set()
    for position, passage in enumerate(passages):
        if passage.kind == "prose" or not ANSWER_KEY.search(passage.key) or position in seen:
            continue
        group = [n for n, other in enumerate(passages) if other.listed and other.holder == passage.holder]
        if passage.listed and len(group) >= 2:
            seen.update(group)
            members = tuple(passages[n].text for n in group)
            if len(set(members)) == len(members):
                spans = tuple((0, len(passages[n].text)) for n in group)
                found.append(
                    Conclusion(
                        "order", position, None, spans[0], ", ".join(members), 3, None, spans, members, tuple(group)
                    )
                )
            continue
        whole = passage.text
        if passage.kind == "number" or (find_figures(whole) and len(whole.split()) <= 4):
            one = _payload(whole, 0, len(whole), 3)
        else:
            one = _items_or_choice(whole)
        if one:
            found.append(replace(one, passage=position, sentence=None))
    return found


def _items_or_choice(text: str) -> Conclusion | None:
    items = _items(text, 0, len(text))
    if items:
        return _payload(text, 0, len(text), 3)
    return _choice(text, 0, len(text), 3) if len(text.split()) <= 4 else None
