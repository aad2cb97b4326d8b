"""Is a recorded run served from its tape as it was, and does a run that leaves its tape say so?"""

from __future__ import annotations

import pytest

from aegis_core.adapter import ReplayLevel
from aegis_core.errors import ReplayDrift
from aegis_core.faults import Moment
from aegis_core.run import Tape
from aegis_core.testing.marking import MARK, target_at
from aegis_core.testing.script import Script
from aegis_core.testing.stage import Build, Played, Stage

__all__ = ["ReplayChecks"]

_CONTROLLED = {"conversation": ("Writer", "Critic"), "tool_use": ("Clerk",)}
"""Systems with null controls, and the agents at which they are."""


class ReplayChecks(Stage):
    """Prefixes, drift, null controls."""

    def _levels(self, build: Build) -> tuple[ReplayLevel, ...]:
        levels = self.levels(build)
        if not levels:
            pytest.skip("the adapter says that it can serve nothing (`replay`)")
        return levels

    def test_the_prefix_is_served_without_live_calls(self) -> None:
        """Before the target no model and no tool is really called; the steps are those of the tape.

        Repair: `run.call` around every model, tool and node, with a codec whose `decode` makes an equal result.
        """
        for name, build in self.systems().items():
            levels = self.levels(build)
            clean = self.recorded(build)
            tape = clean.canonical[1]
            last = clean.spoken[-1]
            moment = Moment(agent=last.agent, branch=last.branch, turn=last.turn)
            inside = _from(tape, moment)  # a last turn that holds others begins before them
            for level in levels:
                for site in self.adapter().capabilities(self.built(build, Script()).app).sites:
                    if site.strategy == "environment":
                        continue
                    played = self.acted(build, target_at(moment, site), served=tape, level=level)
                    where = f"`{name}`, level {level}, {site.strategy} {site.scope}"
                    assert not played.run.void, f"{where}: the run drifted: {played.run.void}"
                    assert played.error is None, f"{where}: the served run failed: {played.error!r}"
                    live = {heard.agent for heard in played.script.heard}
                    own = {turn.agent for turn in inside} if site.strategy == "prompt_injection" else set()
                    assert live <= own, f"{where}: models of {sorted(live - own)} were called before the target"
                    uses = [] if name != "tool_use" or not own else played.script.tools_used
                    assert not uses, f"{where}: tools were used before the target: {uses}"
                    assert played.run.ledger().interventions[0].fired, f"{where}: the target did not fire"
                    assert _before(played, inside) == _before(clean, inside), (
                        f"{where}: the prefix is not what was recorded"
                    )

    def test_a_run_that_is_served_to_its_end_is_the_recorded_one(self) -> None:
        """With nothing to alter, a served run has the same record and result, and calls nobody.

        Repair: let `codec.decode(codec.encode(result))` equal the result, ids and classes included.
        """
        for name, build in self.systems().items():
            clean = self.recorded(build)
            for level in self.levels(build):
                played = self.acted(build, served=clean.run.tape(), level=level)
                assert not played.run.void, f"`{name}`, level {level}: {played.run.void}"
                assert not played.script.heard, f"`{name}`, level {level}: models were called: {played.script.said()}"
                assert played.result == clean.result, f"`{name}`, level {level}: another result"
                assert played.turns() == clean.turns(), f"`{name}`, level {level}: other steps"

    def test_a_run_that_leaves_its_tape_is_void(self) -> None:
        """Another task is another input: the run stops being served before it calls anybody, and says why.

        Repair: let `normalise` remove random ids and times only, and let `ReplayDrift` pass through the framework.
        """
        clean = self.recorded(self.conversation)
        for level in self._levels(self.conversation):
            for site in self.adapter().capabilities(self.built(self.conversation, Script()).app).sites:
                target = target_at(Moment(agent="Writer", turn=2), site)
                other = "How many crates does hall 28 hold?"
                played = self.acted(self.conversation, target, served=clean.canonical[1], level=level, task=other)
                assert played.run.void, (
                    f"level {level}: served a run on another task from the tape, and no drift is told"
                )
                assert played.error is not None, f"level {level}: the run went on after it had left its tape"
                told = isinstance(played.error, ReplayDrift) or "tape" in str(played.error)
                assert told, f"level {level}: the drift is hidden behind {played.error!r}"
                assert not played.script.heard, f"level {level}: models were called after the drift"

    def test_a_null_control_is_the_clean_run(self) -> None:
        """Sending a text through the whole edit path and putting it back unchanged changes nothing at all.

        Repair: write texts into copies of the framework's objects without touching anything else of them.
        """
        self._levels(self.conversation)
        for name, agents in _CONTROLLED.items():
            if name not in self.systems():
                continue
            build = self.systems()[name]
            clean = self.recorded(build)
            tape = clean.run.tape()  # with the ids of calls that the result has, which a dataset's tape has not
            for level in self.levels(build):
                for site in self.adapter().capabilities(self.built(build, Script()).app).sites:
                    if site.strategy == "environment":
                        continue
                    for moment in (Moment(agent=agent) for agent in agents):
                        played = self.acted(build, target_at(moment, site), served=tape, level=level, arm="null")
                        where = f"`{name}`, {site.strategy} {site.scope} at {moment}, level {level}"
                        assert not played.run.void, f"{where}: {played.run.void}"
                        assert played.result == clean.result, f"{where}: another result"
                        steps = played.canonical[0].steps
                        assert steps == clean.canonical[0].steps, f"{where}: the steps are not those of the clean run"

    def test_a_served_run_goes_live_behind_the_target(self) -> None:
        """After an alteration in a served run the models downstream are really called, with the altered text.

        Repair: serve a call only where `run.call` does; keep no results of your own.
        """
        clean = self.recorded(self.conversation)
        for level in self._levels(self.conversation):
            for site in self.adapter().capabilities(self.built(self.conversation, Script()).app).sites:
                if site.strategy != "response_corruption":
                    continue
                target = target_at(Moment(agent="Writer"), site)
                played = self.acted(self.conversation, target, served=clean.canonical[1], level=level)
                heard = [heard.agent for heard in played.script.heard]
                assert heard == ["Critic", "Writer"], f"level {level}, {site.scope}: called live: {heard}"
                assert any(MARK in text for text in played.script.heard[0].texts), f"level {level}, {site.scope}"


def _from(tape: Tape, moment: Moment) -> set[Moment]:
    """The turns that begin with this one or after it, by the tape."""
    turns = list(tape.moments())
    return set(turns[turns.index(moment) :])


def _before(played: Played, later: set[Moment]) -> list[tuple[Moment, list[str]]]:
    return [turn for turn in played.turns() if turn[0] not in later]
