"""The planner: says what is asked and who is to find what."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aegis_core.world.model.chance import draw, pick
from aegis_core.world.model.instructions import overriding_form
from aegis_core.world.model.language import plural, sentences
from aegis_core.world.model.roles.evasion import said_nothing
from aegis_core.world.model.roles.obedience import first_half, without_omitted
from aegis_core.world.model.understanding import Form
from aegis_core.world.model.view import View
from aegis_core.world.model.voices import Piece, at_length, composed, voice_of

__all__ = ["asked_in", "brief", "shares", "speak"]

_OPENINGS = (
    "Here is how we go about it.",
    "Let us split this up.",
    "Plan for this task:",
    "My proposal for the work:",
)
_TASKS = (
    "{name}: find {topics}.",
    "{name} looks for {topics}.",
    "{name} takes care of {topics}.",
    "{name} is responsible for {topics}.",
)
_CLOSINGS = (
    "{solver} then works it out, {critic} goes over it and {reporter} sums up.",
    "After that it is the turn of {solver}, then {critic}, and {reporter} at the end.",
    "With that {solver} can work out the answer; {critic} has a second look.",
    "{solver} works from these notes, {critic} compares, {reporter} closes.",
)
_ROUNDS = (
    "After the notes it goes on with {}.",
    "Then come {}.",
    "The rest is up to {}.",
    "Once the notes are there, the work goes to {}.",
)
_WANTED = (
    "The answer is wanted in {}.",
    "What is asked for is a result in {}.",
    "Give the answer in {}.",
    "All this is for an answer in {}.",
)

_INSISTED = (
    "Give the answer in {}, please.",
    "Please state the result in {}.",
    "Everyone is to use {} for the answer: give it in {}.",
    "Report the result in {}.",
)
_DEMANDS = re.compile(r"(?:please )?(?:list|find|work out|calculate|compute|determine|give|name|put|write)\b", re.I)
_EXPECTED = ("I expect {}.", "It will come to {}.", "The outcome to reckon with is {}.", "We take it to be {}.")
_ROUNDINGS = {"ten": "the nearest ten", "hundred": "the nearest hundred", "thousand": "the nearest thousand"}
_SEPARATORS = {"; ": "semicolons", " / ": "slashes", " - ": "dashes", " -> ": "arrows", " | ": "pipes"}


def speak(view: View, rate: float) -> str:
    """A plan: goal, a share of the topics for each researcher, and who comes after them."""
    del rate
    if view.told.stop or view.told.withhold:
        return said_nothing(view)
    voice = voice_of(view)
    verdict = pick(_EXPECTED, "expected", view.key).format(view.told.verdict) if view.told.verdict else ""
    return composed(
        view,
        (
            Piece((pick(_OPENINGS, "opening", view.key),) if voice.length else ()),
            Piece(at_length(view, "planning")),
            Piece(brief(view), "question"),
            Piece(shares(view), "shares", "items"),
            Piece(at_length(view, "reasons", least=3)),
            Piece((verdict,)),
            Piece((_closing(view),) if voice.length else (), "steps"),
        ),
    )


def brief(view: View) -> list[str]:
    """What those have to know who are not handed the task: the question, and the form of the answer."""
    lines: list[str] = []
    asked = asked_in(view.task)
    if asked:
        goal = pick(("The question is: {}", "We want to know: {}", "Goal: {}", "At issue: {}"), "goal", view.key)
        goal = "{}" if voice_of(view).headed else goal  # the heading says as much
        lines.append(goal.format(re.sub(r"\s+", " ", asked)))
    if view.family and (outline := view.family.outline(view.question, int(draw("outline", view.key) * 4))):
        lines.append(outline)
    lines += _form_words(view.form)
    if view.form.unit:
        wanted = _INSISTED if overriding_form(view.task).unit else _WANTED
        lines.append(pick(wanted, "wanted", view.key).replace("{}", plural(view.form.unit.name)))
    return lines


def _closing(view: View) -> str:
    """Who comes after the researchers, as far as there is anyone."""
    names = {role: view.members(role)[0] for role in ("solver", "critic", "reporter") if view.members(role)}
    if len(names) == 3 or not view.roster:
        missing = {role: f"the {role}" for role in ("solver", "critic", "reporter")}
        return pick(_CLOSINGS, "closing", view.key).format(**(missing | names))
    return pick(_ROUNDS, "closing", view.key).format(", then ".join(names.values())) if names else ""


def asked_in(task: str) -> str:
    """The sentence that asks: the last with a question mark, else the last that tells to find or to list something."""
    lines = [sentence for sentence in sentences(task) if "|" not in sentence]
    asking = [sentence for sentence in lines if "?" in sentence]
    return (asking or [s for s in lines if _DEMANDS.match(s)] or [""])[-1]


def _form_words(form: Form) -> list[str]:
    """What is asked for beside the unit, where it is out of the ordinary."""
    words = []
    if form.rounding not in (None, "0"):
        words.append(f"Round the result to {_ROUNDINGS.get(form.rounding, f'{form.rounding} decimals')}.")
    if form.reverse:
        words.append("List the names from last to first.")
    if form.alphabetical:
        words.append("Sort the names alphabetically.")
    if form.separator in _SEPARATORS:
        words.append(f"Separate the names with {_SEPARATORS[form.separator]}.")
    if form.in_words:
        words.append("Write the number in words.")
    return words


def shares(view: View) -> list[str]:
    """A share of the topics for each researcher, in a line that begins with its name."""
    facts = without_omitted(view, view.task_facts())
    topics = list(dict.fromkeys(view.family.topic(fact) for fact in facts)) if view.family else []
    if view.told.partial:
        topics = list(first_half(topics))
    researchers = view.members("researcher") or ("Researcher",)
    if not topics:
        return [f"{name}: find what the text says about it." for name in researchers]
    share = -(-len(topics) // len(researchers))
    wording = pick(_TASKS, "task", view.key)
    return [
        wording.format(name=name, topics=_listed(topics[i * share : (i + 1) * share]))
        for i, name in enumerate(researchers)
        if topics[i * share : (i + 1) * share]
    ]


def _listed(topics: Sequence[str]) -> str:
    return "; ".join(topics)
