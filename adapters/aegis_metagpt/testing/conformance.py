"""The conformance kit for MetaGPT: teams whose models are scripted. Needs pytest."""

from __future__ import annotations

from typing import Any

from aegis_core.testing import AdapterConformance, Script, Way
from aegis_metagpt.testing.configuration import prepare

__all__ = ["MetaGPTConformance"]


class MetaGPTConformance(AdapterConformance):
    """Teams with roles that watch each other, that work side by side, and that address each other by name."""

    name = "metagpt"
    ways = ("async",)
    framework_modules = ("metagpt",)
    distributions = ("metagpt", "pydantic", "openai")
    reports_usage = True

    def plain(self, result: Any) -> Any:
        addressees = sorted(result.send_to)
        return type(result), result.content, result.role, result.cause_by, result.sent_from, addressees

    def conversation(self, script: Script, way: Way) -> Any:
        prepare()
        from aegis_metagpt.testing import scripted

        del way
        return scripted.conversation(script)

    def side_by_side(self, script: Script, way: Way) -> Any:
        prepare()
        from aegis_metagpt.testing import scripted

        del way
        return scripted.side_by_side(script)

    def handing_over(self, script: Script, way: Way) -> Any:
        prepare()
        from aegis_metagpt.testing import scripted

        del way
        return scripted.handing_over(script)
