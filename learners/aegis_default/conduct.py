"""Signs in how the agents go about it: where the answer comes from, repeats, objections, what is waved through."""

from __future__ import annotations

from collections.abc import Iterator

from aegis_default.conclusions import normal
from aegis_default.reading import Entry, Reading
from aegis_default.signs import Sign
from aegis_default.wording import ACCEPTING, CLOSING, FAILED, FRUITLESS, quote

__all__ = ["answer_origins", "disputed_claims", "early_ends", "repeats", "turnabouts", "waved_through"]

_ALIKE = 0.9
"""Jaccard index of the distinct words of two steps from which one repeats the other."""
_FEW = 6
_DECAY = 0.6
_SETTLED = 0.3
"""Strength of an objection to something that is not what the run ends with."""
_LARGE = 100
"""A whole number from which it is unlikely that it occurs by chance."""


def answer_origins(reading: Reading) -> Iterator[Sign]:
    """`answer-origin`: the answer that the run ends with is first stated here, by somebody who then is its author."""
    answer = reading.answer
    if not answer or reading.is_open:
        return
    for entry in reading.suspects:
        if entry.part != "act" and _states(reading, entry):
            evidence = f'the final answer "{answer.text}" is stated here for the first time'
            yield Sign(signal="answer-origin", step=entry.index, evidence=evidence)
            return


def turnabouts(reading: Reading) -> Iterator[Sign]:
    """`turnabout`: after somebody else's conclusion it has another figure, without working or objecting. FM-2.5."""
    before: list[Entry] = []
    for entry in reading.suspects:
        own = [one for one in entry.conclusions if one.is_short]
        others = [one for one in before if one.agent != entry.agent]
        if own and others and entry.part == "work" and not (entry.calculations or entry.objection):
            last = own[-1]
            last_of_others = others[-1].conclusions[-1]
            is_figure = bool(last.quantity and last_of_others.quantity)
            known = last.quantity and last.quantity.value in reading.known_to(entry)
            if is_figure and not known and last.quantity != last_of_others.quantity:
                after = f'after "{last_of_others.text}" at step {others[-1].index}'
                evidence = f'it concludes "{last.text}" without working, {after}'
                yield Sign(signal="turnabout", step=entry.index, evidence=evidence, mode="FM-2.5")
        if own and entry.part == "work":
            before.append(entry)


def _states(reading: Reading, entry: Entry) -> bool:
    """Whether a step states the run's answer: as its conclusion or result, or, where that is telling, anywhere."""
    answer = reading.answer
    if not answer:
        return False
    if answer.quantity:
        value = answer.quantity.value
        concluded = {one.quantity.value for one in entry.conclusions if one.quantity}
        telling = value.denominator > 1 or value >= _LARGE
        stated = {one.stated for one in entry.calculations}
        return value in concluded | stated or (telling and value in entry.numbers - reading.task_numbers)
    phrase = f" {answer.words} "
    concluded_words = "".join(f" {one.words} " for one in entry.conclusions)
    return phrase in concluded_words or (phrase in entry.words and phrase not in reading.task_words)


def repeats(reading: Reading) -> Iterator[Sign]:
    """`repeat`: it says again what it said before, nearly word for word. Speaks for FM-1.3."""
    said: dict[str, list[Entry]] = {}
    strength = 1.0
    for entry in reading.suspects:
        earlier = said.setdefault(entry.agent, [])
        like = next((one for one in reversed(earlier) if _alike(one, entry)), None)
        if like is not None and len(entry.vocabulary) >= _FEW:
            evidence = f"it repeats step {like.index} nearly word for word: {quote(entry.text, 0, 60, around=0)}"
            yield Sign(signal="repeat", step=entry.index, evidence=evidence, strength=strength, mode="FM-1.3")
            strength *= _DECAY
        earlier.append(entry)


def _alike(one: Entry, other: Entry) -> bool:
    smaller, larger = sorted((len(one.vocabulary), len(other.vocabulary)))
    if smaller < _ALIKE * larger:
        return False
    shared = len(one.vocabulary & other.vocabulary)
    return shared >= _ALIKE * (smaller + larger - shared)


def disputed_claims(reading: Reading) -> Iterator[Sign]:
    """`disputed`: somebody else says later that a figure or an answer of this step is wrong."""
    for entry in reading.suspects:
        told = entry.objection if entry.part == "work" else None
        if not told:
            continue
        nearby = entry.prose[max(0, told.start() - 120) : told.end() + 120]
        words = f" {normal(nearby)} "
        for earlier in reversed(reading.suspects[: reading.suspects.index(entry)]):
            if earlier.agent == entry.agent or earlier.part != "work":
                continue
            claimed = [one for one in earlier.conclusions if one.is_short and f" {one.words} " in words]
            if claimed:
                evidence = f"step {entry.index} objects to its {claimed[-1].text!r}: {quote(nearby, 0, len(nearby), 0)}"
                stands = reading.answer is None or f" {claimed[-1].words} " in f" {reading.answer.words} "
                strength = 1.0 if stands else _SETTLED
                yield Sign(signal="disputed", step=earlier.index, evidence=evidence, strength=strength)
                break


def early_ends(reading: Reading) -> Iterator[Sign]:
    """`early-end`: it ends the work although the last try had failed or brought nothing. Speaks for FM-3.1."""
    for entry in reading.suspects:
        told = CLOSING.search(entry.text) if entry.part in ("work", "closing") else None
        if not told:
            continue
        before = [one for one in reading.entries[: entry.index] if one.part in ("work", "result")]
        failed = before and (FAILED.search(before[-1].text) or FRUITLESS.search(before[-1].prose))
        admitted = FRUITLESS.search(entry.prose)
        if failed or admitted:
            source = entry if admitted else before[-1]
            match = admitted or failed
            reason = quote(source.text, match.start(), match.end()) if match else ""
            evidence = f"it ends the work although step {source.index} says: {reason}"
            yield Sign(signal="early-end", step=entry.index, evidence=evidence, mode="FM-3.1")
        return


def waved_through(reading: Reading) -> Iterator[Sign]:
    """`waved-through`: it approves of something without a check of its own. Speaks for FM-3.2."""
    for entry in reading.suspects:
        if entry.part != "work" or entry.has_code or len(entry.vocabulary) > 60:
            continue
        told = ACCEPTING.search(entry.prose)
        if told and not entry.calculations:
            evidence = f"it approves without a check of its own: {quote(entry.prose, told.start(), told.end())}"
            yield Sign(signal="waved-through", step=entry.index, evidence=evidence, mode="FM-3.2")
            return
