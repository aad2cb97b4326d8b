"""Middleware changes what the model of an agent is shown: that is what is recorded, compared and altered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    AgentState,
    ModelRequest,
    after_model,
    before_model,
    dynamic_prompt,
)
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.prebuilt import create_react_agent

from aegis_core.errors import ReplayDrift
from aegis_langgraph import _compat
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, Seen, look
from tests.adapters.langgraph.models import Scripted, asks, calls, in_turn, repeats
from tests.adapters.langgraph.running import Appends, Live, Ran, ainvoked, altered, invoked, ran, served, target

pytestmark = pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])
PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])


class Around(AgentMiddleware[Any, Any]):
    """Changes the request, in both ways of running."""

    def __init__(self, change: Callable[[ModelRequest[Any]], ModelRequest[Any]], name: str = "around") -> None:
        super().__init__()
        self._change = change
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        return handler(self._change(request))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        return await handler(self._change(request))


def telling(word: str) -> Around:
    """Shows the model a word before all else."""
    return Around(lambda request: request.override(messages=[HumanMessage(word), *request.messages]), word)


@dynamic_prompt
def prompted(request: ModelRequest[Any]) -> str:
    return f"You have seen {len(request.messages)} messages."


@before_model
def summed_up(state: AgentState[Any], runtime: Any) -> dict[str, Any] | None:
    if any(message.type == "tool" for message in state["messages"]):
        return None
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("in short: start", id="summary")]}


MIDDLEWARE: dict[str, Callable[[], list[Any]]] = {
    "messages added": lambda: [telling("once upon a time")],
    "messages dropped": lambda: [Around(lambda request: request.override(messages=request.messages[-1:]))],
    "dynamic prompt": lambda: [prompted],
    "before the model": lambda: [summed_up],
    "several": lambda: [telling("first"), prompted, summed_up, telling("second")],
    "none": list,
}
every_middleware = pytest.mark.parametrize("middleware", MIDDLEWARE.values(), ids=MIDDLEWARE)


def looking(messages: list[Any]) -> AIMessage | str:
    return "done" if messages[-1].type == "tool" else calls("look", x="it")


def agent(seen: Seen | None = None, middleware: Any = (), **more: Any) -> Any:
    model = Scripted(answer=looking, seen=seen)
    return create_agent(model, [look], name="agent", system_prompt="You look.", middleware=middleware, **more)


def with_reader(first: Any, seen: Seen | None = None) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("agent", first)
    graph.add_node("reader", graphs.member("reader", seen))
    graph.add_edge(START, "agent")
    graph.add_edge("agent", "reader")
    return graph.compile()


def asked(done: Ran, agent: str = "agent") -> Seen:
    """What is on the tape of the model's requests, without tool calls."""
    return [
        [part.text for part in entry.request if part.kind != "tool_call"]
        for entry in done.run.tape().entries
        if (entry.key.kind, entry.key.moment.agent) == ("model", agent)
    ]


@WAYS
@PATHS
@every_middleware
@pytest.mark.case("langgraph-22")
def test_the_tape_holds_what_the_model_was_shown(middleware: Any, replay: Any, use: Any) -> None:
    seen: Seen = []
    done = ran(agent(seen, middleware()), ASK, replay=replay() if replay else None, use=use)
    assert len(seen) == 2
    shown = [[text for text in texts if text] for texts in seen]  # a message that only asks for tools has no text
    assert asked(done) == shown


@WAYS
@every_middleware
def test_watching_and_rebuilding_tell_the_same_story(middleware: Any, use: Any) -> None:
    watched = ran(agent(None, middleware()), ASK)
    assert ran(agent(None, middleware()), ASK, replay=Live(), use=use).canonical == watched.canonical
    assert ran(agent(None, middleware()), ASK, use=use).canonical == watched.canonical


@WAYS
@every_middleware
def test_everything_is_served(middleware: Any, use: Any) -> None:
    clean = ran(agent(None, middleware()), ASK)
    seen: Seen = []
    again = served(lambda: agent(seen, middleware()), ASK, clean, use=use)
    assert (seen, again.run.live_model_calls, again.run.void) == ([], 0, "")
    assert again.canonical == clean.canonical


def test_a_request_that_only_the_middleware_changed_is_a_drift() -> None:
    clean = ran(agent(None, [telling("one")]), ASK)
    with pytest.raises(ReplayDrift, match="sends another request"):
        served(lambda: agent(None, [telling("two")]), ASK, clean)


def test_other_tools_are_another_request() -> None:
    clean = ran(agent(), ASK)
    with pytest.raises(ReplayDrift, match="sends another request"):
        served(lambda: agent(None, [Around(lambda request: request.override(tools=[]))]), ASK, clean)


class First(Appends):
    """Alters the first text that can be altered and is no instruction."""

    async def alter(self, context: Any, target: Any, attempt: int) -> Any:
        edits = await super().alter(context, target, attempt)
        part = next(part for part in context.parts if part.editable and part.role in ("user", ""))
        return type(edits)(texts={part.id: f"{part.text} ALTERED"}, realisation="first")


@WAYS
@pytest.mark.case("langgraph-22")
def test_what_only_middleware_shows_can_be_altered_and_is_shown_in_the_whole_turn(use: Any) -> None:
    def build(seen: Seen | None = None) -> Any:
        return with_reader(agent(seen, [telling("a word")]), seen)

    clean = ran(build(), ASK)
    seen: Seen = []
    where = target("agent", "prompt_injection", "ephemeral")
    done = altered(lambda: build(seen), ASK, clean, where, injector=First(), use=use)
    (entry,) = done.run.ledger().interventions
    assert entry.fired
    assert [change.before for change in entry.changes] == ["a word"]
    assert [texts[1] for texts in seen[:2]] == ["a word ALTERED", "a word ALTERED"]
    assert not any("ALTERED" in text for text in seen[2])
    assert [texts[1] for texts in asked(done)] == ["a word ALTERED", "a word ALTERED"]
    assert not any("ALTERED" in message.text for message in done.result["messages"])


class Tasked(AgentState[Any]):
    """A state with a text beside the messages."""

    task: str


@WAYS
@pytest.mark.parametrize("scope", ["persistent", "ephemeral"])
def test_a_text_of_the_state_that_middleware_shows_is_altered_once_in_each_call(scope: Any, use: Any) -> None:
    def build(seen: Seen | None = None) -> Any:
        shown = Around(
            lambda request: request.override(messages=[HumanMessage(request.state["task"]), *request.messages])
        )
        return agent(seen, [shown], state_schema=Tasked)

    given = {"messages": [], "task": "count"}
    clean = ran(build(), given)
    seen: Seen = []
    done = altered(
        lambda: build(seen), given, clean, target("agent", "prompt_injection", scope), injector=First(), use=use
    )
    assert done.run.ledger().interventions[0].fired
    assert [texts[1] for texts in seen] == ["count ALTERED", "count ALTERED"]


@pytest.mark.parametrize("scope", ["persistent", "ephemeral", "outgoing", "belief"])
def test_a_text_put_back_unchanged_gives_the_clean_run(scope: Any) -> None:
    def build() -> Any:
        return with_reader(agent(None, MIDDLEWARE["several"]()))

    clean = ran(build(), ASK)
    strategy: Any = "prompt_injection" if scope in ("persistent", "ephemeral") else "response_corruption"
    done = altered(build, ASK, clean, target("agent", strategy, scope), injector=Appends(""), arm="null")
    assert done.run.ledger().interventions[0].fired
    assert done.canonical[:2] == clean.canonical[:2]


class Trying(AgentMiddleware[Any, Any]):
    """Asks again when the model fails."""

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        try:
            return handler(request)
        except ValueError:
            return handler(request.override(messages=[*request.messages, HumanMessage("please")]))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        try:
            return await handler(request)
        except ValueError:
            return await handler(request.override(messages=[*request.messages, HumanMessage("please")]))


def failing_once(messages: list[Any]) -> str:
    if messages[-1].text != "please":
        raise ValueError("ask nicely")
    return "here you are"


@WAYS
@PATHS
def test_a_model_that_fails_and_is_asked_again_is_one_call_of_one_turn(use: Any, replay: Any) -> None:
    def build() -> Any:
        return create_agent(Scripted(answer=failing_once), [], name="agent", middleware=[Trying()])

    done = ran(build(), ASK, replay=replay() if replay else None, use=use)
    assert done.said == [("agent", "message", "here you are")]
    assert asked(done) == [["start", "please"]]
    assert done.canonical == ran(build(), ASK).canonical


@WAYS
@PATHS
def test_the_exception_of_a_model_is_the_one_that_leaves_the_graph(use: Any, replay: Any) -> None:
    cause = KeyError("deep")
    error = ValueError("broken")
    error.__cause__ = cause

    def broken(_: Any) -> Any:
        raise error

    app = create_agent(Scripted(answer=broken), [], name="agent", middleware=[telling("x")])
    found: list[BaseException] = []

    def catching(app: Any, given: Any) -> None:
        try:
            use(app, given)
        except ValueError as raised:
            found.append(raised)

    done = ran(app, ASK, replay=replay() if replay else None, use=catching)
    assert found[0] is error
    assert found[0].__cause__ is cause
    assert done.said == [("agent", "error", "ValueError: broken")]


class Swapping(AgentMiddleware[Any, Any]):
    """Lets another model answer, or nobody."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._model = model

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        if self._model is None:
            return AIMessage("from memory")
        return handler(request.override(model=self._model))

    async def awrap_model_call(self, request: Any, handler: Any) -> Any:
        if self._model is None:
            return AIMessage("from memory")
        return await handler(request.override(model=self._model))


@WAYS
def test_a_model_that_middleware_puts_in_is_recorded_and_served(use: Any) -> None:
    def build(seen: Seen | None = None) -> Any:
        other = Scripted(answer=repeats("other"), seen=seen)
        return create_agent(Scripted(answer=repeats("own")), [], name="agent", middleware=[Swapping(other)])

    clean = ran(build(), ASK, use=use)
    assert clean.said == [("agent", "message", "other <start>")]
    seen: Seen = []
    assert served(lambda: build(seen), ASK, clean, use=use).canonical == clean.canonical
    assert seen == []


@WAYS
@PATHS
def test_an_answer_without_a_model_is_a_turn_without_a_call(use: Any, replay: Any) -> None:
    app = create_agent(Scripted(answer=repeats("own")), [], name="agent", middleware=[Swapping(None)])
    done = ran(app, ASK, replay=replay() if replay else None, use=use)
    assert done.said == [("agent", "message", "from memory")]
    assert asked(done) == []


class Asking(AgentMiddleware[Any, Any]):
    """Asks a model of its own what to tell the agent's, before it and around it."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._model = model

    def before_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
        if any(isinstance(message, AIMessage) for message in state["messages"]):
            return None
        return {"messages": [HumanMessage(self._model.invoke("before").text, id="told")]}

    def wrap_model_call(self, request: Any, handler: Any) -> Any:
        told = SystemMessage(self._model.invoke(f"around {len(request.messages)}").text)
        return handler(request.override(messages=[told, *request.messages]))


@PATHS
def test_models_that_middleware_asks_by_itself_are_on_the_tape_too(replay: Any) -> None:
    def build(make: Any = lambda model: model) -> Any:
        return agent(None, [Asking(make(Scripted(answer=repeats("aside"))))])

    done = ran(build(), ASK, replay=replay() if replay else None)
    assert [texts[-1] for texts in asked(done)] == [
        "before",
        "around 2",
        "aside <before>",
        "around 4",
        "found it",
    ]
    assert done.canonical == ran(build(), ASK).canonical


def test_a_tapped_model_of_middleware_is_served() -> None:
    from aegis_langgraph.models import tap

    def build(seen: Seen | None = None) -> Any:
        return agent(seen, [Asking(tap(Scripted(answer=repeats("aside"), seen=seen)))])

    clean = ran(build(), ASK)
    seen: Seen = []
    again = served(lambda: build(seen), ASK, clean)
    assert (seen, again.run.live_model_calls) == ([], 0)
    assert again.canonical == clean.canonical


@after_model
def signed(state: AgentState[Any], runtime: Any) -> dict[str, Any] | None:
    last = state["messages"][-1]
    return None if last.tool_calls else {"messages": [last.model_copy(update={"content": f"{last.text}, signed"})]}


@WAYS
@PATHS
def test_what_comes_after_the_model_is_part_of_the_turn(use: Any, replay: Any) -> None:
    done = ran(agent(None, [signed]), ASK, replay=replay() if replay else None, use=use)
    assert {(step.agent, step.turn) for step in done.trajectory.steps} == {("agent", 1)}
    assert done.result["messages"][-1].text == "done, signed"
    assert done.canonical == ran(agent(None, [signed]), ASK).canonical


class Tools(AgentMiddleware[Any, Any]):
    """Rewrites what tools return."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        result = handler(request)
        return result.model_copy(update={"content": f"{result.content}, checked"})

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        result = await handler(request)
        return result.model_copy(update={"content": f"{result.content}, checked"})


@WAYS
@pytest.mark.case("langgraph-22")
def test_what_middleware_makes_of_a_tools_result_is_told_and_can_be_altered(use: Any) -> None:
    clean = ran(agent(None, [Tools()]), ASK, use=use)
    assert "found it, checked" in clean.texts
    seen: Seen = []
    where = target("agent", "environment", "call", mode="env:tool-result")
    done = altered(lambda: agent(seen, [Tools()]), ASK, clean, where, use=use)
    assert seen[-1][-1] == "found it, checked ALTERED"
    assert "found it, checked ALTERED" in done.texts


@pytest.mark.parametrize("mode", ["messages", "updates", "values"])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_streams_of_an_agent_are_recorded_and_served(mode: Any, asynchronous: bool) -> None:
    def streamed(app: Any, given: Any) -> Any:
        async def collect() -> list[Any]:
            return [item async for item in app.astream(given, stream_mode=mode)]

        return asyncio.run(collect()) if asynchronous else list(app.stream(given, stream_mode=mode))

    def build() -> Any:
        return agent(None, [telling("a word")])

    expected = ran(build(), ASK)
    clean = ran(build(), ASK, use=streamed)
    assert clean.canonical == expected.canonical
    again = served(build, ASK, clean, use=streamed)
    assert again.run.live_model_calls == 0
    assert again.canonical[0] == clean.canonical[0]
    assert len(again.result) == len(clean.result)


REACT: dict[str, dict[str, Any]] = {
    "plain": {},
    "prompt": {"prompt": "You look."},
    "function": {"prompt": lambda state: [SystemMessage(f"{len(state['messages'])} so far"), *state["messages"]]},
    "hook": {"pre_model_hook": lambda state: {"llm_input_messages": [HumanMessage("hooked"), *state["messages"]]}},
}


@WAYS
@PATHS
@pytest.mark.parametrize("options", REACT.values(), ids=REACT)
def test_react_agents_are_recorded_as_their_models_see_it(options: Any, use: Any, replay: Any) -> None:
    def build(seen: Seen | None = None, dynamic: bool = False) -> Any:
        model = Scripted(answer=in_turn(asks(("look", {"x": "it"}, "c1")), "done"), seen=seen)
        return create_react_agent(
            (lambda state, runtime: model.bind_tools([look])) if dynamic else model, [look], name="agent", **options
        )

    for dynamic in (False, True):
        seen: Seen = []
        done = ran(build(seen, dynamic), ASK, replay=replay() if replay else None, use=use)
        assert asked(done) == [[text for text in texts if text] for texts in seen]
        assert len(seen) == 2
        clean = ran(build(None, dynamic), ASK)
        assert done.canonical == clean.canonical
        seen.clear()
        assert served(lambda dynamic=dynamic, seen=seen: build(seen, dynamic), ASK, clean, use=use).texts == clean.texts
        assert seen == []


@PATHS
def test_where_calls_can_not_be_caught_the_node_is_served_whole(replay: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_compat, "_ASKING", {})
    seen: Seen = []
    done = ran(agent(seen, [telling("a word"), prompted]), ASK, replay=replay() if replay else None)
    assert asked(done) == [[text for text in texts if text] for texts in seen]
    seen.clear()
    again = served(lambda: agent(seen, [telling("a word"), prompted]), ASK, done)
    assert (seen, again.canonical) == ([], done.canonical)
    changed = altered(
        lambda: agent(seen, [telling("a word"), prompted]), ASK, done, target("agent", "prompt_injection", "ephemeral")
    )
    assert changed.run.ledger().interventions[0].fired
    assert all("start ALTERED" in texts for texts in seen)


@PATHS
def test_a_hand_written_loop_is_recorded_as_its_model_sees_it(replay: Any) -> None:
    def build(seen: Seen | None = None) -> Any:
        from langgraph.prebuilt import ToolNode, tools_condition

        model = Scripted(answer=in_turn(calls("look", x="it"), "done"), seen=seen)
        graph = StateGraph(MessagesState)
        graph.add_node("agent", lambda s: {"messages": [model.invoke([SystemMessage("You look."), *s["messages"]])]})
        graph.add_node("tools", ToolNode([look]))
        graph.add_edge(START, "agent")
        graph.add_conditional_edges("agent", tools_condition)
        graph.add_edge("tools", "agent")
        return graph.compile()

    seen: Seen = []
    done = ran(build(seen), ASK, replay=replay() if replay else None)
    assert asked(done) == [[text for text in texts if text] for texts in seen]
    assert done.canonical == ran(build(), ASK).canonical
    seen.clear()
    again = served(lambda: build(seen), ASK, done)
    assert (seen, again.canonical) == ([], done.canonical)
