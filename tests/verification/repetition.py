"""Makes recorded runs once more, on fresh systems, with an injector that only writes what the ledger holds."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from aegis_core.adapter import Part, System
from aegis_core.errors import AegisError
from aegis_core.faults import ArmResult, Intervention, Ledger, PartChange, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused
from aegis_core.run import Interventions, Replay, Run, RunInfo
from aegis_core.run.canonical import canonical
from tests.verification.material import Claim, Files, Recorded, Settings, Violation
from tests.verification.outcomes import outcome_of

__all__ = ["Repeated", "repeat"]


@dataclass(frozen=True)
class Repeated:
    """What came of making runs again."""

    faulty: tuple[str, ...]
    """Ids of the faulty runs that were made again, with all other arms of their proofs."""
    runs: int
    violations: tuple[Violation, ...]


def repeat(files: Files, n: int, seed: int = 0) -> Repeated:
    """Make up to `n` random kept runs again, each with all that its label rests on.

    That are its clean twin, from scratch, its null and sham controls, and the runs with fewer of its targets.
    """
    claims = sorted(files.claims(), key=lambda claim: claim.run_id)
    chosen = random.Random(seed).sample(claims, min(n, len(claims)))
    found: list[Violation] = []
    runs = 0
    for claim in chosen:
        for arm in claim.proof.arms:
            runs += 1
            found += _again(claim, arm, files)
    return Repeated(tuple(claim.run_id for claim in chosen), runs, tuple(found))


def _again(claim: Claim, arm: ArmResult, files: Files) -> Iterator[Violation]:
    recorded = claim.runs[arm.run_id]
    named = f"arm {arm.arm}, run {arm.run_id}"
    try:
        run, made = _made(claim, arm, files)
    except AegisError as error:
        yield Violation(claim.run_id, "re-run", f"{named}: {error}")
        return
    if run.void:
        yield Violation(claim.run_id, "re-run", f"{named}: {run.void}")
        return
    for entry in made.ledger.interventions:
        if not entry.fired:
            yield Violation(claim.run_id, "re-run", f"{named}: {entry.target.moment}: {entry.reason}")
    if made.trajectory.final_output != recorded.trajectory.final_output:
        words = f"{named}: the answer was {made.trajectory.final_output!r}, not {recorded.trajectory.final_output!r}"
        yield Violation(claim.run_id, "re-run", words)
    outcome = outcome_of(made, claim.task, files.settings)
    if arm.outcome is None or (outcome.right, outcome.failure) != (arm.outcome.right, arm.outcome.failure):
        yield Violation(claim.run_id, "re-run", f"{named}: it ended {outcome.failure or 'right'}")
    if made.trajectory != recorded.trajectory:
        pairs = zip(made.trajectory.steps, recorded.trajectory.steps, strict=False)
        differing = [str(step.index) for step, other in pairs if step != other]
        where = f"steps {', '.join(differing)}" if differing else "all steps alike"
        yield Violation(claim.run_id, "re-run", f"{named}: another trajectory ({where})")


def _made(claim: Claim, arm: ArmResult, files: Files) -> tuple[Run, Recorded]:
    """One run on a system of its own; a clean one from scratch, any other served from the clean twin's tape."""
    settings = files.settings
    system = _system(settings)
    adapter = files.plugins.adapter(settings.adapter)
    recorded = claim.runs[arm.run_id]
    replay = interventions = None
    if arm.arm != "clean":
        injector = _Rewriter(recorded.ledger)
        interventions = Interventions(claim.plan, injector, arm=arm.arm, active=arm.targets)
        replay = Replay(claim.clean.tape, interventions.targets, settings.replay)
    run = Run(
        RunInfo(
            run_id=arm.run_id,
            task=claim.task.text,
            system=recorded.trajectory.system,
            adapter=adapter.name,
            agents=adapter.agents(system.app),
        ),
        replay=replay,
        interventions=interventions,
        limits=settings.limits,
        normalise=adapter.normalise,
    )
    with adapter.attach(system.app, run) as attachment:
        start = system.start or adapter.start
        output = system.output or adapter.output
        final_output: str | None = None
        try:
            result = start(attachment.app, claim.task.text)
            if inspect.isawaitable(result):
                result = asyncio.run(_awaited(result))
            final_output = output(result)
        except AegisError:  # a drift or a limit: the run itself knows which, and is asked later
            pass
        except Exception as error:  # the system under study may raise anything; that is a crash of the run
            run.failed(error)
    trajectory, tape, ledger = canonical(run.trajectory(final_output), run.tape(), run.ledger())
    return run, Recorded(trajectory, tape, ledger)


async def _awaited(result: Any) -> Any:  # Any: a framework's own objects
    return await result


def _system(settings: Settings) -> System:
    module, _, attribute = settings.system.partition(":")
    built = getattr(importlib.import_module(module), attribute)(seed=settings.seed)
    return built if isinstance(built, System) else System(app=built)


class _Rewriter(Injector):
    """Writes the texts of a ledger again: by part and text before, or where parts are named otherwise by text alone."""

    name = "rewriter"

    def __init__(self, ledger: Ledger) -> None:
        self._entries = {entry.target: entry for entry in ledger.interventions}

    def realisations(self) -> tuple[Realisation, ...]:
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:
        entry: Intervention | None = self._entries.get(target)
        if entry is None or not entry.fired:
            return Refused("the ledger has no edit for this target")
        texts: dict[str, str] = {}
        for change in entry.changes:
            part = _part(context.parts, change)
            if part is None:
                return Refused(f"nothing here reads as part {change.part} did before its edit")
            texts[part.id] = change.after
        return Edits(texts=texts, realisation=entry.realisation, route=entry.route, notes=entry.notes)


def _part(parts: tuple[Part, ...], change: PartChange) -> Part | None:
    alike = [part for part in parts if part.editable and part.text == change.before]
    return next((part for part in alike if part.id == change.part), alike[0] if len(alike) == 1 else None)
