"""Each check of the kit finds the adapter that breaks what it is about, and no other fails needlessly."""

from __future__ import annotations

import functools
import inspect
import itertools
from importlib.metadata import EntryPoint
from typing import Any, ClassVar

import pytest

from aegis_callables.adapter import CallablesAdapter
from aegis_callables.testing import CallablesConformance
from aegis_core.plugins import Plugins
from aegis_core.testing import AdapterConformance, ScriptedError
from aegis_core.trajectory import Usage
from tests.core.testing.replay_saboteurs import SABOTEURS
from tests.core.testing.saboteurs import around, spoiling

CHECKS = tuple(name for name in dir(AdapterConformance) if name.startswith("test_"))
SLOW = frozenset(
    f"test_{name}"
    for name in (
        "importing_the_plugin_loads_no_framework",
        "the_plugin_is_discovered_and_offers_the_adapter",
        "many_runs_in_threads_do_not_mix",
    )
)
"""Run where they are to find something, and not to show that they find nothing else: they take most of the time."""


def found(kit: type[AdapterConformance], check: str) -> str | None:
    """What a check says of an adapter; None if it passes or is skipped."""
    made = kit()
    function = functools.partial(getattr(AdapterConformance, check), made)
    try:
        if "monkeypatch" in inspect.signature(function).parameters:
            with pytest.MonkeyPatch.context() as monkeypatch:
                function(monkeypatch=monkeypatch)
        else:
            function()
    except pytest.skip.Exception:
        return None
    except (Exception, pytest.fail.Exception) as error:
        return f"{type(error).__name__}: {error}"
    return None


def test_the_sound_adapter_fails_nothing() -> None:
    assert not {check for check in CHECKS if check not in SLOW and found(CallablesConformance, check)}


@pytest.mark.parametrize("name", SABOTEURS)
def test_a_check_finds_its_saboteur_and_no_other_fails_needlessly(name: str) -> None:
    saboteur = SABOTEURS[name]
    asked = [check for check in CHECKS if check == saboteur.check or check in saboteur.also or check not in SLOW]
    failures = {check: said for check in asked if (said := found(saboteur.kit, check))}

    assert saboteur.check in failures
    assert failures[saboteur.check].startswith(("AssertionError", "Failed", "AdapterError")), "it breaks the check"
    assert set(failures) - saboteur.perhaps == {saboteur.check, *saboteur.also}, failures


def test_a_key_from_the_environment_is_named() -> None:
    said = found(SABOTEURS["records_keys"].kit, "test_secrets_are_not_recorded")

    assert said is not None
    assert "aegis-environment" in said


def test_an_arrival_order_that_shows_is_found() -> None:
    said = found(SABOTEURS["orders_by_arrival"].kit, "test_the_record_does_not_depend_on_who_is_faster")

    assert said is not None
    assert "in which they arrived" in said


class StreamsInTasksAlone(CallablesConformance):
    ways = ("sync", "async", "astream")

    def adapter(self) -> Any:
        class Narrow(CallablesAdapter):
            def capabilities(self, app: Any) -> Any:
                found = super().capabilities(app)
                both = {"sync": True, "asynchronous": True, "streaming": True, "streaming_as": ("asynchronous",)}
                return found.model_copy(update=both)

        return Narrow()


def test_streams_may_be_declared_for_one_of_the_ways() -> None:
    assert found(StreamsInTasksAlone, "test_systems_run_in_the_ways_that_are_declared") is None
    promised = type("Promised", (StreamsInTasksAlone,), {"ways": ("sync", "async")})
    said = found(promised, "test_systems_run_in_the_ways_that_are_declared")
    assert said is not None
    assert "astream" in said


class Numbers(CallablesConformance):
    """Exceptions tell of what is around them, as in a framework that writes tracebacks into its messages."""

    def outcome(self, *args: Any) -> Any:
        result, error = super().outcome(*args)
        if error is not None:
            error = ScriptedError(f"{error}\nTraceback: {next(NUMBERS)}")
        return result, error


NUMBERS = itertools.count()


def test_texts_of_exceptions_may_be_compared_without_their_tracebacks() -> None:
    check = "test_an_exception_is_recorded_once_and_raised_unchanged"
    message = lambda _, error: str(error).partition("\nTraceback")[0]  # noqa: E731
    assert found(type("Cut", (Numbers,), {"message": message, "ways": ("sync",)}), check) is None
    assert "another error" in str(found(type("Whole", (Numbers,), {"ways": ("sync",)}), check))


class PromisesUsage(CallablesConformance):
    reports_usage = True


def test_usage_that_is_not_recorded_is_found() -> None:
    assert found(PromisesUsage, "test_usage_is_recorded")


def told(run: Any, *, of_all: bool) -> None:
    """Tells of the tokens of a turn's model calls, as the script counts them: of all, or of the last one."""
    spent: dict[Any, list[Usage]] = {}

    @around(run, "call")
    def call(real: Any, turn: Any, kind: str, *args: Any, **more: Any) -> Any:
        result = real(turn, kind, *args, **more)
        if kind == "model":
            asked = isinstance(result, dict)
            texts = 1 if asked else int(result.partition(" has read ")[2].partition(" ")[0])
            usage = Usage(input_tokens=texts, output_tokens=1 if asked else 9)
            spent.setdefault(turn.moment, []).append(usage)
        return result

    @around(run, "end_turn")
    def end_turn(real: Any, turn: Any, *args: Any, **more: Any) -> Any:
        calls = spent[turn.moment] if of_all else spent[turn.moment][-1:]
        total = Usage(
            input_tokens=sum(one.input_tokens or 0 for one in calls),
            output_tokens=sum(one.output_tokens or 0 for one in calls),
        )
        return real(turn, *args, usage=total, **more)


@pytest.mark.parametrize("of_all", [True, False])
def test_usage_of_the_last_call_alone_is_found(of_all) -> None:
    made = spoiling(functools.partial(told, of_all=of_all))()
    kit = type("Kit", (PromisesUsage,), {"ways": ("sync",), "adapter": lambda _: made})

    said = found(kit, "test_usage_is_recorded")
    assert (said is None) == of_all, said
    assert of_all or "`tool_use` (sync): steps tell of" in str(said)


class WithPlugins(CallablesConformance):
    """Looked up among other plugins than those that are installed."""

    modules: ClassVar[tuple[str, ...]] = ()

    def plugins(self) -> Plugins:
        return Plugins([EntryPoint(name.rpartition(".")[2], name, "aegis") for name in self.modules], environ={})


class NotInstalled(WithPlugins):
    pass


class Heavy(WithPlugins):
    modules = ("tests.core.testing.heavy_plugin",)


class HeavyByItsFramework(WithPlugins):
    modules = ("tests.core.testing.frameworks_plugin",)
    framework_modules = ("xmlrpc",)


class Contested(WithPlugins):
    modules = ("aegis_callables", "tests.core.testing.greedy_plugin")


@pytest.mark.parametrize(
    ("kit", "check", "named"),
    [
        (NotInstalled, "test_the_plugin_is_discovered_and_offers_the_adapter", "no plugin offers"),
        (Heavy, "test_importing_the_plugin_loads_no_framework", "aegis_callables.adapter"),
        (HeavyByItsFramework, "test_importing_the_plugin_loads_no_framework", "xmlrpc"),
        (Contested, "test_the_adapter_is_chosen_for_its_own_objects", "several adapters"),
    ],
)
def test_a_plugin_that_is_not_found_or_heavy_or_contested_is_named(kit, check, named) -> None:
    said = found(kit, check)

    assert said is not None
    assert named in said


class Overrides(CallablesConformance):
    def test_records_survive_json(self) -> None:
        pass


def test_an_overridden_check_is_found() -> None:
    said = found(Overrides, "test_no_check_is_overridden")

    assert said is not None
    assert "test_records_survive_json" in said


def test_every_check_has_a_saboteur() -> None:
    others = {
        "test_a_hand_off_says_to_whom",  # of LangGraph: plain functions hand nothing over
        "test_a_redirected_hand_off_goes_to_the_other_agent",
        "test_importing_the_plugin_loads_no_framework",
        "test_no_check_is_overridden",
        "test_the_adapter_is_chosen_for_its_own_objects",
        "test_the_plugin_is_discovered_and_offers_the_adapter",
        "test_usage_is_recorded",
    }  # by the tests above, and those of LangGraph

    assert {saboteur.check for saboteur in SABOTEURS.values()} | others == set(CHECKS)
