"""Managers and those whom they manage: paths, parents, branches, failures, threads."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

import aegis_core as aegis
from aegis_smolagents.system import Group
from tests.adapters.smolagents.models import Scripted, Stock, agent, answer, calls, coder, says, writes
from tests.adapters.smolagents.running import ADAPTER, TASK, ran

ASKS = calls(("stock", {"place": "hall 27"}))


def asks(*names: str, task: str = "Count the crates.") -> Any:
    return calls(*((name, {"task": task}, f"to_{number}_{name}") for number, name in enumerate(names)))


@pytest.mark.case("smolagents-3")
@pytest.mark.parametrize("make", [agent, coder])
def test_a_manager_calls_members_of_both_kinds(make: Any) -> None:
    clerk = agent("Clerk", ASKS, answer("Clerk says 12."), tools=[Stock()])
    coded = coder("Coder", writes('final_answer("Coder says 42.")'))
    if make is agent:
        replies = [asks("Clerk"), asks("Coder"), answer("54")]
    else:
        replies = [writes('a = Clerk(task="Count.")\nb = Coder("Count.")\nprint(a, b)'), writes('final_answer("54")')]

    done = ran(make("Boss", *replies, team=[clerk, coded]))

    assert [step.agent for step in done.steps if step.kind == "message"] == ["Boss/Clerk", "Boss/Coder", "Boss"]
    assert [text for _, kind, text in done.told if kind == "message"] == ["Clerk says 12.", "Coder says 42.", "54"]
    handed = {step.addressed_to: step for step in done.steps if step.kind == "tool_call" and step.addressed_to}
    for message in done.steps:
        if message.kind == "message" and message.agent != "Boss":
            call = handed[(message.agent,)]
            assert call.agent == "Boss"
            assert call.index in message.parents
            assert (message.addressed_to, message.visible_to) == (("Boss",), ("Boss",))
    result = next(step for step in done.steps if step.kind == "tool_result" and "Clerk says" in step.text)
    answer_of_clerk = next(step for step in done.steps if step.agent == "Boss/Clerk" and step.kind == "message")
    assert result.agent == "Boss"
    assert answer_of_clerk.index in result.parents
    assert not done.tape.overlapping


@pytest.mark.case("smolagents-3")
def test_the_answer_of_a_manager_comes_from_what_its_members_said() -> None:
    clerk = agent("Clerk", answer("Clerk says 12."))

    done = ran(agent("Boss", asks("Clerk"), answer("twelve"), team=[clerk]))

    said = {step.agent: step for step in done.steps if step.kind == "message"}
    assert said["Boss/Clerk"].index in said["Boss"].parents


@pytest.mark.case("smolagents-4")
def test_three_levels_are_three_levels_of_paths() -> None:
    clerk = agent("Clerk", answer("12 crates."))
    chief = coder("Chief", writes('final_answer(Clerk(task="Count."))'), team=[clerk])
    app = agent("Boss", asks("Chief"), answer("twelve"), team=[chief])

    done = ran(app)

    assert [found.path for found in ADAPTER.agents(app)] == ["Boss", "Boss/Chief", "Boss/Chief/Clerk"]
    assert [found.kind for found in ADAPTER.agents(app)] == ["manager", "manager", "worker"]
    spoke = [step.agent for step in done.steps if step.kind == "message"]
    assert spoke == ["Boss/Chief/Clerk", "Boss/Chief", "Boss"]
    assert {found.path for found in done.trajectory.agents} == {found.path for found in ADAPTER.agents(app)}


def _slowly(text: str, seconds: float) -> Any:
    def reply(_: str) -> Any:
        time.sleep(seconds)
        return answer(text)

    return reply


@pytest.mark.case("smolagents-5")
@pytest.mark.case("smolagents-1840")
def test_members_that_are_called_at_once_stand_in_the_order_in_which_they_were_asked() -> None:
    def played(left: float, right: float) -> Any:
        team = [agent("Left", _slowly("L says 1.", left)), agent("Right", _slowly("R says 2.", right))]
        return ran(agent("Boss", asks("Left", "Right"), answer("3"), team=team))

    one, other = played(0.08, 0.0), played(0.0, 0.08)

    assert one.told == other.told
    assert one.canonical == other.canonical
    assert [step.agent for step in one.steps if step.kind == "message"] == ["Boss/Left", "Boss/Right", "Boss"]
    assert {step.branch for step in one.steps} == {""}
    left, right = (step for step in one.steps if step.kind == "message" and step.agent != "Boss")
    assert left.index not in right.parents


@pytest.mark.case("smolagents-13")
@pytest.mark.case("smolagents-1695")
def test_a_member_that_is_called_again_has_another_turn_and_remembers_nothing() -> None:
    clerk = agent("Clerk", answer("Clerk says 12."), answer("Clerk says 13."))
    app = agent("Boss", asks("Clerk"), calls(("Clerk", {"task": "Again."}, "b")), answer("13"), team=[clerk])

    done = ran(app)

    turns = [(step.turn, step.text) for step in done.steps if step.agent == "Boss/Clerk"]
    assert turns == [(1, "Clerk says 12."), (2, "Clerk says 13.")]
    assert "Clerk says 12." not in clerk.model.shown[1]


@pytest.mark.case("smolagents-N12")
@pytest.mark.case("smolagents-1781")
def test_a_member_that_is_called_twice_at_once_has_a_branch_for_each() -> None:
    both_in = threading.Barrier(2, timeout=5)

    def replies(shown: str) -> Any:
        both_in.wait()
        return answer("odd" if "Count the odd." in shown else "even")

    clerk = agent("Clerk", replies)
    twice = calls(("Clerk", {"task": "Count the odd."}, "a"), ("Clerk", {"task": "Count the even."}, "b"))

    done = ran(agent("Boss", twice, answer("both"), team=[clerk]))

    # smolagents lets them share one memory, so what each says is up to it; what is recorded is what each was given.
    turns = [(step.branch, step.turn) for step in done.steps if step.agent == "Boss/Clerk"]
    assert turns == [("1", 1), ("2", 1)]
    begun = [e for e in done.tape.entries if e.key.kind == "input" and e.key.moment.agent == "Boss/Clerk"]
    assert ["odd" in begun[0].request[0].text, "even" in begun[1].request[0].text] == [True, True]
    assert not done.tape.overlapping
    results = [step.text for step in done.steps if step.kind == "tool_result"]
    said = [step.text for step in done.steps if step.agent == "Boss/Clerk"]
    assert all(words in result for words, result in zip(said, results, strict=True))


def test_branches_of_members_below_a_branch_are_apart_as_well() -> None:
    typist = agent("Typist", answer("typed"))
    clerk = coder("Clerk", writes('final_answer(Typist(task="Type."))'), team=[typist])
    twice = calls(("Clerk", {"task": "One."}, "a"), ("Clerk", {"task": "Two."}, "b"))

    done = ran(agent("Boss", twice, answer("both"), team=[clerk], max_tool_threads=1))

    branches = [step.branch for step in done.steps if step.agent == "Boss/Clerk/Typist"]
    assert branches == ["1", "2"]


@pytest.mark.case("smolagents-17")
@pytest.mark.case("smolagents-1961")
def test_what_code_calls_in_its_thread_belongs_to_the_agent_that_wrote_the_code() -> None:
    clerk = agent("Clerk", answer("Clerk says 1."), answer("Clerk says 2."))
    code = 'n = stock(place="hall 1")\nfor i in range(2):\n    print(Clerk(f"Count {i}."))'

    done = ran(coder("Boss", writes(code), writes('final_answer("3")'), tools=[Stock()], team=[clerk]))

    assert done.kinds[:8] == [
        ("Boss", "thought"),
        ("Boss", "tool_call"),
        ("Boss", "tool_call"),
        ("Boss", "tool_result"),
        ("Boss", "tool_call"),
        ("Boss/Clerk", "message"),
        ("Boss", "tool_result"),
        ("Boss", "tool_call"),
    ]
    assert done.told[2] == ("Boss", "tool_call", 'stock(place="hall 1")')
    assert [step.turn for step in done.steps if step.agent == "Boss/Clerk"] == [1, 2]
    ids = [step.call_id for step in done.steps if step.kind == "tool_call"]
    assert len(set(ids)) == len(ids)
    assert sorted(ids) == sorted(step.call_id for step in done.steps if step.kind == "tool_result")


@pytest.mark.case("smolagents-23")
def test_a_member_of_two_managers_has_a_path_by_each() -> None:
    clerk = agent("Clerk", answer("12."))
    chiefs = [agent(name, asks("Clerk"), answer(f"{name} says 12."), team=[clerk]) for name in ("North", "South")]
    app = agent("Boss", asks("North"), asks("South"), answer("24"), team=chiefs)

    done = ran(app)

    spoke = [step.agent for step in done.steps if step.kind == "message"]
    assert spoke == ["Boss/North/Clerk", "Boss/North", "Boss/South/Clerk", "Boss/South", "Boss"]
    assert set(spoke) <= {found.path for found in ADAPTER.agents(app)}


@pytest.mark.case("smolagents-27")
def test_a_tool_that_agents_share_is_recorded_for_the_one_that_calls_it() -> None:
    tool = Stock()
    clerk = coder("Clerk", writes('final_answer(stock(place="hall 2"))'), tools=[tool])
    app = agent("Boss", ASKS, asks("Clerk"), answer("24"), tools=[tool], team=[clerk])

    done = ran(app)

    used = [(step.agent, step.text) for step in done.steps if step.text.startswith("stock(place=")]
    assert used == [("Boss", 'stock(place="hall 27")'), ("Boss/Clerk", 'stock(place="hall 2")')]


@pytest.mark.case("smolagents-28")
def test_a_member_whose_model_fails_is_told_once_and_its_manager_goes_on() -> None:
    clerk = agent("Clerk", ConnectionError("no line"))

    done = ran(agent("Boss", asks("Clerk"), answer("unknown"), team=[clerk]))

    assert done.kinds == [("Boss", "tool_call"), ("Boss/Clerk", "error"), ("Boss", "tool_result"), ("Boss", "message")]
    assert done.told[1][2] == "ConnectionError: no line"
    assert "no line" in done.told[2][2]
    assert done.trajectory.error is None
    assert done.trajectory.final_output == "unknown"


@pytest.mark.case("smolagents-2166")
def test_a_member_out_of_steps_does_not_end_the_run() -> None:
    clerk = agent("Clerk", ASKS, says("Perhaps 12."), tools=[Stock()], max_steps=1)

    done = ran(agent("Boss", asks("Clerk"), answer("12"), team=[clerk]))

    assert ("Boss/Clerk", "error", "Reached max steps.") in done.told
    assert ("Boss/Clerk", "message", "Perhaps 12.") in done.told
    assert not done.run.limit_reached


@pytest.mark.case("smolagents-24")
def test_arguments_that_a_manager_hands_on_are_what_its_member_is_told() -> None:
    clerk = agent("Clerk", answer("12"))
    handed = {"task": "Count.", "additional_args": {"note": "hall 27 is full"}}

    done = ran(agent("Boss", calls(("Clerk", handed)), answer("12"), team=[clerk]))

    begun = next(e for e in done.tape.entries if e.key.kind == "input" and e.key.moment.agent == "Boss/Clerk")
    assert [part.text for part in begun.request][1:] == ["hall 27 is full"]
    assert begun.request[0].author == ""  # smolagents puts it into a form of its own


def test_a_task_that_a_manager_hands_on_word_by_word_is_its_own() -> None:
    clerk = agent("Clerk", answer("12"))
    clerk.prompt_templates["managed_agent"]["task"] = "{{task}}"

    done = ran(agent("Boss", asks("Clerk"), answer("12"), team=[clerk]))

    begun = next(e for e in done.tape.entries if e.key.kind == "input" and e.key.moment.agent == "Boss/Clerk")
    assert [(part.author, part.text) for part in begun.request] == [("Boss", "Count the crates.")]
    call = done.steps[0]
    assert call.text == "Clerk:\ntask: Count the crates."


def test_an_agent_that_a_tool_runs_is_inside_the_turn_of_its_caller() -> None:
    clerk = agent("Clerk", answer("12"))
    boss = agent("Boss", ASKS, answer("twelve"), tools=[Stock(lambda _: clerk.run("Count."))])

    done = ran(Group(boss.run, boss, clerk))

    assert done.kinds == [("Boss", "tool_call"), ("Clerk", "message"), ("Boss", "tool_result"), ("Boss", "message")]


def test_groups_name_agents_without_a_name_by_their_class() -> None:
    one, other = (agent(None, answer("x"), description=None) for _ in range(2))  # type: ignore[arg-type]

    done = ran(Group(lambda task: other.run(one.run(task)), one, other))

    assert [step.agent for step in done.steps] == ["ToolCallingAgent", "ToolCallingAgent 2"]
    assert [found.path for found in ADAPTER.agents(Group(print, one, other, one))] == [
        step.agent for step in done.steps
    ]


def test_many_managers_at_once_do_not_mix() -> None:
    found: dict[int, list[str]] = {}

    def work(number: int) -> None:
        clerk = agent("Clerk", _slowly(f"Clerk {number}.", 0.001 * (number % 5)))
        app = coder("Boss", writes('print(Clerk("Count."))'), writes(f'final_answer("Boss {number}.")'), team=[clerk])
        with aegis.record(app) as recording:
            app.run(f"{TASK} ({number})")
        found[number] = [step.text for step in recording.trajectory.steps if step.kind == "message"]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert found == {number: [f"Clerk {number}.", f"Boss {number}."] for number in range(20)}


def test_models_that_agents_share_are_told_apart() -> None:
    model = Scripted(asks("Clerk"), answer("Clerk says 12."), answer("twelve"))
    clerk = agent("Clerk", model=model)

    done = ran(agent("Boss", model=model, team=[clerk]))

    made = [(e.key.moment.agent, e.key.call) for e in done.tape.entries if e.key.kind == "model"]
    assert made == [("Boss", 1), ("Boss/Clerk", 1), ("Boss", 2)]
