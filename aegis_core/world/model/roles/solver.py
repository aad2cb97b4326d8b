"""The solver: works the answer out from what it was handed, and sometimes slips."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from aegis_core.world.model.chance import draw, misread, pick
from aegis_core.world.model.families.arithmetic import Amounts
from aegis_core.world.model.forms import fitted, render
from aegis_core.world.model.results import conclusion, objects
from aegis_core.world.model.roles.evasion import keeps_going, said_nothing
from aegis_core.world.model.roles.explaining import explained
from aegis_core.world.model.roles.obedience import first_half, is_led, led, without_omitted
from aegis_core.world.model.roles.planner import asked_in
from aegis_core.world.model.understanding import Value, Working, exact_result
from aegis_core.world.model.view import View
from aegis_core.world.model.voices import Piece, at_length, composed, said, voice_of

__all__ = ["conclusion_of", "facts_at_hand", "speak", "worked"]

_OPENINGS = ("I work with the notes.", "Step by step:", "Let me see.", "With these figures:")
_CONCLUSIONS = ("Answer: {}", "The result is {}.", "So my answer is {}.", "Result: {}")
_LACKING = (
    "I can't work this out, because {} is missing. Could someone supply it?",
    "The notes don't tell me {}; without it I have no result.",
    "No result yet: {} is not in the notes.",
    "I would need to know {} first, so I have nothing to conclude.",
)
_ASSUMING = (
    "I was not given {}, so I go on with what there is.",
    "Since {} is not among the notes, I work from the rest.",
    "I take it that {} plays no part.",
    "Going on without {}.",
)
_LOOKING = ("The notes lack {}; I took it from the task itself.", "I filled in {} from the text of the task.",
            "As {} was not handed on, I looked at the task.", "I had to read {} off the task myself.")  # fmt: skip
_AGAIN = ("I went through it again.", "Once more, with the objection in mind:", "Second attempt:", "I have redone it.")
_KEPT = (
    "I have read the others and stay with what I have.",
    "My view has not changed.",
    "I stand by my working.",
    "Having heard all that, I keep to my draft.",
)
_PERSUADED = (
    "You are right, I follow the correction.",
    "I take the correction over.",
    "Agreed, I was off.",
    "That is a fair point, I give in.",
)
_RESTATED = ("We are asked: {}", "My task, in the words that I was given: {}", "So, {}", "{}")
_PREFIX = re.compile(r"^[^:?]{1,24}: ")
PERSUADED = 0.4
"""How often a solver takes over the critic's result although it can't reproduce it."""
STUBBORN = 0.08
"""How often a solver stays with what it has, whatever others say."""
REEXAMINES = 0.4
"""How often a solver goes over its draft again because one of the others has another result."""
SECOND_LOOK = 0.2
"""How often a slip happens in a second attempt, as a share of the model's rate."""


def speak(view: View, rate: float) -> str:
    """Working and conclusion, as far as the facts at hand allow."""
    if view.told.stop or view.told.withhold or view.family is None:
        return said_nothing(view) if view.family else _LACKING[0].format("what the question is")
    going = keeps_going(view)
    again = bool(view.own)
    working, remark = worked(view, facts_at_hand(view), rate * (SECOND_LOOK if again else 1))
    if again and not is_led(view) and (kept := _stands_by(view)):
        return kept
    suggested = (_suggested(view) or _outvoted(view)) if again and not is_led(view) else None
    if suggested and (working.value is None or not working.value.same(suggested)):
        persuaded = working.value is None or draw("persuaded", view.key, suggested.text) < PERSUADED
        if persuaded:
            return "\n".join((pick(_PERSUADED, "persuaded", view.key), _conclude(view, suggested)))
    if working.value is None and not view.told.verdict:
        lacking = _LACKING[1:] if view.told.no_questions else _LACKING
        return pick(lacking, "lacking", view.key).format(working.missing)
    if view.told.partial and working.value is not None:
        working = _begun(view, working)
    opening = pick(_AGAIN if again else _OPENINGS, "opening", view.key)
    if going:
        return _solution(view, opening, remark, working.lines, going)
    value = led(view, working.value or Value())
    return _solution(view, opening, remark, working.lines, _conclude(view, value))


def _solution(view: View, opening: str, remark: str, lines: Sequence[str], conclusion: str) -> str:
    voice = voice_of(view)
    family, length = view.family, voice.length
    given = facts_at_hand(view) if family and length > 2 and not view.own else ()
    return composed(
        view,
        (
            Piece((_restated(view) if voice.restates and length else "",), "question"),
            Piece(at_length(view, "method"), "method"),
            Piece([family.tell(fact, 0) for fact in given] if family else (), "facts", "items"),
            Piece((opening,) if length else ()),
            Piece((remark,)),
            Piece([explained(view, line) for line in lines] if length > 1 else lines, "working", "items"),
            Piece(at_length(view, "controlled", len(view.own), least=3)),
            Piece(((said(view, "hedge") if voice.hedges else "") + conclusion,), "conclusion"),
        ),
    )


def _suggested(view: View) -> Value | None:
    """The result that the last review holds against the solver's."""
    if not view.reviews or not objects(view.reviews[-1][1]):
        return None
    if dict(view.roster).get(view.reviews[-1][0]) in ("verifier", "proxy"):
        return None  # they say what is wrong with it, and have no result of their own
    suggested = conclusion_of(view, view.reviews[-1])
    before = conclusion_of(view, (view.name, view.own[-1])) if view.own else None
    return None if suggested and before and suggested.same(before) else suggested  # the very one that it objects to


def _stands_by(view: View) -> str:
    """What a solver says that leaves it at its draft: out of stubbornness, or because nobody gave a reason not to."""
    before = conclusion_of(view, (view.name, view.own[-1]))
    if before is None:
        return ""
    debated = bool(view.results) and not view.reviews
    others = [conclusion_of(view, result) for result in view.results]
    reexamines = any(not other or not other.same(before) for other in others) and (
        _outvoted(view) is not None or draw("reexamines", view.key, len(view.own)) < REEXAMINES
    )
    stubborn = draw("stubborn", view.key) < STUBBORN
    if stubborn or (debated and not reexamines):
        kept = pick(_KEPT, "kept", view.key, len(view.own))
        return composed(view, (Piece((kept,)), Piece((_conclude(view, before),), "conclusion")))
    return ""


def _outvoted(view: View) -> Value | None:
    """What all of several others say, if it is not what this solver said."""
    latest = {author: conclusion_of(view, (author, text)) for author, text in view.results}
    values = [value for value in latest.values() if value is not None]
    before = conclusion_of(view, (view.name, view.own[-1]))
    agreed = len(values) > 1 and all(value.same(values[0]) for value in values)
    return values[0] if agreed and not (before and before.same(values[0])) else None


def conclusion_of(view: View, message: tuple[str, str]) -> Value | None:
    """What a message concludes, in the light of the question; who does not know that goes by the figures."""
    return conclusion(message[1], view.family or Amounts(), view.question)


def _conclude(view: View, value: Value) -> str:
    return pick(_CONCLUSIONS, "conclusion", view.key).format(render(value, view.form))


def _restated(view: View) -> str:
    asked = _PREFIX.sub("", asked_in(view.task))
    return pick(_RESTATED, "restated", view.key).format(asked) if asked else ""


def facts_at_hand(view: View) -> tuple[Any, ...]:
    """What others handed on, less what is to be left out; the task's own facts only if nobody hands any on."""
    return without_omitted(view, view.handed_facts() if view.notes else view.task_facts())


def _begun(view: View, working: Working) -> Working:
    """The first half of a working, with what stands at its end for a result; of a single line, of half the facts."""
    assert view.family is not None
    if len(working.lines) < 2:
        half = first_half(facts_at_hand(view))
        return _once(view, half, 0, view.key) if half else working
    lines = first_half(working.lines)
    return Working(lines, view.family.value(lines[-1], view.question) or working.value)


def worked(view: View, facts: tuple[Any, ...], rate: float) -> tuple[Working, str]:
    """The working from these facts with the slip that chance has in store, and a remark on what is missing.

    Whether it slips hangs on the question, not on the notes: notes that were altered bring no new slip with them.
    """
    assert view.family is not None
    key = f"{view.key}|{len(view.own)}"
    working = _once(view, facts, rate, key)
    if working.value is not None:
        return working, ""
    choice = draw("lack", key)
    if (choice < 0.35 or view.told.no_questions) and working.guess is not None:
        guessed = Working(working.lines, working.guess)
        return guessed, pick(_ASSUMING, "assuming", key).format(working.missing)
    if choice > 0.85:
        own = _once(view, view.task_facts(), rate, key)
        if own.value is not None:
            return own, pick(_LOOKING, "looking", key).format(working.missing)
    return working, ""


def _once(view: View, facts: tuple[Any, ...], rate: float, key: str) -> Working:
    assert view.family is not None
    if not facts or draw("slip", key) >= rate:
        return _fit(view, view.family.work(view.question, facts, view.form, exact_result, key))
    if draw("kind", key) < 0.4:
        at = int(draw("which", key) * len(facts))
        facts = (*facts[:at], view.family.misread(facts[at], key), *facts[at + 1 :])
        return _fit(view, view.family.work(view.question, facts, view.form, exact_result, key))
    computed: list[int] = []

    def count(position: int, number: Fraction) -> Fraction:
        computed.append(position)
        return number

    view.family.work(view.question, facts, view.form, count, key)
    at = int(draw("where", key) * len(computed))

    def slip(position: int, number: Fraction) -> Fraction:
        return misread(number, key) if position == at else number

    return _fit(view, view.family.work(view.question, facts, view.form, slip, key))


def _fit(view: View, working: Working) -> Working:
    value = fitted(working.value, view.form) if working.value else None
    guess = fitted(working.guess, view.form) if working.guess else None
    return Working(working.lines, value, working.missing, guess)
