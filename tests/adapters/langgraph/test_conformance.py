"""The adapter for LangGraph passes the conformance kit; adapters that break its hand-offs do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from aegis_core.adapter import Attachment
from aegis_core.run import Run
from aegis_langgraph.adapter import LangGraphAdapter
from aegis_langgraph.testing.conformance import LangGraphConformance


class TestLangGraph(LangGraphConformance):
    """Nothing more."""


def kit(**spoilt: Callable[..., Any]) -> LangGraphConformance:
    """The kit of an adapter for which these methods of the run are spoilt."""

    class Spoiling(LangGraphAdapter):
        def attach(self, app: Any, run: Run) -> Attachment:
            for name, method in spoilt.items():
                real = getattr(run, name)
                setattr(run, name, lambda *args, real=real, method=method, **more: method(real, *args, **more))
            return super().attach(app, run)

    made = Spoiling()
    return type("Kit", (LangGraphConformance,), {"adapter": lambda _: made})()


def without_route(end_turn: Any, *args: Any, route: Any = None, addressed_to: Any = (), **more: Any) -> Any:
    return end_turn(*args, **more)


def test_a_hand_off_that_says_nothing_is_found() -> None:
    with pytest.raises(AssertionError, match="no step of Writer is addressed to Critic"):
        kit(end_turn=without_route).test_a_hand_off_says_to_whom()


def test_a_redirection_that_is_not_carried_out_is_found() -> None:
    def keeping_route(end_turn: Any, *args: Any, route: Any = None, **more: Any) -> Any:
        delivery = end_turn(*args, route=route, **more)
        return type(delivery)(delivery.parts, route, delivery.scope, delivery.changed)

    with pytest.raises(AssertionError, match="control did not go to Clerk"):
        kit(end_turn=keeping_route).test_a_redirected_hand_off_goes_to_the_other_agent()


def test_usage_that_is_lost_is_found() -> None:
    def without_usage(end_turn: Any, *args: Any, usage: Any = None, **more: Any) -> Any:
        return end_turn(*args, **more)

    with pytest.raises(AssertionError):
        kit(end_turn=without_usage).test_usage_is_recorded()
