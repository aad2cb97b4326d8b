"""The tables of cases in the READMEs of adapters are true: a case is a marked test, or is said not to be supported."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READMES = sorted((ROOT / "adapters").glob("*/README.md"))
MOST_UNSUPPORTED = 0.1
"""Share of an adapter's cases that may be not supported."""
IDS = re.compile(r"#?(?:N?\d+)(?:, #?N?\d+)*")


def adapter_of(readme: Path) -> str:
    """The name of the adapter as its marks have it."""
    return readme.parent.name.removeprefix("aegis_").replace("_", "-")


def table(readme: Path, heading: str) -> set[str]:
    """The ids with which the rows of the table under a heading begin: `7`, `N2`, `#123`, or several, with commas."""
    rows = re.findall(r"^\| ([^|]+) \|", section(readme, heading), flags=re.MULTILINE)
    found = (IDS.match(row) for row in rows)
    return {name.removeprefix("#") for match in found if match for name in match.group().split(", ")}


def section(readme: Path, heading: str) -> str:
    """What stands under a heading."""
    _, _, below = readme.read_text(encoding="utf-8").partition(f"\n## {heading}\n")
    return below.partition("\n## ")[0]


def marked(adapter: str) -> set[str]:
    """The cases of an adapter that are marked in its tests."""
    names: set[str] = set()
    for path in sorted((ROOT / "tests" / "adapters" / adapter.replace("-", "_")).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.case"):
                for name in node.args:
                    assert isinstance(name, ast.Constant), f"{path.name}:{node.lineno}: a case is named by a text"
                    assert str(name.value).startswith(f"{adapter}-"), f"{path.name}:{node.lineno}: {name.value!r}"
                    names.add(str(name.value).removeprefix(f"{adapter}-"))
    return names


WITH_CASES = [readme for readme in READMES if "\n## Cases\n" in readme.read_text(encoding="utf-8")]


@pytest.mark.parametrize("readme", WITH_CASES, ids=adapter_of)
def test_the_table_of_cases_is_true(readme: Path) -> None:
    tests, told, unsupported = marked(adapter_of(readme)), table(readme, "Cases"), table(readme, "Not supported")
    assert told, "the table of cases names none; let each row begin with ids, as `7` or `7, N2`"
    assert told - unsupported <= tests, "told, but neither a marked test nor said not to be supported"
    assert tests <= told | unsupported, "tests of cases that the table does not tell of"
    assert len(unsupported) <= MOST_UNSUPPORTED * len(told | unsupported), f"not supported: {sorted(unsupported)}"


@pytest.mark.parametrize("readme", WITH_CASES, ids=adapter_of)
def test_the_tests_that_a_readme_names_are_there(readme: Path) -> None:
    folder = ROOT / "tests" / "adapters" / adapter_of(readme).replace("-", "_")
    text = section(readme, "Cases") + section(readme, "Not supported")
    sources = {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("test_*.py")}
    files = set(re.findall(r"`(test_\w+\.py)", text))
    assert files <= set(sources), "files that are not there"
    functions = set(re.findall(r"`(?:test_\w+\.py::)?(test_\w+)`", text))
    assert functions <= set(re.findall(r"def (test_\w+)", "\n".join(sources.values()))), "tests that are not there"


def test_every_adapter_with_marked_tests_has_a_table_of_cases() -> None:
    names = {adapter_of(readme) for readme in WITH_CASES}
    folders = [path for path in (ROOT / "tests" / "adapters").iterdir() if path.is_dir()]
    lost = [path.name for path in folders if path.name.replace("_", "-") not in names]
    assert not [name for name in lost if marked(name.replace("_", "-"))]
