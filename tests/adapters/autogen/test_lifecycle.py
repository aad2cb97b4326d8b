"""Errors, concurrency, cancellation, early ends: nothing is disturbed, nothing is left, nothing is mixed."""

from __future__ import annotations

import asyncio
import datetime as dt
import gc
import logging
import threading
import warnings
import weakref
from typing import Any

import pytest
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import CancellationToken, SingleThreadedAgentRuntime

import aegis_core as aegis
from aegis_autogen.taps import turns
from aegis_core.errors import AdapterError, RecorderWarning, ReplayDrift, RunLimitReached
from aegis_core.run import Limits, Replay
from tests.adapters.autogen import teams
from tests.adapters.autogen.models import Book, call
from tests.adapters.autogen.running import ADAPTER, TASK, ran, started

pytestmark = pytest.mark.framework


@pytest.fixture(autouse=True)
def _quiet() -> None:
    logging.getLogger("autogen_core").setLevel(logging.CRITICAL)


# -- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["swarm", "selector", "magentic", "society", "agent_tool", "graph"])
def test_a_drift_ends_the_run_as_such_wherever_it_happens(name: str) -> None:
    """Another task is another input of the first turn; nothing hangs, nobody is asked."""
    build = getattr(teams, name)
    clean = ran(build())
    book = Book()

    async def other(app: Any) -> Any:
        return await asyncio.wait_for(app.run(task="Count something else."), 5)

    done = ran(build(book), replay=Replay(clean.canonical[1], ()), use=other, raises=True)
    assert isinstance(done.error, ReplayDrift)
    assert done.run.void
    assert book.shown == []
    assert done.told == []


def test_a_drift_inside_a_tool_does_not_hang_the_run() -> None:
    """AutoGen waits for ever for a tool that raises; the limit on calls is reached at the tool."""
    for limit in range(1, 4):
        done = ran(
            teams.swarm(), limits=Limits(calls=limit), use=lambda app: asyncio.wait_for(started(app), 5), raises=True
        )
        assert isinstance(done.error, RunLimitReached), limit
        assert done.run.limit_reached


@pytest.mark.parametrize("name", ["selector", "magentic", "society", "agent_tool"])
def test_limits_end_a_run_wherever_they_are_reached(name: str) -> None:
    for limit in range(1, 3):
        limits = Limits(turns=limit)
        done = ran(
            getattr(teams, name)(), limits=limits, use=lambda app: asyncio.wait_for(started(app), 5), raises=True
        )
        assert isinstance(done.error, RunLimitReached), limit


# -- concurrency ------------------------------------------------------------------------------------------------------


def test_fifty_teams_at_once_with_one_client_do_not_mix() -> None:
    from tests.adapters.autogen.models import Client

    client = Client(Book(), "all", lambda texts, _: f"{texts[0][8:9]}<{texts[-1]}>", delay=0.001)

    async def one(number: int) -> tuple[str, list[str]]:
        members: Any = [teams.assistant(Book(), name, client=client) for name in ("a", "b")]
        team = RoundRobinGroupChat(members, termination_condition=MaxMessageTermination(3))
        with aegis.record(team) as run:
            await team.run(task=f"task {number}")
        return run.trajectory.task, [step.text for step in run.trajectory.steps]

    async def all_of_them() -> Any:
        return await asyncio.gather(*map(one, range(50)))

    for number, (task, texts) in enumerate(asyncio.run(all_of_them())):
        assert task == f"task {number}"
        assert texts == [f"a<task {number}>", f"b<a<task {number}>>"]


def test_runs_in_threads_do_not_mix() -> None:
    found: dict[int, list[str]] = {}

    def one(number: int) -> None:
        team = teams.round_robin(most=3)
        with aegis.record(team) as run:
            asyncio.run(team.run(task=f"task {number}"))
        found[number] = [step.text for step in run.trajectory.steps]

    threads = [threading.Thread(target=one, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {n: [f"a<task {n}>", f"b<a<task {n}>>"] for n in range(10)}


def test_an_agent_in_two_systems_at_once_is_refused() -> None:
    shared = teams.assistant(Book(), "shared")
    one = RoundRobinGroupChat([shared], max_turns=1)
    other = RoundRobinGroupChat([shared, teams.assistant(Book(), "b")], max_turns=1)
    with aegis.record(one):
        with pytest.raises(AdapterError, match="agent 'shared' is attached to run"), aegis.record(other):
            pass
        asyncio.run(one.run(task=TASK))
    with aegis.record(other) as run:
        asyncio.run(other.run(task=TASK))
    assert [step.agent for step in run.trajectory.steps] == ["shared"]


def test_a_shared_runtime_that_was_started_elsewhere_is_recorded_as_well() -> None:
    """The context of whoever started the runtime is not the run's: nothing is looked up in it."""
    from tests.adapters.autogen.models import Client

    async def play() -> Any:
        runtime = SingleThreadedAgentRuntime()
        runtime.start()
        book = Book()
        client = Client(book, "all", lambda texts, _: f"{texts[0][8:9]}<{texts[-1]}>")
        members: Any = [teams.assistant(book, name, client=client) for name in ("a", "b")]
        team = RoundRobinGroupChat(members, max_turns=2, runtime=runtime)
        with aegis.record(team) as run:
            await team.run(task=TASK)
        await runtime.stop()
        return run.run

    run = asyncio.run(play())
    assert [(step.agent, step.usage.input_tokens) for step in run.trajectory().steps] == [("a", 2), ("b", 3)]


# -- early ends -------------------------------------------------------------------------------------------------------


@pytest.mark.case("autogen-N5")
def test_a_stream_that_is_left_early_leaves_no_noise_and_no_dangling_steps(caplog: pytest.LogCaptureFixture) -> None:
    problems: list[Any] = []

    async def play(closes_elsewhere: bool) -> Any:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))
        team = teams.round_robin()
        with aegis.record(team) as run:
            stream = team.run_stream(task=TASK)
            async for item in stream:
                if getattr(item, "source", "") == "a":
                    break
            if closes_elsewhere:
                await asyncio.create_task(_closed(stream))
            else:
                await stream.aclose()
        return run

    for closes_elsewhere in (False, True):
        run = asyncio.run(play(closes_elsewhere))
        gc.collect()
        texts = [step.text for step in run.trajectory.steps]
        assert texts[0] == f"a<{TASK}>"
        assert not run.run.trouble
        assert turns.inside.get() is None
    assert problems == []
    assert "different Context" not in caplog.text


async def _closed(stream: Any) -> None:
    await stream.aclose()


@pytest.mark.parametrize("by_token", [False, True])
def test_a_cancelled_run_is_let_go(by_token: bool) -> None:
    async def play() -> Any:
        team = teams.graph(book, delays=(0.1, 0.1))
        with aegis.record(team) as run:
            token = CancellationToken()
            task = asyncio.create_task(team.run(task=TASK, cancellation_token=token))
            await asyncio.sleep(0.05)
            if by_token:
                token.cancel()
            else:
                task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        return run, team

    book = Book()
    run, team = asyncio.run(play())
    said = {step.agent for step in run.trajectory.steps}
    assert "a" in said
    assert said <= set(book.owners), "AutoGen lets what was asked be answered; what was said is recorded"
    assert not run.run.trouble
    assert run.trajectory.error is None
    assert "run_stream" not in vars(team)
    assert turns.inside.get() is None


@pytest.mark.case("autogen-N5")
def test_an_agent_s_own_stream_that_is_left_early_is_let_go() -> None:
    async def play() -> Any:
        agent = teams.assistant(Book(), "a", model_client_stream=True)
        with aegis.record(agent) as run:
            async for _ in agent.run_stream(task=TASK):
                break
        return run, agent

    run, agent = asyncio.run(play())
    assert not run.run.trouble
    assert "on_messages_stream" not in vars(agent)


# -- several calls ----------------------------------------------------------------------------------------------------


def test_a_task_that_goes_on_is_the_same_run_and_another_one_is_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with aegis.record(team := teams.round_robin(most=3)) as run:
            asyncio.run(_twice(team, None))
    assert run.run.separate_calls == 1
    with pytest.warns(RecorderWarning, match="2 calls"), aegis.record(team := teams.round_robin(most=3)):
        asyncio.run(_twice(team, "another"))


async def _twice(team: Any, second: Any) -> None:
    await team.run(task=TASK)
    await team.run(task=second)


def test_managers_that_are_there_already_are_tapped_and_let_go() -> None:
    from aegis_autogen import _compat

    async def play(build: Any) -> list[str]:
        team = build()
        await started(team)
        manager = _compat.current_manager(team)
        before = dict(vars(manager))
        await team.reset()
        with aegis.record(team) as run:
            await started(team)
        assert set(vars(manager)) == set(before)
        assert vars(manager).get("_model_client") is before.get("_model_client")
        return [f"{step.agent}:{step.kind}" for step in run.trajectory.steps]

    for build in (teams.selector, teams.magentic, teams.graph):
        assert asyncio.run(play(build)) == ran(build()).told


# -- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.case("autogen-N10")
@pytest.mark.parametrize(("build", "runs"), [(lambda: teams.Whole("a"), 500), (teams.round_robin, 20)])
def test_runs_of_one_object_leave_nothing_behind(build: Any, runs: int) -> None:
    kept: list[weakref.ref[Any]] = []

    async def play() -> None:
        app = build()
        for _ in range(runs):
            with aegis.record(app) as recording:
                await app.run(task=TASK)
            kept.append(weakref.ref(recording.run))
            if isinstance(app, RoundRobinGroupChat):
                await app.reset()

    asyncio.run(play())
    gc.collect()
    assert sum(reference() is not None for reference in kept) <= 1


@pytest.mark.case("autogen-N10")
def test_five_hundred_runs_of_one_team_with_models_leave_no_object_of_ours_behind() -> None:
    team = teams.round_robin(most=2)

    def ours() -> int:
        gc.collect()
        return sum(str(getattr(type(item), "__module__", "")).startswith("aegis_") for item in gc.get_objects())

    async def play(runs: int) -> int:
        for _ in range(runs):
            with aegis.record(team):
                await team.run(task=TASK)
            await team.reset()
        return ours()

    async def all_of_them() -> tuple[int, int]:
        return await play(5), await play(495)

    few, many = asyncio.run(all_of_them())
    assert many <= few


@pytest.mark.case("autogen-N10")
def test_a_team_that_outlives_its_first_recorded_run_does_not_keep_it() -> None:
    for build in (teams.selector, teams.magentic, teams.graph, teams.agent_tool):
        team = build()
        with aegis.record(team) as recording:
            asyncio.run(started(team))
        kept = weakref.ref(recording.run)
        del recording
        gc.collect()
        assert kept() is None, build


@pytest.mark.case("autogen-N10")
def test_results_that_have_no_plain_form_end_their_steps_all_the_same() -> None:
    lock = threading.Lock()

    def odd(place: str) -> Any:
        """Return something odd."""
        return {"when": dt.datetime(2020, 1, 1, tzinfo=dt.UTC), "lock": lock, "place": place}

    def reply(texts: list[str], tools: list[str]) -> Any:
        return [call("odd", '{"place": "hall"}')] if len(texts) < 3 else "done"

    members: Any = [teams.assistant(Book(), "a", reply, tools=[odd], max_tool_iterations=2)]
    done = ran(RoundRobinGroupChat(members, max_turns=1))
    assert done.told == ["a:tool_call", "a:tool_result", "a:message"]
    assert "datetime" in done.of("a", "tool_result")[0].text


@pytest.mark.case("autogen-N10")
def test_a_tool_of_an_agent_s_own_may_return_anything() -> None:
    from autogen_core.tools import FunctionTool

    def odd(place: str) -> Any:
        """Return something odd."""
        return threading.Lock() if place == "lock" else dt.datetime(2020, 1, 1, tzinfo=dt.UTC)

    class Holder(teams.Whole):
        def __init__(self) -> None:
            super().__init__("h")
            self.tool = FunctionTool(odd, "odd")

        async def on_messages(self, messages: Any, cancellation_token: Any) -> Any:
            for place in ("lock", "date"):
                await self.tool.run_json({"place": place}, cancellation_token)
            return await super().on_messages(messages, cancellation_token)

    done = ran(Holder())
    assert done.told == ["h:message"]
    assert [e.key.name for e in done.run.tape().entries if e.key.kind == "tool"] == ["odd", "odd"]
    assert isinstance(TextMessage(content="x", source="y"), TextMessage)
    assert ADAPTER.capabilities(Holder()).sites[-1].scope == "call"


def test_tools_that_two_systems_share_at_the_same_time_are_told_in_their_own_runs() -> None:
    """Whoever leaves first takes off its own taps alone."""
    from autogen_core.tools import FunctionTool, StaticWorkbench

    def look(place: str) -> str:
        """Look."""
        return f"9 in {place}"

    bench, tool = StaticWorkbench([FunctionTool(look, "look")]), FunctionTool(look, "look", name="own")

    class Holder(teams.Whole):
        def __init__(self) -> None:
            super().__init__("h")
            self.tools = {"own": tool}

        async def on_messages(self, messages: Any, cancellation_token: Any) -> Any:
            await self.tools["own"].run_json({"place": "x"}, cancellation_token)
            return await super().on_messages(messages, cancellation_token)

    def team(number: int) -> Any:
        def reply(texts: list[str], _: list[str]) -> Any:
            return [call("look", f'{{"place": "hall {number}"}}')] if len(texts) < 4 else "done"

        members: Any = [Holder(), teams.assistant(Book(), "a", reply, workbench=[bench], max_tool_iterations=2)]
        return RoundRobinGroupChat(members, max_turns=2)

    async def play() -> Any:
        one, other = team(1), team(2)
        first, second = aegis.record(one), aegis.record(other)
        with second:
            with first:
                await asyncio.gather(one.run(task=TASK), other.run(task=TASK))
            await other.run()
        return first, second

    first, second = asyncio.run(play())
    for number, run, times in ((1, first, 1), (2, second, 2)):
        keys = [e.request[0].text for e in run.tape.entries if e.key.kind == "tool" and e.key.name == "look"]
        assert keys == [f'look(place="hall {number}")']
        assert sum(e.key.name == "own" for e in run.tape.entries) == times
    assert "call_tool" not in vars(bench)
    assert "run_json" not in vars(tool)


@pytest.mark.parametrize("way", ["run", "run_stream"])
def test_an_agent_that_swallows_every_exception_does_not_hide_a_limit(way: str) -> None:
    from tests.adapters.autogen.models import Client

    class Deaf(teams.Whole):
        async def on_messages(self, messages: Any, cancellation_token: Any) -> Any:
            try:
                return await super().on_messages(messages, cancellation_token)
            except BaseException:
                return await teams.Whole("deaf").on_messages(messages, cancellation_token)

    async def use(app: Any) -> Any:
        if way == "run":
            return await app.run(task=TASK)
        return [item async for item in app.run_stream(task=TASK)]

    done = ran(Deaf("deaf", Client(Book(), "deaf")), limits=Limits(calls=0), use=use, raises=True)
    assert isinstance(done.error, RunLimitReached)


@pytest.mark.parametrize("stream", [False, True])
def test_a_client_that_keeps_to_no_form_is_not_disturbed(stream: bool) -> None:
    """What it gives is handed on as it is; it can't be served."""
    from tests.adapters.autogen.models import Client

    class Odd:
        content = "odd"

    class OddClient(Client):
        async def create(self, messages: Any, **more: Any) -> Any:
            return Odd()

        def create_stream(self, messages: Any, **more: Any) -> Any:
            class Iterator:
                def __init__(self) -> None:
                    self.left = ["a", Odd()]

                def __aiter__(self) -> Any:
                    return self

                async def __anext__(self) -> Any:
                    if not self.left:
                        raise StopAsyncIteration
                    return self.left.pop(0)

            return Iterator()

    class Holder(teams.Whole):
        async def on_messages(self, messages: Any, cancellation_token: Any) -> Any:
            given = [message.to_model_message() for message in messages]
            if stream:
                found = [chunk async for chunk in self.brain.create_stream(given)][-1]
            else:
                found = await self.brain.create(given)
            from autogen_agentchat.base import Response

            return Response(chat_message=TextMessage(content=found.content, source=self.name))

    app = Holder("h", OddClient(Book(), "h"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with aegis.record(app) as recording:
            result = asyncio.run(app.run(task=TASK))
    assert result.messages[-1].to_text() == "odd"
    assert [step.text for step in recording.trajectory.steps] == ["odd"]
