"""Who is an agent, how it is spelled, and where turns stand among others."""

from __future__ import annotations

from typing import Any

import pytest
from autogen_agentchat.agents import MessageFilterAgent, MessageFilterConfig, PerSourceFilter
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_agentchat.tools import AgentTool, TeamTool

from aegis_autogen import _compat
from aegis_autogen.taps.orders import Plan, beside, precedes, tool_place
from aegis_core.errors import AdapterError
from tests.adapters.autogen import teams
from tests.adapters.autogen.models import Book, call
from tests.adapters.autogen.running import ADAPTER, ran

pytestmark = pytest.mark.framework


def paths(app: Any) -> list[str]:
    return [agent.path for agent in ADAPTER.agents(app)]


def test_paths_tell_where_an_agent_stands() -> None:
    assert paths(teams.society()) == ["som", "som/a", "som/b", "c"]
    assert paths(teams.agent_tool()) == ["outer", "outer/inner", "c"]
    assert paths(teams.magentic()) == ["MagenticOneOrchestrator", "a", "b"]
    crew = TeamTool(teams.round_robin(), name="crew", description="x")
    assert paths(teams.assistant(Book(), "boss", tools=[crew])) == ["boss", "boss/crew/a", "boss/crew/b"]


def test_a_tool_may_be_an_agent_whose_tool_is_an_agent() -> None:
    book = Book()

    def ask(name: str) -> Any:
        return lambda texts, tools: (
            [call(name, '{"task": "go"}')] if tools and len(texts) < 3 else f"{texts[0][8:-1]}<{texts[-1]}>"
        )

    third = teams.assistant(book, "third")
    second = teams.assistant(book, "second", ask("third"), tools=[AgentTool(third)], max_tool_iterations=2)
    first = teams.assistant(book, "first", ask("second"), tools=[AgentTool(second)], max_tool_iterations=2)
    done = ran(RoundRobinGroupChat([first], max_turns=1))
    assert done.told == [
        "first:tool_call", "first/second:tool_call", "first/second/third:message", "first/second:tool_result",
        "first/second:message", "first:tool_result", "first:message",
    ]  # fmt: skip


@pytest.mark.case("autogen-9")
@pytest.mark.skipif(not _compat.teams_nest(), reason="teams nest since AutoGen 0.7")
def test_a_team_in_a_team_is_part_of_the_path() -> None:
    book = Book()

    def team(*names: str, name: str, prefix: str = "", most: int) -> Any:
        members: Any = [teams.assistant(book, member, owner=f"{prefix}{member}") for member in names]
        return members, lambda more=(): RoundRobinGroupChat([*members, *more], name=name, max_turns=most)

    _, deepest = team("x", name="deep", prefix="office/deep/", most=1)
    _, inner = team("a", "b", name="office", prefix="office/", most=3)
    _, outer = team("lead", name="all", most=2)
    app = outer([inner([deepest()])])
    assert paths(app) == ["lead", "office/a", "office/b", "office/deep/x"]
    done = ran(app)
    assert done.told == ["lead:message", "office/a:message", "office/b:message", "office/deep/x:message"]
    assert all(step.index - 1 in step.parents for step in done.steps[1:])


def test_a_filter_with_a_name_of_its_own_is_what_the_team_knows() -> None:
    book = Book()
    config = MessageFilterConfig(per_source=[PerSourceFilter(source="user", position="last", count=1)])
    hidden = MessageFilterAgent("outside", teams.assistant(book, "within"), config)
    done = ran(RoundRobinGroupChat([hidden, teams.assistant(book, "b")], max_turns=2))
    assert done.told == ["outside:message", "b:message"]
    given = next(e for e in done.run.tape().entries if (e.key.moment.agent, e.key.kind) == ("b", "input"))
    assert [part.author for part in given.request] == ["user", "outside"]


def test_roles_and_tools_are_described() -> None:
    found = {agent.path: agent for agent in ADAPTER.agents(teams.swarm())}
    assert found["a"].role == "You are a."
    assert found["a"].tools == ("look", "transfer_to_b", "transfer_to_c")
    assert {agent.path: agent.kind for agent in ADAPTER.agents(teams.selector())} == {
        "SelectorGroupChatManager": "manager", "x": "worker", "y": "worker", "z": "worker",
    }  # fmt: skip


def test_strangers_are_told_what_is_taken() -> None:
    class Old:
        def generate_reply(self) -> None: ...

    assert not ADAPTER.can_handle([])
    assert not ADAPTER.can_handle([1])
    with pytest.raises(AdapterError, match="give it a team, an agent, a list of agents"):
        ADAPTER.attach(object(), None)  # type: ignore[arg-type]
    with pytest.raises(AdapterError, match="of another framework"):
        ADAPTER.attach(Old(), None)  # type: ignore[arg-type]


def test_keys_sort_by_the_plan_of_the_team() -> None:
    plan = Plan()
    plan.selected(["a"])
    assert plan.taken("a") == (1, "p0000")
    plan.selected(["b", "c"])
    c, b = plan.taken("c"), plan.taken("b")
    assert (b, c) == ((2, "p0000"), (2, "p0001"))
    assert beside(b, c)
    assert not precedes(b, c)
    assert precedes((1, "p0000", "\uffff"), b)
    assert plan.deciding() == (3, "m")
    assert precedes(b, (3, "m"))
    assert plan.taken("nobody chose it") == (4, "p0000")
    plan.begin((4, "p0000", 1, "c0000"))
    plan.selected(["d"])
    inner = plan.taken("d")
    assert inner == (4, "p0000", 1, "c0000", 5, "p0000")
    assert precedes((4, "p0000", 1), inner)
    assert not precedes((4, "p0000", 2), inner)
    assert beside(tool_place((4, "p0000", 1), 0), tool_place((4, "p0000", 1), 1))


def test_normalising_leaves_out_random_ids_times_and_authors() -> None:
    one = {"parts": [["user", "a", "message", "id 0e4b6a3e-1111-4222-8333-444455556666 at 2026-01-01 10:00:00", None]]}
    two = {"parts": [["user", "b", "message", "id 7c9e6679-7425-40de-944b-e07fc1f90ae7 at 2026-01-02 11:00:00", None]]}
    assert ADAPTER.normalise(one) == ADAPTER.normalise(two)  # type: ignore[arg-type]
    assert ADAPTER.normalise({"parts": [["user", "a", "message", "9 crates", None]]}) != ADAPTER.normalise(
        {"parts": [["user", "a", "message", "8 crates", None]]}
    )
