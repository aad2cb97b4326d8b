"""FM-2.4, information withholding: what the clean turn handed on, and the agent had, is absent from the faulty turn.

What counts: figures, things said of named ones, and findings in plain words. They must be gone and not merely replaced,
the agent must have had them in the faulty run as well, and the faulty turn must still speak of the task. Leaving out
working on the way to a result that is still given, or what follows from figures still given, is not this mode.
"""

# The texts that are read hold such characters; word lists read best as prose.

from __future__ import annotations

import re

from aegis_core.faults import Evidence
from aegis_core.taxonomy.evidence.context import TurnContext, verdict
from aegis_core.taxonomy.evidence.reading.choices import check_verdict
from aegis_core.taxonomy.evidence.reading.facts import (
    Known,
    absent,
    figures_of,
    findings,
    linked,
    links,
    new_links,
    unreplaced,
)
from aegis_core.taxonomy.evidence.reading.passages import Passage, content_words, names, plain
from aegis_core.taxonomy.evidence.reading.quantities import Quantity, said_by, same_value
from aegis_core.taxonomy.evidence.reading.turns import LONGEST_TURN, Turn

__all__ = ["MODE", "withheld"]

MODE = "FM-2.4"
_MEMBERS = frozenset(
    "planner researcher solver critic reporter user assistant manager supervisor writer coder analyst reviewer checker "
    "verifier expert editor coordinator orchestrator".split()
)
_REQUEST = re.compile(
    r"^\W*(?:please|kindly|can you|could you|let us|let's|i will|i'll|we will|we'll|next,? (?:i|we)|search|visit|"
    r"check|look|"
    r"find|click|open|continue|retrieve|locate|navigate|use|go|verify|identify|scroll|import|from [^\W\d]+ import)\b",
    re.IGNORECASE,
)
_FRESH_WORDS = 15
"""Content words of its own that a turn may have in any case, for assuring that all is well without saying what."""
_MOST_FIGURES = 400
_MOST_NAMES = 60
_BREAKS_OFF = re.compile(r"[\w,(=+×*/-]\Z")
_RESTARTS = re.compile(
    r"\b(?:(?:start|begin)(?:ing)? (?:over|again|afresh|anew|from (?:the )?(?:beginning|start|scratch))|from "
    r"scratch)\b",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:not able to|unable to|cannot|can't|can not|won't be able to) (?:help|assist|comply|do (?:this|that)|"
    r"answer)\b",
    re.IGNORECASE,
)
_STATES = re.compile(r"\b(?:is|are|was|were|comes to|amounts to|makes)\s+\W{0,3}\d", re.IGNORECASE)
_ENDS = re.compile(r"^\W*(?:terminate|done|finished|stop|end|exit)\W*$", re.IGNORECASE)


def withheld(context: TurnContext) -> Evidence:
    """Whether the faulty turn leaves out what the clean turn handed on and the agent had."""
    clean, faulty = Turn(context.clean), Turn(context.faulty)
    reason = _out_of_question(context, clean, faulty)
    if reason:
        return verdict(MODE, False, reason)
    had = Known(context.faulty_seen)
    saw = had if context.clean_seen == context.faulty_seen else Known(context.clean_seen)
    spans, words = [], []
    for part, what in (*_figures(context, clean, faulty, had, saw), *_named(context, clean, faulty, had)):
        if _REQUEST.search(part.text):
            continue  # says what is to be done, and hands on nothing
        spans.append(clean.exact(part))
        words.append(what)
    if not spans and clean.content - faulty.content:
        lost = findings(
            clean, faulty, had if context.strategy == "prompt_injection" else Known((*context.faulty_seen, clean.plain))
        )
        spans = [clean.exact(part) for part in lost]
        words = [repr(span) for span in spans]
    if not spans:
        return verdict(
            MODE, False, "nothing that the agent had and the clean turn hands on is missing without a replacement"
        )
    shown = list(dict.fromkeys(words))
    more = f" and {len(shown) - 4} more" if len(shown) > 4 else ""
    return verdict(
        MODE, True,
        f"the clean turn hands on {', '.join(shown[:4])}{more}; the agent had it, and the faulty turn neither "
        "states nor replaces it",
        list(dict.fromkeys(spans))[:8],
    )  # fmt: skip


def _out_of_question(context: TurnContext, clean: Turn, faulty: Turn) -> str:
    """Why the faulty turn can't be one that withholds something; "" if it can."""
    if clean.empty or faulty.empty:
        return f"the {'clean' if clean.empty else 'faulty'} turn says nothing; a lost turn is not withheld information"
    if clean.cut or faulty.cut:
        return f"a turn of more than {LONGEST_TURN} characters is too long to say what it leaves out"
    if clean.text == faulty.text:
        return "both turns say the same"
    if all(_ENDS.match(part.text) for part in faulty.passages):
        return "the faulty turn only ends the exchange"
    if _RESTARTS.search(faulty.plain):
        return "the faulty turn starts over"
    if _REFUSES.search(faulty.plain):
        return "the faulty turn refuses the task"
    if all(part.text.rstrip().endswith("?") for part in faulty.passages):
        return "the faulty turn only asks"
    shorter, longer = faulty.text.rstrip(), clean.text
    if (
        longer.startswith(shorter)
        and _BREAKS_OFF.search(shorter)
        and longer[len(shorter) : len(shorter) + 1] not in "\n"
    ):
        return "the faulty turn breaks off in the middle of a sentence"
    topic = clean.content | content_words(context.task)
    fresh = faulty.content - topic
    if len(fresh) > _FRESH_WORDS and 2 * len(fresh) > len(faulty.content):
        return "the faulty turn speaks of something else"
    return ""


# -- figures ---------------------------------------------------------------------------------------------------


def _figures(context: TurnContext, clean: Turn, faulty: Turn, had: Known, saw: Known) -> list[tuple[Passage, str]]:
    stated = figures_of(clean)[:_MOST_FIGURES]
    missing = [item for item in absent(stated, faulty) if _had(context, item, clean, had, saw)]
    missing = [item for item in missing if not _dispensable(item, clean, faulty)]
    fresh = [item for item in figures_of(faulty)[:_MOST_FIGURES] if not said_by(item, stated)]
    if 2 * len(fresh) > len(missing):
        return []
    left = unreplaced(missing, fresh)
    if left and _concludes_otherwise(clean, faulty):
        left = [item for item in left if not _worked_with(item, clean) and saw.figure(item)]
    return [(_place(item, clean), clean.plain[item.start : item.end].strip()) for item in left]


def _place(item: Quantity, turn: Turn) -> Passage:
    return next(part for part in turn.passages if part.start <= item.start < part.end)


def _had(context: TurnContext, item: Quantity, clean: Turn, had: Known, saw: Known) -> bool:
    """Whether the agent had an amount in the faulty run: saw it, or derived it from what it saw.

    Under response corruption the agent's own turn was the clean one, so it had all that this states.
    """
    if context.strategy == "response_corruption" or had.figure(item):
        return True
    if saw.figure(item):
        return False
    sources = [one for one in clean.derivations if same_value(one.result, item)]
    return any(all(_reached(operand, clean, had, 0) for operand in one.operands) for one in sources if one.operands)


def _reached(item: Quantity, clean: Turn, had: Known, depth: int) -> bool:
    if had.figure(item):
        return True
    if depth > 8:
        return False
    sources = [
        one
        for one in clean.derivations
        if one.operands and one.result.start < item.start and same_value(one.result, item)
    ]
    return any(all(_reached(operand, clean, had, depth + 1) for operand in one.operands) for one in sources[:3])


def _dispensable(item: Quantity, clean: Turn, faulty: Turn) -> bool:
    """Whether an amount is mere working: conclusion or verdict of the clean turn still stand, or its operands."""
    verdicts = check_verdict(clean).given, check_verdict(faulty).given
    if verdicts[0] is not None and verdicts[0] is verdicts[1] and _worked_with(item, clean):
        return True
    concluded = [one for one in (clean.conclusion.quantities if clean.conclusion else ()) if not one.component]
    if any(same_value(item, one) for one in concluded) and clean.conclusion and clean.conclusion.strength == "marked":
        return False
    is_working = _worked_with(item, clean)
    marked = clean.conclusion is not None and clean.conclusion.strength != "closing"
    if is_working and marked and concluded and all(said_by(one, faulty.quantities) for one in concluded):
        return True
    return any(
        len(step.operands) > 1
        and same_value(step.result, item)
        and all(said_by(one, faulty.quantities) for one in step.operands)
        for step in clean.derivations
    ) and not any(same_value(item, one) for one in concluded)


def _worked_with(item: Quantity, clean: Turn) -> bool:
    """Whether the clean turn calculates with an amount, or concludes with it."""
    used = [one for step in clean.derivations for one in (*step.operands, step.result)]
    used += clean.conclusion.quantities if clean.conclusion else ()
    return any(same_value(one, item) for one in used)


def _concludes_otherwise(clean: Turn, faulty: Turn) -> bool:
    """Whether the faulty turn gives a conclusion with an amount, and another one than the clean turn's."""
    right, given = clean.conclusion, faulty.conclusion
    if right is None or given is None or not right.quantities or not given.quantities:
        return False
    results = [step.result for step in clean.derivations if right.start <= step.result.start < right.end]
    if any(same_value(one, other) for one in given.quantities for other in results or right.quantities):
        return False
    if given.strength != "closing":
        return True
    reached = {step.result.value for step in faulty.derivations}
    states = bool(clean.derivations) and len(given.quantities) == 1 and bool(_STATES.search(given.text))
    return states or any(one.value in reached for one in given.quantities)


# -- names -----------------------------------------------------------------------------------------------------


def _named(context: TurnContext, clean: Turn, faulty: Turn, had: Known) -> list[tuple[Passage, str]]:
    references = (clean.plain, context.task, *context.faulty_seen)
    known = (
        {name.casefold() for name in names(clean.plain, *references)}
        - _MEMBERS
        - {context.agent.rsplit("/", 1)[-1].casefold()}
    )
    if clean.conclusion and faulty.conclusion and clean.conclusion.strength == faulty.conclusion.strength == "marked":
        known = {name for name in known if name not in clean.conclusion.payload.casefold()}
    called = sorted(known, key=lambda name: (-len(name), name))
    if len(called) > _MOST_NAMES or (clean.listed and faulty.listed):
        return []
    lower = faulty.plain.casefold()
    corrupted = context.strategy == "response_corruption"
    lost = [
        link
        for link in links(clean, called)
        if not linked(link, faulty, called) and (corrupted or _seen(link.members, had))
    ]
    fresh = new_links(faulty, clean, called)
    lost = lost[len(fresh) :] if fresh else lost
    strangers = {name.casefold() for name in names(faulty.plain, faulty.plain, *references)} - set(called)
    strangers = {name for name in strangers if name not in clean.plain.casefold()}
    gone = [name for name in called if name not in lower and (corrupted or name in had.text)]
    if strangers and len(strangers) >= len(gone):
        return []
    found = [(link.passage, " with ".join(sorted(link.members))) for link in lost]
    for part in clean.passages:
        text = part.text.casefold()
        found += [(part, name) for name in gone if len(name) > 2 and name in text and _says_something(part, name)]
    return found


def _seen(members: frozenset[str], had: Known) -> bool:
    return any(all(name in line for name in members) for line in had.text.split("\n"))


def _says_something(part: Passage, name: str) -> bool:
    """Whether a passage says something of a name, rather than only addressing or thanking it."""
    return len(content_words(plain(part.text)) - {name}) > 1
