"""What is public is listed in `__all__`, and what is listed is there."""

from __future__ import annotations

import ast
import importlib
import types

import pytest

import aegis_core


def exported(module) -> list[str] | None:
    """The literal of `__all__`, or None where there is none."""
    for node in module.tree.body:
        if isinstance(node, ast.Assign) and any(getattr(name, "id", "") == "__all__" for name in node.targets):
            return ast.literal_eval(node.value)
    return None


def defined(module) -> set[str]:
    """Public functions and classes at the top of a module, less the implementations of hooks and commands."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    registered = ("hookimpl", ".command", ".callback")
    return {
        node.name
        for node in module.tree.body
        if isinstance(node, kinds) and not node.name.startswith("_")
        if not any(mark in ast.unparse(decorator) for decorator in node.decorator_list for mark in registered)
    }


def is_private(module) -> bool:
    return any(part.startswith("_") for part in module.name.split("."))


def test_everything_public_is_listed(modules):
    unlisted = {
        module.where: sorted(missing)
        for module in modules.values()
        if not is_private(module) and (missing := defined(module) - set(exported(module) or ()))
    }
    assert not unlisted, unlisted


def test_everything_listed_exists_in_the_core(modules):
    names = [name for name, module in modules.items() if name.startswith("aegis_core") and exported(module)]
    assert names
    for name in names:
        loaded = importlib.import_module(name)
        missing = [item for item in exported(modules[name]) if not hasattr(loaded, item)]
        assert not missing, f"{name} lists {missing}, which it does not have"


def test_the_face_of_the_core_is_exactly_what_it_lists(modules):
    late = aegis_core._LATE
    assert not set(late) & set(vars(aegis_core)) - {name for name in late if name in vars(aegis_core)}
    stray = {
        name
        for name, value in vars(aegis_core).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    } - {*aegis_core.__all__, "annotations", "TYPE_CHECKING", "Any"}
    assert not stray, f"aegis_core has {sorted(stray)}, which it does not list"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = aegis_core.nonsense
