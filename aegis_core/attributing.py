"""Asking an attributor about one run, by its name or by default; and who can be asked at all."""

from __future__ import annotations

import difflib
from os import PathLike

from aegis_core.attribution import Attribution
from aegis_core.errors import LearnerError, PluginError, RecordError
from aegis_core.learner import Attributor, Learner
from aegis_core.plugins import Plugins, default_plugins
from aegis_core.trajectory import Trajectory

__all__ = ["DEFAULT", "attribute", "find_attributor", "find_judge"]

DEFAULT = "signals"
"""The attributor that answers where none is named: it needs no training, no model and no network."""


def attribute(
    trajectory: Trajectory, attributor: str | Attributor | None = None, *, plugins: Plugins | None = None
) -> Attribution:
    """Say who made which error in a failed run, the surest first, or why that can't be said.

    Args:
        trajectory: the run, for example `run.trajectory` of `aegis.record`.
        attributor: one that a learner has trained, or the name of one that needs no training; `DEFAULT` if not given.
        plugins: where names are looked up; by default everything that is installed.

    Raises:
        LearnerError: the name is that of a learner, which must be trained first.
        PluginError: no plugin offers an attributor of this name, or what offers it is broken.
        RecordError: what is to be judged is no trajectory, or who is to judge it no attributor.
    """
    if not isinstance(trajectory, Trajectory):
        raise RecordError(f"attribute: {_instead_of_a_run(trajectory)}")
    if isinstance(attributor, Learner) or not isinstance(attributor, Attributor | str | None):
        raise RecordError(f"attribute: {_instead_of_a_judge(attributor)}")
    if not isinstance(attributor, Attributor):
        attributor = find_attributor(attributor, plugins)
    return attributor.attribute(trajectory)


def _instead_of_a_run(given: object) -> str:
    """What was given in the place of a trajectory, and how to have one."""
    if isinstance(getattr(given, "trajectory", None), Trajectory):
        return f"a {type(given).__name__} holds the run; give its `.trajectory`"
    if isinstance(given, str | PathLike):
        return f"{str(given)!r} is a path, not a run; read it first, as by `aegis_core.store.read(path, Trajectory)`"
    what = f"the class {given.__qualname__}" if isinstance(given, type) else f"a {type(given).__name__}"
    what = "None" if given is None else what
    return f"{what} is no run; give a Trajectory, for example `run.trajectory` after `with aegis.record(app) as run:`"


def _instead_of_a_judge(given: object) -> str:
    """What was given in the place of an attributor, and how to have one."""
    if isinstance(given, Learner):
        return f"the learner {given.name!r} judges nothing before it is trained; give what its `fit` returns"
    if isinstance(given, type):
        return f"the class {given.__qualname__} is no attributor; give an instance of it, or a name"
    return f"a {type(given).__name__} is no attributor; give a name of `aegis plugins`, or an instance of Attributor"


def find_attributor(name: str | None = None, plugins: Plugins | None = None) -> Attributor:
    """The attributor of this name, or the default one. Raises as `attribute` does."""
    found = find_judge(name, plugins)
    if isinstance(found, Attributor):
        return found
    raise LearnerError(
        f"{name!r} is a learner: it judges nothing before it is trained. Give labelled runs to train on (on the "
        f"command line --train DATA; in Python default_plugins().learner({name!r}).fit(open_runs(DATA), {{}})), or "
        "name an attributor that needs no training; `aegis plugins` lists both"
    )


def find_judge(name: str | None = None, plugins: Plugins | None = None) -> Attributor | Learner:
    """What is called so: an attributor, else a learner. The default attributor if no name is given.

    Raises:
        MissingDependencyError: what it requires is not installed.
        PluginError: there is neither; the message lists both. Or what offers it is broken.
    """
    plugins = default_plugins() if plugins is None else plugins
    wanted = DEFAULT if name is None else name
    if wanted in plugins.names("attributor"):
        return plugins.attributor(wanted)
    if wanted in plugins.names("learner"):
        return plugins.learner(wanted)
    raise _unknown(wanted, plugins, is_default=name is None)


def _unknown(name: str, plugins: Plugins, *, is_default: bool) -> PluginError:
    attributors, learners = plugins.names("attributor"), plugins.names("learner")
    known = (
        f"known attributors: {', '.join(attributors) or 'none'}; known learners, which are trained first: "
        f"{', '.join(learners) or 'none'}; `aegis plugins` says what is wrong with others"
    )
    if is_default:
        return PluginError(
            f"the default attributor {name!r} is not installed, so name another (in Python attributor=NAME, on the "
            f"command line --attributor NAME); {known}"
        )
    close = difflib.get_close_matches(name, [*attributors, *learners], n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return PluginError(f"unknown attributor {name!r}{hint}; {known}")
