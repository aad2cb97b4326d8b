"""What users do with their agents inside the block goes as without it, whatever happens to the record."""

from __future__ import annotations

import copy
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from smolagents import MultiStepAgent, Tool

import aegis_core as aegis
from aegis_core.errors import RecorderWarning
from aegis_smolagents import attachment, frames, turns
from aegis_smolagents import calls as tapped_calls
from aegis_smolagents.messages import Requests
from aegis_smolagents.system import Group
from aegis_smolagents.twins import is_twin
from tests.adapters.smolagents.models import Scripted, Stock, agent, answer, calls, coder, says, writes
from tests.adapters.smolagents.running import TASK, ran


class Halving(Tool):
    """A tool that can be saved: it needs nothing outside."""

    name = "halving"
    description = "Halves a number."
    inputs = {"number": {"type": "integer", "description": "The number."}}  # noqa: RUF012  as smolagents wants it
    output_type = "integer"

    def forward(self, number: int) -> int:
        return number // 2


def house() -> Any:
    clerk = agent("Clerk", answer("12."), tools=[Halving()])
    return coder("Boss", writes('final_answer(Clerk("Count."))'), tools=[Halving()], team=[clerk])


def saved(app: Any, folder: Path) -> dict[str, str]:
    app.save(folder)
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_an_agent_is_described_and_saved_inside_the_block_as_without_it(tmp_path: Path) -> None:
    plain = house()
    expected = json.dumps(plain.to_dict()), saved(plain, tmp_path / "plain")
    app = house()

    with aegis.record(app):
        found = json.dumps(app.to_dict()), saved(app, tmp_path / "recorded")
        app.run(TASK)

    assert found == expected
    assert found[1]


def test_a_copy_of_an_agent_works_by_itself_and_is_not_recorded() -> None:
    app = agent("Clerk", answer("from the first"), tools=[Stock()])

    with aegis.record(app) as recording:
        other = copy.copy(app)
        other.model = Scripted(calls(("stock", {"place": "a"})), answer("from the copy"))
        assert other.run(TASK) == "from the copy"
        assert app.run(TASK) == "from the first"

    assert [step.text for step in recording.trajectory.steps] == ["from the first"]
    assert not [name for name, value in vars(other).items() if is_twin(value)]
    assert "run" not in vars(other)
    assert "__reduce_ex__" not in vars(other)
    assert not any(is_twin(tool) for tool in other.tools.values())


def test_the_tools_of_an_executor_are_its_own_again_after_the_block() -> None:
    app = house()
    with aegis.record(app):
        app.run(TASK)

    held = app.python_executor.static_tools
    assert held["halving"] is app.tools["halving"]
    assert held["Clerk"] is app.managed_agents["Clerk"]
    assert not [name for name, tool in held.items() if is_twin(tool)]


def test_a_model_put_in_place_inside_the_block_is_recorded() -> None:
    app, model = agent("Clerk", answer("old")), Scripted(answer("new"))
    with aegis.record(app) as recording:
        app.model = model
        app.run(TASK)

    assert [entry.key.kind for entry in recording.tape.entries if entry.key.kind == "model"] == ["model"]
    assert recording.trajectory.steps[-1].model == "scripted"
    assert app.model is model


def test_a_member_and_a_tool_put_in_place_inside_the_block_are_recorded() -> None:
    boss = coder("Boss", writes('print(Clerk("Count."))'), writes('print(stock("a"))'), writes('final_answer("so")'))
    clerk = agent("Clerk", answer("12."))
    with aegis.record(boss) as recording:
        boss.managed_agents["Clerk"] = clerk
        boss.tools["stock"] = Stock()
        boss.run(TASK)

    trajectory = recording.trajectory
    assert ("Boss/Clerk", "message", "12.") in [(step.agent, step.kind, step.text) for step in trajectory.steps]
    assert "Boss/Clerk" in [known.path for known in trajectory.agents]
    assert [
        entry.key.name for entry in recording.tape.entries if entry.key.kind == "tool" and entry.key.name == "stock"
    ]
    assert boss.managed_agents["Clerk"] is clerk
    assert "run" not in vars(clerk)


class Slotted:
    """What a twin can't be made of: it has no `__dict__`."""

    __slots__ = ("real",)

    def __init__(self, real: Any) -> None:
        self.real = real

    def generate(self, *args: Any, **kwargs: Any) -> Any:
        return self.real.generate(*args, **kwargs)


def test_a_model_that_cannot_be_tapped_is_told_of_once_and_the_run_goes_on() -> None:
    app = agent("Clerk", answer("old"))
    app_model = Slotted(Scripted(answer("new")))
    with aegis.record(app) as recording, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        app.model = app_model
        assert app.run(TASK) == "new"

    assert [one.category for one in told] == [RecorderWarning]
    assert "can't be tapped" in recording.run.trouble


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("the recorder is broken")


OURS: tuple[tuple[Any, str], ...] = (
    (attachment.Hold, "enter"),
    (attachment.Hold, "next_place"),
    (frames.Frame, "next_order"),
    (frames.Frame, "ordinal"),
    (frames.Frame, "step"),
    (frames.Frame, "claim"),
    (frames.Frame, "ended"),
    (frames.Frame, "at"),
    (Requests, "parts"),
    (tapped_calls, "call_text"),
    (tapped_calls, "call_data"),
    (tapped_calls, "_arguments"),
    (turns, "value_parts"),
    (turns, "plain_text"),
)


@pytest.mark.parametrize(("owner", "name"), OURS, ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.parametrize("make", ["tools", "code", "group", "stream"])
def test_where_recording_fails_the_run_goes_on_and_a_warning_says_so(
    owner: Any, name: str, make: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def system() -> tuple[Any, Callable[[Any], Any]]:
        if make == "tools":
            clerk = agent("Clerk", answer("12."))
            asks = calls(("stock", {"place": "a"}), ("Clerk", {"task": "Count."}))
            return agent("Boss", asks, answer("so"), tools=[Stock()], team=[clerk]), lambda app: app.run(TASK)
        if make == "code":
            work = (writes('print(stock("a"))\nprint(Clerk("Count."))'), writes('final_answer("so")'))
            return coder("Boss", *work, tools=[Stock()], team=[agent("Clerk", answer("12."))]), lambda app: app.run(
                TASK
            )
        if make == "group":
            member = agent("Boss", answer("so"))
            return Group(member.run, member), lambda app: app.run(TASK)
        one = agent("Boss", calls(("stock", {"place": "a"})), answer("so"), tools=[Stock()])
        return one, lambda app: list(app.run(TASK, stream=True))[-1].output

    app, use = system()
    monkeypatch.setattr(owner, name, broken)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with aegis.record(app):
            assert use(app) == "so"

    assert {one.category for one in told} <= {RecorderWarning}


def test_an_argument_that_cannot_be_compared_is_handed_on_as_it_is() -> None:
    class Odd:
        def __eq__(self, _: object) -> bool:
            raise ValueError("no truth in it")

        def __hash__(self) -> int:
            return 1

    app = coder("Coder", writes('print(stock(odd))\nfinal_answer("so")'), tools=[Stock(lambda _: "12")])

    done = ran(app, use=lambda app, task: app.run(task, additional_args={"odd": Odd()}))

    assert done.result == "so"
    assert not done.run.trouble


def test_an_interrupt_is_what_the_run_ended_by_and_the_tool_that_it_left_has_a_result() -> None:
    def interrupted(_: str) -> str:
        raise KeyboardInterrupt

    app = agent("Clerk", calls(("stock", {"place": "a"})), answer("x"), tools=[Stock(interrupted)])
    with aegis.record(app) as recording, pytest.raises(KeyboardInterrupt):
        app.run(TASK)

    trajectory = recording.trajectory
    assert trajectory.error is not None
    assert trajectory.error.type == "KeyboardInterrupt"
    assert [step.kind for step in trajectory.steps] == ["tool_call", "tool_result", "error"]


def test_the_error_of_a_call_is_not_that_of_a_later_one_that_went_well() -> None:
    app = agent("Clerk", ConnectionError("down"), answer("fine"))
    with aegis.record(app) as recording:
        with pytest.raises(Exception, match="down"):
            app.run(TASK)
        app.run(TASK, reset=False)

    assert recording.trajectory.error is None
    assert recording.trajectory.final_output == "fine"
    assert [step.kind for step in recording.trajectory.steps] == ["error", "message", "message"]


def structured(thought: str, code: str) -> Any:
    return says(json.dumps({"thought": thought, "code": code}))


def refuses(said: Any, *_: Any, **__: Any) -> bool:
    return "41" not in str(said)


IN_VAIN: dict[str, tuple[str, Callable[[], MultiStepAgent]]] = {
    "a parsing error": ("I think 42.", lambda: agent("A", says("I think 42."), answer("good"))),
    "a refused answer": ("bad 41", lambda: agent("A", answer("bad 41"), answer("good"), final_answer_checks=[refuses])),
    "a refused answer in code": (
        "bad 41",
        lambda: coder(
            "A", writes('final_answer("bad 41")'), writes('final_answer("good")'), final_answer_checks=[refuses]
        ),
    ),
    "an answer beside a call": (
        "too early",
        lambda: agent(
            "A",
            calls(("stock", {"place": "a"}), ("final_answer", {"answer": "too early"})),
            answer("good"),
            tools=[Stock()],
        ),
    ),
    "a structured thought": (
        "I wonder",
        lambda: coder("A", structured("I wonder", "final_answer('good')"), use_structured_outputs_internally=True),
    ),
    "words between pieces of code": (
        "and then",
        lambda: coder(
            "A",
            says("t\n<code>\nx=1\n</code>\nand then\n<code>\nprint(x)\n</code>"),
            writes("final_answer('good')"),
        ),
    ),
    "words behind code": (
        "Observation: none",
        lambda: coder("A", says("t\n<code>\nprint(1)\n</code>\nObservation: none"), writes("final_answer('good')")),
    ),
    "an answer in a branch not taken": (
        "never",
        lambda: coder("A", writes("if 1 > 2:\n    final_answer('never')\nelse:\n    final_answer('good')")),
    ),
}


@pytest.mark.parametrize("which", IN_VAIN)
def test_words_that_stay_in_the_memory_alone_are_thoughts(which: str) -> None:
    words, make = IN_VAIN[which]

    done = ran(make())

    assert [kind for _, kind, text in done.told if words in text and kind not in ("error", "tool_result")] == [
        "thought"
    ]
    assert done.told[-1] == ("A", "message", "good")
    assert sum(step.usage.input_tokens for step in done.steps if step.usage) == 5 * len(
        [entry for entry in done.tape.entries if entry.key.kind == "model"]
    )
