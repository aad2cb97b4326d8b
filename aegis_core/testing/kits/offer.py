"""What every plugin has to keep to, whatever it offers: it is found, and importing it loads nothing heavy."""

from __future__ import annotations

from typing import Any, ClassVar

from aegis_core.plugins import Plugins, default_plugins
from aegis_core.plugins.kinds import Kind
from aegis_core.testing.kits.kit import Kit
from aegis_core.testing.offers import loaded_by, offered

__all__ = ["OfferKit"]


class OfferKit(Kit):
    """A kit for one thing that a plugin offers by name."""

    kind: ClassVar[Kind]
    name: ClassVar[str] = ""
    """As in its provider."""
    heavy: ClassVar[tuple[str, ...]] = ()
    """Top-level modules that importing the plugin must not load: its model library, its framework."""

    def plugins(self) -> Plugins:
        """Where it is looked up: by default all that is installed."""
        return default_plugins()

    def made(self) -> Any:
        """One of it, as Aegis makes it for who asks by name."""
        look_up = {
            "injector": self.plugins().injector,
            "attributor": self.plugins().attributor,
            "learner": self.plugins().learner,
            "format": self.plugins().format,
        }
        return look_up[self.kind](self.name)

    def test_the_plugin_is_discovered_and_offers_it(self) -> None:
        """An entry point of group `aegis` leads to a Provider with this name.

        Repair: `[project.entry-points.aegis]` in pyproject.toml, and a `hookimpl` that returns the Provider.
        """
        info, item = offered(self.plugins(), self.kind, self.name)
        assert not item.missing, f"it can't be used here: it needs {item.missing} ({item.install})"
        assert info.status == "loaded", f"plugin {info.name} is {info.status}: {info.reason}"
        assert self.made().name == self.name, f"it calls itself {self.made().name!r}"

    def test_importing_the_plugin_is_light(self) -> None:
        """The entry point's module describes and loads nothing: whoever installs the plugin pays nothing before use.

        Repair: keep hook implementations and Providers in the package's `__init__`, all else in other modules.
        """
        info, item = offered(self.plugins(), self.kind, self.name)
        target = item.target.partition(":")[0]
        assert target != info.module, f"the Provider's target stands in {target}, the entry point's own module"
        loaded = loaded_by(info.module)
        heavy = sorted({name.partition(".")[0] for name in loaded} & set(self.heavy))
        assert not heavy, f"importing {info.module} loads {heavy}; import them in {target} only"
        assert target not in loaded, f"importing {info.module} loads {target}, the Provider's target; don't"
