"""A turn as a predicate reads it: its text, passages, quantities, derivations and conclusion, each read once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from aegis_core.taxonomy.evidence.reading.claims import Conclusion, Derivation, conclusion, derivations
from aegis_core.taxonomy.evidence.reading.orders import listed
from aegis_core.taxonomy.evidence.reading.passages import Passage, content_words, passages, plain, turn_text
from aegis_core.taxonomy.evidence.reading.quantities import Quantity, quantities

__all__ = ["LONGEST_TURN", "Turn"]


LONGEST_TURN = 40_000
"""Characters at the end of a turn that are read; in turns as long as that, what counts stands at the end."""
_LAST_PASSAGES = 400


class Turn:
    """What an agent said in one turn. Calls of tools are no part of it.

    Args:
        messages: the texts of the turn, in order.
    """

    def __init__(self, messages: Iterable[str]) -> None:
        whole = turn_text(messages)
        self.cut = len(whole) > LONGEST_TURN
        """Whether it was too long to be read from its beginning."""
        self.text = whole[-LONGEST_TURN:].partition("\n")[2] or whole[-LONGEST_TURN:] if self.cut else whole

    @property
    def empty(self) -> bool:
        """Whether nothing was said."""
        return not any(character.isalnum() for character in self.text)

    @cached_property
    def plain(self) -> str:
        """The text without marks of Markdown and LaTeX; every character keeps its place."""
        return plain(self.text)

    @cached_property
    def passages(self) -> tuple[Passage, ...]:
        """Its passages, of the plain text."""
        return passages(self.plain)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """Its quantities in order, parts of composed ones among them."""
        return quantities(self.plain)

    @cached_property
    def derivations(self) -> tuple[Derivation, ...]:
        """The values that it derives, in order."""
        return derivations(self.passages, self.quantities)

    @cached_property
    def conclusion(self) -> Conclusion | None:
        """What it ends up with; None if it says nothing."""
        return conclusion(self.passages, self.quantities)

    @cached_property
    def listed(self) -> tuple[str, ...]:
        """The list that it ends up with, items casefolded; () if it gives none."""
        return listed(self.conclusion, self.plain)

    @cached_property
    def content(self) -> set[str]:
        """The stems of its content words."""
        return content_words(self.plain)

    def exact(self, passage: Passage) -> str:
        """The passage as it stands in the text, marks included."""
        return self.text[passage.start : passage.end]

    @cached_property
    def reasoning(self) -> tuple[Passage, ...]:
        """Its passages, up to what it concludes and after; of a very long turn, only the last 400."""
        held = set(self.conclusion.passages) if self.conclusion else set()
        rest = [passage for passage in self.passages[-_LAST_PASSAGES:] if passage not in held]
        lead = self.conclusion.lead if self.conclusion else None
        return tuple(sorted((*rest, lead), key=lambda passage: passage.start)) if lead else tuple(rest)
