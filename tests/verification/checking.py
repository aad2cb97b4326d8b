"""Whether an answer is right, decided from what is documented of the four checkers and by no code of theirs.

An answer is read in small steps: a line that announces it ("Answer: ..."), then the words, the number, the list or
the letter in it. What a user's own checker says (`module:function`) is asked of that.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections.abc import Iterable
from fractions import Fraction

from aegis_core.faults import Outcome
from tests.verification.material import Task

__all__ = ["check"]

_RIGHT = Outcome(right=True)
_WRONG = Outcome(right=False, failure="wrong")
_NONE = Outcome(right=False, failure="no_answer")

_ANNOUNCED = re.compile(r"\b(answer|result|order|sequence|solution)\b", re.IGNORECASE)
_OPENS = re.compile(r"[:=]|\b(?:is|are)\b", re.IGNORECASE)
_REACH = 40
"""Characters between the announcing word and what follows it."""
_SPACES = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"
_ALIASES = (
    ("s", "sec", "secs", "second", "seconds"),
    ("min", "mins", "minute", "minutes"),
    ("h", "hr", "hrs", "hour", "hours"),
    ("day", "days"),
    ("week", "weeks"),
    ("m", "metre", "metres", "meter", "meters"),
    ("km", "kilometre", "kilometres", "kilometer", "kilometers"),
    ("cm", "centimetre", "centimetres", "centimeter", "centimeters"),
    ("g", "gram", "grams", "gramme", "grammes"),
    ("kg", "kilo", "kilos", "kilogram", "kilograms"),
    ("t", "tonne", "tonnes", "ton", "tons"),
    ("l", "litre", "litres", "liter", "liters"),
    ("ml", "millilitre", "millilitres", "milliliter", "milliliters"),
    ("€", "eur", "euro", "euros"),
    ("cent", "cents"),
    ("$", "usd", "dollar", "dollars"),
    ("£", "gbp", "pound", "pounds"),
    ("%", "percent"),
    ("dozen", "dozens"),
)
_UNIT = {alias: group[-1] for group in _ALIASES for alias in group}


def check(task: Task, final_output: str | None) -> Outcome:
    """How a run with this final output ended; blank is no answer, whatever the checker.

    Raises:
        ValueError: the task names no checker that there is, or its gold answer is not in the checker's form.
    """
    if not (final_output or "").strip():
        return _NONE
    output = final_output or ""
    if ":" in task.checker:
        return _asked(task, output)
    if task.checker not in _BUILT_IN:
        raise ValueError(f"task {task.task_id}: there is no checker {task.checker!r}")
    return _BUILT_IN[task.checker](task, output)


def _asked(task: Task, output: str) -> Outcome:
    module, _, name = task.checker.partition(":")
    verdict: object = getattr(importlib.import_module(module), name)(task, output)
    if isinstance(verdict, Outcome):
        return verdict
    return _RIGHT if verdict is True else _WRONG


def _said(right: bool) -> Outcome:
    return _RIGHT if right else _WRONG


def _announced(line: str) -> str | None:
    """What a line announces behind the last such word, or None if it announces nothing."""
    for word in reversed(list(_ANNOUNCED.finditer(line))):
        opening = _OPENS.search(line, word.end())
        if opening is not None and opening.start() - word.end() <= _REACH:
            return line[opening.end() :].strip()
    return None


def _plain(text: str) -> str:
    """Without case, outer punctuation and runs of white space."""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    return " ".join(words).strip(" .,;:!?\"'`*()[]")


# -- exact --------------------------------------------------------------------------------------------------------


def _exact(task: Task, output: str) -> Outcome:
    announced = [found for line in output.splitlines() if (found := _announced(line)) is not None]
    return _said(_plain(task.answer) in {_plain(output), *map(_plain, announced[-1:])})


# -- numeric ------------------------------------------------------------------------------------------------------


def _numeric(task: Task, output: str) -> Outcome:
    gold, found = _quantities(task.answer), _quantities(output)
    if not gold:
        raise ValueError(f"task {task.task_id}: the gold answer {task.answer!r} has no number")
    if not found:
        return _NONE
    (number, unit), (wanted, wanted_unit) = found[-1], gold[-1]
    known = _UNIT.get(unit)
    other = bool(wanted_unit) and known is not None and known != _UNIT.get(wanted_unit, wanted_unit)
    return _said(number == wanted and not other)


def _quantities(text: str) -> list[tuple[Fraction, str]]:
    """Each number of a text with the word or sign behind it, or the currency in front."""
    found = []
    at = 0
    while (start := re.compile(r"\d").search(text, at)) is not None:
        digits, at = _digits(text, start.start())
        if start.start() and (text[start.start() - 1].isalnum() or text[start.start() - 1] in "._"):
            continue
        value, at = _scaled(Fraction(digits), text, at)
        if text[at : at + 1] == "/":
            continue  # a fraction that lacks its lower half is no number
        currency = re.search(r"[€$£]\s?$", text[: start.start()])
        before = text[: currency.start() if currency else start.start()]
        # Behind a word or figure, a stroke joins and is no sign: "2024-96".
        negative = re.search(r"(?<![\w.])[-\N{MINUS SIGN}]$", before)
        unit = re.match(r"[\s-]?(%|[€$£]|[A-Za-z]+(?:/[A-Za-z]+)?)", text[at:])
        name = unit[1] if unit else currency.group().strip() if currency else ""
        found.append((-value if negative else value, name.casefold()))
    return found


def _digits(text: str, at: int) -> tuple[str, int]:
    """A whole number with separators of thousands and a fraction, and where it ends."""
    grouped = re.compile(rf"\d{{1,3}}(?:[,{_SPACES}]\d{{3}})+(?!\d)").match(text, at)
    whole = grouped or re.compile(r"\d+").match(text, at)
    assert whole is not None  # a digit stands at this place
    end = whole.end()
    point = re.compile(r"\.\d+").match(text, end)
    end = point.end() if point else end
    return re.sub(rf"[,{_SPACES}]", "", text[at:end]), end


def _scaled(value: Fraction, text: str, at: int) -> tuple[Fraction, int]:
    """With an exponent or a denominator behind it."""
    exponent = re.compile(r"[eE]([-+]?\d+)").match(text, at)
    if exponent:
        value, at = value * Fraction(10) ** int(exponent[1]), exponent.end()
    under = re.compile(r"\s?/\s?(\d+)").match(text, at)
    if under and int(under[1]):
        value, at = value / int(under[1]), under.end()
    return value, at


# -- sequence -----------------------------------------------------------------------------------------------------


def _sequence(task: Task, output: str) -> Outcome:
    gold = _listed(task.answer)
    if not any(gold):
        raise ValueError(f"task {task.task_id}: the gold answer is an empty list")
    pieces = [piece for piece in re.split(r"\n|(?<=[.!?])\s", output) if piece.strip()]
    announced = [found for piece in pieces if (found := _announced(piece)) is not None]
    lists = [piece for piece in announced if "," in piece] or announced
    lists = lists or [piece for piece in pieces if "," in piece] or pieces
    return _said(_listed(lists[-1].split(":")[-1]) == gold)


def _listed(text: str) -> list[str]:
    return [_plain(item) for item in text.split(",")]


# -- choice -------------------------------------------------------------------------------------------------------


def _choice(task: Task, output: str) -> Outcome:
    gold, found = _letter(task.answer), _letter(output)
    if gold is None:
        raise ValueError(f"task {task.task_id}: the gold answer {task.answer!r} names no option")
    return _NONE if found is None else _said(found == gold)


def _letter(text: str) -> str | None:
    """The last option that is named, looked for in the plainest form first."""
    alone = re.sub(r"\W", "", text)
    if re.fullmatch(r"[A-Ja-j]", alone):
        return alone.upper()
    named = re.findall(r"\b(?:answer|option|choice)\b\W*(?:(?:is|option)\b\W*)*([A-J])\b", text, re.IGNORECASE)
    marked = _either(re.findall(r"\(([A-J])\)|^\s*([A-J])[).:]", text, re.MULTILINE))
    bare = re.findall(r"\b([B-HJ])\b", text)  # "A" and "I" are words
    found = named or marked or bare
    return str(found[-1]).upper() if found else None


def _either(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [one or other for one, other in pairs]


_BUILT_IN = {"exact": _exact, "numeric": _numeric, "sequence": _sequence, "choice": _choice}
