"""Streams that are left early: what happened is told, and nothing is left behind."""

from __future__ import annotations

import asyncio
import gc
import logging
import warnings
from typing import Any, Literal

import pytest

import aegis_core as aegis
from aegis_core.trajectory import Trajectory
from aegis_langgraph.watching.callbacks import current_watcher
from tests.adapters.langgraph import graphs
from tests.adapters.langgraph.graphs import ASK
from tests.adapters.langgraph.running import Live, ran, recorded

How = Literal["break", "close", "abreak", "aclose", "aclose elsewhere"]
HOWS = pytest.mark.parametrize("how", ["break", "close", "abreak", "aclose", "aclose elsewhere"])
MODES = pytest.mark.parametrize("mode", ["values", "updates", "messages", "tasks"])


def left_early(graph: Any, how: How, mode: Any, after: int) -> Trajectory:
    """Record a stream that is left after so many items."""

    async def alast() -> None:
        stream = graph.astream(ASK, stream_mode=mode)
        for _ in range(after):
            await stream.__anext__()
        if how == "aclose":
            await stream.aclose()
        elif how == "aclose elsewhere":
            await asyncio.create_task(stream.aclose())

    with recorded(graph) as recording:
        if how in ("break", "close"):
            stream = graph.stream(ASK, stream_mode=mode)
            for _ in range(after):
                next(stream)
            if how == "close":
                stream.close()
        else:
            asyncio.run(alast())
    return recording.trajectory


@HOWS
@MODES
@pytest.mark.parametrize("after", [1, 2])
@pytest.mark.case("langgraph-N5")
def test_what_happened_before_is_told_and_nothing_is_complained_of(
    how: How, mode: Any, after: int, caplog: pytest.LogCaptureFixture
) -> None:
    make = graphs.amember if how.startswith("a") else graphs.member
    with warnings.catch_warnings(), caplog.at_level(logging.WARNING):
        warnings.simplefilter("error")
        trajectory = left_early(graphs.chain("a", "b", "c", make=make), how, mode, after)
        gc.collect()
    assert trajectory.task == "start"
    assert trajectory.error is None
    texts = [step.text for step in trajectory.steps]
    assert texts == ["a <start>", "b <a <start>>", "c <b <a <start>>>"][: len(texts)]
    assert texts or mode != "updates"
    assert caplog.records == []
    assert current_watcher.get() is None


@HOWS
@pytest.mark.case("langgraph-N5")
def test_tool_calls_that_were_asked_for_and_not_made_are_told(how: How) -> None:
    trajectory = left_early(graphs.researcher(), how, "updates", 1)
    assert [(step.kind, step.text) for step in trajectory.steps] == [
        ("thought", "let me see"),
        ("tool_call", 'look(x="p")'),
        ("tool_call", 'look(x="q")'),
        ("tool_call", "nope()"),
    ]


@pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])
def test_a_stream_that_is_left_early_leaves_nothing_behind(replay: Any) -> None:
    def first(app: Any, given: Any) -> Any:
        stream = app.stream(given, stream_mode="updates")
        item = next(stream)
        stream.close()
        return item

    done = ran(graphs.chain("a", "b", "c"), ASK, use=first, replay=replay() if replay else None)
    assert done.texts == ["a <start>"]
    assert done.trajectory.error is None


def test_a_stream_that_is_read_on_after_the_block_adds_nothing_to_its_record() -> None:
    app = graphs.chain("a", "b", "c")
    with aegis.record(app) as run:
        stream = app.stream(ASK, stream_mode="updates")
        next(stream)
    assert run.trajectory is not None
    before = run.trajectory
    assert [step.text for step in before.steps] == ["a <start>"]
    list(stream)
    assert run.trajectory == before
