"""Which adapter an object gets."""

from __future__ import annotations

import importlib
import sys

import pytest

from aegis_core.errors import AdapterError, MissingDependencyError, PluginError, PluginWarning
from aegis_core.plugins import Plugins


@pytest.fixture
def thing():
    return importlib.import_module("good_plugin").Thing()


def test_a_class_in_the_mro_decides(good, thing):
    child = type("Child", (type(thing),), {"__module__": "elsewhere"})()
    assert Plugins([good], environ={}).adapter_for(child).name == "good"


def test_no_framework_is_imported_for_an_object_that_is_not_its(entry_point, good, thing):
    plugins = Plugins([entry_point("unloaded", "providing:unloaded_framework"), good], environ={})
    assert plugins.adapter_for(thing).name == "good"
    with pytest.raises(AdapterError):
        plugins.adapter_for(object())
    assert "broken_exit" not in sys.modules


def test_a_prefix_ends_at_a_dot(good):
    other = type("Other", (), {"__module__": "good_plugin_and_more"})()
    with pytest.raises(AdapterError, match=r"no adapter handles an object of class good_plugin_and_more.Other"):
        Plugins([good], environ={}).adapter_for(other)


def test_two_adapters_that_handle_it_are_both_named(entry_point, good, thing):
    plugins = Plugins([entry_point("greedy", "providing:greedy"), good], environ={})
    with pytest.raises(
        AdapterError, match=r"several adapters .*good_plugin.Thing: good, greedy. Choose with adapter=NAME"
    ):
        plugins.adapter_for(thing)


def test_of_two_that_match_the_one_that_can_handle_it_is_taken(entry_point, good, thing):
    plugins = Plugins([entry_point("greedy", "providing:greedy"), good], environ={})
    thing.spoilt = True
    assert plugins.adapter_for(thing).name == "greedy"


def test_an_object_that_nobody_handles_gets_the_known_adapters_and_the_way_out(entry_point, good):
    plugins = Plugins([entry_point("bad", "broken_exit"), good], environ={})
    with (
        pytest.warns(PluginWarning),
        pytest.raises(
            AdapterError,
            match=r"builtins.int; known: good \(handles things\) \(skipped plugins: bad.*adapter=NAME.*@aegis.trace",
        ),
    ):
        plugins.adapter_for(7)


def test_a_class_none_and_a_coroutine_get_told_what_to_give_instead(good, thing):
    async def build():
        return thing

    plugins = Plugins([good], environ={})
    waiting = build()
    for app, told in (
        (
            type(thing),
            "the class Thing itself; give an instance of it, which the adapter 'good' may handle; known: good",
        ),
        (dict, "the class dict itself; give an instance of it; known: good"),
        (None, "no adapter handles None: the system is missing"),
        (waiting, "is asynchronous; await it and give its result"),
    ):
        with pytest.raises(AdapterError, match=told):
            plugins.adapter_for(app)
    waiting.close()


def test_each_known_adapter_says_what_it_takes(entry_point):
    plugins = Plugins([entry_point("callables", "aegis_callables")], environ={})
    with pytest.raises(AdapterError, match=r"known: callables \(plain functions: @aegis.trace systems"):
        plugins.adapter_for(7)


def test_an_adapter_that_matches_but_lacks_its_framework_says_so(entry_point, thing):
    plugins = Plugins([entry_point("old", "providing:too_old")], environ={})
    with pytest.raises(MissingDependencyError, match="pip install 'pydantic>=1,<2'"):
        plugins.adapter_for(thing)


def test_an_adapter_that_matches_but_is_broken_says_so(entry_point, thing):
    plugins = Plugins([entry_point("broken", "providing:broken_match")], environ={})
    with pytest.raises(PluginError, match="importing good_plugin:Lost raised AttributeError"):
        plugins.adapter_for(thing)


def test_an_adapter_that_can_not_be_asked_is_named_where_none_is_found(entry_point, good):
    plugins = Plugins([entry_point("lost", "providing:lost_class"), good], environ={})
    with pytest.raises(
        AdapterError, match=r"known: good \(handles things\), lost; adapter 'lost' .*good_plugin:Lost raised"
    ):
        plugins.adapter_for(7)


def test_an_adapter_that_raises_when_asked_is_passed_over_with_a_warning(entry_point, good, thing):
    plugins = Plugins([entry_point("asking", "providing:raising_when_asked"), good], environ={})
    assert plugins.adapter_for(thing).name == "good", "nobody else is asked where a class matches"
    warning = "adapter 'asking' was passed over for a builtins.int: OSError: no disk"
    with pytest.warns(PluginWarning, match=warning), pytest.raises(AdapterError):
        plugins.adapter_for(7)


def _team(question):
    return question


class _Callable:
    def __call__(self, question):
        return question


@pytest.mark.parametrize("app", [_team, _Callable().__call__, lambda question: question])
def test_plain_callables_match_by_their_kind(app, entry_point):
    plugins = Plugins([entry_point("callables", "aegis_callables")], environ={})
    assert plugins.adapter_for(app).name == "callables"
