"""The two controls of a faulty run: the same intervention without a change, and with a harmless one.

The null control sends every editable text of the site through the whole edit path and puts it back unchanged: what
fails then, fails because of the machinery. The sham control makes an edit of like size at the same site that no
reader should mind: what fails then, fails at any touch, and no error mode is to blame (a fragile site).
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Sequence

from aegis_core.adapter import Part
from aegis_core.campaign.harmless import REALISATIONS, SHAMS, Unfit, Wanted
from aegis_core.faults import Intervention, PartChange, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused

__all__ = ["NullInjector", "ShamInjector"]


class NullInjector(Injector):
    """Puts back every editable text as it was."""

    name = "null"

    def realisations(self) -> tuple[Realisation, ...]:
        """None: it causes nothing."""
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:  # noqa: ARG002
        """All editable texts of the site, unchanged."""
        texts = {part.id: part.text for part in context.parts if part.editable}
        return Edits(texts=texts, realisation="null") if texts else Refused("no part of this site can be edited")


class ShamInjector(Injector):
    """Makes a harmless edit where the fault was made, of about as many words.

    Outputs get a neutral sentence, if they are short a few words of courtesy, other words of the same meaning, or
    another order of sentences that do not build on each other; inputs get a remark that asks for nothing. Which of
    these is drawn by the seed; if it does not fit the text, the next one is tried. Numbers, names, units and
    requirements stay as they are.

    Args:
        faults: the ledger of the fault arm whose edits are to be matched.
    """

    name = "sham"

    def __init__(self, faults: Sequence[Intervention]) -> None:
        self._faults = {fault.target.moment: fault for fault in faults if fault.fired}

    def realisations(self) -> tuple[Realisation, ...]:
        """None: it causes no error mode."""
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:
        """A harmless edit of the parts that the fault altered, or why there is none."""
        fault = self._faults.get(target.moment)
        if fault is None:
            return Refused(f"the fault arm altered nothing at {target.moment}")
        rng = random.Random(f"sham/{context.seed}/{attempt}")
        kinds = list(SHAMS[target.strategy])
        rng.shuffle(kinds)
        reasons: list[str] = []
        for kind in kinds:
            try:
                texts = self._edited(kind, context.parts, fault.changes, rng)
            except Unfit as unfit:
                reasons.append(f"{kind}: {unfit}")
                continue
            size = {"fault_words": sum(map(_size, fault.changes)), "sham_words": _total(context.parts, texts)}
            return Edits(texts=texts, realisation=f"sham:{kind}", notes=dict(size))
        return Refused(f"no harmless edit fits ({'; '.join(reasons) or 'none for this strategy'})")

    def _edited(
        self, kind: str, parts: tuple[Part, ...], changes: tuple[PartChange, ...], rng: random.Random
    ) -> dict[str, str]:
        texts: dict[str, str] = {}
        unfit = "the fault redirected a hand-off and altered no text" if not changes else ""
        for part, change in _sites(parts, changes):
            try:
                at_start = change.after.endswith(change.before)
                texts[part.id] = REALISATIONS[kind](part.text, Wanted(max(1, _size(change)), at_start, rng))
            except Unfit as reason:
                unfit = str(reason)
        if not texts:
            raise Unfit(unfit or "none of its parts can be edited here")
        return texts


def _sites(parts: tuple[Part, ...], changes: tuple[PartChange, ...]) -> list[tuple[Part, PartChange]]:
    """The parts of this run that correspond to those which the fault altered.

    Part ids can be drawn at random by the framework, so a part is first known by its text; if the text is another
    one here (a second target, after another first), by its id, and else it is the longest that is left.
    """
    free = [part for part in parts if part.editable]
    found: list[tuple[Part, PartChange]] = []
    for change in changes:
        ranked = sorted(free, key=lambda part: (part.text != change.before, part.id != change.part, -len(part.text)))
        if ranked:
            found.append((ranked[0], change))
            free.remove(ranked[0])
    return found


def _size(change: PartChange) -> int:
    """Words that went out of a text and came into it."""
    matcher = difflib.SequenceMatcher(None, change.before.split(), change.after.split(), autojunk=False)
    return sum((i2 - i1) + (j2 - j1) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal")


def _total(parts: tuple[Part, ...], texts: dict[str, str]) -> int:
    return sum(
        _size(PartChange(part=part.id, before=part.text, after=texts[part.id])) for part in parts if part.id in texts
    )
