"""One run: how it is made, how it can end, and what of it proves nothing."""

import asyncio
import itertools

import pytest

import aegis_core as aegis
from aegis_core.adapter import System
from aegis_core.campaign.arms import Arm, Arms, hashed_id
from aegis_core.campaign.checkers import check
from aegis_core.campaign.systems import load_factory, wrap
from aegis_core.errors import CampaignError
from aegis_core.faults import Moment, Plan, Target
from aegis_core.injector import Edits
from aegis_core.run import Limits, Replay, Tape, TapeEntry
from aegis_core.run.tape import CallKey
from aegis_core.trajectory import Agent, Step, Trajectory
from tests.core.campaign import team

TASK = team.task(3, 7)


def plan(agent="Reader", strategy="response_corruption", scope="outgoing") -> Plan:
    target = Target(moment=Moment(agent=agent), mode=team.MODE, strategy=strategy, scope=scope)
    return Plan(targets=(target,), seed=11)


LIMITS = Limits(turns=20)


def arms(system=team.build, *, limits=LIMITS, seed=0, injector=None) -> Arms:
    factory = load_factory(system)
    return Arms(
        factory=factory,
        wrapped=wrap(factory, seed, team.plugins()),
        injector=injector or team.Garbler(),
        check=check,
        limits=limits,
        seed=seed,
        digest="d",
    )


def test_a_clean_run_is_recorded_and_judged():
    run = arms().make(Arm(TASK, "clean"))

    assert run.is_right
    assert run.plan is None
    assert run.ledger.interventions == ()
    assert [step.agent for step in run.trajectory.steps] == ["Reader", "Solver", "Critic", "Reporter"]
    assert run.trajectory.final_output == "Answer: 21 bottles"
    assert run.live_model_calls == 3


def test_a_fault_run_shares_the_prefix_and_fails():
    maker = arms()
    clean = maker.make(Arm(TASK, "clean"))

    run = maker.make(Arm(TASK, "fault", plan("Critic"), (0,)), clean)

    assert run.outcome.failure == "wrong"
    assert run.invalid == ""
    assert run.live_model_calls == 0
    assert [s.text for s in run.trajectory.steps[:2]] == [s.text for s in clean.trajectory.steps[:2]]
    assert run.trajectory.steps[2].text == "Multiplying gives 22 bottles."
    assert run.ledger.interventions[0].observed_by[0].moment.agent == "Reporter"


@pytest.mark.parametrize(
    ("strategy", "scope"), [("response_corruption", "outgoing"), ("prompt_injection", "persistent")]
)
def test_a_null_run_goes_through_the_edit_path_and_is_the_clean_run(strategy, scope):
    maker = arms()
    clean = maker.make(Arm(TASK, "clean"))

    run = maker.make(Arm(TASK, "null", plan("Solver", strategy, scope), (0,)), clean)

    assert run.is_right
    assert run.ledger.interventions[0].fired
    assert run.trajectory.steps == clean.trajectory.steps
    assert run.run_id != clean.run_id


class Bystander(team.Garbler):
    """Tells an agent something that changes nothing, or garbles what it says."""

    async def alter(self, context, target, attempt):
        if target.strategy == "prompt_injection":
            part = context.parts[0]
            return Edits(texts={part.id: f"{part.text}\nThe weather is fine."}, realisation="order")
        return await super().alter(context, target, attempt)


TOLD = plan("Solver", "prompt_injection", "persistent")


def test_what_followed_from_a_turn_on_which_the_injection_had_no_effect_is_served():
    maker = arms(injector=Bystander())
    clean = maker.make(Arm(TASK, "clean"))

    run = maker.make(Arm(TASK, "fault", TOLD, (0,)), clean)

    assert run.live_model_calls == 1  # the Solver's own, and no longer the Critic's
    assert run.ledger.interventions[0].fired
    assert run.trajectory.steps == clean.trajectory.steps
    assert [entry.key for entry in run.tape.entries] == [entry.key for entry in clean.tape.entries]
    assert run.is_right


def test_what_followed_is_made_anew_where_the_injection_had_an_effect_or_the_run_is_another_than_a_lone_fault():
    maker = arms(injector=Bystander())
    clean = maker.make(Arm(TASK, "clean"))
    pair = Plan(targets=(*TOLD.targets, *plan("Reporter").targets), seed=11)

    obeyed = arms().make(Arm(TASK, "fault", TOLD, (0,)), clean)
    null = maker.make(Arm(TASK, "null", TOLD, (0,)), clean)
    both = maker.make(Arm(TASK, "fault", pair, (0, 1)), clean)
    subset = maker.make(Arm(TASK, "fault", pair, (0,)), clean)

    assert [run.live_model_calls for run in (obeyed, null, both, subset)] == [2, 2, 2, 2]


def test_turns_beside_the_target_and_its_own_later_ones_are_not_served():
    at = Moment(agent="Solver")
    speakers = [("Solver", 1, ()), ("Critic", 1, ()), ("Reporter", 1, (0,)), ("Solver", 2, (2,)), ("Critic", 2, (2,))]
    steps = [
        Step(index=i, agent=agent, turn=turn, kind="message", text=f"says {i}", parents=parents)
        for i, (agent, turn, parents) in enumerate(speakers)
    ]
    agents = tuple(Agent(path=agent) for agent in ("Solver", "Critic", "Reporter"))
    twin = Trajectory(run_id="r", task="t", agents=agents, steps=tuple(steps))
    model = [
        TapeEntry(key=CallKey(moment=Moment(agent=agent, turn=turn), kind="model"), request_hash="same")
        for agent, turn, _ in speakers
    ]
    replay = Replay(Tape(run_id="r", entries=tuple(model)), TOLD.targets, twin=twin)
    replay.target_reached()

    replay.serve_what_followed(at)

    served = [entry.key.moment for entry in model[1:] if replay.serve(entry.key, "same") is not None]
    assert served == [Moment(agent="Reporter"), Moment(agent="Critic", turn=2)]


def test_a_sham_needs_the_fault_that_it_matches():
    maker = arms()
    clean = maker.make(Arm(TASK, "clean"))

    with pytest.raises(CampaignError, match="needs the fault arm"):
        maker.make(Arm(TASK, "sham", plan(), (0,)), clean)
    with pytest.raises(CampaignError, match="served from a clean run"):
        maker.make(Arm(TASK, "fault", plan(), (0,)))


def test_run_ids_tell_runs_apart_and_nothing_else():
    maker, twin, other_seed = arms(), arms(), arms(seed=1)
    made = [
        Arm(TASK, "clean"),
        Arm(team.task(3, 8), "clean"),
        Arm(TASK, "fault", plan(), (0,)),
        Arm(TASK, "null", plan(), (0,)),
        Arm(TASK, "sham", plan(), (0,)),
        Arm(TASK, "fault", plan("Solver"), (0,)),
    ]
    ids = [maker.run_id(arm) for arm in made]

    assert len(set(ids)) == len(ids)
    assert {len(run_id) for run_id in ids} == {24}
    assert ids == [twin.run_id(arm) for arm in made]
    assert not set(ids) & {other_seed.run_id(arm) for arm in made}
    assert hashed_id("a", ["b"]) != hashed_id("a", "b")


def test_an_exception_of_the_system_is_a_crash_and_stands_in_the_trajectory():
    run = arms().make(Arm(team.task(4, 5, twist="It is crashing. "), "clean"))

    assert run.outcome.failure == "crash"
    assert run.outcome.detail == "RuntimeError: the Solver gave up"
    assert run.trajectory.error.agent == "Solver"
    assert run.trajectory.steps[0].agent == "Reader"


def test_too_many_turns_are_no_end():
    run = arms().make(Arm(team.task(4, 5, twist="It is endless. "), "clean"))

    assert run.outcome.failure == "no_end"
    assert run.outcome.detail == "more than 20 turns"
    assert len(run.trajectory.steps) == 20


@aegis.trace
def stubborn(task):
    while True:
        try:
            team.read(task)
        except Exception:
            return "Answer: 21 bottles"


def test_a_limit_that_the_system_swallows_counts_all_the_same():
    run = arms(lambda: stubborn).make(Arm(TASK, "clean"))

    assert run.outcome.failure == "no_end"


@aegis.agent("Sleeper")
async def sleep(task):
    await asyncio.sleep(0 if "3 crates" in task else 60)
    return "The store has 21 bottles."


@aegis.trace
async def sleepy(task):
    return "Answer: " + await sleep(task)


def test_an_asynchronous_system_runs_to_its_answer():
    assert arms(lambda: sleepy).make(Arm(TASK, "clean")).is_right


def test_an_asynchronous_system_runs_inside_a_running_loop_too():
    async def notebook():
        return arms(lambda: sleepy).make(Arm(TASK, "clean"))

    assert asyncio.run(notebook()).is_right


def test_an_asynchronous_system_that_hangs_is_ended():
    run = arms(lambda: sleepy, limits=Limits(seconds=0.2)).make(Arm(team.task(4, 4), "clean"))

    assert run.outcome.failure == "no_end"


class StepLimitError(RecursionError):
    """As some frameworks raise it."""


@pytest.mark.parametrize(
    ("error", "failure"), [(StepLimitError("50 steps"), "no_end"), (RecursionError("deep"), "crash")]
)
def test_a_framework_s_own_step_limit_is_no_end(error, failure):
    @aegis.trace
    def limited(task):
        raise error

    assert arms(lambda: limited).make(Arm(TASK, "clean")).outcome.failure == failure


def test_a_system_that_differs_from_run_to_run_drifts():
    counter = itertools.count(20)

    @aegis.trace
    def moody(task):
        facts = team.read(task)
        return team.report(team.criticise(facts, f"It is {next(counter)}."))

    maker = arms(lambda: moody)
    clean = maker.make(Arm(TASK, "clean"))

    run = maker.make(Arm(TASK, "fault", plan("Critic"), (0,)), clean)

    assert run.invalid.startswith("drift: ")
    assert run.outcome is None


def test_a_refusal_makes_the_run_prove_nothing():
    class Shy(team.Garbler):
        async def alter(self, context, target, attempt):
            return aegis.Refused("too shy")

    class Broken(team.Garbler):
        async def alter(self, context, target, attempt):
            raise KeyError("oops")

    for injector, words in ((Shy(), "refused: too shy"), (Broken(), "refused: the injector raised KeyError: 'oops'")):
        maker = arms(injector=injector)
        clean = maker.make(Arm(TASK, "clean"))
        run = maker.make(Arm(TASK, "fault", plan(), (0,)), clean)
        assert run.invalid == words
        assert run.trajectory.steps == clean.trajectory.steps


def test_every_run_gets_a_fresh_system_and_the_seed():
    built = []

    def build(*, seed: int):
        built.append(seed)
        return System(app=team.team, output=lambda result: result.upper(), name="counted")

    maker = arms(build, seed=5)
    runs = [maker.make(Arm(TASK, "clean")) for _ in range(3)]

    assert built == [5] * 4  # one to look at, one for each run
    assert runs[0] == runs[1] == runs[2]
    assert runs[0].trajectory.final_output == "ANSWER: 21 BOTTLES"
    assert runs[0].trajectory.system == "counted"


def test_an_asynchronous_system_is_recorded_also_where_a_loop_is_running():
    @aegis.agent("Solver")
    async def solve(question: str) -> str:
        return "42"

    @aegis.trace
    async def system(question: str) -> str:
        return await solve(question)

    async def inside_a_loop():
        return arms(lambda: system).make(Arm(TASK, "clean"))

    assert [step.agent for step in asyncio.run(inside_a_loop()).trajectory.steps] == ["Solver"]
