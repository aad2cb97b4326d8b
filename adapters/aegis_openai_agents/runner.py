"""Where `Runner.run`, `run_sync` and `run_streamed` come by: calls of agents that are attached become frames.

While a run is attached, the SDK's default runner is this one, which hands everything on to the one that was there. It
touches only calls of agents that belong to a run, and, inside such a call, those that are made there.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
from collections.abc import AsyncIterator
from contextlib import aclosing
from contextvars import ContextVar
from threading import Lock
from typing import Any

from agents import Agent, Model, MultiProvider, RunConfig, RunState
from agents.lifecycle import RunHooksBase

from aegis_core.trace.active import guarded
from aegis_openai_agents import _compat
from aegis_openai_agents.frames import Frame, current_frame
from aegis_openai_agents.hold import Hold
from aegis_openai_agents.hooks import TellingHooks
from aegis_openai_agents.models import TappedModel, TappedProvider

__all__ = ["RecordingRunner", "current_hold", "held", "let_go", "take_hold"]

current_hold: ContextVar[Hold | None] = ContextVar("aegis_openai_agents_hold", default=None)
held: list[Hold] = []
"""The runs that are attached now, in this process."""
_lock = Lock()


def take_hold(hold: Hold) -> None:
    """Have calls of this run's agents recorded."""
    with _lock:
        held.append(hold)
        if not isinstance(_compat.default_runner(), RecordingRunner):
            _compat.set_default_runner(RecordingRunner(_compat.default_runner()))


def let_go(hold: Hold) -> None:
    """Undo `take_hold`. A runner that somebody else has put in place since is left there."""
    with _lock:
        held.remove(hold)
        runner = _compat.default_runner()
        if not held and isinstance(runner, RecordingRunner):
            _compat.set_default_runner(runner.real)


class RecordingRunner:
    """Stands for the SDK's runner."""

    def __init__(self, real: Any) -> None:
        self.real = real

    async def run(self, starting_agent: Any, input: Any, **more: Any) -> Any:  # noqa: A002  the SDK's own name
        begun = _begun(starting_agent, input, more)
        if begun is None:
            return await self.real.run(starting_agent, input, **more)
        with begun.frame.current():
            try:
                result = await self.real.run(starting_agent, input, **begun.arguments)
            except BaseException as error:
                begun.frame.failed(error)
                begun.frame.raise_ending(error)
                raise
            finally:
                await begun.close()
        begun.frame.finished(result)
        return result

    def run_sync(self, starting_agent: Any, input: Any, **more: Any) -> Any:  # noqa: A002  the SDK's own name
        begun = _begun(starting_agent, input, more)
        if begun is None:
            return self.real.run_sync(starting_agent, input, **more)
        with begun.frame.current():
            try:
                result = self.real.run_sync(starting_agent, input, **begun.arguments)
            except BaseException as error:
                begun.frame.failed(error)
                begun.frame.raise_ending(error)
                raise
            finally:
                begun.close_now()
        begun.frame.finished(result)
        return result

    def run_streamed(self, starting_agent: Any, input: Any, **more: Any) -> Any:  # noqa: A002  the SDK's own name
        begun = _begun(starting_agent, input, more)
        if begun is None:
            return self.real.run_streamed(starting_agent, input, **more)
        with begun.frame.current():
            try:
                result = self.real.run_streamed(starting_agent, input, **begun.arguments)
            except BaseException as error:
                begun.frame.failed(error)
                raise
        with guarded(begun.frame.run):
            _follow(begun, result)
        return result

    def __getattr__(self, name: str) -> Any:
        if name == "real":
            raise AttributeError(name)
        return getattr(self.real, name)


class _Begun:
    """A call that became a frame, with what it is made with."""

    def __init__(self, frame: Frame, more: dict[str, Any]) -> None:
        self.frame = frame
        self.arguments = dict(more)
        self._provider: TappedProvider | None = None
        hooks = more.get("hooks")
        if hooks is None or isinstance(hooks, RunHooksBase):  # of what else, the SDK says itself that it is wrong
            self.arguments["hooks"] = TellingHooks(frame, hooks)
        self.arguments["run_config"] = self._configured(more.get("run_config"))

    def _configured(self, given: Any) -> Any:
        """A copy of the configuration in which models are tapped, whether given themselves or by name."""
        if given is None or (isinstance(given, dict) and "model_provider" not in given):
            self._provider = TappedProvider(MultiProvider())
            return (
                RunConfig(model_provider=self._provider)
                if given is None
                else given | {"model_provider": self._provider}
            )
        fields = given if isinstance(given, dict) else vars(given)
        changes = {"model_provider": _tapped_provider(fields["model_provider"])}
        if isinstance(fields.get("model"), Model):
            changes["model"] = _tapped_model(fields["model"])
        if isinstance(given, dict):
            return given | changes
        configured = copy.copy(given)
        for name, value in changes.items():
            setattr(configured, name, value)
        return configured

    async def close(self) -> None:
        """Close the provider that was made here, as the SDK does with one that it makes."""
        if self.has_provider:
            assert self._provider is not None
            with contextlib.suppress(Exception):  # the SDK only logs it
                await self._provider.aclose()

    def close_now(self) -> None:
        """The same in the event loop that the SDK keeps for `run_sync`."""
        if self.has_provider:
            with contextlib.suppress(RuntimeError):  # no loop, or one that runs
                asyncio.get_event_loop_policy().get_event_loop().run_until_complete(self.close())

    @property
    def has_provider(self) -> bool:
        """Whether a provider was made here and has found a model."""
        return self._provider is not None and self._provider.was_used


def _tapped_model(model: Model) -> Model:
    return model if isinstance(model, TappedModel) else TappedModel(model)


def _tapped_provider(provider: Any) -> Any:
    return provider if isinstance(provider, TappedProvider) else TappedProvider(provider)


def _begun(agent: Any, given: Any, more: dict[str, Any]) -> _Begun | None:
    """The frame of a call; None if it belongs to no run."""
    outer = current_frame.get()
    hold = outer.hold if outer is not None and outer.hold in held else _hold_of(agent)
    if hold is None or not isinstance(agent, Agent):
        return None
    begun = None
    with guarded(hold.run):
        inside = outer is not None and outer.hold is hold and not outer.ended
        place = outer.inner_place() if inside and outer is not None else None
        frame = Frame(hold, agent, given, place)
        hold.tap(agent)
        begun = _Begun(frame, more)
        frame.enter(goes_on=_goes_on(hold, given, more))
        if isinstance(given, RunState) and hold.interrupted:
            frame.activation = hold.interrupted.pop()
    return begun


def _hold_of(agent: Any) -> Hold | None:
    own = current_hold.get()
    if own is not None and own in held and own.layout.knows(agent):
        return own
    return next((hold for hold in reversed(held) if hold.layout.knows(agent)), None)


def _goes_on(hold: Hold, given: Any, more: dict[str, Any]) -> bool:
    """Whether a call goes on with an earlier one: by a session, a saved state, or the history that it is given."""
    earlier = hold.begun > 1
    session = more.get("session")
    known = session is not None and any(session is other for other in hold.sessions)
    if session is not None and not known:
        hold.sessions.append(session)
    history = isinstance(given, list) and any(
        isinstance(item, dict) and (item.get("role") == "assistant" or item.get("type") == "function_call_output")
        for item in given
    )
    linked = any(more.get(name) for name in ("previous_response_id", "conversation_id"))
    return earlier and (hold.several or known or history or linked or isinstance(given, RunState))


def _follow(begun: _Begun, result: Any) -> None:
    """Finish the frame when a streamed run ends: when its events are read, or, if nobody reads them, in its task."""
    frame, real = begun.frame, result.stream_events

    async def stream_events() -> AsyncIterator[Any]:
        try:
            async with aclosing(real()) as events:
                async for event in events:
                    yield event
        except Exception as error:
            frame.failed(error)
            frame.raise_ending(error)
            raise
        finally:
            _settle(frame, result)

    def done(task: asyncio.Task[Any]) -> None:
        if task.cancelled():
            frame.failed(asyncio.CancelledError())
        elif (error := task.exception()) is not None:
            frame.failed(error)
        _settle(frame, result)
        if begun.has_provider:
            result._aegis_closing = asyncio.ensure_future(begun.close())  # held, so that it is not lost

    result.stream_events = stream_events
    task = _compat.loop_task(result)
    if task is not None:
        task.add_done_callback(done)


def _settle(frame: Frame, result: Any) -> None:
    """Finish the frame of a streamed run, if that has come to an end."""
    error = _compat.stored_exception(result)
    if error is not None:
        frame.failed(error)
    elif result.is_complete:
        frame.finished(result)
