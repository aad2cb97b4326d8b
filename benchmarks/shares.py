"""`python -m benchmarks.shares run NAME`, `... campaign NAME`: where the time of recorded runs, or of a campaign, goes.

NAME is a workload (`autogen`, `smolagents`; see `benchmarks.workloads`) or a campaign's system (`langgraph`,
`callables`). A timer of processor time looks at the main
thread's stack every few milliseconds, which slows nothing down; other threads show as waiting for them. A sample
belongs to the innermost frame that is not the standard library's: *own* counts it there alone, *with callees* for
every function on the stack.
"""

from __future__ import annotations

import argparse
import signal
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

from benchmarks.campaigns import SYSTEMS, generate
from benchmarks.tracing import recorded
from benchmarks.workloads import WORKLOADS

__all__ = ["Sampler", "main"]

_INTERVAL_S = 0.002
_SHOWN = 45
_STANDARD = sysconfig.get_path("stdlib")
_SITE = sysconfig.get_path("purelib")
_ROOT = Path(__file__).parents[1]


class Sampler:
    """Looks at the main thread's stack while its block runs; a context manager."""

    def __init__(self, interval_s: float = _INTERVAL_S) -> None:
        self.stacks: list[tuple[tuple[str, str], ...]] = []
        """(file, function) from the innermost frame outwards, by sample."""
        self._interval_s = interval_s

    def __enter__(self) -> Self:
        self._earlier = signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, self._interval_s, self._interval_s)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, self._earlier)

    def _look(self, number: int, frame: FrameType | None) -> None:
        del number
        stack = []
        while frame is not None:
            stack.append((frame.f_code.co_filename, frame.f_code.co_qualname))
            frame = frame.f_back
        self.stacks.append(tuple(stack))

    def own(self) -> Counter[str]:
        """Samples by package, each counted once."""
        return Counter(_package(_owner(stack)[0]) for stack in self.stacks)

    def inclusive(self) -> Counter[str]:
        """Samples by function of this project, each counted for every such function on its stack."""
        seen: Counter[str] = Counter()
        for stack in self.stacks:
            names = {f"{_short(file)} {name}" for file, name in stack if _is_ours(file)}
            seen.update(name for name in names if not name.startswith("benchmarks/"))
        return seen


def main() -> None:
    """Sample what the command line names, and print shares in percent."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shares", description=__doc__)
    parser.add_argument("what", choices=["run", "campaign"])
    parser.add_argument("name", help=f"of {', '.join(WORKLOADS)}; a campaign of {', '.join(SYSTEMS)}")
    parser.add_argument("--size", type=int, default=40, help="tasks of the campaign, or recorded runs")
    given = parser.parse_args()
    known = SYSTEMS if given.what == "campaign" else WORKLOADS
    if given.name not in known:
        parser.error(f"no {given.what} {given.name!r}; there are {', '.join(known)}")
    work = (_campaign if given.what == "campaign" else _recordings)(given.name, given.size)
    with Sampler() as sampler:
        work()
    for title, counts in (("own, by package", sampler.own()), ("with callees, by function", sampler.inclusive())):
        print(f"{given.name}: {title} ({len(sampler.stacks)} samples)")
        for name, count in counts.most_common(_SHOWN):
            print(f"  {100 * count / len(sampler.stacks):5.1f} %  {name}")


def _campaign(system: str, tasks: int) -> Callable[[], None]:
    def work() -> None:
        with tempfile.TemporaryDirectory() as folder:
            generate(system, Path(folder) / "out", tasks)

    with tempfile.TemporaryDirectory() as folder:
        generate(system, Path(folder) / "warm", 1)
    return work


def _recordings(name: str, runs: int) -> Callable[[], None]:
    workload = WORKLOADS[name]()

    def work() -> None:
        for _ in range(runs):
            recorded(workload)

    recorded(workload)
    return work


def _is_ours(file: str) -> bool:
    return file.startswith(str(_ROOT)) and not file.startswith(_SITE)


def _owner(stack: tuple[tuple[str, str], ...]) -> tuple[str, str]:
    for file, name in stack:
        if file.endswith("threading.py") and "wait" in name:
            return "waiting for threads", name
        if file.startswith(_SITE) or not file.startswith(("<", _STANDARD)):
            return file, name
    return stack[-1]


def _package(file: str) -> str:
    """Two levels of this project's packages (`aegis_core.run`), the first of others'."""
    if _is_ours(file):
        parts = Path(_short(file)).with_suffix("").parts
        return ".".join(parts[:2])
    return Path(file).relative_to(_SITE).parts[0] if file.startswith(_SITE) else file


def _short(file: str) -> str:
    """The path inside this checkout, without the shelf that holds plugins."""
    path = Path(file).relative_to(_ROOT)
    return Path(*path.parts[1:]).as_posix() if path.parts[0] in ("adapters", "injectors") else path.as_posix()


if __name__ == "__main__":
    main()
