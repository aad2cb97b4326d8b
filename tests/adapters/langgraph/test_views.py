"""What one agent sees altered is never handed on to others by a text that the agent extends."""

from __future__ import annotations

import functools
import itertools
from typing import Any, TypedDict

import pytest
from langgraph.graph import START, StateGraph

from tests.adapters.langgraph.graphs import Seen
from tests.adapters.langgraph.models import Scripted, says
from tests.adapters.langgraph.running import Appends, ainvoked, altered, invoked, ran, target

WAYS = pytest.mark.parametrize("use", [invoked, ainvoked], ids=["sync", "async"])
MARK = " ALTERED"


class Log(TypedDict):
    log: str


EXTENDING = {
    "at the end": lambda log, said: f"{log}\n{said}",
    "at the beginning": lambda log, said: f"{said}\n{log}",
    "in the middle": lambda log, said: f"({said}) {log} ({said})",
    "handed on": lambda log, _: log,
}
every_way = pytest.mark.parametrize("extend", EXTENDING.values(), ids=EXTENDING)


def logging(extend: Any, *names: str, seen: dict[str, list[str]] | None = None, rounds: int = 1) -> Any:
    """Members that read one text and write it anew, longer."""

    def member(name: str) -> Any:
        model = Scripted(answer=says(f"{name} wrote it"))

        def speak(state: Log) -> dict[str, Any]:
            if seen is not None:
                seen.setdefault(name, []).append(state["log"])
            return {"log": extend(state["log"], str(model.invoke(state["log"]).text))}

        return speak

    graph = StateGraph(Log)
    for name in names:
        graph.add_node(name, member(name))
    acting = [*names] * rounds
    graph.add_edge(START, names[0])
    for first, second in itertools.pairwise(names):
        graph.add_edge(first, second)
    if rounds > 1:
        graph.add_conditional_edges(
            names[-1],
            lambda state: names[0] if state["log"].count("\n") < len(acting) else "__end__",
            [names[0], "__end__"],
        )
    return graph.compile()


GIVEN = {"log": "question here"}


@WAYS
@every_way
@pytest.mark.parametrize("scope", ["persistent", "ephemeral"])
@pytest.mark.parametrize("agent", ["a", "b"])
def test_only_the_agent_that_was_told_it_sees_it(extend: Any, scope: Any, agent: str, use: Any) -> None:
    clean = ran(logging(extend, "a", "b", "c"), GIVEN, use=use)
    seen: dict[str, list[str]] = {}
    done = altered(
        lambda: logging(extend, "a", "b", "c", seen=seen),
        GIVEN,
        clean,
        target(agent, "prompt_injection", scope),
        use=use,
    )
    assert done.run.ledger().interventions[0].fired
    assert {name for name, texts in seen.items() if any(MARK in text for text in texts)} == {agent}
    assert done.texts == clean.texts
    assert done.result == clean.result


def test_persistent_stays_in_the_view_of_the_agent_as_the_text_grows() -> None:
    extend = EXTENDING["at the end"]
    clean = ran(logging(extend, "a", "b", rounds=2), GIVEN)
    seen: dict[str, list[str]] = {}
    build = functools.partial(logging, extend, "a", "b", rounds=2, seen=seen)
    altered(build, GIVEN, clean, target("a", "prompt_injection", "persistent"))
    assert [text.splitlines()[0] for text in seen["a"]] == [f"question here{MARK}"] * 2
    assert not any(MARK in text for text in seen["b"])


def test_outgoing_stays_altered_for_others_as_its_author_extends_the_text() -> None:
    extend = EXTENDING["at the end"]
    clean = ran(logging(extend, "a", "b", rounds=2), GIVEN)
    seen: dict[str, list[str]] = {}
    build = functools.partial(logging, extend, "a", "b", rounds=2, seen=seen)
    altered(build, GIVEN, clean, target("a", "response_corruption", "outgoing"), injector=Appends(MARK))
    assert [MARK in text for text in seen["a"]] == [False]  # its first turn was served
    assert [MARK in text for text in seen["b"]] == [True, True]


class Notes(TypedDict):
    notes: list[str]


@pytest.mark.parametrize("scope", ["persistent", "ephemeral"])
def test_a_list_that_is_written_anew_is_handed_on_as_the_others_see_it(scope: Any) -> None:
    def build(seen: Seen | None = None) -> Any:
        def member(name: str) -> Any:
            def speak(state: Notes) -> dict[str, Any]:
                if seen is not None:
                    seen.append([name, *state["notes"]])
                return {"notes": [*state["notes"], f"note of {name}"]}

            return speak

        graph = StateGraph(Notes)
        for name in "ab":
            graph.add_node(name, member(name))
        graph.add_edge(START, "a")
        graph.add_edge("a", "b")
        return graph.compile()

    given = {"notes": ["the task"]}
    clean = ran(build(), given)
    seen: Seen = []
    done = altered(lambda: build(seen), given, clean, target("a", "prompt_injection", scope))
    assert seen == [["a", f"the task{MARK}"], ["b", "the task", "note of a"]]
    assert done.texts == clean.texts
