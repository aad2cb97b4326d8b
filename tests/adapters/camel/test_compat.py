"""What is not public in CAMEL, what has to be installed, and what stays behind."""

import subprocess
import sys

import pytest
from camel.agents import ChatAgent
from camel.societies.workforce import RolePlayingWorker, SingleAgentWorker, Workforce
from camel.toolkits import FunctionTool

import aegis_core as aegis
from aegis_camel import _compat, aegis_adapters
from aegis_camel.adapter import CamelAdapter
from aegis_camel.ensemble import Ensemble
from aegis_camel.models import is_tapped
from aegis_core.errors import AdapterError, MissingDependencyError, RecorderWarning
from aegis_core.run import Run, RunInfo
from aegis_core.testing.attributes import Attributes
from tests.adapters.camel.teams import Log, agent, asks, pair, result, task, workforce


@pytest.mark.case("camel-N1")
def test_mcp_2_is_named_as_what_is_wrong():
    with pytest.raises(MissingDependencyError, match="mcp<2"):
        _compat.check_mcp(lambda _: "2.3.0")
    _compat.check_mcp(lambda _: "1.30.0")
    (provider,) = aegis_adapters()
    assert "mcp<2" in provider.requires


@pytest.mark.case("camel-N1")
def test_the_plugin_is_listed_without_camel_being_imported():
    code = "import aegis_camel, sys; list(aegis_camel.aegis_adapters()); assert 'camel' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_is_not_public_is_where_it_is_looked_for():
    crew = workforce(Log(), {"Alice": result("ok")})
    for name in (_compat.DECOMPOSE, _compat.ANALYSE, "process_task_async"):
        assert callable(getattr(crew, name))
    assert isinstance(getattr(crew, _compat.CALLBACKS), list)
    (node,) = _compat.children(crew)
    assert [type(clone) for clone in _compat.pending_agents(node)] == [ChatAgent]
    for worker in (SingleAgentWorker, RolePlayingWorker):
        assert callable(getattr(worker, _compat.PROCESS))
    assert isinstance(_compat.tools_of(node.worker), dict)


def systems():
    log = Log()

    def add(a: int, b: int) -> int:
        """Add.

        Args:
            a (int): One.
            b (int): Another.
        """
        return a + b

    clerk = agent(log, "Clerk", [asks("add", a=1, b=2), "3"], tools=[FunctionTool(add)])
    yield clerk, lambda app: app.step("go")
    yield pair(log, "Instruction", "Solution"), lambda app: app.step(app.init_chat())
    yield workforce(log, {"Alice": result("Hall 27 holds 40 crates.")}), lambda app: app.process_task(task())
    one = agent(log, "One", "1")

    def entry(text: str) -> None:
        one.step(text)

    yield Ensemble(entry, {"One": one}), lambda app: app("go")


@pytest.mark.case("camel-26")
@pytest.mark.parametrize("number", range(4))
def test_every_object_is_restored_after_a_run(number):
    app, play = list(systems())[number]
    play(list(systems())[number][0])  # what loads lazily is loaded
    before = Attributes(app, ("camel",))
    with aegis.record(app) as run:
        play(app)
    assert run.trajectory.steps
    assert not before.changed(callables_only=True)
    untouched, _ = list(systems())[number]
    before = Attributes(untouched, ("camel",))
    attachment = CamelAdapter().attach(untouched, Run(RunInfo(run_id="run")))
    attachment.detach()
    attachment.detach()
    assert not before.changed(callables_only=False)


@pytest.mark.case("camel-26")
@pytest.mark.parametrize("number", range(4))
def test_attaching_twice_is_refused_and_nothing_is_recorded_twice(number):
    app, play = list(systems())[number]
    with aegis.record(app) as run:
        with pytest.raises(AdapterError, match="already"):
            CamelAdapter().attach(app, Run(RunInfo(run_id="other")))
        play(app)
    texts = [(step.agent, step.kind, step.turn, step.branch, step.text) for step in run.trajectory.steps]
    assert len(set(texts)) == len(texts)
    CamelAdapter().attach(app, Run(RunInfo(run_id="another"))).detach()


def test_the_clones_in_a_pool_are_restored_too():
    crew = workforce(Log(), {"Alice": result("Hall 27 holds 40 crates.")})
    with aegis.record(crew):
        crew.process_task(task())
    (node,) = crew._children
    assert not any(is_tapped(clone) for clone in _compat.pending_agents(node))
    assert not is_tapped(node.worker)


def test_a_tool_that_is_added_during_a_run_stays():
    clerk = agent(Log(), "Clerk", "ok")

    def late(a: int) -> int:
        """Come late.

        Args:
            a (int): How late.
        """
        return a

    with aegis.record(clerk):
        clerk.add_tool(late)
        clerk.step("go")
    assert type(clerk.tool_dict["late"]) is FunctionTool


def test_one_agent_under_two_names_is_refused():
    one = agent(Log(), "One", "1")
    with pytest.raises(AdapterError, match="one agent object"):
        CamelAdapter().attach(Ensemble(print, {"A": one, "B": one}), Run(RunInfo(run_id="run")))
    assert not is_tapped(one)


def test_a_stream_that_is_read_after_the_run_is_the_users_alone():
    clerk = agent(Log(), "Clerk", "There are 40 crates.", stream=True)
    with aegis.record(clerk) as run:
        response = clerk.step("How many?")
    assert "".join(chunk.msgs[0].content for chunk in response) == "There are 40 crates."
    assert not run.trajectory.steps


def test_trouble_in_recording_is_warned_of_and_never_the_users(monkeypatch):
    def trouble(*_, **__):
        raise KeyError("no such thing")

    monkeypatch.setattr("aegis_camel.turns.input_parts", trouble)
    monkeypatch.setattr("aegis_camel.calls.request_parts", trouble)
    clerk = agent(Log(), "Clerk", "40 crates.")

    def play():
        with aegis.record(clerk) as run:
            return run, clerk.step("How many?")

    with pytest.warns(RecorderWarning, match="recording failed"):
        run, response = play()
    assert response.msgs[0].content == "40 crates."
    assert run.run.void


def test_names_come_from_the_role_then_the_description_then_what_the_agent_is_for():
    log = Log()
    crew = workforce(log, {"Alice": result("ok")})
    crew.add_single_agent_worker("A worker who counts and/or weighs", worker=agent(log, "x", "ok"))
    crew.add_single_agent_worker("Alice", worker=agent(log, "y", "ok"))
    paths = [found.path for found in CamelAdapter().agents(crew)]
    assert paths == ["Task Planner", "Coordinator", "Alice", "A worker who counts and-or weighs", "Alice 2"]
    assert CamelAdapter().agents(agent(log, "z", "ok", agent_id="counter"))[0].path == "counter"


def test_a_workforce_that_makes_a_worker_while_it_runs_has_it_recorded():
    log = Log()

    def assign(ids):
        return [{"task_id": own, "assignee_id": "id-Eve" if made else "id-Alice", "dependencies": []} for own in ids]

    crew = workforce(log, {"Alice": result("Nothing.")}, tasks=["Gather the facts."], assign=assign)
    made: list[bool] = []
    real = crew._post_ready_tasks

    async def posting():
        if not made:
            made.append(True)
            node = SingleAgentWorker("Eve", agent(log, "Eve", result("Hall 28 holds 50 crates."), agent_id="id-Eve"))
            crew._children.append(node)
            crew._notify_worker_created(node, worker_type="SingleAgentWorker")
            import asyncio

            node.set_channel(crew._channel)
            crew._child_listening_tasks.append(asyncio.create_task(node.start()))
        await real()

    crew._post_ready_tasks = posting
    with aegis.record(crew) as run:
        crew.process_task(task())
    assert ("Eve", "Hall 28 holds 50 crates.") in [(step.agent, step.text) for step in run.trajectory.steps]
    assert isinstance(crew, Workforce)
