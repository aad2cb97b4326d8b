"""The decorators keep what they wrap: kind, result, exceptions, context; and record what went through."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import Any

import pytest

import aegis_core as aegis
from aegis_core.errors import AdapterError, RecordError, RecorderWarning
from aegis_core.trajectory import Trajectory


@aegis.agent("Planner")
def plan(question: str) -> str:
    return f"plan for {question}"


@aegis.agent("Solver", role="computes", tools=("add",))
async def solve(plan_text: str) -> str:
    await asyncio.sleep(0)
    return f"solved: {plan_text}"


@aegis.agent("Writer")
def write(text: str) -> Iterator[str]:
    yield text[:6]
    yield text[6:]


@aegis.agent("Critic")
async def criticise(text: str) -> AsyncIterator[str]:
    yield "fine: "
    await asyncio.sleep(0)
    yield text


@aegis.trace
def plain_system(question: str) -> str:
    return "".join(write(plan(question)))


@aegis.trace
async def async_system(question: str) -> str:
    text = await solve(plan(question))
    return "".join([piece async for piece in criticise(text)])


def said(trajectory: Trajectory) -> list[tuple[str, str]]:
    return [(step.agent, step.text) for step in trajectory.steps]


def test_each_kind_of_function_stays_of_its_kind() -> None:
    assert not inspect.iscoroutinefunction(plan)
    assert inspect.iscoroutinefunction(solve)
    assert inspect.isgeneratorfunction(write)
    assert inspect.isasyncgenfunction(criticise)
    assert inspect.signature(plan) == inspect.signature(inspect.unwrap(plan))


def test_results_are_the_same_with_and_without_recording() -> None:
    bare = plain_system("2+2")
    with aegis.record(plain_system) as run:
        assert plain_system("2+2") == bare
    assert run.trajectory.final_output == bare


def test_a_plain_run_is_recorded_turn_by_turn() -> None:
    with aegis.record(plain_system) as run:
        plain_system("2+2")
    trajectory = run.trajectory
    assert said(trajectory) == [("Planner", "plan for 2+2"), ("Writer", "plan for 2+2")]
    assert trajectory.task == "2+2"
    assert trajectory.steps[0].visible_to == ("Writer",)
    assert trajectory.steps[1].parents == (0,)
    assert [agent.path for agent in trajectory.agents] == ["Planner", "Writer"]


def test_an_asynchronous_run_is_recorded_turn_by_turn() -> None:
    async def main() -> Trajectory:
        with aegis.record(async_system) as run:
            await async_system("2+2")
        return run.trajectory

    trajectory = asyncio.run(main())
    assert said(trajectory) == [
        ("Planner", "plan for 2+2"),
        ("Solver", "solved: plan for 2+2"),
        ("Critic", "fine: solved: plan for 2+2"),
    ]
    assert trajectory.agent("Solver").role == "computes"


def test_agents_declared_are_those_that_act() -> None:
    with aegis.record(plain_system) as run:
        declared = [agent.path for agent in run.run.info.agents]
        plain_system("2+2")
    assert declared == ["Planner", "Writer"] == [agent.path for agent in run.trajectory.agents]


def test_exceptions_pass_unchanged_and_are_recorded_once() -> None:
    failure = KeyError("lost")

    @aegis.agent("Inner")
    def inner() -> str:
        raise failure

    @aegis.agent("Outer")
    def outer() -> str:
        return inner()

    @aegis.trace
    def system() -> str:
        return outer()

    with pytest.raises(KeyError) as caught, aegis.record(system) as run:
        system()
    assert caught.value is failure
    errors = [step for step in run.trajectory.steps if step.kind == "error"]
    assert [(step.agent, step.text) for step in errors] == [("Inner", "KeyError: 'lost'")]
    assert run.trajectory.error is not None
    assert (run.trajectory.error.type, run.trajectory.error.agent) == ("KeyError", "Inner")


def test_a_handled_exception_is_a_step_but_not_the_end_of_the_run() -> None:
    @aegis.agent("Shaky")
    def shaky() -> str:
        raise ValueError("no")

    @aegis.trace
    def system() -> str:
        try:
            return shaky()
        except ValueError:
            return "recovered"

    with aegis.record(system) as run:
        system()
    assert run.trajectory.error is None
    assert run.trajectory.final_output == "recovered"
    assert [step.kind for step in run.trajectory.steps] == ["error"]


def test_generators_take_sent_values_thrown_exceptions_and_keep_their_return_value() -> None:
    @aegis.agent("Echo")
    def echo() -> Any:
        got = yield "ready"
        try:
            yield f"got {got}"
        except ValueError:
            yield "caught"
        return "end"

    @aegis.trace
    def system() -> list[str]:
        generator = echo()
        items = [next(generator), generator.send("x"), generator.throw(ValueError())]
        try:
            next(generator)
        except StopIteration as stop:
            items.append(stop.value)
        return items

    with aegis.record(system) as run:
        assert system() == ["ready", "got x", "caught", "end"]
    assert said(run.trajectory) == [("Echo", "readygot xcaught")]


def test_a_stream_that_is_left_early_is_recorded_as_far_as_it_was_read() -> None:
    closed = []

    @aegis.agent("Endless")
    def endless() -> Iterator[str]:
        try:
            while True:
                yield "tick "
        finally:
            closed.append(True)

    @aegis.trace
    def system() -> str:
        stream = endless()
        first = next(stream)
        stream.close()
        return first

    with aegis.record(system) as run:
        system()
    assert closed == [True]
    assert said(run.trajectory) == [("Endless", "tick ")]


def test_an_asynchronous_stream_can_be_closed_from_another_task() -> None:
    @aegis.agent("Endless")
    async def endless() -> AsyncIterator[str]:
        while True:
            yield "tick "

    @aegis.trace
    async def system() -> str:
        stream = endless()
        first = await anext(stream)
        await asyncio.create_task(stream.aclose())
        return first

    async def main() -> Trajectory:
        with aegis.record(system) as run:
            await system()
        return run.trajectory

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert said(asyncio.run(main())) == [("Endless", "tick ")]


def test_a_generator_does_not_leak_its_turn_to_its_consumer() -> None:
    from aegis_core.trace.active import active_turn

    seen = []

    @aegis.agent("Streamer")
    def streamer() -> Iterator[str]:
        yield "a"
        yield "b"

    @aegis.trace
    def system() -> str:
        seen.extend(active_turn.get() for _ in streamer())
        return "done"

    with aegis.record(system):
        system()
    assert seen == [None, None]


def test_context_variables_of_the_user_survive() -> None:
    variable: ContextVar[str] = ContextVar("variable", default="unset")

    @aegis.agent("Setter")
    def setter() -> str:
        variable.set("set inside")
        return "ok"

    @aegis.trace
    def system() -> str:
        setter()
        return variable.get()

    bare = system()
    variable.set("unset")
    with aegis.record(system):
        assert system() == bare == "set inside"


def test_pools_and_threads_keep_the_run_through_bind() -> None:
    @aegis.agent("Worker")
    def work(item: str) -> str:
        return f"done {item}"

    def one(item: str) -> str:
        with aegis.branch(item):
            return work(item)

    @aegis.trace
    def system(items: list[str]) -> str:
        with ThreadPoolExecutor(4) as pool:
            return ",".join(pool.map(aegis.bind(one), items))

    with aegis.record(system) as run:
        system(["a", "b", "c"])
    assert sorted((step.branch, step.turn, step.text) for step in run.trajectory.steps) == [
        ("a", 1, "done a"),
        ("b", 1, "done b"),
        ("c", 1, "done c"),
    ]


@aegis.agent("Worker")
def work(item: str) -> str:
    return f"done {item}"


@aegis.tool
def look_up(item: str) -> str:
    return f"found {item}"


@aegis.model
async def complete(prompt: str) -> str:
    return f"completed {prompt}"


def _in_thread(function: Callable[[str], object], *items: str) -> None:
    for item in items:
        thread = threading.Thread(target=function, args=(item,))
        thread.start()
        thread.join()


def _in_pool(function: Callable[[str], object], *items: str) -> None:
    with ThreadPoolExecutor(1) as pool:
        list(pool.map(function, items))


@pytest.mark.parametrize("spread", [_in_thread, _in_pool])
@pytest.mark.parametrize(
    ("function", "named"),
    [
        (work, "agent 'Worker'"),
        (look_up, "tool 'look_up'"),
        (lambda item: asyncio.run(complete(item)), "model 'complete'"),
    ],
)
def test_what_a_thread_calls_outside_the_run_is_warned_of_once_by_name(
    spread: Callable[..., None], function: Callable[[str], object], named: str
) -> None:
    @aegis.trace
    def system(question: str) -> str:
        spread(function, question, "again", "and again")
        return plan(question)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with aegis.record(system) as run:
            system("x")
    assert said(run.trajectory) == [("Planner", "plan for x")], "which run it belongs to is not guessed"
    (warning,) = caught
    assert warning.category is RecorderWarning
    assert f"{named} was called in a thread" in str(warning.message)
    assert "'system'" in str(warning.message)
    assert "aegis.bind" in str(warning.message)


def test_to_thread_and_copied_contexts_keep_the_run_by_themselves() -> None:
    @aegis.trace
    async def system(question: str) -> str:
        text = await asyncio.to_thread(work, question)
        context = copy_context()
        thread = threading.Thread(target=lambda: context.run(plan, text))
        thread.start()
        thread.join()
        return text

    with aegis.record(system) as run:
        asyncio.run(system("x"))
    assert [agent for agent, _ in said(run.trajectory)] == ["Worker", "Planner"]


def test_calls_outside_any_recorded_run_are_no_cause_for_a_warning(tmp_path: Path) -> None:
    _in_pool(work, "before")

    @aegis.trace(to=tmp_path / "runs.jsonl")
    def system(question: str) -> str:
        return work(question)

    with aegis.record(plain_system):
        plain_system("x")
        _in_thread(plain_system, "a system of its own, that nobody records")
    system("y")
    _in_pool(work, "afterwards")


def test_a_thread_that_loses_a_run_that_a_decorator_records_is_warned_of(tmp_path: Path) -> None:
    @aegis.trace(to=tmp_path / "runs.jsonl")
    def system(question: str) -> str:
        _in_pool(work, question)
        return question

    with pytest.warns(RecorderWarning, match="agent 'Worker' was called in a thread"):
        system("x")


def test_a_block_in_which_nothing_was_recorded_is_warned_of() -> None:
    with pytest.warns(RecorderWarning, match=r"nothing was recorded: 'plain_system' .*aegis\.bind"):  # noqa: SIM117
        with aegis.record(plain_system):
            _in_pool(plain_system, "x")


def test_fifty_concurrent_runs_do_not_mix() -> None:
    async def one(number: int) -> tuple[int, Trajectory]:
        with aegis.record(async_system) as run:
            await async_system(f"question {number}")
        return number, run.trajectory

    async def main() -> list[tuple[int, Trajectory]]:
        return await asyncio.gather(*(one(number) for number in range(25)))

    results = asyncio.run(main())
    collected: list[tuple[int, Trajectory]] = []

    def thread(number: int) -> None:
        with aegis.record(plain_system) as run:
            plain_system(f"question {number}")
        collected.append((number, run.trajectory))

    threads = [threading.Thread(target=thread, args=(number,)) for number in range(25, 50)]
    for item in threads:
        item.start()
    for item in threads:
        item.join()
    assert len(results + collected) == 50
    for number, trajectory in results + collected:
        assert trajectory.steps
        assert all(f"question {number}" in step.text for step in trajectory.steps)


def test_trouble_of_the_recorder_is_one_warning_and_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    from aegis_core.run import Run

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise OSError("disk full")

    monkeypatch.setattr(Run, "begin_turn", broken)
    with aegis.record(plain_system) as run, pytest.warns(RecorderWarning, match="disk full"):
        assert plain_system("2+2") == "plan for 2+2"
    assert "disk full" in run.run.void


def test_without_a_run_nothing_is_recorded_and_wrong_calls_fail_as_before() -> None:
    assert plan("x") == "plan for x"
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        plan()  # type: ignore[call-arg]
    with aegis.record(plain_system), pytest.raises(TypeError, match="missing 1 required positional argument"):
        plan()  # type: ignore[call-arg]


def test_a_traced_function_writes_its_runs_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"

    @aegis.trace(to=path, name="relay")
    def system(question: str) -> str:
        if question == "boom":
            raise ValueError(question)
        return plan(question)

    system("one")
    with pytest.raises(ValueError, match="boom"):
        system("boom")
    records = [json.loads(line) for line in path.read_text().splitlines()]
    assert [record["system"] for record in records] == ["relay", "relay"]
    assert [record["final_output"] for record in records] == ["plan for one", None]
    assert records[1]["error"]["type"] == "ValueError"


def test_a_nested_entry_belongs_to_the_outer_run() -> None:
    runs: list[Trajectory] = []

    @aegis.trace(on_run=runs.append)
    def inner(question: str) -> str:
        return plan(question)

    @aegis.trace(on_run=runs.append)
    def outer(question: str) -> str:
        return inner(question)

    outer("q")
    assert [said(run) for run in runs] == [[("Planner", "plan for q")]]


def test_a_recording_can_be_used_once() -> None:
    recording = aegis.record(plain_system)
    with recording:
        plain_system("x")
    with pytest.raises(AdapterError, match="used already"), recording:
        pass


def test_structured_values_are_seen_and_kept() -> None:
    @aegis.agent("Reader")
    def read(data: dict[str, Any]) -> dict[str, Any]:
        return {"summary": f"{len(data['rows'])} rows", "n": 2, "raw": object}

    @aegis.trace
    def system() -> dict[str, Any]:
        return read({"rows": ["a", "b"], "limit": 3})

    with aegis.record(system) as run:
        result = system()
    assert result["raw"] is object
    (step,) = run.trajectory.steps
    assert step.text == "summary: 2 rows\nn: 2\nraw: <type>"
    assert [content.data for content in step.content] == [{"summary": "2 rows", "n": 2, "raw": "<type>"}]


def test_methods_of_an_object_are_agents() -> None:
    class Team:
        @aegis.agent("Planner")
        def plan(self, question: str) -> str:
            return f"plan {question}"

        @aegis.trace
        def run(self, question: str) -> str:
            return self.plan(question)

    team = Team()
    with aegis.record(team.run) as run:
        team.run("x")
    assert said(run.trajectory) == [("Planner", "plan x")]


def test_class_and_static_methods_are_agents_whichever_decorator_is_above() -> None:
    class Team:
        @aegis.agent("Planner")
        @classmethod
        def plan(cls, question: str) -> str:
            return f"{cls.__name__} plans {question}"

        @aegis.agent("Solver")
        @staticmethod
        def solve(question: str) -> str:
            return f"solved {question}"

        @classmethod
        @aegis.agent("Critic")
        def criticise(cls, text: str) -> str:
            return f"{cls.__name__} criticised: {text}"

        @aegis.agent
        @staticmethod
        def write(text: str) -> str:
            return Team.measure(text)

        @aegis.tool
        @staticmethod
        def measure(text: str) -> str:
            return f"{text} ({len(text)})"

        @aegis.trace
        @classmethod
        def run(cls, question: str) -> str:
            return cls.write(cls().criticise(cls.solve(cls.plan(question))))

    with aegis.record(Team.run) as run:
        answer = Team.run("x")
    assert answer == "Team criticised: solved Team plans x (36)" == run.trajectory.final_output
    assert [(agent, text.partition(":")[0]) for agent, text in said(run.trajectory)] == [
        ("Planner", "Team plans x"),
        ("Solver", "solved Team plans x"),
        ("Critic", "Team criticised"),
        ("write", 'measure(text="Team criticised'),
        ("write", "Team criticised"),
        ("write", "Team criticised"),
    ]
    assert run.trajectory.task == "x"


@pytest.mark.parametrize("decorator", [aegis.agent("Critic"), aegis.agent, aegis.trace, aegis.model, aegis.tool])
@pytest.mark.parametrize(
    "target", [property(lambda self: "x"), type("Team", (), {}), 7], ids=["property", "class", "int"]
)
def test_what_is_no_function_is_refused_where_it_is_decorated(decorator: Any, target: Any) -> None:
    with pytest.raises(RecordError, match=r"^@aegis\.\w+.* was given .*, and needs a function or method; put it"):
        decorator(target)


@pytest.mark.parametrize("name", ["", " ", "team/", "/critic", "a//b"])
def test_an_agent_without_a_name_is_refused_where_it_is_decorated(name: str) -> None:
    with pytest.raises(RecordError, match=r"an agent needs a name, and each team around it too; write 'name' or"):
        aegis.agent(name)


def test_a_callable_without_a_name_has_to_be_given_one() -> None:
    with pytest.raises(RecordError, match=r"has no name; give one, as in aegis\.agent\('Critic'\)"):
        aegis.agent(functools.partial(plan, "x"))


def test_tools_are_recorded_as_a_call_and_its_result() -> None:
    @aegis.tool
    def add(a: int, b: int) -> int:
        return a + b

    @aegis.agent("Solver")
    def compute(question: str) -> str:
        return f"{question} is {add(2, b=3)}"

    @aegis.trace
    def system(question: str) -> str:
        return compute(question)

    with aegis.record(system) as run:
        system("2+3")
    steps = run.trajectory.steps
    assert [(step.kind, step.text) for step in steps] == [
        ("tool_call", "add(a=2, b=3)"),
        ("tool_result", "5"),
        ("message", "2+3 is 5"),
    ]
    assert steps[0].call_id == steps[1].call_id is not None


@pytest.mark.parametrize(("result", "text"), [(5, "5"), ([2, 3], "[2, 3]"), ({"n": 1}, '{"n": 1}'), (None, "")])
def test_a_turn_whose_result_holds_no_text_is_a_step_all_the_same(result: Any, text: str) -> None:
    @aegis.agent("Calculator")
    def calculate(question: str) -> Any:
        return result

    @aegis.trace
    def system(question: str) -> Any:
        return calculate(question)

    with aegis.record(system) as run:
        assert system("2+3") == result
    assert said(run.trajectory) == [("Calculator", text)]


def test_a_second_call_in_a_recording_is_warned_of() -> None:
    def twice() -> Trajectory:
        with aegis.record(plain_system) as run:
            plain_system("first")
            plain_system("second")
        return run.trajectory

    with pytest.warns(RecorderWarning, match="2 calls of 'plain_system'") as caught:
        trajectory = twice()
    assert trajectory.task == "first"
    assert [item.filename for item in caught] == [__file__]


def test_calls_side_by_side_in_a_recording_are_warned_of() -> None:
    async def both() -> None:
        with aegis.record(async_system):
            await asyncio.gather(async_system("first"), async_system("second"))

    with pytest.warns(RecorderWarning, match="2 calls of 'async_system'"):
        asyncio.run(both())


def test_a_traced_function_inside_another_is_no_call_of_its_own() -> None:
    @aegis.trace
    def outer(question: str) -> str:
        return plain_system(question) + plain_system(question)

    with aegis.record(outer) as run:
        outer("q")
    assert run.run.separate_calls == 1


def test_a_system_says_where_its_answer_is() -> None:
    @aegis.trace
    def system(question: str) -> dict[str, Any]:
        return {"text": question, "n": 2}

    with aegis.record(aegis.System(system, output=lambda result: result["text"], name="mine")) as run:
        system("q")
    assert (run.trajectory.final_output, run.trajectory.system) == ("q", "mine")


class Answer:
    """A provider's own object."""

    text = "so"


@pytest.mark.parametrize("wrapper", [aegis.model, aegis.tool])
def test_a_result_that_has_no_plain_form_is_the_callers_all_the_same(wrapper) -> None:
    asked = wrapper(lambda text: Answer())

    @aegis.agent("Solver")
    def solve(question: str) -> str:
        return asked(question).text

    @aegis.trace
    def team(question: str) -> str:
        return solve(question)

    with pytest.warns(RecorderWarning, match="Answer can't be put on the tape"), aegis.record(team) as run:
        assert team("why") == "so"
    assert run.trajectory.steps[-1].text == "so"
    assert "can't be put on the tape" in run.run.void
