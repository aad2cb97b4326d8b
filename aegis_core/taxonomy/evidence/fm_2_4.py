"""FM-2.4, information withholding: what the clean turn handed on, and the agent had, is absent from the faulty turn.

Judged by what the agent hands on: what stays in a tool's result or in its thoughts is not passed on. The mark of
withholding is that something is missing and nothing came instead. So statements of the clean turn must be gone, the
faulty turn may say nothing of its own beyond that it has seen to the matter, and the agent must have had what is gone
in the faulty run as well. Leaving out the working on the way to a result that is still given is not this mode; nor is
leaving out what all those have who were to get it, from the task or from somebody else: nobody is kept from it.
"""

# Word lists read best as prose.

from __future__ import annotations

import re

from aegis_core.faults import Evidence
from aegis_core.taxonomy.evidence.context import TurnContext, verdict
from aegis_core.taxonomy.evidence.reading.choices import check_verdict
from aegis_core.taxonomy.evidence.reading.facts import Known, Statement, fresh_figures, is_cut, missing, statements
from aegis_core.taxonomy.evidence.reading.passages import content_words, words
from aegis_core.taxonomy.evidence.reading.quantities import said_by, same_value
from aegis_core.taxonomy.evidence.reading.turns import LONGEST_TURN, Turn

__all__ = ["MODE", "withheld"]

MODE = "FM-2.4"
_ASSURES = frozenset(words(
    "able add added asked available calculated calculation calculations checked clear collected compared complete "
    "computation computed computing concern concerns confidential conclusion count counted covers data delivery detail "
    "details disclose done everything examined few figure figures file find finding findings finished follow found "
    "fact facts gathered gone hand have hold information interesting issue issues keep kept know known leave list "
    "listed look looked looking looks lookup matter message more myself named need needed needs note noted noticed "
    "nothing now number numbers obtained own page part point possible prefer proceed problem problems processed "
    "question rather read ready reason reasons record recorded relevant report result results retrieved reveal review "
    "reviewed said saw search searched secret see seen several share showed shown some someone somebody something "
    "somewhere source specific specifics state step still studied sure tell thing things think took useful value "
    "values various verified went withhold work worked yourself"
))  # fmt: skip
"""Words for having seen to a matter without saying what came of it."""
_MOST_OWN = 3
"""Content words of its own that a turn may have beside these."""
_MOST_FRESH = 1
"""Figures of its own that a turn may have: a count, as a rule (`two remarks`)."""
_RESTARTS = re.compile(
    r"\b(?:(?:start|begin)(?:ing)? (?:over|again|afresh|anew|from (?:the )?(?:beginning|start|scratch))"
    r"|from scratch)\b",
    re.IGNORECASE,
)
_LACKS = re.compile(
    r"\b(?:(?:not able|unable) to|(?:can|could|did|does|do|was|were|is|are|has|have) ?(?:not|n't) (?:be |been )?"
    r"(?:help|assist|comply|do (?:this|that)|answer|say|tell|give|completed?|find|found|access(?:ed)?|know|available"
    r"|get|determine|retrieved?|load(?:ed)?|open(?:ed)?|have|see|work(?:ed)?|return(?:ed)?|reach(?:ed)?|received?"
    r"|executed?)|cannot|no (?:results?|data|access|code|information|output|record)|failed|empty)\b",
    re.IGNORECASE,
)
_KEEPS_BACK = re.compile(r"\bwill not\b|\bwon't\b|\brather not\b|\bnot (?:disclos|shar|reveal|pass)", re.IGNORECASE)
_HAS = re.compile(
    r"\b(?:I|we)(?: have|'ve|'m| am)? ?(?:also |now |just |already )?(?:[^\W\d_]+ed|have|know|found|went|got|read|made"
    r"|saw|took|kept|held|gone|done|seen|ready)\b|\b(?:has|have|had) been [^\W\d_]+|\b(?:was|were) [^\W\d_]+ed\b"
    r"|\b(?:done|ready|completed?|known)\b",
    re.IGNORECASE,
)
"""Says of its author, or of the matter, that it has been seen to."""
_ASKS = re.compile(
    r"^\W*(?:please|kindly|can you|could you|let us|let's|let me|i will|i'll|we will|we'll|i need|we need|next|to"
    r"|search|visit|check|look|find|click|open|continue|retrieve|locate|navigate|use|go|verify|identify|scroll"
    r"|import)\b|\?\W*$",
    re.IGNORECASE,
)
_BREAKS_OFF = re.compile(r"[\w,(=+×*/-]\Z")
_ENDS = re.compile(r"^\W*(?:terminate|done|finished|stop|end|exit)\W*$", re.IGNORECASE)
_TOKEN = re.compile(r"\w+")
_STATES = re.compile(r"\b(?:is|are|was|were|comes to|amounts to|makes)\s+\W{0,3}\d", re.IGNORECASE)


def withheld(context: TurnContext) -> Evidence:
    """Whether the faulty turn leaves out what the clean turn handed on and the agent had."""
    clean_said, faulty_said = context.handed_on
    clean, faulty, task = Turn(clean_said), Turn(faulty_said), Turn((context.task,))
    reason = _out_of_question(clean, faulty, task)
    if reason:
        return verdict(MODE, False, reason)
    lost = _had(_needed(missing(clean, faulty), clean, faulty, task), context, clean)
    if not lost:
        return verdict(
            MODE, False, "nothing that the agent had and the clean turn hands on is missing without a replacement"
        )
    lost = _kept_from_others(lost, context)
    if not lost:
        return verdict(MODE, False, "all who were to get what is missing have it from elsewhere")
    if not _left_over(lost, clean, faulty, task):
        return verdict(
            MODE, False, "the faulty turn is neither what is left of the clean one, nor says that the agent has it"
        )
    shown = list(dict.fromkeys(repr(one.text.strip()[:60]) for one in lost))
    more = f" and {len(shown) - 4} more" if len(shown) > 4 else ""
    return verdict(
        MODE, True,
        f"the clean turn hands on {', '.join(shown[:4])}{more}; the agent had it, and the faulty turn neither "
        "states nor replaces it",
        list(dict.fromkeys(clean.exact(one.passage) for one in lost))[:8],
    )  # fmt: skip


def _out_of_question(clean: Turn, faulty: Turn, task: Turn) -> str:
    """Why the faulty turn can't be one that withholds something; "" if it can."""
    if clean.empty or faulty.empty:
        return f"the {'clean' if clean.empty else 'faulty'} turn says nothing; a lost turn is not withheld information"
    if clean.cut or faulty.cut:
        return f"a turn of more than {LONGEST_TURN} characters is too long to say what it leaves out"
    if clean.text == faulty.text:
        return "both turns say the same"
    shorter, longer = faulty.text.rstrip(), clean.text
    if longer.startswith(shorter) and _BREAKS_OFF.search(shorter) and longer[len(shorter) :][:1] not in "\n":
        return "the faulty turn breaks off in the middle of a sentence"
    return _does_otherwise(clean, faulty) or _says_otherwise(clean, faulty, task)


def _does_otherwise(clean: Turn, faulty: Turn) -> str:
    """Whether the faulty turn is one that has nothing to report: it ends, starts over, asks, or says that it lacks."""
    if all(_ENDS.match(part.text) for part in faulty.passages):
        return "the faulty turn only ends the exchange"
    new = [part.text for part in faulty.passages if part.text not in clean.plain]
    if any(_RESTARTS.search(text) for text in new):
        return "the faulty turn starts over"
    if any(_LACKS.search(text) and not _KEEPS_BACK.search(text) for text in new):
        return "the faulty turn says that it lacks something, or refuses the task"
    if len(new) == len(faulty.passages) and all(_ASKS.search(text) for text in new):
        return "the faulty turn only asks, or says what is to be done"
    return ""


def _says_otherwise(clean: Turn, faulty: Turn, task: Turn) -> str:
    """Whether the faulty turn puts something in the place of what is missing."""
    own = faulty.content - clean.content - task.content - _ASSURES
    if len(own) > _MOST_OWN:
        return "the faulty turn says something of its own in place of what is missing"
    if len(fresh_figures(faulty, clean, task)) > _MOST_FRESH:
        return "the faulty turn gives other figures"
    if _concludes_otherwise(clean, faulty):
        return "the faulty turn concludes something else"
    return ""


def _concludes_otherwise(clean: Turn, faulty: Turn) -> bool:
    """Whether the faulty turn gives a conclusion with an amount, and another one than the clean turn's."""
    right, given = clean.conclusion, faulty.conclusion
    if right is None or given is None or not right.quantities:
        return False
    if all(item.literal.isalpha() for item in given.quantities):
        return False
    if any(same_value(one, other) for one in given.quantities for other in right.quantities):
        return False
    reached = any(same_value(step.result, one) for step in faulty.derivations for one in given.quantities)
    return given.strength != "closing" or (reached and bool(_STATES.search(given.text)))


def _left_over(lost: list[Statement], clean: Turn, faulty: Turn, task: Turn) -> bool:
    """Whether the faulty turn is a remainder of the clean one, or says that it has what it doesn't hand on."""
    if is_cut(clean, faulty) or any(
        _HAS.search(part.text) or _KEEPS_BACK.search(part.text) for part in faulty.passages
    ):
        return True
    if _ASKS.search(faulty.passages[0].text):
        return False
    asked, said = _flat(task.plain), _flat(clean.plain)
    pieces = [_flat(one.text) for one in statements(faulty)]
    if any(piece.strip() and piece in said and piece not in asked for piece in pieces):
        return True
    return any(_stripped(one, content_words(part.text)) for one in lost for part in faulty.passages)


def _flat(text: str) -> str:
    """The text as words and numbers with a blank between and around them."""
    return f" {' '.join(_TOKEN.findall(text.casefold()))} "


def _stripped(one: Statement, said: set[str]) -> bool:
    """Whether a passage says the rest of what a statement said."""
    return bool(one.words) and len(one.words & said) >= 0.6 * len(one.words)


def _needed(lost: list[Statement], clean: Turn, faulty: Turn, task: Turn) -> list[Statement]:
    """Those that others need: of the working of a result or verdict that still stands, only figures from elsewhere."""
    verdicts = check_verdict(clean).given, check_verdict(faulty).given
    agrees = verdicts[0] is not None and verdicts[0] is verdicts[1]
    if not agrees and not _result_stands(clean, faulty):
        return lost
    worked = [item for step in clean.derivations for item in (*step.operands, step.result)]
    worked += clean.conclusion.quantities if clean.conclusion else ()
    return [
        one for one in lost
        if any(not said_by(item, task.quantities) and not any(same_value(item, other) for other in worked)
               for item in one.figures)
    ]  # fmt: skip


def _result_stands(clean: Turn, faulty: Turn) -> bool:
    """Whether the clean turn marks or draws a conclusion, and the faulty turn still states it."""
    drawn = clean.conclusion
    if drawn is None or drawn.strength == "closing":
        return False
    amounts = [item for item in drawn.quantities if not item.component]
    if amounts:
        return all(said_by(item, faulty.quantities) for item in amounts)
    return content_words(drawn.payload) <= faulty.content


def _kept_from_others(lost: list[Statement], context: TurnContext) -> list[Statement]:
    """Those that at least one of the agents that were to get them does not have from elsewhere."""
    if not context.receivers_seen:
        return lost
    receivers = [Known(texts) for texts in dict.fromkeys(context.receivers_seen)]
    return [one for one in lost if not all(_knows(known, one) for known in receivers)]


def _knows(known: Known, one: Statement) -> bool:
    if one.figures:
        return all(known.figure(item) for item in one.figures)
    return len(one.words & known.words) >= 0.6 * len(one.words)


def _had(lost: list[Statement], context: TurnContext, clean: Turn) -> list[Statement]:
    """Those that the agent had in the faulty run.

    Under response corruption its own turn was the clean one, so it had all that this states. Under prompt injection it
    must have seen it there too; what it worked out, it had if none of the figures that it saw was taken away.
    """
    if context.strategy == "response_corruption" or not lost:
        return lost
    had, saw = Known(context.faulty_seen), Known(context.clean_seen)
    nothing_taken = all(had.figure(item) for item in clean.quantities if saw.figure(item))
    return [
        one for one in lost
        if (nothing_taken or all(had.figure(item) for item in one.figures) if one.figures
            else len(one.words & had.words) >= 0.6 * len(one.words))
    ]  # fmt: skip
