"""Comparing what a provider requires with what is installed, before anything of it is imported."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

from packaging.requirements import Requirement

from aegis_core.hookspecs import Provider

__all__ = ["install_line", "unmet"]


def unmet(requires: Iterable[str]) -> tuple[str, ...]:
    """What is missing or has the wrong version, one phrase each; empty if all is there."""
    found = []
    for text in requires:
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate():
            continue
        needed = text.partition(";")[0].strip()  # as its author wrote it, not as `packaging` sorts it
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            found.append(f"{needed} (not installed)")
            continue
        if not requirement.specifier.contains(installed, prereleases=True):
            found.append(f"{needed} (installed: {installed})")
    return tuple(found)


def install_line(provider: Provider) -> str:
    """The command that installs what a provider requires; "" if it requires nothing."""
    if provider.install or not provider.requires:
        return provider.install
    return "pip install " + " ".join(shlex.quote(text) for text in provider.requires)
