"""Solving a word problem by its units: from what is given, over rates, to what is asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from aegis_core.world.model.language import MEASURED, Unit, plural, show
from aegis_core.world.model.understanding import Mistake, Value, Working

__all__ = ["Asked", "Quantity", "solve"]


@dataclass(frozen=True)
class Asked:
    """What a word problem asks for: an amount of this dimension, in `unit` unless another one is wanted."""

    dimension: str
    unit: Unit


@dataclass(frozen=True)
class Quantity:
    """A fact of a word problem.

    An amount (`per` is None; `sign` -1: to be taken off), a rate (so many `unit` per `per`), or a percentage
    (`percent`: off or on) of what is measured in `unit`. `tag` says whose it is: a person, a leg, a machine.
    """

    number: Fraction
    unit: Unit
    per: Unit | None = None
    sign: int = 1
    percent: Literal["", "off", "on"] = ""
    tag: str = ""


@dataclass
class _Sheet:
    """The working as it is written down."""

    mistake: Mistake
    lines: list[str] = field(default_factory=list)
    count: int = 0

    def result(self, number: Fraction) -> Fraction:
        number = self.mistake(self.count, number)
        self.count += 1
        return number


def _say(number: Fraction, unit: Unit) -> str:
    return f"{show(number)} {unit.name if number == 1 else plural(unit.name)}"


def solve(asked: Asked, facts: tuple[Quantity, ...], unit: Unit | None, mistake: Mistake) -> Working:
    """Work out what is asked for, in `unit` if that is wanted and can be reached."""
    sheet = _Sheet(mistake)
    target = asked.dimension
    if unit and unit.dimension != target and any(unit.dimension in _dimensions(fact) for fact in facts):
        target = unit.dimension
    rest = _by_tag(facts, target, sheet)
    amounts = [fact for fact in rest if not fact.per and not fact.percent]
    rates = _together([fact for fact in rest if fact.per], sheet)
    percents = [fact for fact in facts if fact.percent]
    total = _chain(amounts, rates, percents, target, sheet)
    if total is None or total.number <= 0:
        return Working(tuple(sheet.lines), None, _lack(amounts, rates, target))
    wanted = unit if unit and unit.dimension == target else asked.unit if asked.dimension == target else total.unit
    if wanted.factor != total.unit.factor:
        before, total = total, _convert(total, wanted)
        total = replace(total, number=sheet.result(total.number))
        sheet.lines.append(f"{_say(before.number, before.unit)} = {_say(total.number, total.unit)}")
    value = Value(total.number, wanted.name)
    unpaired = _unpaired(facts)
    if unpaired:
        return Working(tuple(sheet.lines), None, unpaired, value)
    return Working(tuple(sheet.lines), value)


def _dimensions(fact: Quantity) -> tuple[str, ...]:
    return (fact.unit.dimension, fact.per.dimension) if fact.per else (fact.unit.dimension,)


def _convert(amount: Quantity, unit: Unit) -> Quantity:
    return replace(amount, number=amount.number * amount.unit.factor / unit.factor, unit=unit)


def _by_tag(facts: Iterable[Quantity], target: str, sheet: _Sheet) -> list[Quantity]:
    """Chain what belongs to one person, leg or machine by itself, as far as its own rates lead."""
    groups: dict[str, list[Quantity]] = defaultdict(list)
    for fact in facts:
        groups[fact.tag].append(fact)
    rest = groups.pop("", [])
    for group in groups.values():
        amounts = [fact for fact in group if not fact.per and not fact.percent]
        rates = [fact for fact in group if fact.per]
        reached = _chain(amounts, rates, [], target, sheet) if amounts and rates else None
        rest += [reached] if reached else group
    return rest


def _together(rates: list[Quantity], sheet: _Sheet) -> list[Quantity]:
    """Rates of several machines, people or pumps with the same units work together."""
    merged: list[Quantity] = []
    for rate in rates:
        for i, other in enumerate(merged):
            if rate.tag != other.tag and (rate.unit, rate.per) == (other.unit, other.per):
                total = sheet.result(rate.number + other.number)
                per = rate.per.name if rate.per else ""
                sheet.lines.append(
                    f"{show(other.number)} + {show(rate.number)} = {show(total)} {plural(rate.unit.name)} per {per}"
                )
                merged[i] = replace(other, number=total)
                break
        else:
            merged.append(rate)
    return merged


def _distances(rates: list[Quantity], target: str) -> dict[str, int]:
    distance = {target: 0}
    frontier = [target]
    while frontier:
        here = frontier.pop(0)
        for rate in rates:
            ends = _dimensions(rate)
            if here in ends:
                other = ends[0] if ends[1] == here else ends[1]
                if other not in distance:
                    distance[other] = distance[here] + 1
                    frontier.append(other)
    return distance


def _chain(
    amounts: list[Quantity], rates: list[Quantity], percents: list[Quantity], target: str, sheet: _Sheet
) -> Quantity | None:
    """Follow the rates from the farthest amounts to the target; None if none of them leads there."""
    distance = _distances(rates, target)
    pool: dict[str, list[Quantity]] = defaultdict(list)
    for amount in amounts:
        if amount.unit.dimension in distance:
            pool[amount.unit.dimension].append(amount)
    while pool and max(distance[dimension] for dimension in pool) > 0:
        here = max(pool, key=lambda dimension: distance[dimension])
        total = _total(pool.pop(here), [p for p in percents if p.unit.dimension == here], sheet)
        rate = next(
            rate for rate in rates if here in _dimensions(rate) and distance[_other(rate, here)] == distance[here] - 1
        )
        reached = _apply(total, rate, here, sheet)
        pool[reached.unit.dimension].append(reached)
    if target not in pool:
        return None
    last = [p for p in percents if p.unit.dimension in ("percent", target)]
    return _total(pool[target], last, sheet)


def _other(rate: Quantity, dimension: str) -> str:
    ends = _dimensions(rate)
    return ends[0] if ends[1] == dimension else ends[1]


def _total(amounts: list[Quantity], percents: list[Quantity], sheet: _Sheet) -> Quantity:
    amounts = sorted(amounts, key=lambda amount: -amount.sign)
    total = amounts[0]
    if total.sign < 0:
        total = replace(total, number=-total.number, sign=1)
    for amount in amounts[1:]:
        added = _convert(amount, total.unit)
        number = sheet.result(total.number + amount.sign * added.number)
        sheet.lines.append(
            f"{_say(total.number, total.unit)} {'+' if amount.sign > 0 else '-'} {_say(amount.number, amount.unit)} = "
            f"{_say(number, total.unit)}"
        )
        total = replace(total, number=number)
    for percent in percents:
        rest = 100 - percent.number if percent.percent == "off" else 100 + percent.number
        number = sheet.result(total.number * rest / 100)
        sheet.lines.append(f"{show(rest)} % of {_say(total.number, total.unit)} = {_say(number, total.unit)}")
        total = replace(total, number=number)
    return replace(total, tag="")


def _apply(amount: Quantity, rate: Quantity, here: str, sheet: _Sheet) -> Quantity:
    """An amount led over a rate, with its unit brought to that of the rate first."""
    assert rate.per is not None
    forward = rate.per.dimension == here
    meet = rate.per if forward else rate.unit
    if amount.unit.factor != meet.factor:
        before, amount = amount, _convert(amount, meet)
        sheet.lines.append(f"{_say(before.number, before.unit)} = {_say(amount.number, amount.unit)}")
    rate_words = f"{show(rate.number)} {plural(rate.unit.name)} per {rate.per.name}"
    exact = amount.number * rate.number if forward else amount.number / rate.number if rate.number else Fraction(0)
    number, unit = sheet.result(exact), rate.unit if forward else rate.per
    sheet.lines.append(
        f"{_say(amount.number, amount.unit)} {'x' if forward else '/'} {rate_words} = {_say(number, unit)}"
    )
    return Quantity(number, unit)


def _unpaired(facts: tuple[Quantity, ...]) -> str:
    """A leg, person or machine that has a rate or an amount where its like has both."""
    groups: dict[str, set[bool]] = defaultdict(set)
    last: dict[str, Quantity] = {}
    for fact in facts:
        if fact.tag and not fact.percent:
            groups[fact.tag].add(fact.per is not None)
            last[fact.tag] = fact
    if not any(len(kinds) == 2 for kinds in groups.values()):
        return ""
    for tag, kinds in groups.items():
        if len(kinds) == 1:
            fact = last[tag]
            lacks = plural(fact.per.name) if fact.per else f"rate for the {plural(fact.unit.name)}"
            return f"the {lacks} of {tag}"
    return ""


def _lack(amounts: list[Quantity], rates: list[Quantity], target: str) -> str:
    """In words: what it would take to reach the target."""
    if not amounts and not rates:
        return "any figure to work with"
    goal = {"time": "time", "length": "distance", "mass": "amount", "money": "amount in euros"}.get(target, target)
    counted = [fact for fact in amounts if fact.unit.dimension != target]
    if counted and not any(target in _dimensions(rate) for rate in rates):
        return f"the rate that leads from {plural(counted[-1].unit.name)} to the {goal}"
    if rates and not counted:
        ends = [rate.per for rate in rates if rate.per] + [rate.unit for rate in rates]
        end = next((unit for unit in ends if unit.dimension != target and unit.dimension not in MEASURED), ends[0])
        return f"the number of {plural(end.name)}"
    return f"the figure that links {plural(counted[0].unit.name)} with the {goal}" if counted else f"the {goal} itself"
