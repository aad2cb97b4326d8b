"""What is altered, how far it reaches, and what stays valid."""

from __future__ import annotations

import json
from typing import Any

import pytest
from smolagents import RunResult
from smolagents.agent_types import AgentText

from aegis_smolagents.answers import Manner, answer_parts, write_answer
from aegis_smolagents.code import answers_in, elided, with_answers
from tests.adapters.smolagents.models import Stock, agent, answer, calls, coder, fresh, says, writes
from tests.adapters.smolagents.running import ADAPTER, MARK, TASK, ran, target

ASKS = calls(("stock", {"place": "hall 27"}))
COUNT = calls(("Clerk", {"task": "Count the crates."}))
TAGS = ("<code>", "</code>")


def office(*replies: Any, **more: Any) -> tuple[Any, Any]:
    """A manager with one member that answers."""
    clerk = agent("Clerk", *(replies or (answer("Clerk says 12."),)), **more)
    return agent("Boss", COUNT, lambda text: answer("thirteen" if MARK in text else "twelve"), team=[clerk]), clerk


@pytest.mark.parametrize("scope", ["persistent", "ephemeral"])
def test_what_a_member_is_told_is_altered_for_it_alone(scope: Any) -> None:
    app, clerk = office(ASKS, answer("Clerk says 12."), tools=[Stock()])

    done = ran(app, TASK, target("Boss/Clerk", "prompt_injection", scope))

    assert done.fired
    assert [MARK in shown for shown in clerk.model.shown] == [True, scope == "persistent"]
    assert not any(MARK in shown for shown in app.model.shown)
    assert MARK not in done.trajectory.model_dump_json()


@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_what_a_member_answers_is_altered_for_its_manager(scope: Any) -> None:
    app, clerk = office()

    done = ran(app, TASK, target("Boss/Clerk", "response_corruption", scope))

    assert done.fired
    assert done.trajectory.final_output == "thirteen"
    assert f"Clerk says 12. {MARK}" in app.model.shown[1]
    assert ("Boss/Clerk", "message", f"Clerk says 12. {MARK}") in done.told
    kept = clerk.memory.steps[-1].tool_calls[0].arguments["answer"]
    assert kept == ("Clerk says 12." if scope == "outgoing" else f"Clerk says 12. {MARK}")


@pytest.mark.case("smolagents-22")
def test_an_altered_answer_in_a_full_result_is_a_full_result() -> None:
    def use(app: Any, task: str) -> Any:
        return app.run(task, return_full_result=True)

    done = ran(agent("Clerk", answer("twelve")), TASK, target("Clerk", "response_corruption", "outgoing"), use=use)

    assert isinstance(done.result, RunResult)
    assert isinstance(done.result.output, AgentText)
    assert done.result.output == f"twelve {MARK}"


@pytest.mark.case("smolagents-20")
def test_an_altered_additional_argument_is_what_the_agent_has() -> None:
    app = agent("Clerk", answer("twelve"))
    more = {"note": "hall 27 is full, and has been for as long as anybody can remember", "n": 3}

    done = ran(
        app,
        TASK,
        target("Clerk", "prompt_injection", "persistent"),
        use=lambda app, task: app.run(task, additional_args=more),
    )

    assert done.fired
    assert MARK in app.state["note"]
    assert MARK in app.model.shown[0]
    assert MARK not in more["note"]


@pytest.mark.case("smolagents-32")
def test_outgoing_is_not_done_where_a_summary_would_tell_the_original() -> None:
    app, _ = office(provide_run_summary=True)

    done = ran(app, TASK, target("Boss/Clerk", "response_corruption", "outgoing"))

    assert not done.fired
    assert done.trajectory.final_output == "twelve"
    assert any("summary" in note for note in ADAPTER.capabilities(app).notes)


def test_persistent_injection_is_not_done_where_a_summary_would_tell_the_manager() -> None:
    app, _ = office(provide_run_summary=True)

    done = ran(app, TASK, target("Boss/Clerk", "prompt_injection", "persistent"))

    assert not done.fired
    assert not any(MARK in text for text in app.model.shown)


def test_the_result_of_a_tool_is_altered_for_its_caller() -> None:
    app = agent("Clerk", ASKS, answer("twelve"), tools=[Stock()])

    done = ran(app, TASK, target("Clerk", "environment", "call"))

    assert done.fired
    assert MARK in app.model.shown[1]
    assert app.tools["stock"].asked == ["hall 27"]


@pytest.mark.case("smolagents-18")
def test_a_tool_that_code_calls_is_altered_in_the_code() -> None:
    app = coder("Clerk", writes('final_answer(stock(place="hall 27"))'), tools=[Stock()])

    done = ran(app, TASK, target("Clerk", "environment", "call"))

    assert done.result == f"12 crates in hall 27 {MARK}"


@pytest.mark.case("smolagents-18")
def test_the_answer_in_code_is_altered_and_the_code_stays_valid() -> None:
    code = "x = 'twelve'\nfinal_answer('It\\'s \"twelve\".\\nYes.')"

    done = ran(coder("Clerk", writes(code)), TASK, target("Clerk", "response_corruption", "belief"))

    assert done.fired
    assert done.result == f'It\'s "twelve".\nYes. {MARK}'
    assert done.trajectory.final_output == done.result


@pytest.mark.case("smolagents-18")
def test_an_answer_that_code_works_out_is_not_believed_otherwise() -> None:
    clean = ran(coder("Clerk", writes("final_answer(str(3 * 4))")))

    done = ran(
        coder("Clerk", writes("final_answer(str(3 * 4))")), TASK, target("Clerk", "response_corruption", "belief")
    )

    assert not done.fired
    assert "refused" in done.reasons[0]
    assert done.canonical[0].steps == clean.canonical[0].steps


@pytest.mark.case("smolagents-18")
def test_the_trajectory_does_not_hold_the_original_of_an_answer_that_left_altered() -> None:
    app = coder("Clerk", writes('final_answer("Exactly twelve crates.")'))

    done = ran(app, TASK, target("Clerk", "response_corruption", "outgoing"))

    assert done.result == f"Exactly twelve crates. {MARK}"
    assert [step.text for step in done.steps if "twelve" in step.text] == [done.result]


@pytest.mark.case("smolagents-19")
def test_an_answer_in_json_is_altered_and_the_json_stays_valid() -> None:
    tells = says('So:\n{"name": "final_answer", "arguments": {"answer": "twelve"}}')
    app = agent("Clerk", tells)

    done = ran(app, TASK, target("Clerk", "response_corruption", "belief"))

    assert done.result == f"twelve {MARK}"
    said = app.memory.steps[-1].model_output
    assert json.loads(said.partition("\n")[2])["arguments"] == {"answer": f"twelve {MARK}"}


@pytest.mark.case("smolagents-9")
def test_the_last_words_of_an_agent_out_of_steps_can_be_altered() -> None:
    def built() -> Any:
        return agent("Clerk", ASKS, says("About twelve."), tools=[Stock()], max_steps=1)

    clean = ran(built())

    done = ran(built(), TASK, target("Clerk", "response_corruption", "belief"), served=clean.tape)

    assert done.fired
    assert done.result == f"About twelve. {MARK}"


@pytest.mark.parametrize(
    ("code", "answers"),
    [
        ("final_answer('a')", ("a",)),
        ('x = 1\nif x:\n    final_answer(answer=\'é\')\nelse:\n    final_answer("""b\nc""")', ("é", "b\nc")),
        ("y = 'ü'; final_answer('a' 'b')", ("ab",)),
        ("final_answer(f'{x}')", ()),
        ("final_answer(12)", ()),
        ("print('a')", ()),
        ("final_answer('a", ()),
    ],
)
def test_answers_in_code_are_the_literals_of_final_answer(code: str, answers: tuple[str, ...]) -> None:
    assert answers_in(code) == answers

    new = {number: f"{text}'\"\n\\ü" for number, text in enumerate(answers)}
    assert answers_in(with_answers(code, new)) == tuple(new.values())
    assert with_answers(code, {}) == code
    assert answers_in(elided(code)) == ()


def test_only_the_answer_of_a_native_call_can_be_altered() -> None:
    message = calls(("stock", {"place": "a"}), ("final_answer", {"answer": "b", "more": 1}), says="I think.")

    parts = answer_parts(message, Manner())

    assert [(part.kind, part.editable, part.text) for part in parts] == [
        ("thought", False, "I think."),
        ("tool_call", False, 'stock(place="a")'),
        ("message", True, "b"),
    ]
    changed = write_answer(message, {parts[2].id: "c"}, Manner())
    assert changed.tool_calls[1].function.arguments == {"answer": "c", "more": 1}
    assert message.tool_calls[1].function.arguments == {"answer": "b", "more": 1}


def test_arguments_that_are_json_stay_json() -> None:
    message = fresh(answer("b"))
    message.tool_calls[0].function.arguments = '{"answer": "b"}'

    (part,) = answer_parts(message, Manner())

    changed = write_answer(message, {part.id: 'say "c"'}, Manner())
    assert json.loads(changed.tool_calls[0].function.arguments) == {"answer": 'say "c"'}


@pytest.mark.parametrize(
    ("text", "manner"),
    [
        ('{"thought": "t", "code": "final_answer(\'x\')"}', Manner(tags=TAGS, structured=True)),
        ("<code>\nfinal_answer('x')\n</code> and <code>\nfinal_answer('x')\n</code>", Manner(tags=TAGS)),
        ("no code", Manner(tags=TAGS)),
        ("no call", Manner()),
    ],
)
def test_what_can_not_be_altered_and_stay_valid_is_not_editable(text: str, manner: Manner) -> None:
    assert [part.editable for part in answer_parts(says(text), manner)] == [False]
