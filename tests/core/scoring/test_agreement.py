"""Where definitions coincide, figures are those of scikit-learn."""

from __future__ import annotations

import random

import pytest

from aegis_core.scoring import Variant, evaluate

pytest.importorskip("sklearn")

from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.preprocessing import MultiLabelBinarizer

MODES = ("FM-1.1", "FM-2.4", "FM-2.6", "FM-3.3")


def drawn(chance: random.Random) -> str:
    agents = chance.sample(("Planner", "Solver", "Critic"), chance.randrange(4))
    return ", ".join(f"{agent} {chance.choice(MODES)}" for agent in agents)


@pytest.fixture(scope="module")
def runs(scored):
    chance = random.Random(11)
    return [scored(drawn(chance), drawn(chance), run_id=f"r{i}") for i in range(300)]


def tables(runs, level):
    def members(blamed):
        return {"pair": (blamed.agent, blamed.mode), "agent": blamed.agent, "error": blamed.mode}[level]

    true = [{members(fault) for fault in run.truth} for run in runs]
    said = [{members(blame) for blame in run.blames} for run in runs]
    columns = MultiLabelBinarizer().fit(true + said)
    return columns.transform(true), columns.transform(said)


@pytest.mark.parametrize("level", ["pair", "agent", "error"])
def test_micro_and_macro_f1_agree_with_scikit_learn(runs, level):
    part = evaluate(runs, seed=0, resamples=0).part("all")
    names = None if level == "error" else "strict"
    true, said = tables(runs, level)
    for measure, theirs in (("f1", f1_score), ("precision", precision_score), ("recall", recall_score)):
        ours = part.metric(Variant(measure=measure, of=level, average="micro", names=names))
        assert ours.value == pytest.approx(theirs(true, said, average="micro", zero_division=0))
    union = part.metric(Variant(measure="f1", of=level, average="macro", classes="union", names=names))
    assert union.value == pytest.approx(f1_score(true, said, average="macro", zero_division=0))
    assert union.n_classes == true.shape[1]


@pytest.mark.parametrize("level", ["pair", "agent", "error"])
def test_macro_f1_over_observed_classes_is_scikit_learns_over_those_columns(scored, level):
    runs = [
        scored("Solver FM-1.1", "Solver FM-1.1, Critic FM-2.6", run_id="r1"),
        scored("Planner FM-1.1", "Solver FM-1.1", run_id="r2"),
        scored("", "Coder FM-3.3", run_id="r3"),
    ]
    true, said = tables(runs, level)
    seen = [column for column in range(true.shape[1]) if true[:, column].any()]
    assert len(seen) < true.shape[1]
    names = None if level == "error" else "strict"
    variant = Variant(measure="f1", of=level, average="macro", classes="observed", names=names)
    ours = evaluate(runs, seed=0, resamples=0).part("all").metric(variant)
    assert ours.value == pytest.approx(f1_score(true, said, average="macro", labels=seen, zero_division=0))
