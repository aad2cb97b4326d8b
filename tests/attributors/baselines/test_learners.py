"""The rules that count first: what they count, whom they blame then, and that their counts are all they keep."""

from __future__ import annotations

import dataclasses

import pytest

from aegis_baselines.counting import failed_runs
from aegis_baselines.frequency import MostFrequentLearner
from aegis_baselines.modes import EveryAgentTopModeLearner
from aegis_baselines.roles import RolePriorLearner, role
from aegis_baselines.speakers import LastSpeaker
from aegis_baselines.steps import ModalStepLearner
from aegis_core.errors import LearnerError, StoreError
from aegis_core.faults import Labels
from aegis_core.format import ChosenRuns
from aegis_core.plugins import default_plugins
from tests.attributors.baselines.runs import chosen, fault, labelled, trajectory

LEARNERS = (ModalStepLearner, MostFrequentLearner, RolePriorLearner, EveryAgentTopModeLearner)
RUN = trajectory("Human", "Boss", "Solver", "Critic", "Solver")
TRAINING = chosen(
    labelled(RUN, fault("Solver", 2, "FM-2.6")),
    labelled(RUN, fault("solver", 4, "FM-2.6"), fault("Critic", 3, "FM-3.3")),
    labelled(RUN, fault("Solver", 2, "FM-1.1")),
)


def first(attribution):
    (blame,) = attribution.blames
    return blame.agent, blame.mode, blame.step, round(blame.confidence, 3)


@pytest.mark.parametrize("learner", LEARNERS)
def test_learner_is_found_by_its_name(learner):
    assert type(default_plugins().learner(learner.name)) is learner


# -- what is counted ----------------------------------------------------------------------------------------------


def test_only_causes_of_agents_are_counted_each_once_whoever_labelled_them():
    run = labelled(
        RUN,
        fault("Solver", 2, "FM-2.6"),
        fault("SOLVER", 2, "FM-2.6", origin="two"),
        fault("Boss", 1, "FM-1.1", role="carrier"),
        fault("Solver", 2, "env:tool-timeout"),
        fault("Nobody", 3),
    )
    more = Labels(run_id="r", case_id="c", faults=(fault("Critic", 3, origin="three"),))
    (found,) = failed_runs(chosen(dataclasses.replace(run, labels=(*run.labels, more))))
    assert [(cause.agent, cause.mode, cause.step) for cause in found.causes] == [
        ("Solver", "FM-2.6", 2),
        (None, None, 3),
        ("Critic", None, 3),
    ]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize(
    "runs", [chosen(), chosen(labelled(RUN)), ChosenRuns((dataclasses.replace(labelled(RUN), labels=()),))]
)
def test_nothing_is_learnt_without_labelled_causes(learner, runs):
    with pytest.raises(LearnerError, match=f"'{learner.name}': no run has a labelled cause; train on runs with labels"):
        learner().fit(runs, {})


def test_nothing_is_learnt_from_labels_that_lack_what_is_counted():
    with pytest.raises(LearnerError, match="no labelled cause says its step"):
        ModalStepLearner().fit(chosen(labelled(RUN, fault("Solver"))), {})
    with pytest.raises(LearnerError, match="no labelled cause names an agent of its run"):
        MostFrequentLearner().fit(chosen(labelled(RUN, fault("Nobody", 1))), {})
    with pytest.raises(LearnerError, match="no labelled cause says its mode"):
        EveryAgentTopModeLearner().fit(chosen(labelled(RUN, fault("Solver", 2))), {})
    with pytest.raises(LearnerError, match="nobody who could be blamed speaks"):
        RolePriorLearner().fit(chosen(labelled(trajectory("Human"), fault("Nobody"))), {})


@pytest.mark.parametrize("learner", LEARNERS)
def test_unknown_options_are_an_error_that_names_the_known_ones(learner):
    with pytest.raises(
        LearnerError,
        match=f"'{learner.name}' has no options depth; known: {'weight' if learner is RolePriorLearner else 'none'}",
    ):
        learner().fit(TRAINING, {"depth": 3})


# -- keeping ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", LEARNERS)
def test_what_is_saved_is_loaded_and_judges_alike(learner, tmp_path):
    trained = learner().fit(TRAINING, {})
    learner().save(trained, tmp_path / "model")
    assert [path.name for path in (tmp_path / "model").iterdir()] == [f"{learner.name}.json"]
    loaded = learner().load(tmp_path / "model")
    assert (loaded.name, loaded.counts) == (learner.name, trained.counts)
    for run in (RUN, trajectory("Critic", "Boss")):
        assert loaded.attribute(run) == trained.attribute(run)


@pytest.mark.parametrize("learner", LEARNERS)
def test_another_attributor_is_not_saved_and_a_folder_without_counts_not_loaded(learner, tmp_path):
    with pytest.raises(LearnerError, match="can't save a LastSpeaker; use what its `fit` gave"):
        learner().save(LastSpeaker(), tmp_path)
    with pytest.raises(StoreError, match=f"{learner.name}.json"):
        learner().load(tmp_path)


@pytest.mark.parametrize("learner", LEARNERS)
def test_same_runs_in_another_order_give_the_same_counts(learner):
    other = ChosenRuns(TRAINING.runs[::-1])
    assert learner().fit(other, {}).counts.model_dump_json() == learner().fit(TRAINING, {}).counts.model_dump_json()


@pytest.mark.parametrize("learner", LEARNERS)
def test_run_without_suspects_is_an_abstention(learner):
    found = learner().fit(TRAINING, {}).attribute(trajectory("Human"))
    assert (found.blames, found.abstained) == ((), "no agent that could be blamed speaks in this run")


# -- modal-step ---------------------------------------------------------------------------------------------------


def test_modal_step_is_the_one_with_most_causes_and_its_speaker():
    trained = ModalStepLearner().fit(TRAINING, {})
    assert trained.counts.steps == {2: 2, 3: 1, 4: 1}
    assert first(trained.attribute(RUN)) == ("Solver", None, 2, 0.5)
    assert first(trained.attribute(trajectory("Boss", "Solver", "Critic", "Boss", "Solver"))) == (
        "Critic",
        None,
        2,
        0.5,
    )


def test_modal_step_of_a_run_that_lacks_it_is_the_next_best_and_the_earlier_of_equals():
    trained = ModalStepLearner().fit(TRAINING, {})
    run = trajectory("Human", "Boss", "Terminal", "Critic", "Solver")
    assert first(trained.attribute(run)) == ("Critic", None, 3, 0.25)
    assert trained.attribute(trajectory("Boss", "Solver")).abstained.startswith(
        "no cause of the training runs stands at"
    )


# -- most-frequent ------------------------------------------------------------------------------------------------


def test_most_frequent_is_the_name_with_most_causes_and_its_commonest_mode():
    trained = MostFrequentLearner().fit(TRAINING, {})
    assert trained.counts.agents == {"critic": {"FM-3.3": 1}, "solver": {"FM-1.1": 1, "FM-2.6": 2}}
    assert first(trained.attribute(RUN)) == ("Solver", "FM-2.6", None, 0.75)
    assert first(trained.attribute(trajectory("Boss", "CRITIC"))) == ("CRITIC", "FM-3.3", None, 0.25)


def test_most_frequent_abstains_where_it_knows_nobody():
    found = MostFrequentLearner().fit(TRAINING, {}).attribute(trajectory("Boss", "Stranger"))
    assert found.abstained == "no suspect of this run is to blame in any training run"


def test_mode_is_left_out_where_annotators_said_none():
    trained = MostFrequentLearner().fit(chosen(labelled(RUN, fault("Solver", 2))), {})
    assert first(trained.attribute(RUN)) == ("Solver", None, None, 1.0)


# -- every-agent-top-mode -----------------------------------------------------------------------------------------


def test_every_agent_is_blamed_with_the_commonest_mode_the_first_by_id_among_equals():
    trained = EveryAgentTopModeLearner().fit(TRAINING, {})
    assert trained.counts.modes == {"FM-1.1": 1, "FM-2.6": 2, "FM-3.3": 1}
    found = trained.attribute(RUN).blames
    assert [(blame.agent, blame.mode) for blame in found] == [(name, "FM-2.6") for name in ("Boss", "Solver", "Critic")]
    assert {blame.confidence for blame in found} == {2 / 4 / 3}
    equal = chosen(labelled(RUN, fault("Solver", 2, "FM-3.3"), fault("Critic", 3, "FM-1.1")))
    assert EveryAgentTopModeLearner().fit(equal, {}).attribute(RUN).blames[0].mode == "FM-1.1"


# -- role-prior ---------------------------------------------------------------------------------------------------


def test_role_is_the_name_without_its_number():
    assert [role(name) for name in ("Coder_2", "coder", "Team/Coder 10", "Node1", "42")] == [
        "coder", "coder", "teamcoder", "node", "42",
    ]  # fmt: skip


def test_role_prior_is_the_rate_drawn_to_the_kind_and_to_all():
    trained = RolePriorLearner().fit(TRAINING, {})
    # Boss 0 of 3, Solver 3 of 3, Critic 1 of 3; workers 4 of 6; all 4 of 9
    assert {name: (one.to_blame, one.present) for name, one in trained.counts.roles.items()} == {
        "boss": (0, 3), "critic": (1, 3), "solver": (3, 3),
    }  # fmt: skip
    worker = (4 + 4 / 9) / (6 + 1)
    assert first(trained.attribute(RUN)) == ("Solver", "FM-2.6", None, round((3 + worker) / (3 + 1), 3))
    assert first(trained.attribute(trajectory("Boss", "Critic"))) == (
        "Critic",
        "FM-3.3",
        None,
        round((1 + worker) / 4, 3),
    )


def test_unseen_role_has_the_rate_of_its_kind_and_the_commonest_mode_of_all():
    trained = RolePriorLearner().fit(TRAINING, {})
    assert first(trained.attribute(trajectory("Boss", "Stranger", "Critic"))) == (
        "Stranger", "FM-2.6", None, round((4 + 4 / 9) / 7, 3),
    )  # fmt: skip


def test_role_that_seldom_takes_part_but_is_always_to_blame_comes_before_a_frequent_one():
    often = [
        labelled(trajectory("Solver", "Boss"), fault("Solver")),
        *[labelled(trajectory("Solver", "Boss"), fault("Boss"))] * 2,
    ]
    seldom = [labelled(trajectory("Solver", "Rare"), fault("Rare"))] * 2
    runs = chosen(*often * 3, *seldom)
    run = trajectory("Boss", "Solver", "Rare")
    assert first(RolePriorLearner().fit(runs, {}).attribute(run))[0] == "Rare"
    assert first(MostFrequentLearner().fit(runs, {}).attribute(run))[0] == "Boss"


def test_weight_decides_how_much_a_single_run_says():
    runs = chosen(
        *[labelled(trajectory("Solver", "Boss"), fault("Solver"))] * 9,
        labelled(trajectory("Rare", "Boss"), fault("Rare")),
    )
    run = trajectory("Solver", "Rare")
    light, heavy = (RolePriorLearner().fit(runs, {"weight": weight}).attribute(run) for weight in (0.01, 100))
    assert light.blames[0].confidence > 0.99 > heavy.blames[0].confidence


@pytest.mark.parametrize("weight", [0, -1, float("inf"), float("nan"), True, "1", None])
def test_weight_is_a_number_above_zero(weight):
    with pytest.raises(LearnerError, match="weight is .*; a number above 0 is needed"):
        RolePriorLearner().fit(TRAINING, {"weight": weight})
