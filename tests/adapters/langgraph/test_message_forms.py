"""Messages in every form that graphs use: in blocks, with reasoning, with pictures, and as plain dicts."""

from __future__ import annotations

import copy
import operator
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph

from aegis_langgraph.texts.blocks import reasoning_of, text_of, with_text
from tests.adapters.langgraph.graphs import ASK, Seen, look
from tests.adapters.langgraph.models import Scripted, in_turn, repeats
from tests.adapters.langgraph.running import Live, altered, ran, served, target

PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])

PICTURE = {"type": "image", "base64": "aGVsbG8=", "mime_type": "image/png"}
CALL = {"name": "look", "args": {"x": "it"}, "id": "c1"}
ASKING = AIMessage(
    [
        {"type": "thinking", "thinking": "first I look", "signature": "sealed"},
        {"type": "text", "text": "let me see"},
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"x": "it"}},
    ],
    tool_calls=[CALL],
)
ANSWER = AIMessage([{"type": "reasoning", "reasoning": "so it is"}, {"type": "text", "text": "It is "}, "here."])


def thinker(seen: Seen | None = None) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("thinker", create_agent(Scripted(answer=in_turn(ASKING, ANSWER), seen=seen), [look], name="thinker"))
    model = Scripted(answer=repeats("b"), seen=seen)
    graph.add_node("b", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_edge(START, "thinker")
    graph.add_edge("thinker", "b")
    return graph.compile()


@PATHS
def test_a_message_in_blocks_is_one_step_and_its_reasoning_a_thought(replay: Any) -> None:
    done = ran(thinker(), ASK, replay=replay() if replay else None)
    assert done.said == [
        ("thinker", "thought", "first I look"),
        ("thinker", "thought", "let me see"),
        ("thinker", "tool_call", 'look(x="it")'),
        ("thinker", "tool_result", "found it"),
        ("thinker", "thought", "so it is"),
        ("thinker", "message", "It is here."),
        ("b", "message", "b <It is here.>"),
    ]
    assert done.trajectory.steps[6].parents == (0, 1, 2, 3, 4, 5)
    assert served(thinker, ASK, ran(thinker(), ASK)).canonical == done.canonical


@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_the_text_of_a_message_in_blocks_can_be_altered(scope: Any) -> None:
    seen: Seen = []
    done = altered(lambda: thinker(seen), ASK, ran(thinker(), ASK), target("thinker", "response_corruption", scope))
    assert done.texts[5] == "It is here. ALTERED"
    assert seen == [["start", "let me see", "found it", "It is here. ALTERED"]]


@PATHS
def test_other_content_is_data_of_the_message_without_its_bytes(replay: Any) -> None:
    def draw(_: Any) -> dict[str, Any]:
        return {"messages": [AIMessage([{"type": "text", "text": "a plan"}, PICTURE])]}

    graph = StateGraph(MessagesState)
    graph.add_node("draw", draw)
    graph.add_edge(START, "draw")
    (step,) = ran(graph.compile(), ASK, replay=replay() if replay else None).trajectory.steps
    assert (step.kind, step.text) == ("message", "a plan")
    assert step.content[0].data == [{"type": "image", "mime_type": "image/png"}]


@pytest.mark.parametrize(
    ("message", "reasoning"),
    [
        (AIMessage("x", additional_kwargs={"reasoning_content": "deep"}), "deep"),
        (AIMessage([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "deep"}]}]), "deep"),
        (AIMessage([{"type": "thinking", "thinking": "deep"}, {"type": "reasoning", "reasoning": "er"}]), "deep\ner"),
        (AIMessage([{"type": "redacted_thinking", "data": "sealed"}]), ""),
        (HumanMessage([{"type": "reasoning", "reasoning": "mine"}]), ""),
    ],
)
def test_reasoning_is_read_in_the_forms_of_the_providers(message: BaseMessage, reasoning: str) -> None:
    assert reasoning_of(message) == reasoning


@pytest.mark.parametrize(
    ("content", "text", "after"),
    [
        (["a", "b"], "ab!", ["a", "b!"]),
        (["a", "b"], "c", ["c"]),
        ([{"type": "text", "text": "a", "more": 1}, PICTURE], "c", [{"type": "text", "text": "c", "more": 1}, PICTURE]),
        ([PICTURE], "c", [PICTURE, {"type": "text", "text": "c"}]),
        ([PICTURE, {"type": "text", "text": "a"}], "", [PICTURE]),
    ],
)
def test_another_text_leaves_the_other_blocks(content: Any, text: str, after: Any) -> None:
    before = copy.deepcopy(content)
    assert with_text(content, text) == after
    assert text_of(after) == text
    assert content == before


# -- dicts --------------------------------------------------------------------------------------------------------


class Anew(TypedDict):
    messages: list[Any]


class Added(TypedDict):
    messages: Annotated[list[Any], operator.add]


def writes_anew(state: Anew, said: Any) -> Any:
    return [*state["messages"], said]


def copies(state: Anew, said: Any) -> Any:
    return [*copy.deepcopy(state["messages"]), said]


def adds(_: Any, said: Any) -> Any:
    return [said]


WRITING = {"anew": (Anew, writes_anew), "copied": (Anew, copies), "added": (Added, adds)}
every_way = pytest.mark.parametrize(("schema", "write"), WRITING.values(), ids=WRITING)
GIVEN = {"messages": [{"role": "user", "content": "start"}]}


def dicts(schema: Any, write: Any, seen: Seen | None = None) -> Any:
    def member(name: str) -> Any:
        model = Scripted(answer=repeats(name), seen=seen)

        def speak(state: Any) -> dict[str, Any]:
            text = str(model.invoke(state["messages"]).text)
            return {"messages": write(state, {"role": "assistant", "content": text})}

        return speak

    graph = StateGraph(schema)
    for name in "ab":
        graph.add_node(name, member(name))
    graph.add_edge(START, "a")
    graph.add_edge("a", "b")
    return graph.compile()


@PATHS
@every_way
def test_a_message_that_is_a_dict_is_a_message(schema: Any, write: Any, replay: Any) -> None:
    done = ran(dicts(schema, write), copy.deepcopy(GIVEN), replay=replay() if replay else None)
    assert done.said == [("a", "message", "a <start>"), ("b", "message", "b <a <start>>")]
    assert done.trajectory.final_output == "b <a <start>>"
    assert done.trajectory.task == "start"
    clean = ran(dicts(schema, write), GIVEN)
    assert served(lambda: dicts(schema, write), GIVEN, clean).canonical == done.canonical


@every_way
@pytest.mark.parametrize(
    ("strategy", "scope", "shown"),
    [
        ("response_corruption", "outgoing", [["start", "a <start> ALTERED"]]),
        ("response_corruption", "belief", [["start", "a <start> ALTERED"]]),
        ("prompt_injection", "ephemeral", [["start ALTERED"], ["start", "a <start ALTERED>"]]),
    ],
)
def test_dicts_are_altered_like_messages(schema: Any, write: Any, strategy: Any, scope: Any, shown: Seen) -> None:
    seen: Seen = []
    clean = ran(dicts(schema, write), copy.deepcopy(GIVEN))
    done = altered(lambda: dicts(schema, write, seen), copy.deepcopy(GIVEN), clean, target("a", strategy, scope))
    assert seen == shown
    assert len(done.said) == 2
    assert done.run.ledger().interventions[0].fired


@PATHS
def test_tool_calls_in_dicts_are_tool_calls(replay: Any) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"x": "it"}'}}

    def work(state: Anew) -> dict[str, Any]:
        asked = {"role": "assistant", "content": None, "tool_calls": [call]}
        found = {"role": "tool", "tool_call_id": "c1", "content": "found it"}
        return {
            "messages": [*state["messages"], asked, found, {"role": "assistant", "content": "done", "name": "work"}]
        }

    graph = StateGraph(Anew)
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    done = ran(graph.compile(), copy.deepcopy(GIVEN), replay=replay() if replay else None)
    assert done.said == [
        ("work", "tool_call", 'look(x="it")'),
        ("work", "tool_result", "found it"),
        ("work", "message", "done"),
    ]


def test_a_dict_that_only_looks_like_a_message_is_data() -> None:
    graph = StateGraph(dict)
    graph.add_node("cast", lambda _: {"part": {"role": "king", "content": "crown", "age": 4}})
    graph.add_edge(START, "cast")
    (step,) = ran(graph.compile(), {"play": "one"}).trajectory.steps
    assert step.text == "part:\n  role: king\n  content: crown\n  age: 4"
