"""Imports point one way, as docs/architecture.md, section 2, says."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

# From the words up: a module may import what stands in its own row or in one above it.
ROWS = (
    ("errors", "records"),
    ("trajectory", "faults", "attribution", "taxonomy"),
    ("adapter", "injector", "learner", "format", "hookspecs", "plugins", "attributing"),
    ("run", "store"),
    ("trace",),
    ("campaign", "dataset", "formats", "report", "scoring", "testing", "world"),
    ("cli",),
)
ROW = {part: number for number, row in enumerate(ROWS) for part in row}
WORDS = {part for row in ROWS[:2] for part in row}
# Third parties that the core may use, and where.
ANYWHERE = {"packaging", "pluggy", "pydantic", "pydantic_core"}
ONLY_IN = {"typer": "cli", "click": "cli", "rich": "cli", "pytest": "testing"}


@dataclass(frozen=True)
class Import:
    """One imported module, by its full dotted name, and the line."""

    name: str
    line: int


def part_of(name: str) -> str:
    """The part of the core that a module belongs to: `run` for `aegis_core.run.tape`, "" for the face itself."""
    return name.split(".")[1] if "." in name else ""


def imports(module, known) -> Iterator[Import]:
    """What a module imports when it runs, inside functions too; not what only a type checker sees."""
    unseen = {
        id(inner)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(module.tree):
        if id(node) in unseen:
            continue
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module.where}:{node.lineno} is a relative import"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                is_module = inner in known or inner == "aegis_core.__version__"
                yield Import(inner if is_module else str(node.module), node.lineno)


@pytest.fixture(scope="session")
def edges(modules):
    """(module, what it imports) for every import in the tree."""
    return [(module, found) for module in modules.values() for found in imports(module, modules)]


@pytest.fixture(scope="session")
def core_edges(edges):
    """Imports of the core by the core. The version, a constant of the face, is free for all to read."""
    return [
        (module, found)
        for module, found in edges
        if module.name.startswith("aegis_core.")
        and found.name.split(".")[0] == "aegis_core"
        and found.name != "aegis_core.__version__"
    ]


def listed(violations) -> str:
    return "\n".join(f"{module.where}:{found.line} imports {found.name}" for module, found in violations)


def test_every_part_of_the_core_has_its_row(modules):
    parts = {part_of(name) for name in modules if name.startswith("aegis_core.")}
    assert parts <= set(ROW), f"no row for {sorted(parts - set(ROW))}: give it one here and in docs/architecture.md"


def test_the_core_imports_only_downwards(core_edges):
    upwards = [(m, f) for m, f in core_edges if ROW.get(part_of(f.name), len(ROWS)) > ROW[part_of(m.name)]]
    assert not upwards, listed(upwards)


def test_no_part_of_the_core_imports_a_plugin(edges):
    wrong = [(m, f) for m, f in edges if m.name.startswith("aegis_core") and is_plugin(f.name)]
    assert not wrong, listed(wrong)


def test_the_core_uses_only_the_libraries_it_declares(edges):
    wrong = [
        (m, f)
        for m, f in edges
        if m.name.startswith("aegis_core") and not may_use(part_of(m.name), f.name.split(".")[0])
    ]
    assert not wrong, listed(wrong)


def test_world_knows_words_tasks_and_checkers_only(core_edges):
    doors = ("aegis_core.world", "aegis_core.campaign.tasks", "aegis_core.campaign.checkers")
    as_a_user = ("aegis_core.adapter", "aegis_core.trace")  # teams are written as a user writes them
    wrong = [
        (m, f)
        for m, f in core_edges
        if part_of(m.name) == "world"
        and not within(f.name, doors)
        and part_of(f.name) not in WORDS
        and not (within(m.name, ("aegis_core.world.teams",)) and within(f.name, as_a_user))
    ]
    assert not wrong, listed(wrong)


def test_evidence_knows_words_only(core_edges):
    wrong = [
        (m, f)
        for m, f in core_edges
        if within(m.name, ("aegis_core.taxonomy.evidence",)) and part_of(f.name) not in WORDS
    ]
    assert not wrong, listed(wrong)


@pytest.mark.parametrize(
    ("who", "whom"),
    [
        ("aegis_core.world", "aegis_core.taxonomy.evidence"),
        ("injectors", "aegis_core.world"),
        ("injectors", "aegis_core.taxonomy.evidence"),
        ("learners", "aegis_core.world"),
        ("learners", "injectors"),
    ],
)
def test_hands_that_write_world_rules_and_features_stay_apart(edges, root, who, whom):
    forbidden = packages_on(root, whom) if "." not in whom else (whom,)
    wrong = [
        (m, f)
        for m, f in edges
        if (m.where.startswith(f"{who}/") or within(m.name, (who,))) and within(f.name, forbidden)
    ]
    assert not wrong, listed(wrong)


def test_the_entry_of_a_plugin_holds_hooks_and_descriptors_only(modules, edges):
    entries = [m for m in modules.values() if m.is_package and is_plugin(m.name) and "." not in m.name]
    assert entries
    entries.append(modules["aegis_core.formats"])  # the core's own, found like any other
    for module in entries:
        loaded = [f for m, f in edges if m is module and not is_light(f.name)]
        assert not loaded, f"{module.where} imports {[f.name for f in loaded]}; a Provider's target may, the entry not"
        odd = [ast.unparse(node).splitlines()[0] for node in module.tree.body if not is_descriptive(node)]
        assert not odd, f"{module.where} does more than describe: {odd}"


def is_plugin(name: str) -> bool:
    package = name.split(".")[0]
    return package.startswith("aegis_") and package != "aegis_core"


def may_use(part: str, library: str) -> bool:
    ours = library.startswith("aegis_")  # judged by the other tests
    return ours or library in sys.stdlib_module_names or library in ANYWHERE or ONLY_IN.get(library) == part


def is_light(name: str) -> bool:
    package = name.split(".")[0]
    return package == "aegis_core" or package in sys.stdlib_module_names


def is_descriptive(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef):
        return any("hookimpl" in ast.unparse(mark) for mark in node.decorator_list)
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_for_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    is_constant = isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign)
    return is_docstring or is_for_types or is_constant


def within(name: str, packages) -> bool:
    return any(name == package or name.startswith(f"{package}.") for package in packages)


def packages_on(root, shelf: str) -> tuple[str, ...]:
    return tuple(path.name for path in (root / shelf).glob("aegis_*"))


def test_the_test_sees_imports_in_functions_and_not_those_for_type_checkers(modules):
    source = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from aegis_core.cli import main\n"
        "def f():\n    from aegis_core import run\n    import torch.nn\n"
    )
    sample = type("Sample", (), {"tree": ast.parse(source), "where": "sample"})

    assert [f.name for f in imports(sample, modules)] == ["typing", "aegis_core.run", "torch.nn"]
