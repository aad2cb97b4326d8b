"""`aegis adapters test`: whether an installed adapter keeps to the contract."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from aegis_core.cli.answers import Answer, AsJson, ExitCode, command
from aegis_core.plugins import default_plugins
from aegis_core.testing.certificate import Certificate, CheckResult, Verdict

__all__ = ["adapter"]

_WORDS: dict[Verdict, str] = {
    "passed": "passed",
    "failed": "FAILED",
    "skipped": "not offered",
    "expected": "can't be done",
}


@command
def adapter(
    name: Annotated[str, typer.Argument(help="Name of the adapter, as `aegis plugins` lists it.", metavar="NAME")],
    kit: Annotated[
        str, typer.Option(help="Module with the adapter's kit, if it is not `testing` in its own package.")
    ] = "",
    as_json: AsJson = False,  # noqa: ARG001  read by `command`
) -> Answer:
    """Try an installed adapter on small systems of its framework, and print a certificate. Exit code 1 if a check
    fails. Needs pytest, but neither network nor keys: the models are scripted.
    """
    from aegis_core.testing.trying import certify  # brings in what no other command needs

    certificate = certify(name, default_plugins(), kit)
    return Answer(
        data={**certificate.model_dump(mode="json"), "ok": certificate.ok},
        text=list(_text(certificate)),
        code=ExitCode.OK if certificate.ok else ExitCode.NEGATIVE,
    )


def _text(certificate: Certificate) -> Iterator[RenderableType]:
    frameworks = ", ".join(f"{name} {version}" for name, version in certificate.frameworks.items())
    yield (
        f"Adapter {certificate.adapter}, of {certificate.distribution} {certificate.version}\n"
        f"with aegis-mas {certificate.aegis}, Python {certificate.python}{f', {frameworks}' if frameworks else ''}\n"
        f"on the systems of {certificate.kit}\n"
    )
    table = Table("check", "", box=None, pad_edge=False)
    for found in certificate.checks:
        table.add_row(escape(_title(found)), escape(_WORDS[found.verdict]))
    yield table
    for verdict in ("skipped", "expected", "failed"):
        for found in certificate.checks:
            if found.verdict == verdict:
                yield f"\n{_title(found)}: {_WORDS[verdict]}\n{_reason(found)}"
    yield "\n" + _sum(certificate)


def _title(found: CheckResult) -> str:
    return found.check.removeprefix("test_").replace("_", " ")


def _reason(found: CheckResult) -> str:
    lines = [found.reason]
    if found.verdict == "failed":
        lines += [line for line in (found.about, f"Repair: {found.repair}" if found.repair else "") if line]
    return "\n".join(f"  {line}" for text in lines for line in text.splitlines())


def _sum(certificate: Certificate) -> str:
    counts = [(certificate.count(verdict), word) for verdict, word in _WORDS.items()]
    listed = ", ".join(f"{count} {word}" for count, word in counts if count)
    verdict = "It keeps to the contract" if certificate.ok else "It does NOT keep to the contract"
    excepted = ", but for what can't be done" if certificate.ok and certificate.count("expected") else ""
    return f"{len(certificate.checks)} checks: {listed}. {verdict}{excepted}."
