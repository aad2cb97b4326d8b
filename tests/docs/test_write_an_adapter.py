"""docs/write-an-adapter.md shows the code of examples/plugin_adapter, which tests/packaging builds and certifies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aegis_core.testing import AdapterConformance

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "plugin_adapter"
GUIDE = (ROOT / "docs" / "write-an-adapter.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```(?:python|toml)\n# (\S+)\n(.*?)^```$", GUIDE, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("name", "code"), SHOWN, ids=[name for name, _ in SHOWN])
def test_what_the_guide_shows_stands_in_the_example_word_by_word(name: str, code: str) -> None:
    assert code in (EXAMPLE / name).read_text(encoding="utf-8")


def test_the_guide_shows_every_file_of_the_package_and_no_code_of_another_origin() -> None:
    package = {path.relative_to(EXAMPLE).as_posix() for path in EXAMPLE.rglob("aegis_plugin_adapter/**/*.py")}
    told = {"pyproject.toml", "src/tinycrew/__init__.py", "tests/test_conformance.py", *package}
    assert {name for name, _ in SHOWN} == told - {"src/aegis_plugin_adapter/testing/__init__.py"}
    assert len(SHOWN) == len(re.findall(r"^```(?:python|toml)$", GUIDE, flags=re.MULTILINE))


def test_the_table_of_the_guide_names_what_is_to_be_filled_in() -> None:
    named = set(re.findall(r"`(\w+)[`(]", GUIDE.split("| to fill in | |")[1].split("\n\n")[0]))

    assert named >= {"name", "conversation", "tool_use", "side_by_side", "nested", "retrying", "ways", "run", "plain"}
    assert {name for name in named if name not in {"sync", "async", "stream", "astream", "start"}} <= set(
        dir(AdapterConformance)
    )
