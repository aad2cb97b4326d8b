"""What a turn claims: equations, values that it derives in words, and the conclusion that it draws."""

# The texts that are read hold such characters.

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from aegis_core.taxonomy.evidence.reading.passages import NEGATION, Passage
from aegis_core.taxonomy.evidence.reading.quantities import Quantity

__all__ = ["Conclusion", "Derivation", "attributed", "conclusion", "derivations", "within"]

_OPERATOR = re.compile(
    r"[+×*/]|(?<![\w])-(?![\w>])|(?<=[\w)\]] )[-–](?= [\w$€£(])|(?<=\d)-(?=\d)|(?<= )x(?= )"
    r"|\b(?:times|plus|minus|multiplied by|divided by|added to)\b",
    re.IGNORECASE,
)
_SIGN = re.compile(r"=|≈")
_VERB = re.compile(
    r"\b(?:giv(?:es?|ing)|gave|mak(?:es?|ing)|leav(?:es?|ing)|yield(?:s|ing)?|equals?|equall?ing|total(?:s|l?ing)"
    r"|(?:comes?|came|amounts?|adds? up|sums?(?: up)?|works? out|rounds?|converts?) (?:to|at)|results? in"
    r"|(?:we|i|you) (?:get|obtain|find|arrive at)|is equal to|becomes?|that is|which is|(?:there )?remains?"
    r"|(?:total|sum|product|difference|quotient|average|mean|rest|remainder)(?: [^\W\d_]+){0,4}? (?:is|of|was|are))\b",
    re.IGNORECASE,
)
_DRAWN = re.compile(
    r"\b(?:so|therefore|thus|hence|consequently|accordingly|altogether|overall|in (?:total|all|sum|short)|which means"
    r"|this means|that means|it follows)\b|∴|⇒|=>",
    re.IGNORECASE,
)
_AUTHOR = (
    r"(?:'s|\b(?:his|her|their|previous|earlier|prior|proposed|reported|stated|given|claimed|draft|solver|critic|"
    r"planner|"
    r"researcher|reporter|colleague|other|expert|teammate|assistant|first|old|initial|original|expected|intermediate|"
    r"partial|search|tool|code|clue|if the))"
)
_NOUN = (
    r"(?:answers?|results?|solution|conclusion|verdict|outcome|output|order|ordering|ranking|sequence|choice|"
    r"decision|pick|"
    r"reply|response)"
)
_MARK = re.compile(
    rf"(?P<who>{_AUTHOR}\s+(?:[^\W\d_]+\s+){{0,2}})?"
    rf"(?:\b{_NOUN}\b(?:\s+(?!(?:is|are|was|be)\b)[^\W\d_]+){{0,6}}?(?:\s*\([^()\n]{{0,60}}\))?[\"'*\s]*"
    r"(?P<copula>[:=]|\b(?:is|are|was|comes to|remains|would be|must be|reads)\b(?:\s*:)?)"
    r"|\b(?:I|we)\s+(?:therefore\s+|thus\s+|hence\s+)?(?P<verb>conclude|choose|pick|select|report|answer|"
    r"recommend|go with)"
    r"(?:\s+that)?\b:?|#{4}|\bin conclusion,?|(?:^|(?<=\s))answer(?=\s+[\d$€£A-Z(]))",
    re.IGNORECASE,
)
_HEADING = re.compile(rf"^(?:[^\W\d_]+\s+){{0,3}}{_NOUN}\W*$", re.IGNORECASE)
_NEXT_KEY = re.compile(r"""[,}]\s*"[^"\n]{1,40}"\s*:""")
_CLOSING = re.compile(r"^\W*(?:terminate|done|thanks?|thank you|over to|please|let me know|ok|okay)\b", re.IGNORECASE)
_REJECTED = re.compile(
    r"^\W*(?:not|n't|wrong|incorrect|mistaken|invalid|unknown|unclear|different|too)\b", re.IGNORECASE
)
_ATTRIBUTED = re.compile(
    r"\b(?:solver|critic|planner|researcher|reporter|colleague|expert|teammate|assistant|proposed|reported|"
    r"claimed|claims|"
    r"stated|draft|previous|earlier|wrong|incorrect|mistake|mistaken|error|violates?|breaks|contradicts?|instead|"
    r"disagree|"
    r"rather than)\b",
    re.IGNORECASE,
)


_LAST_PASSAGES = 200
"""How many passages at the end of a turn are looked through for its conclusion."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """A value that a turn derives. `operands` are empty where it is derived in words (`that leaves 92 bottles`)."""

    operands: tuple[Quantity, ...]
    result: Quantity
    passage: Passage

    @property
    def equation(self) -> bool:
        """Whether it is calculated in so many figures."""
        return len(self.operands) > 1


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a turn ends up with.

    `strength`: `marked` as answer, result or conclusion; `drawn` by a word such as *so*; or merely the `closing`
    passage. `passages` hold it; `payload` is their text after the mark.
    """

    strength: Literal["marked", "drawn", "closing"]
    passages: tuple[Passage, ...]
    payload: str
    quantities: tuple[Quantity, ...]

    @property
    def start(self) -> int:
        """Index of its first character."""
        return self.passages[0].start

    @property
    def end(self) -> int:
        """Index after its last character."""
        return self.passages[-1].end

    @property
    def text(self) -> str:
        """Its first passage, whole."""
        return self.passages[0].text

    @property
    def lead(self) -> Passage | None:
        """What stands before the payload in its first passage, if anything does."""
        first = self.passages[0]
        at = first.text.find(self.payload[:40]) if self.payload else -1
        return Passage(first.text[:at], first.start, first.bullet) if at > 0 else None


def within(items: Sequence[Quantity], start: int, end: int) -> tuple[Quantity, ...]:
    """The quantities between two places of the text."""
    return tuple(item for item in items if start <= item.start < end)


def attributed(text: str) -> bool:
    """Whether a passage speaks of what somebody else said, or of an error, and so claims nothing on its own account."""
    return bool(_ATTRIBUTED.search(text))


def derivations(parts: Sequence[Passage], numbers: Sequence[Quantity]) -> tuple[Derivation, ...]:
    """The values that the passages derive, in order; of a chain of equals signs, the values behind each.

    Args:
        parts: the passages, of the text as `plain` makes it.
        numbers: the quantities of that text, in order.
    """
    found: list[Derivation] = []
    position = 0
    for part in parts:
        while position < len(numbers) and numbers[position].start < part.start:
            position += 1
        here = []
        while position < len(numbers) and numbers[position].start < part.end:
            if not numbers[position].component:
                here.append(numbers[position])
            position += 1
        if here:
            found.extend(_derived(part, here))
    return tuple(found)


def _derived(part: Passage, numbers: list[Quantity]) -> list[Derivation]:
    found: list[Derivation] = []
    operands: list[Quantity] = [numbers[0]]
    calculating = False
    if _VERB.search(part.text[: numbers[0].start - part.start]) and not _operates(part, numbers, 0):
        found.append(Derivation((), numbers[0], part))
    for index, (left, right) in enumerate(pairwise(numbers), start=1):
        gap = part.text[left.number_end - part.start : right.start - part.start]
        operator = bool(_OPERATOR.search(gap))
        if _SIGN.search(gap) and len(gap) < 80:
            if not _operates(part, numbers, index) and (calculating or len(operands) > 1):
                found.append(Derivation(tuple(operands), right, part))
            operands, calculating = [right], True
        elif operator and len(gap) < 60:
            operands.append(right)
        elif _VERB.search(gap):
            found.append(Derivation((), right, part))
            operands, calculating = [right], False
        else:
            operands, calculating = [right], False
    return found


def _operates(part: Passage, numbers: list[Quantity], index: int) -> bool:
    """Whether the number at `index` is only the first operand of what follows an equals sign."""
    if index + 1 >= len(numbers):
        return False
    gap = part.text[numbers[index].number_end - part.start : numbers[index + 1].start - part.start]
    return bool(_OPERATOR.search(gap)) and not _SIGN.search(gap) and len(gap) < 40


def conclusion(parts: Sequence[Passage], numbers: Sequence[Quantity]) -> Conclusion | None:
    """The conclusion of a turn: the last one that is marked; else the last that is drawn; else the closing passage."""
    parts = parts[-_LAST_PASSAGES:]
    for index in range(len(parts) - 1, -1, -1):
        marked = _marked(parts, numbers, index)
        if marked:
            return marked
    for part in reversed(parts):
        drawn = _drawn(part, numbers)
        if drawn:
            return drawn
    for part in reversed(parts):
        if not _CLOSING.search(part.text):
            return Conclusion("closing", (part,), part.text, within(numbers, part.start, part.end))
    return None


def _drawn(part: Passage, numbers: Sequence[Quantity]) -> Conclusion | None:
    if attributed(part.text) or NEGATION.search(part.text) or part.text.rstrip().endswith(":"):
        return None
    for word in reversed(list(_DRAWN.finditer(part.text))):
        after = within(numbers, part.start + word.end(), part.end)
        if after or word.start() < 4:
            return Conclusion("drawn", (part,), part.text[word.end() :].strip(" ,:"), after)
    if _DRAWN.search(part.text):
        return Conclusion("drawn", (part,), part.text, within(numbers, part.start, part.end))
    return None


def _marked(parts: Sequence[Passage], numbers: Sequence[Quantity], index: int) -> Conclusion | None:
    part = parts[index]
    heading = _HEADING.match(part.text)
    for mark in reversed([*_MARK.finditer(part.text), *([heading] if heading and part.bullet else [])]):
        if mark.groupdict().get("who") or _REJECTED.search(part.text[mark.end() :]):
            continue
        stop = _NEXT_KEY.search(part.text, mark.end())
        end = stop.start() if stop else len(part.text)
        payload = part.text[mark.end() : end].strip(" \t*:\"'")
        held: tuple[Passage, ...] = (part,)
        if not any(character.isalnum() for character in payload):
            following = _following(parts, index)
            if not following:
                continue
            held = (part, *following)
            payload = "\n".join(item.text for item in following)
        first = part.start + mark.end() if len(held) == 1 else held[1].start
        last = part.start + end if len(held) == 1 else held[-1].end
        return Conclusion("marked", held, payload, within(numbers, first, last))
    return None


def _following(parts: Sequence[Passage], index: int) -> tuple[Passage, ...]:
    """The passage after a bare mark, with all bullets if it opens a list."""
    rest = parts[index + 1 : index + 30]
    if not rest:
        return ()
    if not rest[0].bullet:
        return (rest[0],)
    end = next((place for place, item in enumerate(rest) if not item.bullet), len(rest))
    return tuple(rest[:end])
