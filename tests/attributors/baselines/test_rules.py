"""The rules without training: whom they blame, where, how sure they say they are, and when they abstain."""

from __future__ import annotations

from collections import Counter

import pytest

from aegis_baselines.chance import Random
from aegis_baselines.oddness import FirstOddStep, oddness
from aegis_baselines.speakers import EveryAgent, FirstSpeaker, LastSpeaker
from aegis_baselines.suspects import suspects
from aegis_core.plugins import default_plugins
from aegis_core.taxonomy import MAST
from tests.attributors.baselines.runs import trajectory

RUN = trajectory("Human", "Boss", "Solver", "Terminal", "Solver", "Critic", "Terminal", silent=("Sleeper",))
RULES = (FirstSpeaker, LastSpeaker, EveryAgent, Random, FirstOddStep)


def blamed(attribution):
    return [(blame.agent, blame.step) for blame in attribution.blames]


@pytest.mark.parametrize("rule", RULES)
def test_rule_is_found_by_its_name(rule):
    assert type(default_plugins().attributor(rule.name)) is rule


def test_suspects_are_workers_and_managers_that_speak():
    assert suspects(RUN) == {"Boss": (1,), "Solver": (2, 4), "Critic": (5,)}


def test_tools_are_suspects_where_nobody_else_speaks_and_users_never():
    assert suspects(trajectory("Human", "Terminal")) == {"Terminal": (1,)}
    assert suspects(trajectory("Human", silent=("Solver",))) == {}


@pytest.mark.parametrize("rule", RULES)
def test_what_the_user_says_after_the_task_is_nobodys_error(rule):
    talk = trajectory("Solver", "Human", "Critic", "Human")
    assert {agent for agent, _ in blamed(rule().attribute(talk))} <= {"Solver", "Critic"}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("run", [trajectory("Human"), trajectory()])
def test_run_without_suspects_is_an_abstention_with_its_reason(rule, run):
    found = rule().attribute(run)
    assert (found.blames, found.abstained) == ((), "no agent that could be blamed speaks in this run")
    assert (found.run_id, found.attributor) == ("r", rule.name)


@pytest.mark.parametrize("rule", RULES)
def test_blames_are_of_the_run_with_confidence_and_evidence(rule):
    found = rule().attribute(RUN)
    assert found.blames and not found.abstained
    for blame in found.blames:
        assert blame.agent in suspects(RUN) and 0 < blame.confidence <= 1 and blame.evidence
        assert blame.step is None or RUN.steps[blame.step].agent == blame.agent
    assert rule().attribute(RUN) == found


def test_first_and_last_speaker_are_suspects_at_their_step():
    assert blamed(FirstSpeaker().attribute(RUN)) == [("Boss", 1)]
    assert blamed(LastSpeaker().attribute(RUN)) == [("Critic", 5)]
    assert FirstSpeaker().attribute(RUN).blames[0].confidence == pytest.approx(1 / 3)


def test_every_agent_blames_every_suspect_in_the_order_of_speaking():
    found = EveryAgent().attribute(RUN)
    assert blamed(found) == [("Boss", None), ("Solver", None), ("Critic", None)]
    assert sum(blame.confidence for blame in found.blames) == pytest.approx(1)


def test_chance_is_even_over_agents_then_steps_and_over_modes():
    drawn = [Random(seed).attribute(RUN).blames[0] for seed in range(6000)]
    agents = Counter(blame.agent for blame in drawn)
    assert all(abs(number - 2000) < 150 for number in agents.values())  # four standard deviations
    steps = Counter(blame.step for blame in drawn)
    assert abs(steps[2] - 1000) < 120 and abs(steps[4] - 1000) < 120
    modes = Counter(blame.mode for blame in drawn)
    assert set(modes) == {mode.id for mode in MAST} and min(modes.values()) > 330


def test_chance_depends_on_seed_and_run_and_not_on_the_order_of_runs():
    runs = [trajectory("A", "B", "C", "D", run_id=str(number)) for number in range(20)]
    forth = list(Random(1).attribute_many(runs))
    assert forth == list(Random(1).attribute_many(reversed(runs)))[::-1]
    assert forth != list(Random(2).attribute_many(runs))
    assert list(Random(1).reseeded(1).attribute_many(runs)) == list(Random(2).attribute_many(runs))
    assert len({blamed(one)[0] for one in forth}) > 1


def test_oddness_is_the_lack_of_shared_words_with_the_closer_neighbour():
    # words: {a b c d}, {a b}, {x y z a}, {}, {x y}
    measured = oddness(("a b c d", "B a, a!", "x y z a", "...", "x y"))
    assert measured == (0.0, 0.0, 0.5, 1.0, 1.0)
    assert oddness(("alone",)) == (0.0,)
    assert oddness(()) == ()


def test_words_are_told_apart_in_any_script():
    # {straße as strasse, it, s, a_b, 7}, the same in other signs, and {é}
    assert oddness(("STRASSE – it’s a_b 7", "straße: it's «a_b» 7!", "É", "é…")) == (0.0, 0.0, 0.0, 0.0)


def test_first_odd_step_is_the_first_that_stands_out_not_the_oddest():
    texts = ["one two", "one two", "one two three", "one far off", "red", "one two", "one two", "one two"]
    run = trajectory(*["Solver", "Critic"] * 4, texts=texts)
    # oddness 0, 0, 0, 2/3, 1, 0, 0, 0: mean 5/24 plus deviation 0.37 lies below 2/3
    found = FirstOddStep().attribute(run)
    assert blamed(found) == [("Critic", 3)]
    assert found.blames[0].confidence == pytest.approx(2 / 3)


def test_steps_of_others_and_without_words_are_neighbours_but_never_odd():
    texts = ["go", "go now", "?!", "exit code 1", "go now please", "go now"]
    run = trajectory("Human", "Solver", "Solver", "Terminal", "Solver", "Critic", texts=texts)
    assert blamed(FirstOddStep().attribute(run)) == [("Solver", 1)]  # none stands out: all are 0


def test_oddest_step_is_blamed_where_none_stands_out():
    run = trajectory("A", "B", texts=["one two", "red green"])
    assert blamed(FirstOddStep().attribute(run)) == [("A", 0)]
