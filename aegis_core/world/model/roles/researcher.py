"""The researcher: finds facts in the text, or through tools, and hands them on."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from aegis_core.world.model.chance import draw, pick
from aegis_core.world.model.families.rates import Quantity
from aegis_core.world.model.families.tables import Cell
from aegis_core.world.model.forms import fitted
from aegis_core.world.model.language import MEASURED, NUMBER, plural, show, to_number
from aegis_core.world.model.messages import ToolSpec
from aegis_core.world.model.results import assignment, mentions
from aegis_core.world.model.roles.evasion import said_nothing
from aegis_core.world.model.roles.obedience import first_half, without_omitted
from aegis_core.world.model.understanding import Form, Value
from aegis_core.world.model.view import View
from aegis_core.world.model.voices import Piece, at_length, composed, voice_of

__all__ = ["Request", "requests", "speak"]

_OPENINGS = (
    "What I found:",
    "These are my notes.",
    "From the material:",
    "I went through it and noted this.",
)
_NOTHING = (
    "I found nothing on that in the text.",
    "There is nothing of use for my part in what I was given.",
    "The material says nothing about it.",
    "No entry for my part.",
)
GUESSES = 0.75
"""How likely a researcher to whom the plan gives nothing takes a fact for its own business."""
MISREADING = 0.1
"""How often a researcher misreads a fact, as a share of the model's rate of slips."""


@dataclass(frozen=True)
class Request:
    """A tool call that the researcher wants, and the fact that it is about."""

    tool: str
    arguments: tuple[tuple[str, str], ...]
    fact: Any  # each family has its own kind of fact


def speak(view: View, rate: float) -> str:
    """The facts of the researcher's share in words. What tools were asked for comes from their answers alone."""
    if view.told.stop:
        return said_nothing(view)
    found, failed = _found(view)
    if view.told.withhold:
        return said_nothing(view)
    if view.family is None or not (found or failed):
        return pick(_NOTHING, "nothing", view.key)
    voice = int(draw("voice", view.key) * 4)
    if found and draw("slip", view.key) < rate * MISREADING:
        at = int(draw("which", view.key) * len(found))
        found = (*found[:at], view.family.misread(found[at], view.key), *found[at + 1 :])
    if view.told.shift and found:
        found = (*found[:-1], _refigured(found[-1], view.told.shift.of))
    if view.rounding and found:
        form = Form(rounding=view.rounding)
        found = tuple(_refigured(fact, lambda number: fitted(Value(number), form).number or number) for fact in found)
    told = [view.family.tell(fact, voice) for fact in found]
    handed_on: list[str] = []
    if view.told.depart and found:
        other = view.family.misread(found[-1], f"depart{view.key}")
        handed_on = ["Handed on:", *told[:-1], view.family.tell(other, voice)]
    return _note(view, told, [*handed_on, *(f"Not found: {topic}." for topic in failed)])


def _refigured(fact: Any, change: Callable[[Fraction], Fraction]) -> Any:
    """The fact with its figure changed, if it has one."""
    if isinstance(fact, Cell):
        return replace(fact, value=show(change(to_number(fact.value))))
    return replace(fact, number=change(fact.number)) if isinstance(fact, Quantity) else fact


def _note(view: View, told: Sequence[str], further: Sequence[str]) -> str:
    return composed(
        view,
        (
            Piece(at_length(view, "searching")),
            Piece((pick(_OPENINGS, "opening", view.key),) if voice_of(view).length else ()),
            Piece(told, "found", "items"),
            Piece(further),
            Piece(at_length(view, "searched", least=3)),
        ),
    )


def _share(view: View) -> tuple[Any, ...]:
    """The facts that the plan gives to this researcher. Given none, it guesses; without a plan it takes all."""
    mine = without_omitted(view, _assigned(view, view.task_facts()))
    return first_half(mine) if view.told.partial else mine


def _assigned(view: View, facts: tuple[Any, ...]) -> tuple[Any, ...]:
    others = frozenset(name for name, _ in view.roster) - {view.name}
    mine = " ".join(assignment(text, view.name, others) for _, text in view.plan)
    assert view.family is not None
    chosen = tuple(fact for fact in facts if mentions(mine, view.family.topic(fact)))
    if chosen or not view.plan:
        return chosen or facts
    guessed = tuple(fact for fact in facts if draw("guess", view.key, view.family.topic(fact)) < GUESSES)
    return guessed or facts


def requests(view: View) -> tuple[Request, ...]:
    """The tool calls that this researcher wants before it writes: table entries, and conversions of units."""
    if view.family is None or view.called or view.told.stop:
        return ()
    share = _share(view)
    table, calculator = _tool(view, "look", "table"), _tool(view, "calc", "arithmetic")
    wanted: list[Request] = []
    for fact in share:
        if isinstance(fact, Cell) and table and len(table.arguments) > 1:
            wanted.append(Request(table.name, tuple(zip(table.arguments, (fact.row, fact.column), strict=False)), fact))
        elif isinstance(fact, Quantity) and calculator and calculator.arguments:
            other = _rate_unit(view, fact)
            if other is not None:
                factor = fact.unit.factor / other.factor
                sum_ = (
                    f"{show(fact.number)} * {show(factor)}"
                    if factor > 1
                    else f"{show(fact.number)} / {show(1 / factor)}"
                )
                converted = replace(fact, unit=other)
                wanted.append(Request(calculator.name, ((calculator.arguments[0], sum_),), converted))
    return tuple(wanted)


def _tool(view: View, *cues: str) -> ToolSpec | None:
    for tool in view.tools:
        if any(cue in f"{tool.name} {tool.description}".lower() for cue in cues):
            return tool
    return None


def _rate_unit(view: View, fact: Quantity) -> Any:
    """Another unit of the fact's dimension in which a rate is given."""
    if fact.per or fact.percent or fact.unit.dimension not in MEASURED:
        return None
    for other in view.task_facts():
        if isinstance(other, Quantity) and other.per:
            for unit in (other.unit, other.per):
                if unit.dimension == fact.unit.dimension and unit.factor != fact.unit.factor:
                    return unit
    return None


def _found(view: View) -> tuple[tuple[Any, ...], list[str]]:
    """The facts of the share; those that were asked of tools as the tools answered, or missing."""
    if view.family is None:
        return (), []
    share = _share(view)
    if not view.called:
        return share, []
    answers = dict(view.answers)
    pending = requests(replace(view, called=()))
    by_call = {
        (call.name, tuple(call.arguments.values())): answers.get(call.id, "")
        for message in view.called
        for call in message.tool_calls
    }
    found, failed = [], []
    asked = {_origin(request.fact): request for request in pending}
    for fact in share:
        request = asked.get(_origin(fact))
        if request is None:
            found.append(fact)
            continue
        answer = by_call.get((request.tool, tuple(value for _, value in request.arguments)), "")
        read = _read(request.fact, answer)
        if read is None:
            failed.append(_missing(request.fact))
        else:
            found.append(read)
    return tuple(found), failed


def _origin(fact: Any) -> Any:
    return fact if isinstance(fact, Cell) else (fact.number, fact.unit.dimension, fact.per, fact.tag, fact.sign)


def _read(fact: Any, answer: str) -> Any:
    numbers = re.findall(NUMBER, answer)
    if not numbers or re.search(r"\b(?:nothing|not) found|\berror\b", answer, re.I):
        return None
    number = to_number(numbers[-1])
    return replace(fact, value=show(number)) if isinstance(fact, Cell) else replace(fact, number=number)


def _missing(fact: Any) -> str:
    return f"{fact.column} of {fact.row}" if isinstance(fact, Cell) else plural(fact.unit.name)
