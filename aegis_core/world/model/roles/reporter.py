"""The reporter: states the final answer that the others came to."""

from __future__ import annotations

import re

from aegis_core.world.model.chance import draw, pick
from aegis_core.world.model.forms import read_form, render
from aegis_core.world.model.instructions import overriding_form
from aegis_core.world.model.results import objects
from aegis_core.world.model.roles.evasion import keeps_going, said_nothing
from aegis_core.world.model.roles.obedience import first_half, is_led, led
from aegis_core.world.model.roles.solver import conclusion_of, facts_at_hand, worked
from aegis_core.world.model.understanding import Form, Value
from aegis_core.world.model.view import View
from aegis_core.world.model.voices import Piece, at_length, composed, voice_of

__all__ = ["speak"]

_FINAL = (
    "Answer: {}",
    "The team has come to a result.\nAnswer: {}",
    "Final answer: {}",
    "This is what we arrived at.\nThe answer is {}",
)
_SOURCE = (
    "{who} arrives at {what}.",
    "According to {who} it is {what}.",
    "{who} has worked out {what}.",
    "{who} finds {what}.",
)
_NONE = (
    "The answer could not be determined.",
    "No answer was reached.",
    "We have no answer to give.",
    "The question stays open, as nobody states a result.",
)
TRUSTS_CRITIC = 0.5
"""How often a last objection with a result of its own is followed rather than the solver."""
REWORDS = 0.4
"""How often a result in another form than the task asks for is brought into that form."""


def speak(view: View, rate: float) -> str:
    """The final answer: what was last concluded, as it was written, unless told to give it otherwise."""
    del rate
    if view.told.stop or view.told.withhold:
        return said_nothing(view)
    if going := keeps_going(view):
        return going
    chosen = _chosen(view)
    if chosen is None and view.told.verdict:
        chosen = "nobody", Value()
    if chosen is None:
        return pick(_NONE, "none", view.key)
    who, value = chosen
    final = led(view, _shortened(view, value))
    length = voice_of(view).length
    source = pick(_SOURCE, "source", view.key).format(who=who, what=value.raw or value.text)
    told = who not in ("nobody", "") and (is_led(view) or (length > 1 and value.raw))
    return composed(
        view,
        (
            Piece(at_length(view, "summary")),
            Piece((source,) if told else (), "state"),
            Piece((pick(_FINAL, "final", view.key).format(_worded(view, final)),), "conclusion"),
        ),
        open_ended=False,
    )


def _shortened(view: View, value: Value) -> Value:
    """The part of a result that is to be reported: names without those left out, the first half of a list, or what the
    working reaches first.
    """
    left = tuple(name for name in value.items if not any(name in words for words in view.told.omit))
    if left and left != value.items:
        value = Value(items=left)
    if not view.told.partial:
        return value
    if len(value.items) > 1:
        return Value(items=first_half(value.items))
    lines = [line for _, text in view.results[-1:] for line in text.split("\n") if "=" in line]
    begun = view.family.value(re.split(r"(?<=[a-z])\. ", lines[0])[0], view.question) if lines and view.family else None
    return begun or value


def _chosen(view: View) -> tuple[str, Value] | None:
    results = [(who, value) for who, text in view.results if (value := conclusion_of(view, (who, text)))]
    last = results[-1] if results and conclusion_of(view, view.results[-1]) else None
    verdicts = [r for r in view.reviews if dict(view.roster).get(r[0]) not in ("verifier", "proxy")]
    if verdicts and objects(verdicts[-1][1]):
        who, text = verdicts[-1]
        value = conclusion_of(view, (who, text))
        if value and (last is None or draw("trusts", view.key, value.text) < TRUSTS_CRITIC):
            return who, value
    return last


def _worded(view: View, value: Value) -> str:
    """The result as it was written; in the form that is wanted if that was told expressly, or by care."""
    if value.number is None and not value.items:
        return value.raw
    expressly = _expressly(view)
    if expressly != Form():
        return render(_ordered(view, value), view.form)
    if not value.raw or draw("rewords", view.key) < REWORDS:
        return render(value, view.form)
    return value.raw


def _expressly(view: View) -> Form:
    """What goes beyond the plain form that nobody departs from: set if the reporter was told otherwise."""
    form = view.form
    changed = form != read_form(view.task) or overriding_form(view.task) != Form()
    beyond = Form(reverse=form.reverse, alphabetical=form.alphabetical, in_words=form.in_words)
    if changed or beyond != Form():
        return form
    return Form()


def _ordered(view: View, value: Value) -> Value:
    """A list brought into the order that is wanted, unless the notes show that it has it already."""
    if len(value.items) < 2:
        return value
    if view.form.alphabetical:
        return Value(items=tuple(sorted(value.items)))
    if not view.form.reverse:
        return value
    own, _ = worked(view, facts_at_hand(view), 0)
    if own.value is not None and own.value.items == value.items:
        return value
    return Value(items=value.items[::-1])
