"""Running systems on the text of a task, until nobody has anything left to do."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from aegis_core.errors import AegisError
from aegis_metagpt import _compat
from aegis_metagpt._compat import Environment, Message, Team
from aegis_metagpt.names import Cast

__all__ = ["MAX_ROUNDS", "TooManyRoundsError", "run_team", "started"]

_ASKING = "Human"
"""As `Team.run_project` calls the user."""
MAX_ROUNDS = 100
"""Rounds after which a team is thought to have no end. `Team.run` takes 3, if it is not told another number."""


class TooManyRoundsError(AegisError):
    """A team still had something to do after the last round."""


def started(app: Any, task: str) -> Awaitable[Message | None]:
    """A team, an environment or a role on its way with a task."""
    if isinstance(app, Team):
        return run_team(app, task)
    return _run_environment(app, task) if isinstance(app, Environment) else _run_role(app, task)


async def run_team(team: Any, task: str) -> Message | None:
    """`Team.run`, without swallowing exceptions; returns the message that was published last.

    Raises:
        TooManyRoundsError: after `MAX_ROUNDS` rounds there was still something to do.
    """
    tapped = vars(team).get("run")
    run = getattr(tapped, "raising", None) or _compat.raising(team)
    try:
        await run(n_round=MAX_ROUNDS, idea=task)
    except Exception as error:
        raise _compat.true_error(error)  # noqa: B904  its context is what it had
    if not team.env.is_idle:
        raise _stopped(tapped)
    return _last_message(team)


async def _run_environment(environment: Any, task: str) -> Message | None:
    """Publish a task as the user's requirement, and run rounds until all roles are idle.

    Raises:
        TooManyRoundsError: after `MAX_ROUNDS` rounds there was still something to do.
    """
    environment.publish_message(Message(role=_ASKING, content=task))
    for _ in range(MAX_ROUNDS):
        if environment.is_idle:
            return _last_message(environment)
        try:
            await environment.run()
        except Exception as error:
            raise _compat.true_error(error)  # noqa: B904  its context is what it had
    raise _stopped(vars(environment).get("run"))


async def _run_role(role: Any, task: str) -> Message | None:
    """Run one role on a task."""
    try:
        return await role.run(task)
    except Exception as error:
        raise _compat.true_error(error)  # noqa: B904  its context is what it had


def _stopped(tapped: Any) -> TooManyRoundsError:
    """The error; a run that is attached is told that this is a limit, and no failure of the system."""
    error = TooManyRoundsError(f"there is still something to do after {MAX_ROUNDS} rounds")
    if hasattr(tapped, "stopped_by"):
        tapped.stopped_by(error)
    return error


def _last_message(app: Any) -> Message | None:
    """The message that was published last, the user's own aside: the history of the environment ends with it."""
    cast = Cast(app)
    if cast.environment is None:
        return None
    history = cast.environment.history
    said = [message for member in cast.members for message in member.role.rc.memory.get() if message.role != _ASKING]
    found = [message for message in said if history.endswith(f"\n{message}")]
    return max(found, key=lambda message: len(str(message)), default=None)
