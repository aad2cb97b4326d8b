"""By which words a sentence says that it concludes, and where in it the conclusion begins."""

from __future__ import annotations

import re

from aegis_rules.reading.sentences import Sentence

__all__ = ["ANSWER_KEY", "conclusion_starts"]

_ANSWERS = (
    "answer|result|conclusion|solution|verdict|decision"
    "|final (?:order|list|ranking|sequence|figure|value|number|total|count)"
)
_RESULTS = "total|order|ranking|sequence|choice|output|sum|difference|average|mean|outcome|winner"
_MEASURES = (
    "value|figure|number|count|population|price|cost|distance|length|weight|mass|time|duration|volume|area|speed|rate"
    "|amount|quantity|percentage|probability|likelihood"
)
_NOUN = rf"\b(?P<noun>{_ANSWERS}|{_RESULTS}|{_MEASURES})\b"
_COPULA = (
    r"(?:is|are|was|were|equals|comes to|comes out (?:at|as|to)|amounts to|would be|will be|must be|should be"
    r"|stands at|works out (?:at|as|to)|=)"
)
_ADVERB = r"(?:(?:indeed|therefore|thus|then|exactly|precisely|as follows|now|equal to|:)[ ,:]+)*"
_LEAD = (
    r"(?:(?:the|my|our|so|thus|and|overall|final|correct|new|updated|verified|proposed|agreed|full|complete|confirmed)"
    r"\b[\s,*_]*)*"
)
_LABEL = re.compile(rf"^[\W_]*{_LEAD}{_NOUN}[^.:=?!]{{0,60}}?[*_]*[:=][*_]*\s*", re.IGNORECASE)
_PHRASE = re.compile(rf"{_NOUN}[^.?!:=]{{0,90}}?\s{_COPULA}[ :]\s*{_ADVERB}", re.IGNORECASE)
_CUE = re.compile(
    r"^[\W_]*(?:so|therefore|thus|hence|consequently|in conclusion|to conclude|overall|altogether|in total|in all"
    r"|finally|in summary|this means|that means|it follows|that makes|this makes|this gives|that gives|we get|i get"
    r"|i conclude|we conclude|this leaves|that leaves|i make it|(?:i|we) (?:arrive|end up|come|end) (?:at|with|to)"
    r"|it (?:comes|works out|adds up)|my (?:figure|count|list))\b"
    r"|\b(?:in total|altogether|in all|therefore|thus|hence|conclude that|confirms? that|confirmed that|shows? that)\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"^[\W_]*(?:please|if|let's|let us|ensure|make sure|once|when|whether|for each|next|remember)\b"
    r"|\b(?:will|shall|need to|needs to|let's|should|ensure|at least|at most|less than|more than|i suggest)\b",
    re.IGNORECASE,
)
_BOX = re.compile(r"\\boxed\{")
_BARE = re.compile(r"[$\u20ac\u00a3-]?\d[\d,.]*\S*(?: [a-z/]+)?")
_GIVES = re.compile(rf"\s(?:{_COPULA}|gives|makes|leaves|get|that|to|of)[ :]\s*{_ADVERB}", re.IGNORECASE)
ANSWER_KEY = re.compile(
    r"(?:^|_)(?:answer|result|conclusion|total|order|output|value|ranking|sequence|choice|solution)s?$", re.IGNORECASE
)
"""Names in JSON under which a conclusion stands."""


def conclusion_starts(sentence: Sentence, *, last: bool) -> list[tuple[int, int]]:
    """Offsets in the sentence at which a conclusion may begin, with its rank, the plainest first.

    Ranks: 3 it is called an answer; 2 it is called some other result; 1 a cue such as `therefore`. A named quantity
    (`the price is …`) is a result only with a cue, or in the `last` sentence of a text: else it is a fact.
    """
    text = sentence.text
    cued = bool(_CUE.search(text))
    starts: list[tuple[int, int]] = []
    for pattern in (_LABEL, _PHRASE):
        for match in pattern.finditer(text):
            rank = _rank(match["noun"], cued=cued or last, listed=sentence.kind == "item" and not last)
            if rank:
                starts.append((match.end(), rank))
    if box := _BOX.search(text):
        starts.insert(0, (box.end(), 3))
    if sentence.kind == "heading" and _BARE.fullmatch(text):
        starts.insert(0, (0, 3))  # `#### 42`
    if cued:
        gives = [match.end() for match in _GIVES.finditer(text)]
        starts += [(gives[-1], 1)] if gives else []
        starts.append((0, 1))
    if _PLANNED.search(text):
        starts = [start for start in starts if start[1] == 3]
    return sorted(starts, key=lambda start: -start[1])


def _rank(noun: str, *, cued: bool, listed: bool) -> int:
    if re.fullmatch(_ANSWERS, noun, re.IGNORECASE):
        return 3
    if re.fullmatch(_RESULTS, noun, re.IGNORECASE):
        return 1 if listed else 2
    return 2 if cued and not listed else 0
