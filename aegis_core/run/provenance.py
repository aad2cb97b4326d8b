"""Who wrote what an agent is about to see, and which steps led to it: by number where it is known, else by the text."""

from __future__ import annotations

import itertools
from bisect import insort
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aegis_core.adapter import Part
from aegis_core.run.rows import OrderKey, Row, Rows

__all__ = ["Provenance"]

_RECENT = 256
"""How many of the last steps are searched for the source of a text, so that the cost per turn is bounded."""
_MIN_TEXT = 8
"""Characters from which a text found inside another is taken for its source; a shorter one has to be a line's end."""
_OWN = ("assistant",)
"""Roles in which an agent is shown again what it said itself; in another role, an equal text is another agent's.

What a tool gave is not among them: where an agent in the tool said it, that agent is its author.
"""


@dataclass(slots=True)
class _Held:
    """Of which steps a text is or holds a text, in canonical order, as far as it was compared with the steps."""

    rows: list[Row]
    compared: int = 0


class _Recent:
    """Which of the last steps came before, as far as it is asked."""

    def __init__(self, rows: Rows, precedes: Callable[[OrderKey], bool]) -> None:
        self._precedes = precedes
        self._known: dict[int, bool] = {}
        self._all: frozenset[int] | None = None
        if len(rows) > _RECENT:
            before = (row for row in reversed(rows.ordered()) if precedes(row.order))
            self._all = frozenset(row.number for row in itertools.islice(before, _RECENT))

    def __contains__(self, row: Row) -> bool:
        known = self._known.get(row.number)
        if known is None:
            before = self._precedes(row.order) if self._all is None else row.number in self._all
            known = self._known[row.number] = before and row.text != ""
        return known


def _is_told(source: str, text: str) -> bool:
    """Whether a text that holds another one tells it: "Answer: 79" tells 79, "179 boxes" does not."""
    if len(source) >= _MIN_TEXT:
        return True
    return source.strip() != "" and any(
        line == source or line.endswith((f": {source}", f": {source}.")) for line in map(str.strip, text.split("\n"))
    )


def _meant(rows: Sequence[Row], text: str, repeats: int) -> list[Row]:
    """Of steps that say the same, the latest: what was said again is what was handed on.

    Args:
        rows: in canonical order, each of which is or is held by the text.
        repeats: how often the text comes among the parts from here on; each is another step's.
    """
    equal = [row for row in rows if text in row.texts]
    latest = {row.texts: row for row in rows if text not in row.texts}
    meant = set(map(id, latest.values())) | set(map(id, equal[-repeats:][:1]))
    return [row for row in rows if id(row) in meant]


def _with_inner(rows: Sequence[Row], before: Sequence[Row], text: str) -> list[Row]:
    """With the result of a tool also the words of the agent inside the tool that it hands on.

    Args:
        before: the steps that may be meant, in canonical order.
    """
    found = list(rows)
    for result in (row for row in rows if row.kind == "tool_result" and text in row.texts):
        inner = [row for row in before if row.agent.startswith(f"{result.agent}/") and text in row.texts]
        found.extend(row for row in inner[-1:] if row not in found)
    return found


def _chosen(before: list[Row], text: str, reader: str, own: bool, repeats: int) -> list[Row]:
    """Those of the steps that a text is or holds of which it really is.

    Args:
        own: whether it stands where an agent is shown its own words.
    """
    mine = own and [row for row in before if row.agent == reader and text in row.texts]
    rows = mine or [row for row in before if row.agent != reader]
    return _with_inner(_meant(rows, text, repeats), before, text) if len(rows) > 1 else rows


class Provenance:
    """Compares what agents are shown with the steps of one run.

    Args:
        rows: the run's, which grow.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._held: dict[str, _Held] = {}
        self._originals: dict[str, str] = {}

    def altered(self, before: str, after: str) -> None:
        """A text was altered; where it comes from goes by the original."""
        self._originals[after] = self._originals.get(before, before)

    def sources(
        self,
        parts: tuple[Part, ...],
        reader: str,
        precedes: Callable[[OrderKey], bool],
        known: Mapping[str, Sequence[int]],
    ) -> tuple[tuple[Part, ...], tuple[int, ...]]:
        """As `Recorder.sources`: the parts with their authors, and the numbers of the steps that are read."""
        parents: dict[int, None] = {}
        authored: list[Part] = []
        recent: _Recent | None = None
        texts = [self._original(part.text) if self._originals else part.text for part in parts]
        repeats = Counter((text, part.role in _OWN) for part, text in zip(parts, texts, strict=True))
        for part, text in zip(parts, texts, strict=True):
            author, own = part.author, part.role in _OWN
            if part.id in known:
                told = [self._rows[step] for step in known[part.id]]
                rows = [*self._quoted(told), *told]  # the author of the last one is whose text it is
            else:
                rows = self._steps_in(text)
                if rows:
                    recent = recent or _Recent(self._rows, precedes)  # most texts of a first turn are nobody's
                    rows = _chosen([row for row in rows if row in recent], text, reader, own, repeats[text, own])
            repeats[text, own] -= 1
            for row in rows:
                if row.agent != reader:
                    author = row.agent if part.id in known or text in row.texts else author
                    parents[row.number] = None
                    if reader not in row.visible_to:
                        row.readers.add(reader)
            authored.append(part if author == part.author else part.model_copy(update={"author": author}))
        return tuple(authored), tuple(parents)

    def _quoted(self, rows: Sequence[Row]) -> list[Row]:
        """The steps that led to these and that they quote word for word: who is shown the one is shown the other."""
        found: dict[int, Row] = {}
        for row in rows:
            waiting = list(row.parents)
            while waiting:
                source = self._rows[waiting.pop()]
                quoted = any(len(text) >= _MIN_TEXT and text in own for text in source.texts for own in row.texts)
                if quoted and source.number not in found:
                    found[source.number] = source
                    waiting.extend(source.parents)
        return [found[number] for number in sorted(found)]

    def _steps_in(self, text: str) -> list[Row]:
        """The steps of which a text is or holds a text. Texts come again in every turn: each pair is compared once."""
        held = self._held.get(text)
        if held is None:
            held = self._held[text] = _Held([])
        if held.compared < len(self._rows):
            for row in self._rows[held.compared :]:
                for source in row.texts:
                    if source == text != "" or (source in text and _is_told(source, text)):
                        insort(held.rows, row, key=Row.place)
                        break
            held.compared = len(self._rows)
        return held.rows

    def _original(self, text: str) -> str:
        for after, before in self._originals.items():
            text = text.replace(after, before) if after else text
        return text
