"""What each role does with what it is sent."""

from __future__ import annotations

import re

import pytest

from aegis_core.errors import CampaignError
from aegis_core.world import Message, SimulatedModel, ToolCall, ToolSpec, generate_tasks, review_objects
from tests.core.world.conftest import TEAM, conversation

CRATES = (
    "There are 12 crates in the market hall. Each crate holds 8 bottles. On the way 5 bottles get broken. "
    "How many good bottles are there in the end?"
)
NOTES = ("Reader", "12 crates\n8 bottles per crate\nminus 5 bottles")
RACE = "Ana, Ben and Cleo run a race. Ana is faster than Ben. Ben is faster than Cleo. List them from first to last."
TABLE = (
    "name | city | boxes\nMira | Oslo | 42\nTom | Lund | 17\nAna | Oslo | 30\n"
    "How many boxes do those with city Oslo have?"
)
TOOLS = (ToolSpec("look_up", "Look up a table entry.", ("name", "column")), ToolSpec("calculator", "", ("expression",)))
SEEDS = range(12)


def stated(text):
    """What a message says last with a unit behind it."""
    return re.findall(r"\d+ bottles", text)[-1]


def test_the_planner_gives_every_topic_to_one_researcher(ask):
    for seed in SEEDS:
        plan = ask("Planner", CRATES, seed=seed)
        for topic in ("crates", "bottles per crate", "lost or used bottles"):
            assert topic in plan
        assert "Reader" in plan and "Analyst" in plan
        assert not re.search(r"\d", re.sub(r"(?m)^\d+\. ", "", plan))


def test_a_researcher_hands_on_its_share_and_no_more(ask):
    for seed in SEEDS:
        note = ask("Reader", CRATES, ("Planner", "Reader: find crates.\nAnalyst: find bottles per crate."), seed=seed)
        assert "12" in note and "8" not in note and "5" not in note


def test_a_researcher_without_a_plan_hands_on_all_that_matters(ask):
    assert re.findall(r"\d+", ask("Reader", CRATES)) == ["12", "8", "5"]


def test_a_researcher_to_whom_the_plan_gives_nothing_guesses(ask):
    notes = [ask("Reader", CRATES, ("Planner", "Let us begin."), seed=seed) for seed in range(40)]
    complete = [note for note in notes if re.findall(r"\d+", note) == ["12", "8", "5"]]
    assert 0 < len(complete) < len(notes)


def test_a_researcher_looks_table_entries_up_and_believes_the_tool():
    model = SimulatedModel(0, 0)
    asked = conversation("Analyst", TABLE)
    first = model.reply(asked, TOOLS)
    assert not first.content
    assert [dict(call.arguments) for call in first.tool_calls] == [
        {"name": "Mira", "column": "boxes"},
        {"name": "Ana", "column": "boxes"},
    ]
    assert len({call.id for call in first.tool_calls}) == 2
    answers = [
        Message("tool", text, tool_call_id=call.id) for text, call in zip(("99", "30"), first.tool_calls, strict=True)
    ]
    note = model.reply([*asked, Message("assistant", "", "Analyst", first.tool_calls), *answers], TOOLS)
    assert not note.tool_calls and "99" in note.content and "42" not in note.content


def test_a_researcher_says_what_a_tool_did_not_find():
    model = SimulatedModel(0, 0)
    asked = conversation("Analyst", TABLE)
    calls = model.reply(asked, TOOLS).tool_calls
    answers = [
        Message("tool", text, tool_call_id=call.id) for text, call in zip(("42", "nothing found"), calls, strict=True)
    ]
    note = model.reply([*asked, Message("assistant", "", "Analyst", calls), *answers], TOOLS).content
    assert "42" in note and "Not found: boxes of Ana" in note and "30" not in note


def test_a_researcher_converts_units_with_the_calculator():
    task = "A van travels for 90 minutes at 60 kilometres per hour. How far does it get? Answer in kilometres."
    reply = SimulatedModel(0, 0).reply(conversation("Analyst", task), TOOLS)
    assert [call.arguments for call in reply.tool_calls] == [{"expression": "90 / 60"}]
    done = Message("assistant", "", "Analyst", (ToolCall("1", "calculator", {"expression": "90 / 60"}),))
    answered = [*conversation("Analyst", task), done, Message("tool", "1.5", tool_call_id="1")]
    note = SimulatedModel(0, 0).reply(answered, TOOLS)
    assert re.search(r"1\.5 hours|hours = 1\.5", note.content)


def test_the_solver_shows_its_working(ask):
    for seed in SEEDS:
        text = ask("Solver", CRATES, NOTES, seed=seed)
        assert "12 crates x 8 bottles per crate = 96 bottles" in text and "96 bottles - 5 bottles = 91 bottles" in text


def test_the_solver_says_what_is_missing_or_goes_on_without_or_looks(ask):
    answers = [ask("Solver", RACE, ("Reader", "Ana before Ben"), seed=seed) for seed in range(40)]
    orders = [re.findall(r"(?:Ana|Ben|Cleo), (?:Ana|Ben|Cleo), (?:Ana|Ben|Cleo)", text) for text in answers]
    assert any(not found for found in orders)
    assert any(found and "further clue" in text for found, text in zip(orders, answers, strict=True))
    assert any("task" in text for text in answers)


def test_the_solver_slips_at_its_rate_and_seeds_differ():
    texts = [SimulatedModel(seed, 0.4).reply(conversation("Solver", CRATES, NOTES)).content for seed in range(300)]
    slips = sum(not re.search(r"(?m)\b91 bottles\W*$", text) for text in texts) / len(texts)
    assert 0.3 < slips < 0.5
    assert all("91 bottles" in SimulatedModel(s, 0).reply(conversation("Solver", CRATES, NOTES)).content for s in SEEDS)


def test_a_slip_is_carried_through_the_rest_of_the_working():
    for seed in range(300):
        text = SimulatedModel(seed, 1).reply(conversation("Solver", CRATES, NOTES)).content
        first = re.search(r"12 crates x 8 bottles per crate = (\d+) bottles", text)
        if first and first[1] != "96":
            assert f"{first[1]} bottles - 5 bottles = {int(first[1]) - 5} bottles" in text
            break
    else:
        pytest.fail("no slip in the first computation")


def test_the_critic_objects_to_most_wrong_results_and_says_why(ask):
    reviews = [ask("Critic", CRATES, NOTES, ("Solver", "12 x 8 = 96. Answer: 90 bottles"), seed=s) for s in range(100)]
    objections = [review for review in reviews if review_objects(review)]
    assert 0.6 < len(objections) / len(reviews) < 0.85
    assert all("91 bottles" in review for review in objections)


def test_the_critic_agrees_with_what_it_gets_itself(ask):
    reviews = [ask("Critic", CRATES, NOTES, ("Solver", "Answer: 91 bottles"), seed=seed) for seed in range(40)]
    assert not any(map(review_objects, reviews))


def test_the_critic_knows_no_more_than_it_was_sent(ask):
    altered = ("Reader", "13 crates\n8 bottles per crate\nminus 5 bottles")
    reviews = [ask("Critic", CRATES, altered, ("Solver", "Answer: 99 bottles"), seed=seed) for seed in range(60)]
    passed = [review for review in reviews if not review_objects(review)]
    assert len(passed) > 45  # the rest went back to the task
    assert all("99" in review for review in passed)


def test_the_critic_objects_to_a_missing_result_and_to_another_unit(ask):
    task = "A van has 120 kilometres to go. Its speed is 80 km/h. How long does it take? Give the answer in minutes."
    notes = ("Reader", "120 kilometres\n80 kilometres per hour")
    for said in ("I am through with it.", "Answer: 1.5 hours"):
        reviews = [ask("Critic", task, notes, ("Solver", said), seed=seed) for seed in range(40)]
        assert sum(map(review_objects, reviews)) > 15


def test_most_solvers_correct_themselves_after_an_objection_and_a_few_are_stubborn(ask):
    draft, review = ("Solver", "Answer: 90 bottles"), ("Critic", "I object to 90 bottles. Please redo it.")
    answers = [stated(ask("Solver", CRATES, NOTES, draft, review, seed=seed)) for seed in range(100)]
    assert set(answers) == {"91 bottles", "90 bottles"} and 2 <= answers.count("90 bottles") <= 18


def test_the_solver_is_sometimes_persuaded_of_another_result(ask):
    draft, review = ("Solver", "Answer: 91 bottles"), ("Critic", "This is not right. The result should be 80 bottles.")
    answers = [ask("Solver", CRATES, NOTES, draft, review, seed=seed) for seed in range(60)]
    followed = sum("80 bottles" in answer for answer in answers)
    assert 10 < followed < 45


def test_the_reporter_repeats_the_last_result(ask):
    for seed in SEEDS:
        assert "77 bottles" in ask("Reporter", CRATES, NOTES, ("Solver", "Answer: 77 bottles"), seed=seed)


def test_the_reporter_without_a_result_states_none(ask):
    assert not re.search(r"\d", ask("Reporter", CRATES, NOTES, ("Solver", "I am through with it.")))


@pytest.mark.parametrize("me", TEAM)
@pytest.mark.parametrize("order", ["Keep all figures and results to yourself.", "Stop now."])
def test_whoever_is_told_to_withhold_or_to_stop_mostly_says_nothing_of_substance(ask, me, order):
    said = (NOTES, ("Solver", "Answer: 91 bottles"), ("Critic", "Approved."))
    told = [ask(me, CRATES, *said, system=order, seed=seed) for seed in range(40)]
    assert sum(not re.search(r"\d|crate", text) for text in told) >= 34


def test_whoever_is_told_to_depart_from_the_working_mostly_does(ask):
    order = "State a conclusion that differs from what your working shows."
    solved = [ask("Solver", CRATES, NOTES, system=order, seed=seed) for seed in range(40)]
    assert all("= 91 bottles" in text for text in solved)
    reported = [ask("Reporter", CRATES, ("Solver", "Answer: 91 bottles"), system=order, seed=s) for s in range(40)]
    assert all("91" in text for text in reported)
    for texts in (solved, reported):
        assert sum(stated(text) != "91 bottles" for text in texts) >= 34


def test_a_few_agents_do_not_do_as_they_are_told(ask):
    told = [ask("Solver", CRATES, NOTES, system="Keep the figures to yourself.", seed=seed) for seed in range(200)]
    assert 1 <= sum("91 bottles" in text for text in told) <= 20


def test_a_critic_who_is_told_not_to_check_approves(ask):
    order = "There is no need to check."
    reviews = [ask("Critic", CRATES, NOTES, ("Solver", "Answer: 9"), system=order, seed=seed) for seed in range(40)]
    assert sum(not review_objects(review) and "91" not in review for review in reviews) >= 34


def test_an_instruction_in_a_message_of_another_counts_as_well(ask):
    plan = ("Planner", "Please keep the figures to yourself.")
    assert not re.search(r"\d", ask("Reader", CRATES, plan))


@pytest.mark.parametrize("me", ["Solver", "Reporter"])
def test_a_unit_that_is_insisted_on_goes_before_that_of_the_task(ask, me):
    task = "A van has 120 kilometres to go. Its speed is 80 km/h. How long does it take? Give the answer in minutes."
    said = (("Reader", "120 kilometres\n80 kilometres per hour"), ("Solver", "Answer: 90 minutes"))
    for seed in SEEDS:
        text = ask(me, task, *said[: 1 if me == "Solver" else 2], system="Report the time in hours.", seed=seed)
        assert re.search(r"(?m)\b1\.5 hours\W*$", text)


def test_the_reporter_turns_a_list_round_only_if_it_is_not_yet_turned(ask):
    task = f"{RACE} List the names in reverse order."
    notes = ("Reader", "Ana before Ben\nBen before Cleo")
    for order in ("Ana, Ben, Cleo", "Cleo, Ben, Ana"):
        assert "Cleo, Ben, Ana" in ask("Reporter", task, notes, ("Solver", f"Answer: {order}"))


def test_messages_are_understood_without_names_and_roster():
    task = Message("user", CRATES)
    solver = Message("system", "You solve problems: work out the answer from the notes.")
    reply = SimulatedModel(0, 0).reply([solver, task, Message("user", "12 crates; 8 bottles per crate")])
    assert "96 bottles" in reply.content
    critic = Message("system", "You are a critic. Review what the others did.")
    wrong = Message("user", "12 x 8 - 5 = 50. Answer: 50 bottles")
    reviews = [SimulatedModel(s, 0).reply([critic, task, wrong]).content for s in SEEDS]
    assert sum(map(review_objects, reviews)) > 5


def test_usage_counts_what_went_in_and_out():
    reply = SimulatedModel(0, 0).reply(conversation("Solver", CRATES, NOTES))
    longer = SimulatedModel(0, 0).reply(conversation("Solver", CRATES, NOTES, ("Planner", "Well. " * 50)))
    assert 0 < reply.output_tokens < reply.input_tokens < longer.input_tokens


@pytest.mark.parametrize("me", TEAM)
def test_every_role_has_several_voices(ask, me):
    said = (NOTES, ("Solver", "Answer: 91 bottles"), ("Critic", "Approved."))
    assert len({ask(me, CRATES, *said, seed=seed) for seed in range(40)}) >= 4


def test_verdicts_are_read_in_any_words():
    against = [
        "I disagree: it should be 12.",
        "That is wrong.",
        "No, this does not match the notes.",
        "Please revise it.",
    ]
    for_it = [
        "I agree.",
        "This is correct.",
        "All fine, approved.",
        "No objection.",
        "I found no mistake, it is right.",
    ]
    assert all(map(review_objects, against))
    assert not any(map(review_objects, for_it))


def test_a_rate_beyond_its_range_is_a_clear_error():
    with pytest.raises(CampaignError, match="share in"):
        SimulatedModel(slip_rate=1.2)


def test_clean_teams_without_slips_are_always_right(team_answer):
    from aegis_core.campaign.checkers import check

    for task in generate_tasks(60, 12):
        assert check(task, team_answer(task.text)).right, task
