"""The command line. Thin: it parses, calls what does the work, and prints. typer and rich are imported by `main`."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code (see `aegis --help`).

    Args:
        argv: the arguments after the program's name, by default those of the process.
    """
    import sys

    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        _run(arguments)
    except KeyboardInterrupt:  # before the command began, or after it ended: inside it, `answers.command` says more
        if "--debug" in arguments:
            raise
        print("aegis: interrupted", file=sys.stderr)
        raise SystemExit(130) from None  # `ExitCode.INTERRUPTED`, whose module may be what was being imported


def _run(arguments: list[str]) -> None:
    from aegis_core.cli.answers import debug_mode
    from aegis_core.cli.app import app

    # Accepted anywhere on the line: it is most often added to the end of a line that has just failed.
    debug_mode.set("--debug" in arguments)
    app(args=[argument for argument in arguments if argument != "--debug"], prog_name="aegis")
