"""An alteration counts as observed only where another agent's input shows it."""

from __future__ import annotations

import aegis_core as aegis
from aegis_callables.adapter import CallablesAdapter
from aegis_core.faults import Observation, PartChange, Target
from aegis_core.run.observation import altered_places, observe, overheard
from tests.core.run.systems import Scripted, plan, recorded, relay, report, rerun, solve, target

ADAPTER = CallablesAdapter()


def observed(app: object, goal: Target, change: object = None) -> tuple[Observation, ...]:
    clean, tape, _ = recorded(ADAPTER, app, "count the red apples in the box")
    injector = Scripted(change) if change else Scripted()  # type: ignore[arg-type]
    run, _ = rerun(ADAPTER, app, "count the red apples in the box", tape, goal, injector=injector)
    entry = run.ledger().interventions[0]
    assert entry.fired
    return observe(entry, clean=clean, faulty=run.trajectory(), clean_tape=tape, faulty_tape=run.tape())


def test_an_added_span_is_held_by_the_next_input() -> None:
    found = observed(relay, target("Planner", "response_corruption", "outgoing"))
    assert found[0].moment.agent == "Solver"
    assert (found[0].how, found[0].span) == ("holds", "the box> ALTERED")


def test_a_removed_span_is_lacked_by_the_next_input() -> None:
    found = observed(
        relay, target("Planner", "response_corruption", "outgoing"), lambda text: text.replace(" in the box", "")
    )
    assert found[0].moment.agent == "Solver"
    assert any(item.how == "lacks" or "apples>" in item.span for item in found)


def test_prompt_injection_is_observed_by_the_change_of_the_targets_output() -> None:
    found = observed(relay, target("Planner", "prompt_injection", "persistent"))
    assert found[0].moment.agent == "Solver"


def test_prompt_injection_that_changes_nothing_in_the_output_is_not_observed() -> None:
    @aegis.agent("Deaf")
    def deaf(question: str) -> str:
        return "always the same"

    @aegis.trace
    def system(question: str) -> str:
        return report(deaf(question))

    assert observed(system, target("Deaf", "prompt_injection", "persistent")) == ()


def test_an_alteration_that_nobody_reads_is_not_observed() -> None:
    @aegis.agent("Talker")
    def talker(question: str) -> str:
        return f"talk about {question}"

    @aegis.trace
    def system(question: str) -> str:
        talker(question)
        return report(solve(plan(question)))

    assert observed(system, target("Talker", "response_corruption", "outgoing")) == ()


def test_the_last_speaker_has_no_observer() -> None:
    assert observed(relay, target("Reporter", "response_corruption", "outgoing")) == ()


def test_a_lone_figure_is_not_found_by_chance_elsewhere() -> None:
    @aegis.agent("Counter")
    def counter(question: str) -> str:
        return "there are 12 apples"

    @aegis.agent("Other")
    def other(question: str) -> str:
        return "17 pears are in the other box"

    @aegis.trace
    def system(question: str) -> str:
        counter(question)
        return report(other(question))

    assert observed(system, target("Counter", "response_corruption", "outgoing"), lambda t: t.replace("12", "17")) == ()


def test_places_of_an_alteration_are_told_by_the_words_around_them() -> None:
    here = PartChange(
        part="p", before="3 + 4 = 7. The answer is 7 boxes in all", after="3 + 4 = 7. The answer is 9 boxes in all"
    )
    there = PartChange(
        part="p", before="3 + 5 = 8. The answer is 8 boxes in all", after="3 + 5 = 8. The answer is 1 boxes in all"
    )
    elsewhere = PartChange(part="p", before=here.before, after="3 + 4 = 9. The answer is 7 boxes in all")
    assert altered_places([here]) == altered_places([there]) == ("answer is _ boxes in",)
    assert altered_places([elsewhere]) != altered_places([here])
    assert altered_places([PartChange(part="p", before="same", after="same")]) == ()


def shown_to_others(app: object, goal: Target) -> list[str]:
    _, tape, _ = recorded(ADAPTER, app, "count the red apples in the box")
    run, _ = rerun(ADAPTER, app, "count the red apples in the box", tape, goal)
    (entry,) = run.ledger().interventions
    assert entry.fired
    heard = overheard(entry, faulty=run.trajectory(), clean_tape=tape, faulty_tape=run.tape())
    return [str(item.moment) for item in heard]


class Shared:
    """A memory that all agents read."""

    text = ""


@aegis.agent("Keeper")
def keep(question: str) -> str:
    Shared.text = question
    return "noted"


@aegis.agent("Reader")
def read_shared(note: str, memory: str) -> str:
    return f"{note}: {memory}"


@aegis.trace
def sharing(question: str) -> str:
    note = keep(question)
    return read_shared(note, Shared.text)


def test_an_injection_that_reaches_another_agent_by_itself_is_overheard() -> None:
    assert shown_to_others(sharing, target("Keeper", "prompt_injection", "persistent")) == ["Reader turn 1"]


def test_what_the_target_says_of_it_is_its_own_doing() -> None:
    assert shown_to_others(relay, target("Planner", "prompt_injection", "persistent")) == []


def test_what_an_agent_said_is_not_overheard() -> None:
    assert shown_to_others(relay, target("Planner", "response_corruption", "outgoing")) == []
