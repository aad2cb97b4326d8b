"""The attributor `signals`: adds up what speaks against each step, and ranks agents by their worst one."""

from __future__ import annotations

import math
from collections import defaultdict

from aegis_core.attribution import Attribution, Blame
from aegis_core.learner import Attributor
from aegis_core.trajectory import Trajectory
from aegis_default.claims import contradictions, inventions, unsourced_claims
from aegis_default.conduct import answer_origins, disputed_claims, early_ends, repeats, turnabouts, waved_through
from aegis_default.demands import loosened_answers, other_units
from aegis_default.failures import broken_runs, crashes, fruitless_work
from aegis_default.omissions import empty_reports, undelivered_shares
from aegis_default.reading import Reading
from aegis_default.signs import Detector, Sign
from aegis_default.weights import NOBODY, PART_PRIOR, SIGNALS, rank_prior
from aegis_default.workings import departures, slips, sourceless_operands

__all__ = ["DETECTORS", "Signals", "signs"]

DETECTORS: tuple[Detector, ...] = (
    slips,
    departures,
    sourceless_operands,
    contradictions,
    other_units,
    empty_reports,
    undelivered_shares,
    broken_runs,
    turnabouts,
    loosened_answers,
    inventions,
    crashes,
    disputed_claims,
    answer_origins,
    unsourced_claims,
    fruitless_work,
    early_ends,
    repeats,
    waved_through,
)
_WORST_OF_ALL = 3
_WORTH_NAMING = 1 / 3
"""Share of the first suspect's confidence below which others are not listed."""


def signs(reading: Reading) -> dict[int, list[Sign]]:
    """All signs of a run by step, those of one step with the weightiest first; of one signal only the strongest."""
    found: dict[int, dict[str, Sign]] = defaultdict(dict)
    for detector in DETECTORS:
        for sign in detector(reading):
            known = found[sign.step].get(sign.signal)
            if known is None or known.strength < sign.strength:
                found[sign.step][sign.signal] = sign
    return {step: sorted(named.values(), key=_weight, reverse=True) for step, named in found.items()}


def _weight(sign: Sign) -> float:
    return SIGNALS[sign.signal] * sign.strength


class Signals(Attributor):
    """Ranks the agents of a run by the step that most speaks against them, and says what does.

    Reads the trajectory alone, without training, model, network or chance: the same run gives the same answer. Each
    step has log-odds: a prior by what it does in the conversation and how early it comes, and on top of it the weight
    of every sign of error in it. The confidence of a blame is the share of its step in the odds of all steps and of
    "nobody", so it is low where little speaks. It is a measure for ranking, no calibrated probability.

    Up to three agents are named, each once, at its worst step. The mode is that of the weightiest sign which speaks
    for one, None if none does.
    """

    name = "signals"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        reading = Reading.of(trajectory)
        if not reading.suspects and not reading.failure:
            reason = (
                "the run has no steps" if not trajectory.steps else "no agent that could be blamed speaks in this run"
            )
            return Attribution(run_id=trajectory.run_id, abstained=reason, attributor=self.name)
        found = signs(reading)
        odds = {
            step: math.exp(prior + sum(map(_weight, found.get(step, ())))) for step, prior in _priors(reading).items()
        }
        total = math.exp(NOBODY) + sum(odds.values())
        worst: dict[str, int] = {}
        for step in sorted(odds, key=lambda index: (-odds[index], index)):
            worst.setdefault(trajectory.steps[step].agent, step)
        blames = [_blame(reading, step, odds[step] / total, found.get(step, [])) for step in worst.values()]
        named = [blame for blame in blames[:_WORST_OF_ALL] if blame.confidence >= _WORTH_NAMING * blames[0].confidence]
        return Attribution(run_id=trajectory.run_id, blames=tuple(named), attributor=self.name)


def _priors(reading: Reading) -> dict[int, float]:
    """Log-odds of each step that can be blamed, before its content is looked at."""
    priors: dict[int, float] = {}
    working: dict[tuple[str, str, int], None] = {}
    for entry in reading.suspects:
        if entry.part in ("work", "act"):
            working.setdefault(entry.turn)
        before = len(working) - (entry.turn in working)
        priors[entry.index] = PART_PRIOR[entry.part] + rank_prior(before)
    if reading.failure:
        before = len(working) - (reading.failure.turn in working)
        priors[reading.failure.index] = PART_PRIOR["failure"] + rank_prior(before)
    return priors


def _blame(reading: Reading, step: int, confidence: float, found: list[Sign]) -> Blame:
    entry = reading.entries[step]
    told = "; ".join(f"{sign.signal}: {sign.evidence}" for sign in found)
    prior = "nothing in the text speaks against it; errors mostly come in with the first work that is done"
    mode = next((sign.mode for sign in found if sign.mode), None)
    return Blame(agent=entry.agent, step=step, mode=mode, confidence=confidence, evidence=told or prior)
