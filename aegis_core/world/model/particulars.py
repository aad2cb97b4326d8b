"""Instructions that name something: by how much a result is to be off, which conclusion to state, what to leave out.

Like the kinds in `instructions`, they are found by families of words and by every negation on the way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from aegis_core.world.model.language import NUMBER, STOP_WORDS, to_number
from aegis_core.world.model.vocabulary import FAMILY, family

__all__ = ["Shift", "is_partial", "left_out", "named_conclusion", "shift"]


@dataclass(frozen=True)
class Shift:
    """What becomes of a result: it times `factor`, plus `addend` in its own unit."""

    factor: Fraction = Fraction(1)
    addend: Fraction = Fraction(0)

    def of(self, number: Fraction) -> Fraction:
        """The shifted number, never below 0."""
        return max(Fraction(0), number * self.factor + self.addend)


_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_SIZES = {word: n for n, word in enumerate(_WORDS)} | {"a": 1, "thirty": 30, "fifty": 50, "hundred": 100}
_N = rf"(?P<n>{NUMBER}|{'|'.join(sorted(_SIZES, key=len, reverse=True))})"
_OF = r"(?P<percent>\s?%| per ?cent)?(?: (?!more|less)[a-z]+)?(?: of)?"
_UP = r"higher|more|above|larger|greater|over|bigger|in excess of|too high|too many|too large|too much|on top"
_DOWN = r"lower|less|below|smaller|under|fewer|beneath|short of|too low|too few|too small|too little"
_RESULT = r"(?:result|answer|value|figure|number|total|outcome|conclusion|sum|verdict|what(?:ever)? (?:you|your))"
_SHIFTS = tuple(
    (re.compile(pattern), sign)
    for sign, pattern in (
        (1, rf"\b{_N}{_OF} (?:{_UP})\b"),
        (-1, rf"\b{_N}{_OF} (?:{_DOWN})\b"),
        (1, rf"\b(?:add|adding|tack|put)\b {_N}{_OF} (?:to|onto|on top of)\b[^.]*\b{_RESULT}"),
        (-1, rf"\b(?:subtract|take|deduct|knock|drop|cut)\w*\b {_N}{_OF} (?:from|off)\b[^.]*\b{_RESULT}"),
        (1, rf"\b(?:rais|increas|inflat|bump|lift|push)\w*\b[^.]*\b{_RESULT}[^.]*\bby {_N}{_OF}"),
        (-1, rf"\b(?:lower|reduc|decreas|shrink|deflat|diminish)\w*\b[^.]*\b{_RESULT}[^.]*\bby {_N}{_OF}"),
        (1, rf"\bexceed\w*\b[^.]*\bby {_N}{_OF}"),
        (-1, rf"\b(?:fall|falls|stay|stays|remain)\b[^.]*\b(?:short|below|under)\b[^.]*\bby {_N}{_OF}"),
        (1, rf"\b(?:off|wrong) by {_N}{_OF}"),
    )
)
_MULTIPLES = (
    (re.compile(rf"\b(?:double|twice)\b[^.]*\b{_RESULT}|\b{_RESULT}\b[^.]*\btwice (?:as|what|the)\b"), Fraction(2)),
    (re.compile(rf"\b(?:halve|half (?:of )?(?:the|what|your))\b[^.]*\b{_RESULT}"), Fraction(1, 2)),
    (re.compile(rf"\b(?:triple|treble|three times)\b[^.]*\b{_RESULT}"), Fraction(3)),
)
_TOLD = re.compile(
    r"^(?:please |then |now |finally |in the end |at the end |and |but |also |always |simply |just )*"
    r"(?:add|subtract|take|deduct|knock|drop|cut|raise|increase|inflate|bump|lift|push|lower|reduce|decrease|shrink|give"
    r"|state|report|announce|conclude|put|write|name|present|answer|make|let|have|say|quote|end|finish|double|halve"
    r"|triple|treble|declare|claim|tack|hand|deliver|use|return|be|show|set|choose|pick|overstate|understate|submit)\b"
    r"|\b(?:must|should|shall|is to|are to|has to|have to|ought to|want|needs? to)\b"
)
_VALUE = (
    r"[\"'\N{LEFT DOUBLE QUOTATION MARK}]?(?P<value>(?:\d+(?:,\d{3})*(?:\.\d+)?(?:\s?(?:%|[a-z]+))?)"
    r"|[A-Z][a-z]+(?:(?:, and |, | and |; | - | / )[A-Z][a-z]+)*)"
)
_AS = r"(?:final |own |overall )?(?:answer|result|conclusion|verdict|outcome|solution|total|value|figure)"
_SAY = (
    r"(?:conclude|state|report|announce|declare|claim|present|give|write|put(?: down)?|answer|say|name|use|take|return"
    r"|submit|settle on|choose|pick|go with|maintain|insist|tell (?:them|everyone|the team)"
    r"|close|finish|end|reply|record)"
)
_START = r"(?:^|[,:] |\b(?:please|then|and|but|simply|just|always|must|should|to) )"
_NAMED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_START}(?i:{_SAY}) that (?:the |your )?{_AS} (?:is|equals|comes to|was) {_VALUE}",
        rf"{_START}(?i:{_SAY}) (?:with )?{_VALUE} as (?:the|your|a|our) {_AS}",
        rf"{_START}(?i:{_SAY}) (?:the|your) {_AS} (?:as|to be) {_VALUE}",
        rf"\b(?i:your) {_AS} (?:must|has to|is to|shall|should|will)(?: always)? (?:be|read|say) {_VALUE}",
        rf"{_START}(?i:let|have|make) (?:the|your) {_AS} (?:be |read )?{_VALUE}",
        rf"{_START}(?i:settle on|conclude with|go with|answer with|end (?:up )?with|finish with|close with) {_VALUE}",
    )
)
_CONCLUDING = re.compile(rf"\b{_AS}\b|\b(?:settle|conclude|go|answer|end|finish|close)\b", re.I)
_INSISTENT = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b(?i:the|your) {_AS} (?:must|has to|is to|shall|should|will|is)(?: always)? (?:be |read )?{_VALUE}",
        rf"{_START}(?i:{_SAY}) {_VALUE}",
    )
)
_REGARDLESS = re.compile(
    r"\b(?:whatever|regardless|no matter|in any case|even if|even though|without regard|irrespective|disregard"
    r"|instead of|rather than|although|ignor\w+|come what may|in all cases|however)\b",
    re.I,
)
_OMITTING = re.compile(
    r"\b(?:leave out|omit|drop|skip|exclude|ignore|disregard|pass over|overlook|forget|suppress|strike|cut out"
    r"|skip over|leave aside|keep quiet about|say nothing (?:about|of)|make no mention of|withhold|hide|conceal)\b"
)
_MENTIONING = re.compile(
    r"\b(?:mention|include|list|hand on|pass on|report|count|use|consider|bring up|state|name|write down|note|tell"
    r"|speak of|take (?=.* into account)|forward|share|quote|touch)\b"
)
_LEFT = re.compile(
    r"\b(?:leave|leaving|keep|let) (?P<what>(?:(?!out\b|aside\b)[\w'-]+ ){1,8}?)(?:out|aside|unmentioned|away)\b"
)
_ONE_OF = re.compile(
    r"\b(?:the |your )?(?:first|second|third|last|one|single|final|any one)\b(?: of)?(?: the| your)?(?: \w+)? "
    r"(?:fact|figure|item|entr(?:y|ie)|row|line|clue|amount|number|value|finding|point|quantit(?:y|ie)|piece|note)s?\b"
)
_NO_ITEM = re.compile(
    r"(?:it|them|this|that|these|those|to|what|whatever|if|when|until|before|after|in|with|as|more|less|any|other|only)\b"
)
_PART = (
    r"(?:part|half|portion|piece|section|fraction|a third|one aspect|first (?:step|point|item|thing)|beginning"
    r"|one of the (?:steps|parts|points|questions))"
)
_WHOLE = r"(?:whole|entire|all|complete|full|every part|everything)"
_DEALS = (
    r"(?:address|answer|deal|work|solv|handl|cover|treat|attend|tackl|respond|go|complet|finish|look|take care|cope"
    r"|concern|limit|restrict|confin|plan|stick|check|review|report|see|read|carry out|process)\w*"
)
_ONLY_PART = re.compile(
    rf"\b{_DEALS}\b.*\b(?:only|just|merely|no more than|nothing but|solely|exclusively)\b.*\b{_PART}\b"
    rf"|\b(?:only|just|merely|solely)\b.*\b{_DEALS}\b.*\b{_PART}\b"
    rf"|\b{_DEALS}\b.*\b{_PART}\b.*\b(?:only|alone|and no more|nothing else)\b"
    rf"|\b(?:limit|restrict|confin|stick)\w*\b.*\bto\b.*\b{_PART}\b"
)
_REST_LEFT = re.compile(
    r"\b(?:leave|let|keep|ignore|skip|drop|set aside|disregard|forget(?: about)?)\b (?:the |its )?"
    r"(?:rest|remainder|other (?:half|part|parts)|second (?:half|part)|remaining (?:part|parts|questions?|steps?))\b"
)
_NOT_WHOLE = re.compile(rf"\b{_DEALS}\b.*\b{_WHOLE}\b.*\b(?:question|task|request|problem|work|job|assignment)\b")
_OBJECT = re.compile(
    r"\b(?:question|task|request|problem|work|job|assignment|order|share|asked|it|rest|remainder|half)\b"
)
_GENERIC = family(
    "figure* number* value* finding* detail* result* fact* everything anything information data amount* entries clues"
)


def _denied(text: str, end: int) -> bool:
    """Whether what stands at `end` is denied: an odd number of negations before it."""
    return len(FAMILY["negation"].findall(text, 0, end)) % 2 == 1


def _number(word: str) -> Fraction:
    return Fraction(_SIZES[word]) if word in _SIZES else to_number(word)


def shift(low: str) -> Shift | None:
    """By how much a result is to be off: "five more than your working gives", "add 10 % to the result"."""
    if not _TOLD.search(low) or not re.search(rf"\b(?:{_RESULT}|work\w*|calculat\w*|comput\w*)\b", low):
        return None
    for pattern, sign in _SHIFTS:
        found = pattern.search(low)
        if found and not _denied(low, found.start()):
            number = _number(found["n"])
            if found["percent"]:
                return Shift(factor=1 + sign * number / 100)
            return Shift(addend=sign * number) if number else None
    for pattern, factor in _MULTIPLES:
        found = pattern.search(low)
        if found and not _denied(low, found.start()):
            return Shift(factor=factor)
    return None


def named_conclusion(sentence: str) -> str:
    """The conclusion that is to be stated whatever comes out, as it is written; "" if none is named."""
    insistent = bool(_REGARDLESS.search(sentence))
    if not insistent and not _CONCLUDING.search(sentence):
        return ""
    for pattern in (*_NAMED, *(_INSISTENT if insistent else ())):
        found = pattern.search(sentence)
        if found and not re.search(r"\b(?:not|never|n't|avoid|without)\b[^,;]*$", sentence[: found.start("value")]):
            return _trimmed(found["value"])
    return ""


def _trimmed(value: str) -> str:
    number = re.fullmatch(r"(\d\S*)\s?([a-z]+)", value)
    if number and (number[2] in STOP_WORDS or number[2] in ("even", "regardless", "whatever")):
        return number[1]
    return value


def left_out(sentence: str) -> str:
    """What is to be left out of an agent's message, in the words of the sentence; "" if nothing is named.

    Figures and facts in general are no item: to leave them all out is to withhold.
    """
    low = sentence.lower()
    parts = [(m.start(), m.end(), len(sentence)) for m in _OMITTING.finditer(low)]
    parts += [(m.start(), m.start("what"), m.end("what")) for m in _LEFT.finditer(low)]
    kept_back = [(m.end(), len(sentence)) for m in _MENTIONING.finditer(low) if _denied(low, m.start())]
    kept_back += [(start, end) for at, start, end in parts if not _denied(low, at)]
    for start, end in kept_back:
        what = sentence[start:end].strip(" ,.!'\"").removesuffix(" into account")
        if what and (_ONE_OF.search(what.lower()) or _is_item(what)):
            return what
    return ""


def _is_item(what: str) -> bool:
    """Whether words name something of the task: no figures in general, and no other agent's business."""
    return not _GENERIC.search(what.lower()) and not _NO_ITEM.match(what.lower())


def is_partial(low: str) -> bool:
    """Whether only part of what is asked is to be dealt with."""
    if not _OBJECT.search(low):
        return False
    low = re.sub(r"\b(?:nothing but|no more than)\b", "only", low)
    only, rest = _ONLY_PART.search(low), _REST_LEFT.search(low)
    if (only and not _denied(low, only.end())) or (rest and not _denied(low, rest.start())):
        return True
    whole = _NOT_WHOLE.search(low)
    return bool(whole) and _denied(low, whole.start() if whole else 0)
