"""What the tests of the house as a whole look at: its source files, parsed once; its wheel; a foreign environment."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Folder on the path -> the import packages in it.
SHELVES = (".", "adapters", "injectors", "learners")
EXAMPLES = ("plugin_mode", "plugin_attributor", "plugin_adapter")
BROKEN = ("broken_import_error", "broken_syntax_error", "broken_exit", "broken_signature", "broken_misspelt")


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


@dataclass(frozen=True, kw_only=True)
class Environment:
    """A virtual environment of somebody else: no checkout, no editable install."""

    folder: Path
    examples: dict[str, Path]
    """The sources of the foreign distributions in it, outside the checkout, by the name of their folder."""

    @property
    def programs(self) -> Path:
        """Where its commands are."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def site(self) -> Path:
        """Its folder of packages."""
        return Path(sysconfig.get_path("purelib", "venv", {"base": str(self.folder), "platbase": str(self.folder)}))

    def python(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run its Python in a fresh process."""
        return self._run(self.programs / "python", *arguments, cwd=cwd)

    def aegis(self, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run its command `aegis`."""
        return self._run(self.programs / "aegis", *arguments, cwd=cwd)

    def _run(self, program: Path, *arguments: str, cwd: Path | None) -> subprocess.CompletedProcess[str]:
        outside = ("AEGIS_", "PYTHON")
        return subprocess.run(
            [str(program), *arguments],
            env={name: value for name, value in os.environ.items() if not name.startswith(outside)},
            cwd=cwd or self.folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


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


@pytest.fixture(scope="session")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout."""
    return _built(root, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheels of Aegis and of the foreign distributions of `examples/`, and five broken distributions beside them.

    What Aegis itself needs isn't installed anew, which would take the network, but found where these tests run. There
    the checkout is installed editable, by a `.pth` file, of which a folder that is on the path by another one makes
    no use: so Aegis comes from the wheel alone.
    """
    folder = tmp_path_factory.mktemp("foreign")
    examples = {name: folder / name for name in EXAMPLES}
    for name, copy in examples.items():
        shutil.copytree(ROOT / "examples" / name, copy, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    made = Environment(folder=folder / "venv", examples=examples)
    venv.create(made.folder, symlinks=os.name != "nt")
    foreign = [_built(copy, folder / "wheels" / name) for name, copy in examples.items()]
    python = str(made.programs / "python")
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "--no-input"]
    _checked([*pip, "install", "--no-index", "--no-deps", "--quiet", *map(str, (wheel, *foreign))])
    shared = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (made.site / "shared.pth").write_text("\n".join(shared) + "\n", encoding="utf-8")
    for module in BROKEN:
        shutil.copy(ROOT / "tests" / "broken_plugins" / f"{module}.py", made.site)
        info = made.site / f"{module}-4.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 4.2\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[aegis]\n{module} = {module}\n", encoding="utf-8")
    return made


def _built(source: Path, out: Path) -> Path:
    """The wheel of a source tree, built with the hatchling of this environment."""
    _checked([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(source)])
    (wheel,) = out.glob("*.whl")
    return wheel


def _checked(command: list[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
