"""Each scope that is offered, proven by what the models were shown after it."""

from __future__ import annotations

from typing import Any

import pytest
from autogen_agentchat.base import Response
from autogen_agentchat.messages import HandoffMessage, ModelClientStreamingChunkEvent, StructuredMessage, TextMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_agentchat.tools import AgentTool
from autogen_core.model_context import UnboundedChatCompletionContext
from pydantic import BaseModel

from aegis_core.faults import Plan
from aegis_core.run import Interventions
from aegis_core.run.observation import observe, overheard
from tests.adapters.autogen import teams
from tests.adapters.autogen.models import Book
from tests.adapters.autogen.running import ADAPTER, TASK, Appends, Ran, altered, ran, started, target

pytestmark = pytest.mark.framework

OUTGOING = target("a", "response_corruption", "outgoing")
BELIEF = target("a", "response_corruption", "belief")
PERSISTENT = target("b", "prompt_injection", "persistent")
EPHEMERAL = target("b", "prompt_injection", "ephemeral")


def observers(clean: Ran, done: Ran) -> list[str]:
    (entry,) = done.run.ledger().interventions
    found = observe(
        entry, clean=clean.trajectory, faulty=done.trajectory, clean_tape=clean.run.tape(), faulty_tape=done.run.tape()
    )
    return [str(observation.moment) for observation in found]


@pytest.mark.case("autogen-2")
def test_outgoing_others_hear_the_altered_text_and_the_author_keeps_its_own() -> None:
    book = Book()
    done = altered(lambda: teams.round_robin(book), OUTGOING)
    original = f"a<{TASK}>"
    assert book.of("b")[0][-1] == f"{original} ALTERED"
    assert original in book.of("a")[1]
    assert not any(text == f"{original} ALTERED" for text in book.of("a")[1])
    assert done.of("a")[0].text == f"{original} ALTERED"
    (entry,) = done.run.ledger().interventions
    assert (entry.changes[0].before, entry.changes[0].after) == (original, f"{original} ALTERED")
    assert done.result.messages[1].content == f"{original} ALTERED"
    clean = ran(teams.round_robin())
    assert "b turn 1" in observers(clean, done)
    assert done.result.messages[1].id != clean.result.messages[1].id


@pytest.mark.case("autogen-3")
@pytest.mark.parametrize("stream", [False, True])
def test_belief_the_author_remembers_the_altered_text(stream: bool) -> None:
    book = Book()
    clean = ran(teams.round_robin(stream=stream))
    done = altered(lambda: teams.round_robin(book, stream=stream), BELIEF, clean=clean)
    changed = f"a<{TASK}> ALTERED"
    assert book.of("b")[0][-1] == changed
    assert changed in book.of("a")[0]
    assert done.result.messages[1].content == changed


@pytest.mark.case("autogen-3")
@pytest.mark.parametrize("fault", [OUTGOING, BELIEF], ids=["outgoing", "belief"])
def test_pieces_of_a_stream_make_the_altered_message(fault: Any) -> None:
    async def streamed(app: Any) -> list[Any]:
        return [item async for item in app.run_stream(task=TASK)]

    done = altered(lambda: teams.round_robin(stream=True), fault, use=streamed)
    chunks = [item for item in done.result if isinstance(item, ModelClientStreamingChunkEvent)]
    message = next(item for item in done.result if isinstance(item, TextMessage) and item.source == "a")
    first = [chunk.content for chunk in chunks if chunk.full_message_id == message.id]
    assert message.content == f"a<{TASK}> ALTERED"
    assert "".join(first) == message.content
    assert len(first) > 1


@pytest.mark.case("autogen-4")
def test_a_persistent_injection_stays_in_the_memory_of_its_target_alone() -> None:
    book = Book()
    done = altered(lambda: teams.round_robin(book), PERSISTENT)
    injected = f"a<{TASK}> ALTERED"
    assert injected in book.of("b")[0]
    assert injected in book.of("b")[1]
    assert not any("ALTERED" in text for text in book.of("a")[0])
    assert injected not in [message.to_text() for message in done.result.messages]
    state = str(vars(done.app._participants[1])["_model_context"]._messages)
    assert injected in state


@pytest.mark.case("autogen-4")
def test_an_ephemeral_injection_is_in_one_request_alone() -> None:
    book = Book()
    altered(lambda: teams.round_robin(book), EPHEMERAL)
    injected = f"a<{TASK}> ALTERED"
    assert injected in book.of("b")[0]
    assert injected not in book.of("b")[1]


def test_a_tool_s_result_is_altered_for_the_model_that_asked() -> None:
    book = Book()
    clean = ran(teams.swarm())
    done = altered(lambda: teams.swarm(book), target("a", "environment", "call"), clean=clean)
    assert done.of("a", "tool_result")[0].text == "9 crates in hall 2 ALTERED"
    asked, answered = book.of("a")[:2]
    assert not any("ALTERED" in text for text in asked)
    assert "9 crates in hall 2 ALTERED" in answered
    assert book.used == ["hall 2"], "the tool itself is called as ever"


@pytest.mark.case("autogen-9")
@pytest.mark.parametrize("moment", ["som/a", "som"])
def test_what_a_member_of_a_society_says_can_be_altered(moment: str) -> None:
    book = Book()
    clean = ran(teams.society())
    done = altered(lambda: teams.society(book), target(moment, "response_corruption", "outgoing"), clean=clean)
    after = {"som/a": "som", "som": "c"}[moment]
    assert any("ALTERED" in text for text in book.of(after)[0])
    assert done.told == clean.told


@pytest.mark.case("autogen-10")
def test_what_an_agent_says_as_a_tool_can_be_altered() -> None:
    book = Book()
    clean = ran(teams.agent_tool())
    done = altered(
        lambda: teams.agent_tool(book), target("outer/inner", "response_corruption", "outgoing"), clean=clean
    )
    assert "ALTERED" in done.of("outer", "tool_result")[0].text
    assert any("ALTERED" in text for text in book.of("outer")[0])
    assert book.owners == ["outer", "c"]


class Count(BaseModel):
    """Structured content: the text is free, the size is not."""

    place: str
    crates: int


def structured(book: Book | None = None, *, registers: bool = True) -> RoundRobinGroupChat:
    """a answers in structured form, b in words."""
    book = book or Book()
    a = teams.assistant(book, "a", lambda *_: '{"place": "hall 2", "crates": 9}', output_content_type=Count)
    types: Any = {"custom_message_types": [StructuredMessage[Count]]} if registers else {}
    members: Any = [a, teams.assistant(book, "b")]
    return RoundRobinGroupChat(members, max_turns=2, **types)


@pytest.mark.case("autogen-N6")
@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_structured_messages_stay_of_their_type(scope: Any) -> None:
    book = Book()
    done = altered(lambda: structured(book), target("a", "response_corruption", scope))
    message = done.result.messages[1]
    assert type(message) is StructuredMessage[Count]
    assert message.content == Count(place="hall 2 ALTERED", crates=9)
    assert "hall 2 ALTERED" in book.of("b")[0][-1]
    (step,) = done.of("a")
    assert step.content[0].data == {"place": "hall 2 ALTERED", "crates": 9}


@pytest.mark.case("autogen-N6")
def test_a_team_that_does_not_know_its_message_type_fails_as_it_does_without_aegis() -> None:
    import asyncio

    def team() -> RoundRobinGroupChat:
        built = structured(registers=False)
        vars(built)["_message_factory"]._message_types.pop("StructuredMessage[Count]", None)
        return built

    with pytest.raises(RuntimeError, match="not registered"):
        asyncio.run(started(team()))
    failed = ran(team(), raises=True)
    assert "StructuredMessage" in str(failed.error)
    assert "not registered" in str(failed.error)
    assert failed.of("a"), "what a said is recorded all the same"


def test_texts_that_a_class_does_not_leave_free_are_not_editable() -> None:
    from typing import Literal

    from aegis_autogen.texts.messages import said_parts

    class Verdict(BaseModel):
        word: Literal["yes", "no"]
        reason: str

    message = StructuredMessage[Verdict](content=Verdict(word="yes", reason="it is"), source="a")
    assert [(part.text, part.editable) for part in said_parts(message, "a")] == [("yes", False), ("it is", True)]


def test_every_kind_of_given_message_can_be_written_in_place() -> None:
    from autogen_agentchat.messages import MultiModalMessage, ToolCallSummaryMessage
    from autogen_core.models import AssistantMessage, UserMessage

    from aegis_autogen.texts.messages import given_parts, write_given

    handoff = HandoffMessage(
        content="over to you", source="a", target="b",
        context=[UserMessage(content="seen", source="user"), AssistantMessage(content="done", source="a")],
    )  # fmt: skip
    messages = [
        TextMessage(content="hello", source="user"),
        MultiModalMessage(content=["look", "here"], source="user"),
        StructuredMessage[Count](content=Count(place="hall", crates=1), source="c"),
        ToolCallSummaryMessage(content="9", source="a", tool_calls=[], results=[]),
        handoff,
    ]
    parts = given_parts(messages, {})
    assert [part.text for part in parts] == ["hello", "look", "here", "hall", "9", "over to you", "seen", "done"]
    written = write_given(messages, {part.id: part.text.upper() for part in parts})
    assert [part.text for part in given_parts(written, {})] == [part.text.upper() for part in parts]
    assert [(type(new), new.id) for new in written] == [(type(old), old.id) for old in messages]
    assert [part.text for part in given_parts(messages, {})] == [part.text for part in parts], "originals are kept"
    assert write_given(messages, {parts[0].id: "x"})[1:] == messages[1:]


def test_sites_are_those_that_the_agents_have() -> None:
    assert [site.scope for site in ADAPTER.capabilities(teams.round_robin()).sites] == [
        "persistent", "ephemeral", "outgoing", "belief",
    ]  # fmt: skip
    assert "call" in [site.scope for site in ADAPTER.capabilities(teams.swarm()).sites]
    whole = [teams.Whole("p"), teams.Streamed("q")]
    found = ADAPTER.capabilities(whole)
    assert [site.scope for site in found.sites] == ["persistent", "outgoing"]
    assert any("no model client was found in p, q" in note for note in found.notes)


@pytest.mark.case("autogen-8")
@pytest.mark.parametrize("turn", [1, 2, 3])
def test_what_an_orchestrator_is_told_stays_in_its_memory_alone(turn: int) -> None:
    orchestrator = "MagenticOneOrchestrator"
    clean = ran(teams.magentic())
    book = Book()
    done = altered(
        lambda: teams.magentic(book), target(orchestrator, "prompt_injection", "persistent", turn=turn), clean=clean
    )
    shown = book.of(orchestrator)
    assert all(any("ALTERED" in text for text in texts) for texts in shown)
    assert len(shown) == 6 - {1: 0, 2: 2, 3: 3}[turn]
    assert done.trajectory.task == TASK
    if turn > 1:  # the plan holds the task as the orchestrator was told it, and is for all
        assert not any("ALTERED" in text for name in "ab" for texts in book.of(name) for text in texts)
        assert not any("ALTERED" in message.to_text() for message in done.result.messages[:2])
    assert done.result.messages[0].content == TASK


@pytest.mark.case("autogen-5")
def test_what_a_selector_is_told_stays_in_its_memory_alone() -> None:
    manager = "SelectorGroupChatManager"
    clean = ran(teams.selector())
    book = Book()
    done = altered(lambda: teams.selector(book), target(manager, "prompt_injection", "persistent", turn=2), clean=clean)
    assert ["ALTERED" in texts[0] for texts in book.of(manager)] == [True, True]
    assert not any("ALTERED" in text for name in "xyz" for texts in book.of(name) for text in texts)
    assert done.told == clean.told


def sharing() -> RoundRobinGroupChat:
    """a and b, with one memory."""
    memory = UnboundedChatCompletionContext()
    members: Any = [teams.assistant(Book(), name, model_context=memory) for name in ("a", "b")]
    return RoundRobinGroupChat(members, max_turns=2)


class Wrapping(teams.Whole):
    """Hands what it is given on to an agent that it holds."""

    def __init__(self, name: str, inner: Any) -> None:
        super().__init__(name)
        self.inner = inner

    async def on_messages(self, messages: Any, cancellation_token: Any) -> Response:
        said = await self.inner.on_messages(messages, cancellation_token)
        return Response(chat_message=TextMessage(content=f"w<{said.chat_message.content}>", source=self.name))


class WrappingATool(Wrapping):
    """Hands it on to a tool that runs an agent."""

    async def on_messages(self, messages: Any, cancellation_token: Any) -> Response:
        said = await self.inner.run_json({"task": messages[-1].to_model_text()}, cancellation_token)
        return Response(chat_message=TextMessage(content=self.inner.return_value_as_string(said), source=self.name))


def wrapping(book: Book | None = None) -> RoundRobinGroupChat:
    """a, then w around the agent i, then b."""
    book = book or Book()
    w = Wrapping("w", teams.assistant(book, "i"))
    return RoundRobinGroupChat([teams.assistant(book, "a"), w, teams.assistant(book, "b")], max_turns=3)


def wrapping_a_tool() -> RoundRobinGroupChat:
    """a, then w around a tool that runs the agent i, then b."""
    book = Book()
    w = WrappingATool("w", AgentTool(teams.assistant(book, "i")))
    return RoundRobinGroupChat([teams.assistant(book, "a"), w, teams.assistant(book, "b")], max_turns=3)


@pytest.mark.case("autogen-4")
@pytest.mark.parametrize("served", [False, True])
@pytest.mark.parametrize(
    ("build", "agent", "owner"),
    [
        (wrapping, "w/i", "i"), (wrapping, "b", "b"), (teams.society, "som/b", "som/b"), (teams.society, "c", "c"),
        (teams.agent_tool, "outer/inner", "outer/inner"), (teams.agent_tool, "outer", "outer"),
    ],
)  # fmt: skip
def test_a_persistent_injection_is_seen_by_its_target_alone(build: Any, agent: str, owner: str, served: bool) -> None:
    book = Book()
    clean = ran(build())
    fault = target(agent, "prompt_injection", "persistent")
    done = altered(lambda: build(book), fault, clean=clean if served else None)
    (entry,) = done.run.ledger().interventions
    told = entry.changes[0].after
    assert any(told in texts for texts in book.of(owner))
    assert not any(told in texts for name, texts in book.shown if name != owner)
    assert overheard(entry, faulty=done.trajectory, clean_tape=clean.run.tape(), faulty_tape=done.run.tape()) == ()


@pytest.mark.case("autogen-4")
@pytest.mark.parametrize(
    ("build", "agent"), [(teams.society, "som"), (sharing, "b"), (wrapping, "w"), (wrapping_a_tool, "w")]
)
def test_a_persistent_injection_that_others_would_be_shown_is_refused(build: Any, agent: str) -> None:
    plan = Plan(targets=(target(agent, "prompt_injection", "persistent"),), seed=1)
    left = ran(build(), interventions=Interventions(plan, Appends(), arm="fault"))
    (entry,) = left.run.ledger().interventions
    assert not entry.fired
    assert entry.reason
    assert left.said == ran(build()).said
    assert any(agent in note and "persistent is not for these" in note for note in ADAPTER.capabilities(build()).notes)
