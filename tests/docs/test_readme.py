"""What the README shows is true: its Python runs, its commands exist, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
PYTHON = [text for language, text in BLOCKS if language == "python"]
COMMANDS = [
    line.removeprefix("$ ").split("#")[0].strip()
    for language, text in BLOCKS
    if language == "console"
    for line in text.splitlines()
    if line.startswith("$ ")
]


def run(text: str, folder: Path) -> str:
    """Run a snippet in a fresh interpreter with warnings as errors; what it printed."""
    command = [sys.executable, "-W", "error", "-c", text]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def snippet(word: str) -> str:
    (found,) = [text for text in PYTHON if word in text]
    return found


GRAPH = """
from langgraph.graph import MessagesState, StateGraph
import aegis_core as aegis

def solver(state: MessagesState) -> MessagesState:
    return {"messages": [("ai", "12 crates x 8 bottles = 96 bottles")]}

graph = StateGraph(MessagesState).add_node("solver", solver).set_entry_point("solver").compile()
"""


def test_there_are_two_snippets_and_each_is_tested_below():
    assert len(PYTHON) == 2


def test_wrapping_functions_shows_who_said_what(tmp_path):
    printed = run(snippet("@aegis.trace"), tmp_path).splitlines()

    assert printed == [
        "Solver -> 12 crates x 8 bottles = 96 bottles",
        "Critic -> Checked. 12 crates x 8 bottles = 96 bottles",
    ]


def test_recording_a_graph_shows_its_agents_and_its_answer(tmp_path):
    pytest.importorskip("langgraph")
    (line,) = re.findall(r"`(with aegis\.record\(graph\)[^`]+)`", README.replace("\n", " "))
    line = line.replace("(...)", "({'messages': [('user', 'How many bottles are in 12 crates of 8?')]})")
    shown = "print([step.agent for step in run.trajectory.steps], run.trajectory.final_output)"

    assert run(f"{GRAPH}\n{line}\n{shown}", tmp_path).strip() == "['solver'] 12 crates x 8 bottles = 96 bottles"


def test_the_plugin_describes_a_mode(tmp_path):
    shown = "print([mode.id for mode in aegis_error_modes()])"

    assert run(f"{snippet('@hookimpl')}\n{shown}", tmp_path).strip() == "['acme:false-rounding']"


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_and_their_options_exist(command):
    program, name, *rest = command.split()
    if program == "make":
        assert re.search(rf"^{name}:", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
        return
    assert program == "aegis"
    helped = subprocess.run(
        [sys.executable, "-m", "aegis_core.cli", name, "--help"],
        check=True, capture_output=True, text=True, env={"COLUMNS": "200", "NO_COLOR": "1"},
    )  # fmt: skip
    for option in (word for word in rest if word.startswith("--")):
        assert option in helped.stdout


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert not [link for link in links if "://" not in link and not (ROOT / link).exists()]


def test_paths_in_the_text_exist():
    named = re.findall(r"`((?:examples|docs|tests)/[\w/.]*)`", README)
    assert named
    assert not [path for path in named if not (ROOT / path).exists()]
