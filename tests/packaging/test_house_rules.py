"""The house rules that a machine can see (CONTRIBUTING.md)."""

from __future__ import annotations

import ast
import re

import pytest

FILE_LINES, TEST_FILE_LINES, FUNCTION_LINES = 500, 700, 60
VAGUE = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}
NOT_OURS = {".git", ".hypothesis", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache", ".venv", "__pycache__"}
BUILT = {"build", "dist", "runs"}
# In pieces, so that this file doesn't hold what it forbids.
FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.~])/(?:root|work|" + r"Users/\w+|home/(?!user\b)\w+)/\w"),
    "the host of a registry": re.compile(
        "|".join(re.escape(".".join(parts)) for parts in (("files", "pythonhosted"), ("registry", "npmjs")))
        + "|"
        + re.escape("pypi" + ".org/simple")
    ),
    "unfinished work": re.compile("|".join(rf"\b{word}\b" for word in ("TO" + "DO", "FIX" + "ME", "X" + "XX"))),
}


@pytest.fixture(scope="module")
def texts(root) -> dict[str, str]:
    """Every text file of the checkout that isn't an environment, a cache or a build."""
    found = {}
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if path.is_file() and not NOT_OURS & set(inside.parts) and inside.parts[0] not in BUILT:
            try:
                found[inside.as_posix()] = path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue
    assert "pyproject.toml" in found
    return found


@pytest.fixture(scope="module")
def sources(texts) -> dict[str, str]:
    """Python files, without the plugins that are broken on purpose."""
    return {name: text for name, text in texts.items() if name.endswith(".py") and not name.startswith("tests/broken_")}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_file_holds(texts, what):
    hits = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        if FORBIDDEN[what].search(line)
    ]
    assert not hits, "\n".join(hits)


def test_the_patterns_find_what_they_are_for():
    assert FORBIDDEN["a path of one machine"].search("see /" + "work/main/x")
    assert not FORBIDDEN["a path of one machine"].search("docs/work/main and https://example.org/work/x")
    assert FORBIDDEN["the host of a registry"].search("https://files.python" + "hosted.org/")
    assert FORBIDDEN["unfinished work"].search("# TO" + "DO later")


def test_files_are_short(sources):
    long = {
        name: lines
        for name, text in sources.items()
        if (lines := len(text.splitlines())) > (TEST_FILE_LINES if name.startswith("tests/") else FILE_LINES)
    }
    assert not long, long


def test_functions_are_short(sources):
    long = {
        f"{name}:{node.lineno} {node.name}": lines
        for name, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES
    }
    assert not long, long


def test_modules_have_names_that_say_something(modules):
    vague = [module.where for module in modules.values() if module.path.stem.strip("_") in VAGUE]
    assert not vague, vague


def test_folders_of_plugins_are_no_packages(root):
    shelves = [root / name / "__init__.py" for name in ("adapters", "injectors", "learners")]
    assert not [path for path in shelves if path.exists()]


def test_catching_everything_is_explained(modules):
    """`except Exception` stands at the boundaries (plugin, observer, recorder) only, each named in a comment."""
    silent = []
    for module in modules.values():
        lines = module.text.splitlines()
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ExceptHandler) and is_broad(node) and not raises_again(node):
                # On the line, on the one before, or on the first one inside.
                around = " ".join(lines[node.lineno - 2 : node.body[0].lineno])
                if "#" not in around:
                    silent.append(f"{module.where}:{node.lineno}")
    assert not silent, f"say at which boundary this catches everything, and why: {silent}"


def is_broad(handler: ast.ExceptHandler) -> bool:
    caught = "BaseException" if handler.type is None else ast.unparse(handler.type)
    return bool(re.search(r"\b(?:Base)?Exception\b", caught))


def raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether the exception, or one made from it, leaves the handler at its end."""
    return isinstance(handler.body[-1], ast.Raise)


def test_only_the_command_line_prints(modules):
    printing = [
        f"{module.where}:{node.lineno}"
        for module in modules.values()
        if not module.name.startswith("aegis_core.cli")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
    ]
    assert not printing, printing


def test_only_three_variables_of_the_environment_are_read(modules):
    allowed = {"AEGIS_PLUGINS", "AEGIS_DISABLE_PLUGINS", "AEGIS_STRICT_PLUGINS"}
    named = {name for module in modules.values() for name in re.findall(r"[\"'](AEGIS_[A-Z_]+)[\"']", module.text)}
    assert named <= allowed, named - allowed
    readers = [
        module.where
        for module in modules.values()
        if re.search(r"\bos\.(?:environ|getenv)\b|from os import .*\b(?:environ|getenv)\b", module.text)
        if not module.name.startswith("aegis_core.plugins")
        if module.name != "aegis_core.run.secrets"  # looks for what must not be recorded, and obeys nothing
        if module.name != "aegis_metagpt.testing.configuration"  # sets the variable by which MetaGPT finds its own
    ]
    assert not readers, readers
