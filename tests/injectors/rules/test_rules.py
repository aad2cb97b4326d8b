"""What holds for the injector as a whole: its cells, determinism, bounds, and how it is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from aegis_core.adapter import Part
from aegis_core.faults import SCOPES
from aegis_core.injector import Edits, Injector
from aegis_rules import aegis_injectors
from aegis_rules.injector import Rules

MODES = ("FM-1.1", "FM-2.4", "FM-2.6")
STRATEGIES = ("prompt_injection", "response_corruption")
TASK = "A van carries 12 crates with 8 bottles each. How many bottles does it carry in total? Give a whole number."
SAID = "The table is easy to read. Each crate holds 8 bottles. 12 x 8 = 96 bottles. Answer: 96 bottles"
ROOT = Path(__file__).parents[3]
PROBE = """
import asyncio, json, sys
from aegis_core.adapter import Part
from aegis_core.faults import SCOPES, Moment, Target
from aegis_core.injector import InjectionContext
from aegis_core.trajectory import Agent
from aegis_rules.injector import Rules

task, said, cells = json.loads(sys.stdin.read())
out = []
for mode, strategy, seed in cells:
    part = Part(id="text", text=task if strategy == "prompt_injection" else said)
    scope = SCOPES[strategy][0]
    context = InjectionContext(task=task, agent=Agent(path="solver"), agents=(), parts=(part,), scope=scope, seed=seed)
    target = Target(moment=Moment(agent="solver"), mode=mode, strategy=strategy, scope=scope)
    edits = asyncio.run(Rules().alter(context, target, 1))
    out.append([edits.realisation, dict(edits.texts)])
print(json.dumps(out))
"""


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("mode", MODES)
def test_each_cell_has_at_least_two_realisations(mode, strategy):
    cell = [r for r in Rules().realisations() if (r.mode, r.strategy) == (mode, strategy)]
    assert len(cell) >= 2
    assert all(realisation.summary for realisation in cell)


def test_names_are_told_apart():
    names = Counter((r.mode, r.strategy, r.name) for r in Rules().realisations())
    assert set(names.values()) == {1}


def test_the_provider_leads_to_the_injector():
    (provider,) = aegis_injectors()
    assert (provider.name, provider.target) == (Rules.name, "aegis_rules.injector:Rules")
    assert isinstance(Rules(), Injector)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("mode", MODES)
def test_the_scope_makes_no_difference_to_the_text(alter, mode, strategy):
    text = TASK if strategy == "prompt_injection" else SAID
    one, two = (alter(mode, strategy, text, task=TASK, scope=scope, seed=5) for scope in SCOPES[strategy])
    assert isinstance(one, Edits)
    assert one == two


def test_every_realisation_of_a_cell_comes_up_by_seed(alter):
    seen = {
        alter(mode, strategy, TASK if strategy == "prompt_injection" else SAID, task=TASK, seed=seed).realisation
        for mode in MODES
        for strategy in STRATEGIES
        for seed in range(30)
    }
    # of a message that concludes, no single fact is cut
    assert seen == {realisation.name for realisation in Rules().realisations()} - {"key_fact_cut"}


def test_another_process_gives_the_same_bytes(alter):
    cells = [(mode, strategy, seed) for mode in MODES for strategy in STRATEGIES for seed in range(8)]
    ours = []
    for mode, strategy, seed in cells:
        edits = alter(mode, strategy, TASK if strategy == "prompt_injection" else SAID, task=TASK, seed=seed)
        ours.append([edits.realisation, dict(edits.texts)])
    paths = [str(ROOT), str(ROOT / "injectors"), os.environ.get("PYTHONPATH", "")]
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", PROBE],
            input=json.dumps([TASK, SAID, cells]),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout) == ours


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("mode", MODES)
def test_what_may_not_be_edited_is_not(refusal, mode, strategy):
    fixed = Part(id="a", text=TASK if strategy == "prompt_injection" else SAID, editable=False)
    assert "can be edited" in refusal(mode, strategy, [fixed], task=TASK)


@pytest.mark.parametrize("mode", MODES)
def test_tool_results_and_own_words_are_no_instruction(refusal, mode):
    parts = [
        Part(id="a", text=TASK, kind="tool_result", role="tool"),
        Part(id="b", text=TASK, author="solver", role="assistant"),
    ]
    assert "is told nothing here" in refusal(mode, "prompt_injection", parts, task=TASK)


@pytest.mark.parametrize("mode", MODES)
def test_silence_gives_nothing_to_corrupt(refusal, mode):
    assert "says nothing" in refusal(mode, "response_corruption", "  ", task=TASK)
    assert "too short" in refusal(mode, "prompt_injection", "go", task=TASK)


def test_unknown_cells_and_names_are_refused_by_name(refusal):
    assert "no rule for FM-3.1" in refusal("FM-3.1", "prompt_injection", TASK)
    reason = refusal("FM-2.4", "prompt_injection", TASK, realisation="shouted")
    assert "'shouted'" in reason
    assert "told_to_reserve" in reason


def test_a_refusal_gives_the_reason_of_each_way(refusal):
    reason = refusal("FM-2.6", "response_corruption", "I will look at it.", task=TASK)
    assert "conclusion_shifted: " in reason
    assert "conclusion_borrowed: " in reason
