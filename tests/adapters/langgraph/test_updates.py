"""What a node writes beside messages is one step, with its data; how it is written makes no difference."""

from __future__ import annotations

import dataclasses
import operator
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command
from pydantic import BaseModel, SecretStr

from aegis_core.faults import Scope
from tests.adapters.langgraph.running import Appends, Live, Ran, altered, ran, served, target

PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])


class Report(TypedDict, total=False):
    topic: str
    claim: str
    sure: float
    count: int
    notes: Annotated[list[str], operator.add]
    sources: dict[str, Any]
    next: str
    messages: Annotated[list[AnyMessage], add_messages]


class Typed(BaseModel):
    topic: str
    claim: str = ""
    count: int = 0
    key: SecretStr = SecretStr("hunter2")


@dataclasses.dataclass
class Data:
    topic: str
    claim: str = ""
    count: int = 0


def line(*nodes: Any, schema: Any = Report) -> Any:
    """Nodes one after another."""
    graph = StateGraph(schema)
    before = START
    for number, node in enumerate(nodes):
        graph.add_node(f"n{number}", node)
        graph.add_edge(before, f"n{number}")
        before = f"n{number}"
    return graph.compile()


def told(done: Ran) -> list[tuple[str, str, Any]]:
    """(kind, text, data) of all steps."""
    return [(s.kind, s.text, s.content[0].data if s.content else None) for s in done.trajectory.steps]


FULL = {"claim": "5 boxes", "sure": 0.5, "count": 5, "notes": ["a", "b"]}
SHORT = {"claim": "5 boxes", "count": 5}
TEXT = "claim: 5 boxes\ncount: 5"


@PATHS
@pytest.mark.parametrize(
    ("update", "steps"),
    [
        (FULL, [("message", "claim: 5 boxes\nsure: 0.5\ncount: 5\nnotes:\n  - a\n  - b", FULL)]),
        (Command(update=SHORT), [("message", TEXT, SHORT)]),
        ([Command(update=SHORT), Command(update={"notes": ["a"]})], [("message", TEXT, SHORT), ("message", "a", None)]),
        ({"claim": "5 boxes"}, [("message", "5 boxes", None)]),
        ({"count": 5}, [("message", '{"count": 5}', {"count": 5})]),
        ({"sources": {"id": "1f", "page": 3, "title": "T"}}, [("message", "sources:\n  page: 3\n  title: T", ...)]),
        (
            {"messages": [("ai", "one"), ("ai", "two")], "claim": "c", "count": 1},
            [("message", "one", None), ("message", "two", None), ("message", "claim: c\ncount: 1", ...)],
        ),
        ({"next": "n0", "claim": "c"}, [("handoff", "next: n0\nclaim: c", ...)]),
        ({}, []),
        (None, []),
    ],
)
def test_an_update_is_one_step_beside_its_messages(update: Any, steps: list[Any], replay: Any) -> None:
    done = ran(line(lambda _: update), {"topic": "t"}, replay=replay() if replay else None)
    found = told(done)
    assert [step[:2] for step in found] == [step[:2] for step in steps]
    assert all(wanted[2] in (..., step[2]) for step, wanted in zip(found, steps, strict=True))


@PATHS
def test_a_hand_off_takes_its_data_along(replay: Any) -> None:
    for update in (SHORT, {"count": 5}):
        graph = line(lambda _, update=update: Command(update=update, goto="n1"), lambda _: {"claim": "d"})
        first = ran(graph, {"topic": "t"}, replay=replay() if replay else None).trajectory.steps[0]
        assert (first.kind, first.addressed_to, first.content[0].data) == ("handoff", ("n1",), update)


@PATHS
@pytest.mark.parametrize("schema", [Typed, Data])
def test_state_objects_are_told_like_dicts_and_no_secret_is(schema: Any, replay: Any) -> None:
    for node in (lambda s: schema(topic=s.topic, claim="5 boxes", count=5), lambda _: SHORT):
        done = ran(line(node, schema=schema), {"topic": "t"}, replay=replay() if replay else None)
        assert told(done) == [("message", TEXT, SHORT)]
        assert "hunter2" not in done.trajectory.model_dump_json()


@pytest.mark.parametrize(
    ("change", "step"),
    [
        (lambda s: {"claim": "new"}, ("message", "new", None)),
        (lambda s: {"notes": [*s["notes"], "more"]}, ("message", "more", None)),
        (lambda s: {"count": s["count"] + 1}, ("message", '{"count": 4}', {"count": 4})),
        (lambda s: {"claim": "new", "count": 4}, ("message", "claim: new\ncount: 4", {"claim": "new", "count": 4})),
    ],
)
def test_of_a_whole_state_returned_only_what_changed_is_told(change: Any, step: Any) -> None:
    given = {"topic": "t", "claim": "old", "count": 3, "notes": ["y"]}
    assert told(ran(line(lambda s: {**s, **change(s)}), given)) == [step]


def reporting() -> Any:
    """A node that writes data, and one that reads it."""
    return line(lambda _: FULL, lambda s: {"notes": [f"{s['claim']} and {s['notes'][-1]}"], "count": s["count"] + 1})


def test_data_is_served_as_it_was_recorded() -> None:
    clean = ran(reporting(), {"topic": "t", "notes": []})
    again = served(reporting, {"topic": "t", "notes": []}, clean)
    assert told(again) == told(clean)
    assert again.canonical == clean.canonical


@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_altered_data_is_told_as_it_was_delivered(scope: Scope) -> None:
    given = {"topic": "t", "notes": []}
    clean = ran(reporting(), given)
    done = altered(reporting, given, clean, target("n0", "response_corruption", scope), injector=Appends(" ALTERED"))
    (entry,) = done.run.ledger().interventions
    assert [change.part for change in entry.changes] == ["notes[1]"]
    first, second = done.trajectory.steps
    assert first.content[0].data == {**FULL, "notes": ["a", "b ALTERED"]}
    assert first.text.endswith("- b ALTERED")
    assert second.content[0].data == {"notes": ["5 boxes and b ALTERED"], "count": 6}
    assert second.parents == (0,)


def _in_place(state: Any) -> Any:
    state["claim"], state["count"] = "new", 4
    return state


def _in_place_object(state: Any) -> Any:
    state.claim, state.count = "new", 4
    return state


def _appended(state: Any) -> Any:
    state["messages"].append(AIMessage("said in place"))
    return state


@PATHS
@pytest.mark.parametrize(
    ("node", "schema", "given", "step"),
    [
        (_in_place, Report, {"topic": "t"}, ("message", "claim: new\ncount: 4", {"claim": "new", "count": 4})),
        (_in_place, Report, {"topic": "t", "claim": "new", "count": 3}, ("message", '{"count": 4}', {"count": 4})),
        (_in_place_object, Data, {"topic": "t"}, ("message", "claim: new\ncount: 4", {"claim": "new", "count": 4})),
        (_appended, Report, {"messages": [("user", "hi")]}, ("message", "said in place", None)),
    ],
)
def test_a_node_may_change_its_input_in_place(node: Any, schema: Any, given: Any, step: Any, replay: Any) -> None:
    build = lambda: line(node, schema=schema)  # noqa: E731
    clean = ran(build(), given, replay=replay() if replay else None)
    assert told(clean) == [step]
    assert served(build, given, clean).canonical == clean.canonical
