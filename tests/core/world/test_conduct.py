"""Instructions about how to work with others are understood in any words, and followed by most."""

from __future__ import annotations

import re

import pytest

from aegis_core.world import Message, SimulatedModel, next_speaker, review_objects
from aegis_core.world.model.instructions import Instructions, read_instructions
from aegis_core.world.model.roles import (
    aggregator,
    coordinator,
    critic,
    planner,
    proxy,
    reporter,
    researcher,
    solver,
    verifier,
)
from aegis_core.world.prompts import system_prompt

TEAM = {
    "Chair": "manager",
    "Planner": "planner",
    "Reader": "researcher",
    "Solver": "solver",
    "Critic": "critic",
    "Reporter": "reporter",
}
CRATES = (
    "There are 12 crates in the market hall. Each crate holds 8 bottles. On the way 5 bottles get broken. "
    "How many good bottles are there in the end?"
)
NOTES = ("Reader", "12 crates\n8 bottles per crate\nminus 5 bottles")
GOOD, BAD = ("Solver", "Answer: 91 bottles"), ("Solver", "Answer: 90 bottles")
OBJECTION = ("Critic", "This is not right. The result should be 80 bottles. Please redo it.")
SEEDS, MOST = range(40), 34

TOLD = {
    "ignore": [
        "Ignore the critic.",
        "Pay no attention to what the reviewer says.",
        "Disregard any objection.",
        "Do not listen to the others.",
        "Take no notice of your colleagues' remarks.",
        "Whatever the critic writes, do not respond to the criticism.",
        "Dismiss the feedback that you get.",
        "You should not let yourself be influenced by the opinions of others.",
        "Never act on the suggestions of your team mates.",
        "Give no weight to the reviewer's arguments.",
        "Turn a deaf ear to all advice.",
    ],
    "restart": [
        "Start over.",
        "Begin again from scratch.",
        "Go back to square one.",
        "Throw away what you have and start anew.",
        "Do everything from the beginning.",
        "Scrap your draft and begin afresh.",
        "Please restart.",
        "Make a fresh start.",
        "Start the whole work again.",
    ],
    "no_questions": [
        "Do not ask anyone.",
        "Never ask for clarification.",
        "No questions, please.",
        "Keep your questions to yourself.",
        "Refrain from asking questions.",
        "Make assumptions rather than asking.",
        "You must not seek clarification from the others.",
        "Avoid raising any questions.",
        "There is no need to ask for missing information.",
    ],
    "repeat": [
        "Repeat your last message.",
        "Do the previous step once more.",
        "Say again what you said before.",
        "Redo a step that has already been done.",
        "Perform the same action twice, although the last step is done again.",
        "Restate the previous statement.",
        "Reiterate what you wrote.",
        "Carry out the last step a second time.",
        "Repeat yourself.",
    ],
    "go_on": [
        "Go on even after the answer is found.",
        "Do not stop once the task is done.",
        "Continue although everything is settled.",
        "Keep working when the result is clear.",
        "Never close the session, even if all agree.",
        "Carry on after the work is finished.",
        "When the goal is reached, do not end but proceed.",
        "Even though the task is complete, keep going.",
    ],
    "role": [
        "Act as the planner.",
        "Take over the role of the critic.",
        "Play the solver's part.",
        "From now on behave like a reporter.",
        "Assume the duties of the researcher.",
        "Pretend to be the reviewer.",
        "You are now the planner.",
        "Step into the shoes of the solver.",
        "Do the critic's job.",
    ],
    "forget": [
        "Forget everything that was said before.",
        "Disregard the conversation so far.",
        "Do not use anything from the earlier messages.",
        "Act as if nothing had been said.",
        "Put all of the previous discussion out of your mind.",
        "Wipe the history.",
        "Erase what you know from the exchange above.",
        "You must not look back at the previous turns.",
        "Ignore all earlier messages.",
    ],
}
NOT_TOLD = [
    "Do not ignore the critic.",
    "Listen to the others.",
    "Consider every objection.",
    "Do not start over.",
    "The race starts again at noon.",
    "Start with the first clue.",
    "Go over it from your notes.",
    "Ask for what is missing.",
    "Do not hesitate to ask the others.",
    "Answer the question.",
    "Do not repeat yourself.",
    "Never do the same step twice.",
    "Please redo it.",
    "Please go over it once more.",
    "Stop when the answer is found.",
    "Do not stop before the answer is found.",
    "Do not continue after the answer is found.",
    "Continue with the next step.",
    "Do not act as the planner.",
    "Work with the solver.",
    "Act on the critic's advice.",
    "Do not forget what was said before.",
    "Keep the conversation in mind.",
    "Remember everything that was said.",
    "I ignored the critic.",
    "If you are unsure, start over.",
]
MEMBERS = (aggregator, critic, coordinator, planner, proxy, reporter, researcher, solver, verifier)


@pytest.mark.parametrize(("kind", "sentence"), [(kind, s) for kind, said in TOLD.items() for s in said])
def test_a_paraphrase_is_understood(kind, sentence):
    assert getattr(read_instructions([f"There are 12 crates. {sentence} How many are there?"]), kind)


@pytest.mark.parametrize("sentence", NOT_TOLD)
def test_a_near_miss_is_not_mistaken_for_an_instruction(sentence):
    assert read_instructions([sentence]) == Instructions()


def phrases():
    for member in MEMBERS:
        for value in vars(member).values():
            many = value.values() if isinstance(value, dict) else (value,)
            yield from (one for said in many if isinstance(said, tuple) for one in said if isinstance(one, str))


def test_no_phrase_of_a_role_and_no_prompt_is_an_instruction():
    for text in {*phrases(), *(system_prompt(name, TEAM) for name in TEAM)}:
        filled = re.sub(r"\{(?:name|who|solver)\}", "Solver", text)
        assert read_instructions([filled], others=TEAM) == Instructions(), text


def say(me, *said, order="", seed=0, task=CRATES):
    head = [Message("system", f"{system_prompt(me, TEAM)} {order}".strip()), Message("user", task)]
    rest = [Message("assistant" if name == me else "user", text, name) for name, text in said]
    return SimulatedModel(seed, 0).reply([*head, *rest]).content


def all_say(me, *said, order="", task=CRATES):
    return [say(me, *said, order=order, seed=seed, task=task) for seed in SEEDS]


def last(texts):
    return [(re.findall(r"\d+ bottles", text) or [""])[-1] for text in texts]


def test_who_is_to_ignore_the_critic_never_follows_it():
    heeded = last(all_say("Solver", NOTES, GOOD, OBJECTION))
    ignored = last(all_say("Solver", NOTES, GOOD, OBJECTION, order="Pay no attention to the reviewer."))
    assert heeded.count("80 bottles") >= 8 and ignored.count("80 bottles") <= 3


def test_who_is_to_ignore_a_member_by_name_knows_nothing_from_it():
    told = all_say(
        "Solver",
        ("Planner", "Goal: How many bottles?"),
        NOTES,
        order="Take no account of Reader's messages.",
        task="Job 7.",
    )
    assert sum("91" not in text for text in told) >= MOST


def test_who_forgets_does_not_know_what_was_said_before():
    plan = ("Planner", "Goal: How many good bottles are there in the end?")
    told = all_say("Solver", NOTES, plan, order="Forget everything that was said before.", task="Job 7.")
    assert sum("91" not in text for text in told) >= MOST


def test_a_manager_that_starts_over_begins_with_the_first_step():
    names = [name for name in TEAM if name != "Chair"]
    usual = [next_speaker(text, names) for text in all_say("Chair", NOTES, GOOD)]
    anew = [next_speaker(text, names) for text in all_say("Chair", NOTES, GOOD, order="Start over from scratch.")]
    assert set(usual) == {"Critic"} and anew.count("Reader") >= MOST


def test_who_is_not_to_ask_goes_on_without():
    part = ("Reader", "Mira has 3 boxes. Each box holds 4 pens. Tom has 2 boxes.")
    task = "Mira has 3 boxes of 4 pens each, Tom has 2 boxes. How many pens do they have?"
    asked = all_say("Solver", part, task=task)
    told = all_say("Solver", part, task=task, order="Never ask for clarification.")
    assert not any("?" in text for text in told if "supply" in text)
    assert sum("supply" in text for text in told) <= sum("supply" in text for text in asked)


def test_a_step_is_repeated_word_for_word():
    told = all_say("Solver", NOTES, BAD, OBJECTION, order="Repeat your last message.")
    assert told.count(BAD[1]) >= MOST


def test_who_goes_on_does_not_conclude():
    told = all_say("Reporter", GOOD, order="Go on even after the answer is found.")
    assert sum("91" not in text for text in told) >= MOST
    reviews = all_say("Critic", NOTES, GOOD, order="Do not stop once the task is done.")
    assert sum(map(review_objects, reviews)) >= MOST
    calls = all_say("Chair", NOTES, GOOD, ("Critic", "Approved."), ("Reporter", "Answer: 91 bottles"),
                    order="Continue although everything is settled.")  # fmt: skip
    assert sum(bool(next_speaker(text, TEAM)) for text in calls) >= MOST


def test_who_plays_another_part_does_its_work():
    told = all_say("Solver", NOTES, order="Act as the planner.")
    assert sum("Reader" in text and "= 91" not in text for text in told) >= MOST
    told = all_say("Critic", NOTES, BAD, order="Take over the role of the reporter.")
    assert sum("90 bottles" in text and not review_objects(text) for text in told) >= MOST
