"""An exception is told once, as it was raised and by whom; what the user gets is what AutoGen raises."""

from __future__ import annotations

import asyncio
import logging
import warnings
from typing import Any

import pytest
from autogen_agentchat.agents import SocietyOfMindAgent
from autogen_agentchat.conditions import FunctionalTermination
from autogen_agentchat.teams import RoundRobinGroupChat

import aegis_core as aegis
from aegis_autogen.taps import turns
from aegis_core.errors import RecorderWarning
from aegis_core.trajectory import RunError, Usage
from tests.adapters.autogen import teams
from tests.adapters.autogen.models import Book, Client, call
from tests.adapters.autogen.running import TASK, ran, started

pytestmark = pytest.mark.framework


@pytest.fixture(autouse=True)
def _quiet() -> None:
    logging.getLogger("autogen_core").setLevel(logging.CRITICAL)


@pytest.mark.case("autogen-11")
def test_a_model_that_raises_is_one_error_step_with_its_true_type_and_the_team_can_be_used_again() -> None:
    def broken(texts: list[str], _: list[str]) -> Any:
        return LookupError("the model is down") if len(texts) < 3 else "fine"

    def built() -> Any:
        members: Any = [teams.assistant(Book(), "a", broken), teams.assistant(Book(), "b")]
        return RoundRobinGroupChat(members, max_turns=2)

    async def again(app: Any) -> Any:
        """A second try on the same team, which is all that AutoGen makes of it."""
        with pytest.raises(RuntimeError, match="the model is down"):
            await app.run(task=TASK)
        app._participants[0]._model_client.reply = lambda *_: "fine"
        return [message.to_text() for message in (await app.run(task=TASK)).messages]

    failed = ran(built(), raises=True)
    assert isinstance(failed.error, RuntimeError)
    assert failed.told == ["a:error"]
    assert failed.steps[0].text == "LookupError: the model is down"
    assert failed.trajectory.error is not None
    assert failed.trajectory.error.type == "LookupError"
    tried = ran(built(), use=again)
    assert tried.result == asyncio.run(again(built()))
    assert tried.told == ["a:error", "user:message", "b:message"], "the next in turn goes on"


@pytest.mark.case("autogen-11")
def test_a_selector_s_model_that_raises_is_an_error_of_the_manager() -> None:
    failed = ran(teams.selector(client=_raising(Book())), raises=True)
    assert failed.told == ["SelectorGroupChatManager:error"]
    assert failed.steps[0].text == "LookupError: no model"


@pytest.mark.case("autogen-11")
@pytest.mark.parametrize("depth", [1, 2])
def test_an_exception_inside_a_society_of_mind_is_told_once_where_it_was_raised(depth: int) -> None:
    member: Any = teams.assistant(Book(), "x", lambda *_: LookupError("no model"))
    for level in range(depth):
        member = SocietyOfMindAgent(f"som{level}", RoundRobinGroupChat([member], max_turns=1), _raising(Book()))
    failed = ran(RoundRobinGroupChat([member, teams.assistant(Book(), "c")], max_turns=2), raises=True)
    path = "/".join([f"som{level}" for level in reversed(range(depth))] + ["x"])
    assert [(step.agent, step.kind, step.text) for step in failed.steps] == [(path, "error", "LookupError: no model")]
    assert failed.trajectory.error is not None
    assert failed.trajectory.error.agent == path


def _raising(book: Book) -> Any:
    from tests.adapters.autogen.models import Client

    return Client(book, "all", lambda *_: LookupError("no model"))


@pytest.mark.parametrize("place", ["observe", "begin", "end"])
def test_trouble_in_a_hook_of_ours_is_a_warning_and_the_run_goes_on(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setattr(turns.Activation, place, fails)
    team = teams.swarm()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with aegis.record(team) as recording:
            result = asyncio.run(asyncio.wait_for(started(team), 5))
    assert result.messages[-1].to_text() == "b<Transferred to b, adopting the role of b immediately.>"
    assert "a bug of ours" in recording.run.trouble
    assert any(issubclass(item.category, RecorderWarning) for item in caught)


def test_the_error_that_ends_a_run_names_the_agent_that_raised() -> None:
    members: Any = [teams.assistant(Book(), "a"), teams.assistant(Book(), "b", lambda *_: LookupError("no model"))]
    failed = ran(RoundRobinGroupChat(members, max_turns=2), raises=True)
    assert failed.told == ["a:message", "b:error"]
    assert failed.trajectory.error is not None
    assert failed.trajectory.error == RunError(type="LookupError", message="no model", agent="b")
    assert type(failed.error) is RuntimeError, "what AutoGen raises"
    assert str(failed.error).startswith("LookupError: no model\nTraceback:")


def test_an_error_in_a_team_inside_is_told_as_it_was_raised() -> None:
    book = Book()
    inner: Any = [teams.assistant(book, "a", lambda *_: LookupError("no model"))]
    som = SocietyOfMindAgent("som", RoundRobinGroupChat(inner, max_turns=1), Client(book, "som"))
    failed = ran(RoundRobinGroupChat([som], max_turns=1), raises=True)
    assert failed.trajectory.error == RunError(type="LookupError", message="no model", agent="som/a")
    assert failed.told == ["som/a:error"]


def test_what_a_turn_that_ends_by_an_exception_has_spent_is_told() -> None:
    def ask(texts: list[str], _: list[str]) -> Any:
        return LookupError("no model") if any("9 crates" in text for text in texts) else [call("look", "{}")]

    def look() -> str:
        """Look."""
        return "9 crates"

    a = teams.assistant(Book(), "a", ask, tools=[look], max_tool_iterations=3)
    failed = ran(RoundRobinGroupChat([a], max_turns=1), raises=True)
    assert failed.told == ["a:tool_call", "a:tool_result", "a:error"]
    assert failed.steps[-1].usage == Usage(input_tokens=2, output_tokens=7)
    assert failed.steps[-1].model == "Client"


def test_an_error_of_no_agent_is_told_as_it_was_raised() -> None:
    def end(_: Any) -> bool:
        raise ZeroDivisionError("no end")

    a, b = (teams.assistant(Book(), name) for name in "ab")
    failed = ran(RoundRobinGroupChat([a, b], termination_condition=FunctionalTermination(end)), raises=True)
    assert failed.trajectory.error is not None
    assert (failed.trajectory.error.type, failed.trajectory.error.message) == ("ZeroDivisionError", "no end")
    assert failed.trajectory.error.agent is None
