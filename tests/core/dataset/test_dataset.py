"""Datasets: what is written is read back, found by id, counted, and refused in clear words where it is bad."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from aegis_core.campaign.tasks import Task
from aegis_core.dataset import Dataset, DatasetWriter, Statistics, layout, statistics
from aegis_core.errors import StoreError
from aegis_core.faults import (
    ArmResult,
    Case,
    Fault,
    FaultyRun,
    Labels,
    Ledger,
    Moment,
    Outcome,
    Plan,
    Proof,
    Scope,
    Strategy,
    Target,
)
from aegis_core.run import Tape
from aegis_core.store import append, read_document
from aegis_core.trajectory import Agent, Step, Trajectory

AGENTS = ("Planner", "Solver", "Critic")
RIGHT, WRONG = Outcome(right=True), Outcome(right=False, failure="wrong")


def run(run_id: str, n_steps: int = 6) -> Trajectory:
    steps = tuple(Step(index=i, agent=AGENTS[i % 3], kind="message", text=f"{run_id} says {i}") for i in range(n_steps))
    return Trajectory(run_id=run_id, task="2 + 2?", agents=tuple(Agent(path=path) for path in AGENTS), steps=steps)


def plan(agent: str, mode: str = "FM-1.1") -> Plan:
    target = Target(moment=Moment(agent=agent), mode=mode, strategy="response_corruption", scope="outgoing")
    return Plan(targets=(target,), seed=1)


def fault(
    agent: str, mode: str, step: int, strategy: Strategy = "response_corruption", scope: Scope = "outgoing"
) -> Fault:
    return Fault(agent=agent, mode=mode, step=step, strategy=strategy, scope=scope)


def write(folder: Path) -> None:
    """Two tasks, one of them solved; of four faulty runs two are kept."""
    with DatasetWriter(folder) as writer:
        for task_id in ("t1", "t2"):
            writer.task(Task(task_id=task_id, text="2 + 2?", answer="4"))
        for run_id, n_steps in (("clean-1", 6), ("clean-2", 3), ("faulty-1", 9), ("faulty-2", 6)):
            writer.trajectory(run(run_id, n_steps))
        writer.labels(Labels(run_id="clean-1", case_id="c1"))
        writer.labels(Labels(run_id="clean-2", case_id="c2"))
        writer.labels(Labels(run_id="faulty-1", case_id="c1", faults=(fault("Planner", "FM-1.1", 0),)))
        last = (
            fault("Critic", "FM-2.6", 5, "prompt_injection", "persistent"),
            Fault(agent="Solver", mode="FM-2.6", role="carrier", step=4),
        )
        writer.labels(Labels(run_id="faulty-2", case_id="c1", faults=last, redundant=(fault("Solver", "FM-2.4", 1),)))
        tried = (("faulty-1", ""), ("faulty-2", ""), ("x", "still right"), ("y", "drift"), ("z", "still right"))
        faulty = tuple(
            FaultyRun(run_id=run_id, plan=plan("Solver"), kept=not reason, reason=reason) for run_id, reason in tried
        )
        writer.case(
            Case(case_id="c1", task_id="t1", system="s", clean_run_id="clean-1", clean_outcome=RIGHT, faulty=faulty)
        )
        writer.case(Case(case_id="c2", task_id="t2", system="s", clean_run_id="clean-2", clean_outcome=WRONG))
        for run_id in ("clean-1", "faulty-1", "null-1"):
            writer.tape(Tape(run_id=run_id))
            writer.ledger(Ledger(run_id=run_id))
        writer.arm(run("null-1"))
        arms = (ArmResult(arm="null", run_id="null-1", targets=(0,), outcome=RIGHT),)
        writer.proof(
            Proof(
                run_id="faulty-1",
                case_id="c1",
                clean_run_id="clean-1",
                plan=plan("Planner"),
                arms=arms,
                evidence=(),
                sufficient=((0,),),
            )
        )


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    write(tmp_path / "dataset")
    return Dataset(tmp_path / "dataset")


def test_folder_holds_the_files_of_the_layout(dataset: Dataset) -> None:
    assert sorted(path.name for path in dataset.path.iterdir()) == sorted(
        [*(file.name for file in layout.FILES), "summary.json"]
    )


def test_records_are_read_in_the_order_in_which_they_were_written(dataset: Dataset) -> None:
    assert [run.run_id for run in dataset.trajectories()] == ["clean-1", "clean-2", "faulty-1", "faulty-2"]
    assert [labels.run_id for labels in dataset.labels()] == ["clean-1", "clean-2", "faulty-1", "faulty-2"]
    assert [case.case_id for case in dataset.cases()] == ["c1", "c2"]
    assert [task.task_id for task in dataset.tasks()] == ["t1", "t2"]
    for records in (dataset.tapes(), dataset.ledgers()):
        assert [record.run_id for record in records] == ["clean-1", "faulty-1", "null-1"]
    assert [run.run_id for run in dataset.arms()] == ["null-1"]
    assert [proof.run_id for proof in dataset.proofs()] == ["faulty-1"]


def test_records_are_found_by_their_ids(dataset: Dataset) -> None:
    assert dataset.trajectory("faulty-1") == run("faulty-1", 9)
    assert dataset.labels_of("faulty-1").faults[0].agent == "Planner"
    assert dataset.case("c2").task_id == "t2"
    assert dataset.task("t2").answer == "4"
    assert dataset.tape("null-1") == Tape(run_id="null-1")
    assert dataset.ledger("null-1") == Ledger(run_id="null-1")
    assert dataset.arm("null-1") == run("null-1")
    assert dataset.proof("faulty-1").clean_run_id == "clean-1"
    assert dataset.ids(layout.TRAJECTORIES) == ("clean-1", "clean-2", "faulty-1", "faulty-2")


def test_unknown_id_is_an_error_that_names_the_known_ones(dataset: Dataset) -> None:
    with pytest.raises(
        StoreError, match=r"trajectories\.jsonl has no run_id 'null-1'; known: clean-1, clean-2, faulty-1"
    ):
        dataset.trajectory("null-1")


def test_index_follows_a_file_that_was_written_anew(dataset: Dataset) -> None:
    assert dataset.trajectory("clean-2").steps[0].text == "clean-2 says 0"
    with DatasetWriter(dataset.path) as writer:
        writer.trajectory(run("other", 40))
        writer.trajectory(run("clean-2", 2))
    assert len(dataset.trajectory("clean-2").steps) == 2
    with pytest.raises(StoreError, match="known: clean-2, other"):
        dataset.trajectory("clean-1")


def test_nothing_but_what_is_asked_for_is_read(dataset: Dataset) -> None:
    for file in layout.FILES[1:]:
        (dataset.path / file.name).write_text("nonsense\n")
    assert Dataset(dataset.path).trajectory("clean-1") == run("clean-1")
    with pytest.raises(StoreError, match=r"labels\.jsonl, line 1: is not JSON"):
        list(dataset.labels())


def test_bad_line_is_named_when_it_is_reached(dataset: Dataset) -> None:
    path = dataset.path / "trajectories.jsonl"
    path.write_text(path.read_text().replace('"agent":"Critic"', '"agent":"Ghost"', 1))
    with pytest.raises(
        StoreError, match=r"line 1, run clean-1, step 2: agent 'Ghost' is not in the run; known: .*Critic"
    ):
        dataset.trajectory("clean-1")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda folder: folder / "none", "none does not exist; a dataset is a folder with trajectories"),
        (lambda folder: folder / "dataset" / "labels.jsonl", "is not a folder"),
        (lambda folder: folder, "is no dataset but a campaign; its dataset is .*dataset"),
        (lambda folder: folder / "empty", r"empty is no dataset: it has no trajectories\.jsonl; `aegis generate`"),
    ],
)
def test_folder_that_is_no_dataset_is_refused(tmp_path: Path, spoil: Callable[[Path], Path], says: str) -> None:
    write(tmp_path / "dataset")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match=says):
        Dataset(spoil(tmp_path))


def test_missing_file_is_told_with_what_it_holds(dataset: Dataset) -> None:
    (dataset.path / "proofs.jsonl").unlink()
    assert not dataset.has(layout.PROOFS)
    with pytest.raises(
        StoreError, match=r"has no proofs\.jsonl \(what each label rests on\); only a campaign writes it"
    ):
        dataset.proofs()


# -- writing ------------------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_same_calls_give_the_same_bytes_also_over_an_earlier_dataset(tmp_path: Path) -> None:
    for name in ("a", "b", "a"):
        write(tmp_path / name)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_failure_while_writing_leaves_the_earlier_dataset(tmp_path: Path) -> None:
    write(tmp_path)
    before = contents(tmp_path)
    writer = DatasetWriter(tmp_path)
    writer.trajectory(run("new"))
    with pytest.raises(ZeroDivisionError), writer:
        writer.trajectory(run("newer", 1 // 0))
    assert contents(tmp_path) == before


def test_second_record_with_one_id_is_refused(tmp_path: Path) -> None:
    says = r"trajectories\.jsonl: run_id 'r' was written twice"
    with DatasetWriter(tmp_path) as writer:
        writer.trajectory(run("r"))
        with pytest.raises(StoreError, match=says):
            writer.trajectory(run("r", 3))
    assert list(Dataset(tmp_path).trajectories()) == [run("r")]


def test_labels_without_their_trajectory_are_refused(tmp_path: Path) -> None:
    write(tmp_path)
    before = contents(tmp_path)
    with (
        pytest.raises(StoreError, match=r"labels of runs \['ghost'\] have no trajectory"),
        DatasetWriter(tmp_path) as writer,
    ):
        writer.labels(Labels(run_id="ghost", case_id="c"))
    assert contents(tmp_path) == before


# -- labelled runs ------------------------------------------------------------------------------------------------


def test_labelled_runs_of_one_task_are_one_group(dataset: Dataset) -> None:
    runs = {item.trajectory.run_id: item for item in dataset.labelled_runs()}
    assert {run_id: item.group for run_id, item in runs.items()} == {
        "clean-1": "t1", "faulty-1": "t1", "faulty-2": "t1", "clean-2": "t2",
    }  # fmt: skip
    assert [item.labels for item in runs.values()] == [(labels,) for labels in dataset.labels()]
    assert [item.trajectory for item in dataset.labelled_runs()] == list(dataset.trajectories())


def test_group_is_the_case_without_cases_and_the_task_without_labels(dataset: Dataset) -> None:
    (dataset.path / "cases.jsonl").unlink()
    assert [item.group for item in dataset.labelled_runs()] == ["c1", "c2", "c1", "c1"]
    (dataset.path / "labels.jsonl").unlink()
    assert {(item.group, item.labels) for item in dataset.labelled_runs()} == {("2 + 2?", ())}


def test_runs_may_have_labels_of_several_annotators(dataset: Dataset) -> None:
    second = Labels(run_id="faulty-1", case_id="c1", faults=(Fault(agent="nobody", step=1, origin="second"),))
    append(dataset.path / "labels.jsonl", second)
    (found,) = (item for item in dataset.labelled_runs() if item.trajectory.run_id == "faulty-1")
    assert [labels.faults[0].origin for labels in found.labels] == ["proof", "second"]


def test_labels_of_a_run_that_is_not_there_are_an_error(dataset: Dataset) -> None:
    append(dataset.path / "labels.jsonl", Labels(run_id="ghost", case_id="c1"))
    with pytest.raises(StoreError, match=r"labels\.jsonl: run 'ghost' is not in the trajectories"):
        list(dataset.labelled_runs())


# -- counting -----------------------------------------------------------------------------------------------------


def test_statistics_count_runs_and_labels(dataset: Dataset) -> None:
    counted = statistics(dataset)
    assert counted == read_document(dataset.path / "summary.json", Statistics)
    assert (counted.tasks, counted.cases, counted.clean_runs, counted.clean_runs_right) == (2, 2, 2, 1)
    assert (counted.faulty_runs_planned, counted.faulty_runs_kept) == (5, 2)
    assert list(counted.discarded.items()) == [("still right", 2), ("drift", 1)]
    assert (counted.labels, counted.redundant) == (2, 1)
    assert counted.by_mode == {"FM-1.1": 1, "FM-2.6": 1}
    assert counted.by_agent == {"Critic": 1, "Planner": 1}
    assert counted.by_strategy == {"prompt_injection/persistent": 1, "response_corruption/outgoing": 1}
    assert counted.by_mode_and_strategy == {
        "FM-1.1": {"response_corruption/outgoing": 1},
        "FM-2.6": {"prompt_injection/persistent": 1},
    }
    assert counted.by_third == {"first": 1, "second": 0, "last": 1}
    clean, faulty = counted.steps_clean, counted.steps_faulty
    assert (clean.runs, clean.least, clean.median, clean.mean, clean.most) == (2, 3, 4.5, 4.5, 6)
    assert (faulty.runs, faulty.least, faulty.most) == (2, 6, 9)


def labelled(folder: Path, faults: list[Fault], n_steps: int = 6) -> Statistics:
    with DatasetWriter(folder) as writer:
        for number, item in enumerate(faults):
            writer.trajectory(run(f"r{number}", n_steps))
            writer.labels(Labels(run_id=f"r{number}", case_id="c", faults=(item,)))
    return statistics(Dataset(folder))


def test_mode_that_follows_from_the_agent_shares_all_its_information(tmp_path: Path) -> None:
    counted = labelled(tmp_path, [fault("Planner", "FM-1.1", 0), fault("Critic", "FM-2.6", 0)] * 3)
    assert (counted.mode_agent_bits, counted.mode_third_bits) == (1.0, 0.0)


def test_fault_without_a_mode_counts_as_unknown_and_tells_nothing_of_modes(tmp_path: Path) -> None:
    unsaid = [Fault(agent=agent, step=0, origin="whowhen") for agent in ("Critic", "critic")]
    counted = labelled(tmp_path, [fault("Planner", "FM-1.1", 0), fault("Critic", "FM-2.6", 0), *unsaid])
    assert counted.by_mode == {"FM-1.1": 1, "FM-2.6": 1, "unknown": 2}
    assert counted.by_agent == {"Critic": 2, "Planner": 1, "critic": 1}
    assert counted.mode_agent_bits == 1.0
    assert counted.by_third["first"] == 4


def test_mode_that_is_independent_of_agent_and_place_shares_none(tmp_path: Path) -> None:
    faults = [fault(agent, mode, step) for agent in AGENTS for mode in ("FM-1.1", "FM-2.6") for step in (0, 2, 4)]
    counted = labelled(tmp_path, faults)
    assert (counted.mode_agent_bits, counted.mode_third_bits) == (0.0, 0.0)


def test_mode_that_half_follows_from_the_place_shares_part_of_its_information(tmp_path: Path) -> None:
    faults = [
        fault("Solver", mode, step) for mode, step in (("FM-1.1", 0), ("FM-1.1", 0), ("FM-1.1", 5), ("FM-2.6", 5))
    ]
    # H(mode) - H(mode | third): the first third gives FM-1.1, the last one either.
    expected = -(3 / 4 * math.log2(3 / 4) + 1 / 4 * math.log2(1 / 4)) - 1 / 2
    assert labelled(tmp_path, faults).mode_third_bits == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("n_steps", "thirds"), [(3, [0, 1, 2]), (1, [0]), (2, [0, 1]), (4, [0, 0, 1, 2]), (6, [0, 0, 1, 1, 2, 2])]
)
def test_third_of_a_run(tmp_path: Path, n_steps: int, thirds: list[int]) -> None:
    counted = labelled(tmp_path, [fault("Planner", "FM-1.1", step) for step in range(n_steps)], n_steps)
    assert list(counted.by_third.values()) == [thirds.count(third) for third in range(3)]


def test_dataset_of_trajectories_alone_is_counted(tmp_path: Path) -> None:
    write(tmp_path)
    for file in layout.FILES[1:]:
        (tmp_path / file.name).unlink()
    counted = statistics(Dataset(tmp_path))
    assert (counted.tasks, counted.labels, counted.steps_clean.runs, counted.mode_agent_bits) == (0, 0, 4, 0.0)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"faulty-2"', '"gone"', r"labels\.jsonl: run 'gone' is not in the trajectories"),
        ('"agent":"Critic"', '"agent":"Ghost"', "run 'faulty-2' has no agent 'Ghost'; known: Planner, Solver, Critic"),
        ('"step":5', '"step":6', "run 'faulty-2' has no step 6; known: 0 to 5"),
    ],
)
def test_label_of_what_is_not_there_is_an_error(dataset: Dataset, old: str, new: str, says: str) -> None:
    path = dataset.path / "labels.jsonl"
    path.write_text(path.read_text().replace(old, new))
    for reads in (statistics, lambda dataset: list(dataset.labelled_runs())):
        with pytest.raises(StoreError, match=says):
            reads(dataset)


def test_proven_label_of_an_agent_that_is_not_in_its_run_is_an_error_that_names_the_known_ones(
    dataset: Dataset,
) -> None:
    path = dataset.path / "labels.jsonl"
    path.write_text(path.read_text().replace('"agent":"Critic"', '"agent":"Ghost"'))
    for reads in (lambda: list(dataset.labels()), lambda: dataset.labels_of("faulty-2")):
        with pytest.raises(StoreError, match=r"'faulty-2' has no agent 'Ghost'; known: Planner, Solver, Critic\. A"):
            reads()
    assert dataset.labels_of("faulty-1").faults  # one bad label does not make the others unreadable


def test_annotator_may_spell_an_agent_in_his_own_way(dataset: Dataset) -> None:
    append(
        dataset.path / "labels.jsonl",
        Labels(run_id="faulty-1", case_id="c1", faults=(Fault(agent="the solver", step=1, origin="second"),)),
    )
    assert [fault.agent for labels in dataset.labels() for fault in labels.faults][-1] == "the solver"
