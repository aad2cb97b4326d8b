"""`python -m benchmarks.samples [NAME ...]`: fetch real samples, run them with and without Aegis, and compare."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

from benchmarks.samples.catalogue import SAMPLES, Sample

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "build" / "samples"


def main() -> None:
    """Run what the command line names; by default each sample."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.samples", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(item.name for item in SAMPLES)}")
    source = "where repositories are cloned from; may hold {repository}, {owner} and {name}"
    parser.add_argument("--source", default="https://github.com/{repository}", help=source)
    parser.add_argument("--python", help="an interpreter that has everything; by default one is made for each sample")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - {item.name for item in SAMPLES})
    if unknown:
        parser.error(f"no sample {', '.join(unknown)}")
    bad = [item.name for item in SAMPLES if item.name in (given.names or [item.name]) and not _try(item, given)]
    if bad:
        sys.exit(f"samples with trouble: {', '.join(bad)}")


def _try(sample: Sample, given: argparse.Namespace) -> bool:
    folder = PLACE / sample.name
    checkout = _checkout(sample, given.source)
    python = given.python or _interpreter(sample)
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    command = [python, "-m", "benchmarks.samples.running", sample.name, str(checkout), str(out)]
    log = folder / "log.txt"
    with log.open("w", encoding="utf-8") as written:
        for options in (["--plain"], []):
            subprocess.run([*command, *options], cwd=ROOT, stdout=written, stderr=written, check=False)  # noqa: S603
    results = [out / name for name in ("plain.json", "recorded.json")]
    if not all(path.exists() for path in results):
        print(f"{sample.name}: did not run; see {log}")
        return False
    plain, recorded = (json.loads(path.read_text(encoding="utf-8")) for path in results)
    return _told(sample, plain, recorded, out)


def _told(sample: Sample, plain: dict[str, Any], recorded: dict[str, Any], out: Path) -> bool:
    from aegis_core.store import read
    from aegis_core.trajectory import Trajectory

    path = out / "trajectories.jsonl"
    runs = list(read(path, Trajectory)) if path.exists() else []
    same = plain["requests"] == recorded["requests"] and plain["error"] == recorded["error"]
    print(f"{sample.name}: {sample.repository} {sample.path}")
    print(f"  model calls {len(recorded['requests'])}, the same with and without Aegis: {'yes' if same else 'NO'}")
    for trouble in ("error", "warnings", "unforeseen", "key recorded"):
        if recorded[trouble]:
            print(f"  {trouble}: {recorded[trouble]}")
    for run in runs:
        calls = sum(step.usage is not None for step in run.steps)
        print(f"  run of {len(run.agents)} agents, {len(run.steps)} steps ({calls} with usage); read it with:")
        print(f"    aegis show {path.relative_to(ROOT)} {run.run_id}")
    return bool(same and runs and not recorded["error"] and not recorded["warnings"] and not recorded["key recorded"])


def _checkout(sample: Sample, source: str) -> Path:
    """The sample's folder of its repository, without what else the repository holds; made once."""
    owner, _, name = sample.repository.partition("/")
    folder = PLACE / sample.name / "checkout"
    if not folder.exists():
        address = source.format(repository=sample.repository, owner=owner, name=name)
        clone = [
            "git",
            "clone",
            "--quiet",
            "--depth",
            "1",
            "--branch",
            sample.revision,
            "--filter=blob:none",
            "--sparse",
        ]
        subprocess.run([*clone, address, str(folder)], check=True)  # noqa: S603  our own list of repositories
        inside = ["git", "-C", str(folder), "sparse-checkout", "set", str(Path(sample.path).parts[0])]
        if len(Path(sample.path).parts) > 1:
            subprocess.run(inside, check=True)  # noqa: S603  as above
    return folder


def _interpreter(sample: Sample) -> str:
    """An environment with the framework, what the sample needs, and this checkout of Aegis."""
    place = PLACE / sample.name / "environment"
    python = str(place / "bin" / "python")
    if not (place / "ready").exists():
        venv.create(place, clear=True, with_pip=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if sample.name == "metagpt":  # its own pins contradict each other
            steps = [
                ["--no-deps", "-r", str(ROOT / "constraints" / "metagpt.txt"), *sample.requirements],
                ["--no-deps", "--no-build-isolation", "-e", str(ROOT)],
            ]
        else:
            steps = [["-e", f"{ROOT}[{sample.extra}]", *sample.requirements]]
        for step in steps:
            subprocess.run([*pip, *step], check=True)  # noqa: S603  our own list of requirements
        (place / "ready").touch()
    return python


if __name__ == "__main__":
    main()
