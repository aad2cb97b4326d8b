"""Calculations that a text spells out, such as `39 x 13 = 507 euros`, and whether they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from aegis_default.quantities import NUMBER, as_number

__all__ = ["Calculation", "calculations"]

_OPERATORS = {"+": "+", "-": "-", "−": "-", "–": "-", "x": "*", "×": "*", "*": "*", "·": "*", "/": "/", "÷": "/"}
# Two letters at least: a single one is a variable or the sign of multiplication.
_UNIT = r"(?:[ \t]?[A-Za-z²³]{2,}){0,4}?"
_OPERAND = rf"[€$£]?{NUMBER}{_UNIT}"
_SUM = re.compile(
    rf"(?<![\w.,])({_OPERAND}(?:\s*(?:[+*·×÷/−–-]|x(?=[\s\d]))\s*{_OPERAND}){{1,12}})\s*=\s*([€$£]?-?{NUMBER})(?![\d.,]*\d)"
)
_RESULT = re.compile(r"=\s*[€$£]?-?\d")
"""Without it there is none: soon looked for, and most texts don't have it."""
_TERM = re.compile(rf"({NUMBER})({_UNIT})\s*([+*·×÷/−–-]|x(?=[\s\d])|$)")
_OPEN_BEFORE = re.compile(r"[+*·×÷/^(−–-]\s*$|[a-z]\s*[=(]\s*$|\bx\s*$")
_OPEN_AFTER = re.compile(r"\s*(?:[A-Za-z²³]{2,}\s*){0,4}[+*·×÷/^%()−–-]|\s*x\s*\d|%")


@dataclass(frozen=True)
class Calculation:
    """One calculation: its text, the operands, what it states as result and what it comes to."""

    text: str
    operands: tuple[Fraction, ...]
    stated: Fraction
    value: Fraction
    holds: bool
    """Whether the stated result is the value, rounded to as many decimals as are stated."""


def calculations(text: str) -> Iterator[Calculation]:
    """The calculations of a text that can be checked, in order.

    Left out are those with brackets, powers, percentages or unknowns, sums of different units, and those whose result
    is itself the beginning of a longer expression.
    """
    if not _RESULT.search(text):
        return
    for found in _SUM.finditer(text):
        if _OPEN_BEFORE.search(text[: found.start()][-8:]) or _OPEN_AFTER.match(text, found.end()):
            continue
        terms = _TERM.findall(found[1])
        operators = [_OPERATORS[operator] for _, _, operator in terms[:-1] if operator]
        units = {unit.split()[0].casefold().rstrip("s") for _, unit, _ in terms if unit.strip()}
        if len(operators) != len(terms) - 1 or (set(operators) & {"+", "-"} and len(units) > 1):
            continue
        operands = tuple(as_number(number) for number, _, _ in terms)
        value = _value(operands, operators)
        if value is not None:
            stated = as_number(found[2].lstrip("€$£"))
            yield Calculation(" ".join(found[0].split()), operands, stated, value, _is_near(found[2], stated, value))


def _value(operands: tuple[Fraction, ...], operators: list[str]) -> Fraction | None:
    """Multiplication and division first, each from the left; None for a division by zero."""
    total, term, sign = Fraction(0), operands[0], 1
    for operator, operand in zip(operators, operands[1:], strict=True):
        if operator == "*":
            term *= operand
        elif operator == "/":
            if not operand:
                return None
            term /= operand
        else:
            total, term, sign = total + sign * term, operand, 1 if operator == "+" else -1
    return total + sign * term


def _is_near(written: str, stated: Fraction, value: Fraction) -> bool:
    decimals = len(written.partition(".")[2])
    # A whole unit of the last place, not half of one: people cut off as often as they round.
    return abs(stated - value) < Fraction(1, 10**decimals) if value.denominator > 1 else stated == value
