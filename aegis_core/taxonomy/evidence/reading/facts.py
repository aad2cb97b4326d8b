"""What a turn hands on: figures, things said of named ones, and findings in plain words."""

# Word lists read best as prose.

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from aegis_core.taxonomy.evidence.reading.passages import Passage, content_words, plain
from aegis_core.taxonomy.evidence.reading.quantities import Quantity, comparable, quantities, said_by, same_value
from aegis_core.taxonomy.evidence.reading.turns import Turn

__all__ = ["Known", "Link", "absent", "figures_of", "findings", "linked", "links", "new_links", "unreplaced"]

_PRONOUN = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|their|this|that|these|those|the (?:latter|former))\b", re.IGNORECASE
)
_WORD_BETWEEN = re.compile(r"(?!\b(?:and|or|then)\b)\b[^\W\d_]+")
_MOST_READ = 60_000
_SAYS_LITTLE = frozenset(
    "figure number fact detail information data note finding result answer message team task work question step part "
    "input need needed necessary available known following relevant provided collected gathered based calculation "
    "compute calculate problem solution researcher solver planner critic reporter agent".split()
)


@dataclass(frozen=True, slots=True)
class Link:
    """Two names, or a name and nothing else, of which a passage says something."""

    members: frozenset[str]
    passage: Passage


class Known:
    """What an agent had before it: the figures and words of the texts that it saw.

    Args:
        texts: what it saw, in order. Of very much, only the end is read: what was not read, it did not have.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._plain = plain("\n".join(dict.fromkeys(texts))[-_MOST_READ:])

    @cached_property
    def text(self) -> str:
        """All of it, casefolded."""
        return self._plain.casefold()

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


def figures_of(turn: Turn) -> list[Quantity]:
    """The amounts that a turn states, each once."""
    found: dict[tuple[float, str | None, frozenset[str]], Quantity] = {}
    for item in turn.quantities:
        if not item.component:
            found.setdefault((item.value, item.unit.name if item.unit else None, item.nouns), item)
    return list(found.values())


def unreplaced(missing: Sequence[Quantity], fresh: Sequence[Quantity]) -> list[Quantity]:
    """The missing amounts in whose place none of the fresh ones can stand: each fresh one takes at most one place."""
    left = list(missing)
    for item in fresh:
        place = next((other for other in left if comparable(item, other) and not (item.bare and other.bare)), None)
        if place is None and left and (item.bare or left[0].bare):
            place = left[0]
        if place is not None:
            left.remove(place)
    return left


def links(turn: Turn, called: Sequence[str]) -> Iterator[Link]:
    """The neighbouring names in each passage of a turn with a word between them; a mere row of names links none."""
    for part, mentioned in _mentions(turn, called):
        for first, second in pairwise(mentioned):
            between = part.text[first.end() : second.start()]
            if first.group() != second.group() and _WORD_BETWEEN.search(between):
                yield Link(frozenset((first.group(), second.group())), part)


def linked(link: Link, turn: Turn, called: Sequence[str]) -> bool:
    """Whether a passage of the turn mentions all members, or the passage before it and a pronoun stand for one."""
    before: set[str] = set()
    for part, mentioned in _mentions(turn, called):
        here = {mention.group() for mention in mentioned}
        if link.members <= here or (
            link.members <= here | before and link.members & here and _PRONOUN.search(part.text)
        ):
            return True
        before = here
    return False


def new_links(turn: Turn, other: Turn, called: Sequence[str]) -> set[frozenset[str]]:
    """The pairs of names that the turn links and the other one doesn't."""
    return {link.members for link in links(turn, called)} - {link.members for link in links(other, called)}


def _mentions(turn: Turn, called: Sequence[str]) -> Iterator[tuple[Passage, list[re.Match[str]]]]:
    if not called:
        return
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, called)) + r")(?!\w)")
    for part in turn.passages:
        found = list(pattern.finditer(part.text.lower()))
        if found:
            yield part, found


def findings(clean: Turn, faulty: Turn, known: Known) -> list[Passage]:
    """Passages of plain words in the clean turn, taken from what the agent saw, of which the faulty turn has nothing.

    Only where the faulty turn is what is left of the clean one: it may add no more than two words of its own.
    """
    if len((faulty.content - clean.content) - _SAYS_LITTLE) > 2:
        return []
    lost = []
    for part in clean.passages:
        said = content_words(part.text) - _SAYS_LITTLE
        if (
            len(said) > 3
            and len(said & known.words) >= 0.6 * len(said)
            and len(said & faulty.content) <= 0.4 * len(said)
        ):
            lost.append(part)
    return lost


def absent(items: Iterable[Quantity], faulty: Turn) -> list[Quantity]:
    """The amounts that the faulty turn doesn't state, not even rounded or in another unit."""
    values = {item.value for item in faulty.quantities}
    return [item for item in items if item.value not in values and not said_by(item, faulty.quantities)]
