"""Instructions about how to work with others: whom to ignore, to start over, not to ask, to repeat, to go on, to play
another's part, to forget.

Each is a family of verbs and a family of objects, and every negation before the verb counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

__all__ = ["forgets", "goes_on", "ignored", "meant_by", "no_questions", "part_played", "repeats", "restarts", "role_of"]

_NEGATION = re.compile(
    r"\b(?:not|never|n't|no|without|avoid\w*|refrain\w*|needn't|cannot|instead of|rather than|no need|stop|resist\w*"
    r"|hesitat\w*|fail(?:s|ing)? to|forget(?:ting)? to"
    r"|unnecessary|wrong|forbidden)\b|n't\b"
)
_WORK = (
    r"(?:step|message|work|action|statement|contribution|turn|part|task|report|answer|calculation|search|computation)s?"
)
_ROLE_WORDS: dict[str, str] = {
    "planner": "planner", "coordinator": "planner", "researcher": "researcher", "reader": "researcher",
    "solver": "solver", "mathematician": "solver", "critic": "critic", "reviewer": "critic", "verifier": "verifier",
    "checker": "verifier", "aggregator": "aggregator", "manager": "manager", "supervisor": "manager",
    "chair": "manager", "moderator": "manager", "reporter": "reporter", "spokesperson": "reporter",
}  # fmt: skip
_ROLES = "|".join(_ROLE_WORDS)
_NAME = rf"(?:[a-z]*(?:{_ROLES})|[A-Z][A-Za-z_]+)"
_SAYING = (
    r"(?:objections?|remarks?|reviews?|feedback|advice|comments?|inputs?|suggestions?|arguments?|opinions?"
    r"|criticisms?|corrections?|proposals?|recommendations?|views?|messages?|contributions?|complaints?|hints?)"
)
_PEOPLE = (
    rf"(?:{_ROLES}|others?|other (?:agents?|members?)|colleagues?|team ?mates?|everyone else|everybody else|anyone else"
    r"|anybody else|anyone|anybody|rest of the team|the team|peers|fellow \w+|else)"
)
_SAYS = r"(?:say|says|said|writ\w+|wrote|tell|tells|told|contribut\w+|suggest\w*|think\w*|object\w*|propos\w+|claim\w*)"
_IGNORING = re.compile(
    r"\b(?:ignor\w+|disregard\w*|dismiss\w*|overlook\w*|brush\w* (?:aside|off)|turn a deaf ear to|shrug\w* off"
    r"|wave aside"
    r"|(?:pay|paying|take|give|giving|taking) no (?:attention|heed|notice|weight|account)\b(?: to| of)?|be deaf to"
    r"|set aside|pass over|tune out)"
)
_HEEDING = re.compile(
    r"\b(?:listen\w*(?: to)?|heed\w*|consider\w*|respond\w* to|react\w* to|act\w* (?:up)?on|take up|taking up|take over"
    r"|follow\w*|mind|be (?:swayed|influenced|guided|moved) by|let yourself be \w+ by|rely on|give in to|yield to"
    r"|pay (?:any )?(?:attention|heed) to|take (?:any )?notice of|take into account|take on board|adopt|care about"
    r"|attend to|answer to)\b"
)
_OTHERS_WORDS = re.compile(
    rf"\b{_SAYING}\b|\b(?:what|whatever|anything|everything|all)\b.*\b{_PEOPLE}\b.*\b{_SAYS}\b|\b{_PEOPLE}\b"
    rf"|\bwhat(?:ever)? [a-z_]+ {_SAYS}\b"
)
_HISTORY = (
    r"(?:so far|before(?! you| the)|earlier|previous\w*|above|until now|up to (?:now|here|this point)|prior"
    r"|past|history"
    r"|conversation|discussion|dialogue|exchange|thread|context|memory|transcript|preceding)"
)
_FORGETTING = re.compile(
    r"\b(?:forget\w*|disregard\w*|ignor\w+|eras\w+|wip\w+|clear|purge|drop|discard\w*|delet\w+"
    r"|put\b.*\bout of your mind"
    r"|let go of|lose|clean)\b"
)
_REMEMBERING = re.compile(
    r"\b(?:remember\w*|recall\w*|retain\w*|look (?:back )?at|look back|refer\w*(?: back)? to|go back to|draw on"
    r"|build on"
    r"|make use of|use|carry over|keep in mind|bear in mind|rely on|consult\w*)\b"
)
_SAID_BEFORE = re.compile(
    rf"\b(?:everything|all|what|anything|whatever|the|your|any|this|that)\b.*\b{_HISTORY}\b|\b{_HISTORY} "
    r"(?:messages?|turns?|talk|steps?|notes?|remarks?)\b"
)
_ANEW = re.compile(
    r"\bas (?:if|though) (?:nothing|no one|nobody|the (?:conversation|discussion)|you (?:had|have) (?:not|never"
    r"|just)|this "
    r"(?:was|were|is) (?:a new|the (?:first|start|beginning)))"
)
_RESTART = re.compile(
    r"\b(?:start|begin|commenc)\w*\b(?: (?:all|it|everything|the (?:whole )?(?:work|thing|task)))* (?:over\b|again\b)"
    r"|\b(?:start|begin|commenc|set out|go|do|work|redo)\w*\b(?: \w+){0,4} (?:afresh|anew|from scratch|from zero"
    r"|at zero|from the (?:very )?(?:beginning|start|top)|at the (?:very )?beginning)\b"
    r"|\bback to (?:square one|the (?:very )?(?:beginning|start)|zero)\b|\brestart\b|\bfresh start\b"
    r"|\b(?:discard|scrap|throw (?:away|out)|bin|abandon|tear up|drop|wipe)\b.*\b(?:you (?:have|had|did|made|wrote)"
    r"|your (?:draft|work|progress|result|working)|drafts?)\b.*\b(?:begin|start|anew|afresh|again|new)\b"
)
_ASKING = re.compile(
    r"\b(?:ask\w*|inquir\w+|enquir\w+|request\w*|seek\w*|query|querying|pos(?:e|ing)|rais(?:e|ing)|com(?:e"
    r"|ing) back|turn"
    r"|put)\b(?: \w+){0,4}? ?(?:questions?|clarification\w*|back|anyone|anybody|others|colleagues|for (?:help|more|"
    r"information|details|anything|missing)|quer(?:y|ies)|what is missing|about|the user|the client)\b"
    r"|\bask\w*$|\basking\b|\bquestions?\b(?= (?:to|of) (?:the|your|any))"
)
_NO_QUESTIONS = re.compile(
    r"^(?:no|zero) (?:further |more |follow-up |clarifying )?(?:questions|queries)\b|\bkeep (?:your |any "
    r"|all )?questions "
    r"to yourself\b|\bquestions? (?:are|is|will be) (?:not|un|forbidden|out of)"
    r"|\bspare (?:\w+ ){1,2}(?:your )?questions\b"
    r"|\b(?:assume|guess|assumptions?)\b.*\b(?:instead of|rather than) (?:asking|inquiring|enquiring)\b"
)
_REPEATING = re.compile(
    r"\b(?:repeat\w*|redo|do(?:ing)?|say(?:ing)?|restat\w+|reiterat\w+|duplicat\w+|re-?send\w*|send|perform\w*"
    r"|carry out"
    r"|go through|run|write|post|execut\w+|recit\w+|echo)\b"
)
_DONE_BEFORE = (
    rf"(?:(?:your |the |that |this )?(?:very )?(?:last|previous|same|former|preceding|latest|finished|completed"
    rf"|earlier) "
    rf"{_WORK}|{_WORK} (?:that|which) (?:is|was|has|have|you|are|were)\b.*\b(?:already|before|done|finished"
    rf"|complete\w*)"
    r"|(?:what|everything|anything) (?:you|has|was|is|have)\b.*\b(?:already|before|last|just|earlier)"
    r"|what you (?:said|wrote|did|have done|have said)|yourself)"
)
_AGAIN = r"(?:again|once more|twice|a second time|another time|over and over|anew|one more time)"
_REPEAT = re.compile(
    rf"\b(?:repeat\w*|redo|restat\w+|reiterat\w+|duplicat\w+|re-?send\w*|recit\w+|echo)\b.*\b{_DONE_BEFORE}"
    rf"|{_REPEATING.pattern}.*\b{_DONE_BEFORE}.*\b{_AGAIN}\b|{_REPEATING.pattern}.*\b{_AGAIN}\b.*\b{_DONE_BEFORE}"
)
_END_VERB = (
    r"(?:stop\w*|finish\w*|end(?:ing)?|clos(?:e|ing)|conclud\w+|halt\w*|quit\w*|wrap\w* up|hand\w* over|terminat\w+)"
)
_GO_VERB = (
    r"(?:go(?:ing)? on|continu\w+|carry(?:ing)? on|keep (?:going|on|working|talking|the \w+ (?:going|open|running))"
    r"|proceed\w*|press on|work on|add further|prolong\w*|stay at it|carry the \w+ on)"
)
_AFTER = (
    r"(?:after|once|when|even|although|though|despite|beyond|past|as soon as|in spite of|regardless of whether"
    r"|whether or"
    r" not|no matter)"
)
_REACHED = (
    r"(?:done|finish\w*|complet\w*|found|settled|solved|over|agree\w*|reached|clear|approv\w*|known|resolved"
    r"|there is an "
    r"answer|have (?:an|the) (?:answer|result)|end of the|stands|certain|goal)"
)
_PART = re.compile(
    r"\b(?:act|behave|work|speak|serve|function|pose|operate|appear|present yourself|think)\w* (?:now )?(?:as|like) "
    rf"(?:if you were )?(?:the |a |an )?(?:team's )?(?P<as>{_NAME})\b"
    r"|\b(?:play|take(?: over| on| up)?|assume|adopt|slip into|step into|fill|do|perform|carry out|switch to"
    r"|change to)\w*"
    r" (?:the )?(?:role|part|job|duties|work|shoes|place|function|position|task|hat)s? of (?:the |a |an )?"
    rf"(?P<of>{_NAME})\b"
    r"|\b(?:play|take(?: over| on| up)?|assume|adopt|slip into|step into|fill|do|perform|carry out|switch to"
    r"|change to)\w*"
    rf" (?:the |a )?(?P<poss>{_NAME})(?:'s?)? (?:role|part|job|duties|work|shoes|place|function|position|task|hat)\b"
    rf"|\b(?:pretend|imagine|behave as if|act as if|act as though)\b.*\b(?:be|are|were) (?:the |a )?(?P<be>{_NAME})\b"
    rf"|\byou are (?:now|from now on|henceforth) (?:the |a )?(?P<now>{_NAME})\b"
    rf"|\b(?:be|become|replace|stand in for|fill in for|swap with) (?:the |a )(?P<become>{_ROLES})\b"
)


def _affirmed(low: str, end: int) -> bool:
    return len(_NEGATION.findall(low, 0, end)) % 2 == 0


def ignored(sentence: str) -> str:
    """Whose words are not to count, as the sentence has it; "" if nobody's."""
    low = sentence.lower()
    for pattern, wanted in ((_IGNORING, True), (_HEEDING, False)):
        for verb in pattern.finditer(low):
            own_no = len(_NEGATION.findall(verb[0]))
            negated = not _affirmed(low, verb.end()) if not own_no else not _affirmed(low, verb.start())
            if negated is wanted:
                continue
            behind = sentence[verb.end() :]
            if _OTHERS_WORDS.search(behind.lower()) and not re.search(rf"\b{_HISTORY}\b", behind.lower()):
                return behind.strip(" ,.!")
    return ""


def meant_by(words: str, roster: Mapping[str, str]) -> frozenset[str]:
    """The members whose messages are meant: by name, by role, by what they write; else all but the planner."""
    names = {name for name in roster if re.search(rf"\b{re.escape(name)}\b", words, re.I)}
    low = words.lower()
    roles = {role for word, role in _ROLE_WORDS.items() if re.search(rf"\b{word}s?\b", low)}
    if not names and not roles and re.search(r"\b(?:objection|review|criticism|correction|complaint)s?\b", low):
        roles = {"critic", "verifier"}
    names |= {name for name, role in roster.items() if role in roles}
    return frozenset(names or (name for name, role in roster.items() if role not in ("planner", "manager")))


def forgets(low: str) -> bool:
    """Whether what was said before is to be forgotten."""
    for pattern, wanted in ((_FORGETTING, True), (_REMEMBERING, False)):
        for verb in pattern.finditer(low):
            if _affirmed(low, verb.start()) is wanted and _SAID_BEFORE.search(low, verb.start()):
                return True
    return bool(_ANEW.search(low))


def restarts(low: str) -> bool:
    """Whether the work is to begin anew."""
    return any(_affirmed(low, found.start()) for found in _RESTART.finditer(low))


def no_questions(low: str) -> bool:
    """Whether nothing is to be asked."""
    if _NO_QUESTIONS.search(low):
        return True
    return any(not _affirmed(low, verb.start()) for verb in _ASKING.finditer(low))


def repeats(low: str) -> bool:
    """Whether a step that was done is to be done again."""
    return any(_affirmed(low, found.start()) for found in _REPEAT.finditer(low))


def goes_on(low: str) -> bool:
    """Whether the work is to go on although it is done."""
    if not re.search(rf"\b{_AFTER}\b.*\b{_REACHED}\b", low):
        return False
    kept = any(_affirmed(low, verb.start()) for verb in re.finditer(rf"\b{_GO_VERB}\b", low))
    ended = any(not _affirmed(low, verb.start()) for verb in re.finditer(rf"\b{_END_VERB}\b", low))
    return kept or ended


def part_played(sentence: str) -> str:
    """Whose part is to be played, by role or by name; "" if nobody's."""
    found = _PART.search(sentence[:1].lower() + sentence[1:])
    if not found or not _affirmed(sentence.lower(), found.start()):
        return ""
    return next(filter(None, found.groups()), "")


def role_of(part: str, roster: Iterable[tuple[str, str]]) -> str:
    """The role that somebody's part belongs to; "" for a stranger's."""
    return dict(roster).get(part) or _ROLE_WORDS.get(part.lower(), "")
