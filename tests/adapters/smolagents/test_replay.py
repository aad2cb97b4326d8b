"""Serving runs from tapes: models and tools, code that runs again, what leaves the tape."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from smolagents.models import ChatMessage, MessageRole

from aegis_core.errors import ReplayDrift, ReplayError, RunLimitReached
from aegis_core.run import Limits
from aegis_smolagents import _compat
from aegis_smolagents.messages import Requests
from aegis_smolagents.values import decode, encode
from tests.adapters.smolagents.models import Stock, agent, answer, calls, coder, says, writes
from tests.adapters.smolagents.running import MARK, TASK, ran, target

COUNT = calls(("Clerk", {"task": "Count the crates."}))


def house() -> Any:
    """A code-writing manager with a tool and a member, and a second member that comes after."""
    clerk = agent(
        "Clerk",
        lambda text: (
            answer("Clerk says 12.") if "12 crates in hall 9" in text else calls(("stock", {"place": "hall 9"}))
        ),
        tools=[Stock()],
    )
    poet = agent("Poet", lambda text: answer("A rhyme on 13." if MARK in text else "A rhyme on 12."))
    return coder("Boss", _boss, tools=[Stock()], team=[clerk, poet])


def _boss(shown: str) -> Any:
    if "A rhyme on" in shown:
        return writes(f'final_answer("{"thirteen" if "on 13" in shown else "twelve"}")')
    if "Clerk says" in shown:
        return writes("poem = Poet(task=said)\nprint(poem)")
    return writes('n = stock(place="hall 27")\nsaid = Clerk(task=n)\nprint(said)')


def live_calls(app: Any) -> list[int]:
    return [len(found.model.shown) for found in (app, *app.managed_agents.values())]


def test_a_whole_run_is_served_though_its_code_runs_again() -> None:
    clean, app = ran(house()), house()

    done = ran(app, served=clean.tape)

    assert not done.run.void
    assert live_calls(app) == [0, 0, 0]
    assert app.tools["stock"].asked == app.managed_agents["Clerk"].tools["stock"].asked == []
    assert done.told == clean.told
    assert app.python_executor.state["n"] == "12 crates in hall 27"


@pytest.mark.case("smolagents-25")
@pytest.mark.parametrize("scope", ["outgoing", "belief"])
def test_what_follows_an_altered_answer_is_live(scope: Any) -> None:
    clean, app = ran(house()), house()

    done = ran(app, TASK, target("Boss/Clerk", "response_corruption", scope), served=clean.tape)

    assert done.fired
    assert not done.run.void
    assert live_calls(app) == [2, 0, 1]
    assert done.trajectory.final_output == "thirteen"
    assert MARK in app.managed_agents["Poet"].model.shown[0]


def test_a_null_control_is_the_clean_run() -> None:
    clean = ran(house())

    for scope, strategy in itertools.product(("outgoing", "belief"), ("response_corruption",)):
        done = ran(house(), TASK, target("Boss/Clerk", strategy, scope), served=clean.tape, arm="null")  # type: ignore[arg-type]
        assert done.canonical[0].steps == clean.canonical[0].steps


def test_ids_that_a_model_draws_at_random_do_not_make_a_drift() -> None:
    numbers = itertools.count(1)

    def drawn(*asked: tuple[str, Any]) -> Any:
        return lambda _: calls(*((name, given, f"call_{next(numbers) * 7919:024x}") for name, given in asked))

    def built() -> Any:
        clerk = agent(
            "Clerk", drawn(("stock", {"place": "a"})), drawn(("final_answer", {"answer": "12."})), tools=[Stock()]
        )
        first = drawn(("Clerk", {"task": "Count."}), ("stock", {"place": "b"}))
        return agent("Boss", first, drawn(("final_answer", {"answer": "twelve"})), tools=[Stock()], team=[clerk])

    clean, app = ran(built()), built()

    done = ran(app, TASK, target("Boss", "prompt_injection", "ephemeral", turn=1), served=clean.tape)
    again = ran(built(), served=clean.tape)

    assert not done.run.void
    assert not again.run.void
    assert again.trajectory.final_output == "twelve"


@pytest.mark.case("smolagents-26")
@pytest.mark.parametrize("make", [agent, coder])
def test_a_drift_inside_a_member_leaves_all_managers_at_once(make: Any) -> None:
    ask = COUNT if make is agent else writes('print(Clerk("Count the crates."))')
    tell = answer("twelve") if make is agent else writes('final_answer("twelve")')

    def built(said: str) -> Any:
        clerk = agent("Clerk", calls(("stock", {"place": said})), answer("12."), tools=[Stock(lambda _: said)])
        return make("Boss", ask, tell, team=[clerk])

    clean = ran(built("a"))
    tape = clean.tape.model_copy(
        update={"entries": tuple(e for e in clean.tape.entries if (e.key.kind, e.key.call) != ("model", 2))}
    )
    app = built("a")

    done = ran(app, TASK, served=tape)

    assert isinstance(done.error, ReplayDrift)
    assert done.run.void
    assert app.model.shown == []


@pytest.mark.parametrize("make", [agent, coder])
def test_a_limit_leaves_all_managers_at_once(make: Any) -> None:
    ask = COUNT if make is agent else writes('print(Clerk("Count the crates."))')
    app = make("Boss", ask, says("never"), team=[agent("Clerk", answer("12."))])

    done = ran(app, TASK, limits=Limits(turns=1))

    assert isinstance(done.error, RunLimitReached)
    assert done.run.limit_reached == "more than 1 turns"
    assert len(app.model.shown) == 1
    assert not [step for step in done.steps if step.kind == "error"]


def test_a_result_that_has_no_plain_form_can_not_be_served_and_it_is_said_why() -> None:
    def built() -> Any:
        tool = Stock(lambda _: object())
        tool.output_type = "object"
        return coder("Clerk", writes('final_answer(str(type(stock(place="a"))))'), tools=[tool])

    clean = ran(built())

    done = ran(built(), served=clean.tape)

    assert isinstance(done.error, ReplayError)
    assert "can't be kept on a tape" in str(done.error)


@pytest.mark.parametrize(
    "value", ["a", 1, 2.5, None, True, [1, ["a"]], (1, "b"), {"a": {"b": [1]}}, {"c"}, frozenset({1}), ((),)]
)
def test_values_come_back_as_they_were(value: Any) -> None:
    back = decode(encode(value))

    assert back == value
    assert type(back) is type(value)


def test_what_the_memory_quotes_stands_on_the_tape_as_it_was_meant() -> None:
    app = agent(
        "Clerk", calls(("stock", {"place": "the 'old' hall\nby the sea"}, "call_77")), answer("12"), tools=[Stock()]
    )
    note = 'It\'s "full".\nSince May.'

    done = ran(app, use=lambda app, task: app.run(task, additional_args={"note": note, "api_key": "sk-1234567890"}))

    second = [entry for entry in done.tape.entries if entry.key.kind == "model"][1]
    texts = [part.text for part in second.request]
    assert "the 'old' hall\nby the sea" in texts
    assert note in texts
    assert not any("call_77" in text for text in texts)
    assert not any("sk-1234567890" in text for text in texts)


def test_what_the_memory_quotes_can_be_altered_for_one_request() -> None:
    note = 'It\'s "full", and has been so for as long as anyone can remember.\nSince May.'
    app = agent("Clerk", answer("12"))

    done = ran(
        app,
        TASK,
        target("Clerk", "prompt_injection", "ephemeral"),
        use=lambda app, task: app.run(task, additional_args={"n": 3}),
    )
    requests = Requests()
    asked = requests.parts([ChatMessage(MessageRole.USER, [{"type": "text", "text": _quoted(note)}])])
    message = [ChatMessage(MessageRole.USER, [{"type": "text", "text": _quoted(note)}])]
    (changed,) = requests.written(message, {asked[1].id: f"{note} {MARK}"})

    assert done.fired
    assert changed.content[0]["text"] == _quoted(f"{note} {MARK}")
    assert message[0].content[0]["text"] == _quoted(note)


def _quoted(note: str) -> str:
    return f"{_compat.TASK}Count.{_compat.MORE}{ {'n': 3, 'note': note}!r}."
