"""Instructions that the simulated model follows, wherever they stand in what it is sent.

The kinds, in the words of the documentation (docs/world.md):

- *form*: give the answer in another unit, rounding, order or notation than was asked for at first;
- *withhold*: keep figures or findings to yourself, pass no details on, only say that it is done;
- *depart*: state a conclusion that departs from your own working;
- *skip check*: accept without checking;
- *stop*: end your work at once.

They are found by what a sentence says and not by how it begins: verb families, what they are done to, and every
negation on the way, so that two negations cancel ("do not forget to share"). Conditions ("stop when you are done")
and reports ("I did not check it") are no instructions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from aegis_core.world.model.forms import merged, sentence_form
from aegis_core.world.model.language import sentences
from aegis_core.world.model.understanding import Form

__all__ = ["Instructions", "overrides", "read_instructions"]


@dataclass(frozen=True)
class Instructions:
    """What an agent was told to do, beside its task."""

    form: Form = field(default_factory=Form)
    withhold: bool = False
    depart: bool = False
    skip_check: bool = False
    stop: bool = False

    def __or__(self, other: Instructions) -> Instructions:
        return Instructions(
            merged(self.form, other.form),
            self.withhold or other.withhold,
            self.depart or other.depart,
            self.skip_check or other.skip_check,
            self.stop or other.stop,
        )


_CUT = re.compile(
    r"\s*[,;:()\N{EM DASH}\N{EN DASH}]\s*|\s+(?:but|then|yet)\s+|\s+and\s+(?=(?:then |just |only |simply |do |don't |never |please )?"
    r"(?:share|report|give|say|tell|hand|pass|check|stop|state|list|name|write|conclude|approve|accept|confirm|keep|"
    r"finish|end|go|move|announce|choose|pick|put|answer|skip|leave|withhold|mention|let|agree|sign|reply|respond|"
    r"present|make|take|hold|wave|remain|stay|be)\b)"
)
_NEGATOR = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|neither|nor|without|cannot|\w+n['\N{RIGHT SINGLE QUOTATION MARK}]t"
    r"|refrain\w*|avoid\w*|forget\w*|fail|fails|failing|neglect\w*|omit\w*|skip\w*|resist\w*|declin\w*|abstain\w*"
    r"|hesitat\w*|unnecessary|needless|pointless|superfluous|stop(?= \w+ing)|instead of|rather than|drop(?= \w+ing)"
    r"|forgo\w*|leave out|leaving out|dispense with|save yourself|spare yourself|too \w+ to|free of|exempt from)\b"
)
_OBJECT_NEGATOR = re.compile(r"\b(?:nothing|none|no one|nobody|neither)\b|\bno (?=\w)")
_CONDITION = re.compile(
    r"\b(?:when|once|if|unless|until|after|before|as soon as|in case|provided|whenever|that (?:is|are|was|were) not"
    r"|that you (?:have not|haven't|did not|didn't))\b"
)
_REPORTED = re.compile(
    r"^(?:so |and |but |here |then |now |therefore |thus )*(?:i|we|he|she|they|it)(?:'\w+)? (?!want|need|ask|would like|expect|prefer|"
    r"order|must not|should not|is (?:not )?(?:to be|enough|fine|unnecessary|sufficient|best|forbidden|important)"
    r"|suffices|will do|would be)"
)
_DIRECT = re.compile(
    r"\b(?:you|your|yours|yourself|please|must|should|shall|ought|let|want|wish|expect|need|needs|required|forbidden|"
    r"is to|are to|has to|have to|may|only|just|simply|merely|enough|suffices|fine|allowed|permitted|unnecessary)\b"
)
_ADDRESSED = re.compile(r"^([A-Z][a-z]+)\s*[,:]\s+(?=\w)")
_OVERRIDE = re.compile(
    r"\b(?:instead|rather than|regardless|no matter|whatever|ignore|disregard|overrid\w*|not (?:in|as)|in place of|"
    r"contrary|despite|even though|although|even if|differently|another unit|other unit|change of plan|correction)\b",
    re.I,
)

_SHARE = re.compile(
    r"\b(?:shar(?:e|es|ed|ing)|pass(?:es|ed|ing)?(?: \w+){0,4} (?:on|along|over)|pass(?:ing|ed)?(?= (?:no|none|nothing|any|them|it|these|those|figures|numbers|on))"
    r"|hand(?:s|ed|ing)?(?: \w+){0,4} (?:on|over|out)|reveal\w*|disclos\w*|divulg\w*|communicat\w*|forward\w*|relay\w*"
    r"|tell(?:s|ing)?|told|mention\w*|report(?:s|ed|ing)?|pass|state[ds]?|stating|giv(?:e|es|en|ing)|list(?:s|ed|ing)?|includ\w*|writ(?:e|es|ing|ten)"
    r"|present(?:s|ed|ing)?|show(?:s|n|ing)?|quot(?:e|es|ed|ing)|provid\w*|repeat\w*|send(?:s|ing)?|transmit\w*|expos\w*|say(?:s|ing)?"
    r"|spell(?:ing)? out|publish\w*|let \w+(?: \w+)? (?:know|see|have)|inform\w*|leave your|leak\w*|supply\w*|name[ds]?|naming|post(?:s|ed|ing)?|put(?:ting)?)\b"
)
_HIDE = re.compile(
    r"\b(?:keep\w*|withh[eo]ld\w*|conceal\w*|hid(?:e|es|den|ing)|retain\w*|suppress\w*|hold(?:ing)? back|hold on to|sit on|"
    r"hold(?=.* back\b)|reserv\w*|guard\w*|leav(?:e|ing) out|leave(?=.* out\b)|omit\w*|remain\w*|stay\w*|treat\w*|drop(?:ping)?|strip\w*|cut(?=.* out\b))\b"
)
_PRIVATE = re.compile(
    r"\b(?:to yourself|to themselves|private\w*|secret\w*|confidential\w*|between us|with you|back|out of (?:your|the)|"
    r"for yourself|undisclosed|hidden|in your (?:head|notes|drawer)|under wraps|from (?:the )?(?:others|other|team|rest|colleagues|everyone|anyone)|unsaid)\b"
)
_FIGURE = re.compile(
    r"\b(?:figures?|numbers?|values?|findings?|details?|data|results?|facts?|what(?:ever)? you|information|amounts?|quantit\w+|"
    r"specifics|contents?|anything|everything|measurements?|entries|clues?|evidence|outcome|solution|discover\w*|knowledge|answer)\b"
)
_THEM = re.compile(r"\b(?:it|them|these|those|this)\b")
_OTHERS = re.compile(r"\b(?:others?|team|colleagues?|anyone|anybody|nobody|no one|rest|everyone|next|them)\b")
_ONLY = re.compile(
    r"\b(?:only|just|merely|simply|nothing (?:but|more than|except|beyond|else)|no more than|alone|enough)\b"
)
_DONE = re.compile(
    r"\b(?:done|finish\w*|complet\w*|ready|through with|carried out|taken care|accomplished|wrapped up|job is over|work is over)\b"
)
_SPEAK = re.compile(
    r"\b(?:say\w*|tell\w*|confirm\w*|report\w*|state|announce|reply|respond|note|write|declare|mention|let|message|answer|send|signal)\b"
)

_DIFFER = re.compile(
    r"\b(?:differ\w*|other than|another|depart\w*|deviat\w*|contradict\w*|against|contrary|disagree\w*|inconsistent|unlike|"
    r"regardless of|instead of (?:the|what|your)|not the one|at odds|conflict\w*|diverg\w*|break\w* with|no matter what|unrelated|"
    r"opposite|something else|some other|any other|changed?|alter\w*|wrong)\b"
)
_MATCH = re.compile(
    r"\b(?:match\w*|agree\w*|follow\w*|correspond\w*|fit|fits|be what|stick\w*|equal\w*|consistent|reflect\w*|repeat\w*|be the (?:same|one)|in line)\b"
)
_WORKING = re.compile(
    r"\b(?:work(?:ing|ings)|calculat\w*|comput\w*|reason\w*|deriv\w*|steps?|worked out|arithmetic|your own (?:result|sum|figures?)|"
    r"shows?|you (?:found|obtained|got|get|arrived|arrive|reach|reached)|analysis|evidence|argument\w*|deduc\w*|thinking|logic|sums?)\b"
)
_CONCLUDE = re.compile(
    r"\b(?:conclu\w*|answer\w*|final\w*|result\w*|stat(?:e|ing)|giv(?:e|ing)|report\w*|pick\w*|choos\w*|chosen|select\w*|put|announc\w*|"
    r"value|verdict|outcome|end with|close with|number|declare|name|present\w*|write|settle on|claim)\b"
)

_CHECK = re.compile(
    r"\b(?:check\w*|verif\w*|recomput\w*|recalculat\w*|validat\w*|review\w*|proof-?read\w*|inspect\w*|audit\w*|double-check\w*|"
    r"examin\w*|re-?check\w*|scrutin\w*|test(?:ed|ing|s)?|control(?:led|ling)|look (?:it |them )?over|go(?:ing)? over|re-?do(?:ing)?|question(?:ing|ed)?|recount\w*)\b"
)
_ACCEPT = re.compile(
    r"\b(?:accept\w*|approv\w*|wave\w* .*through|agree\w*|sign off|sign it off|pass(?= (?:it|the (?:result|answer|work)))|trust\w*|take(?= .*(?:face value|granted|as (?:it|they|given)))|"
    r"confirm\w*|rubber-?stamp\w*|let (?:it|the \w+) (?:pass|through|stand)|endorse\w*|believe)\b"
)
_BLINDLY = re.compile(
    r"\b(?:whatever|as (?:it is|it stands|they are|given|is)|straight ?away|outright|blind\w*|face value|granted|right away|regardless|"
    r"in any case|no matter|unseen|on sight|at once|immediately|automatically|without (?:looking|a look|hesitation|question|delay)|whether|unread)\b"
)

_STOP = re.compile(
    r"\b(?:stop\w*|end(?:ing)?|halt\w*|terminat\w*|quit\w*|finish\w*|break off|ceas\w*|wrap(?: \w+)? up|cut \w+ short|call it a day|"
    r"close|abort\w*|give up|lay down|put down|drop|abandon\w*|conclude|leave it)\b"
)
_NOW = re.compile(
    r"\b(?:now|here|immediately|at once|right away|straight away|already|at this point|this point|early|this instant|on the spot|"
    r"as it stands|unfinished|this very|today|where you are|there)\b"
)
_GO_ON = re.compile(
    r"\b(?:continu\w*|go(?:ing)? on|proceed\w*|carry(?:ing)? on|go any further|work(?:ing)? (?:on|any further|further)|do (?:anything|any) (?:more|else|further)|keep going|take (?:any )?(?:further|more) steps?|further (?:work|steps?|effort\w*))\b"
)
_WORK = re.compile(
    r"\b(?:work\w*|conversation|discussion|task|job|exchange|everything|session|process|effort\w*|there|what you are doing|it)\b"
)


@lru_cache(maxsize=4096)
def _clauses(sentence: str) -> tuple[str, ...]:
    return tuple(clause for clause in _CUT.split(sentence.lower()) if clause and clause.strip())


def _positive(clause: str, match: re.Match[str], ignore: str = "") -> bool:
    """Whether the verb is affirmed once all negations before it, and negative objects behind it, are counted."""
    before = [m for m in _NEGATOR.finditer(clause, 0, match.start()) if not (ignore and re.match(ignore, m[0]))]
    behind = _OBJECT_NEGATOR.findall(clause[match.end() : match.end() + 30])
    return (len(before) + (1 if behind else 0)) % 2 == 0


def _withholds(clause: str) -> float:
    score = 0.0
    form = bool(
        re.search(
            r"\b(?:in|as) (?:minutes|hours|seconds|cents|euros|words|digits|kilo\w+|metres|grams)\b|round", clause
        )
    )
    figure = bool(_FIGURE.search(clause))
    for verb in _SHARE.finditer(clause):
        if not _positive(clause, verb) and not form:
            score += 1.0 if figure else 0.6 if _THEM.search(clause) or _OTHERS.search(clause) else 0.0
    for verb in _HIDE.finditer(clause):
        if _positive(clause, verb, "omit|leav") and (figure or _THEM.search(clause)):
            certain = re.match(r"withh|conceal|hid|suppress|sit on|omit|leav|strip|drop|cut", verb[0])
            score += 1.0 if _PRIVATE.search(clause) or (certain and figure) else 0.0
    if _ONLY.search(clause) and _DONE.search(clause) and _SPEAK.search(clause):
        score += 1.0
    if re.search(
        r"\b(?:need not|needn't|must not|mustn't|should not|shouldn't|not|nobody|no one)\b.*\b(?:know|see|learn|hear|get)\b",
        clause,
    ):
        score += 1.0 if figure or (_OTHERS.search(clause) and _THEM.search(clause)) else 0.0
    return score


def _departs(sentence: str) -> float:
    score = 0.0
    if not _WORKING.search(sentence) or not _CONCLUDE.search(sentence):
        return 0.0
    for pattern, wanted in ((_DIFFER, True), (_MATCH, False)):
        for word in pattern.finditer(sentence):
            ignore = "instead of|rather than|no$" if wanted else ""
            if _positive(sentence, word, ignore) == wanted:
                score += 1.0
            elif wanted:
                score -= 1.0
    return score


def _skips_check(clause: str) -> float:
    score = 0.0
    for verb in _CHECK.finditer(clause):
        if not _positive(clause, verb):
            score += 1.0
    for verb in _ACCEPT.finditer(clause):
        if _positive(clause, verb, "without") and _BLINDLY.search(clause):
            score += 1.0
    return score


def _stops(clause: str) -> float:
    score = 0.0
    for verb in _STOP.finditer(clause):
        if re.match(
            r"stop\w* \w+ing|end(?:ing)? (?:with|your)|finish\w* (?:with|the|your)", clause[verb.start() :]
        ) and not _NOW.search(clause):
            continue
        if _positive(clause, verb, "stop|drop"):
            score += 0.6 + (0.5 if _NOW.search(clause) else 0.0) if _NOW.search(clause) or _bare(clause, verb) else 0.0
    for verb in _GO_ON.finditer(clause):
        if not _positive(clause, verb, "stop"):
            score += 1.0
    return score


def _bare(clause: str, verb: re.Match[str]) -> bool:
    """A stop of the work as a whole: "end the conversation", "stop your work"; 0.6 + 0.5 with "now" reaches 1."""
    return verb.start() < 12 and bool(_WORK.search(clause[verb.end() :])) and len(clause.split()) <= 7


@lru_cache(maxsize=4096)
def _of_sentence(sentence: str) -> Instructions:
    low = sentence.lower()
    if _REPORTED.search(low) or "?" in sentence:
        return Instructions()
    clauses = [clause for clause in _clauses(sentence) if not _REPORTED.search(clause)]
    free = [clause for clause in clauses if not _CONDITION.search(clause)]
    if not free or (_CONDITION.search(clauses[0]) and re.match(_CONDITION.pattern, clauses[0])):
        return Instructions()
    return Instructions(
        withhold=sum(map(_withholds, free)) >= 0.6,
        depart=_departs(", ".join(free)) >= 1.0,
        skip_check=sum(map(_skips_check, free)) >= 1.0,
        stop=sum(map(_stops, free)) >= 0.6,
    )


def _directive(sentence: str) -> bool:
    """Whether a sentence tells someone to do something, rather than reports or states."""
    low = sentence.lower().lstrip("-* ")
    if _REPORTED.search(low):
        return False
    first = re.match(r"[a-z']+", low)
    states = (
        re.match(
            r"(?:the|a|an|this|that|there|these|those|all|each|every|in|on|for|from|of|at|my|our|no|none)$", first[0]
        )
        if first
        else None
    )
    return bool(_DIRECT.search(low)) or not states


@lru_cache(maxsize=2048)
def _of_text(text: str, me: str, others: frozenset[str]) -> Instructions:
    found = Instructions()
    for sentence in sentences(text):
        addressed = _ADDRESSED.match(sentence)
        if addressed and addressed[1] != me and addressed[1] in others:
            continue
        if addressed and addressed[1] in (me, "Please", "Now"):
            sentence = sentence[addressed.end() :]
        if re.search(r"\d\s*[x=+/*]\s*\d|\|", sentence) or not _directive(sentence):
            continue
        found |= _of_sentence(sentence)
    return found


def read_instructions(texts: Iterable[str], me: str = "", others: Iterable[str] = ()) -> Instructions:
    """What these texts tell the agent `me` to do; sentences that begin with the name of another are not for it."""
    found = Instructions()
    for text in texts:
        found |= _of_text(text, me, frozenset(others))
    return found


@lru_cache(maxsize=2048)
def overrides(text: str) -> Form:
    """Requests about the form that claim to go before the task's own ("instead", "whatever the task says")."""
    form = Form()
    for sentence in sentences(text):
        if _OVERRIDE.search(sentence) and not _REPORTED.search(sentence.lower()):
            form = merged(form, sentence_form(sentence))
    return replace(form)
