"""What holds for every command: exit codes, standard output for the answer alone, no traceback unasked."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import typer
from rich.table import Table
from rich.text import Text

from aegis_core.cli import answers
from aegis_core.cli.answers import Answer, ExitCode, command
from aegis_core.cli.app import EPILOG, app
from aegis_core.errors import AdapterError, MissingDependencyError, PluginWarning, StoreError
from aegis_core.trajectory import Usage

ROOT = Path(__file__).parents[3]


def _code(function, **arguments):
    with pytest.raises(typer.Exit) as ended:
        command(function)(**arguments)
    return ended.value.exit_code


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (StoreError("runs.jsonl, line 3: broken"), 2, "aegis: runs.jsonl, line 3: broken\n"),
        (AdapterError("none handles it"), 2, "aegis: none handles it\n"),
        (MissingDependencyError("pip install it"), 3, "aegis: pip install it\n"),
        (
            ZeroDivisionError("by zero"),
            4,
            "aegis: ZeroDivisionError: by zero (unexpected) (--debug shows the traceback)\n",
        ),
        (KeyboardInterrupt(), 130, "aegis: interrupted\n"),
    ],
)
def test_an_error_is_one_message_and_an_exit_code(error, code, said, capsys):
    def fails():
        raise error

    assert _code(fails) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(said)
    assert "Traceback" not in err


HOSTILE = "a\x1b[2J\x1b]0;title\x07 b\rc \x9b31m \u202egnp.exe\u202c end\n\tnext"
SEEN = "a\\x1b[2J\\x1b]0;title\\x07 b\\rc \\x9b31m \\u202egnp.exe\\u202c end\n"


@pytest.mark.parametrize("terminal", [True, False])
def test_what_is_shown_can_not_steer_the_terminal(terminal, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: terminal)
    table = Table("column")
    table.add_row(Text(HOSTILE))

    assert _code(lambda: Answer(None, [HOSTILE, table])) == 0
    out, _ = capsys.readouterr()
    assert out.startswith(SEEN)
    assert "\\x1b[2J" in out.removeprefix(SEEN)
    assert "\x1b[2J" not in out
    assert not {"\x07", "\r", "\x9b", "\u202e"} & set(out)


def test_json_and_errors_and_warnings_can_not_either(capsys):
    def fails():
        warnings.warn(PluginWarning(HOSTILE), stacklevel=1)
        raise StoreError(HOSTILE)

    def answers_all(as_json):
        return Answer({HOSTILE: HOSTILE}, [])

    assert _code(fails) == 2
    assert _code(answers_all, as_json=True) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {HOSTILE: HOSTILE}
    assert err.startswith(f"warning: {SEEN}")
    for said in (out, err):
        assert not {"\x1b", "\x07", "\r", "\x9b", "\u202e"} & set(said)


def test_an_interruption_says_what_became_of_the_work(capsys):
    stopped = KeyboardInterrupt()
    stopped.add_note("half of it is kept")

    def fails():
        raise stopped

    assert _code(fails) == 130
    assert capsys.readouterr().err == "aegis: interrupted; half of it is kept\n"


@pytest.mark.parametrize("module", ["typer", "aegis_core.cli.app", "aegis_core.report.modes"])
def test_an_interruption_while_the_program_is_being_loaded_is_a_line_and_exit_code_130(module):
    script = f"""
import signal, sys
from aegis_core.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # where the tests run in the background, it is ignored

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Finder())
sys.argv[1:] = ["modes"]
main()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "aegis: interrupted\n")


def test_debug_shows_the_traceback_and_keeps_the_exit_code(capsys):
    def fails():
        raise StoreError("broken")

    token = answers.debug_mode.set(True)
    try:
        assert _code(fails) == 2
    finally:
        answers.debug_mode.reset(token)
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "StoreError: broken" in err


def test_what_plugins_print_goes_to_standard_error(capsys):
    def chatty(as_json):
        sys.stdout.write("loading the model...\n")
        return Answer(data={"n": 1}, text=["one"])

    assert _code(chatty, as_json=True) == 0
    out, err = capsys.readouterr()
    assert json.loads(out) == {"n": 1}
    assert err == "loading the model...\n"


def test_records_are_answers_too_and_text_is_not_read_as_markup(capsys):
    def counts(as_json):
        return Answer(data=[Usage(input_tokens=1, output_tokens=2)], text=["[red]1[/red] é"], code=ExitCode.NEGATIVE)

    assert _code(counts, as_json=False) == 1
    assert capsys.readouterr().out == "[red]1[/red] é\n"
    assert _code(counts, as_json=True) == 1
    assert json.loads(capsys.readouterr().out) == [{"input_tokens": 1, "output_tokens": 2}]


def test_a_text_that_the_terminal_can_not_show_is_escaped_in_json(capsys):
    def torn(as_json):
        return Answer(data="\ud800 é", text=[])

    assert _code(torn, as_json=True) == 0
    assert json.loads(capsys.readouterr().out) == "\ud800 é"


def test_warnings_of_aegis_are_one_line_and_never_errors(capsys):
    def warns(as_json):
        warnings.warn("aegis: plugin 'x' skipped", PluginWarning, stacklevel=1)
        return Answer(data=None, text=["done"])

    assert _code(warns, as_json=False) == 0
    out, err = capsys.readouterr()
    assert (out, err) == ("done\n", "warning: plugin 'x' skipped\n")


def test_a_wrong_command_or_option_is_exit_code_2(aegis):
    for arguments in (["bogus"], ["modes", "--bogus"], ["explain"]):
        done = aegis(*arguments)
        assert (done.code, done.out) == (2, "")


def test_debug_may_stand_anywhere(aegis, tmp_path):
    for arguments in (["--debug", "show", tmp_path / "no"], ["show", tmp_path / "no", "--debug"]):
        done = aegis(*arguments)
        assert done.code == 2
        assert "Traceback" in done.err
    assert "Traceback" not in aegis("show", tmp_path / "no").err


def test_the_version_is_told(aegis):
    from aegis_core import __version__

    assert aegis("--version").out == f"aegis-mas {__version__}\n"


@pytest.mark.parametrize("code", ExitCode)
def test_every_exit_code_is_documented_in_help_and_guide(code):
    assert f"{int(code)} " in EPILOG
    assert f"| {int(code)} |" in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


def _commands(group, prefix=""):
    for registered in group.registered_commands:
        yield f"{prefix}{registered.name}"
    for sub in group.registered_groups:
        yield from _commands(sub.typer_instance, f"{prefix}{sub.typer_instance.info.name} ")


@pytest.mark.parametrize("name", sorted(_commands(app)))
def test_every_command_has_help_json_and_a_place_in_the_guide(name, aegis):
    done = aegis(*name.split(), "--help")
    assert done.code == 0
    assert "--json" in done.out
    assert f"## aegis {name}\n" in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("line", ["import aegis_core", "import aegis_core.cli", "import aegis_core.plugins"])
def test_importing_brings_in_no_command_line_library_and_no_framework(line):
    script = f"{line}\nimport sys\nprint(sorted({{'typer', 'rich', 'click', 'langgraph', 'torch'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
