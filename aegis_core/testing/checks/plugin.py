"""Is the plugin light, found, and chosen for its own objects alone?"""

from __future__ import annotations

import pytest

from aegis_core.plugins import PluginInfo, Provided
from aegis_core.testing.offers import loaded_by, offered
from aegis_core.testing.script import Script
from aegis_core.testing.stage import Stage

__all__ = ["PluginChecks"]

_STRANGERS: tuple[object, ...] = (None, 7, "text", object(), [1, 2], {"a": 1}, ValueError("no system"), type)


class PluginChecks(Stage):
    """Discovery, imports, and which objects the adapter takes."""

    def _provided(self) -> tuple[PluginInfo, Provided]:
        return offered(self.plugins(), "adapter", self.name)

    def test_the_plugin_is_discovered_and_offers_the_adapter(self) -> None:
        """An entry point of group `aegis` leads to a Provider with this name, whose target is the adapter.

        Repair: `[project.entry-points.aegis]` in pyproject.toml, and a `hookimpl` named `aegis_adapters`.
        """
        info, item = self._provided()

        assert not item.missing, f"the adapter can't be used here: it needs {item.missing} ({item.install})"
        assert info.status == "loaded", f"plugin {info.name} is {info.status}: {info.reason}"
        assert self.adapter().name == self.name

    def test_importing_the_plugin_loads_no_framework(self) -> None:
        """The entry point's module is light: whoever installs the plugin pays nothing before it is used.

        Repair: keep hook implementations and Providers in the package's `__init__`, and import the framework only in
        the module that the Provider's `target` names.
        """
        info, item = self._provided()
        target = item.target.partition(":")[0]
        if target == info.module:
            pytest.fail(f"the Provider's target stands in {target}, the entry point's own module; move it to another")
        loaded = loaded_by(info.module)
        heavy = sorted({name.partition(".")[0] for name in loaded} & set(self.framework_modules))
        assert not heavy, f"importing {info.module} loads {heavy}; import them in {target} only"
        assert target not in loaded, f"importing {info.module} loads {target}, the Provider's target; don't"

    def test_the_adapter_is_chosen_for_its_own_objects(self) -> None:
        """`aegis.record(app)` finds the adapter by the object alone, whichever of the kit's systems it is.

        Repair: `matches` in the Provider (dotted prefixes of class names), and `can_handle`.
        """
        for name, build in self.systems().items():
            app = self.built(build, Script()).app
            assert self.adapter().can_handle(app) is True, f"can_handle refuses the object of `{name}`"
            assert self.plugins().adapter_for(app).name == self.name, f"another adapter is chosen for `{name}`"

    def test_strangers_are_refused_without_an_error(self) -> None:
        """`can_handle` says False of anything else, and raises nothing: it is asked of every object.

        Repair: `return isinstance(app, ...)`.
        """
        for stranger in _STRANGERS:
            assert self.adapter().can_handle(stranger) is False, f"can_handle does not refuse {stranger!r}"
