"""A plugin of pytest, for `aegis adapters test`: writes what became of each check as a line of JSON."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from aegis_core.testing.certificate import CheckResult, Verdict

__all__ = ["pytest_addoption", "pytest_runtest_makereport"]

_OPTION = "--aegis-results"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The file to which results are appended."""
    parser.addoption(_OPTION, default="", help="where the results of the checks are written")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Append one result for each check: that of its call, or of the phase that kept it from being called."""
    report = yield
    if report.when == "call" or not report.passed:
        about, repair = _description(getattr(item, "function", None))
        reason = "" if report.passed else _reason(report, call)
        result = CheckResult(check=item.name, verdict=_verdict(report), about=about, repair=repair, reason=reason)
        with Path(item.config.getoption(_OPTION)).open("a", encoding="utf-8") as file:
            file.write(result.model_dump_json() + "\n")
    return report


def _verdict(report: pytest.TestReport) -> Verdict:
    if report.skipped:
        return "expected" if hasattr(report, "wasxfail") else "skipped"
    return "passed" if report.passed else "failed"


def _reason(report: pytest.TestReport, call: pytest.CallInfo[None]) -> str:
    if hasattr(report, "wasxfail"):
        return str(report.wasxfail)
    if call.excinfo is None:  # expected to fail, and did not
        return str(report.longrepr)
    error = call.excinfo.value
    if isinstance(error, pytest.skip.Exception | AssertionError):
        return str(error.msg if isinstance(error, pytest.skip.Exception) else error)
    return f"{type(error).__name__}: {error}"


def _description(function: Any) -> tuple[str, str]:
    """The first sentence of a check's docstring, and how to repair."""
    text = " ".join((getattr(function, "__doc__", None) or "").split())
    about, _, repair = text.partition("Repair: ")
    return about.strip(), repair.strip()
