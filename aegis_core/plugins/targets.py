"""From a provider to an instance of the class that it describes."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from operator import attrgetter
from typing import Any

from aegis_core.errors import MissingDependencyError, PluginError
from aegis_core.hookspecs import Provider
from aegis_core.plugins.discovery import Origin
from aegis_core.plugins.kinds import CONTRACTS, Kind
from aegis_core.plugins.requirements import install_line, unmet

__all__ = ["instantiate"]


def instantiate(kind: Kind, provider: Provider, origin: Origin) -> Any:  # Any: an instance of the kind's contract
    """Import a provider's target, check it against its contract, and make an instance.

    Raises:
        MissingDependencyError: a required distribution is missing or has the wrong version.
        PluginError: the target can't be imported, or is not what it is said to be.
    """
    what = f"{kind} {provider.name!r} ({origin})"
    if missing := unmet(provider.requires):
        raise MissingDependencyError(f"{what} needs {', '.join(missing)}; install with: {install_line(provider)}")
    module_name, _, path = provider.target.partition(":")
    with _loading(f"{what} can't be loaded: importing {provider.target} raised"):
        target = attrgetter(path)(import_module(module_name))
    _check_class(target, kind, provider, what)
    with _loading(f"{what}: {provider.target}() raised"):
        instance = target()
    if getattr(instance, "name", None) != provider.name:
        raise PluginError(
            f"{what}: {provider.target} calls itself {getattr(instance, 'name', None)!r}; its `name` must be that of "
            "its provider"
        )
    return instance


@contextmanager
def _loading(what: str) -> Iterator[None]:
    """Code of a plugin runs in here: what it raises is told as trouble of the plugin, but for the user's own Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        stopped.add_note(f"{what} KeyboardInterrupt")
        raise
    except BaseException as error:  # plugin boundary: load; also what derives from no Exception
        raise PluginError(f"{what} {type(error).__name__}: {error}") from error


def _check_class(target: object, kind: Kind, provider: Provider, what: str) -> None:
    contract = CONTRACTS[kind]
    if not (inspect.isclass(target) and issubclass(target, contract)):
        raise PluginError(f"{what}: {provider.target} is not a class derived from {contract.__name__}")
    if missing := sorted(getattr(target, "__abstractmethods__", ())):
        raise PluginError(f"{what}: {provider.target} leaves out {', '.join(missing)} of {contract.__name__}")
