"""Signs in what is claimed: made up, from nowhere, or against what was said before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from aegis_default.conclusions import normal
from aegis_default.quantities import Quantity, as_number
from aegis_default.reading import Entry, Reading
from aegis_default.signs import Sign
from aegis_default.wording import INVENTED, quote

__all__ = ["contradictions", "inventions", "unsourced_claims"]

_ENOUGH = 3
"""Claims without source that others rely on at which the sign is at its full strength."""
_SMALL = 12
_NAME = re.compile(r"\b[A-Z][\w’'-]+(?: (?:of |the |and |de |von )?[A-Z][\w’'-]+)+")
_FACT = re.compile(
    r"^[\s>*•-]*(?:\d+[.)]\s+)?(?P<label>[A-Za-z][\w '’()-]{1,50}?)\**\s*(?:[:=|]|\bis\b|\bhas\b|\bhave\b)\s*\**"
    r"[€$£]?(?P<number>-?\d[\d,]*(?:\.\d+)?)(?P<unit>[ \t]?[A-Za-z%]*)\**\s*[.;]?\s*$",
    re.MULTILINE,
)
_FIGURE = re.compile(r"\d[ \t]?[A-Za-z%]*\**\s*[.;]?\s*$", re.MULTILINE)
"""What such a line ends with; soon found, and in most texts not there."""
_OWN_RESULT = re.compile(r"\b(?:step|result|answer|total|sum|note|solution|output)\b")
"""Labels of what changes from one attempt to the next, and of no fact."""
_DECAY = 0.6


def inventions(reading: Reading) -> Iterator[Sign]:
    """`invention`: it assumes something or makes it up instead of finding it. Speaks for FM-2.2."""
    strength = 1.0
    for entry in reading.suspects:
        told = INVENTED.search(entry.text) if entry.part not in ("briefing", "closing") else None
        if told and not INVENTED.search(reading.run.task):
            evidence = f"it assumes or makes up: {quote(entry.text, told.start(), told.end())}"
            yield Sign(signal="invention", step=entry.index, evidence=evidence, strength=strength, mode="FM-2.2")
            strength *= _DECAY


def unsourced_claims(reading: Reading) -> Iterator[Sign]:
    """`unsourced`: it states figures and names that nobody had mentioned, cites nothing, and others rely on them."""
    for entry in reading.suspects:
        if entry.part != "work" or entry.has_code or "://" in entry.text:
            continue
        figures = [
            one.text
            for one in entry.quantities
            if not _is_small(one)
            and one.value not in reading.known_to(entry)
            and one.value not in entry.derived
            and reading.is_relied_on(entry, one.value)
        ]
        claims = list(dict.fromkeys([*figures, *_new_names(reading, entry)]))
        if claims:
            listed = ", ".join(f'"{claim}"' for claim in claims[:3])
            evidence = f"it states {listed} without a source, and later steps rely on it"
            strength = min(1.0, len(claims) / _ENOUGH)
            yield Sign(signal="unsourced", step=entry.index, evidence=evidence, strength=strength)


def _is_small(quantity: Quantity) -> bool:
    """Counts and the like, which occur everywhere by chance."""
    return quantity.value.denominator == 1 and quantity.value <= _SMALL


def _new_names(reading: Reading, entry: Entry) -> list[str]:
    """Names of two words or more that stand in nothing before and in something after by somebody else."""
    names = {name: f" {normal(name)} " for name in _NAME.findall(entry.prose)}
    if not names:
        return []
    before = reading.task_words + "".join(one.words for one in reading.entries[: entry.index])
    others = (one.words for one in reading.entries[entry.index + 1 :] if one.agent != entry.agent)
    after = "".join(others) + f" {normal(reading.run.final_output or '')} "
    return [name for name, words in names.items() if words not in before and words in after]


def contradictions(reading: Reading) -> Iterator[Sign]:
    """`contradiction`: it gives another figure for something than a tool, the task or somebody else gave before."""
    told: dict[tuple[str, str], tuple[Fraction, str]] = {}
    for key, value, text in _facts(reading.run.task):
        told.setdefault(key, (value, f'the task: "{text}"'))
    for entry in reading.entries:
        for key, value, text in _facts(entry.prose):
            if key not in told:
                told[key] = (value, f'step {entry.index}: "{text}"')
            elif told[key][0] != value and entry.suspect:
                evidence = f'"{text}" contradicts {told[key][1]}'
                yield Sign(signal="contradiction", step=entry.index, evidence=evidence)
                break


def _facts(text: str) -> Iterator[tuple[tuple[str, str], Fraction, str]]:
    """Lines of the form `label: number unit`, by label and unit. Lines that give a step's own result don't count."""
    if not _FIGURE.search(text):
        return
    for found in _FACT.finditer(text):
        label = normal(found["label"])
        if label and not _OWN_RESULT.search(label):
            number = found["number"]
            value = as_number(number.lstrip("-")) * (-1 if number.startswith("-") else 1)
            yield (label, found["unit"].strip().casefold().rstrip("s")), value, found[0].strip()
