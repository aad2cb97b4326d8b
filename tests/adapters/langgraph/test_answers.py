"""Which text of a state without messages is the answer, and what is said where that can't be told."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from pydantic import BaseModel

import aegis_core as aegis
from aegis_core.campaign.arms import Arm, Arms
from aegis_core.campaign.checkers import check
from aegis_core.campaign.systems import load_factory, wrap
from aegis_core.campaign.tasks import Task
from aegis_core.errors import RecorderWarning
from aegis_core.faults import Outcome
from aegis_core.plugins import Plugins
from aegis_core.run import Limits
from tests.adapters.langgraph.graphs import ASK
from tests.adapters.langgraph.models import Scripted, calls, in_turn
from tests.adapters.langgraph.running import ADAPTER, Appends, Live, ran

PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])
GIVEN = {"topic": "the moon"}


class Essay(TypedDict, total=False):
    topic: str
    outline: str
    draft: str
    notes: Annotated[list[str], operator.add]
    score: float
    source: dict[str, Any]


class Verdict(BaseModel):
    why: str
    id: int


def written(*updates: Any, **options: Any) -> Any:
    """Nodes one after another, each of which returns its update, or what its function returns."""
    graph = StateGraph(Essay, **options)
    before = START
    for number, update in enumerate(updates):
        node = f"n{number}"
        graph.add_node(node, update if callable(update) else lambda _, update=update: update)
        graph.add_edge(before, node)
        before = node
    return graph.compile()


@PATHS
@pytest.mark.parametrize(
    ("updates", "answer"),
    [
        ([{"outline": "o"}, {"draft": "d"}], "d"),
        ([{"outline": "o"}, {"draft": "d"}, {"score": 0.5}], "d"),
        ([{"outline": "o"}, {"notes": ["n"]}], "n"),
        ([{"outline": "o"}, Command(update={"draft": "d"})], "d"),
        ([{"outline": "o"}, {"topic": "the moon", "outline": "o", "draft": "d"}], "d"),
        ([{"outline": "o", "draft": "d"}], None),
        ([{"outline": "o"}, {"notes": ["n", "m"]}], None),
        ([{"score": 0.5}], None),
        ([{"outline": "o"}, {"source": {"title": "T", "page": 3}}], None),
    ],
)
def test_the_answer_is_the_one_text_that_was_written_last(updates: list[Any], answer: str | None, replay: Any) -> None:
    done = ran(written(*updates), GIVEN, replay=replay() if replay else None)
    assert done.trajectory.final_output == answer
    assert bool(done.run.unanswered) == (answer is None)


def test_two_texts_written_side_by_side_are_no_answer() -> None:
    graph = StateGraph(Essay)
    graph.add_node("a", lambda _: {"outline": "o"})
    graph.add_node("b", lambda _: {"draft": "d"})
    graph.add_edge(START, "a")
    graph.add_edge(START, "b")
    assert ran(graph.compile(), GIVEN).trajectory.final_output is None


@pytest.mark.parametrize(("update", "answer"), [({"draft": "d"}, "d"), ({"score": 0.5}, "0.5")])
def test_a_graph_with_one_output_answers_with_it(update: Any, answer: str) -> None:
    (key,) = update
    schema = TypedDict("Schema", {key: Essay.__annotations__[key]})  # type: ignore[misc]
    graph = written({"outline": "o", **update}, output_schema=schema)
    assert ran(graph, GIVEN).trajectory.final_output == answer


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (96, "96"),
        ([1, 2], "[1, 2]"),
        ({"km": 3}, '{"km": 3}'),
        ("", None),
        (Verdict(why="w", id=3), '{"why": "w", "id": 3}'),
    ],
)
def test_an_obvious_key_answers_with_any_value(value: Any, answer: str | None) -> None:
    assert ADAPTER.output({"question": "q", "answer": value}) == answer


def test_an_agent_with_a_structured_response_answers_with_it() -> None:
    assert ADAPTER.output({"messages": [], "structured_response": Verdict(why="w", id=3)}) == '{"why": "w", "id": 3}'


def test_where_it_can_not_be_told_a_warning_names_the_keys_and_the_way_out() -> None:
    graph = written({"outline": "o", "draft": "d"})
    wanted = r"keys \['draft', 'notes', 'outline', 'topic'\].*aegis\.System\(app, start=.*output="
    with pytest.warns(RecorderWarning, match=wanted) as caught, aegis.record(graph, adapter=ADAPTER):
        graph.invoke(GIVEN)
    assert [item.filename for item in caught] == [__file__]


def test_the_way_out_works() -> None:
    graph = written({"outline": "o", "draft": "d"})
    system = aegis.System(graph, output=lambda result: str(result["draft"]), name="essays")
    with aegis.record(system, adapter=ADAPTER) as run:
        graph.invoke(GIVEN)
    assert (run.trajectory.final_output, run.trajectory.system) == ("d", "essays")


def test_a_way_out_that_raises_is_told() -> None:
    graph = written({"outline": "o", "draft": "d"})
    system = aegis.System(graph, output=lambda result: str(result["essay"]))
    with (
        pytest.warns(RecorderWarning, match="`output` raised KeyError: 'essay'"),
        aegis.record(system, adapter=ADAPTER) as run,
    ):
        graph.invoke(GIVEN)
    assert len(run.trajectory.steps) > 0
    assert run.run.void == ""


def test_a_run_that_waits_or_fails_is_not_asked_for_its_answer() -> None:
    def waiting(_: Essay) -> dict[str, Any]:
        return {"draft": interrupt("really?"), "outline": "o"}

    def failing(_: Essay) -> dict[str, Any]:
        raise ZeroDivisionError

    graph = StateGraph(Essay)
    graph.add_node("ask", waiting)
    graph.add_edge(START, "ask")
    app = graph.compile(checkpointer=InMemorySaver())
    with aegis.record(app, adapter=ADAPTER):
        app.invoke(GIVEN, {"configurable": {"thread_id": "1"}})
    with pytest.raises(ZeroDivisionError), aegis.record(written(failing), adapter=ADAPTER):
        written(failing).invoke(GIVEN)


def test_an_interrupted_run_answers_when_it_is_resumed() -> None:
    graph = StateGraph(Essay)
    graph.add_node("ask", lambda _: {"draft": interrupt("really?")})
    graph.add_edge(START, "ask")
    app = graph.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    with aegis.record(app, adapter=ADAPTER) as run:
        app.invoke(GIVEN, config)
        app.invoke(Command(resume="yes"), config)
    assert (run.trajectory.task, run.trajectory.final_output) == ("the moon", "yes")


def judged(update: dict[str, str]) -> Outcome:
    """What a campaign says of a clean run of a graph that writes this."""

    def build() -> Any:
        start = lambda app, task: app.invoke({"topic": task})  # noqa: E731
        return aegis.System(written({"outline": "o"}, update), start=start)

    factory = load_factory(build)
    wrapped = wrap(factory, 0, Plugins([], environ={}), ADAPTER)
    arms = Arms(
        factory=factory, wrapped=wrapped, injector=Appends(), check=check, limits=Limits(), seed=0, digest="digest"
    )
    task = Task(task_id="t", text="How many?", answer="96", checker="numeric")
    outcome = arms.make(Arm(task, "clean")).outcome
    assert outcome is not None
    return outcome


def test_a_campaign_takes_the_text_that_was_written_last() -> None:
    assert judged({"draft": "It is 96."}).right


def test_a_campaign_that_can_not_tell_the_answer_says_what_to_do() -> None:
    outcome = judged({"draft": "It is 96.", "outline": "another"})
    assert outcome.failure == "no_answer"
    assert "aegis.System(app, start=" in outcome.detail


def test_the_result_of_a_tool_that_returns_directly_is_the_answer() -> None:
    @tool(return_direct=True)
    def direct(x: str) -> str:
        """Look something up."""
        return f"direct {x}"

    agent = create_agent(Scripted(answer=in_turn(calls("direct", x="it"))), [direct])
    assert ran(agent, ASK).trajectory.final_output == "direct it"
