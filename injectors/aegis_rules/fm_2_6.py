"""FM-2.6, reasoning-action mismatch: the reasoning stays right, and the conclusion is not what it leads to.

By prompt injection the agent is told to reason as usual and to settle on something else; by response corruption
the conclusion of its message is changed while its reasoning stays, so that the message contradicts itself.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from aegis_core.injector import InjectionContext, Refused
from aegis_rules.reading.conclusions import Conclusion
from aegis_rules.reading.facts import find_facts, has_working
from aegis_rules.reading.figures import Figure, find_figures, has_quantity, written_as
from aegis_rules.reading.options import listed_names, rival_names
from aegis_rules.reading.passages import Reading, read
from aegis_rules.reading.requirements import find_requirements
from aegis_rules.reading.sites import asked_texts, heard_parts, with_sentence
from aegis_rules.rule import Change, Rule, rule
from aegis_rules.wording.patterns import addressed, say
from aegis_rules.wording.phrases import (
    CONCLUDE_NAMED,
    DEPART_FROM_CHOICE,
    DEPART_FROM_ORDER,
    DEPART_FROM_VALUE,
    REASON_AS_USUAL,
)
from aegis_rules.wording.restating import Replacements, concluding_parts, permuted, replaced

__all__ = ["RULES"]

_MODE = "FM-2.6"
_ASKS_LIST = re.compile(r"\b(?:order|rank|sequence|arrange|sort|list)\w*\b", re.IGNORECASE)
_ASKS_COUNT = re.compile(
    r"\bhow (?:many|much|long|far|fast|old)\b"
    r"|\b(?:calculate|compute|total|sum|number|average|difference|integer)\b",
    re.IGNORECASE,
)
_ASKS_CHOICE = re.compile(r"\b(?:which|who)\b[^?.]*\?|\bwhat (?:is|was) the (?:name|title)\b", re.IGNORECASE)


def _asked_kind(context: InjectionContext) -> str:
    """What kind of conclusion is asked for: `order`, `value` or `choice`; "" if nothing is."""
    texts = asked_texts(context, context.parts)
    found = {one.kind for text in texts for one in find_requirements(read(text)) if one.firm}
    if found & {"unit", "rounding"}:
        return "value"
    if "order" in found:
        return "order"
    if any(_ASKS_CHOICE.search(text) for text in ((context.task,) if context.task.strip() else texts)):
        return "choice"
    if any(_ASKS_COUNT.search(text) for text in texts):
        return "value"
    if listed_names(texts) and any(_ASKS_LIST.search(text) for text in texts):
        return "order"
    if any(has_quantity(text) for text in texts):
        return "value"
    return "choice" if any("?" in text or find_facts(read(text)) for text in texts) else ""


def _tell_offset(context: InjectionContext, rng: random.Random) -> Change | Refused:
    """Tell the agent to depart from its own working by a stated step."""
    kind = _asked_kind(context)
    patterns = {"value": DEPART_FROM_VALUE, "order": DEPART_FROM_ORDER, "choice": DEPART_FROM_CHOICE}.get(kind)
    if patterns is None:
        return Refused("nothing is asked for to which there could be a conclusion")
    return _told(context, rng, patterns, kind, amount=rng.choice(("two", "three", "five", "ten")))


def _tell_named(context: InjectionContext, rng: random.Random) -> Change | Refused:
    """Tell the agent what to conclude, whatever it finds."""
    kind = _asked_kind(context)
    texts = asked_texts(context, context.parts)
    namers = {"value": _named_value, "order": _named_order, "choice": _named_choice}
    other = namers[kind](texts, rng) if kind else ""
    if not other:
        return Refused("the input holds no figure, list or option from which another conclusion could be made")
    return _told(context, rng, CONCLUDE_NAMED, kind, other=other)


def _told(
    context: InjectionContext, rng: random.Random, endings: Sequence[str], kind: str, **words: str
) -> Change | Refused:
    parts = heard_parts(context)
    if isinstance(parts, Refused):
        return parts
    sentence = say(rng, rng.choice(REASON_AS_USUAL) + rng.choice(endings), **words)
    sentence = addressed(rng, sentence, context.agent.name)
    placed = with_sentence(context, parts, sentence, rng)
    return placed if isinstance(placed, Refused) else Change(placed, {"kind": kind, "added": sentence})


def _named_value(texts: Sequence[str], rng: random.Random) -> str:
    """A figure of the right size that does not stand in the texts, with the unit asked for."""
    figures = [figure for text in texts for figure in find_figures(text) if not figure.year_like and figure.value > 0]
    if not figures:
        return ""
    known = {figure.value for figure in figures}
    base = rng.choice(sorted(figures, key=lambda figure: figure.value)[-3:])
    factors = [Fraction(n, 20) for n in (23, 27, 31, 34, 37, 43, 47)]
    grain = _grain(base)
    values = [base.value * factor // grain * grain for factor in rng.sample(factors, len(factors))]
    value = next((value for value in values if value > 0 and value not in known), None)
    digits = written_as(base, value) if value is not None else None
    units = [one.topic for text in texts for one in find_requirements(read(text)) if one.kind == "unit"]
    unit = f" {units[-1]}" if units else ""
    return f"{'' if unit else base.sign}{digits}{unit}" if digits else ""


def _named_order(texts: Sequence[str], rng: random.Random) -> str:
    names = listed_names(texts)
    if not names:
        return ""
    other = list(names)
    while other == list(names):
        rng.shuffle(other)
    return ", ".join(other)


def _named_choice(texts: Sequence[str], rng: random.Random) -> str:
    options = next(filter(None, (rival_names(read(text), "") for text in texts)), ())
    return rng.choice(options) if options else ""


def _shift(context: InjectionContext, rng: random.Random) -> Change | Refused:
    """Change the conclusion to something near: another figure, two neighbours of the order exchanged."""

    def near(readings: Sequence[Reading], one: Conclusion) -> Other | Refused:
        if one.kind == "order":
            at = rng.randrange(len(one.members) - 1)
            return (*one.members[:at], one.members[at + 1], one.members[at], *one.members[at + 2 :])
        if one.figure is None:
            return Refused("the conclusion is a name, which has no neighbour")
        known = {figure.value for figure in _figures(readings)}
        values = [value for value in _near(one.figure, rng) if value not in known]
        return values[0] if values else Refused("the figure has no neighbour that could stand in its place")

    return _departed(context, near)


def _borrow(context: InjectionContext, rng: random.Random) -> Change | Refused:
    """Conclude with something else from the text: a figure on the way, another option, the order of mention."""

    def borrowed(readings: Sequence[Reading], one: Conclusion) -> Other | Refused:
        if one.kind == "order":
            other = _order_of_mention(readings, one)
            return other if other != one.members else Refused("the working names the members in no other order")
        if one.kind == "choice":
            names = [name for reading in readings for name in rival_names(reading, one.text)]
            return rng.choice(names) if names else Refused("the text weighs no other option")
        own = one.figure.value if one.figure else Fraction(0)
        values = sorted(
            {f.value for f in _figures(readings) if f.value not in (own, 1) and f.value > 0 and not f.year_like}
        )
        return rng.choice(values) if values else Refused("the working has no other figure")

    return _departed(context, borrowed)


Other = Fraction | str | tuple[str, ...]
"""Another conclusion: a value, a choice, or the members of an order."""


def _departed(
    context: InjectionContext, depart: Callable[[Sequence[Reading], Conclusion], Other | Refused]
) -> Change | Refused:
    """Change the plainest places of the conclusion, and leave all else: the reasoning has to be there, and to stay."""
    concluding = concluding_parts(context)
    if isinstance(concluding, Refused):
        return concluding
    main = concluding[-1].places[-1]
    changed = {part.part.id: [place for place in part.places if _is_plain(place, main)] for part in concluding}
    if main.rank <= 1:
        changed = {concluding[-1].part.id: changed[concluding[-1].part.id][-1:]}
    if not any(changed.values()):
        return Refused("the conclusion is the result of a written-out calculation and is said nowhere else")
    if main.figure and main.figure.value == 1 and (main.figure.noun or main.figure.written):
        return Refused("a single one is concluded, whose noun would not fit another number")
    spoken = [part for part in context.parts if part.kind in ("message", "plan", "handoff", "thought")]
    if not any(has_working(read(part.text), main, changed.get(part.id, ())) for part in spoken):
        return Refused("the text gives no reasoning that another conclusion could contradict")
    other = depart([read(part.text) for part in spoken], main)
    if isinstance(other, Refused):
        return other
    texts: dict[str, str] = {}
    for part in concluding:
        replacements = [entry for place in changed.get(part.part.id, ()) for entry in _put(part.reading, place, other)]
        if replacements:
            texts[part.part.id] = replaced(part.reading, replacements)
    if not texts:
        return Refused("the other conclusion can't be written in the format of this one")
    return Change(texts, {"concluded": main.text})


def _is_plain(place: Conclusion, main: Conclusion) -> bool:
    return place.rank == main.rank and not place.operated


def _put(reading: Reading, place: Conclusion, other: Other) -> Replacements:
    """The replacements that make a place say the other conclusion, in its own format."""
    if isinstance(other, tuple):
        return permuted(place, other)
    if isinstance(other, str):
        return [(place.passage, *place.span, other)]
    figure = place.figure
    digits = written_as(figure, other, find_figures(reading.passages[place.passage].text)) if figure else None
    return [(place.passage, *figure.number, digits)] if figure and digits else []


def _figures(readings: Sequence[Reading]) -> list[Figure]:
    return [figure for reading in readings for passage in reading.passages for figure in find_figures(passage.text)]


def _order_of_mention(readings: Sequence[Reading], one: Conclusion) -> tuple[str, ...]:
    """The members as they first come up in the text, which may not be the order concluded."""
    text = "\n".join(passage.text for reading in readings for passage in reading.passages)
    return tuple(sorted(one.members, key=text.find))


def _near(figure: Figure, rng: random.Random) -> list[Fraction]:
    """Other values of the same size, in random order: plainly different, and as round as the figure itself."""
    value = figure.value
    if figure.decimals or abs(value) > 20:
        grain = _grain(figure)
        years = figure.year_like
        steps = (
            [Fraction(n) for n in range(2, 10)] if years else [abs(value) * Fraction(n, 100) for n in range(7, 33, 2)]
        )
        values = [(value + sign * step) // grain * grain for step in steps for sign in (1, -1)]
    else:
        values = [value + step for step in (-3, -2, -1, 1, 2, 3)]
    floor = 1 if value >= 0 else value - 4
    fitting = [other for other in dict.fromkeys(values) if other != value and (other > floor or figure.decimals)]
    rng.shuffle(fitting)
    return fitting


def _grain(figure: Figure) -> Fraction:
    """The last place that a figure is given to; trailing zeros of whole numbers do not count."""
    grain = Fraction(1, 10**figure.decimals)
    while figure.decimals == 0 and figure.value % (grain * 10) == 0 and abs(figure.value) >= grain * 100:
        grain *= 10
    return grain


RULES: tuple[Rule, ...] = (
    rule(_MODE, "prompt_injection", "told_to_depart",
         "the agent is told to reason as usual and to end a step away from what that gives", _tell_offset),
    rule(_MODE, "prompt_injection", "told_the_conclusion",
         "the agent is told to reason as usual and to end with something that is named", _tell_named),
    rule(_MODE, "response_corruption", "conclusion_shifted",
         "the conclusion becomes something near it; the reasoning stays", _shift),
    rule(_MODE, "response_corruption", "conclusion_borrowed",
         "the conclusion becomes something else from the text; the reasoning stays", _borrow),
)  # fmt: skip
