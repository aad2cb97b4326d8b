"""Collects the steps and the tape of one run, from any thread or task, and puts them into canonical order."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from threading import RLock
from types import MappingProxyType
from typing import Any

from aegis_core.adapter import Part
from aegis_core.faults import Moment
from aegis_core.run.outputs import step_texts
from aegis_core.run.provenance import Provenance
from aegis_core.run.rows import OrderKey, Row, Rows, after, sortable
from aegis_core.run.tape import TapeEntry
from aegis_core.trajectory import Agent, Content, Step, StepKind, Usage

__all__ = ["OrderKey", "Recorder", "after", "sortable"]

_UNKNOWN: Mapping[str, Sequence[int]] = MappingProxyType({})


inside_calls: ContextVar[tuple[int, ...]] = ContextVar("aegis_inside_calls", default=())
"""Tokens of the calls of kind `node` that the current code runs inside of, outermost first."""


class Recorder:
    """Steps and tape entries of one run. All times are seconds since the recorder was made."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._rows = Rows()
        self._provenance = Provenance(self._rows)
        self._entries: list[tuple[OrderKey, int, TapeEntry | Callable[[], TapeEntry]]] = []
        self._agents: dict[str, Agent] = {}
        self._turns: dict[tuple[str, str], int] = {}
        self._read: tuple[Step, ...] | None = None
        """The steps as they were read last, if nothing has changed since: a run is read more than once when it ends."""
        self._lock = RLock()

    def now(self) -> float:
        """Seconds since the recorder was made."""
        return max(0.0, self._clock() - self._began)

    def declare(self, agents: Iterable[Agent]) -> None:
        """Make agents known; one that is declared twice keeps its first form."""
        with self._lock:
            for agent in agents:
                self._agents.setdefault(agent.path, agent)

    @property
    def agents(self) -> tuple[Agent, ...]:
        """The agents known so far, in order of declaration."""
        with self._lock:
            return tuple(self._agents.values())

    def next_moment(self, agent: str, branch: str) -> Moment:
        """The moment of an activation that begins now."""
        with self._lock:
            turn = self._turns.get((agent, branch), 0) + 1
            self._turns[agent, branch] = turn
            self._meet(agent)
        return Moment(agent=agent, branch=branch, turn=turn)

    def _meet(self, path: str) -> None:
        if path not in self._agents:
            self._agents[path] = Agent(path=path)

    def pass_over(self, moments: Iterable[Moment]) -> None:
        """Count turns that happened inside a node that was served instead of run."""
        with self._lock:
            for moment in moments:
                key = (moment.agent, moment.branch)
                self._turns[key] = max(self._turns.get(key, 0), moment.turn)
                self._meet(moment.agent)

    def step(
        self,
        agent: str,
        kind: StepKind,
        text: str,
        *,
        moment: Moment | None = None,
        order: OrderKey = (),
        content: tuple[Content, ...] = (),
        addressed_to: tuple[str, ...] = (),
        visible_to: tuple[str, ...] = (),
        parents: tuple[int, ...] = (),
        call_id: str | None = None,
        model: str | None = None,
        usage: Usage | None = None,
        start: float | None = None,
    ) -> int:
        """Record a step; returns its number in order of arrival, by which later steps name it as a parent."""
        with self._lock:
            for path in (agent, *addressed_to, *visible_to):
                self._meet(path)
            end = self.now()
            number = len(self._rows)
            row = Row(
                number, order, inside_calls.get(), agent, kind, text,
                (moment.branch, moment.turn) if moment else ("", max(1, self._turns.get((agent, ""), 1))),
                content, addressed_to, visible_to, parents, call_id, model, usage,
                min(end if start is None else start, end), end,
            )  # fmt: skip
            if not row.is_sound():
                row.step(number, parents)  # raises: what is wrong with a step is told where it comes from
            row.texts = step_texts(row) if content else (text,)
            self._rows.append(row)
            self._read = None
            return number

    def part_step(self, agent: str, part: Part, **more: Any) -> int:  # Any: the keywords of `step`
        """Record a part as a step of its kind."""
        content = (Content(type="json", data=part.data),) if part.data is not None else ()
        return self.step(agent, part.kind, part.text, content=content, call_id=part.call_id, **more)

    def tape(self, entry: TapeEntry | Callable[[], TapeEntry], order: OrderKey = ()) -> None:
        """Put an entry on the tape, or what makes one when the tape is read."""
        with self._lock:
            self._entries.append((order, len(self._entries), entry))

    def altered(self, before: str, after: str) -> None:
        """A text that an agent is about to see was altered, and may come up again where it was kept in a memory.

        Who wrote it and who has seen it goes by the original: a step that lost its readers would give the edit away.
        """
        with self._lock:
            self._provenance.altered(before, after)

    def sources(
        self,
        parts: tuple[Part, ...],
        reader: str,
        *,
        precedes: Callable[[OrderKey], bool] = lambda _: True,
        known: Mapping[str, Sequence[int]] = _UNKNOWN,
    ) -> tuple[tuple[Part, ...], tuple[int, ...]]:
        """Who wrote what an agent is about to see: by number where the adapter knows it, else judged by the text.

        A part that is a text of one of the last steps of another agent gets that agent as its author. If it is one or
        holds one, the step becomes visible to the reader, and its number is among the parents that are returned. Where
        several steps say the same, the latest are meant, as many as there are such parts.

        Args:
            precedes: whether a step with this order key came before, rather than beside, what is about to happen.
            known: of which steps parts are the texts, by the ids of the parts; none is a step's text if () is given.
                Steps by number come before, whatever `precedes` says.
        """
        with self._lock:
            self._read = None  # who has seen a step may change
            return self._provenance.sources(parts, reader, precedes, known)

    def orders(self, numbers: Iterable[int]) -> tuple[OrderKey, ...]:
        """The order keys of steps, by their numbers of arrival."""
        with self._lock:
            return tuple(self._rows[number].order for number in numbers)

    def inside(self, token: int, moment: Moment | None, order: OrderKey = (), *, since: int = 0) -> tuple[Step, ...]:
        """The steps that were recorded inside a call, in canonical order.

        These are the steps in its context and those with its order key in front. The steps of its own turn are among
        them only where the turn's `moment` is given: a node is the whole turn, a tool is a part of it.

        Args:
            since: how many steps there were when the turn began; none of those is meant.
        """
        own = (moment.agent, (moment.branch, moment.turn)) if moment is not None else None
        beside = (order, after(order)) if own is None else ()
        with self._lock:
            rows = [
                row
                for row in itertools.islice(self._rows, since, None)
                if token in row.inside
                or (row.agent, row.moment) == own
                or (order and row.order[: len(order)] == order and row.order not in beside)
            ]
            return tuple(row.step(row.number, row.parents) for row in sorted(rows, key=Row.place))

    def history(self) -> tuple[tuple[str, str], ...]:
        """(agent, text) of the delivered steps so far, in canonical order."""
        return tuple((step.agent, step.text) for step in self.steps())

    def __len__(self) -> int:
        """How many steps there are so far."""
        return len(self._rows)

    def steps(self) -> tuple[Step, ...]:
        """All steps in canonical order, indexed from 0 without gaps, parents renumbered."""
        with self._lock:
            if self._read is None:
                rows = self._rows.ordered()
                position = {row.number: index for index, row in enumerate(rows)}
                self._read = tuple(
                    row.step(index, tuple(sorted(position[p] for p in row.parents if position[p] < index)))
                    for index, row in enumerate(rows)
                )
            return self._read

    def entries(self) -> tuple[TapeEntry, ...]:
        """All tape entries in canonical order."""
        with self._lock:
            self._entries = [
                (order, number, entry if isinstance(entry, TapeEntry) else entry())
                for order, number, entry in self._entries
            ]
            rows = sorted(self._entries, key=lambda row: (sortable(row[0]), row[1]))
        return tuple(entry for _, _, entry in rows if isinstance(entry, TapeEntry))
