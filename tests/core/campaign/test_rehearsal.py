"""A rehearsal shows the injector what it will be shown in the run, and believes only what it says at once."""

import asyncio

import pytest

from aegis_core.campaign.journal import RunRecord
from aegis_core.campaign.rehearsal import Rehearsal
from aegis_core.faults import Moment, Target
from aegis_core.injector import Edits, Refused
from aegis_core.store import read
from tests.core.campaign import team

SCOPES = {"prompt_injection": "persistent", "response_corruption": "outgoing"}


def target(strategy="response_corruption", agent="Critic") -> Target:
    return Target(moment=Moment(agent=agent), mode=team.MODE, strategy=strategy, scope=SCOPES[strategy])


class Listening(team.Garbler):
    """A Garbler that keeps what it is shown."""

    def __init__(self):
        self.shown = []

    async def alter(self, context, target, attempt):
        self.shown.append((target.strategy, target.moment.agent, context))
        return await super().alter(context, target, attempt)


@pytest.fixture
def clean(tmp_path) -> RunRecord:
    team.campaign(tmp_path, tasks=team.tasks(1), rehearse=False).run()
    return next(run for run in read(tmp_path / "journal.jsonl", RunRecord) if run.arm == "clean")


def test_it_shows_the_injector_what_the_run_shows(tmp_path):
    injector = Listening()
    team.campaign(tmp_path, tasks=team.tasks(1), injector=injector, rehearse=False, pair_share=0.0).run()
    runs = list(read(tmp_path / "journal.jsonl", RunRecord))
    clean = runs[0]
    fired = [run for run in runs if run.arm == "fault" and run.plan.targets[0].scope in SCOPES.values()]
    assert fired

    for run in fired:
        aimed = run.plan.targets[0]
        injector.shown.clear()
        assert not Rehearsal(injector).refuses(clean, aimed, index=0, seed=run.plan.seed)
        rehearsed = injector.shown.pop()[2]
        change = run.ledger.interventions[0].changes[0]
        assert change.before in [part.text for part in rehearsed.parts]
        edits = asyncio.run(team.Garbler().alter(rehearsed, aimed, 1))
        assert change.after in edits.texts.values()


def test_a_refusal_is_found_out_without_a_run(clean):
    class Shy(team.Garbler):
        async def alter(self, context, target, attempt):
            return Refused("no")

    assert Rehearsal(Shy()).refuses(clean, target(), index=0, seed=1)
    assert not Rehearsal(team.Garbler()).refuses(clean, target(), index=0, seed=1)


def test_an_edit_that_changes_nothing_is_a_refusal(clean):
    class Idle(team.Garbler):
        async def alter(self, context, target, attempt):
            return Edits(texts={part.id: part.text for part in context.parts}, realisation="idle")

    assert Rehearsal(Idle()).refuses(clean, target(), index=0, seed=1)


def test_an_injector_that_waits_or_breaks_is_left_to_the_run(clean):
    class Slow(team.Garbler):
        async def alter(self, context, target, attempt):
            await asyncio.sleep(30)
            return Refused("too late")

    class Broken(team.Garbler):
        async def alter(self, context, target, attempt):
            raise KeyError("oops")

    for injector in (Slow(), Broken()):
        assert not Rehearsal(injector).refuses(clean, target(), index=0, seed=1)


def test_a_campaign_plans_nothing_that_would_be_refused(tmp_path):
    class OnlyTheReader(team.Garbler):
        async def alter(self, context, target, attempt):
            if target.moment.agent != "Reader":
                return Refused("not mine")
            return await super().alter(context, target, attempt)

    settings = {"tasks": team.tasks(4), "injector": OnlyTheReader(), "pair_share": 0.0}
    asked = team.campaign(tmp_path / "asked", **settings).run()
    tried = team.campaign(tmp_path / "tried", **settings, rehearse=False).run()

    assert "refused" not in asked.discarded
    assert tried.discarded["refused"] > 0
    assert set(asked.labels_by_agent) == {"Reader"}
