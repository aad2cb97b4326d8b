"""Saying a conclusion in another form while it stays right: other unit, opposite order, range instead of figure."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from aegis_core.adapter import Part
from aegis_core.injector import InjectionContext, Refused
from aegis_rules.reading.conclusions import Conclusion, find_conclusions
from aegis_rules.reading.figures import Figure, find_figures
from aegis_rules.reading.passages import Reading, read
from aegis_rules.reading.sites import said_parts
from aegis_rules.reading.units import Unit, alternatives, find_unit, write_number, written_like
from aegis_rules.rule import Change

__all__ = [
    "Concluding",
    "Replacements",
    "concluding_parts",
    "ends_of",
    "in_other_unit",
    "in_reverse",
    "inexact",
    "permuted",
    "replaced",
    "restated",
]

Replacements = list[tuple[int, int, int, str]]
"""(passage, start, end, new text), none of which overlap."""
_HEDGE = re.compile(
    r"\b(?:exactly|precisely|just|about|approximately|roughly|around|nearly)\s+$|[≈~]\s*$", re.IGNORECASE
)
_WORDLESS = re.compile(r"\\boxed\{[^{}]*$|^\s*#+\s*$")


@dataclass(frozen=True)
class Concluding:
    """A part that says the conclusion of the message, with all places where it does."""

    part: Part
    reading: Reading
    places: tuple[Conclusion, ...]


def concluding_parts(context: InjectionContext) -> tuple[Concluding, ...] | Refused:
    """The parts of the output that say what it concludes; all places say the same. Thoughts are left alone."""
    parts = said_parts(context)
    if isinstance(parts, Refused):
        return parts
    spoken = [part for part in parts if part.kind != "thought"] or list(parts)
    found = []
    for part in spoken:
        places = find_conclusions(read(part.text))
        if places and not _names_agent(context, places[-1]):
            found.append(Concluding(part, read(part.text), places))
    if not found:
        return Refused("the text comes to no conclusion that could be told from the rest")
    rank = max(one.places[-1].rank for one in found)
    main = [one for one in found if one.places[-1].rank == rank][-1]
    return tuple(one for one in found if one.places[-1].same(main.places[-1]))


def _names_agent(context: InjectionContext, one: Conclusion) -> bool:
    """Whether what is chosen is who goes on: a hand-off, not a finding."""
    names = {_bare(name) for agent in context.agents for name in (agent.path, agent.name)}
    return one.kind == "choice" and _bare(one.text) in names


def _bare(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


Restate = Callable[[Reading, Conclusion, random.Random], "Replacements | Refused"]


def restated(context: InjectionContext, rng: random.Random, restate: Restate, what: str) -> Change | Refused:
    """Put every place of the conclusion into the form that `restate` gives it, with the same choices at each.

    Places that can't be given that form stay, as long as one can and no plainer one has to stay.
    """
    concluding = concluding_parts(context)
    if isinstance(concluding, Refused):
        return concluding
    seed = rng.getrandbits(48)
    texts: dict[str, str] = {}
    ranks, reasons, before = [-1], [(-1, "")], ""
    for one in concluding:
        replacements: dict[tuple[int, int, int], str] = {}
        for place in one.places:
            new = restate(one.reading, place, random.Random(seed))
            if isinstance(new, Refused):
                reasons.append((place.rank, new.reason))
                continue
            ranks.append(place.rank)
            replacements |= {(passage, start, end): text for passage, start, end, text in new}
            before = place.text
        if replacements:
            texts[one.part.id] = replaced(one.reading, [(*spot, text) for spot, text in replacements.items()])
    worst = max(reasons)
    if not texts or worst[0] > max(ranks):
        return Refused(worst[1])
    return Change(texts, {what: before})


def replaced(reading: Reading, replacements: Replacements) -> str:
    """The part's text with these stretches of its passages replaced."""
    texts: dict[int, str | None] = {}
    for passage, start, end, new in sorted(replacements, key=lambda entry: (-entry[0], -entry[1])):
        text = texts.get(passage)
        text = reading.passages[passage].text if text is None else text
        texts[passage] = text[:start] + new + text[end:]
    return reading.document.write(texts)


def permuted(one: Conclusion, members: Sequence[str]) -> Replacements:
    """Put these members, in this order, at the places of a listed conclusion."""
    places = one.places or (one.passage,) * len(one.items)
    spots = zip(places, one.items, members, one.members, strict=True)
    return [(place, *span, new) for place, span, new, old in spots if new != old]


def in_reverse(one: Conclusion, reading: Reading, orders: Sequence[str], rng: random.Random) -> Replacements | Refused:
    """The list from its other end; at times with the direction said beside it, if one is known from `orders`."""
    if re.search(r"(?<![-=])[<>]", one.text):
        return Refused("the list says by its signs which way it runs")
    changes = permuted(one, one.members[::-1])
    inline = not one.places and "\n" not in one.text and reading.passages[one.passage].kind == "prose"
    if orders and inline and " to " in orders[0] and rng.random() < 0.5:
        passage, start, end, new = changes[-1]
        changes[-1] = (passage, start, end, f"{new} (from {orders[0]})")
    return changes


def ends_of(one: Conclusion, rng: random.Random) -> Replacements | Refused:
    """Only the ends of the list, or only its beginning."""
    if one.places or "\n" in one.text or len(one.members) < 3:
        return Refused("the list has too few members in a line to be shortened")
    first, second, last = one.members[0], one.members[1], one.members[-1]
    forms = [f"{first} first and {last} last", f"{first} at one end, {last} at the other"]
    if len(one.members) >= 4:
        forms += [f"{first}, {second} and the others after them", f"{first} and {second} before the rest"]
    return [(one.passage, *one.span, rng.choice(forms))]


def in_other_unit(
    one: Conclusion,
    reading: Reading,
    is_asked: Callable[[str], bool],
    implied: Sequence[str],
    rng: random.Random,
) -> Replacements | Refused:
    """The figure converted, exactly, to another unit of its dimension; a count of things to dozens.

    Args:
        is_asked: whether the unit (or thing counted) is named in what was asked; otherwise no requirement is broken.
        implied: units asked for, of which the first counts where the figure stands without one.
    """
    passage = reading.passages[one.passage]
    figure = one.figure
    if figure is None or passage.kind == "number":
        return Refused("the conclusion is a bare number in a structure, which has no unit")
    unit = figure.unit or (find_unit(implied[0]) if implied and not figure.noun else None)
    written = figure.written or figure.sign or (unit.plural if unit else "")
    end, value = figure.end, figure.value
    if unit is None:
        noun = figure.noun or (implied[0] if implied else "")
        dozens = write_number(value / 12, grouped=figure.grouped)
        if not noun or not is_asked(noun):
            return Refused("no unit is asked for that the figure has")
        if value < 12 or dozens is None or len(dozens.partition(".")[2]) > 2:
            return Refused("the count can't be given exactly in dozens")
        return [(one.passage, figure.start, end, f"{dozens} dozen")]
    if not is_asked(written) and not is_asked(unit.plural):
        return Refused("the unit of the figure is not one that was asked for")
    end, value = _compound(passage.text, figure, unit)
    texts = list(_converted(figure, unit, written, value, find_figures(passage.text)))
    if not texts:
        return Refused("the figure can't be converted exactly to another unit")
    return [(one.passage, figure.start, end, rng.choice(texts))]


def _compound(text: str, figure: Figure, unit: Unit) -> tuple[int, Fraction]:
    """End and value of `3 hours and 20 minutes`, in the first unit; those of the figure itself if nothing follows."""
    following = text[figure.end : figure.end + 60]
    joint = re.match(r"\s*,?\s*(?:and\s+)?", following)
    start = joint.end() if joint else 0
    for other in find_figures(following, start)[:1]:
        smaller = other.unit and other.unit.dimension == unit.dimension and other.unit.size < unit.size
        if other.start == start and smaller and other.unit:
            return figure.end + other.end, figure.value + other.value * other.unit.size / unit.size
    return figure.end, figure.value


def _converted(figure: Figure, unit: Unit, written: str, value: Fraction, others: Sequence[Figure]) -> Iterator[str]:
    grouped = figure.grouped or (figure.value < 1000 and any(other.grouped for other in others))
    if unit.dimension == "share":
        share = write_number(value * unit.size)
        if share:
            yield share
    for other in alternatives(unit):
        amount = value * unit.size / other.size
        digits = write_number(amount, grouped=grouped)
        if digits is None or not Fraction(1, 1000) <= abs(amount) < 10**9 or len(digits.partition(".")[2]) > 3:
            continue
        name = written_like(other, written, amount)
        yield f"{digits}{figure.space if figure.written else ' '}{name}"


def inexact(one: Conclusion, reading: Reading, rng: random.Random) -> Replacements | Refused:
    """A range around the figure, or a rounded one; a bare number of JSON stays a number."""
    passage = reading.passages[one.passage]
    figure = one.figure
    if figure is None or figure.value <= 0 or figure.year_like:
        return Refused("the figure is not a quantity that can be rounded")
    if one.operated:
        return Refused("the figure is the result of a calculation, where a range can't stand")
    step = _step(figure.value)
    low = figure.value // step * step
    low, high = (low - step, low + step) if low == figure.value else (low, low + step)
    near = low if figure.value - low < high - figure.value else high
    centred = figure.value - low == high - figure.value
    start, end = figure.start, figure.end
    if passage.kind == "number":
        return [(one.passage, start, end, write_number(near) or "")] if near else Refused("too small to be rounded")
    written = [write_number(bound, grouped=figure.grouped) for bound in (low, high, near)]
    if None in written:
        return Refused("the figure is too small to be rounded")
    after = figure.space + figure.written if figure.written else ""
    low_text, high_text, near_text = (f"{figure.sign}{digits}" for digits in written)
    if _WORDLESS.search(passage.text[max(0, start - 80) : start].rpartition("\n")[2]):
        return [(one.passage, start, end, f"{low_text}-{high_text}{after}")]
    if hedge := _HEDGE.search(passage.text, max(0, start - 40), start):
        start = hedge.start()
    forms = [f"between {low_text} and {high_text}{after}", f"somewhere from {low_text} to {high_text}{after}"]
    if near and not centred:
        forms += [f"{word} {near_text}{after}" for word in ("roughly", "around", "about")]
    return [(one.passage, start, end, rng.choice(forms))]


def _step(value: Fraction) -> Fraction:
    """A step about as coarse as the first digit of the value, so that a figure is plainly rounded."""
    step = Fraction(1)
    while step * 10 <= value:
        step *= 10
    while step > value:
        step /= 10
    return step if value > 2 * step else step / 2
