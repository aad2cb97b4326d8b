"""Every hook has a test here: `test_<hook>`. A hook without one, or without its documentation, fails."""

from __future__ import annotations

import importlib
import inspect
import re

import pytest

from aegis_core import hookspecs
from aegis_core.errors import PluginWarning
from aegis_core.plugins import Plugins
from aegis_core.run import RunInfo
from aegis_core.trajectory import Trajectory

HOOKS = sorted(name for name, value in vars(hookspecs).items() if hasattr(value, "aegis_spec"))
RUN = RunInfo(run_id="r1", task="count")
TRAJECTORY = Trajectory(run_id="r1", task="count", agents=(), steps=())


@pytest.fixture
def plugins(good):
    return Plugins([good], environ={})


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_has_a_test(hook):
    assert f"test_{hook}" in globals(), f"write test_{hook} in {__file__}"


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_says_when_it_is_called_with_what_and_shows_an_example(hook):
    text = inspect.getdoc(getattr(hookspecs, hook))
    for section in ("When:", "Arguments:", "Result:", "Example:"):
        assert section in text, f"{hook} has no section {section}"
    example = re.search(r"def (aegis_\w+)\((.*?)\)", text)
    assert example.group(1) == hook
    assert [name for name in example.group(2).split(", ") if name] == list(
        inspect.signature(getattr(hookspecs, hook)).parameters
    )


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_public_and_has_the_prefix(hook):
    assert hook.startswith("aegis_")
    assert hook in hookspecs.__all__


def test_aegis_adapters(plugins):
    assert plugins.adapter("good").can_handle(importlib.import_module("good_plugin").Thing())


def test_aegis_injectors(plugins):
    assert plugins.injector("good").realisations() == ()


def test_aegis_learners(plugins):
    assert plugins.learner("good").fit(None, {}).attribute(TRAJECTORY).abstained == "never sure"


def test_aegis_attributors(plugins):
    assert plugins.attributor("good").attribute(TRAJECTORY).run_id == "r1"


def test_aegis_formats(plugins, tmp_path):
    assert plugins.format("good").sniff(tmp_path) is False


def test_aegis_error_modes(plugins):
    assert plugins.error_modes()["good:gone-wrong"].definition == "It went."


def test_aegis_run_started(plugins):
    plugins.run_started(RUN)
    assert importlib.import_module("good_plugin").STARTED == [RUN]


def test_aegis_run_finished(plugins):
    plugins.run_finished(RUN, TRAJECTORY)
    assert importlib.import_module("good_plugin").FINISHED == [(RUN, TRAJECTORY)]


def _three_runs(plugins):
    for _ in range(3):
        plugins.run_started(RUN)
        plugins.run_finished(RUN, TRAJECTORY)


def test_observers_that_raise_are_warned_of_once_a_plugin_and_keep_nothing_from_others(entry_point, good):
    plugins = Plugins([entry_point("bad", "providing:raising_observers"), good], environ={})
    with pytest.warns(PluginWarning) as caught:
        _three_runs(plugins)
    assert len(caught) == 1
    assert "plugin 'bad' (aegis-bad 0.3, providing:raising_observers): aegis_run_started raised OSError" in str(
        caught[0].message
    )
    module = importlib.import_module("good_plugin")
    assert len(module.STARTED) == len(module.FINISHED) == 3


def test_observers_never_raise_in_strict_mode_either(entry_point, good):
    plugins = Plugins([entry_point("bad", "broken_exit"), good], environ={"AEGIS_STRICT_PLUGINS": "1"})
    plugins.run_started(RUN)
    assert importlib.import_module("good_plugin").STARTED == [RUN]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "With Space"),
        ("name", ""),
        ("target", "module.Class"),
        ("target", "module:"),
        ("requires", ("langgraph >= one",)),
        ("matches", ("",)),
        ("matches", ("builtins.",)),
        ("matches", ("..up",)),
    ],
)
def test_a_provider_refuses_what_it_can_not_mean(field, value):
    arguments = {"name": "fine", "target": "module:Class", field: value}
    with pytest.raises(ValueError, match=field):
        hookspecs.Provider(**arguments)


def test_a_provider_is_frozen_and_takes_keywords_only():
    provider = hookspecs.Provider(name="fine", target="module:Class")
    with pytest.raises(ValueError, match="frozen"):
        provider.name = "other"
    with pytest.raises(TypeError):
        hookspecs.Provider("fine", "module:Class")
