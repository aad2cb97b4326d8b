"""Reports of others: what hung, crashed or broke, shown in interpreters of their own where it has to be."""

import asyncio
import os
import subprocess
import sys
import textwrap

import pytest
from camel.societies.workforce import Workforce
from camel.societies.workforce.events import LogEvent, TaskCreatedEvent, TaskFailedEvent
from camel.societies.workforce.workforce_callback import WorkforceCallback
from camel.societies.workforce.workforce_metrics import WorkforceMetrics

import aegis_core as aegis
from aegis_camel.workforce import _Events
from tests.adapters.camel.teams import Log, result, said, task, workforce

_FACTS = "Hall 27 holds 40 crates of 8 bottles."


def interpreter(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run code in an interpreter of its own."""
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})


@pytest.mark.case("camel-N1")
def test_with_mcp_2_the_adapter_says_what_to_install_where_camel_itself_crashes(tmp_path):
    info = tmp_path / "mcp-2.3.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mcp\nVersion: 2.3.0\n")
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text('"""As of version 2: without FastMCP."""\n')
    plain = interpreter("import camel.agents", PYTHONPATH=str(tmp_path))
    assert plain.returncode == 1
    assert "mcp" in plain.stderr.splitlines()[-1]
    found = interpreter(
        """
        from aegis_core.errors import AegisError
        from aegis_core.plugins.registry import default_plugins
        try:
            default_plugins().adapter("camel")
        except AegisError as error:
            print(type(error).__name__, error)
        """,
        PYTHONPATH=str(tmp_path),
    )
    assert found.returncode == 0, found.stderr
    assert "mcp<2" in found.stdout
    assert "2.3.0" in found.stdout


_IN_A_LOOP = """
import asyncio, contextlib, faulthandler, sys
import aegis_core as aegis
from tests.adapters.camel.teams import Log, result, task, workforce

async def play():
    crew = workforce(Log(), {"Alice": result("Hall 27 holds 40 crates.")}, tasks=["Gather the facts."])
    with aegis.record(crew) if sys.argv[1] == "recorded" else contextlib.nullcontext():
        print("begins", flush=True)
        faulthandler.dump_traceback_later(3, exit=True)
        crew.process_task(task())
        print("ends", flush=True)

asyncio.run(play())
"""


@pytest.mark.case("camel-N2")
def test_process_task_inside_a_running_loop_hangs_recorded_as_it_does_plain_and_one_warning_says_so():
    plain, recorded = (interpreter(_IN_A_LOOP, how) for how in ("plain", "recorded"))
    for found in (plain, recorded):
        assert "Timeout (0:00:03)!" in found.stderr, (
            "CAMEL does not hang any more: say so in the README, and take out the warning"
        )
        assert "begins" in found.stdout
        assert "ends" not in found.stdout
    assert recorded.stderr.count("RecorderWarning") == 1
    assert "process_task_async" in recorded.stderr
    assert "RecorderWarning" not in plain.stderr


class Later(TaskCreatedEvent):
    """An event of a later version: a task that has no description."""

    parent: str = "0"


class Newer(Workforce):
    """A workforce of a later version: it tells of more, and in other forms."""

    def _decompose_task(self, *args, **kwargs):
        whole = {"task_id": "9", "description": "new", "parent": "0"}
        for listener in self._callbacks:
            if isinstance(listener, WorkforceMetrics):  # CAMEL's own knows its own events only
                continue
            listener.log_task_created(Later(**whole))
            listener.log_task_created(LogEvent(message="of another form", level="info"))
            listener.log_task_assigned(LogEvent(message="of another form", level="info"))
            listener.log_task_failed(TaskFailedEvent(task_id="9", error_message="nobody knows this task"))
            listener.log_task_failed(object())
            listener.log_task_paused(object())
        return super()._decompose_task(*args, **kwargs)


class Everything(WorkforceCallback):
    """A listener of the user's own."""

    log_message = log_task_created = log_task_decomposed = log_task_assigned = lambda self, event: None
    log_task_started = log_task_updated = log_task_completed = log_task_failed = lambda self, event: None
    log_worker_created = log_worker_deleted = log_all_tasks_completed = log_task_paused = lambda self, event: None


@pytest.mark.case("camel-N5")
def test_events_of_a_later_version_break_neither_the_workforce_nor_the_record():
    def crew():
        made = workforce(Log(), {"Alice": result(_FACTS)}, tasks=["Gather the facts."], callbacks=[Everything()])
        made.__class__ = Newer
        return made

    plain, recorded = crew(), crew()
    expected = plain.process_task(task())
    with aegis.record(recorded) as run:
        done = asyncio.run(recorded.process_task_async(task()))
    assert (done.result, done.state) == (expected.result, expected.state)
    assert ("Alice", _FACTS) in said(run.trajectory)
    assert not run.run.trouble


@pytest.mark.case("camel-N5")
def test_a_method_that_a_later_version_demands_of_a_listener_is_there():
    events = _Events.__new__(_Events)
    assert not _Events.__abstractmethods__
    assert isinstance(events, WorkforceCallback)
    assert events.log_task_paused("anything", some="thing") is None
    with pytest.raises(AttributeError):
        _ = events.something_else
