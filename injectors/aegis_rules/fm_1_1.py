"""FM-1.1, disobey task specification: the work is right, but it is not what was asked for.

By prompt injection the agent reads another requirement than the one that was set; by response corruption it gives
the right result in another way than the one that was asked for. The result itself is never falsified.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from aegis_core.adapter import Part
from aegis_core.injector import InjectionContext, Refused
from aegis_rules.reading.conclusions import Conclusion
from aegis_rules.reading.passages import Reading, read
from aegis_rules.reading.requirements import FORM_KINDS, Requirement, asked_unit, find_requirements
from aegis_rules.reading.sites import asked_texts, heard_parts, with_sentence
from aegis_rules.reading.units import alternatives, find_unit
from aegis_rules.rule import Change, Rule, rule
from aegis_rules.wording.patterns import addressed, say
from aegis_rules.wording.phrases import IN_RANGE, IN_REVERSE, IN_UNIT, ROUNDED, RUNNING
from aegis_rules.wording.restating import Replacements, ends_of, in_other_unit, in_reverse, inexact, restated

__all__ = ["RULES"]

_MODE = "FM-1.1"
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|long|far|fast|old|heavy|tall|often)\b"
    r"|\b(?:number|integer|total|sum|difference|average|mean|amount|value|count|figure|exact|round(?:ed)?|nearest"
    r"|decimals?|percentage|calculate|compute|price|cost|distance|weight|volume|speed|population|year|likelihood"
    r"|probability|rate|what (?:is|was|are|were|does|did|do))\b",
    re.IGNORECASE,
)
_ASKS_ORDER = re.compile(
    r"\b(?:orders?|ordered|ordering|sequence|rank(?:ed|ing)?|arrange[ds]?|sort(?:ed)?|alphabetical\w*"
    r"|chronological\w*)\b",
    re.IGNORECASE,
)


def _alter_form(context: InjectionContext, rng: random.Random) -> Change | Refused:
    return _alter(
        context, rng, FORM_KINDS, "no unit, rounding, order or layout is asked for in words that can be changed"
    )


def _alter_goal(context: InjectionContext, rng: random.Random) -> Change | Refused:
    return _alter(context, rng, ("goal",), "no request names a quantity or extreme that has a counterpart")


def _alter(context: InjectionContext, rng: random.Random, kinds: Sequence[str], reason: str) -> Change | Refused:
    """Word one requirement otherwise, alike in all parts that state it."""
    parts = heard_parts(context)
    if isinstance(parts, Refused):
        return parts
    found = [(part, one) for part in parts for one in find_requirements(read(part.text)) if one.kind in kinds]
    firm = [pair for pair in found if pair[1].firm]
    strong = [pair for pair in firm if pair[1].kind != "layout"] or firm
    if not strong:
        return Refused(reason)
    kind = rng.choice(sorted({one.kind for _, one in strong}))
    topic = rng.choice(sorted({one.topic for _, one in strong if one.kind == kind}))
    same = [(part, one) for part, one in found if (one.kind, one.topic) == (kind, topic)]
    shared = sorted(set.intersection(*({name for name, _ in one.options} for _, one in same)))
    if not shared:
        return Refused("the requirement is stated in ways that can't be changed alike")
    other = rng.choice(shared)
    texts = {part.id: _reworded(part, [one for owner, one in same if owner is part], other) for part, _ in same}
    return Change(texts, {"kind": kind, "asked": topic, "altered_to": other})


def _reworded(part: Part, requirements: Sequence[Requirement], other: str) -> str:
    reading = read(part.text)
    texts: dict[int, str | None] = {}
    for one in sorted(requirements, key=lambda one: -one.start):
        text = texts.get(one.passage) or reading.passages[one.passage].text
        texts[one.passage] = text[: one.start] + dict(one.options)[other] + text[one.end :]
    return reading.document.write(texts)


def _add_requirement(context: InjectionContext, rng: random.Random) -> Change | Refused:
    """Add a sentence that sets another requirement than the one the task sets."""
    parts = heard_parts(context)
    if isinstance(parts, Refused):
        return parts
    asked = [one for text in (context.task, *(part.text for part in parts)) for one in find_requirements(read(text))]
    asked = [one for one in asked if one.firm]
    texts = asked_texts(context, context.parts)
    said = _contrary(asked, rng)
    if not said and any(_ASKS_ORDER.search(text) for text in texts):
        said["order"] = say(rng, rng.choice(IN_REVERSE))
    if not said and any(_ASKS_NUMBER.search(text) and re.search(r"\d", text) for text in texts):
        said["rounding"] = say(rng, rng.choice((*ROUNDED, *IN_RANGE)), step=rng.choice(("ten", "hundred")))
    if not said:
        return Refused("the input asks for no figure, unit or order that a further requirement could go against")
    kind = rng.choice(sorted(said))
    sentence = addressed(rng, said[kind], context.agent.name)
    placed = with_sentence(context, parts, sentence, rng)
    return placed if isinstance(placed, Refused) else Change(placed, {"kind": kind, "added": sentence})


def _contrary(asked: Sequence[Requirement], rng: random.Random) -> dict[str, str]:
    """By kind of requirement, a sentence with one that goes against what is asked."""
    said: dict[str, str] = {}
    for one in asked:
        unit = asked_unit(one) if one.kind == "unit" else None
        if unit and alternatives(unit):
            other = rng.choice(alternatives(unit)).plural
            said["unit"] = say(rng, rng.choice(IN_UNIT), other=other, unit=unit.plural)
        elif one.kind == "order":
            other = one.options[0][0]
            run = f"from {other}" if " to " in other else f"in {other}"
            said["order"] = say(rng, rng.choice(RUNNING), run=run)
        elif one.kind == "rounding":
            step = one.options[0][0].removeprefix("nearest ")
            plain = rng.choice(("ten", "hundred")) if step in ("approximate", "1 decimal") else step
            said["rounding"] = say(rng, rng.choice((*ROUNDED, *IN_RANGE)), step=plain)
    return said


def _restate(context: InjectionContext, rng: random.Random) -> Change | Refused:
    """Give the conclusion in another unit, or in the opposite order."""
    asked = asked_texts(context, context.seen)
    wanted = [one for text in asked for one in find_requirements(read(text)) if one.firm]
    orders = [one.options[0][0] for one in wanted if one.kind == "order"]
    ordered = bool(orders) or any(_ASKS_ORDER.search(text) for text in asked)
    units = [one.topic for one in wanted if one.kind == "unit"]

    def other_form(reading: Reading, one: Conclusion, own: random.Random) -> Replacements | Refused:
        if one.kind == "order":
            return in_reverse(one, reading, orders, own) if ordered else Refused("no order is asked for")
        if one.kind == "value":
            return in_other_unit(one, reading, lambda written: _asked_for(written, asked), units, own)
        return Refused("the conclusion is a name, which has no other unit or order")

    return restated(context, rng, other_form, "restated")


def _loosen(context: InjectionContext, rng: random.Random) -> Change | Refused:
    """Give a range or a round figure for the exact one, or only the ends of a list."""
    asked = asked_texts(context, context.seen)

    def looser(reading: Reading, one: Conclusion, own: random.Random) -> Replacements | Refused:
        if one.kind == "order":
            return ends_of(one, own)
        if one.kind == "value":
            number = any(_ASKS_NUMBER.search(text) for text in asked)
            return inexact(one, reading, own) if number else Refused("no figure is asked for")
        return Refused("the conclusion is a name, which can't be made inexact")

    return restated(context, rng, looser, "made inexact")


def _asked_for(written: str, asked: Sequence[str]) -> bool:
    """Whether a unit or a thing counted is named in what the agent was asked."""
    unit = find_unit(written)
    words = {written, *(unit.names if unit else ()), *(unit.symbols if unit else ())}
    if unit and unit.dimension in ("dollars", "euros", "pounds") and unit.size == 1:
        words |= {"$", "€", "£", "cost", "costs", "price", "how much", "pay", "spend", "spent"}
    stems = {re.sub(r"s$", "", word) for word in words if len(word) > 3}
    return any(
        re.search(rf"(?<![A-Za-z]){re.escape(word)}s?(?![A-Za-z])", text, re.IGNORECASE if len(word) > 2 else 0)
        for text in asked
        for word in sorted(words | stems)
    )


RULES: tuple[Rule, ...] = (
    rule(_MODE, "prompt_injection", "requirement_altered",
         "the unit, rounding, order or layout that is asked for is worded otherwise, in place", _alter_form),
    rule(_MODE, "prompt_injection", "goal_altered",
         "the quantity or extreme that is asked for becomes its counterpart, in place", _alter_goal),
    rule(_MODE, "prompt_injection", "requirement_added",
         "a further sentence sets another unit, rounding or order", _add_requirement),
    rule(_MODE, "response_corruption", "answer_restated",
         "the right result in another unit, or the right order turned round", _restate),
    rule(_MODE, "response_corruption", "answer_loosened",
         "a range or a round figure for the exact result, or only the ends of a list", _loosen),
)  # fmt: skip
