"""Turns cut into passages: one sentence, bullet, heading, table row or line of JSON each, with its place."""

# The texts that are read hold such characters; word lists read best as prose.

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

__all__ = [
    "GUESS", "NEGATION", "Passage", "content_words", "is_tool_call", "names", "passages", "plain", "stem", "turn_text",
    "words",
]  # fmt: skip

NEGATION = re.compile(r"\b(?:not|never|neither|nor|cannot|no|without)\b|n['’]t\b", re.IGNORECASE)
GUESS = re.compile(
    r"\b(?:if|suppose|supposing|assume|assuming|whether|would|could|might|may|either|or|unless|perhaps|maybe)\b|\?",
    re.IGNORECASE,
)
_SINGLE = str.maketrans({
    "−": "-", "·": "×", "⋅": "×", "÷": "/", "`": " ", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\r": " ",
    "’": "'", "‘": "'", "“": '"', "”": '"',
})  # fmt: skip
_LATEX = tuple(
    (mark, text.ljust(len(mark)))
    for mark, text in (
        ("\\boxed{", "answer "), ("\\times", "×"), ("\\cdot", "×"), ("\\div", "/"), ("\\text{", ""), ("\\(", ""),
        ("\\)", ""), ("\\[", ""), ("\\]", ""), ("\\,", ""), ("\\approx", "≈"), ("\\%", " %"), ("**", ""), ("__", ""),
    )
)  # fmt: skip
_TIMES = re.compile(r"(?<=\d)[xX*](?=\d)|(?<=\d )[xX*](?= \d)")
_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"\s*(?:>\s*)*(?:[-*•+]\s+|\(?\d{1,3}[.)]\s+(?=\S)|\(?[a-z]\)\s+|#{1,6}\s*(?=[^#\d\s]))?")
_END = re.compile(r"[.!?]+[\"')\]]*\s+|[。！？]+\s*")
_ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|approx|ca|vs|nos|mr|mrs|ms|dr|st|fig|eq|resp)\.\s+\Z", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]*(?:[- ](?=[^\W\d_a-z])[^\W\d_]+){0,3}")
_LOWER_NEXT = re.compile(
    r"'?s? (?!(?:and|or|has|had|gets|got|buys|bought|owns|earns|earned|pays|paid|finish(?:es|ed)|beats?|speaks|spoke|"
    r"sells|sold|runs|ran|walks|walked|lives|works|weighs|leads|wins|won|comes|came|ranks)\b)[^\W\d_A-Z]"
)
_CALL = re.compile(r"\s*[A-Za-z_][\w.\-]*\(")
_BRACKET = re.compile(r"[()]")
_TOOL_JSON = re.compile(r"\s*[\[{]")
_STOP = frozenset(
    "a about after again all also am an and any are as at be because been before being both but by can did do "
    "does done "
    "each for from further get given gives go got had has have he her here hers him his how i if in into is it "
    "its just "
    "let made make makes many me more most much must my no nor not now of off on once one only or other our out "
    "over own "
    "per same she should so some such than that the their them then there these they this those through to too under "
    "until up us very was we well were what when where which while who whom why will with would you your yours".split()
)
_OPENERS = frozenset(
    "according adding additionally after although altogether answer approximately because both calculation check clue "
    "compute conclusion consequently data details each either every facts figures final finally first given hence "
    "here however information initially input last let lastly meanwhile moreover multiply next note notes now okay "
    "order overall please plan previously question reasoning remember result results second similarly since so "
    "solution "
    "step steps subtract sure task terminate thanks then therefore third thus total using verdict yes".split()
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a text. `start` counts characters from 0; `text` is the exact text, without its bullet."""

    text: str
    start: int
    bullet: bool
    """Whether it opens a bullet, a numbered line or a heading."""

    @property
    def end(self) -> int:
        """Index after its last character."""
        return self.start + len(self.text)


def plain(text: str) -> str:
    """The text with marks of Markdown and LaTeX blanked and operators made alike; every character keeps its place."""
    text = text.translate(_SINGLE)
    for mark, blank in _LATEX:
        if mark in text:
            text = text.replace(mark, blank)
    return _TIMES.sub("×", text)


def is_tool_call(text: str) -> bool:
    """Whether a text is nothing but a call: `name(arguments)`, or JSON that names a tool and its arguments."""
    opening = _CALL.match(text)
    if opening and text.rstrip().endswith(")"):
        return _closes_at_end(text.rstrip(), opening.end())
    return (
        bool(_TOOL_JSON.match(text)) and '"arg' in text and ('"name"' in text or '"tool' in text or '"function' in text)
    )


def _closes_at_end(text: str, start: int) -> bool:
    depth = 1
    for bracket in _BRACKET.finditer(text, start):
        depth += 1 if bracket.group() == "(" else -1
        if depth == 0:
            return bracket.end() == len(text)
    return False


def turn_text(messages: Iterable[str]) -> str:
    """What was said in a turn: its texts in order, calls of tools left out."""
    return "\n\n".join(message for message in messages if not is_tool_call(message))


def passages(text: str) -> tuple[Passage, ...]:
    """The passages of a text, in order. None spans a line break."""
    found: list[Passage] = []
    for line in _LINE.finditer(text):
        opening = _BULLET.match(text, line.start(), line.end())
        start = opening.end() if opening else line.start()
        bullet = bool(opening and opening.group().strip(" >\t"))
        for end in _ends(text, start, line.end()):
            piece = text[start:end].rstrip()
            if piece.strip():
                lead = len(piece) - len(piece.lstrip())
                found.append(Passage(text=piece.lstrip(), start=start + lead, bullet=bullet))
                bullet = False
            start = end
    return tuple(found)


def _ends(text: str, start: int, end: int) -> list[int]:
    stops = (stop.end() for stop in _END.finditer(text, start, end))
    return [*(stop for stop in stops if not _ABBREVIATION.search(text, max(start, stop - 12), stop)), end]


@lru_cache(maxsize=1 << 15)
def stem(word: str) -> str:
    """A word folded so that singular and plural, upper and lower case fall together."""
    word = word.casefold()
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def words(text: str) -> list[str]:
    """The stems of the words of a text, in order."""
    return [stem(word) for word in _WORD.findall(text)]


def content_words(text: str) -> set[str]:
    """The stems of the words of a text that are no function words and have at least three letters."""
    return {stem(word) for word in _WORD.findall(text) if len(word) > 2 and word.casefold() not in _STOP}


def names(text: str, *references: str) -> set[str]:
    """Proper names and labels in a text: capitalised words, several in a row as one; mere sentence openers left out.

    A capitalised word that the text also has in lower case is taken for an ordinary word. One that only ever opens a
    sentence counts if one of the references has it inside a sentence.
    """
    lower = {word for word in _WORD.findall(text) if word.islower()}
    found: set[str] = set()
    doubtful: set[str] = set()
    for match in _NAME.finditer(text):
        parts = match.group().split()
        opens = _opens(text, match)
        while parts and _ordinary(parts[0].casefold(), lower):
            parts.pop(0)
            opens = False
        name = " ".join(parts)
        if len(name) > 1 or (name and name not in "IA"):
            (doubtful if opens else found).add(name)
    return found | _confirmed(doubtful - found, references)


def _opens(text: str, match: re.Match[str]) -> bool:
    """Whether a capitalised word stands where any word would have its capital."""
    before = text[max(0, match.start() - 4) : match.start()].rstrip(" \t")
    return (not before or before[-1] in "\n.!?:\"'#>*-•)") and bool(_LOWER_NEXT.match(text, match.end()))


def _confirmed(doubtful: set[str], references: tuple[str, ...]) -> set[str]:
    if not doubtful:
        return set()
    inside = re.compile(r"(?<=[a-zà-ÿ,(|;] )(?:" + "|".join(map(re.escape, sorted(doubtful, reverse=True))) + r")\b")
    return {name for reference in references for name in inside.findall(reference)}


def _ordinary(word: str, lower: set[str]) -> bool:
    return word in _STOP or word in _OPENERS or word in lower or word.endswith(("ing", "ly"))
