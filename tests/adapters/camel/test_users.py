"""What a user says after the task is a step of theirs, in its place."""

import pytest

import aegis_core as aegis
from aegis_camel.ensemble import Ensemble
from tests.adapters.camel.teams import Log, agent, pair, result, task, workforce


def told(trajectory):
    return [(step.agent, step.text) for step in trajectory.steps if step.kind == "message"]


def test_a_second_step_of_an_agent_is_what_its_user_says_next():
    clerk = agent(Log(), "Clerk", ["Forty crates.", "Eight each."])
    with aegis.record(clerk) as run:
        clerk.step("How many crates?")
        clerk.step("And bottles?")
    steps = run.trajectory.steps
    assert told(run.trajectory) == [("Agent", "Forty crates."), ("user", "And bottles?"), ("Agent", "Eight each.")]
    assert (steps[1].addressed_to, steps[2].parents) == (("Agent",), (1,))
    assert run.trajectory.task == "How many crates?"
    assert [found.kind for found in run.trajectory.agents if found.path == "user"] == ["user"]


def test_a_second_task_of_a_workforce_is_given_to_who_plans_it(recwarn):
    crew = workforce(Log(), {"Alice": result("Hall 27 holds 40 crates.")}, tasks=["Gather the facts."])
    with aegis.record(crew) as run:
        crew.process_task(task("How many crates?"))
        crew.process_task(task("And in hall 28?"))
    (step,) = [step for step in run.trajectory.steps if step.agent == "user"]
    assert (step.text, step.addressed_to) == ("And in hall 28?", ("Task Planner",))
    after = run.trajectory.steps[step.index + 1]
    assert (after.agent, after.kind, after.turn) == ("Task Planner", "plan", 2)
    assert any("2 calls" in str(warning.message) for warning in recwarn)


@pytest.mark.filterwarnings("ignore:aegis. 2 calls")
def test_what_follows_from_a_second_task_does_not_follow_from_the_first_though_the_same_is_said_in_it():
    plans = ["<tasks><task>Gather the facts.</task><task>Write it all down.</task></tasks>",
             "<tasks><task>Gather the facts.</task><task>Tell the story.</task></tasks>"]  # fmt: skip
    workers = {"Alice": result("Hall 27 holds 40 crates."), "Bob": result("There are 320 bottles.")}
    crew = workforce(Log(), workers, plans=plans)
    with aegis.record(crew) as run:
        crew.process_task(task("How many crates?"))
        crew.process_task(task("And in hall 28?"))
    steps = run.trajectory.steps
    (second,) = [step.index for step in steps if step.agent == "user"]
    assert len([step for step in steps[second:] if step.parents]) == 7
    assert not [step for step in steps[second:] if any(parent < second for parent in step.parents)]
    assert not [step for step in steps[:second] if "Bob" in step.visible_to and "story" in step.text]


def test_a_second_call_of_an_ensemble_is_what_its_user_says_next(recwarn):
    clerk = agent(Log(), "Clerk", ["Forty crates.", "Eight each."])
    team = Ensemble(lambda text: clerk.step(text).msgs[0].content, {"Clerk": clerk})
    with aegis.record(team) as run:
        team("How many crates?")
        team("And bottles?")
    assert told(run.trajectory) == [("Clerk", "Forty crates."), ("user", "And bottles?"), ("Clerk", "Eight each.")]
    assert any("2 calls" in str(warning.message) for warning in recwarn)


def test_words_of_the_users_own_inside_of_a_conversation_are_theirs_and_what_is_handed_on_is_not():
    society = pair(
        Log(), ["Instruction 1", "Instruction 2", "Instruction 3"], ["Solution 1", "Solution 2", "Solution 3"]
    )
    with aegis.record(society) as run:
        assistant, _ = society.step(society.init_chat())
        society.step(assistant.msgs[0])
        society.step("Do it in Rust, please.")
    assert told(run.trajectory)[4:] == [
        ("user", "Do it in Rust, please."), ("Trader", "Instruction 3"), ("Programmer", "Solution 3"),
    ]  # fmt: skip
    assert run.trajectory.steps[5].parents == (4,)
