"""Order keys of turns that have no plan: by the names of branches, never by who is faster, and causes come first."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import aegis_core as aegis
from aegis_core.run.canonical import canonical
from aegis_core.run.places import Places
from aegis_core.run.recorder import sortable


def test_what_is_on_no_branch_comes_in_the_order_in_which_it_begins() -> None:
    places = Places()
    keys = [places.next() for _ in range(12)]
    assert keys == sorted(keys, key=sortable)


def test_branches_stand_side_by_side_by_their_names_between_what_is_before_and_after() -> None:
    for order in itertools.permutations("xyz"):
        places = Places((7, "a"))
        first = places.next()
        keys = {name: places.next(name) for name in order}
        last = places.next()
        assert sorted([last, *keys.values(), first], key=sortable) == [first, *(keys[name] for name in "xyz"), last]


def test_what_is_made_of_another_branch_comes_after_it() -> None:
    places = Places()
    source = places.next("z")
    assert sortable(places.next("a", sources=[source])) > sortable(source)
    assert places.next("b", sources=[(99, "", 1, "x"), ()]) == (100, "b")


def test_inner_branches_come_before_what_follows_on_the_outer_one() -> None:
    places = Places()
    outer, inner, later = places.next("a"), places.next("a/x"), places.next("a")
    assert sortable(outer) < sortable(inner) < sortable(later)
    assert places.reached("a") == 3
    assert places.reached("b") == 0


# -- plain functions ------------------------------------------------------------------------------------------------


class Gates:
    """Lets branches speak in a given order."""

    def __init__(self, order: str) -> None:
        self.order = list(order)
        self.turned = threading.Condition()

    def wait(self, name: str) -> None:
        with self.turned:
            self.turned.wait_for(lambda: not self.order or self.order[0] == name or name not in self.order, timeout=5)

    def done(self, name: str) -> None:
        with self.turned:
            self.order = [other for other in self.order if other != name]
            self.turned.notify_all()


@aegis.agent("Planner")
def plan(task: str) -> str:
    return f"{task} in three pieces"


@aegis.agent("Joiner")
def join(texts: list[str]) -> str:
    return " + ".join(texts)


def played(team: Callable[[str], Any]) -> Any:
    with aegis.record(team) as run:
        result = team("Count the crates")
        if asyncio.iscoroutine(result):
            asyncio.run(result)
    trajectory, tape, _ = canonical(run.trajectory, run.tape, run.run.ledger())
    return trajectory.model_dump_json(exclude={"run_id"}), tape.model_dump_json(exclude={"run_id"}), trajectory


def in_threads(order: str) -> Any:
    gates = Gates(order)

    @aegis.agent("Worker")
    def work(text: str, item: str) -> str:
        gates.wait(item)
        return f"{item} has read {text!r}"

    def branch(text: str, item: str) -> str:
        with aegis.branch(item):
            text = work(text, item)
            gates.done(item)
            return work(text, item)

    @aegis.trace
    def team(task: str) -> str:
        texts = [plan(task)] * 3
        with ThreadPoolExecutor(3) as pool:
            for _ in range(2):  # the second round reads what others said in the first
                told = pool.map(aegis.bind(branch), texts, "xyz")
                texts = list(told)
                texts = [*texts[1:], texts[0]]
        return join(texts)

    return played(team)


def in_tasks(order: str) -> Any:
    @aegis.agent("Worker")
    async def work(text: str, item: str) -> str:
        for _ in range(order.index(item)):
            await asyncio.sleep(0)
        return f"{item} has read {text!r}"

    async def branch(text: str, item: str) -> str:
        with aegis.branch(item):
            return await work(await work(text, item), item)

    @aegis.trace
    async def team(task: str) -> str:
        texts = [plan(task)] * 3
        for _ in range(2):
            told = await asyncio.gather(*map(branch, texts, "zxy"))
            texts = [*told[1:], told[0]]
        return join(list(texts))

    return played(team)


@pytest.mark.parametrize("system", [in_threads, in_tasks])
def test_the_record_of_branches_does_not_depend_on_who_is_faster(system: Callable[[str], Any]) -> None:
    records = [system("".join(order)) for order in itertools.permutations("xyz")]
    assert {record[:2] for record in records} == {records[0][:2]}
    trajectory = records[0][2]
    assert [step.agent for step in trajectory.steps] == ["Planner", *["Worker"] * 12, "Joiner"]
    for step in trajectory.steps[4:]:
        assert step.parents, step


def test_branches_one_after_another_stand_in_that_order() -> None:
    @aegis.agent("Worker")
    def work(text: str) -> str:
        return f"seen: {len(text)}"

    @aegis.trace
    def team(task: str) -> str:
        said = []
        for item in "zab":
            with aegis.branch(item):
                said.append(work(f"{item} {task}"))
        return join(said)

    assert [step.branch for step in played(team)[2].steps] == ["z", "a", "b", ""]


def test_what_happens_inside_a_turn_or_a_tool_stands_where_it_happened() -> None:
    @aegis.agent("Helper")
    def help_out(text: str) -> str:
        return f"helped with {text}"

    @aegis.tool
    def ask_helper(text: str) -> str:
        return help_out(text)

    @aegis.model
    def think(text: str) -> str:
        return f"thought of {text}"

    @aegis.agent("Manager")
    def manage(task: str) -> str:
        first = ask_helper(think(task))
        return think(help_out(ask_helper(first)))

    @aegis.trace
    def team(task: str) -> str:
        return manage(task)

    with aegis.record(team) as run:
        team("counting")
    assert [(step.agent, step.kind) for step in run.trajectory.steps] == [
        ("Manager", "tool_call"), ("Helper", "message"), ("Manager", "tool_result"),
        ("Manager", "tool_call"), ("Helper", "message"), ("Manager", "tool_result"),
        ("Helper", "message"), ("Manager", "message"),
    ]  # fmt: skip
    kinds = [(entry.key.moment.agent, entry.key.kind) for entry in run.tape.entries]
    assert kinds == [
        ("Manager", "input"), ("Manager", "model"), ("Helper", "input"), ("Helper", "output"), ("Manager", "tool"),
        ("Helper", "input"), ("Helper", "output"), ("Manager", "tool"), ("Helper", "input"), ("Helper", "output"),
        ("Manager", "model"), ("Manager", "output"),
    ]  # fmt: skip
    tools = [entry for entry in run.tape.entries if entry.key.kind == "tool"]
    assert [[step.agent for step in entry.inner] for entry in tools] == [["Helper"], ["Helper"]]
