"""The program `aegis`, as `pip` installs it.

A package of its own because anything below `aegis_core` can be imported only after all of that, which takes long
enough to be interrupted: Ctrl-C is a line and an exit code from here on.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line of the process; see `aegis_core.cli.main`."""
    try:
        from aegis_core.cli import main as run
    except KeyboardInterrupt:
        if "--debug" in sys.argv:
            raise
        sys.stderr.write("aegis: interrupted\n")
        raise SystemExit(130) from None  # `ExitCode.INTERRUPTED`, which is not there yet
    run()
