"""Choices: which of several named things a turn argues for, which it takes, and its verdict on a result it checks."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from aegis_core.taxonomy.evidence.reading.passages import GUESS, NEGATION, Passage, names
from aegis_core.taxonomy.evidence.reading.quantities import Quantity, comparable
from aegis_core.taxonomy.evidence.reading.turns import Turn

__all__ = ["Praise", "Verdict", "candidates", "check_verdict", "chosen", "extreme", "figures", "praise", "wants_most"]

_PREDICATE = re.compile(
    r"\b(?!(?:rest|test|west|east|nest|guest|quest|chest|forest|honest|interest|request|suggest|invest|contest|"
    r"harvest|protest|arrest|digest|modest)\b)"
    r"(?:most|least|[a-z]{1,12}est|correct|right|only one|winner|leads|wins|suitable|worst)\b",
    re.IGNORECASE,
)
_NO_PRAISE = re.compile(
    r"\b(?:second|next|third|among|one of|at least|at most|almost|nearly|than|right (?:of|behind|after|before))\b", re.I
)
_MOST = re.compile(r"\b(?:most|highest|largest|greatest|biggest|heaviest|longest|tallest|maximum)\b", re.IGNORECASE)
_LEAST = re.compile(r"\b(?:least|lowest|smallest|lightest|shortest|cheapest|fewest|minimum)\b", re.IGNORECASE)
"""Only words that leave no doubt about the measure: the fastest has the highest speed, but the lowest time."""
_JOINS = re.compile(
    r"\b(?:is|are|was|were|has|have|comes out|offers?|asks?|costs?|takes?|holds?|weighs?|remains?|seems|looks|"
    r"proves|belongs to|goes to|"
    r"makes?)\b|[:=]",
    re.IGNORECASE,
)
_OPENING_WORDS = 8
_LAST_PASSAGES = 200
_CLAUSE = re.compile(r"[,;]|\b(?:and|but|so|while|whereas|because|since|therefore)\b", re.IGNORECASE)
_OBJECTS = re.compile(
    r"\b(?:disagree|reject(?:ed|ing)?|objection:?|I object|(?:is|are|seems|looks) (?:wrong|incorrect|invalid|"
    r"mistaken|false)"
    r"|not (?:correct|right|agree|approved?|accept(?:ed)?|confirm)|(?:cannot|can't|don't|do not) (?:approve|"
    r"accept|agree|"
    r"confirm)|must be (?:corrected|redone|revised)|needs? (?:to be )?(?:correction|corrected|redone|revised))\b",
    re.IGNORECASE,
)
_APPROVES = re.compile(
    r"\b(?:I agree|agreed|we agree|approve[ds]?|accept(?:ed)?|confirm(?:ed)?|(?:is|are|looks|seems) (?:correct|"
    r"right|valid|"
    r"sound|good|fine)|no objections?|no errors?)\b",
    re.IGNORECASE,
)
_DIFFERS = re.compile(
    r"\b(?:(?:does not|do not|doesn't|don't|not) (?:match|agree|fit|equal)|differs?|differing|mismatch|inconsistent|"
    r"contradicts?|violates?)\b",
    re.IGNORECASE,
)
_MATCHES = re.compile(
    r"\b(?:match(?:es)?|agrees? with|same (?:as|value|result|figure)|consistent with|identical|checks out|coincides?|"
    r"in line with)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Praise:
    """A clause that says of one thing what decides the choice (`Crate B is the heaviest`)."""

    predicate: str
    subject: str
    passage: Passage


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a turn makes of a result that it checks. Both are True for approval, None where it says nothing clear."""

    argued: bool | None
    given: bool | None
    argument: Passage | None
    statement: Passage | None


def candidates(*texts: str) -> re.Pattern[str] | None:
    """What finds the names that occur in the texts, longest first; None if there are fewer than two."""
    joint = "\n".join(texts)
    known = sorted({name.casefold() for name in names(joint, joint)}, key=lambda name: (-len(name), name))
    if len(known) < 2 or len(known) > 200:
        return None
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, known)) + r")(?!\w)")


def _mentioned(pattern: re.Pattern[str], text: str) -> set[str]:
    return set(pattern.findall(text.casefold()))


def chosen(turn: Turn, pattern: re.Pattern[str]) -> str:
    """The one name that a turn concludes with; "" if it marks no conclusion, or names none or several in it."""
    drawn = turn.conclusion
    if drawn is None or drawn.strength == "closing" or NEGATION.search(drawn.payload):
        return ""
    found = _mentioned(pattern, drawn.payload)
    opening = " ".join(drawn.payload.split()[:_OPENING_WORDS]).casefold()
    return found.pop() if len(found) == 1 and pattern.search(opening) else ""


def praise(parts: Iterable[Passage], pattern: re.Pattern[str]) -> list[Praise]:
    """The clauses that say of exactly one name what decides the choice; not where they deny or guess."""
    found = []
    for part in parts:
        if NEGATION.search(part.text) or GUESS.search(part.text):
            continue
        for clause in _CLAUSE.split(part.text):
            predicate = _PREDICATE.search(clause)
            subjects = _mentioned(pattern, clause)
            if (
                predicate
                and len(subjects) == 1
                and not _NO_PRAISE.search(clause)
                and _asserted(clause, predicate, pattern)
            ):
                found.append(Praise(predicate.group().casefold(), subjects.pop(), part))
    return found


def _asserted(clause: str, predicate: re.Match[str], pattern: re.Pattern[str]) -> bool:
    """Whether name and predicate are joined by a verb (`B is the cheapest`, `the cheapest one is B`)."""
    subject = pattern.search(clause.casefold())
    if subject is None:
        return False
    if predicate.group().casefold() in {"leads", "wins"}:
        return subject.end() <= predicate.start()
    first, last = sorted((subject.span(), predicate.span()))
    return bool(_JOINS.search(clause[first[1] : last[0]]))


def figures(turn: Turn, pattern: re.Pattern[str]) -> dict[str, Quantity]:
    """The one figure that a turn gives for each name, where it gives just one in a clause of its own."""
    found: dict[str, Quantity] = {}
    for part in turn.reasoning:
        start = part.start
        for clause in re.split(r"[,;|]", part.text):
            here = [item for item in turn.quantities if start <= item.start < start + len(clause)]
            subjects = _mentioned(pattern, clause)
            if len(subjects) == 1 and len(here) == 1:
                found.setdefault(next(iter(subjects)), here[0])
            start += len(clause) + 1
    return found


def wants_most(task: str) -> bool | None:
    """Whether a task asks for the greatest (True) or the least of several (False); None if for neither, or both."""
    most, least = bool(_MOST.search(task)), bool(_LEAST.search(task))
    return most if most is not least else None


def extreme(values: dict[str, Quantity], most: bool) -> str:
    """The name with the greatest (or least) figure; "" if it is shared, or the figures don't compare."""
    items = list(values.items())
    if len(items) < 2 or not all(comparable(items[0][1], item) for _, item in items):
        return ""
    ordered = sorted(items, key=lambda item: item[1].value, reverse=most)
    return ordered[0][0] if ordered[0][1].value != ordered[1][1].value else ""


def check_verdict(turn: Turn) -> Verdict:
    """What a turn says about agreement with its own check, and the verdict that it gives."""
    given: bool | None = None
    statement: Passage | None = None
    arguments: dict[bool, Passage] = {}
    for part in turn.passages[-_LAST_PASSAGES:]:
        if GUESS.search(part.text):
            continue
        polarity = _polarity(part.text, _OBJECTS, _APPROVES)
        fits = _polarity(part.text, _DIFFERS, _MATCHES)
        if fits is not None and polarity is None:
            arguments.setdefault(fits, part)
        if polarity is not None:
            given, statement = polarity, part
    argued = next(iter(arguments)) if len(arguments) == 1 else None
    return Verdict(argued, given, arguments.get(argued) if argued is not None else None, statement)


def _polarity(text: str, against: re.Pattern[str], in_favour: re.Pattern[str]) -> bool | None:
    if against.search(text):
        return False
    return (
        True
        if in_favour.search(text) and not NEGATION.search(text.replace("no objection", "").replace("no error", ""))
        else None
    )
