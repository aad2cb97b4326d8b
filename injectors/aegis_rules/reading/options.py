"""Names that a text lists or weighs against each other: the alternatives to what it settles on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aegis_rules.reading.figures import masked
from aegis_rules.reading.passages import Reading

__all__ = ["listed_names", "rival_names"]

_NAME = r"[A-Z][\w'\u2019-]*(?: [A-Z][\w'\u2019-]*){0,3}"
_LIST = re.compile(rf"{_NAME}(?:, {_NAME})+,? and {_NAME}|{_NAME}(?:, {_NAME}){{2,}}")
_MARKED = re.compile(
    r"\*\*(?P<bold>[^*\n:]{2,50})\*\*|[\"\u201c](?P<quoted>[^\"\u201d\n]{2,50})[\"\u201d]|'(?P<single>[A-Z][^'\n]{1,50})'(?!\w)"
)
_ITEM = re.compile(rf"^\s*(?:[-*•]|\d{{1,2}}[.)])\s+[*_]*(?P<item>{_NAME})[*_]*\s*(?:$|[-:(\u2013\u2014])", re.M)
_RATED = re.compile(rf"(?P<name>{_NAME})(?=:\s*[$\u20ac\u00a3\d])")
_PROPER = re.compile(rf"\b{_NAME}")
_NO_NAMES = frozenset(
    ("I", "The", "A", "An", "It", "This", "That", "We", "You", "They", "He", "She", "So", "Then", "And", "But", "If",
     "Step", "Task", "Note", "In", "On", "At", "As", "Which", "What", "Who", "How", "When", "Where", "Give", "List",
     "Find")
)  # fmt: skip


def listed_names(texts: Sequence[str]) -> tuple[str, ...]:
    """The longest list of at least three different names that the texts hold; empty if there is none."""
    lists = []
    for text in texts:
        for match in _LIST.finditer(text):
            names = tuple(re.split(r",? and |, ", match[0]))
            if len(names) >= 3 and len(set(names)) == len(names) and not _NO_NAMES & set(names):
                lists.append(names)
    return max(lists, key=len, default=())


def rival_names(reading: Reading, chosen: str) -> tuple[str, ...]:
    """Other names in the text of the kind of the chosen one, in order: marked or listed, or else proper names."""
    found: list[str] = []
    for pattern in (_MARKED, _ITEM, _RATED, _PROPER):
        for passage in reading.passages:
            view = passage.text if pattern is _MARKED else masked(passage.text)
            for match in pattern.finditer(view):
                name = (match[match.lastgroup] if match.lastgroup else match[0]).strip(" .,;:*_")
                opens = pattern is _PROPER and view[: match.start()].rstrip(" ")[-1:] in ("", ".", "!", "?", "\n", ":")
                if _is_rival(name, chosen, opens=opens) and name not in found:
                    found.append(name)
        if found:
            break
    return tuple(found)


def _is_rival(name: str, chosen: str, *, opens: bool) -> bool:
    """Whether a name could stand where the chosen one stands. One word that `opens` a sentence need not be a name."""
    words = name.split()
    if not words or not name[0].isupper() or words[0] in _NO_NAMES or (opens and len(words) == 1):
        return False
    if not chosen:
        return True
    apart = name.lower() not in chosen.lower() and chosen.lower() not in name.lower()
    return apart and abs(len(words) - len(chosen.split())) <= 2
