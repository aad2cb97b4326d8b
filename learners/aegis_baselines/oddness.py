"""The first step that is unlike its neighbours in its words."""

from __future__ import annotations

import itertools
import re
from statistics import fmean, pstdev

from aegis_baselines.suspects import answer, suspects
from aegis_core.attribution import Attribution, Blame
from aegis_core.learner import Attributor
from aegis_core.trajectory import Trajectory

__all__ = ["FirstOddStep", "oddness"]

_WORD = re.compile(r"\w+")
_STRANGE_SIGN = re.compile(r"[^\w\x00-\x7f]")
"""Beyond ASCII, and in no word."""
_APART = bytes(code if code > 127 or _WORD.match(chr(code)) else ord(" ") for code in range(256))
"""Every byte as it is, but a space for the ASCII signs that are in no word."""


def oddness(texts: tuple[str, ...]) -> tuple[float, ...]:
    """How unlike its neighbours each text is, from 0 to 1.

    The likeness of two texts is the share of the smaller one's distinct words, without case, that the other has too:
    |A and B| / min(|A|, |B|), 0 if either has no word. The oddness of a text is 1 less the greater of its likenesses
    to the text before and the text after; without any neighbour it is 0.
    """
    words = [_words(text) for text in texts]
    pairs = [_likeness(one, other) for one, other in itertools.pairwise(words)]
    if not pairs:
        return (0.0,) * len(texts)
    around = zip([0.0, *pairs], [*pairs, 0.0], strict=True)
    return tuple(1 - max(before, after) for before, after in around)


def _words(text: str) -> frozenset[bytes]:
    """The distinct words without case, as UTF-8: bytes are split several times as fast as a pattern finds words."""
    folded = text.casefold()
    for sign in set(_STRANGE_SIGN.findall(folded)) if not folded.isascii() else ():
        folded = folded.replace(sign, " ")
    return frozenset(folded.encode().translate(_APART).split())


def _likeness(one: frozenset[bytes], other: frozenset[bytes]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


class FirstOddStep(Attributor):
    """Blames the first step that is odd for its run, with its speaker. Says no mode.

    Odd is a step of a suspect, with at least one word in it, whose `oddness` is above the mean of all such steps by
    more than one standard deviation; where none is, the oddest of them. All steps count as neighbours, whoever speaks.
    The confidence is the oddness itself, a measure and no probability.
    """

    name = "first-odd-step"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        speakers = {step: agent for agent, steps in suspects(trajectory).items() for step in steps}
        measured = oddness(tuple(step.text for step in trajectory.steps))
        able = {step: measured[step] for step in sorted(speakers) if _WORD.search(trajectory.steps[step].text)}
        if not able:
            return answer(trajectory, self.name, ())
        limit = fmean(able.values()) + pstdev(able.values())
        first = next((step for step, odd in able.items() if odd > limit), max(able, key=lambda step: able[step]))
        evidence = f"{1 - able[first]:.0%} of its words, or of those of the closer neighbour, are in both"
        blame = Blame(agent=speakers[first], step=first, confidence=able[first], evidence=evidence)
        return answer(trajectory, self.name, (blame,))
