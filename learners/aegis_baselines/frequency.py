"""The agent that is most often to blame, by its name."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from aegis_baselines.counting import Counted, CountingLearner, FailedRun
from aegis_baselines.suspects import answer, suspects
from aegis_core.attribution import Attribution, Blame
from aegis_core.errors import LearnerError
from aegis_core.records import FileRecord
from aegis_core.scoring.names import fold
from aegis_core.trajectory import Trajectory

__all__ = ["MostFrequent", "MostFrequentLearner", "NameCounts", "commonest"]


class NameCounts(FileRecord):
    """How many labelled causes each agent has, by its folded name and then by mode; "" where no mode was said."""

    agents: dict[str, dict[str, int]]


def commonest(counts: Mapping[str, int]) -> str | None:
    """The mode with most causes, the first by id among equals; None where no mode was said in any."""
    modes = {mode: number for mode, number in counts.items() if mode}
    return max(sorted(modes), key=lambda mode: modes[mode], default=None)


class MostFrequent(Counted[NameCounts]):
    """Blames the suspect whose name has most training causes, with the mode that is the commonest among these.

    Names are compared folded. The suspect who speaks first where two have as many; an abstention where no suspect's
    name was ever to blame. Says no step. The confidence is the name's share of all training causes.
    """

    name = "most-frequent"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        found = suspects(trajectory)
        totals = {agent: sum(self.counts.agents.get(fold(agent), {}).values()) for agent in found}
        agent = max(totals, key=lambda name: totals[name], default=None)
        if agent is None or not totals[agent]:
            reason = "no suspect of this run is to blame in any training run"
            return answer(trajectory, self.name, (), reason if found else "")
        everything = sum(sum(modes.values()) for modes in self.counts.agents.values())
        blame = Blame(
            agent=agent,
            mode=commonest(self.counts.agents[fold(agent)]),
            confidence=totals[agent] / everything,
            evidence=f"{totals[agent]} of {everything} causes of the training runs are of an agent of this name",
        )
        return answer(trajectory, self.name, (blame,))


class MostFrequentLearner(CountingLearner[NameCounts]):
    """Counts causes by agent and mode. Labels that name somebody who is not in their run don't count."""

    name = "most-frequent"
    record = NameCounts
    makes = MostFrequent

    def count(self, failed: Sequence[FailedRun], config: Mapping[str, JsonValue]) -> NameCounts:
        del config
        agents: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for cause in (cause for run in failed for cause in run.causes):
            if cause.agent is not None:
                agents[fold(cause.agent)][cause.mode or ""] += 1
        if not agents:
            raise LearnerError(
                f"learner {self.name!r}: no labelled cause names an agent of its run; correct the labels"
            )
        return NameCounts(agents={name: dict(sorted(modes.items())) for name, modes in sorted(agents.items())})
