"""`aegis.record`: what can be given to it, what is said in its block, and what goes on after it."""

from __future__ import annotations

import asyncio
import functools
import threading
import warnings
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

import aegis_core as aegis
from aegis_callables.adapter import CallablesAdapter
from aegis_core import store
from aegis_core.errors import AdapterError, RecorderWarning
from aegis_core.trajectory import Trajectory


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is a coroutine function as a plain one."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


@aegis.agent("Worker")
async def work(gate: asyncio.Event) -> str:
    await gate.wait()
    return await rest("the rest")


@aegis.agent("Writer")
async def rest(text: str) -> str:
    return text


@aegis.trace
async def solve(question: str) -> str:
    return question.upper()


@pytest.mark.parametrize(
    ("given", "adapter", "told"),
    [
        (None, None, "no adapter handles None: the system is missing"),
        (dict, None, "no adapter handles the class dict itself; give an instance of it"),
        (3, None, r"object of class builtins.int; known: .*callables \(plain functions"),
        (3, "callables", "the adapter 'callables' can't handle a int; give it an object of its framework"),
        (None, "callables", "the adapter 'callables' can't handle None"),
        (dict, "callables", "the adapter 'callables' can't handle the class dict itself"),
        (print, 3, "adapter=3 is neither the name of an adapter nor an instance"),
        (print, CallablesAdapter, "adapter=.*CallablesAdapter.* is neither the name of an adapter nor an instance"),
    ],
)
def test_what_can_not_be_recorded_is_an_error_that_says_what_to_give(given, adapter, told) -> None:
    for app in (given, aegis.System(given)):
        with pytest.raises(AdapterError, match=told):
            aegis.record(app, adapter=adapter)


def test_the_second_question_in_one_block_is_a_step_of_the_user_in_its_place() -> None:
    @aegis.agent("A")
    def answer(question: str) -> str:
        return f"answer to {question}"

    @aegis.trace
    def solve(question: str) -> str:
        return answer(question)

    def ask_twice() -> Trajectory:
        with aegis.record(solve) as recording:
            solve("first")
            solve("second")
        assert recording.trajectory is not None
        return recording.trajectory

    with pytest.warns(RecorderWarning, match="one run"):
        trajectory = ask_twice()
    assert trajectory.task == "first"
    said = [(step.agent, step.text) for step in trajectory.steps]
    assert said == [("A", "answer to first"), ("user", "second"), ("A", "answer to second")]


@in_a_loop
async def test_a_turn_that_goes_on_after_the_block_is_told_once_and_no_part_of_the_run(tmp_path) -> None:
    gate = asyncio.Event()

    async def leave_it_running() -> aegis.Recording:
        with aegis.record(solve, to=tmp_path / "runs.jsonl") as run:
            await solve("now")
            task = asyncio.create_task(work(gate))
            await asyncio.sleep(0)
        gate.set()
        assert await task == "the rest"
        return run

    with pytest.warns(RecorderWarning, match="Worker went on after the recording of 'solve' had ended") as told:
        run = await leave_it_running()
    assert len(told) == 1
    assert run.trajectory.steps == () and run.trajectory.final_output == "NOW"
    assert [entry.key.kind for entry in run.tape.entries] == ["input"]
    assert list(store.read(tmp_path / "runs.jsonl", Trajectory)) == [run.trajectory]


@in_a_loop
async def test_an_agent_that_is_first_called_after_the_block_is_told_once_and_not_recorded() -> None:
    gate = asyncio.Event()

    async def later() -> str:
        await gate.wait()
        return await rest("one") + await rest("two")

    with aegis.record(solve) as run:
        await solve("now")
        task = asyncio.create_task(later())
    gate.set()
    with pytest.warns(RecorderWarning, match="agent 'Writer' was called after the recording of 'solve'") as told:
        assert await task == "onetwo"
    assert len(told) == 1
    assert run.trajectory.steps == ()


@in_a_loop
async def test_the_entry_that_goes_on_after_the_block_is_told() -> None:
    gate = asyncio.Event()

    @aegis.trace
    async def slow(question: str) -> str:
        await gate.wait()
        return await rest(question)

    async def leave_it_running() -> aegis.Recording:
        with aegis.record(slow) as run:
            task = asyncio.create_task(slow("now"))
            await asyncio.sleep(0)
        gate.set()
        assert await task == "now"
        return run

    with pytest.warns(RecorderWarning, match="the entry went on after the recording of 'slow'") as told:
        run = await leave_it_running()
    assert len(told) == 1
    assert run.trajectory.task == "now"
    assert (run.trajectory.steps, run.trajectory.final_output) == ((), None)


def test_a_bound_thread_that_goes_on_after_a_traced_call_is_told() -> None:
    gate, begun, runs = threading.Event(), threading.Event(), list[Trajectory]()

    @aegis.agent("Worker")
    def wait(text: str) -> str:
        begun.set()
        gate.wait(5)
        return text

    @aegis.trace(on_run=runs.append)
    def entry(question: str) -> threading.Thread:
        thread = threading.Thread(target=aegis.bind(wait), args=(question,))
        thread.start()
        begun.wait(5)
        return thread

    with pytest.warns(RecorderWarning, match="Worker went on after the recording of 'entry'"):
        thread = entry("now")
    gate.set()
    thread.join()
    assert [run.steps for run in runs] == [()]


@in_a_loop
async def test_another_run_can_be_recorded_by_what_a_recording_left_behind() -> None:
    gate = asyncio.Event()

    async def later() -> Trajectory:
        await gate.wait()
        with aegis.record(solve) as run:
            await solve("later")
        return run.trajectory

    with aegis.record(solve):
        await solve("now")
        task = asyncio.create_task(later())
    gate.set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (await task).final_output == "LATER"


def test_what_a_tool_raises_is_told_once_with_its_call_also_if_the_agent_gets_over_it() -> None:
    @aegis.tool
    def price(item: str) -> float:
        raise ValueError(f"no price of {item}")

    @aegis.agent("Buyer")
    def buy(item: str, careful: bool) -> str:
        try:
            return str(price(item))
        except ValueError:
            if careful:
                return "not for sale"
            raise

    with aegis.record(buy) as caught:
        caught.app("bomb", True)
    with aegis.record(buy) as passed, pytest.raises(ValueError, match="no price"):
        passed.app("bomb", False)
    assert caught.trajectory is not None
    assert passed.trajectory is not None
    call, error, answer = caught.trajectory.steps
    assert (call.kind, error.kind, error.text) == ("tool_call", "error", "ValueError: no price of bomb")
    assert call.call_id == error.call_id is not None
    assert (answer.text, caught.trajectory.error) == ("not for sale", None)
    assert [step.kind for step in passed.trajectory.steps] == ["tool_call", "error"]
    assert passed.trajectory.error is not None
    assert passed.trajectory.error.agent == "Buyer"


def test_what_an_agent_returns_to_the_agent_that_called_it_is_read_by_that_one() -> None:
    @aegis.agent("Checker")
    def check(text: str) -> str:
        return f"{text} is fine"

    @aegis.agent("Boss")
    def lead(text: str) -> str:
        return f"done: {check(text)}"

    @aegis.trace
    def solve(text: str) -> str:
        return lead(text)

    with aegis.record(solve) as recording:
        solve("the draft")
    assert recording.trajectory is not None
    inner, outer = recording.trajectory.steps
    assert (inner.agent, inner.visible_to, outer.parents) == ("Checker", ("Boss",), (0,))
