"""Plans are feasible, seeded, and balanced over modes, strategies and agents."""

from collections import Counter

import pytest

from aegis_core.adapter import Capabilities, Part, Site
from aegis_core.campaign.journal import RunRecord
from aegis_core.campaign.planner import Cell, Planner, cells
from aegis_core.errors import CampaignError
from aegis_core.faults import Ledger, Moment, Outcome
from aegis_core.injector import Injector, Realisation
from aegis_core.run import Tape, TapeEntry
from aegis_core.run.tape import CallKey
from aegis_core.trajectory import Agent, Step, Trajectory

SITES = (
    Site(strategy="prompt_injection", scope="persistent"),
    Site(strategy="prompt_injection", scope="ephemeral"),
    Site(strategy="response_corruption", scope="outgoing"),
)
CELLS = tuple(
    Cell(mode, strategy, ("a", "b"), tuple(site for site in SITES if site.strategy == strategy))
    for mode in ("FM-1.1", "FM-2.4", "FM-2.6")
    for strategy in ("prompt_injection", "response_corruption")
)
TURNS = ("Planner", "Researcher", "Researcher", "Solver", "Critic", "Reporter")


def clean(number: int = 0, *, overlapping: tuple[str, ...] = (), silent: str = "", closed: str = "") -> RunRecord:
    """A clean run of six turns."""
    seen: Counter[str] = Counter()
    entries, steps = [], []
    for index, agent in enumerate(TURNS):
        seen[agent] += 1
        moment = Moment(agent=agent, turn=seen[agent])
        part = Part(id="p", text=f"input {index}", editable=agent != closed)
        entries.append(TapeEntry(key=CallKey(moment=moment, kind="input"), request_hash="h", request=(part,)))
        text = "" if agent == silent else f"output {index}"
        steps.append(Step(index=index, agent=agent, kind="message", text=text, turn=seen[agent]))
    agents = tuple(Agent(path=path) for path in dict.fromkeys(TURNS))
    return RunRecord(
        run_id=f"r{number}",
        task_id=f"t{number}",
        arm="clean",
        outcome=Outcome(right=True),
        trajectory=Trajectory(run_id=f"r{number}", task="T", agents=agents, steps=tuple(steps), final_output="o"),
        tape=Tape(run_id=f"r{number}", entries=tuple(entries), overlapping=overlapping),
        ledger=Ledger(run_id=f"r{number}"),
    )


def planned(per_run: int = 2, runs: int = 60, seed: int = 0, pair_share: float = 0.0):
    planner = Planner(CELLS, seed=seed, per_run=per_run, pair_share=pair_share)
    return [plan for number in range(runs) for plan in planner.plans(clean(number), number)]


def test_modes_strategies_and_agents_come_equally_often():
    targets = [plan.targets[0] for plan in planned()]

    assert len(targets) == 120
    by_cell = Counter((target.mode, target.strategy) for target in targets)
    assert set(by_cell.values()) == {20}
    by_agent = Counter((target.mode, target.strategy, target.moment.agent) for target in targets)
    assert len(by_agent) == 24
    assert set(by_agent.values()) == {5}


def test_a_mode_is_not_tied_to_the_place_of_its_task():
    planner = Planner(CELLS, seed=0, per_run=2)
    modes = [tuple(plan.targets[0].mode for plan in planner.plans(clean(n), n)) for n in range(60)]

    for period in (2, 3, 6):
        assert all(len(set(modes[start::period])) > 1 for start in range(period))


def test_the_same_seed_plans_the_same_and_another_seed_does_not():
    assert planned(seed=1) == planned(seed=1)
    assert planned(seed=1) != planned(seed=2)


def test_the_plans_of_a_run_depend_on_the_place_of_its_task_alone():
    planner = Planner(CELLS, seed=0, per_run=3)

    assert planner.plans(clean(7), 7) == Planner(CELLS, seed=0, per_run=3).plans(clean(7), 7)


def test_the_last_speaker_is_no_target():
    assert "Reporter" not in {target.moment.agent for plan in planned(pair_share=1.0) for target in plan.targets}


@pytest.mark.parametrize(
    ("run", "strategy", "agent"),
    [
        (clean(silent="Solver"), "response_corruption", "Solver"),
        (clean(closed="Critic"), "prompt_injection", "Critic"),
        (clean(overlapping=("Researcher",)), "prompt_injection", "Researcher"),
        (clean(overlapping=("Researcher",)), "response_corruption", "Researcher"),
    ],
)
def test_turns_that_can_not_be_altered_are_no_targets(run, strategy, agent):
    planner = Planner(CELLS, seed=0, per_run=30, pair_share=0.5)

    targets = [target for plan in planner.plans(run, 0) for target in plan.targets]

    assert targets
    assert not [target for target in targets if target.strategy == strategy and target.moment.agent == agent]


def test_a_run_gets_no_target_twice_and_as_many_plans_as_there_are():
    planner = Planner(CELLS, seed=0, per_run=100, pair_share=0.0)

    plans = planner.plans(clean(), 0)

    keys = {(plan.targets[0].moment, plan.targets[0].mode, plan.targets[0].strategy) for plan in plans}
    assert len(plans) == len(keys) == 5 * 6


def test_two_targets_are_of_two_agents():
    plans = planned(pair_share=1.0)

    assert all(len(plan.targets) == 2 for plan in plans)
    assert all(len({target.moment.agent for target in plan.targets}) == 2 for plan in plans)


def test_about_the_asked_share_of_plans_has_two_targets():
    plans = planned(runs=200, pair_share=0.25)

    share = sum(len(plan.targets) == 2 for plan in plans) / len(plans)
    assert 0.18 < share < 0.32


class Known(Injector):
    name = "known"

    def realisations(self):
        return (
            Realisation(name="a", mode="FM-1.1", strategy="prompt_injection"),
            Realisation(name="b", mode="FM-1.1", strategy="prompt_injection"),
            Realisation(name="c", mode="FM-2.4", strategy="response_corruption"),
        )

    async def alter(self, context, target, attempt):
        raise NotImplementedError


def test_cells_are_what_injector_and_adapter_both_offer():
    offered = cells(["FM-1.1", "FM-2.4"], Known(), Capabilities(sites=SITES[:2]), "s")

    assert offered == (Cell("FM-1.1", "prompt_injection", ("a", "b"), SITES[:2]),)


def test_no_feasible_fault_is_an_error_that_says_what_is_offered():
    with pytest.raises(CampaignError, match=r"no fault is feasible.*prompt_injection/persistent"):
        cells(["FM-2.4"], Known(), Capabilities(sites=SITES[:2]), "s")
