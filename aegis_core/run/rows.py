"""Steps as they happen, before their records are made, and what they are sorted by."""

from __future__ import annotations

import functools
from bisect import insort
from dataclasses import dataclass, field

from aegis_core.trajectory import Content, Step, StepKind, Usage

__all__ = ["OrderKey", "Row", "Rows", "after", "sortable"]

OrderKey = tuple[int | str, ...]

_LAST = "\uffff"
_NAME = (str, type(None))


@functools.lru_cache(maxsize=4096)  # a run sorts by the same keys over and over
def sortable(order: OrderKey) -> tuple[tuple[int, int, str], ...]:
    """Numbers before names, so that mixed keys compare."""
    return tuple((0, item, "") if isinstance(item, int) else (1, 0, item) for item in order)


def after(order: OrderKey) -> OrderKey:
    """The key of what comes after all that happens inside a turn with this order key."""
    return (*order, _LAST) if order else order


@dataclass(eq=False, slots=True)
class Row:
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


class Rows(list[Row]):
    """The rows of one run in order of arrival, which is what they are numbered by."""

    def __init__(self) -> None:
        super().__init__()
        self._ordered: list[Row] = []

    def ordered(self) -> list[Row]:
        """The same in canonical order."""
        for row in self[len(self._ordered) :]:
            insort(self._ordered, row, key=Row.place)
        return self._ordered
