"""Whether what the kit itself needs is installed."""

from __future__ import annotations

from importlib.util import find_spec

from aegis_core.errors import MissingDependencyError

__all__ = ["require_pytest"]


def require_pytest() -> None:
    """Nothing, where pytest can be imported.

    Raises:
        MissingDependencyError: it can't; the message holds the command that installs it.
    """
    if find_spec("pytest") is None:
        raise MissingDependencyError(
            "the conformance kit needs pytest (not installed); install with: pip install 'aegis-mas[testing]'"
        )
