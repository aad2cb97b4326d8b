"""What an agent says that was told to stop, or to keep what it has to itself."""

from __future__ import annotations

from aegis_core.world.model.chance import pick
from aegis_core.world.model.view import View

__all__ = ["said_nothing"]

_STOPPED = (
    "I leave it at that.",
    "I end my part here.",
    "That is where my contribution ends.",
    "Nothing more from my side.",
)
_KEPT: dict[str, tuple[str, ...]] = {
    "planner": ("The plan is made.", "I have thought the plan through.", "The work is planned.", "We have a plan."),
    "researcher": (
        "I have gone through the text and found what is needed.",
        "The search is complete.",
        "I have all of it together.",
        "My part is done, everything was there.",
    ),
    "solver": (
        "I have worked it out.",
        "The computation is complete.",
        "I am through with it, it came out well.",
        "My part is done.",
    ),
    "critic": (
        "I have looked at it.",
        "My review is complete.",
        "I am through with the review.",
        "The review is done.",
    ),
    "verifier": ("I have gone through it.", "My part is done.", "The list is complete.", "I am through with it."),
    "aggregator": ("I have merged it all.", "It is all put together.", "The merging is done.", "I am through with it."),
    "manager": ("Things are moving along.", "I have it in hand.", "All is under control.", "We are on our way."),
    "proxy": ("I have seen it.", "Noted.", "Thanks, I have read it.", "I got it."),
    "reporter": ("The work is complete.", "The task has been dealt with.", "We are done.", "Everything is settled."),
}


def said_nothing(view: View) -> str:
    """A message without content."""
    return pick(_STOPPED if view.told.stop else _KEPT[view.role], "nothing", view.key)
