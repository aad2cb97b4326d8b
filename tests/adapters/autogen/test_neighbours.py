"""Other tracers in the same process: the same steps, and everything as it was afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.adapters.autogen import teams
from tests.adapters.autogen.models import Book
from tests.adapters.autogen.running import altered, ran, target

pytestmark = pytest.mark.framework


@pytest.mark.case("autogen-N13")
@pytest.mark.parametrize("name", ["round_robin", "swarm", "agent_tool", "society"])
def test_another_instrumentor_changes_nothing_in_what_is_recorded(name: str) -> None:
    found = pytest.importorskip("openinference.instrumentation.autogen_agentchat")
    build: Any = getattr(teams, name)
    clean = ran(build())
    instrumentor = found.AutogenAgentChatInstrumentor()
    instrumentor.instrument()
    try:
        done = ran(build())
        assert done.canonical[:2] == clean.canonical[:2]
        first = next(step.agent for step in clean.steps if step.kind == "message")
        book = Book()
        changed = altered(lambda: build(book), target(first, "response_corruption", "outgoing"), clean=clean)
        assert changed.of(first)[0].text.endswith(" ALTERED")
    finally:
        instrumentor.uninstrument()


@pytest.mark.case("autogen-N13")
def test_a_class_that_is_wrapped_while_a_run_is_attached_is_not_unwrapped_by_us(monkeypatch: Any) -> None:
    """Taps are on instances: what another tool does to the classes meanwhile is its own business."""
    from autogen_agentchat.agents import AssistantAgent

    real = AssistantAgent.on_messages_stream
    seen: list[str] = []

    async def wrapped(self: Any, *args: Any, **more: Any) -> Any:
        seen.append(self.name)
        async for item in real(self, *args, **more):
            yield item

    monkeypatch.setattr(AssistantAgent, "on_messages_stream", wrapped)
    done = ran(teams.round_robin(most=3), alone=True)
    assert seen == ["a", "b"]
    assert AssistantAgent.on_messages_stream is wrapped
    assert done.told == ["a:message", "b:message"]
