"""What a run of the kit found out about an installed adapter."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from aegis_core.records import Record

__all__ = ["Certificate", "CheckResult", "Verdict"]

Verdict = Literal["passed", "failed", "skipped", "expected"]
"""`skipped`: the adapter does not offer what the check is about. `expected`: it fails, as its author says and why."""


class CheckResult(Record):
    """One check. `reason` is why it failed or was skipped; `about` and `repair` are what its docstring says."""

    check: str
    verdict: Verdict
    about: str = ""
    repair: str = ""
    reason: str = ""


class Certificate(Record):
    """All checks of one adapter, with the versions for which they speak."""

    adapter: str
    plugin: str
    distribution: str
    version: str
    aegis: str
    python: str
    frameworks: dict[str, str] = Field(default_factory=dict)
    """Installed versions of the framework's distributions, as far as its kit names them."""
    kit: str
    """Module and class with the systems on which it was tried."""
    checks: tuple[CheckResult, ...]

    def count(self, verdict: Verdict) -> int:
        """How many checks ended so."""
        return sum(check.verdict == verdict for check in self.checks)

    @property
    def ok(self) -> bool:
        """Nothing failed, and something passed."""
        return self.count("passed") > 0 and not self.count("failed")
