"""Word problems: amounts, rates and percentages are read from sentences and chained by their units.

Nothing here knows a scenario. A rate ("8 bottles per crate") leads from one unit to another; from the amounts that
are given, rates are followed until the unit that is asked for is reached.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from aegis_core.world.model.chance import misread
from aegis_core.world.model.families.rates import Asked, Quantity, solve
from aegis_core.world.model.forms import read_form
from aegis_core.world.model.language import (
    MEASURED,
    NUMBER,
    STOP_WORDS,
    Unit,
    plural,
    sentences,
    show,
    to_number,
    unit_named,
)
from aegis_core.world.model.lexicon import FIRST_NAMES
from aegis_core.world.model.understanding import Form, Mistake, Value, Working

__all__ = ["Amounts", "last_value"]

_REACH = 250
"""Characters around a figure that can say what it is; a sentence that goes on for ever is not read again for each."""
_NUM = re.compile(rf"(?P<cur>[€$£]\s?)?(?P<n>{NUMBER})")
_RATE_WORD = r"(?:/|per\b|an?\b|every\b|(?:in |for |to )?each\b|(?:in|for|to) every\b|to an?\b|apiece\b)"
_BEHIND = re.compile(
    r"\s?(?P<unit>%|per ?cent\b|[€$£]|[A-Za-z]+)?"
    r"(?:\s+of\s+(?!the\b|them\b|these\b|each\b|all\b|\d)[a-z]+)?"
    rf"(?:\s*(?P<rate>{_RATE_WORD})\s*(?P<den>[A-Za-z]+)?)?"
)
_OF_THE = re.compile(r"\s+(?:of|from) (?:the|these|those|all)(?: the)? (?P<unit>[a-z]+)")
_EACH = re.compile(
    r"\b(?:each|every|any|a single|one(?=\s[a-z]+\s(?:holds|costs|sells|contains|weighs|makes|covers)))\s+"
    r"(?:one |single )?(?:of (?:the|these) )?(?P<den>[a-z]+)\b(?:[\s,]+[a-z'()-]+){0,7}[\s,]*$",
    re.I,
)
_EACH_OF_N = re.compile(r"\b(?:each|every one) of (?:the|these) $", re.I)
_LABEL = re.compile(
    r"(?:number of )?(?P<unit>[A-Za-z]+)(?: per (?P<den>[a-z]+))?(?P<loss> \(?(?:lost|to subtract|to take off)\)?)?"
    r"\s*(?:=|:|is|are|was|were|comes to)\s*$",
    re.I,
)
_TAG = re.compile(
    r"\b(?P<ordinal>(?i:first|second|third|fourth)) (?P<thing>leg|stage|part|section|half|stretch|segment)\b"
    r"|\b(?P<kind>[A-Za-z]{3,}) (?P<letter>[A-Z])\b(?!\w)"
    rf"|\b(?P<name>{'|'.join(sorted(FIRST_NAMES))})\b"
)
_LOSS = re.compile(
    r"\b(?:br[oe]ak|broke|damag|los[est]|loss|spoil|spill|leak|remov|discard|thrown?|subtract|deduct|minus\b|already"
    r"|set aside|stole|wast|reject|defect|faulty|spen[dt]|take off|taken off|to take|less\b|useless|unusable|missing"
    r"|returned|given away|gone\b|expens)",
    re.I,
)
_GAIN = re.compile(r"\b(?:fee|tax|tip|surcharge|extra|added|adds|increase|raise|on top|more)\b", re.I)
_CLAUSE = re.compile(r"[,:;]|\band\b|\bbut\b|\bwhile\b")
_ASKS = re.compile(r"\?|^(?:find|work out|calculate|compute|determine|how )", re.I)
_REQUEST = re.compile(
    r"^(?:please )?(?:give|state|express|answer|report|write|use|the answer|the result|round|convert)", re.I
)


class Amounts:
    """The family of word problems with units."""

    def question(self, text: str) -> Asked | None:
        """What amount is asked for, or None."""
        return _question(text)

    def facts(self, text: str, question: Asked) -> tuple[Quantity, ...]:
        """The quantities that a text states; what it asks for and how is left out."""
        del question
        return _facts(text)

    def relevant(self, facts: tuple[Quantity, ...], question: Asked) -> tuple[Quantity, ...]:
        """Those whose unit can be chained to what is asked for."""
        linked = {question.dimension}
        for _ in facts:
            for fact in facts:
                if fact.per and {fact.unit.dimension, fact.per.dimension} & linked:
                    linked |= {fact.unit.dimension, fact.per.dimension}
        return tuple(fact for fact in facts if fact.percent or fact.unit.dimension in linked)

    def topic(self, fact: Quantity) -> str:
        """What is measured: "bottles per crate", "crates", "discount"."""
        return _topic(fact)

    def outline(self, question: Asked, voice: int) -> str:
        """Nothing: the question says all that has to be known."""
        del question, voice
        return ""

    def tell(self, fact: Quantity, voice: int) -> str:
        """The quantity in words that are read back to it."""
        return _tell(fact, voice % 4)

    def misread(self, fact: Quantity, key: str) -> Quantity:
        """The quantity with a digit off."""
        return replace(fact, number=misread(fact.number, key))

    def work(self, question: Asked, facts: tuple[Quantity, ...], form: Form, mistake: Mistake, key: str) -> Working:
        """Chain the quantities to what is asked for."""
        del key
        return solve(question, facts, form.unit, mistake)

    def value(self, text: str, question: Asked) -> Value | None:
        """The last number of a sentence, with the word behind it as its unit."""
        del question
        return last_value(text)


def last_value(text: str) -> Value | None:
    """The last number of a text, with the word behind it as its unit unless it can't be one."""
    matches = list(_NUM.finditer(text))
    if not matches:
        return None
    match = matches[-1]
    behind = _BEHIND.match(text, match.end())
    word = (behind["unit"] if behind else None) or (match["cur"] or "").strip()
    unit = "" if not word or word.lower() in STOP_WORDS else unit_named(word).name
    end = behind.end("unit") if behind and unit and behind["unit"] else match.end()
    return Value(to_number(match["n"]), unit, raw=text[match.start() : end])


@lru_cache(maxsize=1024)
def _question(text: str) -> Asked | None:
    asking = [s for s in sentences(text) if _ASKS.search(s)]
    if not asking:
        return None
    units = [unit for fact in _facts(text) for unit in (fact.unit, fact.per) if unit]
    for sentence in reversed(asking):
        low = sentence.lower()
        many = re.search(r"how many (\w+)(?: (\w+))?", low) or re.search(r"number of (\w+)(?: (\w+))?", low)
        if many:
            words = [word for word in many.groups() if word and word not in STOP_WORDS]
            known = [word for word in words if unit_named(word) in units or unit_named(word).dimension in MEASURED]
            chosen = unit_named((known or words or ["?"])[0])
            return Asked(chosen.dimension, chosen)
        dimension = _dimension(low, units)
        if dimension:
            default = next((unit for unit in units if unit.dimension == dimension), None)
            return Asked(dimension, default or unit_named({"time": "hour", "money": "euro"}.get(dimension, dimension)))
    wanted = read_form(text).unit
    return Asked(wanted.dimension, wanted) if wanted else None


def _dimension(low: str, units: list[Unit]) -> str | None:
    if re.search(r"how long|what time|how soon|when\b|duration", low):
        return "time"
    if re.search(r"how far|distance", low):
        return "length"
    if re.search(r"money|\bpays?\b|earn|bring|cost|price|spend|left for|make in|worth|charge|bill", low):
        return next((unit.dimension for unit in units if unit.dimension in ("money", "dollar", "pound")), "money")
    return next((unit.dimension for unit in units if unit.dimension in ("mass", "volume")), None)


@lru_cache(maxsize=1024)
def _facts(text: str) -> tuple[Quantity, ...]:
    found: dict[Quantity, None] = {}
    nouns: list[str] = []
    for sentence in sentences(text):
        if not (_REQUEST.match(sentence) and "?" not in sentence):
            found.update(dict.fromkeys(_sentence_facts(sentence, nouns)))
    return tuple(found)


def _sentence_facts(sentence: str, nouns: list[str]) -> list[Quantity]:
    found: list[Quantity] = []
    tags = list(_TAG.finditer(sentence))
    previous_end, previous_unit = 0, ""
    for match in _NUM.finditer(sentence):
        before = sentence[previous_end : match.start()]
        fact = _quantity(sentence, match, before, previous_unit, nouns)
        previous_end = match.end()
        if fact is None:
            continue
        previous_unit = fact.unit.name
        if not fact.per and not fact.percent and fact.unit.dimension not in MEASURED:
            nouns.append(fact.unit.name)
        found.append(replace(fact, tag=_tag(tags, match.start())))
    return found


def _quantity(sentence: str, match: re.Match[str], before: str, previous: str, nouns: list[str]) -> Quantity | None:
    number = to_number(match["n"])
    behind = _BEHIND.match(sentence, match.end())
    of_the = _OF_THE.match(sentence, match.end())
    assert behind is not None  # every group of the pattern is optional
    word = (behind["unit"] or "").lower()
    if word in STOP_WORDS:
        word = ""
    if of_the and not word:
        word = of_the["unit"]
    word = word or (match["cur"] or "").strip()
    loss = bool(_LOSS.search(_clause(sentence, match.start(), match.end())))
    if word in ("%", "percent", "per cent"):
        return _percentage(sentence[max(0, match.start() - _REACH) : match.end() + _REACH], number, loss)
    if not word:
        return _labelled(before, number)
    unit = unit_named(word)
    so_far = sentence[max(0, match.start() - len(before) - _REACH) : match.start()]
    per = _per(behind, before, so_far, previous, nouns)
    if per:
        return Quantity(number, unit, per)
    return Quantity(number, unit, sign=-1 if loss else 1)


def _per(behind: re.Match[str], before: str, so_far: str, previous: str, nouns: list[str]) -> Unit | None:
    """The unit that a rate refers to, or None for an amount."""
    den = behind["den"]
    if behind["rate"]:
        if den and den.lower() not in STOP_WORDS and "apiece" not in behind["rate"]:
            return unit_named(den)
        if "each" in behind["rate"] or "apiece" in behind["rate"]:
            return unit_named(nouns[-1]) if nouns else None
    each = _EACH.search(before)
    if each and each["den"].lower() not in STOP_WORDS:
        return unit_named(each["den"])
    if previous and _EACH_OF_N.search(so_far[: len(so_far) - len(before)].rstrip("0123456789.,")):
        return unit_named(previous)
    return None


def _percentage(sentence: str, number: Fraction, loss: bool) -> Quantity | None:
    of = re.search(r"\boff? (?:the|all|these)(?: the)? (?!whole|total|sum|bill)([a-z]+)", sentence, re.I)
    unit = unit_named(of[1]) if of else unit_named("%")
    off = loss or re.search(r"discount|\boff\b|reduc|rebate|lower|cut\b", sentence, re.I)
    if off:
        return Quantity(number, unit, percent="off")
    return Quantity(number, unit, percent="on") if _GAIN.search(sentence) else None


def _labelled(before: str, number: Fraction) -> Quantity | None:
    label = _LABEL.search(before)
    if not label or label["unit"].lower() in STOP_WORDS:
        return None
    per = unit_named(label["den"]) if label["den"] else None
    return Quantity(number, unit_named(label["unit"]), per, sign=-1 if label["loss"] else 1)


def _clause(sentence: str, start: int, end: int) -> str:
    first, last = max(0, start - _REACH), min(len(sentence), end + _REACH)
    cuts = [cut.span() for cut in _CLAUSE.finditer(sentence, first, last)]
    left = max((b for a, b in cuts if b <= start), default=first)
    right = min((a for a, b in cuts if a >= end), default=last)
    return sentence[left:right]


def _tag(tags: list[re.Match[str]], at: int) -> str:
    if not tags:
        return ""
    before = [tag for tag in tags if tag.start() < at]
    tag = before[-1] if before else tags[0]
    if tag["ordinal"]:
        return f"{tag['ordinal'].lower()} {tag['thing'].lower()}"
    return tag["name"] or f"{tag['kind'].lower()} {tag['letter']}"


def _topic(fact: Quantity) -> str:
    if fact.percent:
        share = "discount" if fact.percent == "off" else "surcharge"
        return share if fact.unit.dimension == "percent" else f"share of {plural(fact.unit.name)}"
    words = plural(fact.unit.name)
    if fact.per:
        words += f" per {fact.per.name}"
    if fact.sign < 0:
        words = f"lost or used {words}"
    return f"{words} of {fact.tag}" if fact.tag else words


def _tell(fact: Quantity, voice: int) -> str:
    head = f"{fact.tag}: " if fact.tag else ""
    number, noun = show(fact.number), fact.unit.name if fact.number == 1 else plural(fact.unit.name)
    if fact.percent:
        whole = "the total" if fact.unit.dimension == "percent" else f"the {plural(fact.unit.name)}"
        low = ("{} percent off {}", "{} % of {} are lost", "{} percent of {} to take off", "a reduction by {} % of {}")
        high = ("{} percent extra on {}", "{} % of {} on top", "{} percent of {} added", "an increase by {} % of {}")
        return head + (low if fact.percent == "off" else high)[voice].format(number, whole)
    if fact.per:
        forms = ("{n} {u} per {d}", "{n} {u} for each {d}", "each {d} stands for {n} {u}", "{us} per {d} = {n}")
        return head + forms[voice].format(n=number, u=noun, us=plural(fact.unit.name), d=fact.per.name)
    if fact.sign < 0:
        forms = ("minus {n} {u}", "{n} {u} to take off", "{n} {u} are to be subtracted", "{us} (to subtract) = {n}")
    else:
        forms = ("{n} {u}", "there are {n} {u}", "{n} {u} in the text", "number of {us} = {n}")
    return head + forms[voice].format(n=number, u=noun, us=plural(fact.unit.name))
