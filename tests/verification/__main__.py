"""`python -m tests.verification DATASET [--rerun N --seed S]`: 0 if every label holds, 1 if not."""

from __future__ import annotations

import argparse
import os
import sys

from tests.verification.material import Files
from tests.verification.repetition import repeat
from tests.verification.verifier import verify


def main(arguments: list[str] | None = None) -> int:
    """Verify a dataset, and say what does not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.verification", description=__doc__)
    parser.add_argument("dataset", help="folder of a dataset, or of the campaign that it belongs to")
    parser.add_argument("--rerun", type=int, default=0, metavar="N", help="make N random faulty runs again")
    parser.add_argument("--seed", type=int, default=0, help="of the choice of these runs")
    options = parser.parse_args(arguments)
    # Last, so that nothing in the user's folder hides an installed module: the system's factory may stand there.
    sys.path.append(os.getcwd())  # noqa: PTH109  sys.path holds strings
    files = Files.open(options.dataset)
    violations = [*verify(files)]
    kept = sum(1 for _ in files.claims())
    print(f"{kept} faulty runs looked at, {len(files.trajectories)} trajectories")
    if options.rerun:
        repeated = repeat(files, options.rerun, options.seed)
        print(f"{len(repeated.faulty)} faulty runs made again, {repeated.runs} runs with clean twins and controls")
        violations += repeated.violations
    for violation in violations:
        print(violation)
    print(f"{len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    raise SystemExit(main())
