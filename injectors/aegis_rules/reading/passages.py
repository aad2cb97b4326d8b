"""A part's text as passages and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from aegis_rules.reading.document import Document, Passage
from aegis_rules.reading.sentences import Sentence, find_sentences

__all__ = ["Reading", "read"]


@dataclass(frozen=True, eq=False)
class Reading:
    """A part's text, cut up. `sentences` holds those of each passage; a number of JSON has none.

    Compared by identity: one text is read once.
    """

    document: Document
    sentences: tuple[tuple[Sentence, ...], ...]

    @property
    def passages(self) -> tuple[Passage, ...]:
        """The document's passages."""
        return self.document.passages

    def all(self) -> tuple[tuple[int, Sentence], ...]:
        """Every sentence with the position of its passage."""
        return tuple((position, sentence) for position, own in enumerate(self.sentences) for sentence in own)


@lru_cache(maxsize=256)
def read(text: str) -> Reading:
    """Cut a part's text into passages and sentences."""
    document = Document(text)
    return Reading(document, tuple(find_sentences(p.text) if p.kind != "number" else () for p in document.passages))
