"""What is copied, saved or described inside the block is what it is outside of it."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import Any

import pytest
from autogen_agentchat.agents import AssistantAgent, MessageFilterAgent, MessageFilterConfig, PerSourceFilter
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core.tools import StaticWorkbench, Workbench
from autogen_ext.models.replay import ReplayChatCompletionClient

from aegis_autogen.taps.standing import StandIn
from tests.adapters.autogen.models import Book, Client
from tests.adapters.autogen.running import _ours, _parts, ran
from tests.adapters.autogen.teams import Whole, agent_tool, assistant, round_robin, selector, society

pytestmark = pytest.mark.framework

_WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": lambda item: pickle.loads(pickle.dumps(item))}
_INFO: Any = {"vision": False, "function_calling": True, "json_output": True, "family": "x", "structured_output": True}


def _left(item: Any) -> list[str]:
    return [
        f"{type(part).__name__}.{name}" for part in _parts(item) for name, value in vars(part).items() if _ours(value)
    ]


def _replaying() -> Any:
    """A client that can be copied and described in every way."""
    return ReplayChatCompletionClient(["one", "two"], model_info=_INFO)


def _said(result: Any) -> list[tuple[str, str]]:
    return [(item.source, item.to_text()) for item in result.messages if item.source != "SelectorGroupChatManager"]


@pytest.mark.parametrize("way", _WAYS)
def test_a_copy_of_an_agent_runs_by_itself_and_tells_the_run_nothing(way: str) -> None:
    async def use(team: Any) -> Any:
        twin = _WAYS[way](team._participants[0])
        if way != "copy":  # a shallow copy shares what it holds
            assert _left(twin) == []
        assert twin.on_messages.__self__ is twin
        assert twin.on_messages_stream.__self__ is twin
        alone = _said(await twin.run(task="Apart."))
        return alone, _said(await team.run(task="Together."))

    members: Any = [AssistantAgent(name, _replaying()) for name in "ab"]
    done = ran(RoundRobinGroupChat(members, max_turns=1), use=use)
    assert done.result[0] == [("user", "Apart."), ("a", "one")]
    assert done.trajectory.task == "Together."
    assert [agent for agent, _ in done.said] == ["a"]


@pytest.mark.parametrize("build", [round_robin, selector, society, agent_tool])
def test_a_deep_copy_of_a_team_holds_no_taps(build: Any) -> None:
    async def use(team: Any) -> Any:
        twin = copy.deepcopy(team)
        assert _left(twin) == []
        return _said(await twin.run(task="Apart.")), _said(await team.run(task="Apart."))

    done = ran(build(), use=use)
    apart, together = done.result
    assert apart == together
    assert done.trajectory.task == "Apart."


def _described() -> Any:
    a = AssistantAgent("a", _replaying(), system_message="A.")
    b = AssistantAgent("b", _replaying(), system_message="B.")
    heard = MessageFilterAgent("c", b, MessageFilterConfig(per_source=[PerSourceFilter(source="a")]))
    return RoundRobinGroupChat([a, heard], termination_condition=MaxMessageTermination(3))


def test_components_are_described_and_loaded_as_without_aegis() -> None:
    plain = _described().dump_component().model_dump_json()

    async def use(team: Any) -> Any:
        whole = team.dump_component()
        loaded = RoundRobinGroupChat.load_component(whole)
        assert _left(loaded) == []
        await team.run(task="One.")
        return whole.model_dump_json(), _said(await loaded.run(task="Two."))

    done = ran(_described(), use=use)
    assert done.result[0] == plain
    assert done.result[1][0] == ("user", "Two.")
    assert [step.agent for step in done.steps] == ["a", "c"]


def test_a_state_is_saved_and_loaded_as_without_aegis() -> None:
    async def use(team: Any) -> Any:
        first = await team.run(task="One.")
        state = await team.save_state()
        own = await team._participants[0].save_state()
        await team.reset()
        await team.load_state(state)
        await team._participants[0].load_state(own)
        return _said(first), _said(await team.run())

    def build() -> Any:
        book = Book()
        return RoundRobinGroupChat([assistant(book, name) for name in "ab"], max_turns=1)

    assert ran(build(), use=use).result == asyncio.run(use(build()))


class _Bench(StaticWorkbench):
    """A workbench that has to be entered."""

    def __init__(self) -> None:
        super().__init__([])
        self.entered = 0

    async def __aenter__(self) -> Any:
        self.entered += 1
        return self

    def __len__(self) -> int:
        return 0


class _Entering(Whole):
    def __init__(self, name: str, client: Any, bench: Workbench) -> None:
        super().__init__(name, client)
        self.bench = bench

    async def on_messages(self, messages: Any, cancellation_token: Any) -> Any:
        async with self.bench as bench:
            assert bench is not None
            assert len(self.bench) == 0  # type: ignore[arg-type]
            assert self.bench == self.bench
            assert "Bench" in repr(self.bench)
        return await super().on_messages(messages, cancellation_token)


def test_what_stands_for_a_workbench_has_its_special_methods() -> None:
    bench = _Bench()
    done = ran(RoundRobinGroupChat([_Entering("e", Client(Book(), "e"), bench)], max_turns=1))
    assert bench.entered == 1
    assert [agent for agent, _ in done.said] == ["e"]
    assert not isinstance(bench, StandIn)
