"""The critic: recomputes from what it was sent, and objects to what it finds wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aegis_core.world.model.chance import draw, pick
from aegis_core.world.model.forms import render
from aegis_core.world.model.roles.evasion import keeps_going, said_nothing
from aegis_core.world.model.roles.obedience import departed, led
from aegis_core.world.model.roles.solver import conclusion_of, facts_at_hand, worked
from aegis_core.world.model.understanding import Form, Value, Working
from aegis_core.world.model.view import View
from aegis_core.world.model.voices import Piece, at_length, composed, voice_of

__all__ = ["speak"]

CATCHES = 0.75
"""How often a result that the critic's own working contradicts is objected to."""
CATCHES_UNIT = 0.6
"""The same for a result in another unit or notation than the critic takes to be wanted."""
GOES_BACK = 0.1
"""How often a critic that was handed the task works from it instead of the notes."""
OWN_SLIPS = 0.05
"""How often the critic slips itself, as a share of the model's rate."""
LOOKS_AWAY = 0.5
"""How likely a mistake lies where a critic does not look that was told to look at a part only."""

_AGREE = (
    "I worked it through as well and got {own}. I agree with {who}.",
    "{line}. That is correct, the result {own} is confirmed.",
    "My own working also gives {own}. Approved.",
    "Looks good: {own} is right.",
)
_OBJECT = (
    "I object to {stated}, as {who} has it. {line}. I get {own}. Please redo it.",
    "There is a mistake in {stated}. {line}. My result is {own}. {who}, please go over it again.",
    "This is not right: {stated} does not follow. {line}. The result should be {own}.",
    "I can't confirm {stated}. {line}. So the answer is {own}. {who}, please redo it.",
)
_WAVED = (
    "Fine, I accept {stated}.",
    "{stated} looks right to me. Approved.",
    "No objection from my side to {stated}.",
    "I agree with {who}: {stated}.",
)
_NO_RESULT = (
    "I object: {who} states no result. From the notes I get {own}. {line}.",
    "There is no result to confirm, which is a mistake. {line}. The answer should be {own}.",
    "{who}, a result is missing, so I can't accept this. {line}, so the answer is {own}.",
    "This is not right as it is: no result is stated. {line}. The result should be {own}.",
)
_UNSURE = (
    "I can't work it out myself, because {lack} is missing.",
    "I have nothing to set against it; {lack} is unknown to me as well.",
    "Without {lack} I have no result of my own.",
    "The notes leave {lack} open, so I have no opinion.",
)
_UNCHECKED = ("Fine by me. Approved.", "I accept it as it is.", "Approved.", "No objection from my side.")


def speak(view: View, rate: float) -> str:
    """A verdict on the last result, with the critic's own working as the reason."""
    if view.told.stop or view.told.withhold:
        return said_nothing(view)
    if view.told.skip_check or not view.results:
        return pick(_UNCHECKED, "unchecked", view.key)
    return keeps_going(view) or _examined(view, rate)


def _examined(view: View, rate: float) -> str:
    if view.family is None:
        return pick(_UNSURE, "unsure", view.key).format(lack="the question")
    who = view.results[-1][0] or "the solver"
    stated = conclusion_of(view, view.results[-1])
    facts = facts_at_hand(view)
    if view.notes and view.sourced and draw("back", view.key) < GOES_BACK:
        facts = view.task_facts()
    working, _ = worked(view, facts, rate * OWN_SLIPS)
    if working.value is None:
        return pick(_UNSURE, "unsure", view.key).format(lack=working.missing)
    own = led(view, working.value) if view.told.verdict or view.told.shift else working.value
    working = replace(working, value=own)
    objects = _objects(view, stated, own)
    if view.told.depart:
        objects = not objects
    words = _words(view, working, stated, who)
    if stated is None:
        if not objects:
            return pick(_UNCHECKED, view.key)
        verdict = pick(_NO_RESULT, "none", view.key).format(**words)
    elif objects:
        verdict = pick(_OBJECT, "object", view.key).format(**words)
    else:
        agreed = stated.same(own) and not view.told.depart
        verdict = pick(_AGREE if agreed else _WAVED, "agree", view.key).format(**words)
    return _review(view, working.lines, verdict)


def _review(view: View, lines: Sequence[str], verdict: str) -> str:
    return composed(
        view,
        (
            Piece(at_length(view, "reviewing")),
            Piece(lines if voice_of(view).length > 2 else (), "review", "items"),
            Piece((verdict,), "verdict"),
        ),
    )


def _words(view: View, working: Working, stated: Value | None, who: str) -> dict[str, str]:
    assert working.value is not None
    own = departed(view, working.value) if view.told.depart and stated is None else working.value
    line = working.lines[-1] if working.lines else "That follows from the notes"
    said = (stated.raw or stated.text) if stated else ""
    return {"own": render(own, view.form), "who": who, "stated": said, "line": line[0].upper() + line[1:]}


def _objects(view: View, stated: Value | None, own: Value) -> bool:
    """Whether the critic notices and says that the result is not what it gets."""
    if view.told.partial and draw("half", view.key) < LOOKS_AWAY:
        return False
    if stated is None:
        return draw("no result", view.key) < CATCHES
    if stated.same(own):
        return bool(_notation(view.form, stated, own)) and draw("form", view.key, stated.raw) < CATCHES_UNIT
    same_amount = stated.number is not None and stated.unit and own.unit and stated.unit != own.unit
    return draw("wrong", view.key, stated.text) < (CATCHES_UNIT if same_amount else CATCHES)


def _notation(form: Form, stated: Value, own: Value) -> bool:
    """Whether a list is written otherwise than is wanted."""
    return len(own.items) > 1 and bool(stated.raw) and stated.raw != render(own, form)
