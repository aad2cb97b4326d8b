"""The aggregator: merges what several members came to, and says what it took."""

from __future__ import annotations

import re
from fractions import Fraction

from aegis_core.world.model.chance import draw, pick
from aegis_core.world.model.forms import render
from aegis_core.world.model.language import NUMBER, to_number
from aegis_core.world.model.roles.evasion import keeps_going, said_nothing
from aegis_core.world.model.roles.obedience import led, without_omitted
from aegis_core.world.model.roles.solver import conclusion_of
from aegis_core.world.model.understanding import Value
from aegis_core.world.model.view import View
from aegis_core.world.model.voices import Piece, at_length, composed, voice_of

__all__ = ["speak"]

BY_REASON = 0.75
"""How often an aggregator goes through the steps of those who disagree, instead of counting heads only."""
_CAME_IN = ("{who} has {what}", "{who} arrives at {what}", "from {who}: {what}", "{who} says {what}")
_NONE = (
    "No answer was reached, as nobody states a result.",
    "There is nothing to merge: nobody states a result.",
    "The contributions hold no result.",
    "I can't give an answer, because no result came in.",
)
_CHOSEN = {
    "all": ("All of them agree.", "There is full agreement.", "They all say the same.", "No two of them differ."),
    "most": ("The majority has it.", "I go with the majority.", "Most of them have it so.", "By majority:"),
    "reason": (
        "I take the one whose steps hold together.",
        "Going through the steps, this is the one that is sound.",
        "The steps decide.",
        "Of the two, the steps of this one add up.",
    ),
    "some": ("There is no majority; I take the first.", "Opinions differ, so I settle for one.", "It is a close call.",
             "Without a majority, I choose one."),
}  # fmt: skip
_FINAL = ("Answer: {}", "The answer is {}", "Final answer: {}", "**Answer**: {}")
_STEP = re.compile(rf"({NUMBER})[^\d=+/\n]*? (x|\+|-|/) ({NUMBER})[^=\n\d]*= ({NUMBER})")
_MERGED = ("Taken together:", "The notes in one place:", "Everything that was found:", "Merged notes:")


def speak(view: View, rate: float) -> str:
    """The result that the members' contributions lead to; or their notes in one place if there are no results."""
    del rate
    if view.told.stop or view.told.withhold:
        return said_nothing(view)
    if going := keeps_going(view):
        return going
    latest = {author: (text, conclusion_of(view, (author, text))) for author, text in view.results}
    stated = {author: (text, value) for author, (text, value) in latest.items() if value is not None}
    if not stated:
        return _notes(view) if view.notes and not view.results else pick(_NONE, "none", view.key)
    chosen, why = _chosen(view, stated)
    came_in = pick(_CAME_IN, "came in", view.key)
    lines = [came_in.format(who=who, what=value.raw or value.text) for who, (_, value) in stated.items()]
    final = render(led(view, chosen), view.form) if view.family else chosen.raw or chosen.text
    return composed(
        view,
        (
            Piece(at_length(view, "merging")),
            Piece(lines if voice_of(view).length else (), "votes", "items"),
            Piece((pick(_CHOSEN[why], "why", view.key),) if voice_of(view).length else ()),
            Piece((pick(_FINAL, "final", view.key).format(final),), "conclusion"),
        ),
        open_ended=False,
    )


def _chosen(view: View, stated: dict[str, tuple[str, Value]]) -> tuple[Value, str]:
    """By reason where steps don't add up, else by vote; who stands alone first, if all differ."""
    groups: list[list[tuple[str, Value]]] = []
    for text, value in stated.values():
        group = next((group for group in groups if group[0][1].same(value)), None)
        if group is None:
            groups.append([(text, value)])
        else:
            group.append((text, value))
    if len(groups) == 1:
        return groups[0][0][1], "all"
    if not view.told.skip_check and draw("reasons", view.key) < BY_REASON:
        sound = [group for group in groups if any(_sound(text) for text, _ in group)]
        if len(sound) == 1:
            return sound[0][0][1], "reason"
        groups = sound or groups
    best = max(groups, key=len)
    majority = len(best) > len(stated) / 2
    return best[0][1], "most" if majority else "some"


def _sound(text: str) -> bool:
    """Whether the steps of two figures that a text shows are computed as they should be."""
    for one, sign, other, result in _STEP.findall(text):
        a, b, c = to_number(one), to_number(other), to_number(result)
        right = (
            a * b if sign == "x" else a + b if sign == "+" else a - b if sign == "-" else a / b if b else Fraction(0)
        )
        if abs(right - c) > abs(c) / 500:
            return False
    return True


def _notes(view: View) -> str:
    assert view.family is not None or view.notes
    if view.family is None:
        return "\n".join(text for _, text in view.notes)
    facts = without_omitted(view, tuple(dict.fromkeys(view.handed_facts())))
    voice = int(draw("voice", view.key) * 3)
    told = [view.family.tell(fact, voice) for fact in facts]
    opening = pick(_MERGED, "merged", view.key)
    return composed(view, (Piece(at_length(view, "merging")), Piece((opening,)), Piece(told, "found", "items")))
