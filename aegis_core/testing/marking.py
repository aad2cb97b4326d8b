"""Injectors whose alterations can be found again anywhere: a sentence that nothing else says, another addressee."""

from __future__ import annotations

from aegis_core.adapter import Site
from aegis_core.faults import Moment, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused

__all__ = ["MARK", "Marks", "Redirects", "target_at"]

MARK = "Mind the zebra at gate nineteen."


class Redirects(Injector):
    """Sends a hand-off to another agent, and alters no text."""

    name = "redirects"

    def __init__(self, route: str) -> None:
        self._route = route

    def realisations(self) -> tuple[Realisation, ...]:
        """None: it causes no error mode."""
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:  # noqa: ARG002
        """The other addressee."""
        return Edits(texts={}, realisation="redirect", route=self._route)


class Marks(Injector):
    """Appends the mark to the longest text of the site that may be edited, the last one of several."""

    name = "marks"

    def realisations(self) -> tuple[Realisation, ...]:
        """None: it causes no error mode."""
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits | Refused:  # noqa: ARG002
        """The mark at the end of an editable text, or a refusal where no text may be edited."""
        found = [part for part in context.parts if part.editable]
        if not found:
            return Refused("no part of this site may be edited")
        chosen = max(reversed(found), key=lambda part: len(part.text))
        return Edits(texts={chosen.id: f"{chosen.text} {MARK}"}, realisation="mark")


def target_at(moment: Moment, site: Site) -> Target:
    """A target of the kit. Its mode does not matter: the kit proves that alterations arrive, not that they err."""
    return Target(moment=moment, mode="FM-2.6", strategy=site.strategy, scope=site.scope)
