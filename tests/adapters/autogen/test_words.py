"""Who said what to whom: by the ids of messages, not by their texts; what the user says later is told."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest
from autogen_agentchat.agents import MessageFilterAgent, MessageFilterConfig, PerSourceFilter
from autogen_agentchat.conditions import HandoffTermination
from autogen_agentchat.messages import HandoffMessage
from autogen_agentchat.teams import RoundRobinGroupChat, SelectorGroupChat, Swarm

import aegis_core as aegis
from aegis_autogen import _compat
from aegis_core.errors import RecorderWarning
from tests.adapters.autogen import teams
from tests.adapters.autogen.models import Book, Client, call, in_turn
from tests.adapters.autogen.running import TASK, ran

pytestmark = pytest.mark.framework


def ok(*names: str) -> list[Any]:
    return [teams.assistant(Book(), name, lambda *_: "OK") for name in names]


def test_a_text_that_all_say_has_the_steps_that_were_shown_as_parents() -> None:
    done = ran(RoundRobinGroupChat(ok("a", "b", "c"), max_turns=6))
    assert [step.parents for step in done.steps] == [(), (0,), (0, 1), (1, 2), (2, 3), (3, 4)]
    assert [step.visible_to for step in done.steps[:2]] == [("b", "c"), ("a", "c")]


def test_behind_a_filter_only_what_came_through_was_shown() -> None:
    a, b, c = ok("a", "b", "c")
    heard = MessageFilterConfig(per_source=[PerSourceFilter(source="b", position="last", count=1)])
    done = ran(RoundRobinGroupChat([a, b, MessageFilterAgent("c", c, heard)], max_turns=3))
    assert [step.visible_to for step in done.steps] == [("b",), ("a", "c"), ("a", "b")]
    assert done.steps[2].parents == (1,)


def test_who_is_shown_a_message_is_shown_what_it_quotes() -> None:
    book = Book()
    a, b, c = (teams.assistant(book, name) for name in "abc")
    heard = MessageFilterConfig(per_source=[PerSourceFilter(source="b", position="last", count=1)])
    done = ran(RoundRobinGroupChat([a, b, MessageFilterAgent("c", c, heard)], max_turns=3))
    assert done.steps[1].text == f"b<{done.steps[0].text}>"
    assert [step.visible_to for step in done.steps[:2]] == [("b", "c"), ("a", "c")]
    assert done.steps[2].parents == (0, 1)
    given = next(e for e in done.run.tape().entries if (e.key.moment.agent, e.key.kind) == ("c", "input"))
    assert [part.author for part in given.request] == ["b"]


def test_after_a_reset_nothing_from_before_was_shown() -> None:
    async def twice(team: Any) -> Any:
        await team.run(task=TASK)
        await team.reset()
        return await team.run(task="OK")

    done = ran(RoundRobinGroupChat(ok("a", "b"), max_turns=2), use=twice)
    assert done.told == ["a:message", "b:message", "user:message", "a:message", "b:message"]
    assert [step.parents for step in done.steps] == [(), (0,), (), (2,), (2, 3)]


def test_what_the_user_says_later_is_a_step_in_its_place() -> None:
    async def twice(team: Any) -> Any:
        await team.run(task=TASK)
        return await team.run(task="And the boxes?")

    done = ran(RoundRobinGroupChat(ok("a", "b"), max_turns=1), use=twice)
    assert done.told == ["a:message", "user:message", "b:message"]
    said = done.steps[1]
    assert (said.text, said.addressed_to, said.visible_to) == ("And the boxes?", ("a", "b"), ("a", "b"))
    assert done.steps[2].parents == (0, 1)
    assert done.trajectory.task == TASK


@pytest.mark.case("autogen-6")
def test_the_words_of_a_human_who_goes_on_with_a_hand_off_are_told() -> None:
    a = teams.assistant(Book(), "a", in_turn([call("transfer_to_user")], "booked"), handoffs=["user"])
    team = Swarm([a, *ok("b")], termination_condition=HandoffTermination("user"), max_turns=2)

    async def answered(app: Any) -> Any:
        await app.run(task=TASK)
        return await app.run(task=HandoffMessage(source="user", target="a", content="To Lisbon."))

    done = ran(team, use=answered)
    (said,) = done.of("user")
    assert (said.text, said.addressed_to) == ("To Lisbon.", ("a",))
    assert said.index in done.of("a")[0].parents


def test_tasks_of_a_list_of_agents_are_told_and_warned_of() -> None:
    x, y = ok("x", "y")

    async def both() -> None:
        await asyncio.gather(x.run(task="First things."), y.run(task="Second things."))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with aegis.record([x, y]) as recording:
            asyncio.run(both())
    assert any("2 calls" in str(item.message) for item in caught)
    assert recording.trajectory.task == "First things."
    told = [(step.text, step.addressed_to) for step in recording.trajectory.steps if step.agent == "user"]
    assert told == [("Second things.", ("y",))]


def test_a_list_of_agents_that_hand_on_what_was_said_is_not_warned_of() -> None:
    x, y = (teams.assistant(Book(), name) for name in "xy")

    async def chain() -> None:
        said = (await x.run(task=TASK)).messages[-1]
        await y.run(task=said)
        await y.run(task=f"Check this: {said.to_text()}")

    with warnings.catch_warnings():
        warnings.simplefilter("error", RecorderWarning)
        with aegis.record([x, y]) as recording:
            asyncio.run(chain())
    steps = recording.trajectory.steps
    assert [step.agent for step in steps] == ["x", "y", "user", "y"]
    assert steps[1].parents == (0,)


def test_in_another_team_other_members_are_shown_it() -> None:
    a, b, c = ok("a", "b", "c")
    other = RoundRobinGroupChat([a, c], max_turns=2)

    async def both(team: Any) -> Any:
        await team.run(task=TASK)
        await other.run(task="Elsewhere.")

    done = ran(RoundRobinGroupChat([a, b], max_turns=2), use=both, alone=True)
    assert [(step.agent, step.visible_to) for step in done.steps] == [("a", ("b",)), ("b", ("a",)), ("a", ())]


def test_an_agent_in_two_recorded_teams_speaks_to_the_team_that_it_acts_in() -> None:
    a, b, c = ok("a", "b", "c")
    first, second = RoundRobinGroupChat([a, b], max_turns=2), RoundRobinGroupChat([a, c], max_turns=2)

    async def both(app: Any) -> Any:
        await app[0].run(task=TASK)
        await app[1].run(task=TASK)

    done = ran([first, second], use=both)
    heard = [(step.agent, step.visible_to) for step in done.steps]
    assert heard == [("a", ("b",)), ("b", ("a",)), ("a", ("c",)), ("c", ("a",))]


@pytest.mark.skipif(not _compat.teams_nest(), reason="teams nest since AutoGen 0.7")
def test_a_selector_that_chooses_a_team_hands_over_to_who_is_first_in_it() -> None:
    x, y, z = ok("x", "y", "z")
    inner: Any = RoundRobinGroupChat([x, y], name="inner", max_turns=2)  # type: ignore[call-arg,unused-ignore]
    chooses = Client(Book(), "selector", in_turn("inner", "z"))
    done = ran(SelectorGroupChat([inner, z], model_client=chooses, max_turns=2))
    assert [step.addressed_to for step in done.of("SelectorGroupChatManager", "handoff")] == [("inner/x",)]
    assert "inner" not in [agent.path for agent in done.trajectory.agents]


def test_what_members_of_a_society_say_is_shown_to_its_model_and_not_told_as_seen() -> None:
    book = Book()
    done = ran(teams.society(book))
    inner = done.of("som/a")[0]
    assert any(inner.text in text for text in book.of("som")[0])
    assert inner.visible_to == ("som/b",)
