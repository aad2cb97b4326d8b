"""The tools of the teams in this tree, as plain functions: a table look-up and a calculator."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from fractions import Fraction

from aegis_core.world.model.families.sketch import look_up
from aegis_core.world.model.language import show

__all__ = ["calculate", "look_up"]

_OPERATIONS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def calculate(expression: str) -> str:
    """The value of an expression of numbers with + - * / and brackets, or a sentence that says what is wrong."""
    try:
        return show(_value(ast.parse(expression.strip(), mode="eval").body))
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError) as err:
        return f"error: {expression!r} can't be calculated ({err})"


def _value(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        return Fraction(str(node.value))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        return _OPERATIONS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    raise ValueError("numbers, + - * / and brackets are understood")
