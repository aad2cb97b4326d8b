"""Runs the kit of an installed adapter, in a process of its own, and sums up what it found."""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from aegis_core import __version__
from aegis_core.errors import PluginError
from aegis_core.plugins import PluginInfo, Plugins, Provided
from aegis_core.testing.certificate import Certificate, CheckResult
from aegis_core.testing.installed import require_pytest

if TYPE_CHECKING:
    from aegis_core.testing.conformance import AdapterConformance

__all__ = ["certify", "home_of", "kit_of"]

_FILE = """\
from aegis_core.testing.trying import kit_of

TestAdapter = type("TestAdapter", (kit_of({module!r}, {adapter!r}),), {{}})
"""
_TAIL = 2000
"""Characters of pytest's own words that are shown if it could not run."""


def certify(name: str, plugins: Plugins, kit: str = "") -> Certificate:
    """Run the kit of an adapter and say what became of each check.

    Args:
        name: of the adapter.
        plugins: where it is looked up.
        kit: module with the adapter's `AdapterConformance`; by default `testing.conformance` in the package of its
            provider, or `testing` where there is no such module.

    Raises:
        MissingDependencyError: pytest or the framework is not installed.
        PluginError: there is no such adapter or no kit, or pytest could not run it; the message says why.
    """
    require_pytest()
    plugins.adapter(name)
    info, provided = _found(name, plugins)
    module = kit or home_of(provided.target)
    cls = kit_of(module, name)
    return Certificate(
        adapter=name,
        plugin=info.name,
        distribution=info.distribution,
        version=info.version,
        aegis=__version__,
        python=platform.python_version(),
        frameworks={found: _version(found) for found in cls.distributions},
        kit=f"{module}:{cls.__name__}",
        checks=_results(module, name),
    )


def home_of(target: str) -> str:
    """The module where the kit of an adapter is looked for, by the `module:Class` that its provider names.

    A package `testing` keeps what needs no pytest (systems, models) apart from the kit, which is in `conformance`.
    """
    testing = f"{target.partition(':')[0].partition('.')[0]}.testing"
    return f"{testing}.conformance" if _exists(f"{testing}.conformance") else testing


def kit_of(module: str, adapter: str) -> type[AdapterConformance]:
    """The one class in a module that holds the kit of this adapter.

    Raises:
        PluginError: there is no such module, or none or several such classes in it.
    """
    from aegis_core.testing import AdapterConformance

    found = vars(_imported(module, adapter)).values()
    kits = {cls for cls in found if isinstance(cls, type) and issubclass(cls, AdapterConformance)}
    # What others are derived from was imported for that.
    own = [cls for cls in kits if cls.name == adapter and not any(cls in other.__mro__[1:] for other in kits)]
    if len(own) != 1:
        there = f"several kits ({', '.join(sorted(cls.__name__ for cls in own))})" if own else "no kit"
        raise PluginError(
            f"module {module} has {there} for adapter {adapter!r}; give it one "
            f'class that derives from aegis_core.testing.AdapterConformance, with name = "{adapter}"'
        )
    return own[0]


def _imported(module: str, adapter: str) -> ModuleType:
    if not _exists(module):
        raise PluginError(
            f"adapter {adapter!r} brings no kit: there is no module {module}. Its author has to add one "
            "(docs/write-an-adapter.md); if it stands elsewhere, name it with --kit"
        )
    try:
        return import_module(module)
    except (Exception, SystemExit) as error:  # plugin boundary: load
        raise PluginError(f"the kit {module} can't be loaded: {type(error).__name__}: {error}") from error


def _exists(module: str) -> bool:
    """Whether there is such a module; what is around it is imported to find out."""
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # of the package around it
        return False
    except (Exception, SystemExit):  # plugin boundary: what is around it is broken, which is told when it is loaded
        return True


def _found(name: str, plugins: Plugins) -> tuple[PluginInfo, Provided]:
    offers = ((info, item) for info in plugins.report().plugins for item in info.provides)
    return next((info, item) for info, item in offers if (item.kind, item.name) == ("adapter", name))


def _results(module: str, adapter: str) -> tuple[CheckResult, ...]:
    with tempfile.TemporaryDirectory(prefix="aegis-kit-") as folder:
        place, results = Path(folder), Path(folder, "results.jsonl")
        (place / "test_adapter.py").write_text(_FILE.format(module=module, adapter=adapter), encoding="utf-8")
        (place / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        options = ["-q", "-p", "no:cacheprovider", "-p", "aegis_core.testing.reporter", f"--aegis-results={results}"]
        command = [sys.executable, "-m", "pytest", "-c", str(place / "pytest.ini"), *options, str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  our own interpreter
        if not results.exists():
            raise PluginError(f"pytest could not run the kit {module}:\n{(done.stdout + done.stderr)[-_TAIL:].strip()}")
        lines = results.read_text(encoding="utf-8").splitlines()
    return tuple(map(CheckResult.model_validate_json, lines))


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"
