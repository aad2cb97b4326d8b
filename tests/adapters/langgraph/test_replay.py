"""Prefix replay: nothing is called before the target, and what differs from the tape is told."""

from __future__ import annotations

import itertools
from datetime import UTC
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph

from aegis_core.errors import ReplayDrift
from aegis_core.run import Replay
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK, Seen, member
from tests.adapters.langgraph.running import Appends, ainvoked, altered, invoked, ran, served, target


@pytest.mark.parametrize(
    ("build", "where", "live"),
    [
        (graphs.teams, target("carol", "response_corruption", "belief"), 0),
        (graphs.teams, target("carol", "prompt_injection", "ephemeral"), 1),
        (graphs.teams, target("team/bob", "response_corruption", "belief"), 1),
        (graphs.teams, target("team/alice", "prompt_injection", "ephemeral"), 4),
        (graphs.supervised, target("writer", "response_corruption", "outgoing"), 1),
        (graphs.agent_and_writer, target("writer", "prompt_injection", "persistent"), 1),
        (graphs.there_and_back, target("a", "prompt_injection", "persistent", turn=2), 1),
    ],
)
def test_no_model_is_called_before_the_target(build: Any, where: Any, live: int) -> None:
    clean = ran(build(), ASK)
    seen: Seen = []
    done = altered(lambda: build(seen), ASK, clean, where)
    assert done.run.live_model_calls == live == len(seen)
    prefix = clean.trajectory.turn(where.moment.agent, where.moment.turn)[0].index
    assert done.canonical[0].steps[:prefix] == clean.canonical[0].steps[:prefix]


@pytest.mark.parametrize("use", [invoked, ainvoked])
def test_another_input_is_a_drift_that_leaves_the_graph(use: Any) -> None:
    clean = ran(graphs.chain("a", "b"), ASK)
    replay = Replay(clean.canonical[1], (target("b", "response_corruption", "belief"),), "node")

    def use_it(app: Any, given: Any) -> Any:
        with pytest.raises(ReplayDrift, match="sees another input"):
            use(app, given)

    done = ran(graphs.chain("a", "b"), {"messages": [("user", "something else")]}, replay=replay, use=use_it)
    assert "sees another input" in done.run.void


def test_another_speaker_is_a_drift() -> None:
    clean = ran(graphs.chain("a", "b"), ASK)
    replay = Replay(clean.canonical[1], (), "node")
    with pytest.raises(ReplayDrift, match="c turn 1 is not on the tape"):
        ran(graphs.chain("a", "c"), ASK, replay=replay)


def test_a_drift_is_flagged_though_the_node_swallows_it() -> None:
    answers = itertools.count()

    def build() -> Any:
        inner = graphs.chain("inner")

        def stubborn(state: MessagesState) -> dict[str, Any]:
            try:
                inner.invoke({"messages": [("user", f"{state['messages'][-1].text} {next(answers)}")]})
            except Exception:
                return {"messages": [AIMessage("never mind")]}
            return {"messages": [AIMessage("fine")]}

        graph = StateGraph(MessagesState)
        graph.add_node("stubborn", stubborn)
        graph.add_node("b", member("b"))
        graph.add_edge(START, "stubborn")
        graph.add_edge("stubborn", "b")
        return graph.compile()

    clean = ran(build(), ASK)
    where = target("b", "response_corruption", "belief")
    replay = Replay(clean.canonical[1], (where,), "call")  # so that the function runs again
    with pytest.raises(ReplayDrift):
        ran(build(), ASK, replay=replay)
    assert "another input" in replay.drift


def test_random_ids_and_times_in_texts_are_no_drift() -> None:
    import uuid
    from datetime import datetime

    def build() -> Any:
        def stamp(_: MessagesState) -> dict[str, Any]:
            return {"messages": [AIMessage(f"case {uuid.uuid4()} at {datetime.now(UTC).isoformat()}")]}

        graph = StateGraph(MessagesState)
        graph.add_node("stamp", stamp)
        graph.add_node("b", member("b"))
        graph.add_edge(START, "stamp")
        graph.add_edge("stamp", "b")
        return graph.compile()

    clean = ran(build(), ASK)
    assert served(build, ASK, clean, level="call").run.void == ""


def test_a_tape_survives_its_file() -> None:
    from aegis_core.run import Tape

    for build in (graphs.swarm, graphs.supervised, graphs.agent_and_writer, graphs.commanding):
        clean = ran(build(), ASK)
        tape = Tape.model_validate_json(clean.canonical[1].model_dump_json())
        again = ran(build(), ASK, replay=Replay(tape, (), "node"))
        assert again.canonical == clean.canonical


def test_a_served_result_is_fresh_each_time() -> None:
    clean = ran(graphs.chain("a", "b"), ASK)
    first, second = (served(lambda: graphs.chain("a", "b"), ASK, clean).result["messages"][1] for _ in range(2))
    assert first == second
    assert first is not second


def test_two_targets_in_one_run() -> None:
    clean = ran(graphs.teams(), ASK)
    seen: Seen = []
    done = altered(
        lambda: graphs.teams(seen),
        ASK,
        clean,
        target("team/alice", "response_corruption", "belief"),
        target("team/bob", "prompt_injection", "ephemeral"),
    )
    assert [entry.fired for entry in done.run.ledger().interventions] == [True, True]
    assert seen[1][-1] == "deep <alice <start> ALTERED> ALTERED"


def test_a_live_run_can_be_altered_without_a_tape() -> None:
    from aegis_core.faults import Plan
    from aegis_core.run import Interventions

    plan = Plan(targets=(target("a", "response_corruption", "belief"),), seed=1)
    done = ran(graphs.chain("a", "b"), ASK, interventions=Interventions(plan, Appends()))
    assert done.texts == ["a <start> ALTERED", "b <a <start> ALTERED>"]
