"""The tape: the exact inputs and call results of one run, from which the run can be served again.

It stands beside the trajectory, on the other side of the wall. An entry's key is
`(moment, kind, name, call)`: the turn, the kind of call, an optional name (a tool's), and the n-th such call
(from 1) inside the turn. Entries are in canonical order: by the adapter's order of turns, else as they ended.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from aegis_core.adapter import Part
from aegis_core.faults import Moment
from aegis_core.records import FileRecord, Record
from aegis_core.trajectory import RunError, Step

__all__ = ["CallKey", "Tape", "TapeEntry", "TapeKind"]

TapeKind = Literal["input", "model", "tool", "human", "node", "output"]


class CallKey(Record):
    """Which call of a run: the n-th (from 1) of this kind and name inside a turn.

    `input` and `output` stand for what went into the turn and what the agent produced in it.
    """

    moment: Moment
    kind: TapeKind
    name: str = ""
    call: int = Field(default=1, ge=1)

    def __str__(self) -> str:
        name = f" {self.name}" if self.name else ""
        return f"{self.moment}, {self.kind}{name} {self.call}"


class TapeEntry(Record):
    """One input, call or output.

    `request` are the texts that were sent (after any alteration), for `output` those that the agent produced
    (before any alteration). `payload` is a call's result as the adapter's codec wrote it; for `output` the name of
    the model and its usage. `inner` are the steps and `inner_turns` the turns that were recorded inside a call of
    kind `node`: they are recorded again when the node is served. An entry with `error` is never served.
    """

    key: CallKey
    request_hash: str
    request: tuple[Part, ...] = ()
    payload: JsonValue = None
    inner: tuple[Step, ...] = ()
    inner_turns: tuple[Moment, ...] = ()
    error: RunError | None = None


class Tape(FileRecord):
    """All entries of one run."""

    run_id: str
    adapter: str = ""
    entries: tuple[TapeEntry, ...] = ()
    overlapping: tuple[str, ...] = ()
    """Agents with activations that overlapped on one branch: their turns can't be told apart, nor targeted."""

    def entry(self, key: CallKey) -> TapeEntry | None:
        """The entry with this key, or None."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def moments(self) -> tuple[Moment, ...]:
        """All turns of the run, in order of their inputs."""
        return tuple(entry.key.moment for entry in self.entries if entry.key.kind == "input")
