"""A campaign whose settings can be looked up by other processes, and checkers that misbehave at one of its tasks.

`python -m tests.core.campaign.crew OUT WORKERS SIGNAL N` sends itself a signal after the N-th plan, once all its
workers have judged a run.
"""

import os
import signal
import sys
import time
import warnings
from pathlib import Path

from aegis_core.campaign import Campaign
from aegis_core.errors import RecorderWarning
from aegis_core.world import generate_tasks

TASKS = generate_tasks(6, 7)
ODD = TASKS[2].task_id
"""Where the checkers misbehave."""


def campaign(out, workers=1, **more) -> Campaign:
    settings = {"system": "aegis_core.world.teams:chain_team", "tasks": TASKS, "seed": 7, "plans_per_run": 3}
    return Campaign(out=out, workers=workers, **(settings | more))


def build_and_die():
    """A factory that takes its process with it."""
    os.kill(os.getpid(), signal.SIGKILL)


def checker(name: str) -> str:
    return f"tests.core.campaign.crew:{name}"


def _holds(task, output) -> bool:
    return task.answer.split()[0] in output


def raises(task, output):
    if task.task_id == ODD:
        raise ZeroDivisionError("no such luck")
    return _holds(task, output)


def exits(task, output):
    if task.task_id == ODD:
        sys.exit(3)
    return _holds(task, output)


def dies(task, output):
    if task.task_id == ODD:
        os.kill(os.getpid(), signal.SIGKILL)
    return _holds(task, output)


def leaves_a_child(task, output):
    if task.task_id == ODD:
        if os.fork() == 0:
            time.sleep(100)
            os._exit(0)
        os._exit(5)
    return _holds(task, output)


def interrupts(task, output):
    if task.task_id == ODD:
        raise KeyboardInterrupt
    return _holds(task, output)


def chatters(task, output):
    print(f"judging {task.task_id}")
    assert not sys.stdin.read()
    warnings.warn("something is odd here", RecorderWarning, stacklevel=1)
    return _holds(task, output)


def signs(task, output):
    """Leaves the number of its process in a folder."""
    Path(os.environ["SIGNED"], str(os.getpid())).touch()
    return _holds(task, output)


def main(out: str, workers: str, number: str, after: str) -> None:
    def watch(progress) -> None:
        if progress.planned >= int(after):
            while sum(1 for _ in Path(os.environ["SIGNED"]).iterdir()) < int(workers):  # one may start late
                time.sleep(0.02)
            os.kill(os.getpid(), int(number))

    signal.signal(signal.SIGINT, signal.default_int_handler)  # where the tests run in the background, it is ignored
    campaign(out, int(workers), checker=checker("signs"), progress=watch).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
