"""What an adapter leaves patched is seen, wherever it can be reached from the system, and nothing else."""

from __future__ import annotations

import types

from aegis_core.testing.attributes import Attributes


class Agent:
    def __init__(self) -> None:
        self.memory: list[str] = []

    def act(self) -> str:
        return "acted"


def team() -> types.SimpleNamespace:
    return types.SimpleNamespace(members={"a": Agent()}, entry=lambda: "done")


def test_nothing_is_changed_where_nothing_changed() -> None:
    app = team()
    before = Attributes(app)
    app.members["a"].memory.append("data")

    assert before.changed(callables_only=False) == []


def test_an_attribute_of_a_member_is_named_and_again_itself_when_deleted() -> None:
    app = team()
    before = Attributes(app)
    agent = app.members["a"]
    agent.act = agent.act

    assert before.changed(callables_only=True) == ["Agent.act"]
    del agent.act
    assert before.changed(callables_only=True) == []


def test_a_method_of_the_class_is_named() -> None:
    app = team()
    before = Attributes(app)
    real = Agent.act
    Agent.act = lambda self: "patched"  # type: ignore[method-assign]
    try:
        assert before.changed(callables_only=True) == ["Agent.act"]
    finally:
        Agent.act = real  # type: ignore[method-assign]


def test_data_counts_only_where_no_run_lay_between() -> None:
    app = team()
    before = Attributes(app)
    app.members["a"].memory = ["new"]

    assert before.changed(callables_only=True) == []
    assert before.changed(callables_only=False) == ["Agent.memory"]


def test_what_a_run_explains_is_not_left() -> None:
    app = team()
    before = Attributes(app)
    agent = app.members["a"]
    agent.memory, agent.found = ["new"], "came by running"

    assert before.left(["Agent.memory"]) == []
    assert before.left([]) == ["Agent.memory"]


def test_a_stand_in_is_left_whatever_it_is() -> None:
    app = team()
    before = Attributes(app)
    app.entry = types.SimpleNamespace(real=app.entry)

    assert before.changed(callables_only=False) == ["SimpleNamespace.entry"]
    assert before.left([]) == ["SimpleNamespace.entry"]


def test_what_a_function_holds_is_reached() -> None:
    agent = Agent()

    def entry() -> str:
        return agent.act()

    before = Attributes(entry)
    agent.act = lambda: "patched"  # type: ignore[method-assign]

    assert before.changed(callables_only=True) == ["Agent.act"]


def test_modules_of_the_framework_are_looked_at() -> None:
    import colorsys

    before = Attributes(object(), ("colorsys",))
    real = colorsys.rgb_to_hsv
    colorsys.rgb_to_hsv = lambda *args: (0.0, 0.0, 0.0)
    try:
        assert before.changed(callables_only=True) == ["colorsys.rgb_to_hsv"]
    finally:
        colorsys.rgb_to_hsv = real
