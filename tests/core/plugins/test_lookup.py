"""From a name to an instance: what a provider requires, what its target must be, what the messages say."""

from __future__ import annotations

import sys

import pytest

from aegis_core.errors import MissingDependencyError, PluginError, UnknownModeError
from aegis_core.plugins import Plugins, default_plugins
from aegis_core.taxonomy import MAST

KINDS = ("adapter", "injector", "learner", "attributor", "format")


@pytest.fixture
def plugins(good):
    return Plugins([good], environ={})


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_found_by_name_and_made_once(kind, plugins):
    look_up = getattr(plugins, kind)
    assert look_up("good").name == "good"
    assert look_up("good") is look_up("good")


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_name_lists_the_known_ones_and_guesses(kind, plugins):
    with pytest.raises(PluginError, match=f"unknown {kind} 'goood'; did you mean 'good'\\?; known: good$"):
        getattr(plugins, kind)("goood")


def test_an_unknown_name_names_the_skipped_plugins_too(entry_point, good):
    plugins = Plugins([entry_point("bad", "broken_exit"), good], environ={})
    with (
        pytest.warns(match="bad"),
        pytest.raises(PluginError, match=r"known: good \(skipped plugins: bad; 'aegis plug"),
    ):
        plugins.adapter("crew")


@pytest.mark.parametrize(
    ("attribute", "name", "missing", "line"),
    [
        ("frameworkless", "frameworkless", "a-distribution-that-nobody-has>=2 \\(not installed\\)",
         "pip install 'a-distribution-that-nobody-has>=2'"),
        ("too_old", "old", "pydantic>=1,<2 \\(installed: 2", "pip install 'pydantic>=1,<2'"),
        ("told_how", "told", "nobody-has-it \\(not installed\\)", "conda install it"),
    ],
)  # fmt: skip
def test_requirements_are_checked_before_the_target_is_imported(attribute, name, missing, line, entry_point):
    plugins = Plugins([entry_point("needy", f"providing:{attribute}")], environ={})
    with pytest.raises(MissingDependencyError, match=f"adapter '{name}' .* needs {missing}.*; install with: {line}$"):
        plugins.adapter(name)
    assert "broken_exit" not in sys.modules


def test_a_missing_framework_is_no_broken_plugin_and_is_reported(entry_point, recwarn):
    report = Plugins([entry_point("needy", "providing:frameworkless")], environ={}).report()
    (plugin,) = report.plugins
    (provided,) = plugin.provides
    assert (plugin.status, provided.kind, provided.name) == ("loaded", "adapter", "frameworkless")
    assert provided.missing == "a-distribution-that-nobody-has>=2 (not installed)"
    assert provided.install == "pip install 'a-distribution-that-nobody-has>=2'"
    assert not recwarn.list


@pytest.mark.parametrize(
    ("attribute", "name", "message", "cause"),
    [
        ("impostor", "impostor", "good_plugin:NotAnAdapter is not a class derived from Adapter", type(None)),
        ("half", "half", "good_plugin:HalfAdapter leaves out output of Adapter", type(None)),
        ("misnamed", "misnamed", "calls itself 'another'", type(None)),
        ("raising_when_made", "raising", "good_plugin:RaisesWhenMade\\(\\) raised OSError: no disk", OSError),
        ("lost_module", "lost", "importing broken_import_error:Lost raised ModuleNotFoundError", ModuleNotFoundError),
        ("lost_class", "lost", "importing good_plugin:Lost raised AttributeError", AttributeError),
    ],
)
def test_a_target_that_breaks_its_contract_is_named(attribute, name, message, cause, entry_point):
    plugins = Plugins([entry_point("odd", f"providing:{attribute}")], environ={})
    with pytest.raises(PluginError, match=rf"adapter '{name}' \(plugin 'odd' \(aegis-odd 0.3, .*{message}") as raised:
        plugins.adapter(name)
    assert isinstance(raised.value.__cause__, cause)


def test_a_target_that_ends_the_process_at_import_is_a_plugin_error(entry_point, tmp_path, monkeypatch):
    (tmp_path / "offers_exit.py").write_text(
        "from aegis_core.hookspecs import Provider, hookimpl\n"
        "@hookimpl\n"
        "def aegis_formats():\n"
        "    return [Provider(name='exit', target='broken_exit:Format')]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginError, match="raised SystemExit: 3"):
        Plugins([entry_point("exits", "offers_exit")], environ={}).format("exit")


def test_modes_are_mast_first_then_those_of_plugins_sorted(plugins):
    ids = list(plugins.error_modes())
    assert ids[:14] == [mode.id for mode in MAST]
    assert ids[14:] == sorted(ids[14:])
    assert plugins.error_mode("good:bare").name == "Bare"


def test_the_mapping_of_modes_can_not_be_changed(plugins):
    with pytest.raises(TypeError):
        plugins.error_modes()["acme:own"] = MAST[0]


def test_a_mode_is_found_however_its_id_is_capitalised(plugins):
    assert plugins.error_mode("fm-2.4").id == "FM-2.4"
    assert plugins.error_mode("Good:BARE").id == "good:bare"
    assert plugins.evidence("fm-2.4") is not None


def test_an_unknown_mode_lists_the_known_ones(plugins):
    with pytest.raises(UnknownModeError, match=r"unknown error mode 'acme:x'; known: FM-1.1, .*good:gone-wrong"):
        plugins.error_mode("acme:x")
    with pytest.raises(UnknownModeError, match=r"unknown error mode 'fm-24'; did you mean 'FM-2\.4'\?; known: FM-1.1"):
        plugins.error_mode("fm-24")


class TestEvidence:
    @pytest.mark.parametrize(("context", "holds"), [("wrong", True), ("right", False)])
    def test_a_foreign_mode_is_judged_by_its_own_predicate(self, context, holds, plugins):
        evidence = plugins.judge("good:gone-wrong", context)
        assert (evidence.mode, evidence.holds) == ("good:gone-wrong", holds)

    @pytest.mark.parametrize(
        ("mode", "because"),
        [
            ("good:raises", "good_plugin:raises raised ZeroDivisionError: no turns"),
            ("good:says-yes", "good_plugin:says_yes returned a bool, not Evidence"),
            ("good:other-mode", "good_plugin:other_mode returned evidence of 'good:other' instead"),
        ],
    )
    def test_a_predicate_that_errs_proves_nothing(self, mode, because, plugins):
        evidence = plugins.evidence(mode)("wrong")
        assert (evidence.mode, evidence.holds, evidence.because) == (mode, False, because)

    def test_a_mode_without_a_predicate_can_not_be_proven(self, plugins):
        with pytest.raises(PluginError, match=r"'good:bare' names no evidence predicate.*evidence='module:function'"):
            plugins.evidence("good:bare")

    def test_a_predicate_that_can_not_be_imported_is_named(self, plugins):
        with pytest.raises(PluginError, match="'good:lost' can't be loaded: importing good_plugin:nowhere"):
            plugins.evidence("good:lost")


def test_the_default_plugins_are_one_instance():
    assert default_plugins() is default_plugins()
