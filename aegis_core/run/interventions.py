"""Carrying out a plan's targets in one run, and the ledger of what was done.

Fails closed: an injector that raises, refuses, or returns edits of parts that may not be edited leaves the text
as it was, with the reason in the ledger, and such a run never gets a label.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from aegis_core.adapter import Part
from aegis_core.faults import ArmKind, Intervention, Moment, Outcome, PartChange, Plan, Scope, Strategy, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Refused
from aegis_core.trajectory import Agent

__all__ = ["Alteration", "Interventions"]


@dataclass(frozen=True)
class Alteration:
    """What an injector made of the parts at a site."""

    parts: tuple[Part, ...]
    changed: frozenset[str]
    scope: Scope
    route: str | None


class Interventions:
    """The targets of one run, at most once each.

    Args:
        plan: the targets and the seed.
        injector: writes the altered texts.
        arm: `fault`, or which control this run is. Only a fault must change the text.
        active: indices of the plan's targets that are carried out (None: all).
        attempt: the n-th try at this plan, from 1.
        previous: outcomes of the earlier tries.
    """

    def __init__(
        self,
        plan: Plan,
        injector: Injector,
        *,
        arm: ArmKind = "fault",
        active: Sequence[int] | None = None,
        attempt: int = 1,
        previous: tuple[Outcome, ...] = (),
    ) -> None:
        self.plan = plan
        self.injector = injector
        self.arm: ArmKind = arm
        self.active = tuple(range(len(plan.targets))) if active is None else tuple(active)
        self._attempt = attempt
        self._previous = previous
        self._ledger: dict[int, Intervention] = {}
        self._taken: set[int] = set()
        self._lock = Lock()

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets that are carried out."""
        return tuple(self.plan.targets[index] for index in self.active)

    def claim(self, moment: Moment, strategy: Strategy, scopes: Sequence[Scope]) -> int | None:
        """The index of the target that is due at this site, taken by the caller; None if there is none."""
        with self._lock:
            for index in self.active:
                target = self.plan.targets[index]
                due = target.moment == moment and target.strategy == strategy and target.scope in scopes
                if due and index not in self._taken:
                    self._taken.add(index)
                    return index
        return None

    def due(self, moment: Moment, strategy: Strategy, scopes: Sequence[Scope]) -> bool:
        """Whether a target is due at this site (a stream then has to be held back)."""
        return any(
            index not in self._taken
            and (target := self.plan.targets[index]).moment == moment
            and target.strategy == strategy
            and target.scope in scopes
            for index in self.active
        )

    def hangs_on(self, moment: Moment) -> bool:
        """Whether the run is a fault with one target alone, which was told something in this turn."""
        only = self.plan.targets[0]
        told = only.moment == moment and only.strategy == "prompt_injection"
        return told and self.arm == "fault" and len(self.plan.targets) == 1 and 0 in self._ledger

    async def alter(
        self,
        index: int,
        parts: tuple[Part, ...],
        *,
        task: str,
        agents: tuple[Agent, ...],
        seen: tuple[Part, ...],
        history: tuple[tuple[str, str], ...],
        call: int | None = None,
    ) -> Alteration | None:
        """Have the injector alter the parts of a claimed target; None if nothing was altered."""
        target = self.plan.targets[index]
        agent = next((known for known in agents if known.path == target.moment.agent), None)
        context = InjectionContext(
            task=task,
            agent=agent or Agent(path=target.moment.agent),
            agents=agents,
            parts=parts,
            scope=target.scope,
            seed=random.Random(f"{self.plan.seed}/{index}/{self._attempt}").getrandbits(48),
            seen=seen,
            history=history,
            previous=self._previous,
        )
        try:
            result = await self.injector.alter(context, target, self._attempt)
        except Exception as error:  # plugin boundary: a broken injector must not break the run
            self._failed(index, f"the injector raised {type(error).__name__}: {error}")
            return None
        if isinstance(result, Refused):
            self._failed(index, f"refused: {result.reason}")
            return None
        return self._apply(index, parts, result, call)

    def _apply(self, index: int, parts: tuple[Part, ...], edits: Edits, call: int | None) -> Alteration | None:
        known = {part.id: part for part in parts}
        wrong = sorted(set(edits.texts) - {part.id for part in parts if part.editable})
        if wrong:
            self._failed(index, f"the injector edited parts {wrong}, which are not editable parts here")
            return None
        changes = tuple(
            PartChange(part=part_id, before=known[part_id].text, after=text)
            for part_id, text in edits.texts.items()
            if self.arm == "null" or text != known[part_id].text
        )
        if not changes and edits.route is None:
            self._failed(index, "the text was not changed")
            return None
        after = {change.part: change.after for change in changes}
        self._ledger[index] = Intervention(
            target=self.plan.targets[index],
            arm=self.arm,
            fired=True,
            realisation=edits.realisation,
            changes=changes,
            route=edits.route,
            call=call,
            notes=dict(edits.notes),
        )
        altered = tuple(
            part.model_copy(update={"text": after[part.id]}) if part.id in after else part for part in parts
        )
        return Alteration(altered, frozenset(after), self.plan.targets[index].scope, edits.route)

    def _failed(self, index: int, reason: str) -> None:
        self._ledger[index] = Intervention(target=self.plan.targets[index], arm=self.arm, fired=False, reason=reason)

    def ledger(self) -> tuple[Intervention, ...]:
        """One entry per target that was to be carried out, in the plan's order."""
        return tuple(self._ledger.get(index) or self._never(index) for index in self.active)

    def _never(self, index: int) -> Intervention:
        target = self.plan.targets[index]
        return Intervention(
            target=target, arm=self.arm, fired=False, reason=f"not fired: {target.moment} never came to this site"
        )
