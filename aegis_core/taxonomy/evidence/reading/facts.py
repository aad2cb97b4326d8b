"""What a turn tells others, statement by statement, and which of it another turn no longer tells."""

# Word lists read best as prose.

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from aegis_core.taxonomy.evidence.reading.claims import within
from aegis_core.taxonomy.evidence.reading.passages import Passage, content_words, plain, stem
from aegis_core.taxonomy.evidence.reading.quantities import Quantity, quantities, said_by, same_value
from aegis_core.taxonomy.evidence.reading.turns import Turn

__all__ = ["Known", "Statement", "fresh_figures", "is_cut", "missing", "statements"]

_MOST_READ = 60_000
_MOST_STATEMENTS = 300
_CLAUSE = re.compile(r"[;|]\s|,\s|\b(?:and|but|so|because|while|whereas|yet)\b", re.IGNORECASE)
_CODE = re.compile(r"\w\(|=|\w_\w")
_LEAST_WORDS = 3
_MOST = 0.6
"""Share of the words of a statement that are as good as all."""
_TOKEN = re.compile(r"\w+")
_NAME = re.compile(r"(?<=[a-zà-ÿ,(] )[^\W\d_a-zà-ÿ][^\W\d_]{2,}")
_DIGITS = re.compile(r"\d+")
_OWN_DOING = re.compile(r"^\W*(?:thought|i|i'[^\W\d_]+|we|we'[^\W\d_]+|my|let me|let us|let's)\b", re.IGNORECASE)
_NO_STATEMENT = re.compile(
    r"^\W*(?:(?:here|below|please|kindly|can you|could you|thanks?|thank you|good|great|hello|hi|next|search|visit"
    r"|check|look|find|click|open|continue|retrieve|locate|navigate|use|go|verify|identify|scroll|import"
    r"|from [^\W\d_]+ import|have a|terminate)\b(?!:))|[?:]\W*$",
    re.IGNORECASE,
)
"""Marks a passage that asks, announces, or is polite: others lose no finding with it."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A passage, or a clause of one, with what it tells: its amounts and the stems of its content words."""

    passage: Passage
    text: str
    figures: tuple[Quantity, ...]
    words: frozenset[str]
    names: frozenset[str]
    """Stems of the words with a capital inside a sentence: who or what it speaks of."""
    whole: bool
    """Whether it is the whole passage."""


class Known:
    """What an agent had before it: the figures and words of the texts that it saw.

    Args:
        texts: what it saw, in order. Of very much, only the end is read: what was not read, it did not have.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._plain = plain("\n".join(dict.fromkeys(texts))[-_MOST_READ:])

    @cached_property
    def words(self) -> set[str]:
        """The stems of its content words."""
        return content_words(self._plain)

    @cached_property
    def _quantities(self) -> tuple[Quantity, ...]:
        return quantities(self._plain)

    @cached_property
    def _values(self) -> set[float]:
        return {value for item in self._quantities for value in (round(item.value, 9), round(item.base, 9))}

    def figure(self, item: Quantity) -> bool:
        """Whether it saw this amount."""
        if round(item.value, 9) in self._values:
            return True
        return round(item.base, 9) in self._values and any(same_value(item, other) for other in self._quantities)


def statements(turn: Turn) -> list[Statement]:
    """What a turn states: its passages, and the clauses of those that have several; not what tells others nothing."""
    found: list[Statement] = []
    for part in turn.passages[-_MOST_STATEMENTS:]:
        if _NO_STATEMENT.search(part.text):
            continue
        pieces = _clauses(part)
        for start, text in ((0, part.text), *(pieces if len(pieces) > 1 else ())):
            figures = within(turn.quantities, part.start + start, part.start + start + len(text))
            told = tuple(item for item in figures if not item.component)
            if not told and _OWN_DOING.search(part.text):
                continue  # what it did, and not what came of it
            called = frozenset(stem(name) for name in _NAME.findall(text))
            found.append(Statement(part, text, told, frozenset(content_words(text)), called, text == part.text))
    return found


def _clauses(part: Passage) -> list[tuple[int, str]]:
    found, start = [], 0
    for stop in _CLAUSE.finditer(part.text):
        found.append((start, part.text[start : stop.start()]))
        start = stop.end()
    return [*found, (start, part.text[start:])]


def fresh_figures(faulty: Turn, *others: Turn) -> list[Quantity]:
    """The amounts of a turn that none of the others states, not even more exactly or in another unit."""
    known = [item for other in others for item in other.quantities]
    return [
        item for item in faulty.quantities
        if not item.component and not said_by(item, known) and not any(said_by(one, (item,)) for one in known)
    ]  # fmt: skip


def is_cut(clean: Turn, faulty: Turn) -> bool:
    """Whether a turn is the other one with words taken out, no word added, and at least a quarter of it left."""
    whole, rest = _TOKEN.findall(clean.plain.casefold()), _TOKEN.findall(faulty.plain.casefold())
    if not len(whole) > len(rest) >= 0.25 * len(whole):
        return False
    remaining = iter(whole)
    return all(token in remaining for token in rest)


def missing(clean: Turn, faulty: Turn) -> list[Statement]:
    """The statements of the clean turn that the faulty one no longer makes, and for which it puts nothing else.

    Of a turn that is merely cut, every statement with an amount that is gone, and those in plain words of which little
    stands elsewhere. Of any other, the statements of which no amount stands; if it gives other amounts, or for a mere
    clause or count, most of the words must be gone as well.
    """
    told = statements(clean)
    stated = _Stated(clean, faulty)
    if is_cut(clean, faulty):
        return [one for one in told if stated.lacks_any(one) or stated.lacks_words(one)]
    return [one for one in told if stated.lacks_all(one)]


class _Stated:
    """What the faulty turn states, to look statements of the clean one up in."""

    def __init__(self, clean: Turn, faulty: Turn) -> None:
        self._turn = faulty
        self._digits = set(_DIGITS.findall(faulty.plain.replace(",", "")))
        self._values = {item.value for item in faulty.quantities}
        self._has_others = bool(fresh_figures(faulty, clean))
        new = [part for part in faulty.passages if part.text not in clean.plain]
        self._verbatim = not new
        self._new_names = {stem(name) for name in _NAME.findall(faulty.plain)} - clean.content
        self._new = [(content_words(part.text), len(within(faulty.quantities, part.start, part.end))) for part in new]

    def lacks_any(self, one: Statement) -> bool:
        return any(not self._stands(item) for item in one.figures if not item.literal.isalpha())

    def lacks_words(self, one: Statement) -> bool:
        most = 0.67 if self._verbatim else 0.5
        stand = len(one.words & self._turn.content)
        return len(one.words) >= _LEAST_WORDS and stand <= most * len(one.words) and not _CODE.search(one.text)

    def lacks_all(self, one: Statement) -> bool:
        if any(self._stands(item) for item in one.figures) or not (one.figures or one.names):
            return False
        if not one.figures and (self._new_names or one.names & self._turn.content):
            return False
        gone = one.words - self._turn.content
        counts = all(item.literal.isalpha() for item in one.figures)  # as in `two remarks`
        if (self._has_others or counts or not one.whole) and (not gone or len(gone) < _MOST * len(one.words)):
            return False
        return not any(self._replaces(one, words, n_figures) for words, n_figures in self._new)

    def _stands(self, item: Quantity) -> bool:
        """Whether an amount is stated, be it rounded, in another unit, or as part of a date or a code."""
        literal = item.literal.replace(",", "")
        return item.value in self._values or literal in self._digits or said_by(item, self._turn.quantities)

    @staticmethod
    def _replaces(one: Statement, words: set[str], n_figures: int) -> bool:
        """Whether a new passage says the same with other figures."""
        return n_figures >= len(one.figures) and len(one.words & words) >= _MOST * len(one.words) > 0
