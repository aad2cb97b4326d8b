"""Runtimes of autogen-core: requests, replies and publications, who gets them, and how they are altered."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from autogen_core import (
    AgentId,
    DefaultInterventionHandler,
    FunctionCall,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    TopicId,
    TypeSubscription,
    message_handler,
)
from autogen_core.models import UserMessage
from autogen_core.tool_agent import ToolAgent
from autogen_core.tools import FunctionTool
from autogen_ext.models.replay import ReplayChatCompletionClient
from pydantic import BaseModel

import aegis_core as aegis
from aegis_autogen.adapter import AutoGenAdapter
from aegis_core.errors import AdapterError
from aegis_core.faults import Moment, Plan, Scope, Strategy, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Refused
from aegis_core.run import Interventions, Replay, Run, RunInfo, Tape
from aegis_core.testing.marking import MARK, Marks
from aegis_core.trajectory import Trajectory


@dataclass
class Ask:
    text: str


class Note(BaseModel):
    text: str
    weight: int = 1


class Chief(RoutedAgent):
    """Asks the worker, publishes what it found, and replies with what its model makes of it."""

    def __init__(self, *replies: str) -> None:
        super().__init__("Asks and tells.")
        self._model_client = ReplayChatCompletionClient(list(replies))

    @message_handler
    async def on_ask(self, message: Ask, ctx: MessageContext) -> Note:
        question = await self._speak(message.text)
        reply = await self.send_message(Ask(f"Please: {question}"), AgentId("worker", "default"))
        await self.publish_message(Note(text=f"Found: {reply.text}"), TopicId("news", "default"))
        return Note(text=await self._speak(reply.text))

    async def _speak(self, text: str) -> str:
        result = await self._model_client.create([UserMessage(content=text, source="user")])
        assert isinstance(result.content, str)
        return result.content


class Worker(RoutedAgent):
    def __init__(self, reply: str) -> None:
        super().__init__("Works.")
        self._model_client = ReplayChatCompletionClient([reply] * 9)

    @message_handler
    async def on_ask(self, message: Ask, ctx: MessageContext) -> Note:
        if message.text == "fail":
            raise ValueError("no crates")
        result = await self._model_client.create([UserMessage(content=message.text, source="user")])
        assert isinstance(result.content, str)
        return Note(text=f"{result.content}, as {len(message.text)} letters tell.")


class Reader(RoutedAgent):
    """Keeps what it reads; has no use for an `Ask`."""

    def __init__(self, read: list[tuple[str, str]]) -> None:
        super().__init__("Reads.")
        self._read = read

    @message_handler
    async def on_note(self, message: Note, ctx: MessageContext) -> None:
        self._read.append((self.id.type, message.text))


class Shopper(RoutedAgent):
    """Asks the tool agent, as autogen-core's own loop does."""

    @message_handler
    async def on_ask(self, message: Ask, ctx: MessageContext) -> Note:
        call = FunctionCall(id="call_1", name="count", arguments='{"what": "crates"}')
        result = await self.send_message(call, AgentId("tools", "default"))
        return Note(text=f"There are {result.content}.")


@dataclass
class Office:
    runtime: SingleThreadedAgentRuntime
    read: list[tuple[str, str]] = field(default_factory=list)

    async def ask(self, text: str) -> Note:
        self.runtime.start()
        reply = await self.runtime.send_message(Ask(text), AgentId("chief", "default"))
        await self.runtime.stop_when_idle()
        assert isinstance(reply, Note)
        return reply


async def office(**options: Any) -> Office:
    made = Office(SingleThreadedAgentRuntime(**options))
    await Chief.register(made.runtime, "chief", lambda: Chief("How many crates?", "Seven crates."))
    await Worker.register(made.runtime, "worker", lambda: Worker("Seven"))
    for name in ("left", "right", "idle"):
        await Reader.register(made.runtime, name, lambda: Reader(made.read))
    for name in ("left", "right"):
        await made.runtime.add_subscription(TypeSubscription("news", name))
    return made


def said(trajectory: Trajectory) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(step.agent, step.text, step.addressed_to) for step in trajectory.steps]


def shown(run: Run, agent: str) -> list[str]:
    """What reached an agent, by the tape as it was before any alteration of its input."""
    return [e.request[0].text for e in run.tape().entries if (e.key.moment.agent, e.key.kind) == (agent, "input")]


REQUEST = ("chief", "Please: How many crates?", ("worker",))
REPLY = ("worker", "Seven, as 24 letters tell.", ("chief",))
NEWS = ("chief", "Found: Seven, as 24 letters tell.", ("left", "right"))
ANSWER = ("chief", "Seven crates.", ())


def recorded() -> tuple[Run, Note, Office]:
    async def go() -> tuple[Run, Note, Office]:
        made = await office()
        with aegis.record(made.runtime) as recording:
            reply = await made.ask("Count them.")
        return recording.run, reply, made

    return asyncio.run(go())


def altered(
    moment: Moment, strategy: Strategy, scope: Scope, *, tape: Tape | None = None, injector: Injector | None = None
) -> tuple[Run, Note, Office]:
    """A run with one target, served from a tape if there is one."""
    targets = (Target(moment=moment, mode="FM-1.1", strategy=strategy, scope=scope),)

    async def go() -> tuple[Run, Note, Office]:
        made, adapter = await office(), AutoGenAdapter()
        run = Run(
            RunInfo(run_id="run", adapter="autogen", agents=adapter.agents(made.runtime)),
            replay=Replay(tape, targets) if tape is not None else None,
            interventions=Interventions(Plan(targets=targets, seed=1), injector or Marks()),
            normalise=adapter.normalise,
        )
        with adapter.attach(made.runtime, run):
            reply = await made.ask("Count them.")
        return run, reply, made

    return asyncio.run(go())


@pytest.mark.case("autogen-14")
def test_requests_replies_and_publications_are_steps_with_exactly_those_who_get_them() -> None:
    run, reply, made = recorded()
    assert said(run.trajectory()) == [REQUEST, REPLY, NEWS, ANSWER]
    assert run.trajectory().final_output == reply.text == "Seven crates."
    request, reply_step, news = run.trajectory().steps[:3]
    assert (request.visible_to, news.visible_to) == (("worker",), ("left", "right"))
    assert reply_step.visible_to == ("chief", "left", "right"), "the news hold it word by word"
    assert made.read == [("left", NEWS[1]), ("right", NEWS[1])]
    assert [agent.path for agent in run.trajectory().agents] == ["chief", "worker", "left", "right", "idle"]


@pytest.mark.case("autogen-14")
def test_a_request_is_altered_where_it_leaves() -> None:
    run, _, _ = altered(Moment(agent="chief", turn=1), "response_corruption", "outgoing", tape=recorded()[0].tape())
    assert run.trajectory().steps[0].text == f"{REQUEST[1]} {MARK}"
    assert shown(run, "worker") == [f"{REQUEST[1]} {MARK}"]
    assert run.live_model_calls == 2


@pytest.mark.case("autogen-14")
def test_a_request_is_altered_where_it_arrives() -> None:
    run, _, _ = altered(Moment(agent="worker", turn=1), "prompt_injection", "persistent")
    assert run.trajectory().steps[0].text == REQUEST[1], "what the chief said is as it was"
    assert run.trajectory().steps[1].text != REPLY[1]


@pytest.mark.case("autogen-14")
def test_a_reply_is_altered_where_it_leaves() -> None:
    run, _, made = altered(Moment(agent="worker", turn=1), "response_corruption", "outgoing")
    assert run.trajectory().steps[1].text == f"{REPLY[1]} {MARK}"
    assert all(MARK in text for _, text in made.read)


@pytest.mark.case("autogen-14")
def test_a_reply_is_altered_where_it_arrives() -> None:
    run, _, made = altered(Moment(agent="chief", turn=2), "prompt_injection", "persistent")
    assert run.trajectory().steps[1].text == REPLY[1], "what the worker said is as it was"
    assert all(MARK in text for _, text in made.read)


@pytest.mark.case("autogen-14")
def test_a_publication_is_altered_for_all_its_readers() -> None:
    run, reply, made = altered(Moment(agent="chief", turn=2), "response_corruption", "outgoing")
    assert made.read == [("left", f"{NEWS[1]} {MARK}"), ("right", f"{NEWS[1]} {MARK}")]
    assert said(run.trajectory())[2] == ("chief", f"{NEWS[1]} {MARK}", ("left", "right"))
    assert reply.weight == 1, "what is no text is kept"


@pytest.mark.case("autogen-14")
def test_a_publication_is_altered_for_one_of_its_readers() -> None:
    run, _, made = altered(Moment(agent="right", turn=1), "prompt_injection", "persistent")
    assert made.read == [("left", NEWS[1]), ("right", f"{NEWS[1]} {MARK}")]
    assert said(run.trajectory())[2] == NEWS


@pytest.mark.parametrize(("strategy", "scope"), [("prompt_injection", "ephemeral"), ("response_corruption", "belief")])
def test_the_model_of_a_core_agent_is_altered(strategy: Strategy, scope: Scope) -> None:
    clean = recorded()[0]
    run, _, _ = altered(Moment(agent="worker", turn=1), strategy, scope, tape=clean.tape())
    (entry,) = run.ledger().interventions
    assert entry.fired, entry.reason
    if scope == "belief":
        assert MARK in run.trajectory().steps[1].text
    calls = [entry for entry in run.tape().entries if entry.key.kind == "model" and entry.key.moment.agent == "worker"]
    assert (MARK in calls[0].request[0].text) is (scope == "ephemeral")


class Shouting(DefaultInterventionHandler):
    """A user's own handler that alters everything."""

    async def on_publish(self, message: Any, *, message_context: MessageContext) -> Any:
        return Note(text=message.text.upper()) if isinstance(message, Note) else message

    async def on_send(self, message: Any, *, message_context: MessageContext, recipient: AgentId) -> Any:
        return Ask(f"{message.text}!") if isinstance(message, Ask) else message


@pytest.mark.case("autogen-N14")
def test_a_handler_of_the_user_and_an_alteration_both_have_their_effect() -> None:
    news = NEWS[1].replace("24", "25")
    targets = (
        Target(moment=Moment(agent="chief", turn=2), mode="FM-1.1", strategy="response_corruption", scope="outgoing"),
    )

    async def go() -> Office:
        made, adapter = await office(intervention_handlers=[DefaultInterventionHandler(), Shouting()]), AutoGenAdapter()
        run = Run(
            RunInfo(run_id="run", adapter="autogen", agents=adapter.agents(made.runtime)),
            interventions=Interventions(Plan(targets=targets, seed=1), Marks()),
        )
        with adapter.attach(made.runtime, run):
            await made.ask("Count them.")
        assert shown(run, "worker") == [f"{REQUEST[1]}!"], "the record holds what was really delivered"
        assert shown(run, "left") == [f"{news} {MARK}".upper()]
        return made

    made = asyncio.run(go())
    assert made.read == [(name, f"{news} {MARK}".upper()) for name in ("left", "right")]


class Refusing(Shouting):
    """A handler of the user's own that raises when something is published."""

    async def on_publish(self, message: Any, *, message_context: MessageContext) -> Any:
        raise RuntimeError("no publications")


@pytest.mark.case("autogen-N14")
@pytest.mark.parametrize("records", [False, True])
def test_a_user_s_own_handler_that_raises_hangs_the_runtime_with_aegis_and_without(records: bool) -> None:
    async def go() -> None:
        made = await office(intervention_handlers=[Refusing()])
        with aegis.record(made.runtime) if records else contextlib.nullcontext(), pytest.raises(TimeoutError):
            await asyncio.wait_for(made.ask("Count them."), 0.3)
        assert made.read == []

    asyncio.run(go())


class Raising(Injector):
    name = "raising"

    def realisations(self) -> tuple[Any, ...]:
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:
        raise RuntimeError("a broken injector")


@pytest.mark.case("autogen-N14")
def test_an_injector_that_raises_does_not_hang_the_runtime() -> None:
    async def limited() -> tuple[Run, Note, Office]:
        async with asyncio.timeout(5):
            return await asyncio.to_thread(
                altered, Moment(agent="chief", turn=2), "response_corruption", "outgoing", injector=Raising()
            )

    run, _, made = asyncio.run(limited())
    assert made.read == [("left", NEWS[1]), ("right", NEWS[1])]
    assert "a broken injector" in run.ledger().interventions[0].reason


def test_requests_that_run_at_the_same_time_are_told_apart_whoever_is_faster() -> None:
    class Slow(Worker):
        delays: Sequence[float] = ()

        @message_handler
        async def on_ask(self, message: Ask, ctx: MessageContext) -> Note:
            await asyncio.sleep(self.delays[int(message.text[-1])])
            return Note(text=f"done {message.text}")

    class Spread(RoutedAgent):
        @message_handler
        async def on_ask(self, message: Ask, ctx: MessageContext) -> Note:
            asked = (self.send_message(Ask(f"part {n}"), AgentId(f"slow{n}", "default")) for n in (0, 1))
            notes = await asyncio.gather(*asked)
            return Note(text=" and ".join(note.text for note in notes))

    async def go(delays: Sequence[float]) -> Trajectory:
        runtime = SingleThreadedAgentRuntime()
        Slow.delays = delays
        await Spread.register(runtime, "spread", lambda: Spread("Spreads."))
        for name in ("slow0", "slow1"):
            await Slow.register(runtime, name, lambda: Slow("x"))
        with aegis.record(runtime) as recording:
            runtime.start()
            await runtime.send_message(Ask("go"), AgentId("spread", "default"))
            await runtime.stop_when_idle()
        return recording.trajectory

    first, second = (asyncio.run(go(delays)) for delays in ((0.0, 0.02), (0.02, 0.0)))
    assert [(s.agent, s.text, s.turn, s.branch) for s in first.steps] == [
        (s.agent, s.text, s.turn, s.branch) for s in second.steps
    ]
    assert first.steps[-1].text == "done part 0 and done part 1"


def test_an_exception_of_a_handler_is_recorded_and_reaches_the_one_who_asked() -> None:
    async def go() -> Trajectory:
        made = await office()
        made.runtime.start()
        recording = aegis.record(made.runtime)
        with pytest.raises(ValueError, match="no crates") as raised, recording:
            await made.runtime.send_message(Ask("fail"), AgentId("worker", "default"))
        await made.runtime.stop()
        assert raised.value.args == ("no crates",)
        return recording.trajectory

    trajectory = asyncio.run(go())
    assert [(step.agent, step.kind, step.text) for step in trajectory.steps] == [
        ("worker", "error", "ValueError: no crates")
    ]
    assert trajectory.error is not None
    assert (trajectory.error.type, trajectory.error.agent) == ("ValueError", "worker")


def test_agents_of_one_type_that_differ_in_their_key_are_branches() -> None:
    async def go() -> Trajectory:
        made = await office()
        with aegis.record(made.runtime) as recording:
            made.runtime.start()
            for key in ("monday", "tuesday"):
                await made.runtime.send_message(Ask(key), AgentId("worker", key))
            await made.runtime.stop_when_idle()
        return recording.trajectory

    steps = asyncio.run(go()).steps
    assert [(step.agent, step.branch, step.turn) for step in steps] == [
        ("worker", "monday", 1),
        ("worker", "tuesday", 1),
    ]


def test_the_tool_agent_of_autogen_core_is_asked_by_a_call_and_answers_with_its_result() -> None:
    async def go(*targets: Target) -> Run:
        runtime, adapter = SingleThreadedAgentRuntime(), AutoGenAdapter()
        tools: list[Any] = [FunctionTool(count, "Counts.", name="count")]
        await ToolAgent.register(runtime, "tools", lambda: ToolAgent("Has tools.", tools))
        await Shopper.register(runtime, "shopper", lambda: Shopper("Shops."))
        run = Run(
            RunInfo(run_id="run", adapter="autogen", agents=adapter.agents(runtime)),
            interventions=Interventions(Plan(targets=targets, seed=1), Marks()) if targets else None,
        )
        with adapter.attach(runtime, run):
            runtime.start()
            await runtime.send_message(Ask("Shop."), AgentId("shopper", "default"))
            await runtime.stop_when_idle()
        return run

    clean = asyncio.run(go()).trajectory()
    assert [(step.agent, step.kind, step.text, step.addressed_to) for step in clean.steps] == [
        ("shopper", "tool_call", 'count(what="crates")', ("tools",)),
        ("tools", "tool_call", 'count(what="crates")', ()),
        ("tools", "tool_result", "9 crates", ()),
        ("tools", "tool_result", "9 crates", ("shopper",)),
        ("shopper", "message", "There are 9 crates.", ()),
    ]
    assert clean.steps[0].call_id == clean.steps[3].call_id == "call_1"
    target = Target(moment=Moment(agent="tools", turn=1), mode="FM-1.1", strategy="environment", scope="call")
    assert asyncio.run(go(target)).trajectory().steps[-1].text == f"There are 9 crates {MARK}."


def test_a_message_that_an_agent_has_no_handler_for_is_no_turn() -> None:
    async def go() -> Tape:
        made = await office()
        with aegis.record(made.runtime) as recording:
            made.runtime.start()
            await made.runtime.publish_message(Ask("hello"), TopicId("news", "default"))
            await made.runtime.stop_when_idle()
        return recording.tape

    assert not asyncio.run(go()).entries


def test_a_runtime_does_not_know_where_a_task_goes() -> None:
    runtime = asyncio.run(office()).runtime
    with pytest.raises(AdapterError, match=r"aegis\.System\(runtime, start="):
        AutoGenAdapter().start(runtime, "task")


def test_agents_that_hold_no_client_offer_no_alteration_of_model_calls() -> None:
    async def go() -> SingleThreadedAgentRuntime:
        runtime = SingleThreadedAgentRuntime()
        await Reader([]).register_instance(runtime, AgentId("reader", "default"))
        return runtime

    offered = AutoGenAdapter().capabilities(asyncio.run(go()))
    assert {site.scope for site in offered.sites} == {"persistent", "outgoing"}
    assert "no model client is an attribute of reader" in " ".join(offered.notes)


class Counter(RoutedAgent):
    """Has a tool that others have as well."""

    def __init__(self, tool: FunctionTool) -> None:
        super().__init__("Counts.")
        self._tools = {"count": tool}

    @message_handler
    async def on_ask(self, message: Ask, ctx: MessageContext) -> Note:
        counted = await self._tools["count"].run_json({"what": message.text}, ctx.cancellation_token)
        return Note(text=f"There are {counted}.")


def count(what: str) -> str:
    return f"9 {what}"


def test_a_tool_that_two_runtimes_share_is_recorded_and_altered_in_each_by_itself() -> None:
    tool = FunctionTool(count, "Counts.", name="count")
    target = Target(moment=Moment(agent="counter", turn=1), mode="FM-1.1", strategy="environment", scope="call")

    async def go(*targets: Target) -> tuple[Run, Note]:
        runtime, adapter = SingleThreadedAgentRuntime(), AutoGenAdapter()
        await Counter.register(runtime, "counter", lambda: Counter(tool))
        run = Run(
            RunInfo(run_id="run", adapter="autogen", agents=adapter.agents(runtime)),
            interventions=Interventions(Plan(targets=targets, seed=1), Marks()) if targets else None,
        )
        with adapter.attach(runtime, run):
            runtime.start()
            reply = await runtime.send_message(Ask("crates"), AgentId("counter", "default"))
            await asyncio.sleep(0.01)
            assert "run_json" not in vars(tool)
            await runtime.stop_when_idle()
        return run, reply

    async def both() -> list[tuple[Run, Note]]:
        return list(await asyncio.gather(go(), go(target)))

    (clean, plain), (_, marked) = asyncio.run(both())
    assert plain.text == "There are 9 crates."
    assert marked.text == f"There are 9 crates {MARK}."
    steps = [(step.kind, step.text) for step in clean.trajectory().steps]
    assert steps == [
        ("tool_call", 'count(what="crates")'),
        ("tool_result", "9 crates"),
        ("message", "There are 9 crates."),
    ]


def test_an_exception_that_the_runtime_swallows_is_recorded_once() -> None:
    class Clumsy(RoutedAgent):
        @message_handler
        async def on_note(self, message: Note, ctx: MessageContext) -> None:
            raise ValueError("dropped it")

    async def go() -> Trajectory:
        runtime = SingleThreadedAgentRuntime()
        await Clumsy.register(runtime, "clumsy", lambda: Clumsy("Drops things."))
        await runtime.add_subscription(TypeSubscription("news", "clumsy"))
        with aegis.record(runtime) as recording:
            runtime.start()
            await runtime.publish_message(Note(text="a vase"), TopicId("news", "default"))
            await runtime.stop_when_idle()
        return recording.trajectory

    trajectory = asyncio.run(go())
    assert [(step.agent, step.kind, step.text) for step in trajectory.steps] == [
        ("clumsy", "error", "ValueError: dropped it")
    ]
    assert trajectory.error is None
    assert trajectory.final_output is None
