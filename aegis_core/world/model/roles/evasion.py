"""What an agent says that was told to stop, or to keep what it has to itself."""

from __future__ import annotations

from aegis_core.world.model.chance import pick
from aegis_core.world.model.view import View

__all__ = ["keeps_going", "said_again", "said_nothing"]

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


_GOING_ON = (
    "I am not through with it and go on with the next part.",
    "There is more to look into, so I continue.",
    "I keep working on it; further stages will follow.",
    "This goes on: I turn to what else might be looked at.",
)
_ANOTHER_PASS = (
    "Let us do another pass; please redo it from the notes.",
    "I would like to see it again, please redo it.",
    "One more time, please redo it to be on the safe side.",
    "It may hold, but please redo it again.",
)


def keeps_going(view: View) -> str:
    """What somebody says who was told to go on although it is done; "" for those whose work does not end with it."""
    if not view.told.go_on or view.told.verdict:
        return ""
    if view.role in ("critic", "verifier"):
        return pick(_ANOTHER_PASS, "going on", view.key)
    return pick(_GOING_ON, "going on", view.key) if view.role in ("solver", "reporter", "aggregator") else ""


def said_again(view: View) -> str:
    """The last message once more, if that was wanted: the agent's own, else what it heard last."""
    if not view.told.repeat or view.role == "manager" or view.told.stop:
        return ""
    return view.own[-1] if view.own else view.heard[-1][1] if view.heard else ""


def said_nothing(view: View) -> str:
    """A message without content."""
    return pick(_STOPPED if view.told.stop else _KEPT[view.role], "nothing", view.key)
