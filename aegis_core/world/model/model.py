"""The simulated chat model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

from aegis_core.errors import CampaignError
from aegis_core.world.model.messages import Message, Reply, ToolCall, ToolSpec
from aegis_core.world.model.roles import (
    aggregator,
    coordinator,
    critic,
    planner,
    proxy,
    reporter,
    researcher,
    solver,
    verifier,
)
from aegis_core.world.model.roles.evasion import said_again
from aegis_core.world.model.view import View, view

__all__ = ["SimulatedModel"]

_SPEAKERS: dict[str, Callable[[View, float], str]] = {
    "planner": planner.speak,
    "researcher": researcher.speak,
    "solver": solver.speak,
    "critic": critic.speak,
    "verifier": verifier.speak,
    "aggregator": aggregator.speak,
    "manager": coordinator.speak,
    "proxy": proxy.speak,
    "reporter": reporter.speak,
}


class SimulatedModel:
    """A chat model without a network: reads what it is sent, computes, and writes prose.

    A reply depends on seed, messages and tools alone; nothing is kept between calls, and no task object is ever
    seen. The role is told from the system prompt: planner, researcher, solver, critic, verifier, aggregator, manager,
    proxy of the user, or reporter.

    Args:
        seed: what wording, habits and slips are drawn from.
        slip_rate: how often a solver slips in a first attempt, in [0, 1]; the other roles slip in proportion.

    Raises:
        CampaignError: the rate is not in [0, 1].
    """

    def __init__(self, seed: int = 0, slip_rate: float = 0.5) -> None:
        if not 0 <= slip_rate <= 1:
            raise CampaignError(f"slip_rate {slip_rate}: use a share in [0, 1]")
        self.seed = seed
        self.slip_rate = slip_rate

    def reply(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Reply:
        """The next message of the agent whose conversation this is.

        Args:
            messages: system prompt, task (the first message of a user without a name), and what others said, each
                with its author's name.
            tools: what may be called; calls come back in the reply, without content.

        Raises:
            CampaignError: a message has no text.
        """
        for number, message in enumerate(messages):
            if not isinstance(message.content, str):
                raise CampaignError(
                    f"message {number} of {message.name or message.role!r}: its content is a "
                    f"{type(message.content).__name__}; the simulated model reads texts"
                )
        seen = view(self.seed, messages, tools)
        n_input = sum(_tokens(message.content) for message in messages)
        if seen.role == "researcher" and tools:
            wanted = researcher.requests(seen)
            if wanted:
                calls = tuple(
                    ToolCall(_call_id(self.seed, messages, i), request.tool, dict(request.arguments))
                    for i, request in enumerate(wanted)
                )
                spent = sum(_tokens(" ".join(call.arguments.values())) + 4 for call in calls)
                return Reply("", calls, n_input, spent)
        content = said_again(seen) or _SPEAKERS[seen.role](seen, self.slip_rate)
        return Reply(content, (), n_input, _tokens(content))


def _tokens(text: str) -> int:
    """Tokens, as a quarter of the characters; at least one a message."""
    return len(text) // 4 + 1


def _call_id(seed: int, messages: Sequence[Message], position: int) -> str:
    digest = hashlib.blake2b(f"{seed}|{position}".encode(), digest_size=8)
    for message in messages:
        digest.update(f"\x1e{message.role}\x1f{message.name}\x1f{message.content}".encode())
    return f"call_{digest.hexdigest()}"
