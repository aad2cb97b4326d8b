"""The workers of a campaign, as its own process sees them: asks them ahead, and tells what they did in order."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from queue import SimpleQueue
from types import TracebackType
from typing import Self

from aegis_core.campaign.cases import Opened
from aegis_core.campaign.journal import Journal
from aegis_core.campaign.preparation import Settings
from aegis_core.campaign.proof import Verdict
from aegis_core.campaign.tasks import Task
from aegis_core.campaign.workers.messages import (
    STOP,
    Failure,
    JudgedPlan,
    OpenedCase,
    Prepared,
    Recorded,
    Start,
    Warned,
)
from aegis_core.errors import CampaignError
from aegis_core.store import encode

__all__ = ["Pool"]

_AHEAD = 2
"""Tasks a worker that may be begun before their turn. More would cost memory, and more runs if all is killed."""
_STOP_S = 5.0
_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); from {module} import main; main()"


class Pool:
    """Cases from workers; a context manager, which starts and ends them.

    Workers alone load the system, its framework and the plugins: this process waits for what the first of them finds
    out (`prepared`), opens the campaign's folder, and lets them `begin`.

    Each worker makes whole cases, and tasks are given out in order. Runs of tasks whose turn has not come wait here and
    are in no file yet: the journal is that of a campaign with one process, however it ends.

    Args:
        settings: of the campaign; they can cross (`check_can_cross`).
        tasks: of the campaign.
        workers: how many.
    """

    def __init__(self, settings: Settings, tasks: tuple[Task, ...], workers: int) -> None:
        self._tasks = tasks
        self._start = encode(Start.of(settings, tasks))
        self._first: SimpleQueue[bytes] = SimpleQueue()
        self._prepared: Prepared | None = None
        self._journal: Journal | None = None
        self._recorded = b""
        self._begun = threading.Event()
        self._agenda = _Agenda(len(tasks), _AHEAD * workers)
        self._told: list[SimpleQueue[bytes]] = [SimpleQueue() for _ in tasks]
        self._warned: set[Warned] = set()
        self._workers: list[_Worker] = []
        self._threads: list[threading.Thread] = []
        self._count = min(workers, len(tasks))

    def prepared(self) -> Prepared:
        """What a worker found out from the settings; waits for the first one.

        Raises:
            AegisError: as for `prepare`, which was called there; a CampaignError if the worker died.
            RuntimeError: something else was raised there.
        """
        while (found := self._first.get()).startswith(b"warned "):
            self._warn(Warned.model_validate_json(found.partition(b" ")[2]))
        word, _, data = found.partition(b" ")
        if word == b"failed":
            raise Failure.model_validate_json(data).error("prepared the campaign")
        self._prepared = Prepared.model_validate_json(data)
        return self._prepared

    def begin(self, journal: Journal) -> None:
        """Let the workers begin; the journal gets the runs when their turn comes."""
        self._journal = journal
        self._recorded = encode(Recorded.of(journal.path, journal.places()))
        self._begun.set()

    def case(self, ordinal: int) -> Iterator[Opened | Verdict]:
        """See `Source`.

        Raises:
            AegisError: what was raised in the worker.
            RuntimeError: something else was raised there; names the task.
            CampaignError: the worker died; names the task.
            KeyboardInterrupt: it was raised there.
        """
        if self._journal is None:
            raise CampaignError("the workers have not begun; call `begin` first")
        journal = self._journal
        self._agenda.reach(ordinal)
        for word, data in self._messages(ordinal):
            if word == b"made":
                run_id, seconds, line = data.split(b" ", 2)
                journal.add(run_id.decode(), line, float(seconds))
            elif word == b"found":
                journal.found += 1
            elif word == b"opened":
                opened = OpenedCase.model_validate_json(data)
                yield Opened(journal.read(opened.clean_run_id), opened.n_plans)
            elif word == b"judged":
                yield _verdict(JudgedPlan.model_validate_json(data), journal)
            elif word == b"warned":
                self._warn(Warned.model_validate_json(data))
            elif word == b"ready":
                self._check_same(Prepared.model_validate_json(data))
            else:
                raise Failure.model_validate_json(data).error(self._work(ordinal))

    def _messages(self, ordinal: int) -> Iterator[tuple[bytes, bytes]]:
        """The messages of a task, as they come, without the last one."""
        while (line := self._told[ordinal].get()) != b"done\n":
            word, _, data = line.partition(b" ")
            yield word, data

    def _work(self, ordinal: int | None) -> str:
        return "prepared the campaign" if ordinal is None else f"made the runs of task {self._tasks[ordinal].task_id!r}"

    def _warn(self, warned: Warned) -> None:
        """Once for each cause, whichever worker it comes from."""
        if warned not in self._warned:
            self._warned.add(warned)
            warnings.warn(warned.text, warned.category_class(), stacklevel=2)

    def _check_same(self, found: Prepared) -> None:
        if self._prepared is None or found == self._prepared:
            return
        mine, theirs = (record.configuration.model_dump(mode="json") for record in (self._prepared, found))
        differing = [
            f"{name} is {mine[name]!r} in one, {theirs[name]!r} in another"
            for name in mine
            if mine[name] != theirs[name]
        ]
        if differing:
            raise CampaignError(
                f"workers come to different configurations from the same settings: {'; '.join(differing)}. "
                "Use workers=1, or make the factory and plugins independent of the process that looks them up"
            )

    def __enter__(self) -> Self:
        try:
            for _ in range(self._count):
                worker = _Worker()
                self._workers.append(worker)
                thread = threading.Thread(target=self._drive, args=(worker,), daemon=True, name="aegis-worker")
                thread.start()
                self._threads.append(thread)
        except BaseException:
            self._end(orderly=False)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(orderly=kind is None)

    def _end(self, *, orderly: bool) -> None:
        self._agenda.close()
        self._begun.set()
        for worker in self._workers:
            if worker.is_busy or not orderly:
                worker.kill()
            else:
                worker.send(STOP)
        for worker in self._workers:
            worker.wait()
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            worker.close()

    def _drive(self, worker: _Worker) -> None:
        """Give a worker one task after the other, and hand on what it tells."""
        worker.send(self._start)
        first: list[bytes] = []
        while not first or first[-1].startswith(b"warned "):
            first.append(self._line(worker, None))
            self._first.put(first[-1])
        self._begun.wait()
        worker.send(self._recorded)
        while (ordinal := self._agenda.next()) is not None:
            worker.is_busy = True
            worker.send(b"%d\n" % ordinal)
            word = b""
            while word not in (b"done\n", b"failed"):
                line = first.pop(0) if first else self._line(worker, ordinal)
                self._told[ordinal].put(line)
                word = line.partition(b" ")[0]
            if word == b"failed":
                self._agenda.end_at(ordinal)
                return
            worker.is_busy = False

    def _line(self, worker: _Worker, ordinal: int | None) -> bytes:
        """The next line of a worker; if it is dead, as if it had told so."""
        line = worker.line()
        if line.endswith(b"\n"):
            return line
        text = (
            f"the worker that {self._work(ordinal)} {worker.fate()}. Nothing that was recorded is lost: give the "
            "command again to go on; if memory ran out, with fewer workers"
        )
        return b"failed " + encode(Failure(kinds=("CampaignError",), text=text, trace=text))


def _verdict(judged: JudgedPlan, journal: Journal) -> Verdict:
    arms = tuple(journal.read(run_id) for run_id in judged.arms) if judged.run.kept else ()
    return Verdict(judged.run, arms, judged.live_model_calls, judged.proof, judged.labels)


class _Agenda:
    """Which task is next, for threads that drive workers."""

    def __init__(self, count: int, ahead: int) -> None:
        self._changed = threading.Condition()
        self._next = 0
        self._end = count
        self._ahead = ahead
        self._reached = 0

    def next(self) -> int | None:
        """The place of a task; waits until it may be begun. None: there is nothing more to do."""
        with self._changed:
            self._changed.wait_for(lambda: self._next >= self._end or self._next < self._reached + self._ahead)
            if self._next >= self._end:
                return None
            self._next += 1
            return self._next - 1

    def reach(self, ordinal: int) -> None:
        """This task's turn has come."""
        with self._changed:
            self._reached = ordinal
            self._changed.notify_all()

    def end_at(self, ordinal: int) -> None:
        """The campaign will not get beyond this task."""
        with self._changed:
            self._end = min(self._end, ordinal)
            self._changed.notify_all()

    def close(self) -> None:
        """No further task is begun."""
        self.end_at(0)


class _Worker:
    """One process, in a session of its own: a key that interrupts the campaign does not reach it."""

    def __init__(self) -> None:
        module = f"{__package__}.process"
        self.is_busy = False
        self._process = subprocess.Popen(  # noqa: S603  this very interpreter
            [sys.executable, "-c", _BOOT.format(module=module), json.dumps(sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )

    def send(self, line: bytes) -> None:
        """Hand a line over; if the process is dead, that shows where its answer is read."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def line(self) -> bytes:
        """The next line that it writes; not a whole one if it died."""
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    def fate(self) -> str:
        """How the process ended; what it had started and left behind is ended too."""
        status = self._process.wait()
        self._kill_all()
        if status < 0:
            return f"was killed by signal {-status} ({signal.Signals(-status).name})"
        return f"ended with exit status {status}"

    def kill(self) -> None:
        """End it at once, with what it has started."""
        if self._process.poll() is None:
            self._kill_all()

    def _kill_all(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)

    def wait(self) -> None:
        """Until it has ended; a while for what it does last, then it is killed."""
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()

    def close(self) -> None:
        """Let go of the pipes."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
