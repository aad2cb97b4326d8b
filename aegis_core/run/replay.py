"""Serving the prefix of a recorded run, up to the moment of the first target.

The prefix is every entry that precedes the first target in the tape. For response corruption it includes the
target's own turn, which is served and then altered; for prompt injection the target's turn is live from its
input on. Until the target has fired, a request or a speaker that differs from the tape, or a call that is not on
it, is a drift, and the run is void. After that, an entry of the prefix (a parallel branch) is served only where its
request still is equal: a difference is then a consequence of the fault. In the same way what followed from the target's
turn is served if that turn came out as recorded: the injection had no effect, so such a run proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from aegis_core.adapter import ReplayLevel
from aegis_core.errors import ReplayError
from aegis_core.faults import Moment, Target
from aegis_core.run.tape import CallKey, Tape, TapeEntry
from aegis_core.trajectory import Trajectory

__all__ = ["Replay"]


class Replay:
    """What one run serves from the tape of another.

    Args:
        tape: the recorded (clean) run.
        targets: the plan's targets; the earliest in the tape is the cut.
        twin: the same run as an observer sees it; without it nothing beyond the prefix is served.
        level: `call` serves model, tool and human calls and runs the agents' own code; `node` serves whole
            activations, which is right only where an activation's output is its whole effect.

    Raises:
        ReplayError: a target's turn is not on the tape; the message lists the turns of its agent.
    """

    def __init__(
        self, tape: Tape, targets: Iterable[Target], level: ReplayLevel = "call", twin: Trajectory | None = None
    ) -> None:
        self.tape = tape
        self.twin = twin
        self.level = level
        self.fired = False
        self.drift = ""
        self.served = 0
        self._known = {entry.key for entry in tape.entries}
        self._moments = set(tape.moments()) | {moment for entry in tape.entries for moment in entry.inner_turns}
        self._outputs = {entry.key.moment: entry for entry in tape.entries if entry.key.kind == "output"}
        self._prefix = {entry.key: entry for entry in tape.entries[: self._cut(tuple(targets))]}

    def _cut(self, targets: tuple[Target, ...]) -> int:
        cuts = [self._position(target) for target in targets]
        return min(cuts, default=len(self.tape.entries))

    def _position(self, target: Target) -> int:
        own = [i for i, entry in enumerate(self.tape.entries) if entry.key.moment == target.moment]
        if not own:
            turns = [str(moment) for moment in self.tape.moments() if moment.agent == target.moment.agent]
            raise ReplayError(
                f"{target.moment} is not on the tape of run {self.tape.run_id}; "
                f"turns of that agent: {', '.join(turns) or 'none'}"
            )
        return own[-1] + 1 if target.strategy == "response_corruption" else own[0] + 1

    def turn_begins(self, moment: Moment, digest: str) -> str:
        """Compare the input of a turn with the tape; returns the drift in words, or "" if there is none."""
        if self.fired:
            return ""
        if moment not in self._moments:
            return self._drifted(f"{moment} is not on the tape of run {self.tape.run_id}")
        entry = self._prefix.get(CallKey(moment=moment, kind="input"))
        if entry is not None and entry.request_hash != digest:
            return self._drifted(f"{moment} sees another input than on the tape of run {self.tape.run_id}")
        return ""

    def serve(self, key: CallKey, digest: str) -> TapeEntry | None:
        """The recorded result of a call, or None if the call is to go live.

        A call that the recorded run did not make is a drift as long as nothing was altered: of two runs of one system
        on one task, only the fault may be the difference.
        """
        if self.made_anew(key) or (key.kind == "node" and self.level != "node"):
            return None
        entry = self._prefix.get(key)
        if entry is None or entry.error is not None:
            return None
        if entry.request_hash != digest:
            if not self.fired:
                self._drifted(f"{key} sends another request than on the tape of run {self.tape.run_id}")
            return None
        self.served += 1
        return entry

    def made_anew(self, key: CallKey) -> str:
        """The drift, in words, if the recorded run made no such call and nothing was altered yet, or ""."""
        if self.fired or key in self._known:
            return ""
        return self._drifted(f"{key} is not on the tape of run {self.tape.run_id}")

    def is_last(self, key: CallKey) -> bool:
        """Whether this is the last model call of its turn on the tape: the one whose result is the turn's answer."""
        return CallKey(moment=key.moment, kind=key.kind, name=key.name, call=key.call + 1) not in self._known

    def inside(self, entry: TapeEntry) -> tuple[TapeEntry, ...]:
        """The entries of calls and turns inside a served node, which the new tape must hold as well."""
        turns = {*entry.inner_turns} if entry.key.kind == "tool" else {entry.key.moment, *entry.inner_turns}
        return tuple(
            other
            for other in self._prefix.values()
            if other is not entry
            and other.key.moment in turns
            and not (other.key.moment == entry.key.moment and other.key.kind in ("input", "output"))
        )

    def produced(self, moment: Moment) -> TapeEntry | None:
        """What the agent produced in this turn of the recorded run."""
        return self._outputs.get(moment)

    def serve_what_followed(self, moment: Moment) -> None:
        """The target's turn came out as recorded: serve what followed from it, wherever the same is asked.

        Not those of the target itself, which may remember what it was told, and none that ran beside it: how far those
        were when it ended is a matter of chance.
        """
        after = self._followers(moment)
        more = {entry.key: entry for entry in self.tape.entries if entry.key.moment in after}
        self._prefix = {**self._prefix, **more}

    def _followers(self, moment: Moment) -> set[Moment]:
        """Turns of other agents whose input came from this turn, directly or through others."""
        steps: set[int] = set()
        found: set[Moment] = set()
        for step in self.twin.steps if self.twin is not None else ():
            own = Moment(agent=step.agent, branch=step.branch, turn=step.turn)
            if own == moment:
                steps.add(step.index)
            elif step.agent != moment.agent and not steps.isdisjoint(step.parents):
                steps.add(step.index)
                found.add(own)
        return found | {inner for e in self.tape.entries if e.key.moment in found for inner in e.inner_turns}

    def target_reached(self) -> None:
        """The first target's alteration was made; from here on differences are consequences."""
        self.fired = True

    def _drifted(self, reason: str) -> str:
        if not self.drift:
            self.drift = reason
        return reason
