"""Takes hold of a team, an environment or a role: where it is entered, who reacts, and what is published."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aegis_core
from aegis_core.adapter import Attachment
from aegis_core.errors import AdapterError, RecorderWarning, ReplayDrift, RunLimitReached
from aegis_core.run import Run
from aegis_core.run.patches import Patches
from aegis_core.trace.active import guarded
from aegis_metagpt import _compat, models
from aegis_metagpt._compat import REQUIREMENT, Message, Role, Team
from aegis_metagpt.copies import copying
from aegis_metagpt.messages import message_text
from aegis_metagpt.names import Cast, Member
from aegis_metagpt.seat import Seat, current
from aegis_metagpt.turns import Turns
from aegis_metagpt.user import User

__all__ = ["MetaGPTAttachment"]

_OWN_FILES = (str(Path(aegis_core.__file__).parent), str(Path(__file__).parent))

_Method = Callable[..., Awaitable[Any]]


class MetaGPTAttachment(Attachment):
    """Taps public methods of the objects at hand, as attributes of the instances.

    They are written past pydantic, which would take them for fields: they are in no dump, and in no copy of a message.
    """

    def __init__(self, app: Any, run: Run) -> None:  # a Team, an Environment or a Role
        self.app = app
        self.run = run
        self.cast = Cast(app)
        self.turns = Turns(run, self.cast)
        self.user = User(run, self.cast, self.turns.ledger)
        self._patches = Patches()
        self._models: list[Any] = []
        self._round = 0
        self._in_round = False
        self._delivering = False
        self._answer: str | None = None
        self._failure: BaseException | None = None
        self._begun = False
        self._looking = False
        self._ended = False
        """Whether a drift or a limit has ended the run, whatever comes after."""
        self._in_team = False
        self._refuse_second_hold()
        self._warn_of_shadowed()
        environment = self.cast.environment
        if environment is not None:
            self._put(
                environment,
                publish_message=self._publishing(environment.publish_message),
                run=self._running(environment.run),
            )
        for member in self.cast.members:
            self._tap(member)
        if isinstance(app, Team):
            self._put(app, run=self._team_entry(app))
        models.look_for_strays()
        self._looking = True

    def _refuse_second_hold(self) -> None:
        owners = [self.app, self.cast.environment, *(member.role for member in self.cast.members)]
        if any("run" in vars(owner) for owner in owners if owner is not None):
            raise AdapterError(
                f"this {type(self.app).__name__} is attached to a run already; leave that `with` block first"
            )

    def _warn_of_shadowed(self) -> None:
        for member in self.cast.shadowed():
            warnings.warn(
                f"aegis: {member.path!r} will never act: another role was hired later with the same profile "
                f"{member.role.profile!r}, and MetaGPT keeps its roles by profile; give each one of its own",
                RecorderWarning,
                stacklevel=5,
            )

    def detach(self) -> None:
        if self._looking:
            self._looking = False
            models.stop_looking()
        self._patches.restore()
        while self._models:
            models.release(self._models.pop())

    def _tap(self, member: Member) -> None:
        role = member.role
        self._put(
            role,
            react=self._reacting(member, role.react),
            run=self._role_entry(self._acting(member, role.run)),
            put_message=self._putting(member, role.put_message),
        )
        self._tap_models(member)

    def _put(self, owner: Any, **taps: Any) -> None:
        for name, value in (taps | copying(owner, taps)).items():
            self._patches.attribute(owner, name, value)

    def _tap_models(self, member: Member) -> None:
        for model in _compat.models_of(member.role):
            if model is not None:
                self.tap_model(model)

    def tap_model(self, model: Any) -> None:
        """Tap a model object for as long as this holds on, once."""
        if not any(model is held for held in self._models):
            self._models.append(model)
            models.take(model)

    # -- roles -------------------------------------------------------------------------------------------------------

    def _acting(self, member: Member, real: _Method) -> _Method:
        async def run(*args: Any, **kwargs: Any) -> Any:
            outer = current.get()
            seat = Seat(self, self.run, member, within=outer is not None and outer.acts)
            token = current.set(seat)
            try:
                said = await real(*args, **kwargs)
                if seat.altered is not None:
                    _give_back(member.role, *seat.altered)
                return said  # noqa: TRY300  what comes after a role has published is as much a part of it
            except Exception as error:
                _compat.clean_text(error, _OWN_FILES)
                raise
            finally:
                current.reset(token)

        return run

    def _reacting(self, member: Member, real: _Method) -> _Method:
        async def react(*args: Any, **kwargs: Any) -> Any:
            seat = current.get()
            if seat is None or seat.member is not member or seat.turn is not None:
                seat = Seat(self, self.run, member)
            token = current.set(seat)
            try:
                self._tap_models(member)
                await self.turns.begin(seat, self._order(member))
                said = await real(*args, **kwargs)
                said = await self.turns.end(seat, said)
            except BaseException as error:
                self._failure = self._failure or error
                self.turns.fail(seat, error)
                raise
            finally:
                current.reset(token)
            self._note_answer(said)
            return said

        return react

    def _order(self, member: Member) -> tuple[int, ...]:
        """Rounds follow each other; in a round, roles are started in the order of their places."""
        if not self._in_round:
            self._round += 1
        return (self._round, member.place)

    def _note_answer(self, said: Any) -> None:
        if isinstance(said, Message) and (text := message_text(said)):
            self._answer = text

    # -- environment -------------------------------------------------------------------------------------------------

    def _running(self, real: _Method) -> _Method:
        async def run(k: int = 1, **kwargs: Any) -> None:
            alone = not self._in_team
            if alone and not self.run.entered:
                self._enter("", goes_on=True)
            try:
                for _ in range(k):
                    await self._one_round(real, kwargs)
            except BaseException as error:
                if alone:
                    self._fail(error)
                raise
            if alone:
                self._leave(self.cast.environment)

        run.stopped_by = self.run.stopped_by  # type: ignore[attr-defined]  # for `started`
        return run

    async def _one_round(self, real: _Method, kwargs: dict[str, Any]) -> None:
        self._round += 1
        self._in_round = True
        for member in self.cast.newcomers():
            self.run.recorder.declare((member.described(),))
            self._tap(member)
        try:
            await real(**kwargs)
        finally:
            self._in_round = False

    def _publishing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def publish_message(message: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(message, Message):
                self._published(message)
            before, self._delivering = self._delivering, True
            try:
                return real(message, *args, **kwargs)
            finally:
                self._delivering = before

        return publish_message

    def _published(self, message: Message) -> None:
        seat = current.get()
        if seat is None or seat.hold is not self:
            self._told_from_outside(message)
            return
        if seat.acts:
            self.turns.said_beside(seat, message)
            self._note_answer(message)
        if not self.cast.receivers(message):
            self.turns.went_nowhere(seat, message)

    def _told_from_outside(self, message: Message) -> None:
        """The user publishes a message: a requirement, with which a task begins, or more on what was begun."""
        with guarded(self.run):
            if not self.run.entered:
                self._enter(message_text(message), goes_on=message.cause_by != REQUIREMENT)
            cast = self.cast
            self.user.says(message, cast.addressees(message), cast.receivers(message), self._next)

    def _putting(self, member: Member, real: Callable[..., Any]) -> Callable[..., Any]:
        """The user puts a message into one role; what is published comes by here, too."""

        def put_message(message: Any) -> Any:
            seat = current.get()
            outside = seat is None or seat.hold is not self or (seat.turn is None and not seat.within)
            if outside and not self._delivering and isinstance(message, Message):
                with guarded(self.run):
                    self.user.says(message, (member,), (member,), self._next)
            return real(message)

        return put_message

    @property
    def _next(self) -> tuple[int, ...]:
        """Before all roles of the round that comes."""
        return (self._round + 1, -1)

    # -- entries -----------------------------------------------------------------------------------------------------

    def _enter(self, task: str, *, goes_on: bool = False) -> None:
        """The system is entered: with a task, or to go on with what an earlier call left undone."""
        with guarded(self.run):
            self.run.enter(task or self.user.task, goes_on=self._begun and goes_on)
            self._begun = True

    def _leave(self, result: Any) -> None:
        with guarded(self.run):
            if not self._ended:  # an earlier call may have failed, and the user's code went on from that
                self.run.error, self.run.limit_reached = None, ""
            answer, why = (self._answer, "") if self.run.output is None else self.run.own_answer(result)
            self.run.leave(answer, unanswered=why)

    def _fail(self, error: BaseException) -> None:
        """The system is left with an exception, whether or not MetaGPT lets it out."""
        with guarded(self.run):
            told = self._true(error)
            self._ended = self._ended or isinstance(told, ReplayDrift | RunLimitReached)
            self.run.failed(told)
            self.run.leave(None)

    def _team_entry(self, team: Any) -> _Method:
        real, swallows = _compat.raising(team), _compat.is_swallowing(team)

        async def noted(*args: Any, **kwargs: Any) -> Any:
            self._failure, self._in_team = None, True
            idea = kwargs.get("idea") or (args[1] if len(args) > 1 else "")
            if not self.run.entered and not idea:
                self.user.task = self.user.task or team.idea
                self._enter(team.idea, goes_on=True)
            try:
                result = await real(*args, **kwargs)
            except BaseException as error:
                self._fail(error)
                raise
            finally:
                self._in_team = False
            if (swallowed := self._swallowed(result)) is not None:
                self._fail(swallowed)
            else:
                self._leave(result)
            return result

        async def raising(*args: Any, **kwargs: Any) -> Any:
            result = await noted(*args, **kwargs)
            if (swallowed := self._swallowed(result)) is not None:
                raise swallowed
            return result

        async def run(*args: Any, **kwargs: Any) -> Any:
            function = _compat.swallowing(noted) if swallows else noted
            return await (function(team, *args, **kwargs) if swallows else function(*args, **kwargs))

        run.raising = raising  # type: ignore[attr-defined]  # for `run_team`
        run.stopped_by = self.run.stopped_by  # type: ignore[attr-defined]
        return run

    def _swallowed(self, result: Any) -> BaseException | None:
        """What went wrong, though `run` returned: that of a subclass may call the one that swallows."""
        return self._failure if result is None else None

    def _true(self, error: BaseException) -> BaseException:
        """What really went wrong, where MetaGPT raises the text of it, or fails while it tidies up after it (#1657)."""
        cause: BaseException | None = error
        while cause is not None:
            if cause is self._failure:
                return cause
            cause = cause.__context__
        return _compat.true_error(error)

    def _role_entry(self, real: _Method) -> _Method:
        """A role is entered where the user's code runs it by itself, be it one of a team."""
        alone = isinstance(self.app, Role)

        async def run(with_message: Any = None, *args: Any, **kwargs: Any) -> Any:
            if not alone and (self.run.entered or self._in_round or current.get() is not None):
                return await real(with_message, *args, **kwargs)
            self._enter(_asked(with_message), goes_on=not alone)
            try:
                result = await real(with_message, *args, **kwargs)
            except BaseException as error:
                self._fail(error)
                raise
            self._leave(result)
            return result

        return run


def _asked(given: Any) -> str:
    """The text of what a role is run with: a text, a message or a list of texts."""
    if isinstance(given, Message):
        return message_text(given)
    if isinstance(given, list):
        return "\n".join(map(str, given))
    return given if isinstance(given, str) else ""


def _give_back(role: Any, said: Message, altered: Message) -> None:
    """Put the author's own words in the place of the altered ones that came back to it from the environment."""
    for message in role.rc.msg_buffer.pop_all():
        role.rc.msg_buffer.push(said if message is altered else message)
