"""docs/write-a-plugin.md shows a test file of an example, and names what the kits have."""

from __future__ import annotations

import re
from pathlib import Path

import aegis_core.testing

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "write-a-plugin.md").read_text(encoding="utf-8")


def test_the_code_is_that_of_the_example() -> None:
    (code,) = re.findall(r"^```python\n# tests/test_conformance.py\n(.*?)^```$", GUIDE, flags=re.MULTILINE | re.DOTALL)
    assert code in (ROOT / "examples/plugin_attributor/tests/test_conformance.py").read_text(encoding="utf-8")


def test_the_table_names_every_kit_and_what_it_has() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", GUIDE, flags=re.MULTILINE)
    kits = {name for name in aegis_core.testing.__all__ if name.endswith("Conformance")}
    assert {name for name, _ in rows} == kits - {"AdapterConformance"}
    for name, filled in rows:
        for attribute in re.findall(r"`(\w+)", filled):
            assert hasattr(getattr(aegis_core.testing, name), attribute), f"{name}.{attribute}"


def test_the_examples_that_it_names_are_there() -> None:
    for folder in re.findall(r"`(examples/\w+)/`", GUIDE):
        assert (ROOT / folder / "pyproject.toml").is_file()
