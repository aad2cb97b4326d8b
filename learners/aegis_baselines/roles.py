"""How often a role is to blame where it takes part."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from pydantic import Field, JsonValue

from aegis_baselines.counting import Counted, CountingLearner, FailedRun
from aegis_baselines.frequency import commonest
from aegis_baselines.suspects import answer, suspects
from aegis_core.attribution import Attribution, Blame
from aegis_core.errors import LearnerError
from aegis_core.records import FileRecord, Record
from aegis_core.scoring.names import fold
from aegis_core.trajectory import Trajectory

__all__ = ["RoleCount", "RoleCounts", "RolePrior", "RolePriorLearner", "role"]


def role(agent: str) -> str:
    """What is taken as an agent's role: its folded name without digits at the end, so that `Coder_2` is a coder."""
    folded = fold(agent)
    return folded.rstrip("0123456789") or folded


class RoleCount(Record):
    """How often agents of a role spoke in failed runs, how often they were to blame, and by mode ("": not said)."""

    present: int = 0
    to_blame: int = 0
    modes: dict[str, int] = Field(default_factory=dict)


class RoleCounts(FileRecord):
    """The counts of each role, of each kind of agent, and of all; and the weight of what is more general."""

    roles: dict[str, RoleCount]
    kinds: dict[str, RoleCount]
    all: RoleCount
    weight: float


class RolePrior(Counted[RoleCounts]):
    """Blames the suspect whose role is most often to blame where it takes part, with the role's commonest mode.

    With n times present and k times to blame, the rate of a role is (k + w r) / (n + w), where r is the rate of its
    kind (worker, manager), likewise drawn to the rate of all, and w the weight. An unseen role has the rate of its
    kind, and the commonest mode of all. The suspect who speaks first among equals. Says no step. The confidence is the
    rate.
    """

    name = "role-prior"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        rates = {agent: self._rate(trajectory, agent) for agent in suspects(trajectory)}
        agent = max(rates, key=lambda name: rates[name], default=None)
        if agent is None:
            return answer(trajectory, self.name, ())
        seen = self.counts.roles.get(role(agent), RoleCount())
        blame = Blame(
            agent=agent,
            mode=commonest(seen.modes) or commonest(self.counts.all.modes),
            confidence=rates[agent],
            evidence=f"its role was to blame {seen.to_blame} of the {seen.present} times that it took part in training",
        )
        return answer(trajectory, self.name, (blame,))

    def _rate(self, trajectory: Trajectory, agent: str) -> float:
        counts, weight = self.counts, self.counts.weight
        rate = counts.all.to_blame / counts.all.present
        kind = counts.kinds.get(trajectory.agent(agent).kind, RoleCount())
        for count in (kind, counts.roles.get(role(agent), RoleCount())):
            rate = (count.to_blame + weight * rate) / (count.present + weight)
        return rate


class RolePriorLearner(CountingLearner[RoleCounts]):
    """Counts, over the suspects of failed runs, how often each role takes part and is to blame.

    Options: `weight`, above 0, by default 1: how many times present what is more general counts.
    """

    name = "role-prior"
    record = RoleCounts
    makes = RolePrior
    options = ("weight",)

    def count(self, failed: Sequence[FailedRun], config: Mapping[str, JsonValue]) -> RoleCounts:
        weight = config.get("weight", 1.0)
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < math.inf:
            raise LearnerError(f"learner {self.name!r}: weight is {weight!r}; a number above 0 is needed")
        roles, kinds, everybody = _Tally(), _Tally(), _Tally()
        for run in failed:
            for agent in suspects(run.trajectory):
                modes = [cause.mode or "" for cause in run.causes if cause.agent == agent]
                roles.add(role(agent), modes)
                kinds.add(run.trajectory.agent(agent).kind, modes)
                everybody.add("", modes)
        if not everybody.present:
            raise LearnerError(f"learner {self.name!r}: nobody who could be blamed speaks in any training run")
        return RoleCounts(roles=roles.counts(), kinds=kinds.counts(), all=everybody.counts()[""], weight=float(weight))


class _Tally:
    """Counts in the making, by name."""

    def __init__(self) -> None:
        self.present: Counter[str] = Counter()
        self._to_blame: Counter[str] = Counter()
        self._modes: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, name: str, modes: Sequence[str]) -> None:
        """One agent took part; `modes` are those of its causes, none if it was not to blame."""
        self.present[name] += 1
        self._to_blame[name] += bool(modes)
        self._modes[name].update(modes)

    def counts(self) -> dict[str, RoleCount]:
        """The records, sorted by name."""
        return {
            name: RoleCount(
                present=number, to_blame=self._to_blame[name], modes=dict(sorted(self._modes[name].items()))
            )
            for name, number in sorted(self.present.items())
        }
