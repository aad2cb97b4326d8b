"""`InjectorConformance`: the contract of injectors as checks that pytest runs."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from aegis_core.adapter import Part
from aegis_core.faults import Moment, Scope, Strategy, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation, Refused
from aegis_core.plugins.kinds import Kind
from aegis_core.taxonomy import MAST
from aegis_core.testing.kits.offer import OfferKit
from aegis_core.trajectory import Agent

__all__ = ["InjectorConformance"]

_AGENTS = tuple(Agent(path=path, role=f"You are the {path.lower()}.") for path in ("Planner", "Solver", "Critic"))
_TASK = (
    "A depot has 12 crates of 8 bottles each, and 9 bottles are broken. How many whole bottles are there? Give the "
    "answer in bottles, as a whole number."
)
_TOLD = (
    "There are 12 crates of 8 bottles each. 9 bottles are broken. Give the answer as a whole number of bottles. "
    "Report every figure that you use."
)
_SAID = (
    "Here is what I have found, step by step.\n12 crates x 8 bottles = 96 bottles. 9 bottles are broken.\n"
    "96 - 9 = 87 bottles.\nAnswer: 87 bottles"
)
_NARROW: dict[Strategy, Scope] = {
    "prompt_injection": "persistent",
    "response_corruption": "outgoing",
    "environment": "call",
}
_ODD = ("", " ", "\n\n", "?", "{}", '{"answer": null}', "\x00\x1b[0m", "\u202eabc", "a" * 20_000, "0", "\U0001f600" * 9)


class InjectorConformance(OfferKit):
    """What every injector has to keep to. Fill in `name`; `context`, where the kit's texts give it nothing to alter."""

    kind: ClassVar[Kind] = "injector"
    deterministic: ClassVar[bool] = True
    """Whether equal contexts give equal edits; False for one that asks a model which draws."""

    def context(self, way: Realisation) -> InjectionContext:
        """A context in which this way causes its mode: what the target is told, or what it has said."""
        told = (Part(id="told", text=_TOLD, role="user"),)
        said = (Part(id="said", text=_SAID, role="assistant"),)
        before = way.strategy == "prompt_injection"
        return InjectionContext(
            task=_TASK, agent=_AGENTS[1], agents=_AGENTS, parts=told if before else said,
            scope=_NARROW[way.strategy], seed=7, seen=() if before else told, history=(("Planner", _TOLD),),
        )  # fmt: skip

    # -- how the kit asks ------------------------------------------------------------------------------------------

    def _ways(self) -> tuple[Realisation, ...]:
        ways = self.made().realisations()
        assert ways, "it has no realisations: nothing that it does could become a label"
        return tuple(ways)

    def _asked(
        self, way: Realisation, context: InjectionContext, attempt: int = 1, injector: Injector | None = None
    ) -> Edits | Refused:
        target = Target(
            moment=Moment(agent=context.agent.path), mode=way.mode, strategy=way.strategy, scope=context.scope,
            realisation=way.name,
        )  # fmt: skip
        found = asyncio.run((injector or self.made()).alter(context, target, attempt))
        assert isinstance(found, Edits | Refused), f"{way.name}: gave a {type(found).__name__}"
        return found

    def _edits(self) -> Iterator[tuple[Realisation, InjectionContext, Edits]]:
        for way in self._ways():
            context = self.context(way)
            found = self._asked(way, context)
            assert isinstance(found, Edits), f"{way.name}: refused: {found.reason}; give a `context` in which it works"
            yield way, context, found

    # -- checks ----------------------------------------------------------------------------------------------------

    def test_its_ways_are_listed_once_each_and_in_a_fixed_order(self) -> None:
        """Every realisation has a name of its own within its mode and strategy, and a mode that is known.

        Repair: make `realisations` a constant; offer the mode itself by `aegis_error_modes`, if it is yours.
        """
        ways = self._ways()
        assert self._ways() == ways, "two look-ups list other realisations, or in another order"
        keys = [(way.mode, way.strategy, way.name) for way in ways]
        assert len(set(keys)) == len(keys), f"listed twice: {sorted({str(key) for key in keys if keys.count(key) > 1})}"
        known = self.plugins().error_modes()
        unknown = sorted({way.mode for way in ways} - set(known))
        assert not unknown, f"no taxonomy knows the modes {unknown}"

    def test_each_way_alters_a_text_and_says_which_it_was(self) -> None:
        """In a context that is made for it, a way gives other texts, and its own name.

        Repair: `Edits(texts={part.id: new}, realisation=...)` with the name of the realisation that was asked for.
        """
        for way, context, edits in self._edits():
            assert edits.realisation == way.name, f"asked for {way.name!r}, it says that it was {edits.realisation!r}"
            texts = {part.id: part.text for part in context.parts}
            changed = [part_id for part_id, text in edits.texts.items() if text != texts.get(part_id)]
            assert changed or edits.route, f"{way.name}: nothing is changed; refuse instead"

    def test_the_same_seed_gives_the_same_edits(self) -> None:
        """A context that is equal gives equal edits, in another instance and after other work too.

        Repair: draw from `random.Random(context.seed)`; no global random numbers, no clock, no `hash` of a text, no
        state.
        """
        if not self.deterministic:
            return
        first = [edits for _, _, edits in self._edits()]
        shared = self.made()
        for attempt in (1, 2):
            again = [self._asked(way, self.context(way), injector=shared) for way in self._ways()]
            assert again == first, f"in round {attempt} of one instance the edits differ"

    def test_only_parts_that_may_be_edited_are(self) -> None:
        """Edits name parts of the context, and none whose `editable` is False.

        Repair: look at `part.editable` before anything else; refuse where nothing is left.
        """
        for way, context, edits in self._edits():
            wrong = set(edits.texts) - {part.id for part in context.parts if part.editable}
            assert not wrong, f"{way.name}: edits {sorted(wrong)}, which are no editable parts of the context"
            fixed = tuple(part.model_copy(update={"editable": False}) for part in context.parts)
            found = self._asked(way, replace(context, parts=fixed))
            assert isinstance(found, Refused), f"{way.name}: no part may be edited, but it does not refuse"
            beside = tuple(part.model_copy(update={"id": f"fixed {part.id}"}) for part in fixed)
            mixed = self._asked(way, replace(context, parts=(*beside, *context.parts)))
            touched = [] if isinstance(mixed, Refused) else [part for part in mixed.texts if part.startswith("fixed ")]
            assert not touched, f"{way.name}: edits {touched}, which may not be edited"

    def test_nothing_that_it_was_given_is_changed(self) -> None:
        """The context is the same afterwards: it belongs to the run.

        Repair: build new texts; never write into a part's `data`, the history or the agents.
        """
        for way in self._ways():
            context = self.context(way)
            parts = tuple(part.model_copy(update={"data": {"figures": [1, 2]}}) for part in context.parts)
            context = replace(context, parts=parts)
            before = copy.deepcopy(context)
            self._asked(way, context)
            assert context == before, f"{way.name}: the context was changed"

    def test_where_there_is_nothing_to_alter_it_refuses_with_a_reason(self) -> None:
        """No parts, or texts of any kind: a refusal says why, and is no exception.

        A refused target costs nothing and is counted; an exception is a bug that hides as one.
        Repair: return `Refused(reason)`.
        """
        for way in self._ways():
            context = self.context(way)
            found = self._asked(way, replace(context, parts=()))
            assert isinstance(found, Refused), f"{way.name}: there are no parts, but it does not refuse"
            assert found.reason.strip(), f"{way.name}: refuses without a reason"
            for text in _ODD:
                part = context.parts[0].model_copy(update={"text": text})
                try:
                    odd = self._asked(way, replace(context, parts=(part,), seen=(), history=(), task=text))
                except Exception as error:  # what is checked
                    raise AssertionError(f"{way.name}: raises {error!r} at the text {text[:20]!r}") from error
                if isinstance(odd, Edits):
                    assert set(odd.texts) <= {part.id}, f"{way.name}: edits parts that are not there"

    def test_a_mode_or_way_that_it_does_not_know_is_refused(self) -> None:
        """Asked for what it does not offer, it refuses.

        Repair: look the target's `mode`, `strategy` and `realisation` up in what `realisations` lists.
        """
        ways = self._ways()
        own = {(way.mode, way.strategy) for way in ways}
        strategies: tuple[Strategy, ...] = ("prompt_injection", "response_corruption")
        others = [(mode.id, strategy) for mode in MAST for strategy in strategies if (mode.id, strategy) not in own]
        for mode, strategy in others[:4]:
            way = Realisation(name="no such way", mode=mode, strategy=strategy)
            found = self._asked(way, self.context(way))
            assert isinstance(found, Refused), f"it does not offer {mode} by {strategy}, but does not refuse"
        found = self._asked(ways[0].model_copy(update={"name": "no such way"}), self.context(ways[0]))
        assert isinstance(found, Refused), "there is no such realisation, but it does not refuse"
