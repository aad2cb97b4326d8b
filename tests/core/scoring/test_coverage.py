"""What became of the runs, counted by hand."""

from __future__ import annotations

from aegis_core.attribution import Blame
from aegis_core.scoring import Variant, evaluate


def test_runs_whose_faults_have_other_roles_are_counted(scored, fault):
    runs = [
        scored((fault("Solver", role="carrier"),), "Solver FM-1.1", run_id="r1"),
        scored((fault("Solver", role="carrier"), fault("Critic")), "Solver FM-1.1", run_id="r2"),
        scored("", "", run_id="r3"),
    ]
    assert evaluate(runs, seed=0, resamples=0).part("all").coverage.other_roles_only == 1


def test_runs_are_answered_abstained_or_not_judged_and_none_is_lost(scored, fault):
    tool = fault("Solver", "env:timeout", strategy="environment", scope="call")
    part = evaluate(
        [
            scored("Solver FM-1.1", "solver FM-1.1 4, Coder FM-1.1, Critic - 20", run_id="r1", group="q1"),
            scored("Solver FM-1.1", "", run_id="r2", group="q1"),
            scored("Solver FM-1.1", "Solver FM-1.1", run_id="r3", abstained="too long"),
            scored("Solver FM-1.1", None, run_id="r4"),
            scored("", (Blame(agent=" Solver "),), run_id="r5"),  # outer space is no other spelling
            scored("", "", run_id="r6"),
            scored((tool,), "Solver env:timeout 19", run_id="r7"),
        ],
        seed=0,
        resamples=0,
    ).part("all")
    counted = part.coverage
    assert (counted.runs, counted.tasks) == (7, 6)
    assert (counted.answered, counted.abstained, counted.not_judged) == (5, 1, 1)
    assert counted.reasons == {"broken JSON": 1}
    assert counted.without_blame == 2
    assert (counted.clean, counted.clean_blamed, counted.environment_only) == (2, 1, 1)
    assert (counted.blames, counted.respelt, counted.strangers, counted.no_such_step) == (5, 1, 1, 1)
    assert part.metric(Variant(measure="parse_rate", of="run")).value == 6 / 7
    assert part.metric(Variant(measure="abstention_rate", of="run")).value == 1 / 7
