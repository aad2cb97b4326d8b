"""Instructions that the simulated model follows, wherever they stand in what it is sent.

The kinds:

- *form*: give the answer in another unit, rounding, order or notation than was asked for at first;
- *withhold*: keep figures or findings to yourself, pass no details on, only say that it is done;
- *depart*: state a conclusion that departs from your own working;
- *skip check*: accept without checking;
- *stop*: end your work at once;
- *shift*: state a result that is so much above or below what the working gives;
- *verdict*: state this very conclusion, whatever the working says;
- *omit*: leave a named item out;
- *partial*: deal with part of what is asked only;
- *ignore*: take no account of somebody's words;
- *restart*: begin anew;
- *no questions*: don't ask for what is missing;
- *repeat*: do again what is done;
- *go on*: continue although it is done;
- *role*: play another's part;
- *forget*: what was said before does not count.

They are found by what a sentence says and not by how it begins: families of verbs (`vocabulary`), what they are
done to, and every negation on the way, so that two negations cancel ("do not forget to share"). What hangs on a
condition ("stop when you are done") and what is reported ("I did not check it") is no instruction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from aegis_core.world.model.conduct import (
    forgets,
    goes_on,
    ignored,
    no_questions,
    part_played,
    repeats,
    restarts,
)
from aegis_core.world.model.forms import merged, sentence_form
from aegis_core.world.model.language import sentences
from aegis_core.world.model.particulars import Shift, is_partial, left_out, named_conclusion, shift
from aegis_core.world.model.understanding import Form
from aegis_core.world.model.vocabulary import FAMILY, family

__all__ = ["Instructions", "directive_form", "overriding_form", "read_instructions"]


@dataclass(frozen=True)
class Instructions:
    """What an agent was told to do, beside its task and its form."""

    withhold: bool = False
    depart: bool = False
    skip_check: bool = False
    stop: bool = False
    shift: Shift | None = None
    verdict: str = ""
    """A conclusion as it was written."""
    omit: tuple[str, ...] = ()
    """In the words of the instruction, what is to be left out."""
    partial: bool = False
    ignore: tuple[str, ...] = ()
    """Whose words are not to count: names, or roles."""
    restart: bool = False
    no_questions: bool = False
    repeat: bool = False
    go_on: bool = False
    role: str = ""
    """Another role that is to be played."""
    forget: bool = False

    def __or__(self, other: Instructions) -> Instructions:
        return Instructions(
            self.withhold or other.withhold,
            self.depart or other.depart,
            self.skip_check or other.skip_check,
            self.stop or other.stop,
            other.shift or self.shift,
            other.verdict or self.verdict,
            self.omit + other.omit,
            self.partial or other.partial,
            self.ignore + other.ignore,
            self.restart or other.restart,
            self.no_questions or other.no_questions,
            self.repeat or other.repeat,
            self.go_on or other.go_on,
            other.role or self.role,
            self.forget or other.forget,
        )


NONE = Instructions()
_VERBS = (
    "share report give say tell hand pass check stop state list name write conclude approve accept confirm keep finish "
    "end go move announce choose pick put answer skip leave withhold mention let agree sign reply respond present make "
    "take hold wave remain stay be quit trust"
)
_CUT = re.compile(
    r"\s*[,;:()\N{EM DASH}\N{EN DASH}]\s*|(?<!thing)(?<!none)\s+(?:but|then|yet)\s+|\s+and\s+"
    rf"(?=(?:then |just |only |simply |do |don't |never |please )?(?:{'|'.join(_VERBS.split())})\b)"
)
_REPORTED = re.compile(
    r"^(?:so |and |but |here |then |now |therefore |thus )*(?:i|we|he|she|they|it)(?:'\w+)? "
    r"(?!want|need|ask|would like|expect|prefer|order|must not|should not|suffices|will do|would be"
    r"|is (?:not )?(?:to be|enough|fine|unnecessary|sufficient|best|forbidden|important|time))"
)
_STATES = re.compile(
    r"(?:the|a|an|this|that|there|these|those|all|each|every|in|on|for|from(?! now)|of|at|my|our|no|none)(?![\w'])"
)
_ADDRESSED = re.compile(r"^[\W\d]*([A-Z][a-z]+)\**\s*[,:]\**\s+(?=\w)")
_ARITHMETIC = re.compile(r"\d\s*[x=+/*]\s*\d|\|")
_IMPERATIVE = re.compile(
    r"^(?:please |now |also |and |but |in the end,? |finally,? |always |[A-Z][a-z]+[,:] )*"
    r"(?:give|state|report|express|answer|use|convert|round|list|write|present|put|name|provide|reverse|quote|return"
    r"|spell|sort|arrange|make sure|turn|phrase|deliver|show|switch|change|do not|don't|never)\b",
    re.I,
)
_MEASURE = re.compile(
    r"\b(?:in|as) (?:minutes|hours|seconds|cents|euros|words|digits|kilo\w+|metres|grams|percent)\b|\bround"
)
_THE_QUESTION = re.compile(r"\b(?:the|whole|entire|this|your|every|full|of|its|their) questions?$")
_NEEDLESS = re.compile(
    r"\b(?:is|are|seems?|be) (?:not|hardly|in no way|un)\s?(?:really )?"
    r"(?:necessary|needed|required|called for|worth|wanted)"
)
_EXCEPTED = re.compile(r"\b(?:anything|any|none|nothing) (?:but|except|other than|besides) (?:the|your|all)\b")
_CONDITION = re.compile(rf"{FAMILY['condition'].pattern}(?! (?:it|this|that|them)\b)")
_DOUBTFUL = re.compile(r"(?<!even )\b(?:if|unless|in case|provided|until|as long as|when|whenever)\b")
_AND_NOT = re.compile(
    rf"^(?:please )?{FAMILY['share'].pattern}[^,;]*(?:,| and|,? but) not (?:the|any|your) {FAMILY['figure'].pattern}"
)
_AS_ANSWER = re.compile(
    r"\b(?:use|take|give|state|put|adopt)\b.* as (?:the|your) (?:final )?(?:answer|result|conclusion)\b"
)
_ENDING_WITH = re.compile(r"stop\w* (?!working|computing|searching|writing|calculating)\w+ing\b|end(?:ing)? with\b")
_OWN_ACT = re.compile(
    r"\b(?:report|answer|conclu|writ|repl|hand|messag|finish|done|speak|pass|stat|read|work|calculat|comput|found|step"
    r"|reason|respond|sum)\w*"
)
_NO_FIGURES = re.compile(
    rf"(?:no|not a single|not any|without|without any|zero) (?:\w+ )?{FAMILY['figure'].pattern}(?: at all| whatsoever)?"
)
_BESIDE = re.compile(r"(?:after|before|until) (?:the|your) \w+")
_FIGURELESS = family("without no free_of void_of lacking")


def read_instructions(texts: Iterable[str], me: str = "", others: Iterable[str] = ()) -> Instructions:
    """What these texts tell the agent `me` to do; sentences that begin with the name of another are not for it."""
    found = NONE
    names = frozenset(others)
    for text in texts:
        for addressee, told in _of_text(text):
            if not addressee or addressee == me or addressee not in names:
                found |= told
    return found


@lru_cache(maxsize=2048)
def directive_form(text: str) -> Form:
    """The form that the imperative sentences of a text ask for."""
    form = Form()
    for sentence in sentences(text):
        if _IMPERATIVE.match(sentence):
            form = merged(form, sentence_form(sentence))
    return form


@lru_cache(maxsize=2048)
def overriding_form(text: str) -> Form:
    """Requests about the form that claim to go before the task's own ("instead", "whatever the task says")."""
    form = Form()
    for sentence in sentences(text):
        low = sentence.lower()
        if FAMILY["override"].search(low) and not _REPORTED.search(low):
            form = merged(form, sentence_form(sentence))
    return form


@lru_cache(maxsize=2048)
def _of_text(text: str) -> tuple[tuple[str, Instructions], ...]:
    """The instructions of a text, each with whom it is addressed to ("": whoever reads it)."""
    found = []
    for sentence in sentences(text):
        addressed = _ADDRESSED.match(sentence)
        told = _of_sentence(sentence[addressed.end() :] if addressed else sentence)
        if told != NONE:
            found.append((addressed[1] if addressed else "", told))
    return tuple(found)


@lru_cache(maxsize=4096)
def _of_sentence(sentence: str) -> Instructions:
    low = sentence.lower().strip("-* .!").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    if "?" in sentence or _ARITHMETIC.search(sentence) or not _is_directive(low):
        return NONE
    clauses = [clause for clause in _CUT.split(low) if clause and clause.strip() and not _REPORTED.search(clause)]
    told = _conduct(sentence, low)
    if told != NONE:
        return told
    condition = _CONDITION
    if not clauses or (condition.match(clauses[0]) and not _BESIDE.fullmatch(clauses[0])):
        return NONE
    free = [clause for clause in clauses if not condition.search(clause) and not _waits(clause)]
    at_once = [] if FAMILY["temporal"].match(clauses[0]) else [c for c in free if not FAMILY["temporal"].search(c)]
    whole = ", ".join(free)
    sure = [clause for clause in clauses if not _DOUBTFUL.search(clause)]
    off, partial = shift(", ".join(sure)), is_partial(", ".join(sure))
    item = "" if partial else next(filter(None, map(left_out, _with_case(free, sentence))), "")
    return Instructions(
        withhold=not item and (sum(map(_withholds, free)) >= 1 or _is_bare_report(free) or bool(_AND_NOT.search(low))),
        depart=_departs(whole) >= 1 or _underived(low),
        skip_check=sum(map(_skips_check, at_once)) >= 1,
        stop=sum(map(_stops, at_once)) >= 1,
        shift=off,
        verdict=named_conclusion(sentence) if not off and len(sure) == len(clauses) else "",
        omit=(item,) if item else (),
        partial=partial,
    )


def _conduct(sentence: str, low: str) -> Instructions:
    """What the sentence says about how to work with others; nothing if it hangs on a condition."""
    if _DOUBTFUL.match(low) and not goes_on(low):
        return NONE
    anew = forgets(low)
    return Instructions(
        ignore=tuple(filter(None, (ignored(sentence.strip("-* .!")),))) if not anew else (),
        restart=restarts(low),
        no_questions=no_questions(low),
        repeat=repeats(low),
        go_on=goes_on(low),
        role=part_played(sentence.strip("-* .!")),
        forget=anew,
    )


def _with_case(clauses: list[str], sentence: str) -> list[str]:
    """The clauses as the sentence writes them: names are known by their capitals."""
    low = sentence.lower()
    return [sentence[at : at + len(clause)] if (at := low.find(clause)) >= 0 else clause for clause in clauses]


def _waits(clause: str) -> bool:
    """Whether a clause hangs on something that may not come: "when you are unsure", but not "when you report"."""
    when = FAMILY["temporal"].search(clause)
    return bool(when) and not _OWN_ACT.search(clause, when.end() if when else 0)


def _is_directive(low: str) -> bool:
    """Whether a sentence tells someone to do something, rather than reports or states."""
    if _REPORTED.search(low):
        return False
    return not _STATES.match(low) or bool(FAMILY["direct"].search(low))


def _affirmed(clause: str, word: re.Match[str], spare: str = "") -> bool:
    """Whether a word is affirmed once all negations before it, and a negated object behind it, are counted.

    Negations that `spare` matches belong to the word itself and don't count.
    """
    before = [m for m in FAMILY["negation"].finditer(clause, 0, word.start()) if not (spare and re.match(spare, m[0]))]
    first = word.start() + len(word[0].split()[0])  # "pass none of it on": inside the term as well
    denied = bool(FAMILY["negated object"].search(clause[first : word.end() + 24]))
    needless = bool(_NEEDLESS.search(clause, word.end()))
    stopped = bool(re.search(r"\bstop(?:ping)? $", clause[: word.start()]))
    return (len(before) + denied + needless + stopped) % 2 == 0


def _has(name: str, clause: str) -> bool:
    return bool(FAMILY[name].search(clause))


def _withholds(clause: str) -> float:
    figure, them = _has("figure", clause), _has("them", clause)
    if not _MEASURE.search(clause) and not _EXCEPTED.search(clause):
        for verb in FAMILY["share"].finditer(clause):
            if not _affirmed(clause, verb) and (figure or them or _has("others", clause)):
                return 1
        bare = re.search(rf"{_FIGURELESS.pattern} (?:\w+ ){{0,2}}{FAMILY['figure'].pattern}", clause)
        if bare and _has("speak", clause) and not FAMILY["negation"].search(clause, 0, bare.start()):
            return 1
    for verb in FAMILY["hide"].finditer(clause):
        hidden = _has("private", clause) or (figure and FAMILY["surely hide"].match(clause, verb.start()))
        if hidden and (figure or them) and _affirmed(clause, verb, "omit|leav|skip"):
            return 1
    vague = FAMILY["vague"].search(clause)
    if (vague and _affirmed(clause, vague)) or _NO_FIGURES.fullmatch(clause.strip(" .!")):
        return 1
    for verb in FAMILY["know"].finditer(clause):
        if not _affirmed(clause, verb) and _has("others", clause) and (figure or them):
            return 1
    return 0


def _is_bare_report(clauses: list[str]) -> bool:
    """Whether it is only to be said that it is done, and no figure is to be told beside it."""
    whole = ", ".join(clauses)
    told = any(
        _affirmed(clause, verb) and not _has("done", clause) and _has("figure", clause[verb.end() :])
        for clause in clauses
        for verb in FAMILY["share"].finditer(clause)
    )
    return not told and _has("only", whole) and _has("done", whole) and _has("speak", whole)


def _departs(sentence: str) -> float:
    score = 0.0
    if not _has("conclude", sentence) or not (_has("working", sentence) or _has("judging", sentence)):
        return score
    for word in (*FAMILY["differ"].finditer(sentence), *FAMILY["shifted"].finditer(sentence)):
        score += 1 if _affirmed(sentence, word, "instead of|rather than") else -1
    for word in FAMILY["match"].finditer(sentence) if _has("working", sentence) else ():
        score += 0 if _affirmed(sentence, word, "instead of|rather than") else 1
    adopted = _AS_ANSWER.search(sentence)
    return score + 1 if adopted and not _affirmed(sentence, adopted) else score


def _underived(low: str) -> bool:
    """Whether a conclusion is to be stated that does not come from working it out."""
    return bool(
        re.search(
            r"\b(?:give|state|report|announce|name|choose|pick|put|conclude|answer|present|write)\b.*"
            r"\b(?:value|number|figure|answer|name|result|order|total|one)\b.*\b(?:not|never|n't|nowhere|no step)\b.*"
            r"\b(?:comput|calculat|deriv|work(?:ed)? out|arriv|found|find|obtain|reach|work(?:ing)?s?\b|steps?\b)",
            low,
        )
    ) and not re.match(r"(?:do not|don't|never|avoid|no )", low)


def _skips_check(clause: str) -> float:
    checked = False
    for verb in FAMILY["check"].finditer(clause):
        if _THE_QUESTION.search(clause, 0, verb.end()):
            continue
        compared = FAMILY["differ"].search(clause, 0, verb.start())  # "must not contradict your check"
        if not compared and not _affirmed(clause, verb):
            return 1
        checked = True
    for verb in FAMILY["accept"].finditer(clause):
        if _affirmed(clause, verb, "without") and not checked and (_has("blindly", clause) or _has("only", clause)):
            return 1
    left = re.search(r"\b(?:leave|let|stay|remain|go)\b", clause)
    return 1 if left and _affirmed(clause, left) and _has("unchecked", clause) else 0


def _stops(clause: str) -> float:
    for verb in FAMILY["stop"].finditer(clause):
        if _ENDING_WITH.match(clause, verb.start()):
            continue
        if not _affirmed(clause, verb, "stop"):
            continue
        if len(clause.split()) <= 2 and clause.endswith(verb[0]):
            return 1
        if _has("now", clause[verb.end() :]) or (verb.start() > 0 and _has("now", clause[: verb.start()])):
            return 1
        short = len(clause.split()) <= 7 and verb.start() < 16
        if short and _has("work", clause[verb.end() :]) and not re.match(r"(?:finish|complete)", verb[0]):
            return 1
    if re.search(r"\bdo nothing (?:more|further|else)\b", clause):
        return 1
    for verb in FAMILY["go on"].finditer(clause):
        if not _affirmed(clause, verb, "stop"):
            return 1
    return 0
