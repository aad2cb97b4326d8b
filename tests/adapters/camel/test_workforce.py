"""Workforce: plans, hand-offs, workers and their clones, failures, judgements."""

import asyncio
import json

import pytest
from camel.agents import ChatAgent
from camel.societies.workforce import Workforce, WorkforceMode
from camel.societies.workforce.workforce_callback import WorkforceCallback

import aegis_core as aegis
from aegis_camel.adapter import CamelAdapter
from aegis_camel.ensemble import Ensemble
from aegis_core.run.canonical import canonical
from tests.adapters.camel.teams import MARK, Log, acted, agent, answering, kinds, result, said, target, task, workforce

_FACTS = "Hall 27 holds 40 crates of 8 bottles."
_REPORT = "There are 320 bottles."


def team(log: Log, **more) -> Workforce:
    return workforce(log, {"Alice": result(_FACTS), "Bob": result(_REPORT)}, **more)


class Counting(WorkforceCallback):
    """A user's own listener."""

    def __init__(self) -> None:
        self.names: list[str] = []


for _name in WorkforceCallback.__abstractmethods__:
    setattr(Counting, _name, lambda self, event, _name=_name: self.names.append(_name))
Counting.__abstractmethods__ = frozenset()


@pytest.mark.case("camel-11")
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_plan_hand_offs_the_workers_and_the_judgements_of_what_they_did(asynchronous):
    log, counting = Log(), Counting()
    crew = team(log, callbacks=[counting])
    with aegis.record(crew) as run:
        done = asyncio.run(crew.process_task_async(task())) if asynchronous else crew.process_task(task())
    trajectory = run.trajectory
    assert [(step.agent, step.kind, step.branch) for step in trajectory.steps] == [
        ("Task Planner", "plan", ""),
        ("Coordinator", "handoff", ""),
        ("Coordinator", "handoff", ""),
        ("Alice", "message", "0.1"),
        ("Task Planner", "message", "0.1"),
        ("Bob", "message", "0.2"),
        ("Task Planner", "message", "0.2"),
    ]
    assert [step.addressed_to for step in trajectory.steps[1:3]] == [("Alice",), ("Bob",)]
    assert trajectory.steps[3].text == _FACTS
    assert 3 in trajectory.steps[5].parents, "Bob was told what Alice found out"
    assert _FACTS in log.last("Bob")
    assert trajectory.final_output == done.result
    assert trajectory.task == task().content
    managers = [found.path for found in trajectory.agents if found.kind == "manager"]
    assert managers == ["Task Planner", "Coordinator"]
    assert "log_all_tasks_completed" in counting.names
    assert len([name for name in counting.names if name != "log_message"]) == 14


@pytest.mark.case("camel-12")
def test_a_worker_that_raises_once_is_an_error_and_then_a_second_turn_on_the_same_task():
    log = Log()
    crew = workforce(log, {"Alice": [ValueError("out of order"), result(_FACTS)]}, tasks=["Gather the facts."])
    with aegis.record(crew) as run:
        done = crew.process_task(task())
    assert done.state.value == "DONE"
    assert [(s.agent, s.kind, s.branch, s.turn) for s in run.trajectory.steps if s.branch] == [
        ("Alice", "error", "0.1", 1),
        ("Task Planner", "message", "0.1", 1),
        ("Alice", "message", "0.1", 2),
        ("Task Planner", "message", "0.1", 2),
    ]
    assert run.trajectory.error is None


@pytest.mark.case("camel-12")
def test_a_worker_that_says_that_it_failed_is_a_message_and_an_error():
    log = Log()
    answers = [result("I could not find it, sorry.", failed=True), result(_FACTS)]
    crew = workforce(log, {"Alice": answers}, tasks=["Gather the facts."])
    with aegis.record(crew) as run:
        crew.process_task(task())
    own = [(step.kind, step.turn) for step in run.trajectory.steps if step.agent == "Alice"]
    assert own == [("message", 1), ("error", 1), ("message", 2)]
    failed = next(step for step in run.trajectory.steps if step.kind == "message" and step.agent == "Alice")
    assert failed.content[0].data == {"failed": True}
    assert "id-Alice" not in run.trajectory.steps[4].text


@pytest.mark.case("camel-13")
def test_the_clones_of_a_pool_are_one_agent_with_a_branch_for_each_task():
    log = Log()
    crew = workforce(
        log, {"Alice": lambda texts: result(f"Done: {'facts' if 'facts' in texts[-1] else 'report'} it is.")},
        assign=lambda ids: [{"task_id": own, "assignee_id": "id-Alice", "dependencies": []} for own in ids],
    )  # fmt: skip
    with aegis.record(crew) as run:
        crew.process_task(task())
    own = [(step.agent, step.branch, step.turn) for step in run.trajectory.steps if step.agent == "Alice"]
    assert own == [("Alice", "0.1", 1), ("Alice", "0.2", 1)]
    assert not run.tape.overlapping
    assert [found.path for found in run.trajectory.agents] == ["Task Planner", "Coordinator", "Alice"]


def test_the_record_does_not_depend_on_which_worker_is_faster():
    def play(slow: str):
        crew = workforce(
            Log(), {name: result(f"{name} has found 40 crates.") for name in ("Alice", "Bob")},
            assign=lambda ids: [
                {"task_id": own, "assignee_id": f"id-{name}", "dependencies": []}
                for own, name in zip(ids, ("Alice", "Bob"), strict=True)
            ],
        )  # fmt: skip
        for node in crew._children:
            model = node.worker.model_backend.models[0]

            async def answer(messages, tools, name=node.description, real=model._answer):
                await asyncio.sleep(0.15 if name == slow else 0)
                return real(messages, tools)

            model._aanswer = answer
        with aegis.record(crew, run_id="same") as run:
            crew.process_task(task())
        return canonical(run.trajectory, run.tape, run.run.ledger())[0]

    one, other = play("Alice"), play("Bob")
    assert one == other


@pytest.mark.case("camel-14")
def test_a_role_playing_worker_is_grouped_under_its_node():
    log = Log()
    crew = workforce(log, {}, tasks=["Talk it over."], assign=None)
    crew.add_role_playing_worker(
        "Debate", "Programmer", "Trader",
        assistant_agent_kwargs={"model": answering(log, "Programmer", ["Solution 1", "Solution 2"])},
        user_agent_kwargs={"model": answering(log, "Trader", ["Instruction 1", "CAMEL_TASK_DONE"])},
        summarize_agent_kwargs={"model": answering(log, "Summarizer", result("They agreed on 40 crates."))},
    )  # fmt: skip
    node = crew._children[0]
    crew.coordinator_agent.model_backend.models[0] = answering(
        log,
        "Coordinator",
        json.dumps({"assignments": [{"task_id": "0.1", "assignee_id": node.node_id, "dependencies": []}]}),
    )
    crew.coordinator_agent.model_backend.models_cycle = iter(crew.coordinator_agent.model_backend.models * 9)
    with aegis.record(crew) as run:
        crew.process_task(task())
    own = [(step.agent, step.text) for step in run.trajectory.steps if step.branch == "0.1"][:5]
    assert own == [
        ("Debate/Trader", "Instruction 1"),
        ("Debate/Programmer", "Solution 1"),
        ("Debate/Trader", "CAMEL_TASK_DONE"),
        ("Debate/Programmer", "Solution 2"),
        ("Debate/Summarizer", "They agreed on 40 crates."),
    ]
    assert next(step for step in run.trajectory.steps if step.kind == "handoff").addressed_to == ("Debate",)
    assert node.node_id not in run.trajectory.model_dump_json()
    assert "model" in node.user_agent_kwargs
    assert not hasattr(node.user_agent_kwargs["model"], "aegis_binding")


@pytest.mark.case("camel-15")
def test_two_workforces_in_one_loop_are_two_records():
    logs = [Log(), Log()]
    facts = ["Hall 1 holds 11 crates.", "Hall 2 holds 22 crates."]
    crews = [
        workforce(log, {"Alice": result(text), "Bob": result(f"So: {text}")})
        for log, text in zip(logs, facts, strict=True)
    ]
    records = []

    async def play(crew: Workforce, question: str) -> None:
        with aegis.record(crew) as run:
            await crew.process_task_async(task(question))
        records.append(run.trajectory)

    async def both() -> None:
        await asyncio.gather(*(play(crew, text) for crew, text in zip(crews, ("one?", "two?"), strict=True)))

    asyncio.run(both())
    assert sorted(record.task for record in records) == ["one?", "two?"]
    for record in records:
        own, other = facts if record.task == "one?" else reversed(facts)
        assert own in record.model_dump_json()
        assert other not in record.model_dump_json()


@pytest.mark.case("camel-16")
@pytest.mark.parametrize("scope", ["belief", "outgoing"])
def test_served_up_to_a_worker_altered_there_and_live_behind_it(scope):
    clean_log = Log()
    crew = team(clean_log)
    with aegis.record(crew) as clean:
        crew.process_task(task())
    tape = canonical(clean.trajectory, clean.tape, clean.run.ledger())[1]
    log = Log()
    run = acted(
        team(log), lambda app: app.process_task(task()),
        target("Alice", "response_corruption", scope, branch="0.1"), served=tape,
    )  # fmt: skip
    assert not run.void
    assert run.ledger().interventions[0].fired
    assert [name for name, _ in log] == ["Task Planner", "Bob", "Task Planner"], "called live behind the alteration"
    assert f"{_FACTS} {MARK}" in log.last("Bob")
    steps, before = run.trajectory().steps, clean.trajectory.steps
    assert [s.text for s in steps[:3]] == [s.text for s in before[:3]]
    assert steps[3].text == f"{_FACTS} {MARK}"
    assert steps[3].content == before[3].content, "the answer still says that it did not fail"


def test_a_run_that_is_served_to_its_end_is_the_recorded_one_though_nodes_have_drawn_ids():
    def build(log: Log) -> Workforce:
        crew = Workforce(
            "team",
            coordinator_agent=ChatAgent("You lead.", model=answering(log, "Coordinator", assign)),
            task_agent=ChatAgent("You plan.", model=answering(log, "Task Planner", manage)),
            graceful_shutdown_timeout=0,
        )
        return crew.add_single_agent_worker("Alice", worker=agent(log, "Alice", result(_FACTS)))

    def manage(texts):
        if "recovery_strategy" in texts[-1]:
            return json.dumps({"reasoning": "ok", "issues": [], "recovery_strategy": None, "quality_score": 90})
        return "<tasks><task>Gather the facts.</task></tasks>"

    def assign(texts):
        import re

        (node,) = set(re.findall(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", texts[-1]))
        return json.dumps({"assignments": [{"task_id": "0.1", "assignee_id": node, "dependencies": []}]})

    crew = build(Log())
    with aegis.record(crew) as clean:
        crew.process_task(task())
    log = Log()
    run = acted(build(log), lambda app: app.process_task(task()), served=clean.tape)
    assert not run.void
    assert not log, "nothing was called live"
    assert [s.text for s in run.trajectory().steps] == [s.text for s in clean.trajectory.steps]


def test_an_altered_plan_is_still_a_plan():
    log = Log()
    run = acted(
        team(log), lambda app: app.process_task(task()), target("Task Planner", "response_corruption", "outgoing")
    )
    assert run.ledger().interventions[0].fired
    assert run.trajectory().final_output.count("Subtask") == 2
    assert any(MARK in texts[-1] for texts in log.of("Coordinator"))
    assert any(MARK in text for texts in log.of("Alice") for text in texts)
    assert not any(MARK in text for texts in log.of("Task Planner") for text in texts), "it remembers its own plan"


@pytest.mark.case("camel-N2")
def test_start_inside_a_running_loop_does_not_hang():
    crew = team(Log())

    async def play():
        with aegis.record(crew) as run:
            done = await asyncio.wait_for(CamelAdapter().start(crew, "How many?"), 20)
        return run, done

    run, done = asyncio.run(play())
    assert CamelAdapter().output(done) == run.trajectory.final_output is not None


@pytest.mark.case("camel-N4")
def test_a_result_that_is_judged_too_poor_is_an_error_of_its_worker_and_nobody_is_called_unknown():
    log, poor = Log(), []

    def judge(_text: str) -> str:
        poor.append(True)
        good = len(poor) > 1
        return json.dumps({
            "reasoning": "Judged.", "issues": [] if good else ["thin"], "quality_score": 95 if good else 10,
            "recovery_strategy": None if good else "retry", "modified_task_content": None,
        })  # fmt: skip

    crew = workforce(log, {"Alice": result(_FACTS)}, tasks=["Gather the facts."], judge=judge)
    with aegis.record(crew) as run:
        crew.process_task(task())
    own = [(step.kind, step.turn) for step in run.trajectory.steps if step.agent == "Alice"]
    assert own == [("message", 1), ("error", 1), ("message", 2)]
    assert "unknown" not in {found.path for found in run.trajectory.agents}


@pytest.mark.case("camel-N6")
def test_one_agent_object_as_coordinator_task_agent_and_worker_is_three_agents():
    log = Log()

    def everything(texts):
        if "Task ID:" in texts[-1] and "assign" in texts[-1].lower() and "<tasks>" not in texts[-1]:
            return json.dumps({"assignments": [{"task_id": "0.1", "assignee_id": "id-all", "dependencies": []}]})
        if "recovery_strategy" in texts[-1]:
            return json.dumps({"reasoning": "ok", "issues": [], "recovery_strategy": None, "quality_score": 90})
        if "<tasks>" in texts[-1]:
            return "<tasks><task>Gather the facts.</task></tasks>"
        return result(_FACTS)

    one = agent(log, "All", everything, agent_id="id-all")
    crew = Workforce("team", coordinator_agent=one, task_agent=one, graceful_shutdown_timeout=0)
    crew.add_single_agent_worker("Alice", worker=one)
    with aegis.record(crew) as run:
        crew.process_task(task())
    assert kinds(run.trajectory) == [
        ("Task Planner", "plan"),
        ("Coordinator", "handoff"),
        ("Alice", "message"),
        ("Task Planner", "message"),
    ]


@pytest.mark.case("camel-N7")
def test_an_assignment_to_nobody_is_recorded_as_it_was_said_and_the_second_one_as_a_hand_off():
    log, tries = Log(), []

    def assign(ids):
        tries.append(ids)
        who = "nobody" if len(tries) == 1 else "id-Alice"
        return [{"task_id": ids[0], "assignee_id": who, "dependencies": []}]

    crew = workforce(log, {"Alice": result(_FACTS)}, tasks=["Gather the facts."], assign=assign)
    with aegis.record(crew) as run:
        crew.process_task(task())
    own = [(step.kind, step.turn) for step in run.trajectory.steps if step.agent == "Coordinator"]
    assert own == [("message", 1), ("handoff", 2)]


@pytest.mark.case("camel-N7")
def test_an_empty_result_is_a_failure_of_its_worker():
    log = Log()
    crew = workforce(log, {"Alice": [result(""), result(_FACTS)]}, tasks=["Gather the facts."])
    with aegis.record(crew) as run:
        crew.process_task(task())
    own = [(step.kind, step.turn) for step in run.trajectory.steps if step.agent == "Alice"]
    assert own == [("message", 1), ("error", 1), ("message", 2)]
    assert run.trajectory.steps[2].text == ""


def test_a_pipeline_runs_side_by_side_and_joins():
    log = Log()
    crew = workforce(
        log, {"Alice": lambda texts: result(f"Alice did it: {len(texts[-1])}."), "Bob": result(_REPORT)},
        assign=lambda ids: [{"task_id": own, "assignee_id": "id-Alice", "dependencies": []} for own in ids],
        mode=WorkforceMode.PIPELINE,
    )  # fmt: skip
    crew.pipeline_add("Begin.").pipeline_fork(["Left.", "Right."]).pipeline_join("Join.").pipeline_build()
    with aegis.record(crew) as run:
        crew.process_task(task())
    own = [step.branch for step in run.trajectory.steps if step.agent == "Alice"]
    assert len(own) == len(set(own)) == 4
    assert not run.tape.overlapping


def test_a_workforce_that_is_part_of_an_ensemble_has_its_name_in_front():
    log = Log()
    crew, editor = team(log), agent(log, "Editor", "Edited.")

    def entry(question: str) -> str:
        return str(editor.step(str(crew.process_task(task(question)).result)).msgs[0].content)

    whole = Ensemble(entry, {"Crew": crew, "Editor": editor})
    with aegis.record(whole) as run:
        whole("How many?")
    assert [step.agent for step in run.trajectory.steps][-3:] == ["Crew/Bob", "Crew/Task Planner", "Editor"]
    assert run.trajectory.final_output == "Edited."


def test_a_workforce_as_a_worker_waits_for_ever_in_camel_itself():
    log = Log()
    inner = workforce(log, {"Bob": result(_FACTS)}, tasks=["Inner work."])

    def assign(ids):
        return [{"task_id": own, "assignee_id": inner.node_id, "dependencies": []} for own in ids]

    outer = workforce(log, {}, tasks=["Outer work."], assign=assign)
    outer.add_workforce(inner)

    async def play() -> None:
        await asyncio.wait_for(outer.process_task_async(task()), 1)

    assert "team/Bob" in [found.path for found in CamelAdapter().agents(outer)]
    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(play())
    assert not log.of("Bob"), "CAMEL hands tasks on to a workforce: let the adapter record it, and say so in its README"


def test_a_limit_that_camel_swallows_ends_the_run_all_the_same():
    from aegis_core.errors import RunLimitReached
    from aegis_core.run import Limits, Run, RunInfo

    adapter, crew = CamelAdapter(), team(Log())
    run = Run(RunInfo(run_id="run", adapter="camel", agents=adapter.agents(crew)), limits=Limits(turns=2))
    with pytest.raises(RunLimitReached), adapter.attach(crew, run):
        crew.process_task(task())
    assert run.limit_reached


def test_nothing_of_a_workforce_stays_patched():
    from aegis_core.testing.attributes import Attributes

    crew = team(Log())
    before = Attributes(crew, ("camel",))
    with aegis.record(crew):
        pass_over = said  # nothing runs
        del pass_over
    assert not before.changed(callables_only=False)


pytestmark = pytest.mark.filterwarnings("ignore:aegis. nothing was recorded")
