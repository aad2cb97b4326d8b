"""Does the record keep apart what must be: injections from others, labels from trajectories, secrets from files?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from aegis_core.faults import Ledger, Moment
from aegis_core.run import Tape
from aegis_core.run.observation import overheard
from aegis_core.testing.marking import MARK, target_at
from aegis_core.testing.script import Script
from aegis_core.testing.stage import Played, Stage
from aegis_core.trajectory import Trajectory

__all__ = ["WallChecks"]

_IN_ENVIRONMENT = "aegis-environment-2c9d77e1"


class WallChecks(Stage):
    """Overhearing, traces of injections, files, secrets."""

    def test_nobody_overhears_an_injection(self) -> None:
        """What is injected into one agent's input is shown to no other, even where agents share their memory.

        Repair: give the altered text to the target alone and keep the original in what is shared.
        """
        clean = self.recorded(self.conversation)
        for site in self._injections():
            for agent in ("Writer", "Critic"):
                played = self.acted(self.conversation, target_at(Moment(agent=agent), site))
                told = played.script.saw(MARK)
                assert agent in told, f"{site.scope}: the target itself was not shown the injection"
                assert told == {agent}, f"{site.scope} at {agent}: also shown to {sorted(told - {agent})}"
                (entry,) = played.run.ledger().interventions
                tapes = {"clean_tape": clean.run.tape(), "faulty_tape": played.run.tape()}
                assert not overheard(entry, faulty=played.trajectory, **tapes), f"{site.scope} at {agent}: by the tape"

    def test_the_trajectory_holds_no_trace_of_an_injection(self) -> None:
        """An altered run's trajectory has the same fields as a clean one, and nothing in it tells what was done.

        Repair: record steps by `end_turn` alone, as delivered; write nothing of turn, target or ledger into them.
        """
        clean = self.recorded(self.conversation)
        fields = _fields(json.loads(clean.canonical[0].model_dump_json()))
        for site in self.adapter().capabilities(self.built(self.conversation, Script()).app).sites:
            if site.strategy == "environment":
                continue
            played = self.acted(self.conversation, target_at(Moment(agent="Writer"), site))
            written = played.canonical[0].model_dump_json()
            where = f"{site.strategy} {site.scope}"
            assert _fields(json.loads(written)) == fields, f"{where}: the trajectory has other fields than a clean one"
            if site.strategy == "prompt_injection":
                assert MARK not in written, f"{where}: the injected text stands in the trajectory"
            else:
                steps = [step.text for step in played.trajectory.steps]
                original = clean.said[0][1]
                assert original not in steps, f"{where}: the original of the altered text stands in the trajectory"
                assert any(MARK in step for step in steps), f"{where}: the altered text is not recorded as delivered"

    def _injections(self) -> list[Any]:
        sites = self.adapter().capabilities(self.built(self.conversation, Script()).app).sites
        found = [site for site in sites if site.strategy == "prompt_injection"]
        if not found:
            pytest.skip("the adapter declares no prompt injection")
        return found

    def test_records_survive_json(self) -> None:
        """Trajectory, tape and ledger are equal after a round trip through JSON.

        Repair: put plain data alone into `content`, `data`, payloads and `extra`.
        """
        for name, build in self.systems().items():
            _assert_survives(name, self.recorded(build))
        for where, played in self._odd():
            _assert_survives(where, played)

    def test_secrets_are_not_recorded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Keys and headers of a client, and the environment, are in no file.

        Repair: record the texts of requests, not the keywords of the call; of options only those that you know.
        """
        monkeypatch.setenv("SOME_API_KEY", _IN_ENVIRONMENT)
        for name, build in self.systems().items():
            script = Script()
            written = self.recorded(build, script).written()
            held = {script.api_key, script.header}
            assert script.secrets >= held, f"`{name}`: give `script.api_key` and `script.header` to your model's client"
            assert not (leaked := _leaked(written)), f"`{name}`: recorded: {leaked}"
        for where, played in self._odd():
            written = played.written() + played.run.ledger().model_dump_json()
            assert not (leaked := _leaked(written)), f"{where}: recorded: {leaked}"

    def _odd(self) -> Iterator[tuple[str, Played]]:
        """Runs that do not go well: altered at each declared site, so that the ledger holds something, and failed."""
        for site in self.adapter().capabilities(self.built(self.conversation, Script()).app).sites:
            if site.strategy == "environment":
                continue
            played = self.acted(self.conversation, target_at(Moment(agent="Writer"), site))
            where = f"`conversation`, altered by {site.strategy} {site.scope}"
            assert played.run.ledger().interventions, f"{where}: nothing in the ledger"
            yield where, played
        failed = self.recorded(self.conversation, Script(fails="Critic"))
        assert failed.error is not None, "`conversation` does not fail when the model of Critic does"
        yield "`conversation`, after an exception", failed


def _assert_survives(where: str, played: Played) -> None:
    for kind, record in (
        (Trajectory, played.trajectory),
        (Tape, played.run.tape()),
        (Ledger, played.run.ledger()),
    ):
        again = kind.model_validate_json(record.model_dump_json())
        assert again == record, f"{where}: the {kind.__name__.lower()} is another one after a round trip"


def _leaked(written: str) -> list[str]:
    script = Script()
    return [secret for secret in (script.api_key, script.header, _IN_ENVIRONMENT) if secret in written]


def _fields(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {*value, *(name for child in value.values() for name in _fields(child))}
    return {name for child in value for name in _fields(child)} if isinstance(value, list) else set()
