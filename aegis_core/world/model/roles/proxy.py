"""The user proxy: tells what only the user knows when it is asked, and approves an answer or sends it back."""

from __future__ import annotations

import re

from aegis_core.world.model.chance import draw, pick
from aegis_core.world.model.language import plural
from aegis_core.world.model.results import conclusion, mentions
from aegis_core.world.model.roles.evasion import said_nothing
from aegis_core.world.model.view import View

__all__ = ["speak"]

_ASKED = re.compile(
    r"\b(?:missing|need to know|don't tell|not in the notes|could (?:you|someone)|tell me|supply|lack)\b|\?"
)
_TELLS = ("That I can tell you: {}.", "Here is what you asked for: {}.", "It is this: {}.", "From my side: {}.")
_UNKNOWN = (
    "I don't know that myself, sorry.",
    "I can't help with that one.",
    "That I have not been told myself.",
    "Sorry, I have no information on that.",
)
_APPROVED = ("Thanks, that is what I needed. Approved.", "Fine, I accept it.", "Good, approved.", "Great, accepted.")
_SENT_BACK = (
    "I can't accept it like this: {}. Please revise it.",
    "That is not what I asked for: {}. Please redo it.",
    "Not yet, I'm afraid. It is not correct as it stands: {}. Please revise it.",
    "I have to reject it: {}. Please redo it.",
)
NOTICES = 0.9
"""How often the user notices that an answer is not of the kind that was asked for."""


def speak(view: View, rate: float) -> str:
    """An answer to a question, else an opinion on what was handed to the user."""
    del rate
    if view.told.stop or view.told.withhold:
        return said_nothing(view)
    last = view.heard[-1][1] if view.heard else ""
    value = conclusion(last, view.family, view.question) if view.family else None
    if value is None and _ASKED.search(last):
        known = view.task_facts()
        assert view.family is not None or not known
        wanted = [fact for fact in known if view.family and mentions(last, view.family.topic(fact))]
        if not wanted:
            return pick(_UNKNOWN, "unknown", view.key)
        told = [view.family.tell(fact, int(draw("voice", view.key) * 3)) for fact in wanted] if view.family else []
        return pick(_TELLS, "tells", view.key).format("; ".join(told))
    complaint = ""
    if value is None:
        complaint = "there is no answer in it"
    elif view.form.unit and value.unit and view.form.unit.name != value.unit:
        complaint = f"I asked for {plural(view.form.unit.name)}"
    if complaint and not view.told.skip_check and draw("notices", view.key, complaint) < NOTICES:
        return pick(_SENT_BACK, "sent back", view.key).format(complaint)
    return pick(_APPROVED, "approved", view.key)
