"""Does every alteration that the adapter declares arrive, reach as far as its scope says, and touch nobody else?"""

from __future__ import annotations

import pytest

from aegis_core.adapter import Site
from aegis_core.faults import Moment, Strategy
from aegis_core.run.observation import observe
from aegis_core.run.tape import Tape
from aegis_core.testing.marking import MARK, Redirects, target_at
from aegis_core.testing.script import Script
from aegis_core.testing.stage import Build, Played, Stage
from aegis_core.trajectory import Step, Trajectory

__all__ = ["ActingChecks"]

_TEXTS: tuple[Strategy, ...] = ("prompt_injection", "response_corruption")
_FIRST = Moment(agent="Writer")
_SECOND = Moment(agent="Critic")


class ActingChecks(Stage):
    """Sites, scopes, and who is left alone."""

    def _sites(self, build: Build, *strategies: Strategy) -> list[Site]:
        """The sites that are declared; without a strategy, those of what agents are told and say."""
        found = self.adapter().capabilities(self.built(build, Script()).app).sites
        chosen = [site for site in found if site.strategy in (strategies or _TEXTS)]
        if not chosen:
            pytest.skip(f"the adapter declares no site for {' or '.join(strategies or _TEXTS)}")
        return chosen

    def _clean(self, build: Build) -> Played:
        played = self.recorded(build)
        assert played.error is None, f"the clean run failed: {played.error!r}"
        return played

    def _altered(self, build: Build, moment: Moment, site: Site) -> Played:
        played = self.acted(build, target_at(moment, site))
        assert played.error is None, f"{_name(site)}: the altered run failed: {played.error!r}"
        (entry,) = played.run.ledger().interventions
        assert entry.fired, f"{_name(site)} is declared, but does not fire at {moment}: {entry.reason}"
        assert any(MARK in change.after for change in entry.changes)
        return played

    def test_altered_inputs_reach_as_far_as_declared(self) -> None:
        """The target's model is shown an altered input, now (`ephemeral`) or in its later turns too (`persistent`).

        Repair: write `turn.texts()` into the framework's own objects; for `persistent` into what the agent remembers,
        for `ephemeral` into this request alone. Declare only what works.
        """
        for site in self._sites(self.conversation, "prompt_injection"):
            played = self._altered(self.conversation, _FIRST, site)
            first, *later = played.script.calls_of("Writer")
            assert _holds(first.texts), f"{_name(site)}: the target's model was not shown the altered text"
            kept = [_holds(call.texts) for call in later]
            if site.scope == "persistent":
                assert all(kept), f"{_name(site)}: in its later turn the target is not shown the altered text any more"
            else:
                assert not any(kept), f"{_name(site)}: the alteration is still there in the target's later turn"

    def test_altered_outputs_reach_as_far_as_declared(self) -> None:
        """Others are shown an altered output; its author is, later, under `belief`, and sees its own words else.

        Repair: deliver `delivery.texts()` in the framework's own object. For `outgoing` keep the original where the
        author remembers what it said; for `belief` alter what the model returned, before the agent stores it.
        """
        for site in self._sites(self.conversation, "response_corruption"):
            played = self._altered(self.conversation, _FIRST, site)
            (critic,) = played.script.calls_of("Critic")
            first, later = played.script.calls_of("Writer")
            assert _holds(critic.texts), f"{_name(site)}: the next agent was not shown the altered text"
            believed = any(f"{first.said} {MARK}" in text for text in later.texts)
            if site.scope == "belief":
                assert believed, f"{_name(site)}: the author remembers its original words"
            else:
                assert not believed, f"{_name(site)}: the author is shown the altered text as its own"
                own = any(first.said in text and MARK not in text for text in later.texts)
                assert own, f"{_name(site)}: the author's own words are gone from what it is shown later"

    def test_altered_tool_results_reach_the_caller(self) -> None:
        """The model that asked for a tool is shown the altered result; the tool itself was called as ever.

        Repair: `run.call(turn, "tool", ...)` around the tool, and hand its result to the framework.
        """
        if self.tool_use(Script(), self.way) is None:
            pytest.skip("the framework has no tools")
        site = self._sites(self.tool_use, "environment")[0]
        clean, played = self._clean(self.tool_use), self._altered(self.tool_use, Moment(agent="Clerk"), site)
        asking, answering = played.script.calls_of("Clerk")
        assert not _holds(asking.texts)
        assert _holds(answering.texts), "the model that asked was not shown the altered result"
        assert played.script.tools_used == clean.script.tools_used, "the tool itself was called in another way"

    def test_a_redirected_hand_off_goes_to_the_other_agent(self) -> None:
        """Where `capabilities` says `redirect`, the agent that a hand-off is sent to acts, and the step names it.

        Repair: write the `route` that `end_turn` gives back into the framework's own hand-off.
        """
        if self.handing_over(Script(), self.way) is None:
            pytest.skip("the framework has no hand-offs")
        app = self.built(self.handing_over, Script()).app
        if not self.adapter().capabilities(app).redirect:
            pytest.skip("the adapter redirects no hand-offs")
        target = target_at(_FIRST, Site(strategy="response_corruption", scope="outgoing"))
        played = self.acted(self.handing_over, target, injector=Redirects("Clerk"))
        assert played.error is None, f"the redirected run failed: {played.error!r}"
        assert played.run.ledger().interventions[0].fired, played.run.ledger().interventions[0].reason
        assert [agent for agent, _ in played.script.said()] == ["Writer", "Clerk"], "control did not go to Clerk"
        steps = [step for step in played.trajectory.steps if step.agent == "Writer"]
        assert ("Clerk",) in [step.addressed_to for step in steps], "no step of Writer is addressed to Clerk"

    def test_alterations_are_observed_downstream(self) -> None:
        """By the tapes, a later input of another agent differs by the alteration.

        A label needs this. Repair: let `begin_turn` and `call` have the parts as the agents are really shown them.
        """
        for build, moment in self._targets():
            clean = self._clean(build)
            for site in self._sites(build):
                played = self._altered(build, moment, site)
                seen = self._observed(clean, played)
                assert seen, f"{_name(site)} at {moment}: nobody downstream was shown the difference"

    def _targets(self) -> list[tuple[Build, Moment]]:
        found: list[tuple[Build, Moment]] = [(self.conversation, _FIRST), (self.conversation, _SECOND)]
        if self.nested(Script(), self.way) is not None:
            inside = [step for step in self.recorded(self.nested).spoken if "/" in step.agent]
            assert inside, "nothing is recorded of the agents inside the inner team; their paths are `team/agent`"
            found.append((self.nested, Moment(agent=inside[0].agent)))
        if self.side_by_side(Script(), self.way) is not None:
            step = self.recorded(self.side_by_side).spoken[1]
            found.append((self.side_by_side, Moment(agent=step.agent, branch=step.branch)))
        return found

    def _observed(self, clean: Played, played: Played) -> bool:
        entry = played.run.ledger().interventions[0]
        (before, before_tape), (after, after_tape) = clean.canonical, played.canonical
        tapes = {"clean_tape": before_tape, "faulty_tape": after_tape}
        return bool(observe(entry, clean=before, faulty=after, **tapes))

    def test_what_comes_before_the_target_is_untouched(self) -> None:
        """Up to the target's turn an altered run is the clean one, byte by byte.

        Repair: alter through the parts of the target's own site only; add nothing to a run because it is altered.
        """
        clean = self._clean(self.conversation)
        for site in self._sites(self.conversation):
            played = self._altered(self.conversation, _SECOND, site)
            before, after = _until(clean.canonical[0], _SECOND), _until(played.canonical[0], _SECOND)
            assert after == before, f"{_name(site)}: steps before the target differ from the clean run"
            given, shown = clean.script.calls_of("Writer")[0], played.script.calls_of("Writer")[0]
            assert shown == given, f"{_name(site)}: an agent before the target was shown something else"

    def test_parallel_turns_beside_the_target_are_untouched(self) -> None:
        """A turn at the same time as the target's is the clean one, byte by byte.

        Repair: write altered texts into a copy for the target alone, never into an object that turns share.
        """
        if self.side_by_side(Script(), self.way) is None:
            pytest.skip("the framework has no parallel work")
        clean = self._clean(self.side_by_side)
        target, *others = [_moment(step) for step in clean.spoken[1:-1]]
        assert others, "the system has no turns side by side: build two or more between the first and the last"
        for site in self._sites(self.side_by_side):
            played = self._altered(self.side_by_side, target, site)
            for moment in others:
                before, after = _turn(clean, moment), _turn(played, moment)
                assert after == before, f"{_name(site)} at {target} changes {moment}"

    def test_a_target_that_never_comes_is_not_fired(self) -> None:
        """Nothing is altered where the plan's moment does not come, and the ledger says `not fired`.

        Repair: never claim an alteration for another turn, agent or branch than the moment names.
        """
        clean = self._clean(self.conversation)
        for site in self._sites(self.conversation):
            played = self.acted(self.conversation, target_at(Moment(agent="Writer", turn=9), site))
            (entry,) = played.run.ledger().interventions
            assert not entry.fired, f"{_name(site)}: turn 9 never comes, but something was altered"
            assert entry.reason.startswith("not fired"), entry.reason
            assert played.delivered == clean.delivered, f"{_name(site)}: the run differs from the clean one"

    def test_sites_that_are_not_declared_do_not_fire(self) -> None:
        """What `capabilities` does not list is refused, not tried.

        Repair: pass `scopes=` to `begin_turn` and `end_turn`, `before=` and `after=` to `call`, as declared.
        """
        declared = self.adapter().capabilities(self.built(self.conversation, Script()).app)
        for site in _ALL:
            if declared.offers(site.strategy, site.scope):
                continue
            played = self.acted(self.conversation, target_at(_FIRST, site))
            (entry,) = played.run.ledger().interventions
            assert not entry.fired, f"{_name(site)} is not declared, but fires; declare it, or pass no such scope"


_ALL = (
    Site(strategy="prompt_injection", scope="persistent"),
    Site(strategy="prompt_injection", scope="ephemeral"),
    Site(strategy="response_corruption", scope="outgoing"),
    Site(strategy="response_corruption", scope="belief"),
    Site(strategy="environment", scope="call"),
)


def _name(site: Site) -> str:
    return f"{site.strategy.replace('_', ' ')}, {site.scope}"


def _holds(texts: tuple[str, ...]) -> bool:
    return any(MARK in text for text in texts)


def _moment(step: Step) -> Moment:
    return Moment(agent=step.agent, branch=step.branch, turn=step.turn)


def _until(trajectory: Trajectory, moment: Moment) -> list[str]:
    """The steps before the moment's turn, without who read them, which is a matter of later turns."""
    steps = []
    for step in trajectory.steps:
        if _moment(step) == moment:
            break
        steps.append(step.model_dump_json(exclude={"visible_to"}))
    return steps


def _turn(played: Played, moment: Moment) -> tuple[object, ...]:
    trajectory, tape = played.canonical
    steps = [(step.kind, step.text) for step in trajectory.turn(moment.agent, moment.turn, moment.branch)]
    return steps, _requests(tape, moment)


def _requests(tape: Tape, moment: Moment) -> list[tuple[str, ...]]:
    entries = [entry for entry in tape.entries if entry.key.moment == moment]
    return [tuple(part.text for part in entry.request) for entry in entries]
