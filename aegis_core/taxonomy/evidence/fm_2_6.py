"""FM-2.6, reasoning-action mismatch: inside one turn, the conclusion contradicts the reasoning that is given for it.

What counts: a derived value against the concluded one, a stated or argued order against the listed one, the thing
argued for against the thing chosen, a check's outcome against the verdict on it, and the opposite of what the clean
turn concludes from the same words. The clean turn must agree with itself in the same respect. A value that is wrong
throughout, another unit, rounding, or a list turned round as a whole is not this mode.
"""

from __future__ import annotations

import re
from itertools import pairwise

from aegis_core.faults import Evidence
from aegis_core.taxonomy.evidence.context import TurnContext, verdict
from aegis_core.taxonomy.evidence.reading.answers import key_unit
from aegis_core.taxonomy.evidence.reading.choices import (
    candidates,
    check_verdict,
    chosen,
    extreme,
    figures,
    praise,
    wants_most,
)
from aegis_core.taxonomy.evidence.reading.claims import Conclusion, Derivation, attributed, within
from aegis_core.taxonomy.evidence.reading.facts import Known
from aegis_core.taxonomy.evidence.reading.orders import FORWARD, broken, calibrated, listings, relations, reversed_order
from aegis_core.taxonomy.evidence.reading.passages import GUESS, NEGATION, names, passages, plain
from aegis_core.taxonomy.evidence.reading.quantities import Quantity, comparable, rounded, same_value
from aegis_core.taxonomy.evidence.reading.reversals import reversal
from aegis_core.taxonomy.evidence.reading.turns import Turn

__all__ = ["MODE", "mismatched"]

MODE = "FM-2.6"
_MOST_AMOUNTS = 40
_DIRECTION = re.compile(r"\b(?:from\s+)?(?:the\s+)?([^\W\d_]+)\s+to\s+(?:the\s+)?([^\W\d_]+)\b", re.IGNORECASE)
_ARGUES = re.compile(
    r"\b(?:order|so|gives?|thus|therefore|hence|sequence|rank|arrang|first|yields?)|[>→⇒]|->", re.IGNORECASE
)


def mismatched(context: TurnContext) -> Evidence:
    """Whether the faulty turn's conclusion contradicts its own reasoning, while the clean turn's does not."""
    clean, faulty = Turn(context.clean), Turn(context.faulty)
    if clean.empty or faulty.empty:
        which = "clean" if clean.empty else "faulty"
        return verdict(MODE, False, f"the {which} turn says nothing, so there is no reasoning to compare")
    if clean.text == faulty.text:
        return verdict(MODE, False, "both turns say the same")
    for judge in (_numbers, _order, _choice, _check, _turned):
        found = judge(context, clean, faulty)
        if found is not None:
            return found
    return verdict(MODE, False, "no conclusion in the faulty turn contradicts the reasoning that the turn gives for it")


# -- values ----------------------------------------------------------------------------------------------------


def _numbers(context: TurnContext, clean: Turn, faulty: Turn) -> Evidence | None:
    right, drawn = clean.conclusion, faulty.conclusion
    if right is None or drawn is None or not right.quantities or not _same_subject(right, drawn):
        return None
    if key_unit(clean, right) != key_unit(faulty, drawn):
        return None
    meant = _whole(right.quantities)
    claimed = [
        item for item in _whole(drawn.quantities)
        if any(_one_thing(item, other) for other in meant) and not any(same_value(item, other) for other in meant)
    ]  # fmt: skip
    if not claimed or len(claimed) < sum(
        any(_one_thing(item, other) for other in meant) for item in _whole(drawn.quantities)
    ):
        return None
    if not _consistent(clean, meant):
        return None
    argued = (
        _argued(faulty, drawn, meant)
        or _stated(context, faulty, drawn, meant)
        or _argued_otherwise(clean, faulty, drawn, claimed)
    )
    if argued is None or any(_agree(argued.result, item, context.task) for item in claimed):
        return None
    if any(_agree_value(argued.result, value) for value in _fractions(faulty, drawn)):
        return None
    comparables = [item for item in claimed if comparable(argued.result, item)]
    if not comparables or (drawn.strength != "marked" and not _new(comparables, clean)):
        return None
    if _explained(clean, faulty, argued, drawn, comparables):
        return None
    shown, said = faulty.exact(argued.passage), faulty.exact(drawn.passages[-1])
    derived, concluded = _amount(faulty, argued.result), _amount(faulty, comparables[0])
    return verdict(
        MODE, True,
        f"the faulty turn derives {derived} and then concludes {concluded}; "
        f"the clean turn concludes {_amount(clean, meant[0])}, in keeping with its reasoning",
        (shown, said),
    )  # fmt: skip


def _whole(items: tuple[Quantity, ...]) -> list[Quantity]:
    return [item for item in items[:_MOST_AMOUNTS] if not item.component]


def _one_thing(first: Quantity, second: Quantity) -> bool:
    return comparable(first, second)


def _amount(turn: Turn, item: Quantity) -> str:
    return turn.plain[item.start : item.end].strip()


def _same_subject(right: Conclusion, drawn: Conclusion) -> bool:
    """Whether the conclusions don't speak of different named things."""
    asked, answered = names(right.text, right.text, drawn.text), names(drawn.text, drawn.text, right.text)
    return not (asked and answered - asked and not asked & answered)


def _consistent(clean: Turn, meant: list[Quantity]) -> bool:
    """Whether what the clean turn concludes is among what it derives, if it derives anything."""
    results = [item.result for item in clean.derivations]
    return not results or any(_arrives(result, item) for result in results for item in meant)


def _agree(argued: Quantity, claimed: Quantity, task: str) -> bool:
    coarse = claimed.about or "round" in task.casefold()
    return (
        same_value(argued, claimed)
        or rounded(argued, claimed, coarse=coarse)
        or rounded(claimed, argued, coarse=argued.about)
    )


def _argued(faulty: Turn, drawn: Conclusion, meant: list[Quantity]) -> Derivation | None:
    """The last derivation in the faulty turn that arrives at what the clean turn concludes."""
    for item in reversed(faulty.derivations):
        if _outside(item, drawn) and any(_arrives(item.result, value) for value in meant):
            return item
    return None


def _arrives(result: Quantity, concluded: Quantity) -> bool:
    return same_value(result, concluded) or rounded(result, concluded, coarse=concluded.about)


def _stated(context: TurnContext, faulty: Turn, drawn: Conclusion, meant: list[Quantity]) -> Derivation | None:
    """Where the faulty turn's reasoning states what the clean turn concludes, and nobody had given it before."""
    given = Known((context.task, *context.faulty_seen))
    if drawn.strength != "marked" or any(given.figure(item) for item in meant):
        return None
    for part in reversed(faulty.reasoning):
        if NEGATION.search(part.text) or GUESS.search(part.text) or attributed(part.text):
            continue
        for item in within(faulty.quantities, part.start, part.end):
            if not item.bare and any(same_value(item, value) and comparable(item, value) for value in meant):
                return Derivation((), item, part)
    return None


def _fractions(faulty: Turn, drawn: Conclusion) -> list[float]:
    """The values of fractions in a conclusion (`17/20`)."""
    pairs = pairwise(drawn.quantities)
    return [
        first.value / second.value
        for first, second in pairs
        if second.value and faulty.plain[first.number_end : second.start] == "/"
    ]


def _agree_value(argued: Quantity, value: float) -> bool:
    return abs(argued.value - value) <= 1e-9 * abs(value) or abs(argued.base - value) <= 1e-9 * abs(value)


def _argued_otherwise(clean: Turn, faulty: Turn, drawn: Conclusion, claimed: list[Quantity]) -> Derivation | None:
    """Where the faulty turn reasons from other figures: its last equation, if the clean turn ends with one as well."""
    right = clean.conclusion
    ends = [item for item in clean.derivations if item.equation and right and item.result.start < right.start]
    if not ends or right is None or not any(_arrives(ends[-1].result, item) for item in right.quantities):
        return None
    before = [item for item in faulty.derivations if item.equation and item.result.start < drawn.start]
    if not before or any(same_value(item.result, value) for item in faulty.derivations for value in claimed):
        return None
    return before[-1]


def _outside(item: Derivation, drawn: Conclusion) -> bool:
    return item.passage not in drawn.passages or (
        bool(drawn.quantities) and item.result.end <= drawn.quantities[0].start
    )


def _new(items: list[Quantity], clean: Turn) -> bool:
    return not any(same_value(item, other) for item in items for other in clean.quantities)


def _explained(clean: Turn, faulty: Turn, argued: Derivation, drawn: Conclusion, claimed: list[Quantity]) -> bool:
    """Whether the step from the derived to the concluded value can be one that the turn gives, or leaves unsaid."""
    later = [item for item in faulty.derivations if item.result.start > argued.result.start and _outside(item, drawn)]
    if any(_agree(item.result, value, "") for item in later for value in claimed):
        return True
    held = set(drawn.passages)
    fresh = [
        item for item in faulty.quantities
        if _new([item], clean) and not any(part.start <= item.start < part.end for part in held)
    ]  # fmt: skip
    if not fresh and any(same_value(argued.result, other) for other in clean.quantities):
        return False
    return any(
        _one_step(argued.result.value, other.value, value.value) for other in faulty.quantities for value in claimed
    )


def _one_step(first: float, second: float, result: float) -> bool:
    reached = [first + second, first - second, second - first, first * second]
    reached += [first / second] if second else []
    reached += [second / first] if first else []
    return any(abs(value - result) <= max(0.51, 1e-3 * abs(result)) for value in reached)


# -- orders ----------------------------------------------------------------------------------------------------


def _order(context: TurnContext, clean: Turn, faulty: Turn) -> Evidence | None:
    right, given = clean.listed, faulty.listed
    if not right or right == given or set(right) != set(given) or clean.conclusion is None or faulty.conclusion is None:
        return None
    task = passages(plain(context.task))
    known = [*relations(clean.passages[-400:], right), *relations(task, right)]
    signs = calibrated(known, right)
    if len({first is FORWARD[kind] for kind, first in signs.items() if kind in FORWARD}) > 1:
        return None  # the clean list runs in two directions, so it breaks what it goes by
    if broken(relations(clean.reasoning, right), right, signs):
        return None
    against = broken(relations(faulty.reasoning, right), given, signs)
    argued = _argued_list(context.task, faulty, right)
    if not against and argued is None:
        return None
    if reversed_order(right, given) and not _same_direction(context.task, clean.conclusion, faulty.conclusion):
        return None
    reason = argued or faulty.exact(against[0].passage)
    return verdict(
        MODE, True,
        f"the faulty turn reasons {reason!r} but lists {', '.join(given)}; the clean turn lists what it argues for",
        (reason, *(faulty.exact(item.passage) for item in against[1:3]), faulty.exact(faulty.conclusion.passages[-1])),
    )  # fmt: skip


def _argued_list(task: str, faulty: Turn, right: tuple[str, ...]) -> str | None:
    """A passage of the reasoning that lists the clean turn's order as what follows from it."""
    if right in listings(plain(task)):
        return None
    for part in faulty.reasoning:
        if _ARGUES.search(part.text) and right in listings(part.text):
            return faulty.exact(part)
    return None


def _same_direction(task: str, right: Conclusion, drawn: Conclusion) -> bool:
    """Whether the faulty conclusion says that its list runs in the direction that the task or the clean one names."""
    said = set(_DIRECTION.findall(" ".join(part.text for part in drawn.passages).casefold()))
    asked = set(_DIRECTION.findall(task.casefold())) | set(_DIRECTION.findall(right.text.casefold()))
    return bool(said & asked)


# -- choices and checks ----------------------------------------------------------------------------------------


def _choice(context: TurnContext, clean: Turn, faulty: Turn) -> Evidence | None:
    pattern = candidates(context.task, clean.plain, faulty.plain)
    if pattern is None or faulty.conclusion is None:
        return None
    right, taken = chosen(clean, pattern), chosen(faulty, pattern)
    if not right or not taken or right == taken:
        return None
    argued = praise(faulty.reasoning, pattern)
    decisive = {item.predicate for item in praise(clean.passages[-400:], pattern) if item.subject == right}
    decisive |= {item.predicate for item in argued if item.predicate in context.task.casefold()}
    others = {item.predicate for item in praise(clean.reasoning, pattern) if item.subject != right}
    decisive -= others
    for item in argued:
        rivals = {other.subject for other in argued if other.predicate == item.predicate}
        if item.subject == right and item.predicate in decisive and rivals == {right}:
            return _chosen_against(faulty, faulty.conclusion, right, taken, faulty.exact(item.passage))
    return None if others else _chosen_against_figures(context, clean, faulty, pattern)


def _chosen_against(faulty: Turn, drawn: Conclusion, argued: str, taken: str, reason: str) -> Evidence:
    return verdict(
        MODE, True,
        f"the faulty turn argues for {argued} ({reason!r}) but chooses {taken}; the clean turn chooses what it argues "
        "for",
        (reason, faulty.exact(drawn.passages[-1])),
    )  # fmt: skip


def _chosen_against_figures(
    context: TurnContext, clean: Turn, faulty: Turn, pattern: re.Pattern[str]
) -> Evidence | None:
    most = wants_most(context.task)
    if most is None or faulty.conclusion is None:
        return None
    right, taken = chosen(clean, pattern), chosen(faulty, pattern)
    before, after = figures(clean, pattern), figures(faulty, pattern)
    if taken not in after or extreme(before, most) != right or extreme(after, most) != right:
        return None
    figure = after[right]
    reason = next(part for part in faulty.passages if part.start <= figure.start < part.end)
    return _chosen_against(faulty, faulty.conclusion, right, taken, faulty.exact(reason))


def _check(_context: TurnContext, clean: Turn, faulty: Turn) -> Evidence | None:
    before, after = check_verdict(clean), check_verdict(faulty)
    if before.argued is None or before.given is not before.argued or after.argued is None or after.given is None:
        return None
    if after.given is after.argued or after.argument is None or after.statement is None:
        return None
    if after.argument == after.statement:
        return None
    says = {True: "that the result agrees with its check", False: "that the result differs from its check"}
    return verdict(
        MODE, True,
        f"the faulty turn says {says[after.argued]} and then {'approves' if after.given else 'rejects'} it; "
        "the verdict of the clean turn follows from its check",
        (faulty.exact(after.argument), faulty.exact(after.statement)),
    )  # fmt: skip


def _turned(_context: TurnContext, clean: Turn, faulty: Turn) -> Evidence | None:
    found = reversal(clean, faulty)
    if found is None:
        return None
    held = [part for part in faulty.passages if found.turned in part.text]
    return verdict(
        MODE, True,
        f"the faulty turn gives the clean one's reasons word for word, and concludes {found.turned!r} where that "
        f"concludes {found.right!r}",
        [faulty.exact(part) for part in (faulty.passages[0], *held[-1:])],
    )  # fmt: skip
