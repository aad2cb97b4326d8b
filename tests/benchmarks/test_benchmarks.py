"""Each benchmark measures what it says, on a tiny size. No test looks at how long anything took."""

from __future__ import annotations

import json

import pytest

from aegis_core.errors import AegisError, MissingDependencyError
from benchmarks import evaluation, imports, model_calls, store, throughput
from benchmarks.__main__ import MODULES, main
from benchmarks.campaigns import generate
from benchmarks.measuring import Estimate
from benchmarks.reporting import Figure, Goal, Report, machine


def figures(report: Report) -> dict[str, Figure]:
    named = {figure.name: figure for figure in report.figures}
    assert len(named) == len(report.figures), "two figures of one name"
    return named


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    out = tmp_path_factory.mktemp("campaign") / "out"
    return out, generate("callables", out, tasks=6)


def test_imports_compare_whole_processes():
    found = figures(imports.run(rounds=1))

    assert found["aegis_core / pydantic, wall"].goal == Goal(at_most=1.5)
    assert found["aegis_core, CPU"].estimate.value > found["empty process, CPU"].estimate.value > 0


def test_live_calls_are_those_that_the_campaign_counted(campaign):
    out, summary = campaign
    spent = model_calls.costs(out)

    assert sum(cost.live for cost in spent) == summary.live_model_calls
    assert sum(cost.kept for cost in spent) == summary.kept
    assert sum(len(cost.runs) for cost in spent) == summary.runs


def test_full_runs_cost_no_less_than_served_ones_and_clean_runs_the_same(campaign):
    runs = [made for cost in model_calls.costs(campaign[0]) for made in cost.runs]

    assert {made.arm for made in runs} >= {"clean", "fault"}
    assert all(model_calls.whole_run_calls(made) >= made.live_model_calls for made in runs)
    assert all(model_calls.whole_run_calls(made) == made.live_model_calls for made in runs if made.arm == "clean")
    assert any(model_calls.whole_run_calls(made) > made.live_model_calls for made in runs)


def test_tapes_that_do_not_say_what_a_run_costs_are_refused(campaign):
    clean = next(made for cost in model_calls.costs(campaign[0]) for made in cost.runs if made.arm == "clean")
    short = clean.model_copy(update={"live_model_calls": clean.live_model_calls + 1})

    with pytest.raises(AegisError, match="model calls on its tape"):
        model_calls.check_counts([short])


def test_model_calls_are_reported_for_each_system():
    found = figures(model_calls.run(systems=["callables"], tasks=2))

    assert 0 < found["callables: served / in full"].estimate.value <= 1


def test_throughput_counts_the_runs_of_whole_campaigns():
    report = throughput.run(rounds=2, systems=["callables"], tasks=2)
    found = figures(report)

    assert found["callables: all runs a minute, wall"].estimate.value > 0
    assert found["callables, 2 workers: proven runs a minute, wall"].goal == Goal(at_least=600)
    assert "2 tasks" in report.notes[0]


def test_the_store_is_compared_operation_by_operation():
    found = figures(store.run(rounds=1, tasks=1, library=store.plain_json))

    for kind in ("trajectories", "runs"):
        for operation in ("write", "append", "read"):
            assert found[f"{kind}: {operation}, store / json"].estimate.value > 0


def test_both_sides_of_the_store_benchmark_hold_the_same_records(campaign, tmp_path):
    out, _ = campaign
    runs = [made for cost in model_calls.costs(out) for made in cost.runs][:3]
    work = store.contenders(tmp_path, runs, store.plain_json())
    for once in work.values():
        once()

    ours = [json.loads(line) for line in (tmp_path / "store.jsonl").read_text(encoding="utf-8").splitlines()]
    theirs = [json.loads(line) for line in (tmp_path / "plain.jsonl").read_text(encoding="utf-8").splitlines()]
    assert ours == theirs and len(ours) == 3


def test_evaluating_is_timed_for_one_attributor_and_beside_all_trivial_ones():
    found = figures(evaluation.run(rounds=1, runs=12, tasks=1))

    one, all_of_them = (figure.estimate.value for figure in found.values())
    assert 0 < one < all_of_them
    assert list(found) == ["one attributor, CPU", "10 attributors and learners, CPU"]


def test_a_missing_library_is_named_with_how_to_install_it(monkeypatch):
    monkeypatch.setattr(store, "find_spec", lambda name: None)

    with pytest.raises(MissingDependencyError, match="pip install orjson"):
        store.orjson()


def test_a_goal_is_judged_by_the_figure():
    assert Goal(at_most=1.5).met_by(1.5) and not Goal(at_most=1.5).met_by(1.6)
    assert Goal(at_least=300).met_by(300) and not Goal(at_least=300).met_by(299)


def test_a_report_reads_as_text_and_as_data():
    figure = Figure(
        name="a / b", estimate=Estimate(value=2.0, low=1.8, high=2.2, bounds="quartiles"), goal=Goal(at_most=1.5)
    )
    report = Report(benchmark="imports", title="t", machine=machine(), figures=(figure,), notes=("a note",))

    assert "MISSED" in report.text() and "[1.8 to 2.2, quartiles]" in report.text() and "a note" in report.text()
    data = json.loads(json.dumps(report.data()))
    assert data["figures"][0]["met"] is False and data["machine"]["cores"] >= 1


def test_every_module_is_run_by_its_name(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["benchmarks", "imports", "--rounds", "1", "--json"])
    main()

    assert json.loads(capsys.readouterr().out)["benchmark"] == "imports"
    assert set(MODULES) == {
        "imports", "store", "tracing", "model_calls", "throughput", "evaluation", "realism", "memory"
    }  # fmt: skip


def test_an_unknown_name_is_refused_with_the_known_ones(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["benchmarks", "speed"])

    with pytest.raises(SystemExit):
        main()
    assert "no benchmark speed; there are imports" in capsys.readouterr().err
