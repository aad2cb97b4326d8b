"""The form in which runs are written to datasets: equal runs give equal bytes, however they came about.

- *Virtual clock.* A step begins when the last of its parents has ended (without parents: when the step before it
  has), and lasts as long as its text is long.
- *Derived usage.* What an agent says, plans or calls counts as a model's message; its tokens are derived from the
  lengths of texts in the trajectory, by one rule for all runs.
- *Derived ids.* See `run.ids`. Trajectory, tape and ledger share them.

Agents and readers are sorted by path, since the order in which they turn up depends on threads. A canonical tape
can be served like any other: results are decoded from it with ids that are as consistent as the original ones.
"""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping

from aegis_core.faults import Intervention, Ledger, Moment
from aegis_core.run.ids import Ids, derived_ids
from aegis_core.run.tape import Tape, TapeEntry
from aegis_core.trajectory import Agent, Content, Step, Trajectory, Usage

__all__ = ["canonical"]

_MODEL_KINDS = frozenset({"message", "tool_call", "handoff", "plan", "thought"})
_MODEL_AGENTS = frozenset({"worker", "manager"})
_CHARACTERS_PER_TOKEN = 4
_BASE_MS = 200
_MS_PER_TOKEN = 20

_StepKey = tuple[str, str, int, str, str]


def canonical(trajectory: Trajectory, tape: Tape, ledger: Ledger) -> tuple[Trajectory, Tape, Ledger]:
    """Trajectory, tape and ledger of one run in canonical form; of canonical ones, equal ones.

    Ids are numbered in the order of the tape, and the steps of a turn come after its last entry, but those that stand
    before the first step of a turn inside it come before that one: so a prefix that was served has the same ids as in
    the run that it was served from.
    """
    ids = derived_ids()
    positions = _positions(trajectory.steps)
    naming = _Naming(trajectory.steps, ids)
    last = {entry.key.moment: number for number, entry in enumerate(tape.entries)}
    entries: list[TapeEntry] = []
    for number, entry in enumerate(tape.entries):
        naming.begins(entry.key.moment)
        entries.append(_entry(entry, ids, positions))
        if last[entry.key.moment] == number:
            naming.ends(entry.key.moment)
    steps = naming.steps()
    interventions = tuple(_intervention(item, ids) for item in ledger.interventions)
    return (
        trajectory.model_copy(
            update={
                "agents": tuple(sorted(trajectory.agents, key=lambda agent: agent.path)),
                "steps": _timed(steps, trajectory.task, trajectory.agents),
            }
        ),
        tape.model_copy(update={"entries": tuple(entries), "overlapping": _sorted(tape.overlapping)}),
        ledger.model_copy(update={"interventions": interventions}),
    )


# -- ids ----------------------------------------------------------------------------------------------------------


class _Naming:
    """Gives steps their ids, each once, in the order in which it is told of turns."""

    def __init__(self, steps: tuple[Step, ...], ids: Ids) -> None:
        self._ids = ids
        self._waiting = deque(steps)
        self._turns: dict[Moment, list[Step]] = defaultdict(list)
        for step in steps:
            self._turns[_moment(step)].append(step)
        self._named: dict[int, Step] = {}
        self._begun: set[Moment] = set()

    def begins(self, moment: Moment) -> None:
        """An entry of this turn is next; where it is the first, what stands before the turn's steps has to have ids."""
        if moment in self._begun:
            return
        self._begun.add(moment)
        first = self._turns[moment][0].index if moment in self._turns else 0
        while self._waiting and self._waiting[0].index < first:
            self._name(self._waiting.popleft())

    def ends(self, moment: Moment) -> None:
        """The last entry of this turn was the one before."""
        for step in self._turns.get(moment, ()):
            self._name(step)

    def steps(self) -> list[Step]:
        """All steps with their ids, in order of their indices."""
        for turn in self._turns.values():
            for step in turn:
                self._name(step)
        return [self._named[index] for index in sorted(self._named)]

    def _name(self, step: Step) -> None:
        if step.index not in self._named:
            self._named[step.index] = _renamed(step, self._ids)


def _renamed(step: Step, ids: Ids) -> Step:
    renamed, readers = ids.step(step), _sorted(step.visible_to)
    return renamed if readers == step.visible_to else renamed.model_copy(update={"visible_to": readers})


def _entry(entry: TapeEntry, ids: Ids, positions: Mapping[_StepKey, tuple[int, ...]]) -> TapeEntry:
    if entry.inner:
        entry = entry.model_copy(update={"inner": _inner(entry.inner, positions)})
    return ids.entry(entry)


def _intervention(item: Intervention, ids: Ids) -> Intervention:
    changes = tuple(change.model_copy(update={"part": ids.inside(change.part)}) for change in item.changes)
    return item.model_copy(update={"changes": changes, "notes": ids.data(dict(item.notes))})


# -- steps inside a served node -----------------------------------------------------------------------------------


def _inner(steps: tuple[Step, ...], positions: Mapping[_StepKey, tuple[int, ...]]) -> tuple[Step, ...]:
    """The steps of a node in the order of the trajectory, numbered from 0, without times and usage."""
    free = {key: deque(found) for key, found in positions.items()}
    ranked: list[tuple[int, int, Step]] = []
    rank = -1
    for arrival, step in enumerate(steps):
        if found := free.get(_key(step)):
            rank = found.popleft()
        ranked.append((rank, arrival, step))
    ordered = [step for _, _, step in sorted(ranked, key=lambda row: row[:2])]
    numbers = {step.index: number for number, step in enumerate(ordered)}
    return tuple(
        step.model_copy(
            update={
                "index": number,
                "parents": _earlier((numbers[parent] for parent in step.parents if parent in numbers), number),
                "visible_to": _sorted(step.visible_to),
                "usage": None,
                "start": 0.0,
                "end": 0.0,
            }
        )
        for number, step in enumerate(ordered)
    )


def _positions(steps: Iterable[Step]) -> dict[_StepKey, tuple[int, ...]]:
    found: dict[_StepKey, list[int]] = defaultdict(list)
    for step in steps:
        found[_key(step)].append(step.index)
    return {key: tuple(indices) for key, indices in found.items()}


def _key(step: Step) -> _StepKey:
    return (step.agent, step.branch, step.turn, step.kind, step.text)


def _earlier(parents: Iterable[int], index: int) -> tuple[int, ...]:
    return tuple(sorted({parent for parent in parents if parent < index}))


def _sorted(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(paths)))


def _moment(step: Step) -> Moment:
    return Moment(agent=step.agent, branch=step.branch, turn=step.turn)


# -- usage and clock ----------------------------------------------------------------------------------------------


def _tokens(text: str, content: tuple[Content, ...] = ()) -> int:
    data = "".join(
        json.dumps(item.data, sort_keys=True, ensure_ascii=False) for item in content if item.data is not None
    )
    return -(-(len(text) + len(data)) // _CHARACTERS_PER_TOKEN)


def _sources(step: Step) -> tuple[int, ...]:
    """What a step follows from: its parents, or else the step before it."""
    return step.parents or ((step.index - 1,) if step.index else ())


def _timed(steps: list[Step], task: str, agents: tuple[Agent, ...]) -> tuple[Step, ...]:
    """The steps, in order of their indices, with derived usage and times."""
    models = {agent.path for agent in agents if agent.kind in _MODEL_AGENTS}
    asked = _tokens(task)
    tokens = [_tokens(step.text, step.content) for step in steps]
    ends: list[int] = []
    timed = []
    for step in steps:
        own = tokens[step.index]
        usage = None
        if step.kind in _MODEL_KINDS and step.agent in models:
            read = asked + sum(tokens[source] for source in _sources(step))
            usage = Usage(input_tokens=read, output_tokens=own)
        start = max((ends[source] for source in _sources(step)), default=0)
        ends.append(start + _BASE_MS + _MS_PER_TOKEN * own)
        timed.append(step.model_copy(update={"usage": usage, "start": start / 1000, "end": ends[-1] / 1000}))
    return tuple(timed)
