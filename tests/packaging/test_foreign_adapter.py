"""A foreign adapter works after `pip install`, beside other third parties' plugins, and passes the kit there.

The wheel of `examples/plugin_adapter` is installed by pip beside Aegis's, and used from fresh processes.
"""

from __future__ import annotations

import json

RECORD = """
import json, sys
import aegis_core as aegis
from tinycrew import Agent, Crew, Message

class Echo:
    def chat(self, messages, tools):
        return Message("model", f"{messages[-1].text}, {len(messages)} read")

crew = Crew("Desk", Agent("Writer", Echo()), Agent("Critic", Echo()))
assert not any(name.startswith("aegis_plugin_adapter") for name in sys.modules)
with aegis.record(crew) as run:
    crew.run("Count")
print(json.dumps([aegis.__file__, *([step.agent, step.text] for step in run.trajectory.steps)]))
"""


def test_it_is_listed_with_its_adapter(environment):
    plugins = {
        plugin["name"]: plugin for plugin in json.loads(environment.aegis("plugins", "--json").stdout)["plugins"]
    }
    found = plugins["tinycrew"]
    assert (found["status"], found["distribution"], found["version"]) == ("loaded", "aegis-plugin-adapter", "1.0.0")
    assert [(item["kind"], item["name"]) for item in found["provides"]] == [("adapter", "tinycrew")]


def test_a_run_of_its_framework_is_recorded(environment):
    done = environment.python("-c", RECORD)
    assert done.returncode == 0, done.stderr
    core, *steps = json.loads(done.stdout)
    assert core.startswith(str(environment.folder)), "Aegis comes from its wheel, not from the checkout"
    assert steps == [["Writer", "Count, 1 read"], ["Critic", "Count, 1 read, 1 read"]]


def test_it_is_certified(environment):
    done = environment.aegis("adapters", "test", "tinycrew", "--json")
    certificate = json.loads(done.stdout)
    verdicts = {check["check"]: check["verdict"] for check in certificate["checks"]}
    assert (done.returncode, certificate["ok"]) == (0, True), done.stderr + done.stdout
    assert certificate["kit"] == "aegis_plugin_adapter.testing.conformance:CrewConformance"
    skipped = {check.removeprefix("test_") for check, verdict in verdicts.items() if verdict != "passed"}
    assert skipped == {
        "a_cancelled_run_is_let_go",
        "a_hand_off_says_to_whom",
        "a_redirected_hand_off_goes_to_the_other_agent",
        "a_stream_that_is_left_early_is_let_go",
        "many_runs_in_tasks_do_not_mix",
        "usage_is_recorded",
        "what_is_tried_again_is_recorded_as_such",
    }, "what tinycrew can't do, and nothing else"


def test_its_own_tests_pass(environment):
    example = environment.examples["plugin_adapter"]
    done = environment.python("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_crews.py", cwd=example)
    assert done.returncode == 0, done.stdout + done.stderr
    collected = environment.python("-m", "pytest", "-q", "--collect-only", "tests/test_conformance.py", cwd=example)
    assert "TestCrews::test_the_task_is_recorded" in collected.stdout, collected.stdout + collected.stderr
