"""What an agent's loop tells beside words: tool calls and results, plans, answers in a form; no bookkeeping."""

from __future__ import annotations

from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import (
    HumanInTheLoopMiddleware,
    ModelCallLimitMiddleware,
    TodoListMiddleware,
    after_model,
)
from langchain.tools import ToolRuntime
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.prebuilt import create_react_agent
from langgraph.types import Command
from pydantic import BaseModel

from tests.adapters.langgraph.graphs import ASK, Seen, look
from tests.adapters.langgraph.models import Scripted, calls, in_turn, repeats
from tests.adapters.langgraph.running import Live, ainvoked, altered, invoked, ran, served, target

pytestmark = pytest.mark.filterwarnings("ignore:create_react_agent has been moved")
WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])
PATHS = pytest.mark.parametrize("replay", [None, Live], ids=["watched", "rebuilt"])


@tool
def noted(x: str, runtime: ToolRuntime) -> Command[Any]:
    """Answers by a command: the tools node returns a list of them."""
    return Command(update={"messages": [ToolMessage(f"found {x}", tool_call_id=runtime.tool_call_id)]})


def asking(tool: Any, seen: Seen | None = None, **more: Any) -> Any:
    replies = in_turn(calls(tool.name, x="it"))
    last = repeats("so")

    def answer(messages: list[Any]) -> Any:
        return last(messages) if messages[-1].type == "tool" else replies(messages)

    return create_agent(Scripted(answer=answer, seen=seen), [tool], name="agent", **more)


MIDDLEWARE = {"plain": list, "with middleware": lambda: [ModelCallLimitMiddleware(run_limit=9)]}


@WAYS
@PATHS
@pytest.mark.parametrize("tool", [look, noted], ids=["a result", "a list of commands"])
@pytest.mark.parametrize("middleware", MIDDLEWARE.values(), ids=MIDDLEWARE)
@pytest.mark.case("langgraph-22")
def test_an_agent_with_a_tool_is_a_call_its_result_and_an_answer(
    middleware: Any, tool: Any, use: Any, replay: Any
) -> None:
    done = ran(asking(tool, middleware=middleware()), ASK, use=use, replay=replay() if replay else None)
    assert done.said == [
        ("agent", "tool_call", f'{tool.name}(x="it")'),
        ("agent", "tool_result", "found it"),
        ("agent", "message", "so <found it>"),
    ]


@WAYS
@pytest.mark.parametrize("tool", [look, noted], ids=["a result", "a list of commands"])
@pytest.mark.parametrize("middleware", MIDDLEWARE.values(), ids=MIDDLEWARE)
@pytest.mark.case("langgraph-22")
def test_an_altered_result_of_a_tool_is_what_the_model_is_shown(middleware: Any, tool: Any, use: Any) -> None:
    seen: Seen = []
    clean = ran(asking(tool, middleware=middleware()), ASK, use=use)
    due = target("agent", "environment", "call")
    done = altered(lambda: asking(tool, seen, middleware=middleware()), ASK, clean, due, level="call", use=use)
    assert seen[-1][-1] == "found it ALTERED"
    assert done.said == [
        ("agent", "tool_call", f'{tool.name}(x="it")'),
        ("agent", "tool_result", "found it ALTERED"),
        ("agent", "message", "so <found it ALTERED>"),
    ]


@after_model(can_jump_to=["model", "end"])
def again(state: Any, runtime: Any) -> dict[str, Any] | None:
    if state["messages"][-1].text == "bad":
        return {"messages": [HumanMessage("once more")], "jump_to": "model"}
    return {"jump_to": "end"}


@PATHS
def test_where_middleware_jumps_is_no_step(replay: Any) -> None:
    agent = create_agent(Scripted(answer=in_turn("bad", "good")), [], name="agent", middleware=[again])
    done = ran(agent, ASK, replay=replay() if replay else None)
    assert [(kind, text) for _, kind, text in done.said] == [
        ("message", "bad"),
        ("message", "once more"),
        ("message", "good"),
    ]


@PATHS
def test_a_limit_of_calls_is_told_by_its_words_alone(replay: Any) -> None:
    limit = ModelCallLimitMiddleware(run_limit=1, exit_behavior="end")
    agent = create_agent(Scripted(answer=in_turn(calls("look", x="it"))), [look], name="agent", middleware=[limit])
    done = ran(agent, ASK, replay=replay() if replay else None)
    assert [kind for _, kind, _ in done.said] == ["tool_call", "tool_result", "message"]
    assert "limit" in done.texts[-1]


@PATHS
def test_a_list_of_things_to_do_is_a_plan(replay: Any) -> None:
    todos = [{"content": "look it up", "status": "pending"}, {"content": "tell it", "status": "pending"}]

    def build() -> Any:
        model = Scripted(answer=in_turn(calls("write_todos", todos=todos), "done"))
        return create_agent(model, [], name="agent", middleware=[TodoListMiddleware()])

    done = ran(build(), ASK, replay=replay() if replay else None)
    assert [kind for _, kind, _ in done.said] == ["tool_call", "tool_result", "plan", "message"]
    plan = done.trajectory.steps[2]
    assert plan.content[0].data == {"todos": todos}
    assert "content: look it up" in plan.text
    assert served(build, ASK, ran(build(), ASK)).canonical == done.canonical


@PATHS
def test_what_a_human_makes_of_a_call_is_kept_by_the_middleware_and_no_step(replay: Any) -> None:
    asks_first = HumanInTheLoopMiddleware(interrupt_on={"look": True})
    agent = asking(look, middleware=[asks_first], checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "1"}}
    edited = {"type": "edit", "edited_action": {"name": "look", "args": {"x": "else"}}}

    def both(app: Any, given: Any) -> Any:
        app.invoke(given, config)
        return app.invoke(Command(resume={"decisions": [edited]}), config)

    done = ran(agent, ASK, use=both, replay=replay() if replay else None)
    own = [kind for agent, kind, _ in done.said if agent == "agent"]
    assert own in (
        ["tool_call", "system", "tool_result", "message"],
        ["tool_call", "system", "tool_call", "tool_result", "message"],
    )


class Form(BaseModel):
    number: int


class Worded(BaseModel):
    number: int
    why: str


@WAYS
@PATHS
@pytest.mark.parametrize(
    ("form", "fields", "text"),
    [
        (Form, {"number": 3}, '{"structured_response": {"number": 3}}'),
        (Worded, {"number": 3, "why": "sum"}, "structured_response:\n  number: 3\n  why: sum"),
    ],
)
def test_a_react_agents_answer_in_a_form_is_a_step_with_its_usage(
    form: Any, fields: Any, text: str, use: Any, replay: Any
) -> None:
    def build(seen: Seen | None = None) -> Any:
        def answer(messages: list[Any]) -> Any:
            return calls(form.__name__, **fields) if messages[-1].type == "ai" else "three"

        return create_react_agent(Scripted(answer=answer, seen=seen), [look], response_format=form, name="agent")

    done = ran(build(), ASK, use=use, replay=replay() if replay else None)
    assert done.said == [("agent", "message", "three"), ("agent", "message", text)]
    assert [step.usage.input_tokens for step in done.trajectory.steps if step.usage is not None] == [1, 2]
    assert done.trajectory.steps[1].content[0].data == {"structured_response": fields}
    seen: Seen = []
    clean = ran(build(), ASK)
    assert served(lambda: build(seen), ASK, clean, use=use).canonical == clean.canonical == done.canonical
    assert seen == []
