"""Which faults are tried in a clean run.

A *cell* is a mode with a strategy. Plans are numbered through the whole campaign; each block of as many plans as
there are cells holds every cell once, in an order drawn anew for each block, and the uses of one cell go round its
agents in the same way. So modes, strategies and agents are balanced before proof, however few plans a run gets, and
a plan depends on the seed and the place of its task alone.

A turn is a target only if something can be altered there, and only if another agent acts after it: what the last
speaker says is seen by no one in the run, so it could never be proven. A rehearsal leaves out what the injector would
refuse; where a cell has nothing left, the next one takes its place.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from aegis_core.adapter import Capabilities, Site
from aegis_core.campaign.journal import RunRecord
from aegis_core.campaign.rehearsal import Rehearsal
from aegis_core.errors import CampaignError
from aegis_core.faults import Moment, Plan, Strategy, Target
from aegis_core.injector import Injector

__all__ = ["Cell", "ExplicitPlans", "Planner", "cells"]

T = TypeVar("T")
_NO_TARGETS = ("tool", "user")
"""Kinds of agents that can't err: what they say is the environment."""


@dataclass(frozen=True)
class Cell:
    """A mode that can be caused by a strategy, with the ways and the scopes in which that can be done."""

    mode: str
    strategy: Strategy
    realisations: tuple[str, ...]
    sites: tuple[Site, ...]


def cells(modes: Iterable[str], injector: Injector, capabilities: Capabilities, system: str) -> tuple[Cell, ...]:
    """All that the injector can cause and the adapter can carry out on this system, for these modes.

    Raises:
        CampaignError: the injector has no realisation for one of the modes, or nothing is left.
    """
    known = injector.realisations()
    found: list[Cell] = []
    for mode in modes:
        ways: dict[Strategy, list[str]] = {}
        for way in known:
            if way.mode == mode:
                ways.setdefault(way.strategy, []).append(way.name)
        if not ways:
            can = ", ".join(sorted({way.mode for way in known})) or "none"
            raise CampaignError(f"the injector {injector.name!r} has no realisation of {mode}; it can cause: {can}")
        for strategy, names in ways.items():
            sites = tuple(site for site in capabilities.sites if site.strategy == strategy)
            if sites and strategy != "environment":
                found.append(Cell(mode, strategy, tuple(names), sites))
    if not found:
        offered = ", ".join(sorted({f"{site.strategy}/{site.scope}" for site in capabilities.sites})) or "nothing"
        raise CampaignError(
            f"no fault is feasible: in {system!r} can be altered: {offered}, "
            f"and the injector {injector.name!r} causes these modes by other strategies"
        )
    return tuple(found)


class Planner:
    """Draws plans for clean runs.

    Args:
        offered: the cells of the campaign.
        seed: of the campaign.
        per_run: how many plans a clean run gets, at most.
        pair_share: share of the plans, from 0 to 1, that get a second target.
        rehearsal: leaves out what would be refused; None: everything is tried.
    """

    def __init__(
        self,
        offered: Sequence[Cell],
        *,
        seed: int,
        per_run: int,
        pair_share: float = 0.15,
        rehearsal: Rehearsal | None = None,
    ) -> None:
        self._cells = tuple(offered)
        self._seed = seed
        self._per_run = per_run
        self._pair_share = pair_share
        self._rehearsal = rehearsal

    def plans(self, clean: RunRecord, ordinal: int) -> tuple[Plan, ...]:
        """The plans for a clean run; `ordinal` is the place of its task in the campaign, from 0."""
        draw = _Draw(clean, tuple(dict.fromkeys(cell.strategy for cell in self._cells)), self._rehearsal)
        plans: list[Plan] = []
        for number in range(ordinal * self._per_run, (ordinal + 1) * self._per_run):
            rng = random.Random(f"plan/{self._seed}/{clean.task_id}/{number}")
            seed = rng.getrandbits(48)
            first = self._first(number, draw, seed, rng)
            if first is None:
                break
            targets = [first]
            if rng.random() < self._pair_share and (second := self._second(first, draw, seed, rng)) is not None:
                targets.append(second)
            draw.used.add((first.moment, first.mode, first.strategy))
            plans.append(Plan(targets=tuple(targets), seed=seed))
        return tuple(plans)

    def _first(self, number: int, draw: _Draw, seed: int, rng: random.Random) -> Target | None:
        block, place = divmod(number, len(self._cells))
        order = _shuffled(range(len(self._cells)), f"cells/{self._seed}/{block}")
        for index in (*order[place:], *order[:place]):
            cell = self._cells[index]
            agents = draw.agents(cell.strategy)
            if not agents:
                continue
            lap, turn = divmod(block, len(agents))
            ranked = _shuffled(agents, f"agents/{self._seed}/{index}/{lap}")
            for agent in (*ranked[turn:], *ranked[:turn]):
                moments = [moment for moment in draw.free(cell) if moment.agent == agent]
                if (target := draw.target(cell, moments, 0, seed, rng)) is not None:
                    return target
        return None

    def _second(self, first: Target, draw: _Draw, seed: int, rng: random.Random) -> Target | None:
        for cell in rng.sample(self._cells, len(self._cells)):
            others = [moment for moment in draw.moments[cell.strategy] if moment.agent != first.moment.agent]
            if (target := draw.target(cell, others, 1, seed, rng)) is not None:
                return target
        return None


class _Draw:
    """What there is to draw from in one clean run."""

    def __init__(self, clean: RunRecord, strategies: tuple[Strategy, ...], rehearsal: Rehearsal | None) -> None:
        self._clean = clean
        self._rehearsal = rehearsal
        self.moments = {strategy: _moments(clean, strategy) for strategy in strategies}
        self.used: set[tuple[Moment, str, str]] = set()
        """Targets of earlier plans: turn, mode, strategy."""

    def agents(self, strategy: Strategy) -> list[str]:
        return sorted({moment.agent for moment in self.moments[strategy]})

    def free(self, cell: Cell) -> list[Moment]:
        return [m for m in self.moments[cell.strategy] if (m, cell.mode, cell.strategy) not in self.used]

    def target(self, cell: Cell, moments: Sequence[Moment], index: int, seed: int, rng: random.Random) -> Target | None:
        """A target of this cell in one of these turns that the injector does not refuse; number `index` of its plan."""
        scope = rng.choice(cell.sites).scope
        for moment in rng.sample(moments, len(moments)):
            for realisation in rng.sample(cell.realisations, len(cell.realisations)):
                target = Target(
                    moment=moment, mode=cell.mode, strategy=cell.strategy, scope=scope, realisation=realisation
                )
                if self._rehearsal is None or not self._rehearsal.refuses(self._clean, target, index=index, seed=seed):
                    return target
        return None


class ExplicitPlans:
    """Plans of the user's own, tried in every clean run that has the turns that they name."""

    def __init__(self, given: Iterable[Plan]) -> None:
        self._plans = tuple(given)

    def plans(self, clean: RunRecord, ordinal: int) -> tuple[Plan, ...]:  # noqa: ARG002  the form of Planner.plans
        """Those of the plans that can be tried in this run."""
        there = set(clean.tape.moments())
        return tuple(plan for plan in self._plans if all(target.moment in there for target in plan.targets))


def _moments(clean: RunRecord, strategy: Strategy) -> tuple[Moment, ...]:
    """The turns of a clean run, in order, that can be altered by this strategy and have an observer after them."""
    closed = {agent.path for agent in clean.trajectory.agents if agent.kind in _NO_TARGETS}
    closed.update(clean.tape.overlapping)
    entries = clean.tape.entries
    last_entry: dict[str, int] = {}
    for position, entry in enumerate(entries):
        last_entry[entry.key.moment.agent] = position
    found: list[Moment] = []
    for position, entry in enumerate(entries):
        moment = entry.key.moment
        if entry.key.kind != "input" or moment.agent in closed:
            continue
        seen_later = any(last > position for agent, last in last_entry.items() if agent != moment.agent)
        if strategy == "prompt_injection":
            can_be_altered = any(part.editable and part.text.strip() for part in entry.request)
        else:
            steps = clean.trajectory.turn(moment.agent, moment.turn, moment.branch)
            can_be_altered = any(step.text.strip() for step in steps)
        if seen_later and can_be_altered:
            found.append(moment)
    return tuple(found)


def _shuffled(items: Iterable[T], seed: str) -> list[T]:
    mixed = list(items)
    random.Random(seed).shuffle(mixed)
    return mixed
