"""For authors of adapters: the conformance kit, and scripted models that need no network. Needs pytest.

    from aegis_core.testing import AdapterConformance

    class CrewConformance(AdapterConformance):
        name = "crew"

        def conversation(self, script, way): ...   # build a small system whose models are `script`

    class TestCrew(CrewConformance): ...           # pytest runs the checks

`docs/write-an-adapter.md` walks through it; `aegis adapters test NAME` runs the kit of an installed adapter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aegis_core.testing.conformance import AdapterConformance
    from aegis_core.testing.script import Reply, Script, ScriptedError, ToolCall
    from aegis_core.testing.stage import Way

__all__ = ["AdapterConformance", "Reply", "Script", "ScriptedError", "ToolCall", "Way"]

_CHECKED = "aegis_core.testing.conformance"
_LATE = {
    "AdapterConformance": _CHECKED,
    "Reply": "aegis_core.testing.script",
    "Script": "aegis_core.testing.script",
    "ScriptedError": "aegis_core.testing.script",
    "ToolCall": "aegis_core.testing.script",
    "Way": "aegis_core.testing.stage",
}


def __getattr__(name: str) -> Any:  # Any: PEP 562
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if _LATE[name] == _CHECKED:
        _prepare()
    return getattr(import_module(_LATE[name]), name)


def _prepare() -> None:
    """Let pytest rewrite the assertions of the checks, so that a failure shows the values; before they are imported.

    Raises:
        MissingDependencyError: pytest is not installed.
    """
    from aegis_core.testing.installed import require_pytest

    require_pytest()
    import pytest

    pytest.register_assert_rewrite("aegis_core.testing.checks")
