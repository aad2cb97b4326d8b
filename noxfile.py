"""The lanes of the test suite: one environment each, pinned by `constraints/<lane>.txt`.

`make test` runs them all and ends with `summary`, which fails if a lane that has tests did not run them.
One lane, one test: `.nox/tools/bin/nox -s frameworks -- -k handoff`. New pins, by real resolution: `nox -s pins`.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2024.4.15"
nox.options.default_venv_backend = "venv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["check", "core", "frameworks", "openai_agents", "metagpt", "learners", "summary"]

ROOT = Path(__file__).parent
PYPROJECT = ROOT / "pyproject.toml"
REPORTS = ROOT / "build" / "lanes"
# Variables that would let something from outside this checkout, or another set of plugins, into a lane.
UNSET = dict.fromkeys(("PYTHONPATH", "AEGIS_PLUGINS", "AEGIS_DISABLE_PLUGINS", "AEGIS_STRICT_PLUGINS"))


@dataclass(frozen=True, kw_only=True)
class Lane:
    """Which tests run in which environment.

    `folders` belong to the lane alone, `without` are left out of them. Test files elsewhere that call
    `pytest.importorskip` on one of `modules` are skipped where that module is missing, and run in this lane, in which
    a missing module is a failure.
    """

    name: str
    requirements: tuple[str, ...]
    folders: tuple[str, ...]
    without: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    closed: bool = False
    """Its pins are the whole environment and contradict each other's metadata: they are installed as they stand."""

    @property
    def report(self) -> Path:
        """Where pytest leaves what ran, as JUnit XML."""
        return REPORTS / f"{self.name}.xml"

    def files(self) -> list[str]:
        """The test files of this lane, sorted, as paths from the root."""
        asks = re.compile(rf"importorskip\(\s*[\"'](?:{'|'.join(self.modules)})\b") if self.modules else None
        return sorted(path for path, text in _test_files() if self._owns(path) or (asks and asks.search(text)))

    def arguments(self) -> list[str]:
        """The same files, in the words of pytest's command line."""
        ignored = [f"--ignore={folder.rstrip('/')}" for folder in self.without]
        return [*self.folders, *ignored] if ignored else self.files()

    def _owns(self, path: str) -> bool:
        return path.startswith(self.folders) and not (self.without and path.startswith(self.without))


def _test_files() -> list[tuple[str, str]]:
    paths = [path for path in (ROOT / "tests").rglob("test_*.py") if "broken_plugins" not in path.parts]
    return [(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in paths]


# hatchling stands here for the tests that build a foreign distribution without going to the network.
TESTING = ("--editable", ".[testing]", "hatchling", "hypothesis")
FRAMEWORKS = Lane(
    name="frameworks",
    requirements=(
        "--editable",
        ".[demo,camel,magentic-one,smolagents,testing]",
        "hatchling",
        "hypothesis",
        "langgraph-supervisor",
        "langgraph-swarm",
        "openinference-instrumentation-autogen-agentchat",  # others who trace the same run
        "openinference-instrumentation-langchain",
        "openinference-instrumentation-smolagents",
        "scikit-learn",  # what scores are compared with
    ),
    folders=(
        "tests/adapters/autogen/",
        "tests/adapters/camel/",
        "tests/adapters/langgraph/",
        "tests/adapters/smolagents/",
    ),
    modules=(
        "autogen_agentchat",
        "camel",
        "langchain",
        "langchain_core",
        "langgraph",
        "langgraph_supervisor",
        "langgraph_swarm",
        "sklearn",
        "smolagents",
    ),
)
# Needs a newer pydantic than CAMEL allows.
OPENAI_AGENTS = Lane(
    name="openai_agents",
    requirements=("--editable", ".[openai-agents,testing]", "hatchling", "hypothesis"),
    folders=("tests/adapters/openai_agents/",),
    modules=("agents",),
)
METAGPT = Lane(
    name="metagpt",
    requirements=("--editable", "."),
    folders=("tests/adapters/metagpt/",),
    modules=("metagpt",),
    closed=True,
)
LEARNERS = Lane(name="learners", requirements=TESTING, folders=("tests/learners/",), modules=("torch", "transformers"))
CORE = Lane(
    name="core",
    requirements=TESTING,
    folders=("tests/",),
    without=(
        "tests/packaging/",
        *FRAMEWORKS.folders,
        *OPENAI_AGENTS.folders,
        *METAGPT.folders,
        *LEARNERS.folders,
    ),
)
LANES = (CORE, FRAMEWORKS, OPENAI_AGENTS, METAGPT, LEARNERS)
# The lower ends of the ranges in pyproject.toml, with what has to go with them.
OLDEST = {
    "autogen": ("autogen-agentchat==0.6.4", "autogen-core==0.6.4", "autogen-ext==0.6.4"),
    "camel": ("camel-ai==0.2.87",),
    "langgraph": ("langgraph==1.1.6", "langchain==1.2.15"),
    "openai_agents": ("openai-agents==0.20.0", "openai==2.54.0"),
    "smolagents": ("smolagents==1.23.0",),
}
# What each pinned environment holds. `tools` is nox itself, `demo` what `make demo` installs.
PINNED = {
    "tools": ("nox",),
    "demo": ("--editable", ".[demo]"),
    "check": ("--editable", ".[dev,demo,camel,magentic-one,smolagents]"),
    CORE.name: CORE.requirements,
    FRAMEWORKS.name: FRAMEWORKS.requirements,
    OPENAI_AGENTS.name: OPENAI_AGENTS.requirements,
    "benchmarks": (
        "--editable",
        ".[demo,autogen,smolagents]",
        "autogen-ext[openai]",  # openinference sees no other client's calls
        "openinference-instrumentation-autogen-agentchat",
        "openinference-instrumentation-langchain",
        "openinference-instrumentation-smolagents",
        "opentelemetry-instrumentation-langchain",
        "opentelemetry-sdk",
        "orjson",
    ),
}


@nox.session
def check(session: nox.Session) -> None:
    """Format, lint, types, and the tests of packaging and of the direction of imports."""
    _install(session, "check")
    commands = (
        ("ruff", "format", "--check", "--quiet", "."),
        ("ruff", "check", "."),
        ("mypy",),
        ("pytest", "tests/packaging", *session.posargs),
    )
    failed = []
    for command in commands:
        try:
            session.run(*command, env=UNSET)
        except CommandFailed:  # the others may have something to say too
            failed.append(" ".join(command[:2]))
    if failed:
        session.error(f"failed: {', '.join(failed)}")


@nox.session
def core(session: nox.Session) -> None:
    """Everything that works without any framework, in an environment that has none."""
    _install(session, CORE.name)
    _assert_modules(session, absent=_frameworks())
    _test(session, CORE)


@nox.session
def frameworks(session: nox.Session) -> None:
    """The adapters of the frameworks that can share an environment."""
    _run_lane(session, FRAMEWORKS)


@nox.session
def openai_agents(session: nox.Session) -> None:
    """The adapter for the OpenAI Agents SDK, which can't share an environment with CAMEL."""
    _run_lane(session, OPENAI_AGENTS)


@nox.session
def metagpt(session: nox.Session) -> None:
    """The MetaGPT adapter, whose pins need an environment of their own."""
    _run_lane(session, METAGPT)


@nox.session
def learners(session: nox.Session) -> None:
    """The learners that need torch."""
    _run_lane(session, LEARNERS)


@nox.session
def floor(session: nox.Session) -> None:
    """The core lane's tests on the oldest versions that pyproject.toml allows; on demand."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    ranges = [*project["dependencies"], *project["optional-dependencies"]["testing"]]
    oldest = [re.sub(r">=([\w.]+).*", r"==\1", text) for text in ranges]
    session.install(*CORE.requirements, *oldest)
    # Old releases use what newer releases of other libraries deprecate.
    session.run("pytest", *CORE.arguments(), "-W", "ignore::DeprecationWarning", *session.posargs, env=UNSET)


@nox.session
@nox.parametrize("adapter", list(OLDEST))
def oldest(session: nox.Session, adapter: str) -> None:
    """The tests of one adapter on the oldest versions of its framework: nox -s "oldest(adapter='camel')"; on demand."""
    folder = f"tests/adapters/{adapter}/"
    lane = next(lane for lane in LANES if folder in lane.folders)
    session.install(*_for_one(adapter, lane), *OLDEST[adapter])
    session.run("pytest", folder, "-W", "ignore::DeprecationWarning", *session.posargs, env=UNSET)


@nox.session
def benchmarks(session: nox.Session) -> None:
    """All benchmarks, or those that are named: nox -s benchmarks -- tracing --json; on demand."""
    _install(session, "benchmarks")
    session.run("python", "-m", "benchmarks", *session.posargs, env=UNSET)


@nox.session(venv_backend="none")
def summary(session: nox.Session) -> None:
    """Say which lanes ran, with how many tests; fail if one that has tests did not run them, or failed."""
    verdicts = [_verdict(lane) for lane in LANES]
    lines = [f"{lane.name:<11} {text}" for lane, (_, text) in zip(LANES, verdicts, strict=True)]
    REPORTS.mkdir(parents=True, exist_ok=True)
    (REPORTS / "summary.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    session.log("lanes:\n  " + "\n  ".join(lines))
    bad = [lane.name for lane, (good, _) in zip(LANES, verdicts, strict=True) if not good]
    if bad:
        session.error(f"lanes that failed or did not run: {', '.join(bad)}")


@nox.session(venv_backend="venv", reuse_venv=False)
@nox.parametrize("environment", list(PINNED))
def pins(session: nox.Session, environment: str) -> None:
    """Resolve an environment afresh and write its whole closure to `constraints/`."""
    # The build backend is pinned with the rest: a constraint costs nothing where it isn't installed.
    session.install("hatchling", "editables", *PINNED[environment])
    frozen = session.run("python", "-m", "pip", "freeze", "--exclude", "aegis-mas", silent=True)
    wanted = " ".join(PINNED[environment])
    head = f"# {wanted}\n# Resolved on Python 3.11; again with: nox -s \"pins(environment='{environment}')\"\n"
    (ROOT / "constraints" / f"{environment}.txt").write_text(head + str(frozen), encoding="utf-8")


def _for_one(adapter: str, lane: Lane) -> list[str]:
    """The lane's requirements with the extra of this adapter alone."""
    extra = {"autogen": "magentic-one", "langgraph": "demo"}.get(adapter, adapter.replace("_", "-"))
    return [f".[{extra},testing]" if text.startswith(".[") else text for text in lane.requirements]


def _run_lane(session: nox.Session, lane: Lane) -> None:
    if not lane.files():
        session.log(f"the {lane.name} lane has no tests yet: none in {', '.join(lane.folders)}")
        return
    _install(session, lane.name)
    _assert_modules(session, present=lane.modules)
    _test(session, lane)


def _install(session: nox.Session, environment: str) -> None:
    """Install what the lane needs under its pins, unless that has been done with the same pins."""
    constraints = ROOT / "constraints" / f"{environment}.txt"
    closed = next((lane for lane in LANES if lane.closed and lane.name == environment), None)
    wanted = closed.requirements if closed else PINNED.get(environment)
    if wanted is None or not constraints.exists():
        session.error(f"the {environment} lane has tests but no pins: name it in PINNED, then nox -s pins")
    settings = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    content = (settings["build-system"], settings["project"], settings["tool"]["hatch"], wanted)
    digest = hashlib.sha256(repr(content).encode() + constraints.read_bytes()).hexdigest()
    stamp = Path(session.virtualenv.location) / "aegis-pins.sha256"
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest:
        return
    if closed:
        session.install("--no-deps", "--requirement", str(constraints))
        session.install("--no-deps", "--no-build-isolation", *closed.requirements)
    else:
        # By the environment as well as by the option: only the former reaches the build of the editable wheel.
        session.install(*wanted, "--constraint", str(constraints), env={"PIP_CONSTRAINT": str(constraints)})
    stamp.write_text(digest, encoding="ascii")


def _test(session: nox.Session, lane: Lane) -> None:
    session.run("pytest", *lane.arguments(), f"--junit-xml={lane.report}", *session.posargs, env=UNSET)


def _assert_modules(session: nox.Session, *, present: tuple[str, ...] = (), absent: tuple[str, ...] = ()) -> None:
    """Fail the lane unless these modules can be found, and those can't."""
    script = (
        "import sys; from importlib.util import find_spec\n"
        f"missing = [name for name in {present!r} if not find_spec(name)]\n"
        f"intruders = [name for name in {absent!r} if find_spec(name)]\n"
        "sys.exit(f'this lane lacks {missing} and must not have {intruders}' if missing or intruders else 0)"
    )
    session.run("python", "-c", script, env=UNSET, log=False)


def _frameworks() -> tuple[str, ...]:
    """The modules that ruff bans at module level, less those that the command line is made of."""
    settings = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    banned = settings["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-module-level-imports"]
    return tuple(name for name in banned if name not in {"click", "rich", "typer"})


def _verdict(lane: Lane) -> tuple[bool, str]:
    """Whether the lane is in order, and what it did in words."""
    if not lane.files():
        return True, "no tests yet"
    if not lane.report.exists():
        return False, f"DID NOT RUN, although {len(lane.files())} test files are there"
    suites = ET.parse(lane.report).getroot().iter("testsuite")  # noqa: S314 (written by our own pytest)
    counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for suite in suites:
        for name in counts:
            counts[name] += int(suite.get(name, 0))
    broken = counts["failures"] + counts["errors"]
    passed = counts["tests"] - broken - counts["skipped"]
    text = f"{passed} passed, {broken} failed, {counts['skipped']} skipped"
    return passed > 0 and not broken, text
