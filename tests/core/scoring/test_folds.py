"""Folds: runs of one source task stay together, whatever subset they are in."""

from __future__ import annotations

from collections import Counter

import pytest

from aegis_core.errors import RecordError
from aegis_core.format import LabelledRun
from aegis_core.scoring import assign_folds, source_tasks, splits
from aegis_core.trajectory import Trajectory


def run(run_id: str, group: str = "", task: str = "") -> LabelledRun:
    return LabelledRun(Trajectory(run_id=run_id, task=task, agents=(), steps=()), group=group)


def test_a_question_that_occurs_in_several_subsets_is_one_source_task():
    tasks = source_tasks(
        [
            run("AG/1", "gaia-7", "How many  ships?"),
            run("HC/1", "gaia-7", "How many ships, exactly?"),
            run("other/1", "local-3", "how many ships?\n"),
            run("other/2", "", "How many ships, exactly?"),
            run("other/3", "local-4", "How many cars?"),
            run("other/4", "", "How many planes?"),
        ]
    )
    assert tasks == {
        "AG/1": "gaia-7",
        "HC/1": "gaia-7",
        "other/1": "gaia-7",
        "other/2": "gaia-7",
        "other/3": "local-4",
        "other/4": "how many planes?",
    }


def test_runs_without_group_and_task_stand_alone():
    assert source_tasks([run("a"), run("b"), run("c", "q", " ")]) == {"a": "a", "b": "b", "c": "q"}


def test_no_group_is_split():
    groups = [f"q{i * i % 13}" for i in range(200)]
    folds = assign_folds(groups, 5, seed=1)
    assert {len({fold for own, fold in zip(groups, folds, strict=True) if own == group}) for group in groups} == {1}
    assert set(folds) == set(range(5))


def test_folds_are_as_even_as_groups_allow():
    sizes = Counter(assign_folds([f"q{i // 3}" for i in range(60)], 5, seed=1))
    assert set(sizes.values()) == {12}
    uneven = ["big"] * 10 + [f"q{i}" for i in range(10)]
    assert sorted(Counter(assign_folds(uneven, 2, seed=1)).values()) == [10, 10]


def test_the_seed_decides_and_the_order_of_runs_does_not():
    groups = [f"q{i // 2}" for i in range(40)]
    one = dict(zip(groups, assign_folds(groups, 4, seed=1), strict=True))
    again = dict(zip(reversed(groups), assign_folds(list(reversed(groups)), 4, seed=1), strict=True))
    other = dict(zip(groups, assign_folds(groups, 4, seed=2), strict=True))
    assert one == again != other


@pytest.mark.parametrize(
    ("groups", "n", "message"),
    [
        (["a", "a", "b"], 3, "3 folds of 3 runs from 2 source tasks.*choose 2 to 2 folds"),
        (["a", "b"], 1, "1 folds of 2 runs from 2 source tasks"),
        (["a", "a"], 2, "2 runs from 1 source tasks can't be split: it takes two source tasks at least"),
        ([], 2, "0 runs from 0 source tasks can't be split"),
    ],
)
def test_too_few_source_tasks_are_refused(groups, n, message):
    with pytest.raises(RecordError, match=message):
        assign_folds(groups, n, seed=0)


def test_every_run_is_tested_on_once_and_never_trained_on_with_its_question():
    runs = [run(f"r{i}", f"q{i % 6}", f"question {i % 5}") for i in range(24)]  # the texts join all groups
    with pytest.raises(RecordError, match="24 runs from 1 source tasks"):
        list(splits(runs, 3, seed=0))
    runs = [run(f"r{i}", f"q{i % 6}", f"question {i % 3}") for i in range(24)]
    tasks = source_tasks(runs)
    tested = []
    for train, test in splits(runs, 3, seed=0):
        assert len(train) + len(test) == 24
        assert not {tasks[r.trajectory.run_id] for r in train} & {tasks[r.trajectory.run_id] for r in test}
        tested += [r.trajectory.run_id for r in test]
    assert sorted(tested) == sorted(tasks)
