"""A whole campaign on a real team: what it keeps, what it discards and why, and how it is gone on with."""

import re

import pytest

from aegis_core.campaign.journal import Journal, RunRecord
from aegis_core.campaign.proof import REASONS
from aegis_core.dataset import Dataset
from aegis_core.errors import AdapterError, CampaignError, PluginError, StoreError, UnknownModeError
from aegis_core.faults import Moment, Plan, Target
from aegis_core.run import Limits
from aegis_core.store import read
from tests.core.campaign import team


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    out = tmp_path_factory.mktemp("campaign")
    summary = team.campaign(out, plans_per_run=6, pair_share=0.3).run()
    return out, summary, Dataset(out / "dataset")


def test_clean_runs_are_judged_and_failures_counted_by_kind(done):
    _, summary, dataset = done

    assert summary.clean_failures == {"crash": 1, "no_end": 1, "wrong": 1}
    assert summary.clean_right == summary.tasks - 3
    failed = {case.task_id: case for case in dataset.cases() if not case.clean_outcome.right}
    assert len(failed) == 3
    assert all(case.faulty == () for case in failed.values())


def test_every_plan_is_kept_or_discarded_with_one_known_reason(done):
    _, summary, dataset = done
    runs = [run for case in dataset.cases() for run in case.faulty]

    assert summary.planned == len(runs) == summary.kept + sum(summary.discarded.values())
    assert {run.reason for run in runs if not run.kept} == set(summary.discarded) <= set(REASONS)
    assert summary.kept >= 10
    assert {"still right", "fragile site", "redundant"} <= set(summary.discarded)


def test_a_label_names_the_first_altered_step_of_the_agent_that_was_made_to_err(done):
    _, _, dataset = done
    trajectories = {run.run_id: run for run in dataset.trajectories()}
    cases = {case.case_id: case for case in dataset.cases()}
    faulty = [labels for labels in dataset.labels() if labels.faults]

    assert faulty
    for labels in faulty:
        clean = trajectories[cases[labels.case_id].clean_run_id]
        run = trajectories[labels.run_id]
        for fault in labels.faults:
            assert fault.mode == team.MODE
            step = run.steps[fault.step]
            assert step.agent == fault.agent
            assert step.text != clean.steps[fault.step].text
            assert re.findall(r"\d+", step.text) != re.findall(r"\d+", clean.steps[fault.step].text)


def test_the_steps_before_the_first_fault_are_those_of_the_clean_run(done):
    _, _, dataset = done
    trajectories = {run.run_id: run for run in dataset.trajectories()}
    cases = {case.case_id: case for case in dataset.cases()}

    for labels in dataset.labels():
        first = min((fault.step for fault in (*labels.faults, *labels.redundant)), default=None)
        if first is not None:
            clean = trajectories[cases[labels.case_id].clean_run_id]
            faulty = trajectories[labels.run_id]
            # Who was shown a step is found out by later turns, which are no longer those of the clean run.
            before, after = (
                [step.model_copy(update={"visible_to": ()}) for step in run.steps[:first]] for run in (clean, faulty)
            )
            assert before == after


def test_every_proof_names_right_controls_and_a_failing_fault(done):
    _, _, dataset = done
    ledgers = {ledger.run_id: ledger for ledger in dataset.ledgers()}

    for proof in dataset.proofs():
        arms = {(arm.arm, arm.targets): arm for arm in proof.arms}
        whole = tuple(range(len(proof.plan.targets)))
        assert arms["clean", ()].outcome.right
        assert arms["null", whole].outcome.right
        assert arms["sham", whole].outcome.right
        assert not arms["fault", whole].outcome.right
        assert arms["fault", whole].run_id == proof.run_id
        assert len(arms) == len(proof.arms) == 4 + 2 * (len(whole) - 1)
        assert all(entry.fired and entry.observed_by for entry in ledgers[proof.run_id].interventions)
        null = ledgers[arms["null", whole].run_id]
        assert all(change.before == change.after for entry in null.interventions for change in entry.changes)
        sham = ledgers[arms["sham", whole].run_id]
        assert all(change.before != change.after for entry in sham.interventions for change in entry.changes)
        assert all(evidence.holds for evidence in proof.evidence)


def test_with_two_targets_the_label_is_the_union_of_the_minimal_sufficient_ones(done):
    _, summary, dataset = done
    labels = {item.run_id: item for item in dataset.labels()}
    pairs = [proof for proof in dataset.proofs() if len(proof.plan.targets) == 2]

    assert len(pairs) == summary.kept_with_two_targets > 0
    for proof in pairs:
        failing = {arm.targets for arm in proof.arms if arm.arm == "fault" and arm.outcome and not arm.outcome.right}
        minimal = {one for one in failing if not any(set(other) < set(one) for other in failing)}
        assert set(proof.sufficient) == minimal
        needed = {proof.plan.targets[index].moment.agent for subset in minimal for index in subset}
        assert {fault.agent for fault in labels[proof.run_id].faults} == needed
        both = {target.moment.agent for target in proof.plan.targets}
        assert {fault.agent for fault in labels[proof.run_id].redundant} == both - needed


def test_nothing_in_a_trajectory_tells_an_injected_run(done):
    out, _, dataset = done
    runs = list(dataset.trajectories())
    faulty = {labels.run_id for labels in dataset.labels() if labels.faults}

    assert all(re.fullmatch(r"[0-9a-f]{24}", run.run_id) for run in runs)
    assert {run.system for run in runs} == {"tests.core.campaign.team:build"}
    shapes = {
        kind: {(run.adapter, tuple(run.model_dump())) for run in runs if (run.run_id in faulty) == kind}
        for kind in (True, False)
    }
    assert shapes[True] == shapes[False]
    assert team.ORDER not in (out / "dataset" / "trajectories.jsonl").read_text()


def test_a_faulty_run_is_served_up_to_its_target(done):
    out, _, dataset = done
    runs = {run.run_id: run for run in read(out / "journal.jsonl", RunRecord)}
    cases = {case.case_id: case for case in dataset.cases()}
    single = [proof for proof in dataset.proofs() if len(proof.plan.targets) == 1]

    for proof in single:
        target = proof.plan.targets[0]
        clean = runs[cases[proof.case_id].clean_run_id]
        order = [moment.agent for moment in clean.tape.moments()]
        after = len(order) - order.index(target.moment.agent) - (target.strategy == "response_corruption")
        reporter = 1  # the Reporter calls no model
        assert runs[proof.run_id].live_model_calls == after - reporter


def test_a_second_run_makes_nothing_and_writes_the_same(done):
    out, summary, _ = done
    before = {path.name: path.read_bytes() for path in (out / "dataset").iterdir()}
    told = []

    again = team.campaign(out, plans_per_run=6, pair_share=0.3, progress=told.append).run()

    assert again == summary
    assert {path.name: path.read_bytes() for path in (out / "dataset").iterdir()} == before
    assert told[-1].event == "done"
    assert (told[-1].runs_made, told[-1].runs_found) == (0, summary.runs)


def test_times_hold_every_run_once(done):
    out, summary, _ = done
    times = [line for line in (out / "times.jsonl").read_text().splitlines() if line]
    runs = list(read(out / "journal.jsonl", RunRecord))

    assert len(times) == len(runs) == summary.runs


def test_a_limit_stops_in_the_middle_and_can_be_raised(done, tmp_path):
    out, summary, _ = done

    few = team.campaign(tmp_path, plans_per_run=6, pair_share=0.3, limit=3).run()
    assert few.kept == 3
    journal = (tmp_path / "journal.jsonl").read_bytes()
    assert (out / "journal.jsonl").read_bytes().startswith(journal)

    assert team.campaign(tmp_path, plans_per_run=6, pair_share=0.3).run() == summary
    assert (tmp_path / "journal.jsonl").read_bytes() == (out / "journal.jsonl").read_bytes()


def test_an_interrupt_leaves_what_was_recorded(tmp_path):
    def interrupt(progress):
        if progress.planned == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        team.campaign(tmp_path, progress=interrupt).run()
    recorded = len(list(read(tmp_path / "journal.jsonl", RunRecord)))
    told = []
    summary = team.campaign(tmp_path, progress=told.append).run()

    assert recorded > 3
    assert told[-1].runs_found == recorded
    assert told[-1].runs_made == summary.runs - recorded


def test_explicit_plans_are_tried_where_their_turns_are(tmp_path):
    def plan(agent):
        return Plan(
            targets=(
                Target(moment=Moment(agent=agent), mode=team.MODE, strategy="response_corruption", scope="outgoing"),
            ),
            seed=1,
        )

    summary = team.campaign(
        tmp_path, tasks=team.tasks(2), plans=[plan("Reader"), plan("Reporter"), plan("Nobody")]
    ).run()

    assert summary.planned == 4
    assert summary.labels_by_agent == {"Reader": 2}
    assert summary.discarded == {"not observed": 2}


def test_a_mode_that_does_not_show_is_discarded(tmp_path):
    class Painter(team.Garbler):
        async def alter(self, context, target, attempt):
            edits = await super().alter(context, target, attempt)
            return (
                edits
                if target.strategy == "prompt_injection"
                else type(edits)(
                    texts={part.id: "There is nothing to say." for part in context.parts}, realisation="blank"
                )
            )

    summary = team.campaign(tmp_path, tasks=team.tasks(3), injector=Painter(), pair_share=0).run()

    assert summary.discarded["mode not realised"] > 0


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"system": "nowhere.at_all:build"}, CampaignError, "can't import 'nowhere.at_all'"),
        ({"system": "tests.core.campaign.team:bild"}, CampaignError, "has no 'bild'; it has: .*build"),
        ({"system": "tests.core.campaign.team"}, CampaignError, "module:attribute"),
        ({"system": lambda size: size}, CampaignError, "asks for size"),
        ({"system": lambda: None}, CampaignError, "returned None"),
        ({"system": lambda: 5}, AdapterError, "no adapter handles"),
        ({"adapter": "fax"}, PluginError, "fax"),
        ({"injector": "rumour"}, PluginError, "rumour"),
        ({"modes": ["FM-9.9"]}, UnknownModeError, "FM-9.9"),
        ({"modes": ["team:other"]}, UnknownModeError, "team:other"),
        ({"modes": ["FM-1.1"]}, CampaignError, "garbler.*no realisation of FM-1.1.*team:garble"),
        ({"modes": ["FM-3.3"]}, CampaignError, "no evidence predicate for FM-3.3"),
        ({"modes": []}, CampaignError, "modes is empty"),
        ({"tasks": []}, CampaignError, "there is no task"),
        ({"tasks": [*team.tasks(2), *team.tasks(1)]}, CampaignError, "'store-3-7' of number 3 is that of number 1"),
        ({"tasks": "no/such/file.jsonl"}, StoreError, "no/such/file.jsonl"),
        ({"checker": "vibes"}, CampaignError, "unknown checker 'vibes'"),
        ({"seed": -1}, CampaignError, "seed is -1"),
        ({"plans_per_run": 0}, CampaignError, "plans_per_run is 0"),
        ({"pair_share": 1.5}, CampaignError, "pair_share is 1.5"),
        ({"limits": Limits(seconds=0)}, CampaignError, "seconds"),
        ({"plans": []}, CampaignError, "plans is empty"),
    ],
)
def test_what_is_misconfigured_is_said_before_the_first_run(tmp_path, settings, error, words):
    with pytest.raises(error, match=words):
        team.campaign(tmp_path / "out", **settings).run()

    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"seed": 9}, "seed was 0, is 9"),
        ({"tasks": team.tasks(3)}, "tasks was 2, is 3"),
        ({"plans_per_run": 2}, "plans_per_run was 4, is 2"),
        ({"limits": Limits(turns=30)}, "limits was"),
    ],
)
def test_the_folder_of_another_campaign_is_refused_untouched(tmp_path, changed, words):
    team.campaign(tmp_path, tasks=team.tasks(2)).run()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    with pytest.raises(CampaignError, match=words):
        team.campaign(tmp_path, **({"tasks": team.tasks(2)} | changed)).run()

    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_folder_that_another_process_writes_is_refused(tmp_path):
    team.campaign(tmp_path, tasks=team.tasks(1)).run()

    with Journal(tmp_path), pytest.raises(CampaignError, match="another process"):
        team.campaign(tmp_path, tasks=team.tasks(1)).run()


def broken_checker(task, output):
    raise ZeroDivisionError("no such luck")


def test_a_checker_that_raises_is_named_with_its_task(tmp_path):
    with pytest.raises(CampaignError, match=r"checker .*broken_checker.* ZeroDivisionError at task 'store-3-7'"):
        team.campaign(tmp_path, checker=f"{__name__}:broken_checker").run()


def test_tasks_are_stored_with_the_checker_that_judged_them(tmp_path):
    other = f"{__name__}:always_right"

    team.campaign(tmp_path, checker=other, limit=1).run()

    assert {task.checker for task in Dataset(tmp_path / "dataset").tasks()} == {other}


def always_right(task, output):
    return True


def test_a_team_of_few_words_gets_labels(tmp_path):
    summary = team.campaign(tmp_path, system=f"{team.__name__}:build_terse", tasks=team.tasks()).run()

    assert summary.kept >= 4
    assert "refused" not in summary.discarded
    shams = [
        run.ledger.interventions[0].realisation
        for run in read(tmp_path / "journal.jsonl", RunRecord)
        if run.arm == "sham"
    ]
    assert len(shams) >= summary.kept
    assert "sham:courtesy" in shams
