"""Campaigns on a graph that is served call by call: the labels are those of one that is served node by node."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.graph import START, MessagesState, StateGraph

from aegis_core.adapter import System
from aegis_core.campaign import Campaign
from aegis_core.campaign.configuration import Configuration
from aegis_core.campaign.journal import RunRecord
from aegis_core.dataset import Dataset
from aegis_core.store import read, read_document
from aegis_core.world import generate_tasks
from aegis_core.world.prompts import system_prompt
from aegis_langgraph.models import tap
from aegis_langgraph.testing.chat_model import SimulatedChatModel

pytestmark = pytest.mark.framework
CHAIN = {"Planner": "planner", "Reader": "researcher", "Solver": "solver", "Reporter": "reporter"}
CHAINED = f"{__name__}:tapped_chain"
SEVERAL = "aegis_langgraph.testing.systems:analysis_team"
"""A member whose calls are served one by one anyway, beside function nodes that are called again."""


def tapped_chain(*, seed: int = 0) -> System:
    """Function nodes one after the other, whose one model is tapped."""
    model = tap(SimulatedChatModel(seed=seed))

    def member(name: str) -> Any:
        def speak(state: MessagesState) -> dict[str, Any]:
            reply = model.invoke([SystemMessage(system_prompt(name, CHAIN)), *state["messages"]])
            return {"messages": [reply.model_copy(update={"name": name})]}

        return speak

    graph = StateGraph(MessagesState)
    before = START
    for name in CHAIN:
        graph.add_node(name, member(name), metadata={"role": system_prompt(name, CHAIN)})
        graph.add_edge(before, name)
        before = name
    return System(
        app=graph.compile(name="chain"),
        start=lambda app, task: app.invoke({"messages": [HumanMessage(task)]}),
        output=lambda result: str(result["messages"][-1].text),
    )


def made(out, system, seed, replay):
    """What became of each plan, with the faults of its label, and the runs that were made."""
    tasks = generate_tasks(6, seed)
    Campaign(system=system, tasks=tasks, out=out, seed=seed, plans_per_run=6, pair_share=0.3, replay=replay).run()
    dataset = Dataset(out / "dataset")
    faults = {labels.run_id: (labels.faults, labels.redundant) for labels in dataset.labels()}
    found = [
        (case.task_id, run.plan, run.kept, run.reason, run.detail, faults.get(run.run_id))
        for case in dataset.cases()
        for run in case.faulty
    ]
    assert read_document(out / "campaign.json", Configuration).replay == (replay or "node")
    return found, list(read(out / "journal.jsonl", RunRecord))


@pytest.fixture(scope="module")
def chains(tmp_path_factory):
    return {level: made(tmp_path_factory.mktemp("chain"), CHAINED, 11, level) for level in (None, "node", "call")}


def test_both_levels_find_the_same_labels(chains):
    assert sum(found[2] for found in chains["node"][0]) >= 1
    assert chains["node"][0] == chains["call"][0]


def test_function_nodes_that_are_not_tapped_are_called_again_and_the_labels_are_the_same(tmp_path):
    (nodes, served), (calls, again) = (made(tmp_path / level, SEVERAL, 11, level) for level in ("node", "call"))

    assert sum(found[2] for found in nodes) >= 1
    assert nodes == calls
    assert sum(run.live_model_calls for run in served) < sum(run.live_model_calls for run in again)


def test_a_tapped_model_is_not_called_before_the_fault_at_either_level(chains):
    live = {level: [run.live_model_calls for run in runs] for level, (_, runs) in chains.items()}

    assert live["node"] == live["call"]
    assert min(live["call"]) < len(CHAIN) == max(live["call"])


def test_nodes_are_the_default(chains):
    assert chains[None] == chains["node"]
