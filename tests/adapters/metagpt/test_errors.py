"""Errors: MetaGPT swallows them, raises their text instead, or fails while it tidies up after them."""

from __future__ import annotations

import asyncio
import functools

import pytest
from metagpt.actions import UserRequirement
from metagpt.context import Context
from metagpt.environment import Environment
from metagpt.schema import Message
from metagpt.team import Team
from metagpt.utils.common import NoMoneyException

import aegis_core as aegis
from aegis_core.errors import RecorderWarning, RunLimitReached
from aegis_core.run import Limits, Run, RunInfo
from aegis_core.trajectory import Usage
from aegis_metagpt.adapter import MetaGPTAdapter
from aegis_metagpt.entry import TooManyRoundsError
from tests.adapters.metagpt.teams import TASK, Ask, ListLLM, Rex, Wanda, Write, chain, recorded, role, said, team

pytestmark = pytest.mark.framework


class OutOfOrderError(Exception):
    pass


def broken() -> OutOfOrderError:
    return OutOfOrderError("the model is out of order")


@pytest.mark.case("metagpt-24")
def test_an_error_that_the_team_swallows_is_recorded_with_its_true_type() -> None:
    app, _ = chain(rex=ListLLM(broken()))

    run = recorded(app)

    assert run.result is None
    assert said(run) == [("Wanda", "W1 said")]
    (step,) = [step for step in run.trajectory.steps if step.kind == "error"]
    assert (step.agent, step.turn, step.text) == ("Rex", 1, "OutOfOrderError: the model is out of order")
    error = run.trajectory.error
    assert (error.type, error.message, error.agent) == ("OutOfOrderError", "the model is out of order", "Rex")
    assert run.trajectory.final_output is None


def test_what_a_turn_spent_that_ends_by_an_exception_is_told_in_its_error() -> None:
    class TwoAsked(Ask):
        async def run(self, history: list[Message]) -> str:
            await self._aask("first")
            return await self._aask("second")

    context = Context()
    app = team(role(Wanda, ListLLM("W1 said", broken()), [TwoAsked], [UserRequirement], context), context=context)

    run = recorded(app)

    (step,) = run.trajectory.steps
    assert (step.kind, step.model, step.usage) == ("error", "gpt-4o", Usage(input_tokens=7, output_tokens=3))


def test_what_a_call_spent_that_raises_afterwards_is_told_in_the_error() -> None:
    class Unreadable(ListLLM):
        def get_choice_text(self, rsp: dict) -> str:
            raise broken()

    app, _ = chain(wanda=Unreadable("W1 said"))

    run = recorded(app)

    assert run.trajectory.steps[-1].usage == Usage(input_tokens=7, output_tokens=3)


def test_what_starts_a_team_for_a_campaign_raises_what_a_team_swallows() -> None:
    error = broken()
    app, _ = chain(rex=ListLLM(error))

    with pytest.raises(OutOfOrderError) as raised:
        asyncio.run(MetaGPTAdapter().start(app, TASK))

    assert raised.value is error


class OwnTeam(Team):
    async def run(self, **more):
        done = await super().run(**more)
        return done if more.get("quiet") is None else None


class StrictTeam(Team):
    async def run(self, n_round=3, idea="", send_to="", auto_archive=True):
        self.run_project(idea)
        for _ in range(n_round):
            await self.env.run()
        return "done"


def own_team(cls: type[Team], answer: object) -> Team:
    context = Context()
    made = cls(context=context)
    made.hire([role(Wanda, ListLLM(answer), [Write], [UserRequirement], context)])
    return made


def test_an_error_is_recorded_of_a_team_that_calls_the_run_of_its_base() -> None:
    run = recorded(own_team(OwnTeam, broken()))

    assert run.result is None
    assert run.trajectory.error.type == "OutOfOrderError"
    with pytest.raises(OutOfOrderError), aegis.record(own_team(OwnTeam, broken())) as again:
        asyncio.run(MetaGPTAdapter().start(again.app, TASK))


def test_an_error_is_recorded_though_another_tool_has_wrapped_the_run_of_teams(monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = Team.run, []

    @functools.wraps(real)
    async def wrapped(self, *args, **kwargs):
        calls.append(self)
        return await real(self, *args, **kwargs)

    monkeypatch.setattr(Team, "run", wrapped)
    app, _ = chain(rex=ListLLM(broken()))

    run = recorded(app)

    assert calls == [app]
    assert run.result is None
    assert run.trajectory.error.type == "OutOfOrderError"
    assert said(recorded(chain()[0])) == [("Wanda", "W1 said"), ("Rex", "R1 said"), ("Pam", "P1 said")]


def test_an_error_leaves_a_team_that_swallows_none() -> None:
    app = own_team(StrictTeam, broken())

    with pytest.raises(Exception, match="out of order"), aegis.record(app):
        asyncio.run(app.run(idea=TASK))

    assert said(recorded(own_team(StrictTeam, "W1 said"))) == [("Wanda", "W1 said")]


def test_a_team_without_money_is_a_failed_run() -> None:
    app, _ = chain()
    app.invest(0.0)

    run = recorded(app)

    assert run.result is None
    assert run.trajectory.error.type == NoMoneyException.__name__


def test_the_text_that_a_role_makes_of_an_error_is_the_same_with_and_without_recording() -> None:
    def environment() -> Environment:
        context = Context()
        made = Environment(context=context)
        made.add_roles([role(Wanda, ListLLM(broken()), [Write], [UserRequirement], context)])
        return made

    def failure(app: Environment) -> Exception:
        app.publish_message(Message(role="Human", content=TASK, cause_by=UserRequirement))
        with pytest.raises(Exception, match="out of order") as raised:
            asyncio.run(app.run())
        return raised.value

    plain, app = failure(environment()), environment()
    with aegis.record(app) as run:
        told = failure(app)

    assert (type(told), str(told)) == (type(plain), str(plain))
    assert run.trajectory.steps[-1].text == "OutOfOrderError: the model is out of order"


class Forgets(Ask):
    """Makes its role forget what it has observed, and then fails."""

    async def run(self, history):
        history.clear()
        raise broken()


@pytest.mark.case("metagpt-N9")
def test_an_error_is_recorded_though_tidying_up_after_it_fails_too() -> None:
    """FoundationAgents/MetaGPT#1657: the observed message is deleted from a memory that does not hold it."""
    context = Context()
    app = team(role(Wanda, ListLLM("-"), [Forgets], [UserRequirement], context), context=context)

    run = recorded(app)

    (step,) = run.trajectory.steps
    assert (step.kind, step.text) == ("error", "OutOfOrderError: the model is out of order")
    assert run.trajectory.error.type == "OutOfOrderError"


class Holder(Rex):
    thing: object = None


@pytest.mark.case("metagpt-N9")
def test_an_error_is_recorded_though_the_team_can_not_be_written_down_afterwards() -> None:
    """FoundationAgents/MetaGPT#1689: a role holds what can't be serialised, and the team is written after an error."""
    context = Context()
    app = team(role(Holder, ListLLM(broken()), [Write], [UserRequirement], context, thing=object()), context=context)

    with pytest.raises(Exception, match="serialize") as raised, aegis.record(app) as run:
        asyncio.run(app.run(n_round=2, idea=TASK))

    assert run.trajectory.steps[0].text == "OutOfOrderError: the model is out of order"
    assert run.trajectory.error.type == type(raised.value).__name__


def test_a_team_without_an_end_is_no_failure_but_has_no_end() -> None:
    context = Context()
    app = team(
        role(Wanda, ListLLM("W1 said"), [Write], [UserRequirement, Write], context, name="Wanda"),
        role(Rex, ListLLM("R1 said"), [Write], [Write], context),
        context=context,
    )
    run = Run(RunInfo(run_id="run", task=TASK, adapter="metagpt"))

    with MetaGPTAdapter().attach(app, run), pytest.raises(TooManyRoundsError) as raised:
        asyncio.run(MetaGPTAdapter().start(app, TASK))
    run.failed(raised.value)

    assert "100 rounds" in run.limit_reached


def test_a_limit_of_a_campaign_ends_a_team() -> None:
    app, _ = chain()
    run = Run(RunInfo(run_id="run", task=TASK, adapter="metagpt"), limits=Limits(turns=1))

    with MetaGPTAdapter().attach(app, run), pytest.raises(RunLimitReached):
        asyncio.run(MetaGPTAdapter().start(app, TASK))

    assert run.limit_reached == "more than 1 turns"


def test_what_others_of_a_round_say_after_an_error_is_recorded() -> None:
    context = Context()
    app = team(
        role(Wanda, ListLLM(broken()), [Write], [UserRequirement], context),
        role(Rex, ListLLM("R1 said"), [Write], [UserRequirement], context),
        context=context,
    )

    async def work() -> None:
        await app.run(n_round=1, idea=TASK)
        await asyncio.sleep(0.01)

    with aegis.record(app) as run:
        asyncio.run(work())

    assert said(run) == [("Rex", "R1 said")]
    assert [step.agent for step in run.trajectory.steps if step.kind == "error"] == ["Wanda"]


def test_a_failure_that_the_users_code_goes_on_from_is_not_the_end() -> None:
    app, models = chain(rex=ValueError("bad rex"))

    async def play() -> None:
        await app.run(n_round=5, idea=TASK)
        models[1].answers = ["R1 said"]
        await app.run(n_round=5, idea="Again.")

    run = aegis.record(app)
    with pytest.warns(RecorderWarning, match="2 calls"), run:
        asyncio.run(play())

    assert [step.kind for step in run.trajectory.steps].count("error") == 1
    assert (run.trajectory.error, run.trajectory.final_output) == (None, "P1 said")
