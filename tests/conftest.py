"""What holds for every test: no network, the same examples each time, frameworks only where they are installed."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

HERE = Path(__file__).parent
# Folder of tests -> the framework without which none of them can even be collected.
NEEDS = {
    HERE / "adapters" / folder: module
    for folder, module in {
        "autogen": "autogen_agentchat",
        "camel": "camel",
        "langgraph": "langgraph",
        "metagpt": "metagpt",
        "openai_agents": "agents",
        "smolagents": "smolagents",
    }.items()
}

settings.register_profile("aegis", derandomize=True, database=None, deadline=None)
settings.load_profile("aegis")


def _left_out() -> dict[Path, str]:
    return {folder: module for folder, module in NEEDS.items() if folder.exists() and find_spec(module) is None}


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out folders whose framework isn't installed; a lane makes sure beforehand that its frameworks are."""
    return True if collection_path in _left_out() else None


def pytest_report_header() -> list[str]:
    """Say what was left out, so that a local run doesn't look complete when it isn't."""
    return [f"left out: {folder.name} ({module} is not installed)" for folder, module in _left_out().items()]


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that reaches for another machine fails."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if isinstance(address, tuple) and address[0] not in {"127.0.0.1", "::1", "localhost"}:
            pytest.fail(f"this test tried to reach {address[0]}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)
