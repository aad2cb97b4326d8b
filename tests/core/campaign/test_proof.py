"""What proves a plan, and each reason for which one is discarded."""

import itertools

import pytest

import aegis_core as aegis
from aegis_core.campaign.arms import Arm, Arms
from aegis_core.campaign.checkers import check
from aegis_core.campaign.proof import REASONS, Prover
from aegis_core.campaign.systems import load_factory, wrap
from aegis_core.errors import InjectionError
from aegis_core.faults import Evidence, Moment, Plan, Target
from aegis_core.injector import Edits
from aegis_core.run import Limits
from aegis_core.run.observation import first_difference
from aegis_core.trajectory import Agent, Content, Step, Trajectory
from tests.core.campaign import team

TASK = team.task(3, 7)


def target(agent, mode=team.MODE, strategy="response_corruption", scope="outgoing") -> Target:
    return Target(moment=Moment(agent=agent), mode=mode, strategy=strategy, scope=scope)


def plan(*agents, **more) -> Plan:
    return Plan(targets=tuple(target(agent, **more) for agent in agents), seed=5)


class Bench:
    """Proves plans on one system, and keeps which arms were made."""

    def __init__(self, system=team.build, injector=None, judge=None):
        factory = load_factory(system)
        self._arms = Arms(
            factory=factory,
            wrapped=wrap(factory, 0, team.plugins()),
            injector=injector or team.Garbler(),
            check=check,
            limits=Limits(turns=12),
            seed=0,
            digest="d",
        )
        self._judge = judge or team.plugins().judge
        self.made = []

    def make(self, arm, clean, fault):
        self.made.append((arm.kind, arm.targets))
        return self._arms.make(arm, clean, fault)

    def prove(self, plan, task=TASK, kept=()):
        clean = self._arms.make(Arm(task, "clean"))
        assert clean.is_right
        return Prover(self.make, self._judge).prove(task, plan, clean, case_id="case", kept=kept)

    def reason(self, plan, **more):
        run = self.prove(plan, **more).run
        assert run.reason in REASONS
        return run.reason


def test_a_proven_plan_has_all_arms_and_a_label():
    bench = Bench()

    verdict = bench.prove(plan("Reader"))

    assert verdict.run.kept
    assert bench.made == [("fault", (0,)), ("null", (0,)), ("sham", (0,))]
    assert [arm.arm for arm in verdict.proof.arms] == ["clean", "fault", "null", "sham"]
    assert verdict.proof.sufficient == ((0,),)
    (fault,) = verdict.labels.faults
    assert verdict.arms[0].ledger.interventions[0].step == fault.step
    assert (fault.agent, fault.mode, fault.step, fault.role) == ("Reader", team.MODE, 0, "cause")


def test_controls_are_made_only_for_what_failed_and_was_realised():
    bench = Bench()

    assert bench.reason(plan("Solver")) == "still right"
    assert bench.made == [("fault", (0,))]


def test_with_two_targets_every_subset_is_run_and_the_unneeded_one_is_redundant():
    bench = Bench()

    verdict = bench.prove(plan("Reader", "Solver"))

    assert bench.made == [
        ("fault", (0, 1)),
        ("null", (0, 1)),
        ("sham", (0, 1)),
        ("fault", (0,)),
        ("fault", (1,)),
    ]
    assert verdict.proof.sufficient == ((0,),)
    assert [fault.agent for fault in verdict.labels.faults] == ["Reader"]
    assert [fault.agent for fault in verdict.labels.redundant] == ["Solver"]


def test_with_two_sufficient_targets_both_are_labelled():
    verdict = Bench().prove(plan("Reader", "Critic"))

    assert verdict.proof.sufficient == ((0,), (1,))
    assert [fault.agent for fault in verdict.labels.faults] == ["Reader", "Critic"]
    assert verdict.labels.redundant == ()


@aegis.agent("Second")
def second(facts: str) -> str:
    return team.complete("You are the Solver. Multiply.\n" + facts)


def test_targets_that_are_needed_together_are_labelled_together():
    @aegis.trace
    def voting(task: str) -> str:
        facts = team.read(task)
        one, other = team.solve(facts), second(facts)
        return ballot(one, other)

    @aegis.agent("Ballot")
    def ballot(one: str, other: str) -> str:
        return max((one, other), key=lambda answer: "21 " in answer)

    verdict = Bench(lambda: voting).prove(plan("Solver", "Second"))

    assert verdict.proof.sufficient == ((0, 1),)
    assert [fault.agent for fault in verdict.labels.faults] == ["Solver", "Second"]


def test_a_system_that_fails_at_any_touch_is_a_fragile_site():
    brittle = team.task(4, 9, twist="The crates are brittle. ")
    asides = Bench()

    reasons = {asides.prove(Plan(targets=(target("Reader"),), seed=seed), task=brittle).run.reason for seed in range(8)}

    assert "fragile site" in reasons


def test_a_system_that_fails_by_itself_fails_the_null_control():
    runs = itertools.count()

    @aegis.agent("Mood")
    def mood(verdict: str) -> str:
        return verdict if next(runs) == 0 else "It is 4 bottles."

    @aegis.trace
    def moody(task: str) -> str:
        return mood(team.solve(team.read(task)))

    assert Bench(lambda: moody).reason(plan("Reader")) == "null control failed"


def test_what_no_other_agent_sees_is_not_observed():
    assert Bench().reason(plan("Reporter")) == "not observed"


def test_evidence_that_does_not_hold_discards():
    def deny(mode, context):
        return Evidence(mode=mode, holds=False, because="it looks fine to me")

    verdict = Bench(judge=deny).prove(plan("Reader"))

    assert verdict.run.reason == "mode not realised"
    assert verdict.run.detail.endswith("it looks fine to me")


def test_the_evidence_is_shown_both_turns_and_what_was_seen():
    shown = []

    def look(mode, context):
        shown.append(context)
        return Evidence(mode=mode, holds=True, because="yes")

    bench = Bench(judge=look)
    bench.prove(plan("Reader"))
    bench.prove(plan("Reader", strategy="prompt_injection", scope="persistent"))
    bench.prove(plan("Reader", strategy="prompt_injection", scope="ephemeral"))

    said, told, whispered = shown
    assert said.clean == ("The store has 3 crates. Every crate holds 7 bottles.",)
    assert said.faulty == ("The store has 4 crates. Every crate holds 7 bottles.",)
    assert said.role == "You are the Reader. State the facts."
    assert told.clean_seen[0] == TASK.text
    assert told.faulty_seen[0] == f"{TASK.text}\n{team.ORDER}"
    assert whispered.faulty_seen[-1].endswith(team.ORDER)
    assert whispered.clean_seen == told.clean_seen == said.clean_seen


@pytest.mark.parametrize("failing", ["crash", "endless"])
def test_a_crash_proves_nothing_and_no_end_only_endless_modes(failing):
    class Saboteur(team.Garbler):
        async def alter(self, context, target, attempt):
            return Edits(texts={part.id: f"{part.text} {failing}" for part in context.parts}, realisation="x")

    @aegis.trace
    def touchy(task: str) -> str:
        facts = team.read(task)
        if "crash" in facts:
            raise RuntimeError("no")
        while "endless" in facts:
            team.criticise(facts, facts)
        return team.report(team.solve(facts))

    def believe(mode, context):
        return Evidence(mode=mode, holds=True, because="yes")

    bench = Bench(lambda: touchy, Saboteur(), believe)

    assert bench.reason(plan("Reader")) == {"crash": "crash", "endless": "no end"}[failing]
    endless = bench.prove(plan("Reader", mode="FM-1.5")).run
    assert endless.kept == (failing == "endless")


def test_a_turn_that_does_not_come_is_not_fired():
    """The second target's turn is skipped once the first has altered what comes before it."""

    @aegis.trace
    def short_cut(task: str) -> str:
        facts = team.read(task)
        draft = team.solve(facts)
        return team.report(team.criticise(facts, draft) if "3 crates" in facts else draft)

    assert Bench(lambda: short_cut).reason(plan("Reader", "Critic")) == "not fired"


def test_the_same_faulty_run_is_kept_once():
    bench = Bench()
    first = bench.prove(plan("Reader"))
    again = Plan(targets=plan("Reader").targets, seed=6)

    assert bench.reason(again, kept=(first.arms[0].trajectory,)) == "redundant"


def test_more_targets_than_subsets_can_be_run_of_are_an_error():
    targets = tuple(target("Reader").model_copy(update={"moment": Moment(agent="Reader", turn=n)}) for n in range(1, 6))

    with pytest.raises(InjectionError, match="5 targets; at most 4"):
        Bench().prove(Plan(targets=targets, seed=1))


def run(*steps: Step) -> Trajectory:
    numbered = tuple(step.model_copy(update={"index": index}) for index, step in enumerate(steps))
    return Trajectory(run_id="r", task="T", agents=(Agent(path="A"), Agent(path="B")), steps=numbered)


def step(agent: str, text: str, **more) -> Step:
    return Step(index=0, agent=agent, kind=more.pop("kind", "message"), text=text, **more)


@pytest.mark.parametrize(
    ("clean", "faulty", "index"),
    [
        ([step("B", "x"), step("A", "a")], [step("B", "y"), step("A", "b")], 1),
        ([step("A", "a"), step("A", "b")], [step("A", "a"), step("A", "c")], 1),
        ([step("A", "a")], [step("A", "a"), step("B", "x"), step("A", "b")], 2),
        ([step("A", "a"), step("A", "b")], [step("B", "x"), step("A", "a")], 1),
        ([step("A", "a")], [step("A", "a", addressed_to=("B",))], 0),
        ([step("A", "a")], [step("A", "a", content=(Content(type="json", data=1),))], 0),
        ([step("A", "a")], [step("A", "a", kind="plan")], 0),
        ([step("A", "a")], [step("A", "a", visible_to=("B",))], None),
        ([step("A", "a")], [step("A", "a")], None),
        ([step("A", "a")], [step("B", "x")], None),
    ],
)
def test_the_labelled_step_is_the_first_of_the_turn_that_differs(clean, faulty, index):
    found = first_difference(run(*clean), run(*faulty), Moment(agent="A"))

    assert (None if found is None else found.index) == index


def test_an_injection_that_another_agent_was_shown_as_well_proves_nothing_of_the_target():
    spoken = []

    @aegis.agent("Reader", role="You are the Reader. State the facts.")
    def reader(task: str) -> str:
        spoken[:] = [task]
        return team.complete("You are the Reader. State the facts.\n" + task)

    @aegis.agent("Clerk")
    def clerk(text: str) -> str:
        return "filed"

    @aegis.trace
    def office(task: str) -> str:
        facts = reader(task)
        clerk(spoken[0])
        return team.report(team.solve(facts))

    told = plan("Reader", strategy="prompt_injection", scope="persistent")
    assert Bench(lambda: office).reason(told) == "overheard"
    assert Bench().prove(told).run.kept


def test_two_targets_that_are_told_the_same_do_not_overhear_each_other():
    told = plan("Solver", "Critic", strategy="prompt_injection", scope="persistent")

    assert Bench().prove(told).run.reason != "overheard"
