"""What the texts that smolagents makes of an agent's memory consist of.

A task, tool calls, observations and errors stand in forms of the framework's own, arguments quoted as Python does.
Taken apart, each text stands by itself as somebody wrote it, and can be put back.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aegis_core.adapter import Part
from aegis_core.run.values import value_parts, write_value
from aegis_core.trajectory import StepKind
from aegis_smolagents._compat import CALLS, MORE, OBSERVATION, TASK

__all__ = ["Piece", "put_together", "quoted_arguments", "quoted_calls", "take_apart"]

_ERROR = re.compile(r"(\A(?:Call id: .*\n)?Error:\n)(.*)(\nNow let's retry: take care not to repeat .*\Z)", re.S)
_CALL_ID = re.compile(r"'id': '[^']*', ")


@dataclass(frozen=True)
class Piece:
    """A piece of a text: words of the framework's own (`place` is None), somebody's text, or a quoted value.

    `place` is where it stands in the message, for the ids of its parts.
    """

    text: str = ""
    place: str | None = None
    value: Any = None
    editable: bool = True

    def parts(self, root: str, role: str, kind: StepKind) -> tuple[Part, ...]:
        """The texts of the piece."""
        if self.place is None:
            return ()
        where = f"{root}{self.place}"
        if self.value is None:
            return (Part(id=where, text=self.text, role=role, kind=kind, editable=self.editable),)
        if isinstance(self.value, dict):
            return value_parts(self.value, root=where, role=role, kind=kind)
        return tuple(_quoted(self.value, where, role, kind))

    def written(self, root: str, texts: Mapping[str, str]) -> str:
        """The piece as it stands in the message, with these texts by part id."""
        if self.place is None:
            return self.text
        where = f"{root}{self.place}"
        return texts.get(where, self.text) if self.value is None else repr(write_value(self.value, texts, root=where))


def _quoted(calls: list[Any], root: str, role: str, kind: StepKind) -> Iterator[Part]:
    """Names and arguments of tool calls, without their ids, which models draw at random. They can't be altered."""
    for number, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            continue
        where = f"{root}[{number}]"
        yield Part(id=where, text=str(function.get("name", "")), role=role, kind=kind, editable=False)
        for part in value_parts(function.get("arguments"), root=f"{where}.arguments", role=role, kind=kind):
            yield part if not part.editable else part.model_copy(update={"editable": False})


def put_together(pieces: Collection[Piece], root: str, texts: Mapping[str, str]) -> str:
    """The text that the pieces make, with these texts by part id."""
    return "".join(piece.written(root, texts) for piece in pieces)


def take_apart(role: str, text: str, known: Collection[str] = ()) -> tuple[Piece, ...]:
    """The pieces of a text of the memory; one piece, if it has no form that is known.

    Args:
        role: of the message, as smolagents calls it.
        known: what calls of the agent have brought, of which observations are put together.
    """
    if role == "tool-response" and text.startswith(OBSERVATION):
        return (Piece(OBSERVATION), *_observations(text.removeprefix(OBSERVATION), known))
    return _other(role, text)


def _other(role: str, text: str) -> tuple[Piece, ...]:
    if role == "tool-response" and (error := _ERROR.match(text)):
        return (Piece(error[1]), Piece(error[2], ""), Piece(error[3]))
    if role == "tool-call":
        called = quoted_calls(text)
        if called is None:  # it quotes what can't be read back; ids are drawn at random
            return (Piece(_CALL_ID.sub("", text), "", editable=False),)
        return (Piece(CALLS), Piece(place=".calls", value=called, editable=False))
    if role == "user" and text.startswith(TASK):
        task, more = quoted_arguments(text)
        rest = () if more is None else (Piece(MORE), Piece(place=".more", value=more), Piece("."))
        return (Piece(TASK), Piece(task, ""), *rest)
    return (Piece(text, ""),)


def _observations(text: str, known: Collection[str]) -> tuple[Piece, ...]:
    """The results of several calls, one a piece; the text as it is, if it is made of something else as well."""
    if text in known:
        return (Piece(text, ""),)
    found = _results_in(text, known)
    if "\n".join(found) != text:
        return (Piece(text, ""),)
    pieces = [(Piece("\n"), Piece(result, f".{number}")) for number, result in enumerate(found)]
    return tuple(piece for pair in pieces for piece in pair)[1:]


def _results_in(text: str, known: Collection[str]) -> list[str]:
    """The known results that a text begins with, one a line or more."""
    found: list[str] = []
    while text:
        fitting = [result for result in known if result and f"{text}\n".startswith(f"{result}\n")]
        if not fitting:
            return found
        found.append(max(fitting, key=len))
        text = text[len(found[-1]) + 1 :]
    return found


def quoted_calls(text: str) -> list[Any] | None:
    """The tool calls that a text of the memory quotes; None if there are none, or they can't be read."""
    found = _literal(text.removeprefix(CALLS)) if text.startswith(CALLS) else None
    return found if isinstance(found, list) else None


def quoted_arguments(text: str) -> tuple[str, dict[str, Any] | None]:
    """The text of a task that the memory has, and the additional arguments that are quoted at its end, if any."""
    head, mark, rest = text.removeprefix(TASK).rpartition(MORE)
    found = _literal(rest.removesuffix(".")) if mark else None
    return (head, found) if isinstance(found, dict) else (text.removeprefix(TASK), None)


def _literal(text: str) -> Any:
    """What Python wrote as a literal; None where it wrote something else, such as an object."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
