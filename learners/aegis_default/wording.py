"""Wording by which people and models say what happened: that something failed, is missing, assumed or done.

General English of conversations and tools, not that of any one system.
"""

from __future__ import annotations

import re

__all__ = [
    "ACCEPTING",
    "ADDING",
    "CLOSING",
    "DISPUTING",
    "FAILED",
    "FRUITLESS",
    "INVENTED",
    "LACKING",
    "LOOSE",
    "OPEN",
    "quote",
]


def _any(*patterns: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), flags)


FAILED = _any(
    r"Traceback \(most recent call last\)",
    r"exit ?code:? *[1-9]\d*",
    r"execution failed",
    r"\b\w*(?:Error|Exception):",
    r"\bHTTP(?: Error)? ?[45]\d\d\b",
    r"\bError [45]\d\d\b",
    r"[Nn]o such file",
    r"command not found",
    r"[Pp]ermission denied",
    r"[Tt]imed out",
    flags=re.NOFLAG,
)
"""A tool says that it failed. With case, so that prose about errors is not meant."""

INVENTED = _any(
    r"\bhypothetical(?:ly)?\b",
    r"\bplaceholders?\b",
    r"\b(?:mock|dummy|fake|made-up|fictitious|synthetic) (?:data|values?|"
    r"results?|entr(?:y|ies)|figures?|list|content)\b",
    r"\bsimulated? (?:data|values?|results?|responses?|figures?|output)\b",
    r"\b(?:example|sample) (?:data|values?|figures?)\b",
    r"\bfor (?:the sake of|illustrati\w+|demonstration)\b",
    r"\b(?:let(?:'|’)?s|let us|we(?: can| could| must| will)?|i(?: will|'ll)?) (?:assume|suppose|imagine|pretend)\b",
    r"\bassuming (?:that |we |the |i )",
    r"\b(?:my|an educated|a reasonable|best) guess\b",
    r"\byour[_ ]api[_ ]key\b",
)
"""Something is taken for granted or made up."""

FRUITLESS = _any(
    r"\b(?:did|do|does|has|have|was|were|is|are)(?: not|n['’]t)(?: \w+){0,2} (?:yield|return|provide|find|found|"
    r"contain|list|give|include|locate|available|accessible|produce|help|identified|obtained)\w*",
    r"\b(?:unable|not able|failed|impossible) to (?:\w+ )?(?:find|locate|access|retrieve|obtain|open|extract|get|"
    r"identify|verify|load|view)\b",
    r"\b(?:could not|couldn['’]t|cannot|can['’]t) (?:\w+ )?(?:find|locate|access|"
    r"retrieve|obtain|open|extract|identify|verify|load)\b",
    r"\bno (?:relevant|useful|specific|such|new|further|direct) "
    r"(?:information|results?|data|entr(?:y|ies)|mention|progress)\b",
    r"\bwithout (?:success|finding|obtaining)\b",
    r"\b(?:irrelevant|unrelated) (?:results?|information|content)\b",
)
"""What was tried brought nothing."""

LACKING = _any(
    r"\b(?:do|does|did)(?: not|n['’]t) (?:tell|say|state|give|mention|include|contain|show|name)\b",
    r"\bis missing\b",
    r"\bare missing\b",
    r"\bmissing (?:information|data|figures?|values?|facts?)\b",
    r"\b(?:unknown|not known) to (?:me|us)\b",
    r"\bwithout (?:it|them|that|this|these|those|the|any) \b",
    r"\b(?:was|were|is|are|have|has)(?: not|n['’]t|n['’]t been"
    r"| not been| never) (?:given|provided|told|stated|passed|reported|supplied|mentioned)\b",
    r"\b(?:is|are|was|were)(?: not|n['’]t) (?:in|among|part of)\b",
    r"\b(?:would|i|we) need to know\b",
    r"\black(?:s|ing)?\b",
    r"\bnot enough (?:information|data)\b",
)
"""Somebody lacks what they need for their part."""

OPEN = _any(
    r"\bno (?:final )?(?:answer|result|solution|conclusion)\b",
    r"\b(?:stays|remains|left) (?:open|unanswered|unsolved|unknown)\b",
    r"\b(?:can(?:not|['’]t| not)|could(?: not|n['’]t)) (?:be )?(?:answer|determin|solv|comput|"
    r"calculat|conclud|say|state)\w*",
    r"\bunanswered\b",
    r"\binsufficient (?:information|data)\b",
)
"""The question was not answered."""

DISPUTING = _any(
    r"\b(?:is|was|are|seems|looks) (?:wrong|incorrect|mistaken|false|not (?:right|correct|true))\b",
    r"\b(?:mistake|error|slip|discrepancy) in\b",
    r"\binstead of\b",
    r"\bshould (?:be|have been)\b",
    r"\bobject(?:ion)?s? to\b",
    r"\bdisagree\b",
    r"\bdoes(?: not|n['’]t) (?:match|agree|add up|hold|follow)\b",
    r"\bcontradict\w*\b",
)
"""Somebody objects."""

ACCEPTING = _any(
    r"\b(?:looks?|seems?|appears?) (?:good|right|correct|fine|reasonable|plausible|to be (?:right|correct|accurate))\b",
    r"\b(?:i|we) (?:agree|concur|confirm|approve|trust)\b",
    r"\b(?:approved|confirmed|verified|no objections?)\b",
    r"\bcarefully (?:verified|checked|followed)\b",
    r"\bas (?:previously|already) (?:verified|confirmed|established)\b",
)
"""Somebody lets something pass."""

CLOSING = _any(
    r"\bTERMINATE\b",
    r"\brequest (?:is |has been )?satisfied\b",
    r"\btask (?:is |has been |as )?(?:now )?(?:complete|completed|"
    r"done|solved)\b",
    r"\b(?:conclude|end|close|finali[sz]e) (?:the|this|our) (?:task|conversation|session|discussion)\b",
)
"""Somebody wants to end the work."""

LOOSE = _any(
    r"\b(?:about|around|approximately|roughly|nearly|almost|some|at least|at most|more than|less than|over|under|up to)"
    r"(?= [€$£]?\d)",
    r"\bbetween (?=[€$£]?\d)",
    r"\b\d[\d.,]* ?(?:-|–|to) ?\d[\d.,]*(?= ?[a-z%])",
)
"""A figure is given as a range or as a round one."""

ADDING = _any(r"\bapprox\w*", r"\bestimate\w*", r"\brough\w*", r"\bround\w*", r"\brange\b", r"\bhow (?:likely|close)\b")
"""A task allows figures that are not exact."""


def quote(text: str, start: int, end: int, around: int = 48) -> str:
    """The words around a place in a text, on one line and in quotation marks, cut at word boundaries."""
    first, last = max(0, start - around), min(len(text), end + around)
    while first and not text[first - 1].isspace() and first > start - 2 * around:
        first -= 1
    while last < len(text) and not text[last].isspace() and last < end + 2 * around:
        last += 1
    words = " ".join(text[first:last].split())
    return f'"{"… " if first else ""}{words}{" …" if last < len(text) else ""}"'
