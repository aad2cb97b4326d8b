"""What the tests of the house as a whole look at: its source files, parsed once."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Folder on the path -> the import packages in it.
SHELVES = (".", "adapters", "injectors", "learners")


@dataclass(frozen=True, kw_only=True)
class Module:
    """A source file of an import package: its dotted name, its path and its syntax tree."""

    name: str
    path: Path
    tree: ast.Module
    text: str

    @property
    def is_package(self) -> bool:
        """Whether the file is an `__init__`."""
        return self.path.name == "__init__.py"

    @property
    def where(self) -> str:
        """The path from the root, for messages."""
        return self.path.relative_to(ROOT).as_posix()


def _modules() -> list[Module]:
    found = []
    for shelf in SHELVES:
        for package in sorted((ROOT / shelf).glob("aegis_*")):
            for path in sorted(package.rglob("*.py")):
                parts = path.relative_to(ROOT / shelf).with_suffix("").parts
                name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
                text = path.read_text(encoding="utf-8")
                found.append(Module(name=name, path=path, tree=ast.parse(text, str(path)), text=text))
    return found


MODULES = _modules()


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def modules() -> dict[str, Module]:
    """Every module of the core and of the plugins in the tree, by dotted name."""
    return {module.name: module for module in MODULES}
