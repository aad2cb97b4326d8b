"""The manager: reads what was said, decides whose turn it is, hands on what is asked, and says when it is over."""

from __future__ import annotations

from aegis_core.world.model.chance import pick
from aegis_core.world.model.results import objects
from aegis_core.world.model.roles.evasion import said_nothing
from aegis_core.world.model.roles.planner import brief, shares
from aegis_core.world.model.roles.solver import conclusion_of
from aegis_core.world.model.view import View
from aegis_core.world.model.voices import Piece, at_length, composed

__all__ = ["speak"]

_ORDERS: dict[str, tuple[str, ...]] = {
    "solver": (
        "{name}, please work it out from the notes.",
        "Next: {name}. Time to compute.",
        "{name}: with these notes the computation can begin.",
        "Over to {name} for the working.",
    ),
    "again": (
        "{name}, please go over it once more in the light of the review.",
        "Next: {name}, with another attempt.",
        "{name}: the review has found something, please take it up.",
        "Over to {name} once more.",
    ),
    "critic": (
        "{name}, please have a look at this.",
        "Next: {name}, with a second opinion.",
        "{name}: what do you make of the draft?",
        "Over to {name} for the review.",
    ),
    "reporter": (
        "{name}, please sum up.",
        "Next: {name}, for the summary.",
        "{name}: we are ready for the summary.",
        "Over to {name} to close.",
    ),
    "member": (
        "{name}, please contribute.",
        "Next: {name}.",
        "{name}: your turn.",
        "Over to {name}.",
    ),
}
_FINISHED = (
    "We are finished, thank you.",
    "That settles it; the work is complete.",
    "Everything is in place, so I close the session.",
    "All of this is agreed, and with that we are done.",
)
_ANOTHER_ROUND = (
    "There is no agreement yet, another round for everyone.",
    "The contributions differ, so we go on with one more round.",
    "We are not there yet: one more round, with the others' arguments in mind.",
    "Opinions are split; everybody gets another turn.",
)
PATIENCE = 3
"""How often a manager sends work back before it lets the work pass as it is."""


def speak(view: View, rate: float) -> str:
    """Whose turn it is, with what has to be known for it; or that the work is over."""
    del rate
    if view.told.stop or view.told.withhold:
        return said_nothing(view)
    others = [role for role in ("solver", "critic", "researcher") if view.members(role)]
    if others == ["solver"]:
        return composed(view, (Piece(at_length(view, "leading")), Piece((_moderated(view),), "next")), open_ended=False)
    name, kind = _next(view)
    if not name:
        return composed(
            view,
            (Piece(at_length(view, "leading", "end")), Piece((pick(_FINISHED, "finished", view.key),), "next")),
            open_ended=False,
        )
    order = pick(_ORDERS.get(kind, _ORDERS["member"]), "order", view.key, kind).format(name=name)
    dealt = [line for line in shares(view) if line.startswith(name)] if kind == "researcher" else []
    return composed(
        view,
        (
            Piece(at_length(view, "leading", len(view.own))),
            Piece(brief(view), "question"),
            Piece(dealt[:1] or (order,), "next"),
        ),
        open_ended=False,
    )


def _moderated(view: View) -> str:
    """Whether those who debate agree by now, as far as their last words tell."""
    latest = {author: conclusion_of(view, (author, text)) for author, text in view.results}
    values = [value for value in latest.values() if value is not None]
    agreed = len(values) == len(latest) > 0 and all(value.same(values[0]) for value in values)
    return pick(_FINISHED if agreed and not view.told.go_on else _ANOTHER_ROUND, "round", view.key, len(view.own))


def _next(view: View) -> tuple[str, str]:
    """The next speaker and what it is wanted for; "" if the work is over."""
    spoken = [author for author, _ in view.heard]
    roles = dict(view.roster)
    last = next((author for author in reversed(spoken) if author != view.name), "")
    if view.told.repeat and last:
        return last, "again" if roles.get(last) == "solver" else roles.get(last, "")
    for name in view.members("researcher"):
        if name not in spoken:
            return name, "researcher"
    solver = next((name for name in view.members("solver")), "")
    if solver and not any(author == solver for author in spoken):
        return solver, "solver"
    checked = _unchecked(view, spoken)
    if checked:
        return checked, "critic"
    sent_back = spoken.count(solver) - 1
    verdicts = [text for author, text in view.heard if roles.get(author) in ("critic", "verifier", "proxy")]
    refused = roles.get(last) in ("critic", "verifier", "proxy") and bool(verdicts) and objects(verdicts[-1])
    if solver and (view.told.go_on or (refused and sent_back < PATIENCE)):
        return solver, "again"
    for name in (*view.members("reporter"), *view.members("proxy")):
        if name not in spoken[_last(spoken, solver) :]:
            return name, roles[name]
    return "", ""


def _last(spoken: list[str], name: str) -> int:
    return len(spoken) - 1 - spoken[::-1].index(name) if name in spoken else 0


def _unchecked(view: View, spoken: list[str]) -> str:
    """Who has not yet looked at the last draft."""
    if view.told.skip_check:
        return ""
    since = spoken[_last(spoken, next(iter(view.members("solver")), "")) :]
    roles = dict(view.roster)
    if any(roles.get(a) in ("critic", "verifier") and objects(t) for a, t in view.heard[len(spoken) - len(since) :]):
        return ""
    return next((name for name in (*view.members("critic"), *view.members("verifier")) if name not in since), "")
