"""Every kind of broken plugin is named with plugin, distribution, version and reason, and harms nothing else."""

from __future__ import annotations

import importlib
import re
import threading
import warnings

import pytest

from aegis_core.errors import PluginError, PluginWarning
from aegis_core.plugins import Plugins

BROKEN = {
    "broken_import_error": "ModuleNotFoundError: No module named 'a_distribution_that_nobody_has'",
    "broken_syntax_error": "SyntaxError: invalid syntax",
    "broken_exit": "it called sys.exit\\(3\\)",
    "broken_signature": "wrong signature: .*registry",
    "broken_misspelt": "no hook 'aegis_adaptors'; known: aegis_adapters, .*newer aegis-mas",
    "broken_unmarked": "aegis_adapters: not marked with @hookimpl",
    "broken_empty": "it implements no hook; known: aegis_adapters, ",
    "broken_descriptor": "aegis_learners returned 'forest' \\(a str\\), not a Provider",
    "broken_result": "aegis_adapters returned Provider\\(name='single'.*, not a list",
    "broken_target_name": "ValidationError: .*target",
    "broken_raises": "RuntimeError: no formats today",
    "broken_base_exception": "Skipped: needs a GPU",
    "broken_hook_exit": "it called sys.exit\\('no licence'\\)",
    "broken_async": "aegis_adapters is asynchronous",
    "broken_wrapper": "aegis_adapters is a wrapper",
    "broken_reserved_mode": "'FM-1.1'; FM-x.y is reserved for MAST",
    "broken_duplicate": "aegis_injectors returned the name 'twin' twice",
}


@pytest.mark.parametrize("module", BROKEN)
def test_a_broken_plugin_is_named_in_one_warning_and_harms_nothing(module, entry_point, good):
    plugins = Plugins([entry_point("bad", module, "acme-bad", "2.5"), good], environ={})

    with pytest.warns(PluginWarning) as caught:
        adapter = plugins.adapter("good")

    assert adapter.name == "good"
    (warning,) = caught
    text = str(warning.message)
    assert text.startswith(f"aegis: plugin 'bad' (acme-bad 2.5, {module}) skipped: ")
    assert text.endswith("Run 'aegis plugins' for details.")
    (failure,) = plugins.failures()
    assert re.search(BROKEN[module], failure.reason), failure.reason
    assert failure.wholly


def test_an_interruption_while_a_plugin_is_loaded_stops_everything_and_names_the_plugin(entry_point, good):
    plugins = Plugins([entry_point("bad", "broken_interrupt", "acme-bad", "2.5"), good], environ={})
    with pytest.raises(KeyboardInterrupt) as stopped:
        plugins.adapter("good")
    assert stopped.value.__notes__ == ["plugin 'bad' (acme-bad 2.5, broken_interrupt) was being loaded"]

    without = Plugins(plugins._entry_points, environ={"AEGIS_DISABLE_PLUGINS": "bad"})
    assert without.adapter("good").name == "good"


def test_all_broken_plugins_together_leave_the_good_one_whole(entry_point, good):
    points = [entry_point(module, module) for module in BROKEN]
    plugins = Plugins([*points, good], environ={})
    report = plugins.report()
    with pytest.warns(PluginWarning) as caught:
        assert "good" in plugins.names("adapter")

    status = {info.name: info.status for info in report.plugins}
    assert status == {**dict.fromkeys(BROKEN, "skipped"), "good": "loaded"}
    assert len(caught) == len(BROKEN)
    assert not report.ok


def test_what_a_broken_plugin_had_offered_is_not_there_and_its_error_is_the_cause(entry_point, good):
    plugins = Plugins([entry_point("bad", "broken_descriptor"), good], environ={})
    with pytest.warns(PluginWarning):
        assert plugins.names("adapter") == ("good",)
    with pytest.raises(PluginError, match=r"adapter 'nearly' is not available: plugin 'bad' \(aegis-bad 0.3") as raised:
        plugins.adapter("nearly")
    assert raised.value.__cause__ is plugins.failures()[0].error


def test_asking_a_skipped_plugin_raises_with_its_own_exception_as_cause(entry_point):
    plugins = Plugins([entry_point("crew", "broken_import_error")], environ={})
    with (
        pytest.warns(PluginWarning),
        pytest.raises(PluginError, match=r"crew.*a_distribution_that_nobody_has") as raised,
    ):
        plugins.adapter("crew")
    assert isinstance(raised.value.__cause__, ModuleNotFoundError)


def test_a_name_clash_leaves_the_first_by_name_and_names_both(entry_point, good):
    plugins = Plugins([entry_point("zebra", "broken_clash"), good], environ={})
    with pytest.warns(
        PluginWarning, match="skipped in part: name clash: .*adapter 'good' is already that of"
    ) as caught:
        adapter = plugins.adapter("good")

    assert len(caught) == 1
    assert type(adapter).__name__ == "GoodAdapter"
    assert plugins.error_modes()["good:gone-wrong"].name == "Gone wrong"
    assert plugins.names("adapter") == ("good", "own"), "what clashes with nothing stays"
    (failure,) = plugins.failures()
    assert "aegis-good 1.0" in failure.reason
    assert set(failure.names) == {"good", "good:gone-wrong"}
    assert [info.status for info in plugins.report().plugins] == ["loaded", "partly"]


def test_which_plugin_wins_a_clash_is_decided_by_name_and_distribution_not_by_order(entry_point):
    first, second = entry_point("same", "providing:half", "a-dist"), entry_point("same", "good_plugin", "b-dist")
    clash = entry_point("same", "broken_clash", "c-dist")
    for order in ([first, second, clash], [clash, second, first]):
        failures = Plugins(order, environ={}).failures()
        assert [failure.origin.distribution for failure in failures] == ["c-dist"]


def test_a_name_of_this_distribution_can_be_taken_by_no_other(entry_point):
    usurper = entry_point("alpha", "broken_clash", "acme-tools", "2.1")
    for distribution in ("aegis-mas", "Aegis_MAS"):
        own = entry_point("good", "good_plugin", distribution, "1.0")
        for order in ([usurper, own], [own, usurper]):
            plugins = Plugins(order, environ={})
            with pytest.warns(PluginWarning, match=r"plugin 'alpha' \(acme-tools 2\.1, broken_clash\) skipped in part"):
                assert type(plugins.adapter("good")).__name__ == "GoodAdapter"
            assert plugins.error_modes()["good:gone-wrong"].name == "Gone wrong"
            assert plugins.names("adapter") == ("good", "own"), "what clashes with nothing stays"
            assert {info.name: info.status for info in plugins.report().plugins} == {
                "good": "loaded",
                "alpha": "partly",
            }


def test_a_module_of_this_distribution_is_not_lost_to_another_that_names_it(entry_point):
    own = entry_point("good", "good_plugin", "aegis-mas", "1.0")
    plugins = Plugins([entry_point("alpha", "good_plugin", "acme-tools"), own], environ={})
    with pytest.warns(PluginWarning, match=r"plugin 'alpha' .* skipped: it is the same module as plugin 'good'"):
        assert plugins.adapter("good").name == "good"


def test_one_module_named_by_two_entry_points_is_loaded_once(entry_point, good):
    plugins = Plugins([good, entry_point("twice", "good_plugin")], environ={})
    with pytest.warns(PluginWarning, match="same module as plugin 'good'"):
        assert plugins.adapter("good").name == "good"


def test_nothing_is_loaded_before_the_first_look_up(entry_point, recwarn):
    Plugins([entry_point("bad", "broken_exit")], environ={})
    assert not recwarn.list


def _in_threads(n, function):
    results = []
    threads = [threading.Thread(target=lambda: results.append(function())) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_plugins_are_discovered_once_and_warned_of_once(entry_point, good):
    loads = []

    class Counting:
        name, value, group, dist = good.name, good.value, good.group, good.dist

        def load(self):
            loads.append(threading.get_ident())
            return good.load()

    plugins = Plugins([Counting(), entry_point("bad", "broken_exit")], environ={})
    with pytest.warns(PluginWarning) as caught:
        found = _in_threads(8, lambda: plugins.adapter("good"))
    plugins.report()
    assert len(loads) == 1
    assert len(found) == 8
    assert len({id(adapter) for adapter in found}) == 1
    assert len(caught) == 1


def test_a_plugin_that_looks_plugins_up_at_import_is_broken_not_the_process(entry_point, good):
    plugins = Plugins([entry_point("bad", "broken_import_lookup"), good], environ={})
    importlib.import_module("good_plugin").ASKED.append(plugins)
    with pytest.warns(PluginWarning, match="while they were being discovered"):
        assert plugins.adapter("good").name == "good"


def test_a_hook_of_a_later_version_is_fine_if_the_plugin_says_it_is_optional(entry_point):
    plugins = Plugins([entry_point("newer", "providing:newer")], environ={})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plugins.report().plugins[0].status == "loaded"


def test_a_keyboard_interrupt_in_a_plugin_ends_the_process(entry_point, tmp_path, monkeypatch):
    (tmp_path / "interrupting.py").write_text("raise KeyboardInterrupt\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        Plugins([entry_point("slow", "interrupting")], environ={}).report()


class TestTheEnvironment:
    def test_the_allow_list_keeps_others_from_being_imported(self, entry_point, good):
        plugins = Plugins([entry_point("bad", "broken_exit"), good], environ={"AEGIS_PLUGINS": " good , "})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            report = plugins.report()
        assert {info.name: (info.status, info.reason) for info in report.plugins} == {
            "bad": ("disabled", "AEGIS_PLUGINS does not name it"),
            "good": ("loaded", ""),
        }

    def test_an_empty_allow_list_allows_nothing(self, good):
        assert Plugins([good], environ={"AEGIS_PLUGINS": ""}).names("adapter") == ()

    def test_the_deny_list_wins_and_is_said_when_one_asks(self, good):
        plugins = Plugins([good], environ={"AEGIS_PLUGINS": "good", "AEGIS_DISABLE_PLUGINS": "good"})
        with pytest.raises(
            PluginError, match=r"'good' is not available: .* is disabled, AEGIS_DISABLE_PLUGINS names it"
        ):
            plugins.injector("good")

    @pytest.mark.parametrize("variable", ["AEGIS_PLUGINS", "AEGIS_DISABLE_PLUGINS"])
    def test_a_name_in_a_list_that_nobody_has_is_reported(self, variable, good):
        plugins = Plugins([good], environ={variable: "goood"})
        assert [problem for problem in plugins.report().problems if problem.startswith(f"{variable} names 'goood'")]
        assert not plugins.report().ok
        with pytest.warns(PluginWarning, match=f"{variable} names 'goood'.*known: good"):
            plugins.names("adapter")

    @pytest.mark.parametrize("value", ["1", "true", "yes"])
    def test_strict_raises_at_every_look_up_but_still_reports(self, value, entry_point, good):
        plugins = Plugins([entry_point("bad", "broken_import_error"), good], environ={"AEGIS_STRICT_PLUGINS": value})
        for _ in range(2):
            with pytest.raises(PluginError, match=r"AEGIS_STRICT_PLUGINS is set.*plugin 'bad'") as raised:
                plugins.adapter("good")
            assert isinstance(raised.value.__cause__, ModuleNotFoundError)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert [info.status for info in plugins.report().plugins] == ["skipped", "loaded"]

    @pytest.mark.parametrize("value", ["", "0", "false"])
    def test_strict_can_be_switched_off_by_value(self, value, entry_point):
        plugins = Plugins([entry_point("bad", "broken_exit")], environ={"AEGIS_STRICT_PLUGINS": value})
        with pytest.warns(PluginWarning):
            assert plugins.names("adapter") == ()

    def test_strict_passes_when_nothing_is_broken(self, good):
        assert Plugins([good], environ={"AEGIS_STRICT_PLUGINS": "1"}).adapter("good").name == "good"

    def test_the_environment_is_read_at_discovery_not_at_construction(self, good, monkeypatch):
        plugins = Plugins([good])
        monkeypatch.setenv("AEGIS_DISABLE_PLUGINS", "good")
        monkeypatch.delenv("AEGIS_PLUGINS", raising=False)
        assert plugins.names("adapter") == ()
