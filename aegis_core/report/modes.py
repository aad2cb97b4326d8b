"""The error modes that are known, with what can cause and prove each."""

from __future__ import annotations

from aegis_core.errors import PluginError
from aegis_core.injector import Realisation
from aegis_core.plugins import Plugins
from aegis_core.records import Record
from aegis_core.taxonomy import ErrorMode

__all__ = ["Cause", "ModeInfo", "mode_infos"]


class Cause(Record):
    """A way in which an installed injector causes a mode."""

    injector: str
    realisation: Realisation


class ModeInfo(Record):
    """A mode, the ways to cause it, and why no label of it can be proven ("" if one can)."""

    mode: ErrorMode
    causes: tuple[Cause, ...]
    unprovable: str = ""


def mode_infos(plugins: Plugins) -> tuple[tuple[ModeInfo, ...], tuple[str, ...]]:
    """All modes, MAST's first; and a sentence for each injector that could not be asked."""
    causes: dict[str, list[Cause]] = {}
    silent: list[str] = []
    for name in plugins.names("injector"):
        try:
            realisations = plugins.injector(name).realisations()
        except PluginError as error:
            silent.append(str(error))
            continue
        except Exception as error:  # plugin boundary: one injector must not keep the list from being shown
            silent.append(f"injector {name!r} can't say what it causes: {type(error).__name__}: {error}")
            continue
        for realisation in realisations:
            causes.setdefault(realisation.mode, []).append(Cause(injector=name, realisation=realisation))
    infos = tuple(
        ModeInfo(mode=mode, causes=tuple(causes.get(mode.id, ())), unprovable=_unprovable(plugins, mode.id))
        for mode in plugins.error_modes().values()
    )
    return infos, tuple(silent)


def _unprovable(plugins: Plugins, mode_id: str) -> str:
    try:
        plugins.evidence(mode_id)
    except PluginError as error:
        return str(error)
    return ""
