"""A worker: makes the cases that it is asked for, and tells what happens in them on its standard output.

It is started with nothing but the module path of the campaign's process, and does not run that one's script again.
It dies with the campaign: a thread reads the pipe on which tasks come, and ends the process where the pipe ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TextIO

from aegis_core.campaign.cases import Cases, Opened
from aegis_core.campaign.journal import RunRecord, read_run, reread
from aegis_core.campaign.preparation import prepare
from aegis_core.campaign.proof import Verdict
from aegis_core.campaign.workers.messages import (
    STOP,
    Failure,
    JudgedPlan,
    OpenedCase,
    Prepared,
    Recorded,
    Start,
    Warned,
    Word,
)
from aegis_core.errors import AegisWarning
from aegis_core.plugins import default_plugins
from aegis_core.records import Record
from aegis_core.store import Position, encode

__all__ = ["main"]


def main() -> None:
    """Work until there is nothing more to do."""
    requests, out = _own_streams()
    answers = _Answers(out)
    first = requests.readline()
    if not first:
        return
    asked: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests, asked.put), daemon=True, name="aegis-listen").start()
    with warnings.catch_warnings():
        warnings.simplefilter("always", AegisWarning)
        warnings.showwarning = answers.showing(warnings.showwarning)
        try:
            worker = _Worker(Start.model_validate_json(first), answers)
            if (second := asked.get()) == STOP:
                return
            worker.begin(Recorded.model_validate_json(second))
            while (request := asked.get()) != STOP:
                worker.case(int(request))
        except BaseException as error:  # boundary of the process: whatever happened is told, and raised over there
            with contextlib.suppress(BrokenPipeError):  # nobody is left to be told
                answers.tell("failed", Failure.of(error))


def _own_streams() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes from and to the campaign, out of reach of the system under study.

    What that prints goes to standard error, and it finds nothing on standard input.
    """
    requests, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if sys.platform != "win32":
        os.register_at_fork(after_in_child=lambda: _let_go(requests.fileno(), out.fileno()))
    return requests, out


def _let_go(*pipes: int) -> None:
    """In a child that the system under study forks: while that held them, the end of the worker would not show."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for pipe in pipes:
        os.dup2(nothing, pipe)
    os.close(nothing)


def _listen(requests: IO[bytes], put: Callable[[bytes], None]) -> None:
    for line in requests:
        put(line)
        if line == STOP:
            return
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # with it whatever the system under study has started
    os._exit(1)


class _Answers:
    """Writes messages, each whole, whichever thread they come from."""

    def __init__(self, out: IO[bytes]) -> None:
        self._out = out
        self._lock = threading.Lock()

    def tell(self, word: Word, record: Record | None = None) -> None:
        """One message with a record, or of a word alone."""
        self.line(f"{word} ".encode() + encode(record) if record is not None else f"{word}\n".encode())

    def line(self, line: bytes) -> None:
        """One message that is ready to be written."""
        with self._lock:
            left = memoryview(line)
            while left:
                left = left[self._out.write(left) :]

    def showing(self, usual: Callable[..., None]) -> Callable[..., None]:
        """Tells Aegis's own warnings to the campaign; others are shown as usual."""

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, AegisWarning):
                self.tell("warned", Warned(category=category.__name__, text=str(message)))
            else:
                usual(message, category, filename, lineno, file, line)

        return show


class _Worker:
    """Makes cases."""

    def __init__(self, start: Start, answers: _Answers) -> None:
        self._answers = answers
        self._journal = Path()
        self._places: dict[str, Position] = {}
        self._made: dict[str, RunRecord] = {}
        plugins = default_plugins()
        ready = prepare(start.settings(), plugins)
        answers.tell("ready", Prepared(configuration=ready.configuration, system=ready.wrapped.name))
        self._cases = Cases(ready, self._keep, plugins.judge)

    def begin(self, recorded: Recorded) -> None:
        """From now on runs may be looked up and made."""
        self._journal = recorded.journal
        self._places = {run_id: Position(line, offset) for run_id, (line, offset) in recorded.places.items()}

    def case(self, ordinal: int) -> None:
        """Make the case of the task at this place."""
        self._made.clear()
        for told in self._cases.case(ordinal):
            if isinstance(told, Opened):
                self._answers.tell("opened", OpenedCase(clean_run_id=told.clean.run_id, n_plans=told.n_plans))
            else:
                self._answers.tell("judged", _judged(told))
        self._answers.tell("done")

    def _keep(self, run_id: str, make: Callable[[], tuple[RunRecord, float]]) -> RunRecord:
        """As `Journal.run`, but the campaign's process does the writing."""
        place = self._places.get(run_id)
        if place is not None or run_id in self._made:
            self._answers.line(f"found {run_id}\n".encode())
            return read_run(self._journal, place) if place is not None else self._made[run_id]
        made, seconds = make()
        line = encode(made)
        self._answers.line(f"made {run_id} {seconds} ".encode() + line)
        record = self._made[run_id] = reread(line, self._journal, Position(line=0, offset=0))
        return record


def _judged(verdict: Verdict) -> JudgedPlan:
    return JudgedPlan(
        run=verdict.run,
        arms=tuple(arm.run_id for arm in verdict.arms),
        live_model_calls=verdict.live_model_calls,
        proof=verdict.proof,
        labels=verdict.labels,
    )
