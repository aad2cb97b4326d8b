"""What is replaced is put back by identity, whatever kind of object it hangs on, and whoever came in between."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from aegis_core.run.patches import Patches


class Plain:
    def act(self) -> str:
        return "real"


class Model(BaseModel):
    model_config = ConfigDict(frozen=True)
    name: str = "m"

    def act(self) -> str:
        return "real"


@dataclass(frozen=True)
class Frozen:
    act: Any = None


class Slots:
    __slots__ = ("act",)

    def __init__(self) -> None:
        self.act = "real"


class Property:
    def __init__(self) -> None:
        self._act = "real"

    @property
    def act(self) -> Any:
        return self._act

    @act.setter
    def act(self, value: Any) -> None:
        self._act = value


def module() -> ModuleType:
    made = ModuleType("made")
    made.act = "real"  # type: ignore[attr-defined]
    return made


def a_class() -> type:
    return type("Made", (Plain,), {})


@pytest.mark.parametrize("make", [Plain, Model, Frozen, Slots, Property, module, a_class])
def test_attributes_are_restored_by_identity(make) -> None:
    owner, patches = make(), Patches()
    before = dict(vars(owner)) if hasattr(owner, "__dict__") else {}
    held = getattr(owner, "act", None)

    for value in ("first", "second"):
        patches.attribute(owner, "act", value)
        assert owner.act == value
    patches.restore()
    patches.restore()

    assert owner.act == held
    assert {name: id(value) for name, value in before.items()} == {
        name: id(value) for name, value in (vars(owner) if hasattr(owner, "__dict__") else {}).items()
    }
    assert patches.closed


def test_items_are_restored_and_what_was_added_meanwhile_stays() -> None:
    tools: dict[str, Any] = {"a": "real"}
    patches = Patches()
    patches.item(tools, "a", "tapped")
    patches.item(tools, "b", "added")
    tools["c"] = "of the user"
    patches.restore()
    assert tools == {"a": "real", "c": "of the user"}


@pytest.mark.parametrize("make", [Plain, Slots, Property, a_class])
def test_what_somebody_else_replaced_meanwhile_is_left_alone(make) -> None:
    owner, patches = make(), Patches()
    patches.attribute(owner, "act", "ours")
    owner.act = "theirs"
    patches.restore()
    assert owner.act == "theirs"


def test_what_is_gone_already_is_no_error() -> None:
    owner, patches = Plain(), Patches()
    patches.attribute(owner, "act", "ours")
    del owner.act
    patches.restore()
    assert owner.act() == "real"


def test_things_are_undone_in_reverse_and_one_that_fails_keeps_none_from_it() -> None:
    owner, patches, done = Plain(), Patches(), []
    patches.undone_by(lambda: done.append("first"))
    patches.attribute(owner, "act", "ours")
    patches.undone_by(lambda: 1 / 0)
    patches.undone_by(lambda: done.append("last"))
    with pytest.raises(ZeroDivisionError):
        patches.restore()
    assert done == ["last", "first"]
    assert "act" not in vars(owner)
