"""What the kit can't know of: names in nested crews, branches, and what this framework hides."""

import pytest
from aegis_plugin_adapter.names import members
from tinycrew import Agent, Crew, Message

import aegis_core as aegis
from aegis_core.plugins import default_plugins


class Echo:
    """A model that repeats what it was told last, and how much it was shown."""

    def chat(self, messages, _tools):
        return Message("model", f"{messages[-1].text} ({len(messages)})")


class Broken:
    def chat(self, _messages, _tools):
        raise OSError("no line to the model")


@pytest.fixture
def crew():
    one, two, three = (Agent(name, Echo()) for name in ("One", "Two", "Three"))
    inner = Crew("Inner", two, three, at_once=True)
    return Crew("Outer", one, inner, one)


def test_agents_of_inner_crews_are_named_by_path_and_each_is_named_once(crew):
    assert [(member.path, member.branch) for member in members(crew)] == [
        ("One", ""), ("Inner/Two", "Two"), ("Inner/Three", "Three"),
    ]  # fmt: skip


def test_a_crew_is_recorded_from_task_to_answer(crew):
    with aegis.record(crew) as run:
        answer = crew.run("Count")

    said = [(step.agent, step.text, step.turn) for step in run.trajectory.steps]
    assert said == [
        ("One", "Count (1)", 1), ("Inner/Three", "Count (1) (1)", 1), ("Inner/Two", "Count (1) (1)", 1),
        ("One", "Count (1) (1)\nCount (1) (1) (3)", 2),
    ]  # fmt: skip
    assert run.trajectory.task == "Count"
    assert run.trajectory.final_output == answer.text


def test_a_tool_that_an_agent_gets_later_is_used_as_it_is(crew):
    """The taps are those of the moment of attaching: what is added afterwards is not recorded, works, and stays."""
    agent = crew.members[0]
    with aegis.record(crew):
        agent.tools["late"] = str.upper
        assert agent.tools["late"]("x") == "X"
    assert agent.tools == {"late": str.upper}


def test_what_a_model_raises_in_a_thread_of_an_inner_crew_is_told_of_its_agent(crew):
    crew.members[1].members[0].model = Broken()
    with pytest.raises(OSError, match="no line"), aegis.record(crew) as run:
        crew.run("Count")
    assert (run.trajectory.error.type, run.trajectory.error.agent) == ("OSError", "Inner/Two")


def test_the_adapter_is_found_by_the_object_alone(crew):
    assert default_plugins().adapter_for(crew).name == "tinycrew"
