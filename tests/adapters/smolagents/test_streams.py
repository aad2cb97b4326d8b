"""Streams: of a run (`stream=True`), and of what models say (`stream_outputs=True`)."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from smolagents import ActionStep, FinalAnswerStep, ToolOutput
from smolagents.models import ChatMessageStreamDelta

import aegis_core as aegis
from tests.adapters.smolagents.models import Stock, Streaming, agent, answer, calls, coder, says, writes
from tests.adapters.smolagents.running import MARK, TASK, ran, target

ASKS = calls(("stock", {"place": "hall 27"}))


def streamed(app: Any, task: str) -> list[Any]:
    return list(app.run(task, stream=True))


def clerk(**more: Any) -> Any:
    return agent("Clerk", ASKS, answer("twelve"), tools=[Stock()], **more)


@pytest.mark.case("smolagents-10")
@pytest.mark.case("smolagents-1322")
def test_a_streamed_run_is_recorded_as_one_that_is_not() -> None:
    whole, pieces = ran(clerk()), ran(clerk(), use=streamed)

    assert pieces.told == whole.told
    assert pieces.canonical[:2] == whole.canonical[:2]
    assert pieces.trajectory.final_output == "twelve"
    assert isinstance(pieces.result[-1], FinalAnswerStep)


def test_a_stream_gives_the_events_that_it_gives_unrecorded() -> None:
    plain, recorded = list(clerk().run(TASK, stream=True)), ran(clerk(), use=streamed).result

    assert [type(event) for event in recorded] == [type(event) for event in plain]
    assert recorded[-1] == plain[-1]


@pytest.mark.case("smolagents-11")
@pytest.mark.case("smolagents-3412")
@pytest.mark.parametrize("make", [agent, coder])
def test_what_a_model_says_in_pieces_is_one_call(make: Any) -> None:
    replies = (ASKS, answer("twelve")) if make is agent else (writes("x = 1"), writes('final_answer("twelve")'))

    def built(**more: Any) -> Any:
        return make("Clerk", model=Streaming(*replies), tools=[Stock()], **more)

    whole, pieces = ran(built()), ran(built(stream_outputs=True))

    assert pieces.told == whole.told
    keys = [entry.key for entry in pieces.tape.entries if entry.key.kind == "model"]
    assert keys == [entry.key for entry in whole.tape.entries if entry.key.kind == "model"]
    assert len(keys) == 2


@pytest.mark.case("smolagents-1488")
def test_tokens_that_each_piece_tells_again_are_counted_once() -> None:
    app = coder("Clerk", model=Streaming(writes('final_answer("twelve")')), stream_outputs=True)

    done = ran(app)

    usage = done.steps[-1].usage
    assert usage is not None
    assert usage.input_tokens == 7
    assert app.memory.steps[-1].token_usage.input_tokens > 7  # what smolagents makes of it, which is left alone


def test_pieces_pass_while_they_are_only_recorded() -> None:
    app = coder("Clerk", model=Streaming(writes('final_answer("twelve")')), stream_outputs=True)
    seen: list[str] = []

    with aegis.record(app):
        for event in app.run(TASK, stream=True):
            if isinstance(event, ChatMessageStreamDelta):
                seen.append(event.content or "")

    assert "".join(seen) == 'Thought: let me see.\n<code>\nfinal_answer("twelve")\n</code>'
    assert len(seen) > 5


@pytest.mark.case("smolagents-11")
@pytest.mark.parametrize("make", [agent, coder])
def test_an_altered_stream_is_altered_in_pieces_and_whole(make: Any) -> None:
    reply = answer("twelve") if make is agent else writes('final_answer("twelve")')
    app = make("Clerk", model=Streaming(reply), stream_outputs=True)

    done = ran(app, TASK, target("Clerk", "response_corruption", "belief"), use=streamed)

    assert done.fired
    assert done.result[-1].output == f"twelve {MARK}"
    assert done.trajectory.final_output == f"twelve {MARK}"
    pieces = [event for event in done.result if isinstance(event, ChatMessageStreamDelta)]
    said = "".join(event.content or "" for event in pieces)
    given = "".join(call.function.arguments for event in pieces for call in event.tool_calls or ())
    assert MARK in said + given


def test_a_streamed_run_is_served_in_pieces() -> None:
    def built() -> Any:
        return agent("Clerk", model=Streaming(ASKS, answer("twelve")), tools=[Stock()], stream_outputs=True)

    clean, app = ran(built(), use=streamed), built()

    done = ran(app, served=clean.tape, use=streamed)

    assert not done.run.void
    assert done.error is None
    assert app.model.shown == []
    assert app.tools["stock"].asked == []
    assert done.told == clean.told


def test_an_altered_answer_is_in_the_last_event() -> None:
    done = ran(clerk(), TASK, target("Clerk", "response_corruption", "outgoing"), use=streamed)

    assert done.result[-1].output == f"twelve {MARK}"


@pytest.mark.case("smolagents-2703")
def test_a_stream_that_is_left_early_leaves_nothing_behind() -> None:
    app = clerk()

    with aegis.record(app) as recording:
        events = app.run(TASK, stream=True)
        while not isinstance(next(events), ToolOutput):
            pass
        with pytest.raises(RuntimeError, match="ignored GeneratorExit"):  # as smolagents does it unrecorded
            events.close()
        assert [step.kind for step in recording.trajectory.steps] == ["tool_call", "tool_result"]
        with contextlib.suppress(RuntimeError):
            events.close()

    assert "run" not in vars(app)
    assert recording.trajectory.final_output is None
    assert recording.trajectory.error is None
    assert not recording.run.trouble


@pytest.mark.case("smolagents-1816")
def test_a_stream_out_of_steps_has_one_answer_and_its_last_step_once() -> None:
    app = agent("Clerk", ASKS, says("Perhaps 12."), tools=[Stock()], max_steps=1)

    done = ran(app, use=streamed)

    assert len([event for event in done.result if isinstance(event, ActionStep)]) == 2  # smolagents gives it again
    assert done.kinds == [("Clerk", kind) for kind in ("tool_call", "tool_result", "error", "message")]


@pytest.mark.case("smolagents-1879")
def test_an_answer_that_a_callback_changes_is_told_as_changed() -> None:
    def changes(step: FinalAnswerStep) -> None:
        step.output = f"{step.output}!"

    app = agent("Clerk", answer("twelve"), step_callbacks={FinalAnswerStep: changes})
    expected = app.run(TASK)  # unchanged before 1.24, which calls no such callback

    done = ran(app)

    assert done.result == expected
    assert done.told == [("Clerk", "message", str(expected))]


def test_an_exception_in_a_stream_leaves_it_unchanged() -> None:
    error = ConnectionError("no line")
    app = agent("Clerk", model=Streaming(error), stream_outputs=True)

    done = ran(app, use=streamed)

    assert type(done.error).__name__ == "AgentGenerationError"
    assert done.error is not None
    assert done.error.__cause__ is error
    assert done.told == [("Clerk", "error", "ConnectionError: no line")]
    assert done.trajectory.error is not None
    assert (done.trajectory.error.type, done.trajectory.error.agent) == ("AgentGenerationError", "Clerk")
