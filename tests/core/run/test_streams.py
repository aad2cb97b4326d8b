"""A streamed call passes through untouched unless it is served or an alteration is due."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from aegis_core.adapter import Part
from aegis_core.faults import Plan
from aegis_core.run import Interventions, Replay, Run, RunInfo
from aegis_core.run.streams import astream, stream
from aegis_core.trace.agents import ValueCodec
from tests.core.run.systems import Scripted, target

PARTS = (Part(id="prompt", text="hello"),)


class Words(ValueCodec):
    def join(self, chunks: list[str]) -> str:
        return "".join(chunks)

    def split(self, result: str) -> list[str]:
        return [word + " " for word in result.split()]


def live(texts: dict[str, str]) -> Iterator[str]:
    yield from ["one ", texts.get("prompt", "hello"), " three"]


def played(run: Run) -> list[str]:
    turn = run.begin_turn("A", ())
    chunks = list(stream(run, turn, "model", PARTS, live, Words()))
    run.end_turn(turn, ())
    return chunks


def test_chunks_pass_through_and_the_whole_is_on_the_tape() -> None:
    run = Run(RunInfo(run_id="r"))
    assert played(run) == ["one ", "hello", " three"]
    assert [e.payload for e in run.tape().entries if e.key.kind == "model"] == ["one hello three"]


def test_a_served_stream_is_cut_anew() -> None:
    first = Run(RunInfo(run_id="r"))
    played(first)
    again = Run(RunInfo(run_id="s"), replay=Replay(first.tape(), ()))
    assert played(again) == ["one ", "hello ", "three "]
    assert again.live_model_calls == 0


def test_chunks_and_whole_agree_when_altered() -> None:
    first = Run(RunInfo(run_id="r"))
    played(first)
    goal = target("A", "response_corruption", "belief")
    interventions = Interventions(Plan(targets=(goal,), seed=0), Scripted())
    run = Run(RunInfo(run_id="s"), replay=Replay(first.tape(), (goal,)), interventions=interventions)
    assert played(run) == ["one ", "hello ", "three ", "ALTERED "]


def test_an_altered_request_reaches_the_live_stream() -> None:
    goal = target("A", "prompt_injection", "ephemeral")
    run = Run(RunInfo(run_id="s"), interventions=Interventions(Plan(targets=(goal,), seed=0), Scripted()))
    assert "".join(played(run)) == "one hello ALTERED three "


def test_a_stream_that_fails_keeps_its_exception() -> None:
    def failing(texts: dict[str, str]) -> Iterator[str]:
        yield "one "
        raise ConnectionError("lost")

    run = Run(RunInfo(run_id="r"))
    turn = run.begin_turn("A", ())
    with pytest.raises(ConnectionError, match="lost"):
        list(stream(run, turn, "model", PARTS, failing, Words()))
    assert [e.error.type for e in run.tape().entries if e.error] == ["ConnectionError"]


def test_the_asynchronous_form_does_the_same() -> None:
    async def alive(texts: dict[str, str]) -> AsyncIterator[str]:
        for chunk in live(texts):
            yield chunk

    async def main(run: Run) -> list[str]:
        turn = await run.abegin_turn("A", ())
        chunks = [chunk async for chunk in astream(run, turn, "model", PARTS, alive, Words())]
        await run.aend_turn(turn, ())
        return chunks

    first = Run(RunInfo(run_id="r"))
    assert asyncio.run(main(first)) == ["one ", "hello", " three"]
    again = Run(RunInfo(run_id="s"), replay=Replay(first.tape(), ()))
    assert asyncio.run(main(again)) == ["one ", "hello ", "three "]
