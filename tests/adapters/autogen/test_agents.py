"""Agents of every kind: of the user's own, humans, filtered, outside of any team, in lists, with tools that fail."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest
from autogen_agentchat.agents import MessageFilterAgent, MessageFilterConfig, PerSourceFilter, UserProxyAgent
from autogen_agentchat.conditions import MaxMessageTermination
from autogen_agentchat.messages import TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_agentchat.tools import AgentTool, TeamTool
from autogen_core.tools import BaseStreamTool
from pydantic import BaseModel

import aegis_core as aegis
from aegis_core.errors import AdapterError
from aegis_core.faults import Plan
from aegis_core.run import Interventions
from tests.adapters.autogen import teams
from tests.adapters.autogen.models import Book, Client, call
from tests.adapters.autogen.running import ADAPTER, TASK, Appends, altered, ran, served, target

pytestmark = pytest.mark.framework


@pytest.mark.case("autogen-13")
@pytest.mark.parametrize("kind", [teams.Whole, teams.Streamed])
def test_agents_of_the_user_s_own_are_seen_and_altered_in_a_team(kind: Any) -> None:
    def team() -> Any:
        return RoundRobinGroupChat([kind("p"), kind("q")], termination_condition=MaxMessageTermination(3))

    done = ran(team())
    assert done.said == [("p", f"p<{TASK}>"), ("q", f"q<p<{TASK}>>")]
    changed = altered(team, target("p", "response_corruption", "outgoing"))
    assert changed.said[1] == ("q", f"q<p<{TASK}> ALTERED>")
    told = altered(team, target("q", "prompt_injection", "persistent"))
    assert told.said[1] == ("q", f"q<p<{TASK}> ALTERED>")


@pytest.mark.case("autogen-13")
@pytest.mark.parametrize("kind", [teams.Whole, teams.Streamed, teams.assistant])
@pytest.mark.parametrize("way", ["run", "run_stream", "on_messages", "on_messages_stream"])
def test_agents_are_seen_and_altered_outside_of_a_team(kind: Any, way: str) -> None:
    def agent() -> Any:
        return teams.assistant(Book(), "p") if kind is teams.assistant else kind("p", Client(Book(), "p"))

    async def use(app: Any) -> str:
        from autogen_core import CancellationToken

        given = [TextMessage(content=TASK, source="user")]
        if way == "run":
            return str((await app.run(task=TASK)).messages[-1].content)
        if way == "run_stream":
            return str([item async for item in app.run_stream(task=TASK)][-1].messages[-1].content)
        if way == "on_messages":
            return str((await app.on_messages(given, CancellationToken())).chat_message.content)
        items = [item async for item in app.on_messages_stream(given, CancellationToken())]
        return str(items[-1].chat_message.content)

    done = ran(agent(), use=use)
    assert done.said == [("p", f"p<{TASK}>")]
    assert done.trajectory.task == TASK
    assert done.trajectory.final_output == done.result == f"p<{TASK}>"
    assert done.run.separate_calls == 1
    for scope in ("outgoing", "belief"):
        changed = altered(agent, target("p", "response_corruption", scope), use=use, clean=done)  # type: ignore[arg-type]
        assert changed.result == f"p<{TASK}> ALTERED", scope


@pytest.mark.case("autogen-13")
def test_a_human_s_answer_is_on_the_tape_and_asked_for_once() -> None:
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return f"answer {len(asked)}"

    def team() -> Any:
        members: Any = [UserProxyAgent("boss", input_func=answer), teams.assistant(Book(), "a")]
        return RoundRobinGroupChat(members, max_turns=3)

    clean = ran(team(), alone=True)
    assert clean.said[0] == ("boss", "answer 1")
    assert clean.trajectory.agent("boss").kind == "user"
    assert [entry.key.kind for entry in clean.run.tape().entries if entry.key.moment.agent == "boss"] == [
        "input", "human", "output", "input", "human", "output",
    ]  # fmt: skip
    again = served(team, clean)
    assert len(asked) == 2
    assert again.said == clean.said


@pytest.mark.case("autogen-13")
def test_what_a_human_says_can_be_corrupted_and_what_one_is_given_can_not_be() -> None:
    def team(book: Book | None = None) -> Any:
        members: Any = [UserProxyAgent("boss", input_func=lambda _: "nine"), teams.assistant(book or Book(), "a")]
        return RoundRobinGroupChat(members, max_turns=2)

    clean, book = ran(team()), Book()
    done = altered(lambda: team(book), target("boss", "response_corruption", "outgoing"), clean=clean)
    assert done.said == [("boss", "nine ALTERED"), ("a", "a<nine ALTERED>")]
    assert book.of("a")[0][-1] == "nine ALTERED"

    plan = Plan(targets=(target("boss", "prompt_injection", "persistent"),), seed=1)
    left = ran(team(), interventions=Interventions(plan, Appends(), arm="fault"))
    (entry,) = left.run.ledger().interventions
    assert not entry.fired
    assert entry.reason
    assert left.said == clean.said


@pytest.mark.case("autogen-13")
def test_a_human_alone_is_recorded_served_and_corrupted_by_run() -> None:
    asked: list[str] = []

    def boss() -> Any:
        return UserProxyAgent("boss", input_func=lambda prompt: asked.append(prompt) or "nine")

    clean = ran(boss(), alone=True)
    assert (clean.said, clean.trajectory.final_output) == ([("boss", "nine")], "nine")
    assert served(boss, clean).said == clean.said
    done = altered(boss, target("boss", "response_corruption", "outgoing"), clean=clean)
    assert done.result.messages[-1].to_text() == "nine ALTERED"
    assert len(asked) == 1


@pytest.mark.case("autogen-13")
@pytest.mark.case("autogen-N8")
def test_a_filtered_agent_is_told_with_what_it_really_saw() -> None:
    """The filter hands on b before a; the steps are in the order in which things happened."""
    order = MessageFilterConfig(
        per_source=[PerSourceFilter(source="b", position="last", count=1), PerSourceFilter(source="a", position="last")]
    )

    def team(book: Book | None = None) -> Any:
        book = book or Book()
        c = MessageFilterAgent("c", teams.assistant(book, "c"), order)
        members: Any = [teams.assistant(book, "a"), teams.assistant(book, "b"), c]
        return RoundRobinGroupChat(members, max_turns=3)

    book = Book()
    done = ran(team(book))
    assert [agent for agent, _ in done.said] == ["a", "b", "c"]
    (given,) = [e for e in done.run.tape().entries if (e.key.moment.agent, e.key.kind) == ("c", "input")]
    assert [part.author for part in given.request] == ["b", "a"]
    assert [text[:2] for text in book.of("c")[0][1:]] == ["b<", "a<"]
    assert TASK not in book.of("c")[0]
    assert "c" in done.steps[0].visible_to
    changed = altered(team, target("c", "response_corruption", "outgoing"), clean=done)
    assert changed.of("c")[0].text.endswith(" ALTERED")


def test_a_filter_outside_of_a_team_is_the_agent_that_it_filters_for() -> None:
    config = MessageFilterConfig(per_source=[PerSourceFilter(source="user", position="last", count=1)])
    done = ran(MessageFilterAgent("c", teams.assistant(Book(), "c"), config))
    assert done.said == [("c", f"c<{TASK}>")]
    assert done.trajectory.final_output == f"c<{TASK}>"


@pytest.mark.case("autogen-13")
def test_a_list_of_agents_is_one_system_of_the_user_s_own_code() -> None:
    book = Book()
    agents = [teams.assistant(book, "a"), teams.assistant(book, "b")]

    async def use(app: Any) -> str:
        first = await app[0].run(task=TASK)
        second = await app[1].run(task=first.messages[-1].content)
        return str(second.messages[-1].content)

    done = ran(agents, use=use)
    assert done.said == [("a", f"a<{TASK}>"), ("b", f"b<a<{TASK}>>")]
    assert done.run.separate_calls == 1
    assert done.trajectory.task == TASK
    assert done.trajectory.final_output == done.result
    assert "b" in done.steps[0].visible_to
    with pytest.raises(AdapterError, match="no entry of its own"):
        ADAPTER.start(agents, TASK)


def test_a_list_is_found_by_record() -> None:
    agents = [teams.assistant(Book(), "a")]
    with aegis.record(agents) as run:
        asyncio.run(agents[0].run(task=TASK))
    assert [step.agent for step in run.trajectory.steps] == ["a"]


def test_two_agents_of_a_list_with_one_name_are_refused() -> None:
    with pytest.raises(AdapterError, match="occur twice"):
        ADAPTER.agents([teams.assistant(Book(), "a"), teams.assistant(Book(), "a")])


# -- tools ------------------------------------------------------------------------------------------------------------


def with_tools(book: Book, reply: Any, *tools: Any, most: int = 2) -> Any:
    return RoundRobinGroupChat(
        [teams.assistant(book, "a", reply, tools=list(tools), max_tool_iterations=most), teams.assistant(book, "b")],
        max_turns=2,
    )


def breaks(place: str) -> str:
    """Raise."""
    raise KeyError(f"no {place}")


def weigh(place: str) -> str:
    """Weigh."""
    return f"weight of {place}"


@pytest.mark.case("autogen-11")
@pytest.mark.parametrize("name", ["breaks", "unknown"])
def test_a_tool_that_fails_is_a_result_and_the_run_goes_on(name: str) -> None:
    def reply(texts: list[str], tools: list[str]) -> Any:
        return [call(name, '{"place": "hall"}')] if len(texts) < 3 else "done"

    done = ran(with_tools(Book(), reply, breaks))
    assert done.told == ["a:tool_call", "a:tool_result", "a:message", "b:message"]
    (result,) = done.of("a", "tool_result")
    assert result.content[0].data == {"is_error": True}
    assert ("no hall" if name == "breaks" else "unknown") in result.text


@pytest.mark.case("autogen-12")
def test_parallel_tool_calls_are_paired() -> None:
    calls = [call("weigh", '{"place": "x"}', "call_x_1"), call("weigh", '{"place": "y"}', "call_y_1")]

    def reply(texts: list[str], tools: list[str]) -> Any:
        return calls if len(texts) < 3 else "done"

    def team() -> Any:
        return with_tools(Book(), reply, weigh)

    done = ran(team())
    assert done.told == ["a:tool_call", "a:tool_call", "a:tool_result", "a:tool_result", "a:message", "b:message"]
    assert [step.call_id for step in done.steps[:4]] == ["call_x_1", "call_y_1"] * 2
    assert [step.text for step in done.of("a", "tool_result")] == ["weight of x", "weight of y"]
    keys = [entry.key for entry in done.run.tape().entries if entry.key.kind == "tool"]
    assert [(key.name, key.call) for key in keys] == [("weigh", 1), ("weigh", 2)]
    assert served(team, done).told == done.told


@pytest.mark.case("autogen-N9")
def test_a_team_called_twice_at_once_as_a_tool_is_an_error_of_the_second_call() -> None:
    book = Book()
    inner: Any = [teams.assistant(book, name, owner=f"a/crew/{name}", delay=0.001) for name in ("p", "q")]
    crew = TeamTool(RoundRobinGroupChat(inner, max_turns=2), name="crew", description="the crew")
    calls = [call("crew", '{"task": "one"}', "call_one_1"), call("crew", '{"task": "two"}', "call_two_1")]

    def reply(texts: list[str], tools: list[str]) -> Any:
        return calls if len(texts) < 3 else "done"

    done = ran(with_tools(book, reply, crew))
    assert done.told == [
        "a:tool_call", "a:tool_call", "a/crew/p:message", "a/crew/q:message", "a:tool_result", "a:tool_result",
        "a:message", "b:message",
    ]  # fmt: skip
    first, second = done.of("a", "tool_result")
    assert first.content == ()
    assert "already running" in second.text
    assert second.content[0].data == {"is_error": True}


def test_a_tool_is_served_from_the_tape() -> None:
    book = Book()

    def look(place: str) -> str:
        """Look."""
        book.used.append(place)
        return f"{len(book.used)} crates in {place}"

    def reply(texts: list[str], tools: list[str]) -> Any:
        return [call("look", '{"place": "hall"}')] if len(texts) < 3 else texts[-1]

    def team() -> Any:
        return with_tools(Book(), reply, look)

    clean = ran(team(), alone=True)
    again = served(team, clean)
    assert book.used == ["hall"]
    assert again.said == clean.said


def test_a_stream_of_a_tool_passes_as_it_comes_and_again_when_it_is_served() -> None:
    class Args(BaseModel):
        place: str

    class Slow(BaseStreamTool[Any, Any, Any]):
        def __init__(self) -> None:
            super().__init__(Args, str, "slow", "slow")  # type: ignore[arg-type]

        async def run(self, args: Any, cancellation_token: Any) -> Any:
            return f"done {args.place}"

        async def run_stream(self, args: Any, cancellation_token: Any) -> Any:
            yield TextMessage(content=f"at {args.place}", source="slow")
            yield f"done {args.place}"

    def reply(texts: list[str], tools: list[str]) -> Any:
        return [call("slow", '{"place": "hall"}')] if len(texts) < 3 else texts[-1]

    def team() -> Any:
        return with_tools(Book(), reply, Slow())

    clean = ran(team())
    texts = [message.to_text() for message in clean.result.messages]
    assert "at hall" in texts
    again = served(team, clean)
    told = [(type(message), message.source) for message in clean.result.messages]
    assert [(type(message), message.source) for message in again.result.messages] == told
    assert [message.to_text() for message in again.result.messages][2] == texts[2] == "at hall"


@pytest.mark.case("autogen-13")
def test_code_is_run_once_and_served_from_the_tape() -> None:
    from autogen_agentchat.agents import CodeExecutorAgent
    from autogen_core.code_executor import CodeExecutor, CodeResult

    class Executor(CodeExecutor):
        component_type = "code_executor"
        ran = 0

        async def execute_code_blocks(self, code_blocks: Any, cancellation_token: Any) -> CodeResult:
            Executor.ran += 1
            return CodeResult(exit_code=0, output=f"run {Executor.ran} of {code_blocks[0].code}")

        async def start(self) -> None: ...
        async def stop(self) -> None: ...
        async def restart(self) -> None: ...

    def team(book: Book | None = None) -> Any:
        coder = teams.assistant(book or Book(), "coder", lambda *_: "```python\nprint(9)\n```")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runner = CodeExecutorAgent("runner", Executor())
        return RoundRobinGroupChat([coder, runner, teams.assistant(book or Book(), "reader")], max_turns=3)

    clean = ran(team(), alone=True)
    assert clean.told == ["coder:message", "runner:message", "reader:message"]
    assert "run 1 of print(9)" in clean.of("runner")[0].text
    assert served(team, clean).said == clean.said
    assert Executor.ran == 1
    book = Book()
    changed = altered(lambda: team(book), target("runner", "environment", "call"), clean=clean)
    assert "ALTERED" in changed.of("runner")[0].text
    assert any("ALTERED" in text for text in book.of("reader")[0])
    assert ADAPTER.capabilities(team()).sites[-1].scope == "call"


def test_a_tool_call_is_on_the_tape_as_in_its_step() -> None:
    written = '{"place":  "hall",\n "column": "9"}'

    def weigh_twice(place: str, column: str) -> str:
        """Weigh."""
        return f"{place} {column}"

    def reply(texts: list[str], tools: list[str]) -> Any:
        return [call("weigh_twice", written)] if len(texts) < 3 else "done"

    done = ran(with_tools(Book(), reply, weigh_twice))
    (entry,) = [entry for entry in done.run.tape().entries if entry.key.kind == "tool"]
    assert entry.request[0].text == done.of("a", "tool_call")[0].text == 'weigh_twice(place="hall", column="9")'


def test_an_agent_called_twice_at_once_as_a_tool_is_told_to_overlap() -> None:
    """AutoGen lets both calls into one memory; such turns are recorded, and never a target."""
    book = Book()
    inner = AgentTool(teams.assistant(book, "inner", owner="a/inner", delay=0.001))
    calls = [call("inner", '{"task": "one"}', "call_one_1"), call("inner", '{"task": "two"}', "call_two_1")]

    def reply(texts: list[str], tools: list[str]) -> Any:
        return calls if len(texts) < 3 else "done"

    done = ran(with_tools(book, reply, inner))
    assert done.told == [
        "a:tool_call", "a:tool_call", "a/inner:message", "a/inner:message", "a:tool_result", "a:tool_result",
        "a:message", "b:message",
    ]  # fmt: skip
    assert [step.turn for step in done.of("a/inner")] == [1, 2]
    assert done.run.tape().overlapping == ("a/inner",)
