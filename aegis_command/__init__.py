"""The program `aegis`, as `pip` installs it.

A package of its own because anything below `aegis_core` can be imported only after all of that, which takes long
enough to be interrupted: Ctrl-C is a line and an exit code from here on.
"""

import os
import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line of the process; see `aegis_core.cli.main`."""
    stops = signal.getsignal(signal.SIGINT) is signal.default_int_handler and "--debug" not in sys.argv
    if stops:
        signal.signal(signal.SIGINT, _stop)
    from aegis_core.cli import main as run

    if stops:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _stop(*_: object) -> None:
    """End at once, without an exception: extension modules that are interrupted while they load print one of theirs.

    Nothing was begun that would have to be put in order.
    """
    sys.stderr.write("aegis: interrupted\n")
    sys.stderr.flush()
    os._exit(130)  # `ExitCode.INTERRUPTED`, which is not there yet
