"""All of MetaGPT that the adapter touches, in one place: what it imports, and each private name that it relies on."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, cast

from pydantic import ValidationError

from aegis_core.errors import AdapterError


def _said(error: ValidationError) -> list[str]:
    return [f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors(include_input=False)]


try:
    from metagpt.actions import UserRequirement
    from metagpt.environment import Environment
    from metagpt.provider.base_llm import BaseLLM
    from metagpt.provider.human_provider import HumanProvider
    from metagpt.roles import Role
    from metagpt.schema import Message
    from metagpt.team import Team
    from metagpt.utils.common import any_to_str, is_send_to, serialize_decorator
except ValidationError as error:
    raise AdapterError(
        "MetaGPT can't be imported without a configuration: it looks for `config/config2.yaml` in the folder that "
        "METAGPT_PROJECT_ROOT names (else in the current one), and for `~/.metagpt/config2.yaml`, which goes before. "
        "Write one with an `llm:` section (adapters/aegis_metagpt/README.md shows the smallest), and set "
        f"METAGPT_PROJECT_ROOT before the first import. MetaGPT says: {'; '.join(_said(error))}"
    ) from None  # it shows the environment, in which keys may stand

__all__ = [
    "COSTS",
    "REQUIREMENT",
    "BaseLLM",
    "Environment",
    "HumanProvider",
    "Message",
    "Role",
    "Team",
    "clean_text",
    "is_send_to",
    "is_swallowed_form",
    "is_swallowing",
    "models_of",
    "raising",
    "remember_instead",
    "swallowing",
    "tell_costs",
    "true_error",
]

REQUIREMENT: str = any_to_str(UserRequirement)
"""What a message is caused by with which the user begins."""
COSTS = "_update_costs"
"""The method by which every provider tells what a call has cost."""

_SWALLOWING = serialize_decorator(lambda: None).__code__
_RAISED_AGAIN = "Traceback (most recent call last):"


def is_swallowing(team: Any) -> bool:
    """Whether the `run` of a team has MetaGPT's decorator around it, which swallows exceptions, and nothing else.

    A subclass may have a `run` of its own, and others may have put something around it.
    """
    return getattr(type(team).run, "__code__", None) is _SWALLOWING


def raising(team: Any) -> Callable[..., Awaitable[Any]]:
    """The `run` of a team as it was before MetaGPT's decorator was put around it."""
    function = type(team).run
    if is_swallowing(team):
        (function,) = [cell.cell_contents for cell in function.__closure__]

    async def run(*args: Any, **kwargs: Any) -> Any:
        return await function(team, *args, **kwargs)

    return run


def swallowing(function: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """MetaGPT's decorator around a function, as a method: exceptions are logged and swallowed, the team is written."""

    async def method(_team: Any, *args: Any, **kwargs: Any) -> Any:
        return await function(*args, **kwargs)

    return cast("Callable[..., Awaitable[Any]]", serialize_decorator(method))


def is_swallowed_form(error: BaseException) -> bool:
    """Whether this is what `Role.run` makes of any exception: a bare `Exception` whose text is a traceback."""
    return type(error) is Exception and str(error).startswith(_RAISED_AGAIN) and error.__context__ is not None


def true_error(error: BaseException) -> BaseException:
    """The exception itself, where `Role.run` has raised its traceback as text instead."""
    while is_swallowed_form(error) and error.__context__ is not None:
        error = error.__context__
    return error


def clean_text(error: BaseException, own: tuple[str, ...]) -> None:
    """Take the frames of files under `own` out of the traceback that `Role.run` has made the text of an exception."""
    if not is_swallowed_form(error):
        return
    told = traceback.TracebackException.from_exception(cast("BaseException", error.__context__))
    for level in _levels(told):
        kept = [frame for frame in level.stack if not frame.filename.startswith(own)]
        level.stack = traceback.StackSummary.from_list(kept)
    error.args = ("".join(told.format()),)


def _levels(told: traceback.TracebackException) -> Iterator[traceback.TracebackException]:
    queue: list[traceback.TracebackException | None] = [told]
    while queue:
        level = queue.pop()
        if level is not None:
            yield level
            queue += [level.__cause__, level.__context__]


def models_of(role: Any) -> Iterator[Any]:
    """The model objects that a role and its actions hold now."""
    holders = [role, *role.actions, *(() if role.rc.todo is None else (role.rc.todo,))]
    for holder in holders:
        yield vars(holder).get("private_llm")
        node = getattr(holder, "node", None)
        yield getattr(node, "llm", None)


def remember_instead(role: Any, old: Any, new: Any) -> None:
    """Put another message in the place of one in a role's own memory and among its news; no other role sees it."""
    memory = role.rc.memory
    for kept in (memory.storage, memory.index.get(old.cause_by, ()), role.rc.news):
        for index, message in enumerate(kept):
            if message is old:
                kept[index] = new
    if role.latest_observed_msg is old:
        role.latest_observed_msg = new


def tell_costs(model: Any, input_tokens: int, output_tokens: int, name: str | None) -> None:
    """Tell a model's cost manager of a call that was served, as the model would have done."""
    usage = {"prompt_tokens": input_tokens, "completion_tokens": output_tokens}
    getattr(model, COSTS)(usage, name)
