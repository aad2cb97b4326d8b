"""MetaGPT reads a configuration when it is imported, and writes beside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.framework

CONFIGURATION = "llm: {api_type: openai, api_key: sk-of-the-user, model: gpt-4o}\n"


def run(script: str, home: Path, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("METAGPT", "AEGIS"))}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        env=kept | {"HOME": str(home)} | more,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_configuration_the_adapter_can_be_asked_and_says_what_to_do(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    script = (
        "import os, sys\n"
        "from aegis_core.plugins import default_plugins\n"
        "adapter = default_plugins().adapter('metagpt')\n"
        "assert not adapter.can_handle(object()) and adapter.output('27') == '27'\n"
        "assert 'metagpt' not in sys.modules\n"
        "os.environ['METAGPT_PROJECT_ROOT'] = os.getcwd()\n"  # in which there is no configuration
        "from aegis_metagpt.testing.systems import analysis_team\n"
        "try: analysis_team()\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )

    done = run(script, home, folder, SOME_KEY="sk-in-the-environment")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("AdapterError")
    assert "METAGPT_PROJECT_ROOT" in done.stdout
    assert "config2.yaml" in done.stdout
    assert "llm: Field required" in done.stdout
    assert "sk-in-the-environment" not in done.stdout + done.stderr
    assert not list(home.iterdir())


def test_systems_for_trying_leave_the_users_own_configuration_alone(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work"
    (home / ".metagpt").mkdir(parents=True)
    folder.mkdir()
    own = home / ".metagpt" / "config2.yaml"
    own.write_text(CONFIGURATION)
    script = (
        "import os\n"
        "from aegis_metagpt.testing.systems import analysis_team\n"
        "analysis_team()\n"
        "print(os.environ['METAGPT_PROJECT_ROOT'])\n"
    )

    done = run(script, home, folder)

    assert done.returncode == 0, done.stderr
    root = Path(done.stdout.splitlines()[-1])
    assert not root.exists()  # gone with the process
    assert [path.name for path in (home / ".metagpt").iterdir()] == ["config2.yaml"]
    assert own.read_text() == CONFIGURATION
    assert not list(folder.iterdir())
