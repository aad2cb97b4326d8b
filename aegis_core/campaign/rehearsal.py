"""Asking the injector beforehand, on the texts of the clean run, whether it would refuse a target.

A refusal that is found out in a run costs the run. The rehearsal shows the injector what it would be shown there: the
same parts, history and seed. It is no proof of anything: only what happens in the run counts.
"""

from __future__ import annotations

import random

from aegis_core.adapter import Part
from aegis_core.campaign.journal import RunRecord
from aegis_core.faults import Moment, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Refused
from aegis_core.run.tape import CallKey

__all__ = ["Rehearsal"]


class Rehearsal:
    """Rehearses targets with an injector that costs nothing to ask.

    An injector that has to wait for something (a model) is not waited for: it passes as one that does not refuse.
    """

    def __init__(self, injector: Injector) -> None:
        self._injector = injector

    def refuses(self, clean: RunRecord, target: Target, *, index: int, seed: int) -> bool:
        """Whether the injector refuses this target (number `index` of a plan with this seed) on the clean run."""
        seen = _parts(clean, target.moment, "input")
        prompt = target.strategy == "prompt_injection"
        parts = seen if prompt else _parts(clean, target.moment, "output")
        if not parts:
            return False
        agents = clean.trajectory.agents
        context = InjectionContext(
            task=clean.trajectory.task,
            agent=clean.trajectory.agent(target.moment.agent),
            agents=agents,
            parts=parts,
            scope=target.scope,
            seed=random.Random(f"{seed}/{index}/1").getrandbits(48),
            seen=() if prompt else seen,
            history=_history(clean, target.moment, prompt),
        )
        coroutine = self._injector.alter(context, target, 1)
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return not _changes(stop.value, parts)
        except Exception:  # plugin boundary: a broken injector is reported by the run that it breaks
            return False
        coroutine.close()
        return False


def _parts(clean: RunRecord, moment: Moment, kind: str) -> tuple[Part, ...]:
    key = CallKey.model_validate({"moment": moment, "kind": kind})
    entry = clean.tape.entry(key)
    return entry.request if entry is not None else ()


def _history(clean: RunRecord, moment: Moment, prompt: bool) -> tuple[tuple[str, str], ...]:
    """The steps before the turn, and before its output the calls of the turn itself."""
    own = clean.trajectory.turn(moment.agent, moment.turn, moment.branch)
    first = own[0].index if own else len(clean.trajectory.steps)
    calls = () if prompt else tuple(step for step in own if step.kind in ("tool_call", "tool_result"))
    return tuple((step.agent, step.text) for step in (*clean.trajectory.steps[:first], *calls))


def _changes(result: Edits | Refused, parts: tuple[Part, ...]) -> bool:
    if isinstance(result, Refused):
        return False
    texts = {part.id: part.text for part in parts}
    return result.route is not None or any(texts.get(part) != text for part, text in result.texts.items())
