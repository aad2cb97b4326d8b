"""The systems of the cases, recorded and plain: the same result, all as it was, and a record that can be kept."""

import asyncio

import pytest
from camel.toolkits import FunctionTool

import aegis_core as aegis
from aegis_core.testing.attributes import Attributes
from aegis_core.trajectory import Trajectory
from tests.adapters.camel.teams import Log, agent, asks, pair, result, task, workforce
from tests.adapters.camel.test_agents import add, broken

_FACTS, _REPORT = result("Hall 27 holds 40 crates."), result("There are 320 bottles.")


def words(response):
    return [str(message.content) for message in response.msgs], response.terminated, response.info.get("usage")


def stepped(app):
    return words(app.step("How many?"))


def astepped(app):
    return words(asyncio.run(app.astep("How many?")))


def streamed(app):
    return [words(chunk)[0] for chunk in app.step("How many?")]


def talked(app):
    told, said = app.init_chat(), []
    for _ in range(2):
        assistant, user = app.step(told)
        said += [words(assistant), words(user)]
        told = assistant.msgs[0]
    return said


def worked(app):
    done = app.process_task(task())
    return done.result, done.state, [(each.id, each.result) for each in done.subtasks]


def with_tool(log, tool=add, **more):
    return agent(log, "Clerk", [asks(tool.__name__, a=2, b=3), "It is 5."], tools=[FunctionTool(tool)], **more)


_SYSTEMS = {
    "1": (lambda log: agent(log, "Clerk", "40 crates."), stepped),
    "2": (with_tool, stepped),
    "3": (with_tool, astepped),
    "4": (lambda log: with_tool(log, broken), stepped),
    "5": (lambda log: agent(log, "Clerk", asks("add", a=2, b=3), external_tools=[FunctionTool(add)]), stepped),
    "6": (lambda log: with_tool(log, stream=True), streamed),
    "7": (lambda log: pair(log, ["One", "Two"], ["Three", "Four"]), talked),
    "11": (lambda log: workforce(log, {"Alice": _FACTS, "Bob": _REPORT}), worked),
    "12": (lambda log: workforce(log, {"Alice": [ValueError("down"), _FACTS]}, tasks=["Gather the facts."]), worked),
    "13": (lambda log: workforce(log, {"Alice": _FACTS}), worked),
}


@pytest.mark.parametrize("case", _SYSTEMS)
def test_a_recorded_system_gives_what_it_gives_plain_is_as_before_and_its_record_survives_json(case):
    build, play = _SYSTEMS[case]
    logs = plain_log, log = Log(), Log()
    plain, recorded = (build(each) for each in logs)
    expected = play(plain)
    before = Attributes(recorded, ("camel",))
    with aegis.record(recorded) as run:
        found = play(recorded)
    assert found == expected
    assert [(name, len(texts)) for name, texts in log] == [(name, len(texts)) for name, texts in plain_log]
    assert not before.changed(callables_only=True)
    assert run.trajectory.steps
    assert Trajectory.model_validate_json(run.trajectory.model_dump_json()) == run.trajectory
