"""The LangGraph team and the simulated model behind LangChain's interface."""

from __future__ import annotations

import asyncio
import re

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool

from aegis_core.campaign.checkers import check
from aegis_core.world import Message, SimulatedModel, generate_tasks, review_objects
from aegis_core.world.prompts import job_number, system_prompt
from aegis_langgraph.adapter import LangGraphAdapter
from aegis_langgraph.testing.chat_model import SimulatedChatModel
from aegis_langgraph.testing.systems import TEAM, analysis_team

pytestmark = pytest.mark.framework
TASKS = generate_tasks(36, 17)
TABLE = "name | boxes\nMira | 42\nTom | 17\nAna | 30\nHow many boxes do they have together? Give a whole number."


def messages_of(task, seed=0):
    system = analysis_team(seed=seed)
    result = system.start(system.app, task)
    return [*result["plan"], *result["messages"], *result["work"]], system.output(result)


def test_it_is_right_in_most_runs_without_any_recording():
    right = sum(check(task, messages_of(task.text)[1]).right for task in TASKS)
    assert len(TASKS) * 0.7 <= right <= len(TASKS) * 0.97


def test_every_member_speaks_and_the_reporter_has_the_last_word():
    messages, final = messages_of(TASKS[0].text)
    assert {message.name for message in messages if isinstance(message, AIMessage)} == set(TEAM)
    assert messages[-1].name == "Reporter" and final == messages[-1].text


def test_every_member_is_described_by_its_system_prompt():
    described = {agent.path: agent.role for agent in LangGraphAdapter().agents(analysis_team().app)}
    assert described == {name: system_prompt(name, TEAM) for name in TEAM}


def test_the_researchers_work_in_parallel_on_the_same_plan():
    graph = analysis_team().app.get_graph()
    after_plan = {edge.target for edge in graph.edges if edge.source == "Planner"}
    assert after_plan == {"Reader", "Analyst"}
    assert {edge.source for edge in graph.edges if edge.target == "Solver"} == {"Reader", "Analyst", "Critic"}


def test_the_analyst_looks_entries_up_in_the_tables_of_the_task():
    messages, final = messages_of(TABLE)
    calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
    results = [message for message in messages if isinstance(message, ToolMessage)]
    assert calls and {call["name"] for call in calls} == {"look_up"}
    assert {result.tool_call_id: result.text for result in results} == {
        call["id"]: {"Mira": "42", "Tom": "17", "Ana": "30"}[call["args"]["name"]] for call in calls
    }
    assert "89" in final


def test_the_critic_sends_work_back_once_at_most():
    back = 0
    for task in TASKS:
        messages, _ = messages_of(task.text, seed=4)
        speakers = [message.name for message in messages if message.name in ("Solver", "Critic")]
        first_review = next(message for message in messages if message.name == "Critic")
        objected = review_objects(first_review.text)
        assert speakers == ["Solver", "Critic"] * (2 if objected else 1)
        back += objected
    assert back > 4


def test_two_runs_of_one_seed_say_the_same():
    texts = [[message.text for message in messages_of(TASKS[3].text, seed=5)[0]] for _ in range(2)]
    assert texts[0] == texts[1]


def test_it_runs_asynchronously_as_well():
    system = analysis_team()
    task = TASKS[1].text
    result = asyncio.run(system.app.ainvoke({"job": job_number(task), "task": task}))
    assert system.output(result) == messages_of(task)[1]


def test_nobody_but_the_planner_and_the_researchers_is_handed_the_task():
    class Listener(BaseCallbackHandler):
        def __init__(self):
            self.heard = []

        def on_chat_model_start(self, serialized, messages, **kwargs):
            self.heard.append("\n".join(str(message.text) for message in messages[0]))

    listener, system = Listener(), analysis_team(seed=2)
    system.app.invoke({"job": job_number(TABLE), "task": TABLE}, {"callbacks": [listener]})
    shown = {name: [text for text in listener.heard if text.startswith(f"You are {name},")] for name in TEAM}
    assert all(shown.values())
    for name, texts in shown.items():
        assert all(("Mira | 42" in text) == (name in ("Planner", "Reader", "Analyst")) for text in texts)
    assert not any("look_up" in text or re.search(r"\b42\b", text.split("\n", 1)[0]) for text in shown["Reporter"])


def test_runs_in_one_process_share_the_graph_and_nothing_of_a_run():
    first, again = analysis_team(seed=6), analysis_team(seed=6)
    assert first.app is again.app and analysis_team(seed=7).app is not first.app
    alone = messages_of(TASKS[5].text, seed=6)[1]
    messages_of(TASKS[6].text, seed=6)
    assert messages_of(TASKS[5].text, seed=6)[1] == alone


@tool
def look_up(name: str, column: str) -> str:
    """Look up a table entry."""
    return f"{name}/{column}"


def test_the_chat_model_says_what_the_plain_model_says():
    prompt = system_prompt("Solver", TEAM)
    chat = SimulatedChatModel(seed=3).invoke(
        [SystemMessage(prompt), HumanMessage(TASKS[0].text), AIMessage("12 crates", name="Reader")]
    )
    plain = SimulatedModel(3).reply(
        [Message("system", prompt), Message("user", TASKS[0].text), Message("assistant", "12 crates", "Reader")]
    )
    assert chat.text == plain.content
    assert chat.usage_metadata["input_tokens"] == plain.input_tokens
    assert chat.usage_metadata["output_tokens"] == plain.output_tokens


def test_bound_tools_are_called_with_ids_that_hang_on_the_conversation():
    model = SimulatedChatModel().bind_tools([look_up])
    asked = [SystemMessage(system_prompt("Analyst", TEAM)), HumanMessage(TABLE)]
    first, second = model.invoke(asked), asyncio.run(model.ainvoke(asked))
    assert [call["args"] for call in first.tool_calls] == [
        {"name": name, "column": "boxes"} for name in ("Mira", "Tom", "Ana")
    ]
    assert [call["id"] for call in first.tool_calls] == [call["id"] for call in second.tool_calls]
    other = model.invoke([*asked, HumanMessage("Thank you.", name="Planner")])
    assert {call["id"] for call in other.tool_calls}.isdisjoint(call["id"] for call in first.tool_calls)


def test_without_tools_none_is_called():
    asked = [SystemMessage(system_prompt("Analyst", TEAM)), HumanMessage(TABLE)]
    assert not SimulatedChatModel().invoke(asked).tool_calls
