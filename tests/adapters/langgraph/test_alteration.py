"""Each scope that is offered, proven by what the next model received."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from pydantic import BaseModel

from aegis_core.run.observation import observe
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, Seen
from tests.adapters.langgraph.running import ADAPTER, Appends, Build, Ran, ainvoked, altered, ran, target

ITEMS = {"question": "q", "notes": []}
WAYS = pytest.mark.parametrize("use", [None, ainvoked], ids=["sync", "async"])


def faulty(build: Any, given: Any, *targets: Any, use: Any = None, **more: Any) -> tuple[Ran, Ran, Seen]:
    """The clean run, the faulty one, and what the models saw in it."""
    clean = ran(build(), given)
    seen: Seen = []
    how = {} if use is None else {"use": use}
    done = altered(lambda: build(seen), given, clean, *targets, **how, **more)
    assert [entry.reason for entry in done.run.ledger().interventions if not entry.fired] == []
    assert done.run.void == ""
    return clean, done, seen


def observers(clean: Ran, done: Ran) -> list[str]:
    (entry,) = done.run.ledger().interventions
    found = observe(
        entry, clean=clean.trajectory, faulty=done.trajectory, clean_tape=clean.run.tape(), faulty_tape=done.run.tape()
    )
    return [str(observation.moment) for observation in found]


# -- response corruption ----------------------------------------------------------------------------------------------


@WAYS
def test_belief_others_and_the_author_see_the_altered_text(use: Any) -> None:
    clean, done, seen = faulty(graphs.there_and_back, ASK, target("a", "response_corruption", "belief"), use=use)
    assert seen == [
        ["start", "a <start> ALTERED"],
        ["start", "a <start> ALTERED", "b <a <start> ALTERED>"],
    ]
    assert done.texts[0] == "a <start> ALTERED"
    assert "b turn 1" in observers(clean, done)


@WAYS
def test_outgoing_others_see_the_altered_text_and_the_author_its_own(use: Any) -> None:
    _, done, seen = faulty(graphs.there_and_back, ASK, target("a", "response_corruption", "outgoing"), use=use)
    assert seen == [
        ["start", "a <start> ALTERED"],
        ["start", "a <start>", "b <a <start> ALTERED>"],
    ]
    assert done.texts[0] == "a <start> ALTERED"
    assert done.result["messages"][1].text == "a <start> ALTERED"


def test_outgoing_stays_altered_for_others_when_the_author_returns_all_messages() -> None:
    def build(seen: Seen | None = None) -> Any:
        speak, answer = graphs.member("a", seen), graphs.member("b", seen)
        graph = StateGraph(MessagesState)
        graph.add_node("a", lambda state: {"messages": [*state["messages"], *speak(state)["messages"]]})
        graph.add_node("b", answer)
        graph.add_edge(START, "a")
        graph.add_edge("a", "b")
        graph.add_conditional_edges(
            "b", lambda state: "a" if len(state["messages"]) < 4 else "__end__", ["a", "__end__"]
        )
        return graph.compile()

    clean, done, seen = faulty(build, ASK, target("a", "response_corruption", "outgoing"))
    assert seen[1] == ["start", "a <start>", "b <a <start> ALTERED>"]
    assert seen[2][1] == "a <start> ALTERED"
    assert [step.agent for step in clean.trajectory.steps] == ["a", "b", "a", "b"]
    assert len(done.texts) == len(clean.texts)


@pytest.mark.parametrize("scope", ["belief", "outgoing"])
@pytest.mark.case("langgraph-18")
def test_inside_a_team(scope: Any) -> None:
    clean, done, seen = faulty(graphs.teams, ASK, target("team/alice", "response_corruption", scope))
    assert all("alice <start> ALTERED" in texts for texts in seen)
    assert observers(clean, done) == ["team/sub/deep turn 1", "team/bob turn 1", "carol turn 1"]


@pytest.mark.parametrize("scope", ["belief", "outgoing"])
@pytest.mark.parametrize(
    ("build", "agent", "reader"),
    [
        (graphs.agent_and_writer, "researcher", "writer turn 1"),
        (graphs.supervised, "researcher", "supervisor turn 2"),
        (graphs.inside_function, "outer", "last turn 1"),
        (graphs.swarm, "alice", "bob turn 1"),
    ],
)
def test_last_words_of_other_kinds_of_agents(scope: Any, build: Any, agent: str, reader: str) -> None:
    clean, done, seen = faulty(build, ASK, target(agent, "response_corruption", scope))
    assert any("ALTERED" in text for texts in seen for text in texts)
    assert reader in observers(clean, done)
    changed = [(a, b) for a, b in zip(clean.texts, done.texts, strict=True) if a != b]
    assert changed[0][1] == changed[0][0] + " ALTERED"


@pytest.mark.case("langgraph-17")
def test_only_the_second_of_three_tasks_of_one_node() -> None:
    def build(_: Any = None) -> Any:
        return graphs.fan_out()

    clean = ran(build(), ITEMS)
    done = altered(build, ITEMS, clean, target("worker", "response_corruption", "belief", branch="1"))
    assert done.result["notes"] == ["note on x", "note on y ALTERED", "note on z"]
    assert done.texts[-1] == "note on x; note on y ALTERED; note on z"
    assert observers(clean, done) == ["join turn 1"]


@pytest.mark.case("langgraph-23")
def test_a_conditional_edge_follows_the_altered_text() -> None:
    def build(seen: Seen | None = None) -> Any:
        graph = StateGraph(MessagesState)
        graph.add_node("a", lambda _: {"messages": [AIMessage("go left", name="a")]})
        graph.add_node("left", graphs.member("left", seen))
        graph.add_node("right", graphs.member("right", seen))
        graph.add_edge(START, "a")
        graph.add_conditional_edges("a", lambda s: "right" if "right" in s["messages"][-1].text else "left")
        return graph.compile()

    _, done, _ = faulty(build, ASK, target("a", "response_corruption", "belief"), injector=Appends(", no: right"))
    assert [step.agent for step in done.trajectory.steps] == ["a", "right"]


@pytest.mark.parametrize(("build", "author"), [(graphs.commanding, "a"), (graphs.swarm, "alice")])
@pytest.mark.case("langgraph-19")
@pytest.mark.case("langgraph-21")
def test_a_hand_off_can_be_redirected(build: Any, author: str) -> None:
    clean = ran(build(), ASK)
    where = target(author, "response_corruption", "belief")
    done = altered(build, ASK, clean, where, injector=Appends("", route="carol"))
    assert [step.agent for step in clean.trajectory.steps] == [author, "b" if author == "a" else "bob"]
    assert [step.agent for step in done.trajectory.steps] == [author, "carol"]
    assert done.trajectory.steps[0].addressed_to == ("carol",)
    assert ADAPTER.capabilities(build()).redirect


def to_a_team(seen: Seen | None = None) -> Any:
    """a hands over to a team, whose first is x; another team begins with z, and carol is alone."""
    speak = graphs.member("a", seen)
    graph = StateGraph(MessagesState)
    graph.add_node(
        "a", lambda state: Command(update=speak(state), goto="team"), destinations=("team", "other", "carol")
    )
    graph.add_node("team", graphs.chain("x", "y", seen=seen))
    graph.add_node("other", graphs.chain("z", seen=seen))
    graph.add_node("carol", graphs.member("carol", seen))
    graph.add_edge(START, "a")
    return graph.compile()


@pytest.mark.case("langgraph-19")
def test_a_hand_off_to_a_team_is_one_to_who_acts_first_there() -> None:
    clean = ran(to_a_team(), ASK)
    assert [(step.agent, step.kind, step.addressed_to) for step in clean.trajectory.steps] == [
        ("a", "handoff", ("team/x",)),
        ("team/x", "message", ()),
        ("team/y", "message", ()),
    ]
    where = target("a", "response_corruption", "belief")
    for route in ("other/z", "carol"):
        done = altered(to_a_team, ASK, clean, where, injector=Appends("", route=route))
        assert [step.agent for step in done.trajectory.steps] == ["a", route]
        assert done.trajectory.steps[0].addressed_to == (route,)


# -- prompt injection -------------------------------------------------------------------------------------------------


@WAYS
def test_ephemeral_the_agent_sees_it_once(use: Any) -> None:
    _, done, seen = faulty(graphs.there_and_back, ASK, target("a", "prompt_injection", "ephemeral"), use=use)
    assert seen[0] == ["start ALTERED"]
    assert seen[1][0] == seen[2][0] == "start"
    assert done.result["messages"][0].text == "start"


@WAYS
def test_persistent_the_agent_goes_on_seeing_it_and_no_one_else_does(use: Any) -> None:
    _, done, seen = faulty(graphs.there_and_back, ASK, target("a", "prompt_injection", "persistent"), use=use)
    assert [texts[0] for texts in seen] == ["start ALTERED", "start", "start ALTERED"]
    assert [len(texts) for texts in seen] == [1, 2, 3]
    assert done.result["messages"][0].text == "start"


@pytest.mark.parametrize("scope", ["persistent", "ephemeral"])
def test_an_agent_that_returns_its_whole_input_does_not_hand_the_alteration_on(scope: Any) -> None:
    def build(seen: Seen | None = None) -> Any:
        speak = graphs.member("a", seen)
        graph = StateGraph(MessagesState)
        graph.add_node("a", lambda state: {"messages": [*state["messages"], *speak(state)["messages"]]})
        graph.add_node("b", graphs.member("b", seen))
        graph.add_edge(START, "a")
        graph.add_edge("a", "b")
        return graph.compile()

    clean, done, seen = faulty(build, ASK, target("a", "prompt_injection", scope))
    assert [texts[0] for texts in seen] == ["start ALTERED", "start"]
    assert [step.agent for step in clean.trajectory.steps] == ["a", "b"]
    assert len(done.texts) == 2
    assert done.result["messages"][0].text == "start"


@pytest.mark.parametrize("scope", ["persistent", "ephemeral"])
def test_an_agent_with_tools_sees_it_in_all_calls_of_its_turn(scope: Any) -> None:
    _, _, seen = faulty(graphs.agent_and_writer, ASK, target("researcher", "prompt_injection", scope))
    assert [texts[1] for texts in seen[:2]] == ["start ALTERED", "start ALTERED"]
    assert seen[2][0] == "start"


@pytest.mark.parametrize("scope", ["persistent", "ephemeral"])
def test_a_later_turn_inside_a_team_and_a_worker_of_a_supervisor(scope: Any) -> None:
    clean, done, seen = faulty(graphs.teams, ASK, target("team/bob", "prompt_injection", scope))
    assert seen[0][-1] == "deep <alice <start>> ALTERED"
    assert observers(clean, done) == ["carol turn 1"]
    clean, done, seen = faulty(graphs.supervised, ASK, target("writer", "prompt_injection", scope))
    assert any(text.endswith("ALTERED") for text in seen[0])


class Notes(TypedDict):
    question: str
    draft: str
    answer: str


class Growing(TypedDict):
    notes: Annotated[list[str], operator.add]


class Model(BaseModel):
    question: str
    draft: str = ""
    answer: str = ""


@dataclass
class Data:
    question: str
    draft: str = ""
    answer: str = ""


@pytest.mark.parametrize("schema", [Notes, Model, Data])
@pytest.mark.parametrize("scope", ["persistent", "ephemeral"])
def test_states_of_plain_keys(schema: Any, scope: Any) -> None:
    def read(state: Any, key: str) -> str:
        return str(state[key] if isinstance(state, dict) else getattr(state, key))

    def build(_: Any = None) -> Any:
        graph = StateGraph(schema)
        graph.add_node("a", lambda s: {"draft": f"on {read(s, 'question')}"})
        graph.add_node("b", lambda s: {"answer": f"{read(s, 'draft')}, {read(s, 'question')}"})
        graph.add_edge(START, "a")
        graph.add_edge("a", "b")
        return graph.compile()

    given = {"question": "q"}
    clean = ran(build(), given)
    assert clean.texts == ["on q", "on q, q"]
    where = target("a", "prompt_injection", scope)

    class First(Appends):
        async def alter(self, context: Any, target: Any, attempt: int) -> Any:
            edits = await super().alter(context, target, attempt)
            return edits.__class__(texts={"question": "q ALTERED"}, realisation="first")

    done = altered(build, given, clean, where, injector=First())
    assert done.texts == ["on q ALTERED", "on q ALTERED, q"]
    assert done.result["question"] == "q"


def test_outgoing_of_a_plain_key_is_given_back_to_its_author() -> None:
    saw: list[str] = []

    def build(_: Any = None) -> Any:
        def a(state: Notes) -> dict[str, str]:
            saw.append(state.get("draft", ""))
            return {"answer": "done"} if state.get("draft") else {"draft": "mine"}

        graph = StateGraph(Notes)
        graph.add_node("a", a)
        graph.add_node("b", lambda state: {"question": f"read {state['draft']}"})
        graph.add_edge(START, "a")
        graph.add_conditional_edges("a", lambda state: "__end__" if state.get("answer") else "b", ["b", "__end__"])
        graph.add_edge("b", "a")
        return graph.compile()

    clean = ran(build(), {"question": "q"})
    saw.clear()
    done = altered(build, {"question": "q"}, clean, target("a", "response_corruption", "outgoing"))
    assert done.texts == ["mine ALTERED", "read mine ALTERED", "done"]
    assert saw == ["mine"]
    assert done.result["draft"] == "mine ALTERED"


def test_persistent_is_refused_where_a_text_can_not_be_known_again() -> None:
    def build(_: Any = None) -> Any:
        return graphs.fan_out()

    clean = ran(build(), ITEMS)
    done = altered(build, ITEMS, clean, target("worker", "prompt_injection", "persistent", branch="1"))
    (entry,) = done.run.ledger().interventions
    assert not entry.fired
    assert "never came to this site" in entry.reason
    done = altered(build, ITEMS, clean, target("worker", "prompt_injection", "ephemeral", branch="1"))
    assert done.result["notes"][1] == "note on y ALTERED"


def test_a_state_that_only_grows_offers_no_persistent_injection() -> None:
    graph = StateGraph(Growing)
    graph.add_node("a", lambda state: {"notes": [f"{len(state['notes'])}"]})
    graph.add_edge(START, "a")
    able = ADAPTER.capabilities(graph.compile())
    assert not able.offers("prompt_injection", "persistent")
    assert able.offers("prompt_injection", "ephemeral")
    assert any("can be known again" in note for note in able.notes)


# -- the environment --------------------------------------------------------------------------------------------------


@WAYS
@pytest.mark.case("langgraph-22")
def test_the_result_of_a_tool_reaches_the_model_altered(use: Any) -> None:
    _, done, seen = faulty(
        graphs.agent_and_writer, ASK, target("researcher", "environment", "call", mode="env:tool-result"), use=use
    )
    assert [text for text in seen[1] if text.startswith("found")] == ["found p ALTERED", "found q"]
    assert [text for text in done.texts if text.startswith("found")] == ["found p ALTERED", "found q"]


# -- controls ---------------------------------------------------------------------------------------------------------

SITES = [
    ("prompt_injection", "persistent"),
    ("prompt_injection", "ephemeral"),
    ("response_corruption", "outgoing"),
    ("response_corruption", "belief"),
]


@pytest.mark.parametrize("site", SITES)
@pytest.mark.parametrize(
    ("build", "agent"),
    [
        (graphs.there_and_back, "a"),
        (graphs.teams, "team/bob"),
        (graphs.agent_and_writer, "researcher"),
        (graphs.supervised, "writer"),
    ],
)
def test_the_whole_edit_path_with_the_text_put_back_gives_the_clean_run(build: Build, agent: str, site: Any) -> None:
    clean = ran(build(), ASK)
    done = altered(build, ASK, clean, target(agent, *site), injector=Appends(""), arm="null")
    (entry,) = done.run.ledger().interventions
    assert entry.fired
    assert done.canonical[:2] == clean.canonical[:2]


@pytest.mark.parametrize("site", SITES)
def test_the_users_graph_is_not_touched(site: Any) -> None:
    graph = graphs.teams()
    before = {name: node.bound for name, node in graph.nodes.items()}
    clean = ran(graph, ASK)
    altered(lambda: graph, ASK, clean, target("team/bob", *site))
    assert {name: node.bound for name, node in graph.nodes.items()} == before
    assert ran(graph, ASK).canonical == clean.canonical


def test_targets_that_never_come_are_told() -> None:
    clean = ran(graphs.there_and_back(), ASK)
    late = target("a", "response_corruption", "belief", turn=2)
    done = altered(graphs.there_and_back, ASK, clean, late)
    assert done.texts[-1].endswith("ALTERED")
    assert done.run.live_model_calls == 0


def test_messages_of_the_caller_are_parts_by_the_user() -> None:
    graph = graphs.chain("a", "b")
    tape = ran(graph, {"messages": [HumanMessage("hello")]}).run.tape()
    (first, second) = (entry.request for entry in tape.entries if entry.key.kind == "input")
    assert [(part.id, part.role, part.author) for part in first] == [("messages[0]", "user", "user")]
    assert [(part.role, part.author) for part in second] == [("user", "user"), ("assistant", "a")]
