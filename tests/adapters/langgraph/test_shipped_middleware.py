"""The middleware that comes with LangChain: recorded, rebuilt and served alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain.agents import create_agent, middleware
from langchain.agents.structured_output import ToolStrategy
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import BaseModel

from tests.adapters.langgraph.graphs import ASK, look
from tests.adapters.langgraph.models import Scripted, calls
from tests.adapters.langgraph.running import Live, ainvoked, altered, invoked, ran, served, target

WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])


def looking(messages: list[Any]) -> Any:
    return "done" if messages[-1].type == "tool" else calls("look", x="it")


def failing(_: Any) -> Any:
    raise ValueError("out of order")


def aside() -> Any:
    return Scripted(answer=lambda _: "in short: start")


KINDS: dict[str, Callable[[], Any]] = {
    "summarization": lambda: middleware.SummarizationMiddleware(
        aside(), trigger=("messages", 2), keep=("messages", 1), token_counter=len
    ),
    "model calls limited": lambda: middleware.ModelCallLimitMiddleware(run_limit=1),
    "tool calls limited": lambda: middleware.ToolCallLimitMiddleware(run_limit=1),
    "fallback": lambda: middleware.ModelFallbackMiddleware(Scripted(answer=looking)),
    "model retried": lambda: middleware.ModelRetryMiddleware(max_retries=1, initial_delay=0.0),
    "tool retried": lambda: middleware.ToolRetryMiddleware(max_retries=1, initial_delay=0.0),
    "private data": lambda: middleware.PIIMiddleware("email", strategy="redact"),
    "to do": middleware.TodoListMiddleware,
    "context edited": middleware.ContextEditingMiddleware,
}
kinds = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def agent(kind: Callable[[], Any], answer: Any = looking) -> Any:
    return create_agent(Scripted(answer=answer), [look], name="agent", middleware=[kind()])


@WAYS
@kinds
@pytest.mark.case("langgraph-22")
def test_recorded_rebuilt_and_served_alike(kind: Any, use: Any) -> None:
    answer = failing if kind is KINDS["fallback"] else looking
    clean = ran(agent(kind, answer), ASK)
    assert clean.trajectory.steps
    assert {step.agent for step in clean.trajectory.steps} == {"agent"}
    assert ran(agent(kind, answer), ASK, use=use).canonical == clean.canonical
    assert ran(agent(kind, answer), ASK, replay=Live(), use=use).canonical == clean.canonical
    again = served(lambda: agent(kind, answer), ASK, clean, use=use)
    assert again.canonical == clean.canonical


def test_a_model_that_fails_for_good_is_one_error() -> None:
    retried = KINDS["model retried"]
    for replay in (None, Live()):
        done = ran(agent(retried, failing), ASK, replay=replay)
        assert [(step.agent, step.turn) for step in done.trajectory.steps] == [("agent", 1)]
        assert "out of order" in done.texts[0]


@pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])
@pytest.mark.case("langgraph-24")
def test_a_human_who_is_asked_before_a_tool_runs(replay: Any) -> None:
    config: Any = {"configurable": {"thread_id": "1"}}

    def approved(app: Any, given: Any) -> Any:
        app.invoke(given, config)
        return app.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config)

    asking = middleware.HumanInTheLoopMiddleware(interrupt_on={"look": True})
    app = create_agent(
        Scripted(answer=looking), [look], name="agent", middleware=[asking], checkpointer=InMemorySaver()
    )
    done = ran(app, ASK, use=approved, replay=replay() if replay else None)
    steps = done.trajectory.steps
    assert [(step.agent, step.turn, step.kind) for step in steps if step.kind != "system"] == [
        ("agent", 1, "tool_call"),
        ("user", 1, "message"),
        ("agent", 1, "tool_result"),
        ("agent", 1, "message"),
    ]
    (asked,) = (step for step in steps if step.kind == "system")
    assert '"look"' in asked.text
    assert done.run.separate_calls == 1


class Verdict(BaseModel):
    """A verdict."""

    right: bool


@WAYS
@pytest.mark.case("langgraph-22")
def test_an_agent_with_a_form_for_its_answer(use: Any) -> None:
    def build() -> Any:
        model = Scripted(answer=lambda _: calls("Verdict", right=True))
        return create_agent(model, [], name="agent", response_format=ToolStrategy(Verdict))

    clean = ran(build(), ASK, use=use)
    assert clean.result["structured_response"] == Verdict(right=True)
    assert ran(build(), ASK, replay=Live(), use=use).canonical == clean.canonical
    again = served(build, ASK, clean, use=use)
    assert (again.run.live_model_calls, again.canonical) == (0, clean.canonical)
    assert again.result["structured_response"] == Verdict(right=True)


@kinds
def test_what_the_agent_is_told_can_be_altered_under_each(kind: Any) -> None:
    answer = failing if kind is KINDS["fallback"] else looking
    clean = ran(agent(kind, answer), ASK)
    for scope in ("persistent", "ephemeral"):
        done = altered(lambda: agent(kind, answer), ASK, clean, target("agent", "prompt_injection", scope))  # type: ignore[arg-type]
        assert done.run.ledger().interventions[0].fired
        assert done.run.void == ""
