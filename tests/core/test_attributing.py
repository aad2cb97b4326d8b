"""`aegis.attribute`: one run, judged out of the box or by whom one names."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import aegis_core as aegis
from aegis_core.attributing import DEFAULT, find_attributor, find_judge
from aegis_core.errors import LearnerError, PluginError, RecordError
from aegis_core.learner import Learner
from aegis_core.plugins import Plugins

RUN = aegis.Trajectory(
    run_id="r",
    task="How many bottles?",
    agents=(aegis.Agent(path="Solver"), aegis.Agent(path="Critic")),
    steps=(
        aegis.Step(index=0, agent="Solver", kind="message", text="96 bottles"),
        aegis.Step(index=1, agent="Critic", kind="message", text="Fine."),
    ),
)
BASELINES = EntryPoint("baselines", "aegis_baselines", "aegis")


@pytest.fixture
def plugins() -> Plugins:
    return Plugins([BASELINES], environ={})


def test_an_attributor_is_found_by_its_name(plugins):
    answer = aegis.attribute(RUN, "last-speaker", plugins=plugins)

    assert (answer.run_id, answer.blames[0].agent, answer.attributor) == ("r", "Critic", "last-speaker")


def test_a_trained_one_is_asked_as_it_is(plugins):
    class Sure(aegis.Attributor):
        name = "sure"

        def attribute(self, trajectory):
            return aegis.Attribution(run_id=trajectory.run_id, blames=(aegis.Blame(agent="Solver"),))

    assert aegis.attribute(RUN, Sure()).blames[0].agent == "Solver"


def test_without_the_default_one_it_says_whom_one_can_name(plugins):
    with pytest.raises(PluginError, match=f"default attributor '{DEFAULT}' is not installed.*last-speaker.*modal-step"):
        aegis.attribute(RUN, plugins=plugins)


def test_an_unknown_name_is_an_error_that_suggests_one(plugins):
    with pytest.raises(PluginError, match="unknown attributor 'last-speeker'; did you mean 'last-speaker'?"):
        find_judge("last-speeker", plugins)


def test_a_learner_must_be_trained_first(plugins):
    assert isinstance(find_judge("modal-step", plugins), Learner)
    with pytest.raises(LearnerError, match="'modal-step' is a learner.*--train DATA"):
        find_attributor("modal-step", plugins)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "None is no run; give a Trajectory, for example `run.trajectory` after `with aegis.record"),
        (aegis.Trajectory, "the class Trajectory is no run"),
        ("runs.jsonl", "'runs.jsonl' is a path, not a run; read it first"),
        (Path("runs.jsonl"), "'runs.jsonl' is a path, not a run"),
        (aegis.record(print, run_id="r"), "a Recording holds the run; give its `.trajectory`"),
        ([RUN], "a list is no run"),
    ],
)
def test_what_is_no_run_is_an_error_that_says_what_to_give(given, told):
    with pytest.raises(RecordError, match=told):
        aegis.attribute(given)


def test_what_is_no_attributor_is_an_error_that_says_what_to_give(plugins):
    learner = plugins.learner("modal-step")
    for given, told in (
        (learner, "the learner 'modal-step' judges nothing before it is trained; give what its `fit` returns"),
        (type(plugins.attributor("last-speaker")), "the class LastSpeaker is no attributor; give an instance of it"),
        (3, "a int is no attributor"),
    ):
        with pytest.raises(RecordError, match=told):
            aegis.attribute(RUN, given, plugins=plugins)


def test_importing_aegis_does_not_load_it():
    script = "import aegis_core, sys; print('aegis_core.attributing' in sys.modules); print(aegis_core.attribute)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("False\n<function attribute")
