"""Wording by which people and models say what happened: that something failed, is missing, assumed or done.

General English of conversations and tools, not that of any one system.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce

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
    "Wording",
    "folded",
    "quote",
]


_LIKE_I = ("i\N{COMBINING DOT ABOVE}", "\N{LATIN SMALL LETTER DOTLESS I}")
"""What patterns without case take for an i, and folding does not."""
Form = tuple[str, tuple[str, ...]]
"""A pattern, and words one of which is in all that it matches, without case; none where it has to be tried anyway."""


class Wording:
    """Several patterns that are searched as one with `|` between them would be, but most texts need none of them tried.

    Whether a word occurs in a text is known far sooner than whether a pattern does.

    Args:
        forms: each pattern with words that it can't do without, in lower case.
        flags: of all patterns.
    """

    def __init__(self, forms: Sequence[Form], flags: re.RegexFlag = re.IGNORECASE) -> None:
        self.forms = [(re.compile(pattern, flags), words) for pattern, words in forms]

    def search(self, text: str) -> re.Match[str] | None:
        """The first match: of those that start at one place, that of the first pattern."""
        said = folded(text)
        first: re.Match[str] | None = None
        for pattern, words in self.forms:
            found = pattern.search(text) if not words or any(map(said.__contains__, words)) else None
            if found and (first is None or found.start() < first.start()):
                first = found
        return first


def folded(text: str) -> str:
    """A text without case, in which everything occurs that a pattern without case can find in it."""
    return reduce(lambda said, letter: said.replace(letter, "i"), _LIKE_I, text.casefold())


_NOT = (" not ", "n't ", "n’t ")

FAILED = Wording(
    (
        (r"Traceback \(most recent call last\)", ("traceback",)),
        (r"exit ?code:? *[1-9]\d*", ("exit",)),
        (r"execution failed", ("execution failed",)),
        (r"\b\w*(?:Error|Exception):", ("error:", "exception:")),
        (r"\bHTTP(?: Error)? ?[45]\d\d\b", ("http",)),
        (r"\bError [45]\d\d\b", ("error ",)),
        (r"[Nn]o such file", ("no such file",)),
        (r"command not found", ("command not found",)),
        (r"[Pp]ermission denied", ("permission denied",)),
        (r"[Tt]imed out", ("timed out",)),
    ),
    flags=re.NOFLAG,
)
"""A tool says that it failed. With case, so that prose about errors is not meant."""

INVENTED = Wording(
    (
        (r"\bhypothetical(?:ly)?\b", ("hypothetical",)),
        (r"\bplaceholders?\b", ("placeholder",)),
        (
            (
                r"\b(?:mock|dummy|fake|made-up|fictitious|synthetic) (?:data|values?|"
                r"results?|entr(?:y|ies)|figures?|list|content)\b"
            ),
            ("mock ", "dummy ", "fake ", "made-up ", "fictitious ", "synthetic "),
        ),
        (r"\bsimulated? (?:data|values?|results?|responses?|figures?|output)\b", ("simulate",)),
        (r"\b(?:example|sample) (?:data|values?|figures?)\b", ("example ", "sample ")),
        (
            r"\bfor (?:the sake of|illustrati\w+|demonstration)\b",
            ("for the sake of", "for illustrati", "for demonstration"),
        ),
        (
            (
                r"\b(?:let(?:'|’)?s|let us|we(?: can| could| must| will)?|i(?: will|'ll)?) "
                r"(?:assume|suppose|imagine|pretend)\b"
            ),
            (" assume", " suppose", " imagine", " pretend"),
        ),
        (r"\bassuming (?:that |we |the |i )", ("assuming ",)),
        (r"\b(?:my|an educated|a reasonable|best) guess\b", (" guess",)),
        (r"\byour[_ ]api[_ ]key\b", ("your_api", "your api")),
    )
)
"""Something is taken for granted or made up."""

FRUITLESS = Wording(
    (
        (
            (
                r"\b(?:did|do|does|has|have|was|were|is|are)(?: not|n['’]t)(?: \w+){0,2} (?:yield|return|provide|find|"
                r"found|contain|list|give|include|locate|available|accessible|produce|help|identified|obtained)\w*"
            ),
            _NOT,
        ),
        (
            (
                r"\b(?:unable|not able|failed|impossible) to (?:\w+ )?(?:find|locate|access|retrieve|obtain|open|"
                r"extract|get|identify|verify|load|view)\b"
            ),
            ("able to ", "failed to ", "impossible to "),
        ),
        (
            (
                r"\b(?:could not|couldn['’]t|cannot|can['’]t) (?:\w+ )?(?:find|locate|access|"
                r"retrieve|obtain|open|extract|identify|verify|load)\b"
            ),
            ("could not ", "couldn", "cannot ", "can't ", "can’t "),
        ),
        (
            (
                r"\bno (?:relevant|useful|specific|such|new|further|direct) "
                r"(?:information|results?|data|entr(?:y|ies)|mention|progress)\b"
            ),
            ("no relevant", "no useful", "no specific", "no such", "no new", "no further", "no direct"),
        ),
        (r"\bwithout (?:success|finding|obtaining)\b", ("without ",)),
        (r"\b(?:irrelevant|unrelated) (?:results?|information|content)\b", ("irrelevant ", "unrelated ")),
    )
)
"""What was tried brought nothing."""

LACKING = Wording(
    (
        (r"\b(?:do|does|did)(?: not|n['’]t) (?:tell|say|state|give|mention|include|contain|show|name)\b", _NOT),
        (r"\bis missing\b", ("is missing",)),
        (r"\bare missing\b", ("are missing",)),
        (r"\bmissing (?:information|data|figures?|values?|facts?)\b", ("missing ",)),
        (r"\b(?:unknown|not known) to (?:me|us)\b", ("known to ",)),
        (r"\bwithout (?:it|them|that|this|these|those|the|any) \b", ("without ",)),
        (
            (
                r"\b(?:was|were|is|are|have|has)(?: not|n['’]t|n['’]t been"
                r"| not been| never) (?:given|provided|told|stated|passed|reported|supplied|mentioned)\b"
            ),
            (*_NOT, " never "),
        ),
        (r"\b(?:is|are|was|were)(?: not|n['’]t) (?:in|among|part of)\b", _NOT),
        (r"\b(?:would|i|we) need to know\b", ("need to know",)),
        (r"\black(?:s|ing)?\b", ("lack",)),
        (r"\bnot enough (?:information|data)\b", ("not enough ",)),
    )
)
"""Somebody lacks what they need for their part."""

OPEN = Wording(
    (
        (
            r"\bno (?:final )?(?:answer|result|solution|conclusion)\b",
            ("no final ", "no answer", "no result", "no solution", "no conclusion"),
        ),
        (r"\b(?:stays|remains|left) (?:open|unanswered|unsolved|unknown)\b", ("stays ", "remains ", "left ")),
        (
            (
                r"\b(?:can(?:not|['’]t| not)|could(?: not|n['’]t)) (?:be )?(?:answer|determin|solv|comput|"
                r"calculat|conclud|say|state)\w*"
            ),
            ("cannot ", "can not ", "can't ", "can’t ", "could not ", "couldn"),
        ),
        (r"\bunanswered\b", ("unanswered",)),
        (r"\binsufficient (?:information|data)\b", ("insufficient ",)),
    )
)
"""The question was not answered."""

DISPUTING = Wording(
    (
        (
            r"\b(?:is|was|are|seems|looks) (?:wrong|incorrect|mistaken|false|not (?:right|correct|true))\b",
            (" wrong", " incorrect", " mistaken", " false", " not right", " not correct", " not true"),
        ),
        (r"\b(?:mistake|error|slip|discrepancy) in\b", ("mistake in", "error in", "slip in", "discrepancy in")),
        (r"\binstead of\b", ("instead of",)),
        (r"\bshould (?:be|have been)\b", ("should be", "should have been")),
        (r"\bobject(?:ion)?s? to\b", ("object",)),
        (r"\bdisagree\b", ("disagree",)),
        (r"\bdoes(?: not|n['’]t) (?:match|agree|add up|hold|follow)\b", ("does not ", "doesn")),
        (r"\bcontradict\w*\b", ("contradict",)),
    )
)
"""Somebody objects."""

ACCEPTING = Wording(
    (
        (
            (
                r"\b(?:looks?|seems?|appears?) (?:good|right|correct|fine|reasonable|plausible|"
                r"to be (?:right|correct|accurate))\b"
            ),
            ("look", "seem", "appear"),
        ),
        (
            r"\b(?:i|we) (?:agree|concur|confirm|approve|trust)\b",
            (" agree", " concur", " confirm", " approve", " trust"),
        ),
        (r"\b(?:approved|confirmed|verified|no objections?)\b", ("approved", "confirmed", "verified", "no objection")),
        (r"\bcarefully (?:verified|checked|followed)\b", ("carefully ",)),
        (r"\bas (?:previously|already) (?:verified|confirmed|established)\b", ("as previously ", "as already ")),
    )
)
"""Somebody lets something pass."""

CLOSING = Wording(
    (
        (r"\bTERMINATE\b", ("terminate",)),
        (r"\brequest (?:is |has been )?satisfied\b", ("satisfied",)),
        (
            (
                r"\btask (?:is |has been |as )?(?:now )?(?:complete|completed|"
                r"done|solved)\b"
            ),
            ("complete", "done", "solved"),
        ),
        (
            r"\b(?:conclude|end|close|finali[sz]e) (?:the|this|our) (?:task|conversation|session|discussion)\b",
            ("conclude ", "end ", "close ", "finali"),
        ),
    )
)
"""Somebody wants to end the work."""

LOOSE = Wording(
    (
        (
            (
                r"\b(?:about|around|approximately|roughly|nearly|almost|some|at least|at most|more than|less than|over|"
                r"under|up to)(?= [€$£]?\d)"
            ),
            (),
        ),
        (r"\bbetween (?=[€$£]?\d)", ()),
        (r"\b\d[\d.,]* ?(?:-|–|to) ?\d[\d.,]*(?= ?[a-z%])", ()),
    )
)
"""A figure is given as a range or as a round one."""

ADDING = Wording(
    (
        (r"\bapprox\w*", ()),
        (r"\bestimate\w*", ()),
        (r"\brough\w*", ()),
        (r"\bround\w*", ()),
        (r"\brange\b", ()),
        (r"\bhow (?:likely|close)\b", ()),
    )
)
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
