"""Answers in the code that a code agent writes: found as literals, and written back so that the code stays valid.

Only a literal text that is handed to `final_answer` is an answer that can be altered. Anything else in the code is what
the agent does, and stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from aegis_smolagents._compat import FINAL

__all__ = ["answers_in", "elided", "with_answers"]


def answers_in(code: str) -> tuple[str, ...]:
    """The literal texts that the code hands to `final_answer`, in order."""
    return tuple(str(node.value) for node in _literals(code))


def with_answers(code: str, texts: Mapping[int, str]) -> str:
    """The code with these answers replaced, by position; each is a literal again."""
    return _replaced(code, {number: repr(text) for number, text in texts.items()})


def elided(code: str) -> str:
    """The code with `...` for its literal answers: they are told by the step of the answer itself."""
    return _replaced(code, dict.fromkeys(range(len(answers_in(code))), "..."))


def _literals(code: str) -> list[ast.Constant]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return []
    found: list[ast.Constant] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == FINAL:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            found += [item for item in given if isinstance(item, ast.Constant) and isinstance(item.value, str)]
    return sorted(found, key=lambda item: (item.lineno, item.col_offset))


def _replaced(code: str, literals: Mapping[int, str]) -> str:
    """The code with the literals at these positions written anew, from the last to the first."""
    starts = [0]
    for line in code.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    written = code.encode()
    found = _literals(code)
    for number in sorted(literals, reverse=True):
        node = found[number]
        end_line, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        first, last = starts[node.lineno - 1] + node.col_offset, starts[end_line - 1] + end
        written = written[:first] + literals[number].encode() + written[last:]
    return written.decode()
