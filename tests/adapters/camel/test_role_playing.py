"""RolePlaying: two sides, a task specifier, a planner, a critic."""

import asyncio

import pytest
from camel.agents import TaskPlannerAgent, TaskSpecifyAgent
from camel.societies import RolePlaying

import aegis_core as aegis
from aegis_camel.adapter import CamelAdapter
from aegis_camel.ensemble import Ensemble
from aegis_camel.models import tap
from aegis_core.errors import AdapterError, RecorderWarning
from tests.adapters.camel.teams import MARK, Log, acted, answering, kinds, pair, said, target

_TURNS = ["Trader", "Programmer", "Trader", "Programmer"]


def two_rounds(society: RolePlaying):
    told = society.init_chat()
    for _ in range(2):
        assistant, user = society.step(told)
        told = assistant.msgs[0]
    return assistant, user


async def two_rounds_async(society: RolePlaying):
    told = await society.ainit_chat()
    for _ in range(2):
        assistant, user = await society.astep(told)
        told = assistant.msgs[0]
    return assistant, user


@pytest.mark.case("camel-7")
@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_two_sides_take_turns_under_their_role_names(asynchronous):
    society = pair(Log(), ["Instruction 1", "Instruction 2"], ["Solution 1", "Solution 2"])
    with aegis.record(society) as run:
        asyncio.run(two_rounds_async(society)) if asynchronous else two_rounds(society)
    trajectory = run.trajectory
    assert said(trajectory) == [
        ("Trader", "Instruction 1"),
        ("Programmer", "Solution 1"),
        ("Trader", "Instruction 2"),
        ("Programmer", "Solution 2"),
    ]
    assert [step.addressed_to for step in trajectory.steps] == [("Programmer",), ("Trader",)] * 2
    assert trajectory.steps[2].parents == (1,)
    assert (trajectory.task, trajectory.final_output) == ("Write a trading bot.", "Solution 2")
    assert [agent.path for agent in trajectory.agents] == ["Trader", "Programmer"]
    assert "never flip roles" in trajectory.agents[0].role.lower()


@pytest.mark.case("camel-8")
def test_specifier_and_planner_who_act_in_the_constructor_are_recorded_by_tapped_models():
    log = Log()
    specifier = tap(answering(log, "Specifier", "Write a bot that trades 40 crates."), "Specifier", kind="plan")
    planner = tap(answering(log, "Planner", "1. Write. 2. Test."), "Planner", kind="plan")

    def entry(task: str) -> str:
        society = RolePlaying(
            assistant_role_name="Programmer",
            user_role_name="Trader",
            task_prompt=task,
            with_task_planner=True,
            task_specify_agent_kwargs={"model": specifier},
            task_planner_agent_kwargs={"model": planner},
            user_agent_kwargs={"model": user},
            assistant_agent_kwargs={"model": assistant},
        )
        return str(two_rounds(society)[0].msgs[0].content)

    user = tap(answering(log, "Trader", ["Instruction 1", "Instruction 2"]), "Trader")
    assistant = tap(answering(log, "Programmer", ["Solution 1", "Solution 2"]), "Programmer")
    team = Ensemble(entry, models=[specifier, planner, user, assistant])
    with aegis.record(team) as run:
        team("Write a trading bot.")
    trajectory = run.trajectory
    assert kinds(trajectory) == [("Specifier", "plan"), ("Planner", "plan"), *((name, "message") for name in _TURNS)]
    assert [step.turn for step in trajectory.steps] == [1, 1, 1, 1, 2, 2]
    assert trajectory.final_output == "Solution 2"
    assert trajectory.steps[1].parents == (0,)
    assert specifier.run([{"role": "user", "content": "again"}]).choices[0].message.content  # without a run, the model
    assert len(run.trajectory.steps) == len(trajectory.steps)


@pytest.mark.case("camel-8")
def test_specifier_and_planner_that_your_own_code_lets_act_say_plans():
    log = Log()
    specifier = TaskSpecifyAgent(model=answering(log, "Specifier", "Write a bot that trades 40 crates."))
    planner = TaskPlannerAgent(model=answering(log, "Planner", "1. Write. 2. Test."))
    team = Ensemble(lambda task: planner.run(specifier.run(task)), {"Specifier": specifier, "Planner": planner})
    with aegis.record(team) as run:
        team("Write a trading bot.")
    assert kinds(run.trajectory) == [("Specifier", "plan"), ("Planner", "plan")]
    assert run.trajectory.steps[1].parents == (0,)


def test_a_society_with_a_specifier_can_be_recorded_from_there_on():
    log = Log()
    society = pair(
        log, "Instruction", "Solution", with_task_specify=True,
        task_specify_agent_kwargs={"model": answering(log, "Specifier", "Specified.")},
    )  # fmt: skip
    with aegis.record(society) as run:
        two_rounds(society)
    assert run.trajectory.task == "Specified."
    assert [step.agent for step in run.trajectory.steps] == _TURNS


@pytest.mark.case("camel-9")
def test_a_critic_stands_between_the_two_sides():
    log = Log()
    critic = {"model": answering(log, "critic", "1: it is good.")}
    society = pair(log, "Instruction", "Solution", with_critic_in_the_loop=True, critic_kwargs=critic)
    with aegis.record(society) as run:
        society.step(society.init_chat())
    steps = run.trajectory.steps
    assert [step.agent for step in steps] == ["Trader", "critic", "Programmer", "critic"]
    assert [step.addressed_to for step in steps] == [("critic",), ("Programmer",), ("critic",), ("Trader",)]
    assert steps[0].index in steps[2].parents, "what the critic let through is the proposer's"


def test_two_sides_with_one_role_name_are_told_apart():
    log = Log()
    model = answering(log, "both", "Well.")
    society = RolePlaying("Author", "Author", task_prompt="Write.", with_task_specify=False, model=model)
    with aegis.record(society) as run:
        society.step(society.init_chat())
    assert [step.agent for step in run.trajectory.steps] == ["Author (user)", "Author (assistant)"]


@pytest.mark.case("camel-10")
@pytest.mark.parametrize("scope", ["belief", "outgoing"])
def test_an_altered_instruction_reaches_the_other_side_and_the_own_memory_only_if_it_is_believed(scope):
    log = Log()
    society = pair(log, ["Instruction 1", "Instruction 2"], ["Solution 1", "Solution 2"])
    run = acted(society, two_rounds, target("Trader", "response_corruption", scope))
    assert MARK in log.of("Programmer")[0][-1]
    own = "\n".join(log.of("Trader")[1])
    assert (MARK in own) is (scope == "belief")
    assert "Instruction 1" in own
    assert run.ledger().interventions[0].fired
    assert run.trajectory().steps[0].text == f"Instruction 1 {MARK}"


@pytest.mark.case("camel-10")
@pytest.mark.parametrize("scope", ["persistent", "ephemeral"])
def test_an_injection_is_shown_to_its_target_alone_now_or_for_good(scope):
    log = Log()
    society = pair(log, ["Instruction 1", "Instruction 2"], ["Solution 1", "Solution 2"])
    run = acted(society, two_rounds, target("Programmer", "prompt_injection", scope))
    first, second = ("\n".join(texts) for texts in log.of("Programmer"))
    assert MARK in first
    assert (MARK in second) is (scope == "persistent")
    assert not any(MARK in text for texts in log.of("Trader") for text in texts)
    assert MARK not in run.trajectory().model_dump_json()


def test_a_conversation_that_is_started_again_in_one_block_is_warned_of():
    society = pair(Log(), "Instruction", "Solution")

    def play() -> None:
        with aegis.record(society):
            two_rounds(society)
            two_rounds(society)

    with pytest.warns(RecorderWarning, match="2 calls"):
        play()


def test_start_lets_the_society_work_until_somebody_ends_it():
    society = pair(Log(), ["Instruction", "CAMEL_TASK_DONE"], ["Solution 1", "Solution 2"])
    adapter = CamelAdapter()
    with aegis.record(society) as run:
        result = adapter.start(society, "How many crates?")
    assert [step.agent for step in run.trajectory.steps] == _TURNS
    assert adapter.output(result) == "Solution 2"


def test_a_model_that_is_tapped_for_one_run_is_refused_to_another():
    tapped = tap(answering(Log(), "one", "ok"), "One")
    team = Ensemble(lambda task: task, models=[tapped])
    with aegis.record(team) as run:
        with pytest.raises(AdapterError, match="already"):
            CamelAdapter().attach(Ensemble(lambda task: task, models=[tapped]), run.run)
        run.app("go")


def test_a_model_that_is_not_tapped_is_refused():
    with pytest.raises(AdapterError, match="tap"), aegis.record(Ensemble(print, models=[answering(Log(), "x", "")])):
        pass
