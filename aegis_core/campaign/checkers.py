"""Checkers: decide from a task and a final output whether the run was right.

Built in are `exact`, `numeric`, `sequence` and `choice`; anything else is a path `module:function` of the user's
own, called with (task, final_output) and returning an `Outcome` or a bool. An output that is None or blank is
`no_answer` for every checker, without asking it.
"""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction

from aegis_core.campaign.tasks import Task
from aegis_core.errors import CampaignError
from aegis_core.faults import Outcome

__all__ = ["BUILT_IN", "Checker", "check", "checker"]

Checker = Callable[[Task, str], Outcome]
RIGHT = Outcome(right=True)

_LEAD_IN = re.compile(r"^.*\b(?:answer|result|order|sequence|solution)\b[^:=\n]{0,40}?(?::|=|\bis\b|\bare\b)\s*", re.I)
_NUMBER = re.compile(
    r"(?<![\w.])(?P<sign>[-+\N{MINUS SIGN}])?(?P<cur>[€$£])?\s?"
    r"(?P<n>(?:\d{1,3}(?:[,\N{NARROW NO-BREAK SPACE}\N{NO-BREAK SPACE}]\d{3})+|\d+)(?:\.\d+)?)(?P<exp>[eE][-+]?\d+)?"
    r"(?:\s?/\s?(?P<den>\d+))?(?![\d/])(?:[\s-]?(?P<unit>%|[€$£]|[A-Za-z]+(?:/[A-Za-z]+)?))?"
)
_UNITS = {
    "second": "s sec secs second seconds",
    "minute": "min mins minute minutes",
    "hour": "h hr hrs hour hours",
    "day": "day days",
    "week": "week weeks",
    "metre": "m metre metres meter meters",
    "kilometre": "km kilometre kilometres kilometer kilometers",
    "centimetre": "cm centimetre centimetres centimeter centimeters",
    "gram": "g gram grams gramme grammes",
    "kilogram": "kg kilo kilos kilogram kilograms",
    "tonne": "t tonne tonnes ton tons",
    "litre": "l litre litres liter liters",
    "millilitre": "ml millilitre millilitres milliliter milliliters",
    "euro": "€ eur euro euros",
    "cent": "cent cents",
    "dollar": "$ usd dollar dollars",
    "pound": "£ gbp pound pounds",
    "percent": "% percent",
    "dozen": "dozen dozens",
}
_UNIT_NAMES = {alias: name for name, aliases in _UNITS.items() for alias in aliases.split()}


def check(task: Task, final_output: str | None) -> Outcome:
    """Decide about a final output with the checker that the task names.

    Raises:
        CampaignError: the checker is unknown or broken, or the gold answer is not in the form that it reads.
    """
    return checker(task.checker)(task, final_output or "")


def checker(name_or_path: str) -> Checker:
    """The built-in checker of this name, or the function at `module:function`.

    Raises:
        CampaignError: there is none; the message lists the built-in ones, or says why the import failed.
    """
    if name_or_path in BUILT_IN:
        return _guarded(name_or_path, BUILT_IN[name_or_path])
    module_name, colon, attribute = name_or_path.partition(":")
    if not colon or not module_name or not attribute:
        raise CampaignError(
            f"unknown checker {name_or_path!r}; built in: {', '.join(BUILT_IN)}; your own: `module:function`"
        )
    try:
        function = getattr(importlib.import_module(module_name), attribute)
    except ImportError as err:
        raise CampaignError(f"checker {name_or_path!r}: module {module_name!r} can't be imported: {err}") from err
    except AttributeError as err:
        raise CampaignError(f"checker {name_or_path!r}: module {module_name!r} has no {attribute!r}") from err
    if not callable(function):
        raise CampaignError(f"checker {name_or_path!r} is a {type(function).__name__}, not a function")
    return _guarded(name_or_path, function)


def _guarded(name: str, function: Callable[[Task, str], object]) -> Checker:
    def decide(task: Task, final_output: str) -> Outcome:
        if not (final_output or "").strip():
            return Outcome(right=False, failure="no_answer", detail="the run ended without a final output")
        verdict = function(task, final_output)
        if isinstance(verdict, bool):
            return RIGHT if verdict else Outcome(right=False, failure="wrong", detail=f"{name} says no")
        if not isinstance(verdict, Outcome):
            raise CampaignError(
                f"checker {name!r} returned a {type(verdict).__name__} for task {task.task_id!r}; "
                "return an Outcome or a bool"
            )
        return verdict

    return decide


def _wrong(detail: str) -> Outcome:
    return Outcome(right=False, failure="wrong", detail=detail)


def _fold(text: str) -> str:
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return folded.strip(" .,;:!?\"'`*()[]")


def _exact(task: Task, output: str) -> Outcome:
    """The whole output, or what stands behind the last lead-in such as "Answer:", equals the gold answer.

    Case, outer punctuation and runs of white space don't count.
    """
    gold = _fold(task.answer)
    last_lead = next((line for line in reversed(output.splitlines()) if _LEAD_IN.match(line)), None)
    candidates = [output] if last_lead is None else [output, _LEAD_IN.sub("", last_lead)]
    if gold in map(_fold, candidates):
        return RIGHT
    return _wrong(f"expected {task.answer!r}, got {_short(candidates[-1])!r}")


def _numeric(task: Task, output: str) -> Outcome:
    """The last number of the output equals that of the gold answer, as rationals.

    `1,234.5`, `3/4`, `1e3`, `€12` and `12%` are read; a comma that is not followed by three digits separates two
    numbers. If the gold answer carries a unit, a *different* known unit behind the number is wrong, even if the
    quantity is the same ("96 minutes" for "1.6 hours"); no unit, or a word that is not a unit, is let pass.

    The last number counts whatever it is a number of, so "That is 96 bottles. Are 12 crates right? Yes." is wrong. To
    look further up for bottles would take the working for the answer: "12 crates x 8 = 96 bottles, so 12 crates".
    """
    gold = _last_number(task.answer)
    if gold is None:
        raise CampaignError(f"task {task.task_id!r}: the gold answer {task.answer!r} of a numeric task has no number")
    found = _last_number(output)
    if found is None:
        return Outcome(right=False, failure="no_answer", detail="the final output holds no number")
    number, unit, said = found
    if number != gold[0]:
        return _wrong(f"expected {task.answer}, got {said}")
    if gold[1] and unit and unit != gold[1] and unit in _UNITS:
        return _wrong(f"expected {task.answer}, got {said}: another unit")
    return RIGHT


def _last_number(text: str) -> tuple[Fraction, str, str] | None:
    """Number and unit, and both as they are written."""
    matches = list(_NUMBER.finditer(text))
    if not matches:
        return None
    match = matches[-1]
    digits = re.sub(r"[^\d.]", "", match["n"])
    number = Fraction(digits + (match["exp"] or ""))
    if match["den"] and int(match["den"]):
        number /= int(match["den"])
    if match["sign"] in ("-", "\N{MINUS SIGN}"):
        number = -number
    word = (match["unit"] or match["cur"] or "").casefold()
    return number, _UNIT_NAMES.get(word, word), " ".join(match[0].split())


def _sequence(task: Task, output: str) -> Outcome:
    """The items of a comma-separated list are those of the gold answer, in its order.

    The list is the last line or sentence with a lead-in ("Answer:", "The order is"), else the last one that holds
    a comma. Other separators are another form than asked for, and wrong.
    """
    gold = _items(task.answer)
    if not any(gold):
        raise CampaignError(f"task {task.task_id!r}: the gold answer of a sequence task is empty")
    pieces = [piece for piece in re.split(r"\n+|(?<=[.!?])\s+", output) if piece.strip()]
    led = [_LEAD_IN.sub("", piece) for piece in pieces if _LEAD_IN.match(piece)]
    listed = [piece for piece in led if "," in piece] or led or [piece for piece in pieces if "," in piece] or pieces
    found = _items(listed[-1].rpartition(":")[2])
    if found == gold:
        return RIGHT
    return _wrong(f"expected {task.answer!r}, got {_short(listed[-1])!r}")


def _items(text: str) -> list[str]:
    return [_fold(item) for item in text.split(",")]


def _choice(task: Task, output: str) -> Outcome:
    """The letter of the chosen option (A to J) is that of the gold answer: "B", "(b)", "Answer: B", "option B"."""
    gold = _letter(task.answer)
    if gold is None:
        raise CampaignError(f"task {task.task_id!r}: the gold answer {task.answer!r} of a choice task has no letter")
    found = _letter(output)
    if found is None:
        return Outcome(right=False, failure="no_answer", detail="the final output names no option")
    return RIGHT if found == gold else _wrong(f"expected {gold}, got {found}")


def _letter(text: str) -> str | None:
    bare = re.fullmatch(r"\W*([A-Ja-j])\W*", text)
    if bare:
        return bare[1].upper()
    named = re.findall(r"\b(?:answer|option|choice)\b\W*(?:is\b\W*)?(?:option\b\W*)?([A-J])\b", text, re.I)
    marked = re.findall(r"\(([A-J])\)|(?:^|\n)\s*([A-J])[).:]", text)
    letters = named or [first or second for first, second in marked] or re.findall(r"\b([B-HJ])\b", text)
    return letters[-1].upper() if letters else None


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else text[:77] + "..."


BUILT_IN: dict[str, Callable[[Task, str], Outcome]] = {
    "exact": _exact,
    "numeric": _numeric,
    "sequence": _sequence,
    "choice": _choice,
}
"""The built-in checkers by name."""
