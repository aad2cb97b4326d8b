"""For authors of plugins: the conformance kits, and scripted models that need no network. Needs pytest.

    from aegis_core.testing import AdapterConformance

    class CrewConformance(AdapterConformance):
        name = "crew"

        def conversation(self, script, way): ...   # build a small system whose models are `script`

    class TestCrew(CrewConformance): ...           # pytest runs the checks

`docs/write-an-adapter.md` walks through it; `aegis adapters test NAME` runs the kit of an installed adapter. The kits
for injectors, attributors, learners and formats are smaller, and often need a name alone: `docs/write-a-plugin.md`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aegis_core.testing.conformance import AdapterConformance
    from aegis_core.testing.kits.attributors import AttributorConformance
    from aegis_core.testing.kits.formats import FormatConformance
    from aegis_core.testing.kits.injectors import InjectorConformance
    from aegis_core.testing.kits.learners import LearnerConformance
    from aegis_core.testing.script import Reply, Script, ScriptedError, ToolCall
    from aegis_core.testing.stage import Way

__all__ = [
    "AdapterConformance",
    "AttributorConformance",
    "FormatConformance",
    "InjectorConformance",
    "LearnerConformance",
    "Reply",
    "Script",
    "ScriptedError",
    "ToolCall",
    "Way",
]

_KITS = {
    "AdapterConformance": "aegis_core.testing.conformance",
    "AttributorConformance": "aegis_core.testing.kits.attributors",
    "FormatConformance": "aegis_core.testing.kits.formats",
    "InjectorConformance": "aegis_core.testing.kits.injectors",
    "LearnerConformance": "aegis_core.testing.kits.learners",
}
_LATE = _KITS | {
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

    if name in _KITS:
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

    pytest.register_assert_rewrite("aegis_core.testing.checks", "aegis_core.testing.kits")
