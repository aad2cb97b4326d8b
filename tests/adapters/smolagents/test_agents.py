"""One agent: what it does in a turn, as steps."""

from __future__ import annotations

from typing import Any

import pytest
from PIL import Image
from smolagents import FinalAnswerTool, PlanningStep, RunResult, Tool
from smolagents.utils import AgentError

import aegis_core as aegis
from aegis_core.errors import RecorderWarning
from tests.adapters.smolagents.models import Scripted, Stock, agent, answer, calls, coder, says, writes
from tests.adapters.smolagents.running import TASK, ran

ASKS = calls(("stock", {"place": "hall 27"}))


@pytest.mark.case("smolagents-1")
def test_an_agent_with_a_tool_has_one_turn_with_call_result_and_answer() -> None:
    done = ran(agent("Clerk", ASKS, answer("twelve", (9, 4)), tools=[Stock()]))

    assert done.told == [
        ("Clerk", "tool_call", 'stock(place="hall 27")'),
        ("Clerk", "tool_result", "12 crates in hall 27"),
        ("Clerk", "message", "twelve"),
    ]
    call, result, message = done.steps
    assert call.call_id == result.call_id == "stock_1"
    assert result.parents == (call.index,)
    assert {step.turn for step in done.steps} == {1}
    assert message.usage is not None
    assert (message.usage.input_tokens, message.usage.output_tokens) == (14, 7)
    assert message.model == "scripted"
    assert (done.trajectory.task, done.trajectory.final_output) == (TASK, "twelve")


def test_words_beside_a_call_are_a_thought() -> None:
    asks = calls(("stock", {"place": "hall 27"}), says="I had better look.")

    done = ran(agent("Clerk", asks, answer("twelve"), tools=[Stock()]))

    assert done.told[0] == ("Clerk", "thought", "I had better look.")


@pytest.mark.case("smolagents-2")
def test_code_is_a_call_of_the_interpreter_and_what_it_shows_is_the_result() -> None:
    done = ran(coder("Coder", writes("x = 6 * 7\nprint(x)"), writes('final_answer("It is 42.")', "Thought: done.")))

    assert done.told == [
        ("Coder", "thought", "Thought: let me see."),
        ("Coder", "tool_call", "x = 6 * 7\nprint(x)"),
        ("Coder", "tool_result", "Execution logs:\n42\nLast output from code snippet:\nNone"),
        ("Coder", "thought", "Thought: done."),
        ("Coder", "tool_call", "final_answer(...)"),
        ("Coder", "tool_result", "Execution logs:"),
        ("Coder", "message", "It is 42."),
    ]
    asked = [step for step in done.steps if step.kind == "tool_call"]
    assert [step.content[0].data["name"] for step in asked] == ["python_interpreter"] * 2
    assert len({step.call_id for step in asked}) == 2


@pytest.mark.case("smolagents-1331")
@pytest.mark.case("smolagents-1636")
def test_the_model_calls_of_a_code_agent_are_on_the_tape() -> None:
    done = ran(coder("Coder", writes("x = 1"), writes('final_answer("1")')))

    assert [entry.key.call for entry in done.tape.entries if entry.key.kind == "model"] == [1, 2]


def test_code_that_fails_tells_what_went_wrong_and_the_agent_goes_on() -> None:
    done = ran(coder("Coder", writes("print(7)\nx = 1 / 0"), writes('final_answer("none")')))

    code, result = done.told[1:3]
    assert code[1] == "tool_call"
    assert result[1] == "tool_result"
    assert "Execution logs:\n7" in result[2]
    assert "ZeroDivisionError" in result[2]
    assert done.trajectory.final_output == "none"
    assert "error" not in [step.kind for step in done.steps]


def test_what_is_no_code_is_an_error_of_the_agent() -> None:
    done = ran(coder("Coder", says("I don't know."), writes('final_answer("none")')))

    assert done.told[0] == ("Coder", "thought", "I don't know.")
    assert done.kinds[1] == ("Coder", "error")
    assert done.steps[1].content[0].data == {"error": "AgentParsingError"}
    assert "code" in done.told[1][2]
    assert done.trajectory.error is None


@pytest.mark.case("smolagents-6")
@pytest.mark.case("smolagents-1499")
@pytest.mark.parametrize("make", [agent, coder])
def test_plans_are_steps_of_kind_plan(make: Any) -> None:
    works = (ASKS, answer("done")) if make is agent else (writes("x = 1"), writes('final_answer("done")'))
    seen: list[PlanningStep] = []
    app = make("Clerk", says("First look."), works[0], says("Then tell."), works[1], tools=[Stock()])
    app.planning_interval = 1
    app.step_callbacks.register(PlanningStep, seen.append)

    done = ran(app)

    assert [text for _, kind, text in done.told if kind == "plan"] == ["First look.", "Then tell."]
    assert len(seen) == 2
    assert done.trajectory.final_output == "done"
    assert [step.turn for step in done.steps] == [1] * len(done.steps)


class Shouting(FinalAnswerTool):
    """A final answer that is worked on."""

    def __init__(self) -> None:
        super().__init__()
        self.used = 0

    def forward(self, answer: Any) -> Any:
        self.used += 1
        return str(answer).upper()


@pytest.mark.case("smolagents-7")
def test_the_final_answer_is_a_message_and_no_tool_call() -> None:
    done = ran(agent("Clerk", answer("twelve")))

    assert done.told == [("Clerk", "message", "twelve")]


@pytest.mark.case("smolagents-7")
def test_a_final_answer_tool_of_the_user_is_used_and_its_words_are_the_answer() -> None:
    tool = Shouting()

    done = ran(agent("Clerk", answer("twelve"), tools=[tool]))

    assert done.told == [("Clerk", "message", "TWELVE")]
    assert tool.used == 1


@pytest.mark.case("smolagents-8")
def test_a_tool_that_fails_gives_a_result_that_says_so() -> None:
    def fails(place: str) -> str:
        raise LookupError(f"no {place}")

    done = ran(agent("Clerk", ASKS, answer("unknown"), tools=[Stock(fails)]))

    assert done.kinds == [("Clerk", "tool_call"), ("Clerk", "tool_result"), ("Clerk", "message")]
    result = done.steps[1]
    assert "LookupError: no hall 27" in result.text
    assert result.content[0].data == {"error": True}
    assert done.trajectory.error is None


@pytest.mark.case("smolagents-9")
def test_an_agent_out_of_steps_answers_all_the_same_and_the_run_has_no_end() -> None:
    app = agent("Clerk", ASKS, ASKS, says("About twelve."), tools=[Stock()], max_steps=2)

    done = ran(app)

    assert done.result == "About twelve."
    assert done.told[-2:] == [
        ("Clerk", "error", "Reached max steps."),
        ("Clerk", "message", "About twelve."),
    ]
    assert done.run.limit_reached == "Reached max steps."
    assert done.trajectory.error is None


@pytest.mark.case("smolagents-2686")
def test_an_answer_that_a_check_refuses_is_an_error_and_the_agent_goes_on() -> None:
    app = agent("Clerk", answer("bad"), answer("good"), final_answer_checks=[lambda said, *_, **__: said == "good"])

    done = ran(app)

    assert done.kinds == [("Clerk", "thought"), ("Clerk", "error"), ("Clerk", "message")]
    assert "bad" in done.told[0][2]
    assert "Check" in done.told[1][2]
    assert done.trajectory.final_output == "good"


@pytest.mark.case("smolagents-12")
def test_a_run_that_goes_on_with_an_earlier_one_belongs_to_it() -> None:
    app = agent("Clerk", answer("twelve"), answer("thirteen"))

    with aegis.record(app) as recording:
        app.run("How many?")
        app.run("And now?", reset=False)

    steps = recording.trajectory.steps
    assert [(step.turn, step.text) for step in steps if step.agent == "Clerk"] == [(1, "twelve"), (2, "thirteen")]
    assert "twelve" in app.model.shown[1]
    assert recording.trajectory.final_output == "thirteen"


def test_a_run_that_begins_anew_is_warned_of() -> None:
    app = agent("Clerk", answer("twelve"))

    def twice() -> None:
        with aegis.record(app):
            app.run("How many?")
            app.run("How many now?")

    with pytest.warns(RecorderWarning, match="2 calls"):
        twice()


@pytest.mark.case("smolagents-14")
def test_models_of_the_users_own_classes_are_recorded_once_a_call() -> None:
    class Own(Scripted):
        def generate(self, messages: Any, **kwargs: Any) -> Any:
            return super().generate(messages, **kwargs)

    class Kept(Own):
        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            return self.generate(*args, **kwargs)

    model = Kept(answer("twelve"))

    done = ran(agent("Clerk", model=model))

    assert [entry.key.kind for entry in done.tape.entries] == ["input", "model", "output"]
    assert len(model.shown) == 1


@pytest.mark.case("smolagents-14")
def test_a_method_that_the_user_put_on_the_model_itself_is_called_and_recorded() -> None:
    model = Scripted(answer("twelve"))
    real, seen = model.generate, []
    model.generate = lambda *args, **kwargs: (seen.append(1), real(*args, **kwargs))[1]  # type: ignore[method-assign]

    done = ran(agent("Clerk", model=model))

    assert seen == [1]
    assert [entry.key.kind for entry in done.tape.entries] == ["input", "model", "output"]


@pytest.mark.case("smolagents-14")
def test_state_that_a_model_keeps_is_the_users_models() -> None:
    class Counting(Scripted):
        n_calls = 0

        def generate(self, *args: Any, **kwargs: Any) -> Any:
            self.n_calls += 1
            return super().generate(*args, **kwargs)

    model = Counting(answer("twelve"))
    app = agent("Clerk", model=model)

    with aegis.record(app):
        assert isinstance(app.model, Counting)
        app.run(TASK)
        assert app.model.n_calls == 1

    assert model.n_calls == 1
    assert app.model is model


@pytest.mark.case("smolagents-15")
def test_callbacks_of_the_user_are_called_and_what_they_change_is_what_the_model_is_shown() -> None:
    def changes(step: Any, agent: Any) -> None:
        step.observations = (step.observations or "") + " [seen]"

    app = agent("Clerk", ASKS, answer("twelve"), tools=[Stock()], step_callbacks=[changes])
    plain = agent("Clerk", ASKS, answer("twelve"), tools=[Stock()], step_callbacks=[changes])
    plain.run(TASK)

    done = ran(app)

    assert app.model.shown == plain.model.shown
    assert "12 crates in hall 27 [seen]" in app.model.shown[1]
    second = [entry for entry in done.tape.entries if entry.key.kind == "model"][1]
    assert any("[seen]" in part.text for part in second.request)


@pytest.mark.case("smolagents-16")
def test_an_interrupted_agent_raises_what_it_raises_and_it_is_recorded_once() -> None:
    app = agent("Clerk", ASKS, answer("twelve"), tools=[Stock(lambda _: app.interrupt() or "12")])

    done = ran(app)

    assert type(done.error) is AgentError
    assert str(done.error) == "Agent interrupted."
    assert [kind for _, kind in done.kinds] == ["tool_call", "tool_result", "error"]
    assert done.trajectory.error is not None
    assert (done.trajectory.error.type, done.trajectory.error.agent) == ("AgentError", "Clerk")


@pytest.mark.case("smolagents-19")
def test_calls_that_a_model_writes_as_json_are_calls() -> None:
    asks = says('I look.\n{"name": "stock", "arguments": {"place": "hall 27"}}')
    tells = says('{"name": "final_answer", "arguments": {"answer": "twelve"}}')

    done = ran(agent("Clerk", asks, tells, tools=[Stock()]))

    assert done.told == [
        ("Clerk", "thought", "I look."),
        ("Clerk", "tool_call", 'stock(place="hall 27")'),
        ("Clerk", "tool_result", "12 crates in hall 27"),
        ("Clerk", "message", "twelve"),
    ]


@pytest.mark.case("smolagents-20")
def test_additional_arguments_are_what_the_agent_is_told() -> None:
    app = agent("Clerk", answer("twelve"))

    done = ran(app, use=lambda app, task: app.run(task, additional_args={"note": "hall 27 is full", "n": 3}))

    given = done.tape.entries[0].request
    assert [(part.id, part.text) for part in given] == [
        ("task", TASK),
        ("additional_args['note']", "hall 27 is full"),
    ]
    assert "hall 27 is full" in app.model.shown[0]


@pytest.mark.case("smolagents-21")
def test_images_are_told_of_and_not_kept() -> None:
    app = agent("Clerk", answer("twelve"))
    image = Image.new("RGB", (3, 2))

    done = ran(app, use=lambda app, task: app.run(task, images=[image]))

    (model,) = [entry for entry in done.tape.entries if entry.key.kind == "model"]
    assert {"type": "image", "size": [3, 2]} in [part.data for part in model.request]


@pytest.mark.case("smolagents-22")
def test_a_full_result_is_handed_on_and_its_output_is_the_answer() -> None:
    app = agent("Clerk", answer("twelve"))

    done = ran(app, use=lambda app, task: app.run(task, return_full_result=True))

    assert isinstance(done.result, RunResult)
    assert (done.result.output, done.trajectory.final_output) == ("twelve", "twelve")


@pytest.mark.case("smolagents-30")
@pytest.mark.parametrize(("value", "text"), [(42, "42"), ({"crates": 12}, "crates: 12"), (None, "")])
def test_answers_that_are_no_text_are_kept_as_data(value: Any, text: str) -> None:
    done = ran(agent("Clerk", answer(value)))

    assert done.result == value
    assert done.steps[-1].kind == "message"
    assert text in done.steps[-1].text or value == {"crates": 12}


@pytest.mark.case("smolagents-31")
def test_a_tool_that_is_not_there_and_arguments_that_do_not_fit_are_told_as_results() -> None:
    asks = calls(("shelf", {"place": "hall 27"}))
    wrong = calls(("stock", {"hall": "hall 27"}))

    app = agent("Clerk", asks, wrong, answer("unknown"), tools=[Stock()])

    done = ran(app)

    results = [text for _, kind, text in done.told if kind == "tool_result"]
    assert len(results) == 2
    assert "Unknown tool shelf" in results[0]
    assert "hall" in results[1]
    assert all(result in shown for result, shown in zip(results, app.model.shown[1:], strict=True))


@pytest.mark.case("smolagents-1481")
def test_two_final_answers_at_once_are_an_error_and_no_answer() -> None:
    both = calls(("final_answer", {"answer": "a"}, "1"), ("final_answer", {"answer": "b"}, "2"))

    done = ran(agent("Clerk", both, answer("c")))

    assert done.kinds == [("Clerk", kind) for kind in ("thought", "thought", "error", "message")]
    assert done.trajectory.final_output == "c"


@pytest.mark.case("smolagents-2683")
def test_calls_without_an_id_are_told_apart() -> None:
    asks = calls(("stock", {"place": "a"}, ""), ("stock", {"place": "b"}, ""))
    plain = agent("Clerk", asks, answer("done"), tools=[Stock()])
    plain.run(TASK)
    app = agent("Clerk", asks, answer("done"), tools=[Stock()])

    done = ran(app)

    assert app.tools["stock"].asked == plain.tools["stock"].asked == ["b"]  # smolagents forgets the first
    told = [(step.kind, step.call_id) for step in done.steps if step.call_id]
    assert [kind for kind, _ in told] == ["tool_call", "tool_call", "tool_result"]
    assert told[1][1] == told[2][1] != told[0][1]


@pytest.mark.case("smolagents-29")
def test_calls_of_one_tool_side_by_side_are_numbered_as_they_were_asked_for() -> None:
    import time

    def slow(place: str) -> str:
        time.sleep(0.05 if place == "a" else 0)
        return f"12 in {place}"

    asks = calls(("stock", {"place": "a"}, "x"), ("stock", {"place": "b"}, "y"))

    done = ran(agent("Clerk", asks, answer("done"), tools=[Stock(slow)]))

    assert [step.text for step in done.steps if step.kind == "tool_result"] == ["12 in a", "12 in b"]
    used = [(e.key.call, e.request[0].text) for e in done.tape.entries if e.key.kind == "tool"]
    assert used == [(1, 'stock(place="a")'), (2, 'stock(place="b")')]


def test_a_tool_that_is_called_outside_a_run_is_itself() -> None:
    class Doubling(Tool):
        name = "double"
        description = "Doubles."
        inputs = {"n": {"type": "integer", "description": "n"}}  # noqa: RUF012  as smolagents wants it
        output_type = "integer"

        def forward(self, n: int) -> int:
            return 2 * n

    app = agent("Clerk", answer("x"), tools=[Doubling()])

    recording = aegis.record(app)
    with recording:
        assert app.tools["double"](n=4) == 8
        app.run(TASK)

    assert [step.kind for step in recording.trajectory.steps] == ["message"]


def test_a_follow_up_task_is_a_message_of_the_user_and_the_first_is_none() -> None:
    app = agent("Clerk", answer("one"), answer("two"))
    with aegis.record(app) as recording:
        app.run("First question.")
        app.run("And the second?", reset=False)

    steps = recording.trajectory.steps
    assert [(step.agent, step.kind, step.text) for step in steps] == [
        ("Clerk", "message", "one"),
        ("user", "message", "And the second?"),
        ("Clerk", "message", "two"),
    ]
    assert steps[1].addressed_to == ("Clerk",)
    assert 1 in steps[2].parents
    assert recording.trajectory.task == "First question."
