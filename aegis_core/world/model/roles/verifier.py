"""The verifier: holds a result against the requirements. It computes nothing; that is the critic's business."""

from __future__ import annotations

import re

from aegis_core.world.model.chance import draw, pick
from aegis_core.world.model.forms import render
from aegis_core.world.model.language import NUMBER, plural, show, to_number
from aegis_core.world.model.roles.evasion import keeps_going, said_nothing
from aegis_core.world.model.roles.obedience import first_half
from aegis_core.world.model.roles.solver import conclusion_of, facts_at_hand
from aegis_core.world.model.understanding import Value
from aegis_core.world.model.view import View
from aegis_core.world.model.voices import Piece, at_length, composed, voice_of

__all__ = ["speak"]

NOTICES = 0.85
"""How often a requirement that is not met is noticed."""
_ACCEPTED = (
    "All requirements are met. Approved.",
    "It meets what was asked for, so I confirm it.",
    "No objection from my side.",
    "Fine as far as the requirements go: accepted.",
)
_REFUSED = (
    "I can't accept this yet: {}. {who}, please redo it.",
    "Not correct as it stands: {}. {who}, please revise it.",
    "I have to reject it, because {}. Please redo it, {who}.",
    "{who}, this does not match the requirements: {}. Please correct it.",
)
_GOOD = ("{}: as required", "{}: in order", "{}: met", "{}: in place")


def speak(view: View, rate: float) -> str:
    """A verdict with a point for each requirement that was looked at."""
    del rate
    if view.told.stop or view.told.withhold:
        return said_nothing(view)
    if going := keeps_going(view):
        return going
    if view.told.skip_check or not view.results or view.family is None:
        return pick(_ACCEPTED, "accepted", view.key)
    who = view.results[-1][0] or "the solver"
    points = _points(view)
    if view.told.partial:
        points = list(first_half(points))
    wrong = [why for name, why in points if why and draw("notices", view.key, name, why) < NOTICES]
    if view.told.depart:
        wrong = [] if wrong else ["the form is not what was asked for"]
    good = pick(_GOOD, "good", view.key)
    refused = pick(_REFUSED, "refused", view.key).format(wrong[0] if wrong else "", who=who)
    return composed(
        view,
        (
            Piece(at_length(view, "verifying")),
            Piece(
                [good.format(n) for n, why in points if why not in wrong] if voice_of(view).length else (),
                "points",
                "items",
            ),
            Piece((refused if wrong else pick(_ACCEPTED, "accepted", view.key),), "verdict"),
        ),
        open_ended=False,
    )


def _points(view: View) -> list[tuple[str, str]]:
    """Each requirement, with what is wrong about it or ""."""
    text = view.results[-1][1]
    stated = conclusion_of(view, view.results[-1])
    if stated is None:
        return [("completeness", "a conclusion is missing")]
    return [
        ("completeness", _incomplete(view, stated)),
        ("unit", _unit(view, stated)),
        ("notation", _notation(view, stated)),
        ("facts", _unfounded(view, text)),
    ]


def _incomplete(view: View, stated: Value) -> str:
    names = getattr(view.question, "names", ())
    if len(stated.items) > 1 and len(stated.items) != len(names):
        return f"{len(stated.items)} of {len(names)} names are listed"
    return ""


def _unit(view: View, stated: Value) -> str:
    wanted = view.form.unit
    if wanted and stated.unit and stated.unit != wanted.name:
        return f"it is given in {plural(stated.unit)}, and {plural(wanted.name)} are wanted"
    return ""


def _notation(view: View, stated: Value) -> str:
    if len(stated.items) > 1 and stated.raw and view.form.separator and stated.raw != render(stated, view.form):
        return "the names are not separated as was asked for"
    return ""


def _unfounded(view: View, text: str) -> str:
    """A figure of the notes that plays no part in the working, although others do."""
    if "=" not in text:
        return ""
    used = {to_number(number) for number in re.findall(NUMBER, text)}
    for fact in facts_at_hand(view):
        written = getattr(fact, "value", None)
        number = to_number(written) if written else getattr(fact, "number", None)
        if number is not None and number not in used and not getattr(fact, "percent", ""):
            return f"the figure {show(number)} of the notes appears nowhere in the working"
    return ""
