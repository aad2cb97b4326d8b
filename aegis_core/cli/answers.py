"""What all commands share: exit codes, one way to answer in words or JSON, errors without tracebacks."""

from __future__ import annotations

import contextlib
import enum
import functools
import json
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Annotated, ParamSpec, TextIO

import typer
from pydantic import BaseModel, JsonValue
from rich.console import RenderableType

from aegis_core.cli.harmless import HarmlessConsole, harmless, harmless_json
from aegis_core.errors import AegisError, AegisWarning, MissingDependencyError

__all__ = ["Answer", "AsJson", "ExitCode", "command", "debug_mode"]

P = ParamSpec("P")
debug_mode: ContextVar[bool] = ContextVar("aegis_cli_debug", default=False)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else.")]
PLAIN_WIDTH = 120
"""Columns of tables where the output is no terminal."""


class ExitCode(enum.IntEnum):
    """How the process ends. `docs/cli.md` and `aegis --help` say the same."""

    OK = 0
    NEGATIVE = 1
    """The command did its work, and the result is bad: a broken plugin, no faulty run kept."""
    USAGE = 2
    """A wrong argument, file, name or configuration."""
    MISSING = 3
    """Something that is needed is not installed."""
    UNEXPECTED = 4
    """An error that nobody foresaw."""
    INTERRUPTED = 130


@dataclass(frozen=True)
class Answer:
    """What a command has to say: `data` for `--json` (records and plain values), else `text`, one after another."""

    data: object
    text: Sequence[RenderableType]
    code: ExitCode = ExitCode.OK


def command(function: Callable[P, Answer]) -> Callable[P, None]:
    """Make a command of a function that answers.

    Whatever plugins and systems print while it runs goes to standard error: standard output is for the answer alone.
    Of an interruption its notes (`add_note`) are told, by which the work that was stopped says what became of it.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        out = sys.stdout
        code = ExitCode.UNEXPECTED
        try:
            with contextlib.redirect_stdout(sys.stderr), _plain_warnings():
                answer = function(*args, **kwargs)
            _print(answer, out, as_json=bool(kwargs.get("as_json")))
            code = answer.code
        except KeyboardInterrupt as error:
            code = _failed("; ".join(["interrupted", *getattr(error, "__notes__", ())]), ExitCode.INTERRUPTED)
        except MissingDependencyError as error:
            code = _failed(str(error), ExitCode.MISSING)
        except AegisError as error:
            code = _failed(str(error), ExitCode.USAGE)
        except (typer.Exit, BrokenPipeError):
            raise
        except Exception as error:  # the last boundary: a traceback is for those who ask for it
            code = _failed(f"{type(error).__name__}: {error} (unexpected)", ExitCode.UNEXPECTED)
        raise typer.Exit(int(code))

    return run


def _failed(message: str, code: int) -> ExitCode:
    if debug_mode.get():
        traceback.print_exc()
    hint = "" if debug_mode.get() or code == ExitCode.INTERRUPTED else " (--debug shows the traceback)"
    print(f"aegis: {harmless(message)}{hint if code == ExitCode.UNEXPECTED else ''}", file=sys.stderr)
    return ExitCode(code)


def _print(answer: Answer, out: TextIO, *, as_json: bool) -> None:
    if as_json:
        out.write(_json(answer.data, out) + "\n")
        return
    console = HarmlessConsole(file=out, highlight=False, soft_wrap=False, width=None if out.isatty() else PLAIN_WIDTH)
    for item in answer.text:
        if isinstance(item, str):
            console.print(harmless(item), markup=False, soft_wrap=True)
        else:
            console.print(item)


def _json(data: object, out: TextIO) -> str:
    text = harmless_json(json.dumps(data, default=_plain, ensure_ascii=False, indent=2))
    try:
        text.encode(out.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(data, default=_plain, ensure_ascii=True, indent=2)
    return text


def _plain(data: object) -> JsonValue:
    if isinstance(data, BaseModel):
        plain: JsonValue = data.model_dump(mode="json")
        return plain
    raise TypeError(f"a {type(data).__name__} has no form in JSON")


@contextlib.contextmanager
def _plain_warnings() -> Iterator[None]:
    """Aegis's own warnings as one line each, without file names; others as Python shows them."""
    usual = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, AegisWarning):
            print(f"warning: {harmless(str(message).removeprefix('aegis: '))}", file=sys.stderr)
        else:
            usual(message, category, filename, lineno, file, line)

    with warnings.catch_warnings():
        warnings.simplefilter("always", AegisWarning)
        warnings.showwarning = show
        yield
