"""Collects the steps and the tape of one run, from any thread or task, and puts them into canonical order."""

from __future__ import annotations

import functools
import itertools
import time
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import RLock
from types import MappingProxyType
from typing import Any

from aegis_core.adapter import Part
from aegis_core.faults import Moment
from aegis_core.run.outputs import step_texts
from aegis_core.run.tape import TapeEntry
from aegis_core.trajectory import Agent, Content, Step, StepKind, Usage

__all__ = ["OrderKey", "Recorder", "after", "sortable"]

OrderKey = tuple[int | str, ...]

_RECENT = 256
"""How many of the last steps are searched for the source of a text, so that the cost per turn is bounded."""
_MIN_TEXT = 8
"""Characters from which a text found inside another is taken for its source; a shorter one has to be a line's end."""
_LAST = "\uffff"
_NAME = (str, type(None))
_OWN = ("assistant",)
"""Roles in which an agent is shown again what it said itself; in another role, an equal text is another agent's.

What a tool gave is not among them: where an agent in the tool said it, that agent is its author.
"""
_UNKNOWN: Mapping[str, Sequence[int]] = MappingProxyType({})


inside_calls: ContextVar[tuple[int, ...]] = ContextVar("aegis_inside_calls", default=())
"""Tokens of the calls of kind `node` that the current code runs inside of, outermost first."""


@dataclass(eq=False, slots=True)
class _Row:
    """What is known of a step when it happens. Its record is made when it is read: a run has other things to do."""

    number: int
    order: OrderKey
    inside: tuple[int, ...]
    agent: str
    kind: StepKind
    text: str
    moment: tuple[str, int]
    """Branch and turn."""
    content: tuple[Content, ...]
    addressed_to: tuple[str, ...]
    visible_to: tuple[str, ...]
    parents: tuple[int, ...]
    call_id: str | None
    model: str | None
    usage: Usage | None
    start: float
    end: float
    texts: tuple[str, ...] = ()
    readers: set[str] = field(default_factory=set)
    """Who saw the step, beside those whom it was said to be visible to."""

    def place(self) -> tuple[tuple[tuple[int, int, str], ...], int]:
        """What rows are sorted by: the order key, then the order of arrival."""
        return (sortable(self.order), self.number)

    def is_sound(self) -> bool:
        """Whether its record can be made, as far as that is quick to see."""
        early = not self.parents or (min(self.parents) >= 0 and max(self.parents) < self.number)
        return (
            early and isinstance(self.text, str) and isinstance(self.model, _NAME) and isinstance(self.call_id, _NAME)
        )

    def step(self, index: int, parents: tuple[int, ...]) -> Step:
        """The record of the step, with its readers."""
        readers = self.visible_to
        if self.readers:
            readers = tuple(sorted({*readers, *self.readers}))
        return Step(
            index=index, agent=self.agent, kind=self.kind, text=self.text, branch=self.moment[0], turn=self.moment[1],
            content=self.content, addressed_to=self.addressed_to, visible_to=readers, parents=parents,
            call_id=self.call_id, model=self.model, usage=self.usage, start=self.start, end=self.end,
        )  # fmt: skip


@dataclass(slots=True)
class _Held:
    """Of which steps a text is or holds a text, in canonical order, as far as it was compared with the steps."""

    rows: list[_Row]
    compared: int = 0


class _Recent:
    """Which of the last steps came before, as far as it is asked."""

    def __init__(self, recorder: Recorder, precedes: Callable[[OrderKey], bool]) -> None:
        self._precedes = precedes
        self._known: dict[int, bool] = {}
        self._all: frozenset[int] | None = None
        if len(recorder) > _RECENT:
            before = (row for row in reversed(recorder.ordered()) if precedes(row.order))
            self._all = frozenset(row.number for row in itertools.islice(before, _RECENT))

    def __contains__(self, row: _Row) -> bool:
        known = self._known.get(row.number)
        if known is None:
            before = self._precedes(row.order) if self._all is None else row.number in self._all
            known = self._known[row.number] = before and row.text != ""
        return known


@functools.lru_cache(maxsize=4096)  # a run sorts by the same keys over and over
def sortable(order: OrderKey) -> tuple[tuple[int, int, str], ...]:
    """Numbers before names, so that mixed keys compare."""
    return tuple((0, item, "") if isinstance(item, int) else (1, 0, item) for item in order)


def after(order: OrderKey) -> OrderKey:
    """The key of what comes after all that happens inside a turn with this order key."""
    return (*order, _LAST) if order else order


def _is_told(source: str, text: str) -> bool:
    """Whether a text that holds another one tells it: "Answer: 79" tells 79, "179 boxes" does not."""
    if len(source) >= _MIN_TEXT:
        return True
    return source.strip() != "" and any(
        line == source or line.endswith((f": {source}", f": {source}.")) for line in map(str.strip, text.split("\n"))
    )


def _meant(rows: Sequence[_Row], text: str, repeats: int) -> list[_Row]:
    """Of steps that say the same, the latest: what was said again is what was handed on.

    Args:
        rows: in canonical order, each of which is or is held by the text.
        repeats: how often the text comes among the parts from here on; each is another step's.
    """
    equal = [row for row in rows if text in row.texts]
    latest = {row.texts: row for row in rows if text not in row.texts}
    meant = set(map(id, latest.values())) | set(map(id, equal[-repeats:][:1]))
    return [row for row in rows if id(row) in meant]


def _with_inner(rows: Sequence[_Row], before: Sequence[_Row], text: str) -> list[_Row]:
    """With the result of a tool also the words of the agent inside the tool that it hands on.

    Args:
        before: the steps that may be meant, in canonical order.
    """
    found = list(rows)
    for result in (row for row in rows if row.kind == "tool_result" and text in row.texts):
        inner = [row for row in before if row.agent.startswith(f"{result.agent}/") and text in row.texts]
        found.extend(row for row in inner[-1:] if row not in found)
    return found


class Recorder:
    """Steps and tape entries of one run. All times are seconds since the recorder was made."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._rows: list[_Row] = []
        self._sorted: list[_Row] = []
        self._held: dict[str, _Held] = {}
        self._entries: list[tuple[OrderKey, int, TapeEntry | Callable[[], TapeEntry]]] = []
        self._agents: dict[str, Agent] = {}
        self._turns: dict[tuple[str, str], int] = {}
        self._originals: dict[str, str] = {}
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
            row = _Row(
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
            self._originals[after] = self._originals.get(before, before)

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
        parents: dict[int, None] = {}
        authored: list[Part] = []
        with self._lock:
            recent: _Recent | None = None
            texts = [self._original(part.text) if self._originals else part.text for part in parts]
            repeats = Counter((text, part.role in _OWN) for part, text in zip(parts, texts, strict=True))
            for part, text in zip(parts, texts, strict=True):
                author, own = part.author, part.role in _OWN
                if part.id in known:
                    told = [self._rows[step] for step in known[part.id]]
                    rows = [*self._quoted(told), *told]  # the author of the last one is whose text it is
                else:
                    rows = self._steps_in(text)
                    if rows:
                        recent = recent or _Recent(self, precedes)  # most texts of a first turn are nobody's
                        rows = before = [row for row in rows if row in recent]
                        mine = own and [row for row in rows if row.agent == reader and text in row.texts]
                        rows = mine or [row for row in rows if row.agent != reader]
                        if len(rows) > 1:
                            rows = _with_inner(_meant(rows, text, repeats[text, own]), before, text)
                repeats[text, own] -= 1
                for row in rows:
                    if row.agent != reader:
                        author = row.agent if part.id in known or text in row.texts else author
                        parents[row.number] = None
                        if reader not in row.visible_to:
                            row.readers.add(reader)
                            self._read = None
                authored.append(part if author == part.author else part.model_copy(update={"author": author}))
        return tuple(authored), tuple(parents)

    def _quoted(self, rows: Sequence[_Row]) -> list[_Row]:
        """The steps that led to these and that they quote word for word: who is shown the one is shown the other."""
        found: dict[int, _Row] = {}
        for row in rows:
            waiting = list(row.parents)
            while waiting:
                source = self._rows[waiting.pop()]
                quoted = any(len(text) >= _MIN_TEXT and text in own for text in source.texts for own in row.texts)
                if quoted and source.number not in found:
                    found[source.number] = source
                    waiting.extend(source.parents)
        return [found[number] for number in sorted(found)]

    def orders(self, numbers: Iterable[int]) -> tuple[OrderKey, ...]:
        """The order keys of steps, by their numbers of arrival."""
        with self._lock:
            return tuple(self._rows[number].order for number in numbers)

    def _steps_in(self, text: str) -> list[_Row]:
        """The steps of which a text is or holds a text. Texts come again in every turn: each pair is compared once."""
        held = self._held.get(text)
        if held is None:
            held = self._held[text] = _Held([])
        if held.compared < len(self._rows):
            for row in self._rows[held.compared :]:
                for source in row.texts:
                    if source == text != "" or (source in text and _is_told(source, text)):
                        insort(held.rows, row, key=_Row.place)
                        break
            held.compared = len(self._rows)
        return held.rows

    def _original(self, text: str) -> str:
        for after, before in self._originals.items():
            text = text.replace(after, before) if after else text
        return text

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
            return tuple(row.step(row.number, row.parents) for row in sorted(rows, key=_Row.place))

    def history(self) -> tuple[tuple[str, str], ...]:
        """(agent, text) of the delivered steps so far, in canonical order."""
        return tuple((step.agent, step.text) for step in self.steps())

    def __len__(self) -> int:
        """How many steps there are so far."""
        return len(self._rows)

    def ordered(self) -> list[_Row]:
        """The rows of all steps in canonical order."""
        with self._lock:
            for row in self._rows[len(self._sorted) :]:
                insort(self._sorted, row, key=_Row.place)
            return self._sorted

    def steps(self) -> tuple[Step, ...]:
        """All steps in canonical order, indexed from 0 without gaps, parents renumbered."""
        with self._lock:
            if self._read is None:
                rows = self.ordered()
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
