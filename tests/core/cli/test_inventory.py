"""`aegis plugins` and `aegis modes`."""

from __future__ import annotations

import subprocess
import sys

from aegis_core.taxonomy import MAST


def test_plugins_lists_those_of_aegis_itself(aegis):
    done = aegis("plugins")
    assert done.code == 0
    (line,) = [line for line in done.out.splitlines() if line.startswith("callables")]
    assert "loaded" in line
    assert "adapter callables" in line


def test_plugins_as_json_says_whether_all_is_well(aegis):
    done = aegis("plugins", "--json")
    assert done.json["ok"] is True
    assert {"callables", "rules"} <= {plugin["name"] for plugin in done.json["plugins"]}


def test_plugins_imports_no_framework():
    script = (
        "import sys\n"
        "from aegis_core.cli import main\n"
        "try:\n    main(['plugins', '--json'])\n"
        "except SystemExit:\n    pass\n"
        "print(sorted({'langgraph', 'langchain_core', 'torch'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_a_framework_that_is_missing_or_a_plugin_that_is_broken_is_said_with_the_remedy(tmp_path):
    (tmp_path / "needy.py").write_text(
        "from aegis_core.hookspecs import Provider, hookimpl\n"
        "@hookimpl\n"
        "def aegis_adapters():\n"
        "    return [Provider(name='crew', target='needy:No', requires=('crew-that-is-missing>=1',))]\n"
    )
    for name, module in (("needy", "needy"), ("bad", "not_a_module")):
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[aegis]\n{name} = {module}\n")
    script = f"import sys; sys.path.append({str(tmp_path)!r}); from aegis_core.cli import main; main(['plugins'])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (
        "adapter crew can't be used yet: needs crew-that-is-missing>=1 (not installed); "
        "install with: pip install 'crew-that-is-missing>=1'"
    ) in done.stdout
    assert "bad (bad 1.0, not_a_module) skipped: ModuleNotFoundError: No module named 'not_a_module'" in done.stdout


def test_modes_lists_all_of_mast_with_what_causes_them(aegis):
    done = aegis("modes")
    assert done.code == 0
    for mode in MAST:
        assert any(line.startswith(mode.id) and mode.name in line for line in done.out.splitlines())


def test_one_mode_is_told_in_full(aegis):
    done = aegis("modes", "FM-2.6")
    assert done.out.startswith("FM-2.6  Reasoning-action mismatch\n  What the agent concludes")
    assert "also: Inconsistent reasoning" in done.out


def test_the_id_of_a_mode_may_be_typed_in_any_case(aegis):
    assert aegis("modes", "fm-2.6", "--json").json == aegis("modes", "FM-2.6", "--json").json


def test_what_is_wrong_is_said_once():
    script = "import os; os.environ['AEGIS_PLUGINS'] = 'nobody'; from aegis_core.cli import main; main(['plugins'])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert (done.stdout + done.stderr).count("names 'nobody'") == 1
    assert done.stderr == ""


def test_modes_as_json_holds_every_field(aegis):
    modes = aegis("modes", "--json").json
    assert [mode["id"] for mode in modes][:14] == [mode.id for mode in MAST]
    withholding = next(mode for mode in modes if mode["id"] == "FM-2.4")
    assert withholding["definition"]
    assert withholding["unprovable"] == ""
    assert {cause["strategy"] for cause in withholding["caused_by"]} == {"prompt_injection", "response_corruption"}


def test_an_unknown_mode_is_exit_code_2_and_lists_the_known_ones(aegis):
    done = aegis("modes", "FM-9.9")
    assert (done.code, done.out) == (2, "")
    assert "unknown error mode 'FM-9.9'; known: FM-1.1, FM-1.2" in done.err
