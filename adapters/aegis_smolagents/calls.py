"""Calls of tools and managed agents: each is a step, its result is another, and tools go through the run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.run.outputs import call_data, call_text, readable
from aegis_core.run.recorder import OrderKey, after
from aegis_core.run.values import plain_data
from aegis_core.trace.active import guarded
from aegis_core.trajectory import Content
from aegis_smolagents._compat import FINAL
from aegis_smolagents.frames import Frame, Site, site
from aegis_smolagents.signals import Leaving, leaving
from aegis_smolagents.values import ToolCodec

if TYPE_CHECKING:
    from aegis_smolagents.agents import AgentTap

__all__ = ["CallTap", "carrying_out", "tell_call", "tell_result", "tell_watched"]

_OPTION = "sanitize_inputs_outputs"
"""What smolagents tells a tool beside its arguments."""


class CallTap:
    """What the twin of a tool, or of a managed agent, calls.

    Args:
        agent: the tap of the agent that has it.
        name: by which that agent calls it.
        managed: it is an agent.
    """

    def __init__(self, agent: AgentTap, name: str, *, managed: bool = False) -> None:
        self._agent = agent
        self._name = name
        self._managed = managed

    def __call__(self, _: str, original: Any, *args: Any, **kwargs: Any) -> Any:
        frame = self._agent.frame()
        if frame is None:
            return original(*args, **kwargs)
        found = site.get()
        if found is not None and found.frame is frame and found.name == self._name and not found.begun:
            found.begun = True
            return self._made(found, original, args, kwargs)
        told: list[Site] = []
        with guarded(frame.run):
            told.append(self._in_code(frame, _arguments(original, args, kwargs)))
        if not told:
            return original(*args, **kwargs)
        found = told[0]
        if self._name == FINAL:  # a tool of the user's own gives the answer, which is a message
            return self._made(found, original, args, kwargs)
        with carrying_out(found) as given:
            given.append(self._made(found, original, args, kwargs))
        return given[0]

    def _in_code(self, frame: Frame, arguments: Any) -> Site:
        """A call that the agent's code makes: nobody has told of it before."""
        order = frame.next_order()
        ordinal = frame.ordinal(self._name)
        found = Site(
            frame=frame,
            name=self._name,
            arguments=arguments,
            call_id=frame.call_id(order),
            order=(*order, 0),
            ordinal=ordinal,
            managed=self._managed,
            begun=True,
        )
        if self._name != FINAL:
            tell_call(found, order)
        return found

    def _made(self, found: Site, original: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        part: Part | None = None
        if not self._managed:
            with guarded(found.frame.run):
                part = self._asked(found, _arguments(original, args, kwargs))
        if part is None:
            return original(*args, **kwargs)
        with leaving():
            return found.frame.run.call(
                found.frame.at(found.order, self._name, found.ordinal),
                "tool",
                (part,),
                lambda _: original(*args, **kwargs),
                ToolCodec(),
                name=self._name,
                after=() if self._name == FINAL else ("call",),
            )

    def _asked(self, found: Site, given: Any) -> Part:
        text, data = found.text, found.data
        if data is None or not _equal(given, found.arguments):  # the agent has put in what a name stands for
            text, data = call_text(self._name, given), call_data(self._name, given)
        return Part(id="call", text=text, editable=False, kind="tool_call", data=data)


def _equal(one: Any, other: Any) -> bool:
    """Whether two values are equal; what can't be compared (arrays) is not."""
    try:
        return bool(one == other)
    except Exception:  # the user's own `__eq__`
        return False


def _arguments(original: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What a tool is called with, by the names that it has for it."""
    named = {name: value for name, value in kwargs.items() if name != _OPTION}
    if not args:
        return named
    if len(args) == 1 and not named and isinstance(args[0], Mapping):
        return dict(args[0])
    names = list(getattr(original, "inputs", None) or ())
    return {**{names[i] if i < len(names) else f"_{i}": value for i, value in enumerate(args)}, **named}


@contextlib.contextmanager
def carrying_out(found: Site) -> Iterator[list[Any]]:
    """A call is carried out inside of this; what it gives, put into the list, becomes the step of its result."""
    token = site.set(found)
    given: list[Any] = []
    try:
        yield given
    except Leaving:
        raise
    except BaseException as error:
        if isinstance(error, Exception):
            found.frame.told(error)
        _over(found, error, failed=True)
        raise
    else:
        _over(found, given[0])
    finally:
        site.reset(token)


def _over(found: Site, given: Any, *, failed: bool = False) -> None:
    with leaving(), guarded(found.frame.run):
        text = (str(given) or type(given).__name__) if failed else str(given).strip()
        if found.managed or not found.begun:  # a tool that was called is on the tape
            tell_watched(found, text)
        tell_result(found, text, failed=failed)
        found.frame.heard(found.answers)


def tell_call(found: Site, order: OrderKey, *, text: str | None = None) -> None:
    """Record a call that is going to be made.

    Args:
        text: of the step; by default the call in words.
    """
    found.data = call_data(found.name, found.arguments)
    # What an agent is asked is a message to it: it stands in the step word by word.
    if text is not None:
        found.text = text
    elif found.managed:
        found.text = f"{found.name}:\n{readable(plain_data(found.arguments))}"
    else:
        found.text = call_text(found.name, found.arguments)
    found.step = found.frame.step(
        "tool_call",
        found.text,
        order,
        content=(Content(type="json", data=found.data),),
        addressed_to=(f"{found.frame.path}/{found.name}",) if found.managed else (),
        call_id=found.call_id,
    )


def tell_watched(found: Site, given: JsonValue) -> None:
    """Put a call on the tape that is never served: what happens inside of it is made again, call by call."""
    turn = found.frame.at(after(found.order), found.name, found.ordinal)
    part = Part(id="call", text=found.text, editable=False, kind="tool_call")
    found.frame.run.record_call(turn, "tool", (part,), given, name=found.name)


def tell_result(found: Site, text: str, *, failed: bool = False) -> None:
    """Record what a call gave."""
    found.frame.tap.requests.known[text] = None
    found.frame.step(
        "tool_result",
        text,
        after(found.order),
        content=(Content(type="json", data={"error": True}),) if failed else (),
        parents=(*found.answers, *(() if found.step is None else (found.step,))),
        call_id=found.call_id,
    )
