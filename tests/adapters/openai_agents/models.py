"""A model that says what a test tells it to, and keeps what it was shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from agents import Model, ModelResponse, RunConfig

import aegis_core as aegis
from aegis_openai_agents.names import Layout
from aegis_openai_agents.testing.items import answer, asked, events, message, texts_of

__all__ = ["QUIET", "Says", "checked", "hands_to", "uses"]

QUIET = RunConfig(tracing_disabled=True)


class Says(Model):
    """Answers one after another; the last one again and again.

    Each is a text, an item or a list of them, a whole answer, an exception, or a function of what is shown.
    """

    def __init__(self, *answers: Any, name: str = "") -> None:
        self.answers = list(answers)
        self.shown: list[list[str]] = []
        self.items: list[Any] = []
        self.settings: list[Any] = []
        self.streams = 0
        if name:
            self.model = name

    async def get_response(self, system_instructions, input, model_settings, *rest, **more):  # noqa: A002
        self.shown.append(texts_of(system_instructions, input))
        self.items.append(input)
        self.settings.append(model_settings)
        now = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(now, Callable):
            now = now(self.shown[-1])
            if hasattr(now, "__await__"):
                now = await now
        if isinstance(now, BaseException):
            raise now
        if isinstance(now, ModelResponse):
            return now
        items = now if isinstance(now, list) else [now]
        return answer(
            *(message(item) if isinstance(item, str) else item for item in items), input_tokens=7, output_tokens=3
        )

    async def stream_response(self, system_instructions, input, *rest, **more):  # noqa: A002
        self.streams += 1
        for event in events(await self.get_response(system_instructions, input, *rest, **more)):
            yield event


def hands_to(name: str, call_id: str = "call_1", **arguments: Any) -> Any:
    """The call of a hand-off."""
    return asked(f"transfer_to_{name.lower()}", arguments, call_id=call_id)


def uses(tool: str, call_id: str = "call_1", **arguments: Any) -> Any:
    """The call of a tool."""
    return asked(tool, arguments, call_id=call_id)


@contextmanager
def checked(app: Any) -> Iterator[aegis.Recording]:
    """Records; then all stands where it stood, by identity, and the trajectory is the same when written and read."""
    before = [(owner, dict(vars(owner))) for owner in _owners(app)]
    recording = aegis.record(app)
    try:
        with recording:
            yield recording
    finally:
        for owner, space in before:
            now = vars(owner)
            assert now.keys() - space.keys() <= {"_function_approval_identity"}  # which the SDK writes into tools
            assert all(now[name] is value for name, value in space.items())
    written = recording.trajectory.model_dump_json()
    assert type(recording.trajectory).model_validate_json(written) == recording.trajectory


def _owners(app: Any) -> list[Any]:
    agents = list(Layout(app).objects())
    return [*agents, *(tool for agent in agents for tool in agent.tools)]
