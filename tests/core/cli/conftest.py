"""Running the command line inside the test's process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from aegis_core.cli import main


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, all of it, as JSON."""
        return json.loads(self.out)


@pytest.fixture
def aegis(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """`aegis("modes", "--json")` runs the command."""

    def run(*arguments: object) -> Done:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Done(int(ended.value.code or 0), out, err)

    return run
