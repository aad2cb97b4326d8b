"""Plain systems of any size, whose models take no time: to measure what recording costs."""

from __future__ import annotations

from typing import Any

from smolagents import LogLevel, Model, PromptTemplates, Tool, ToolCallingAgent
from smolagents.agents import FinalAnswerPromptTemplate, ManagedAgentPromptTemplate, PlanningPromptTemplate
from smolagents.models import ChatMessage, ChatMessageToolCall, ChatMessageToolCallFunction, MessageRole
from smolagents.monitoring import TokenUsage

__all__ = ["house", "n_events"]

_PROMPTS = PromptTemplates(
    system_prompt="You count crates.",
    planning=PlanningPromptTemplate(initial_plan="", update_plan_pre_messages="", update_plan_post_messages=""),
    managed_agent=ManagedAgentPromptTemplate(task="{{task}}", report="{{final_answer}}"),
    final_answer=FinalAnswerPromptTemplate(pre_messages="", post_messages=""),
)


class _Turns(Model):
    """Says one thing after another, and begins anew when it has said the last."""

    def __init__(self, *turns: list[tuple[str, dict[str, Any]]]) -> None:
        super().__init__(model_id="quick")
        self._turns = turns
        self._next = 0

    def generate(self, messages: list[ChatMessage], **kwargs: Any) -> ChatMessage:
        asked = self._turns[self._next % len(self._turns)]
        self._next += 1
        calls = [
            ChatMessageToolCall(
                ChatMessageToolCallFunction(dict(given), name), f"call_{self._next:04}_{number}", "function"
            )
            for number, (name, given) in enumerate(asked)
        ]
        return ChatMessage(MessageRole.ASSISTANT, None, calls, token_usage=TokenUsage(20, 10))


class _Count(Tool):
    name = "count"
    description = "Counts the crates in a hall."
    inputs = {"hall": {"type": "string", "description": "The hall."}}  # noqa: RUF012  as smolagents wants it
    output_type = "string"

    def forward(self, hall: str) -> str:
        return f"There are {len(hall)} crates in {hall}."


def house(*, members: int = 4, calls: int = 3, parallel: bool = False) -> Any:
    """A manager that asks each member once, one after another or all at once; each uses its tool and answers.

    Args:
        members: how many the manager has.
        calls: how often each uses its tool.
    """
    team = [_agent(f"member_{number}", _member(number, calls), [_Count()]) for number in range(members)]
    asks = [(member.name, {"task": f"Count the crates of {member.name}, please."}) for member in team]
    steps = [asks] if parallel else [[ask] for ask in asks]
    model = _Turns(*steps, [("final_answer", {"answer": "All is counted."})])
    return _agent("manager", model, [], managed_agents=team)


def n_events(*, members: int = 4, calls: int = 3, parallel: bool = False) -> int:
    """How many calls of models, tools and members such a house makes in a run."""
    own = (1 if parallel else members) + 1 + members
    return own + members * (2 * calls + 1)


def _member(number: int, calls: int) -> _Turns:
    uses = [[("count", {"hall": f"hall {number}.{use}"})] for use in range(calls)]
    return _Turns(*uses, [("final_answer", {"answer": f"Member {number} has counted {calls} halls."})])


def _agent(name: str, model: Model, tools: list[Tool], **more: Any) -> ToolCallingAgent:
    settings = {"name": name, "description": "counts crates", "max_steps": 100, "verbosity_level": LogLevel.OFF}
    return ToolCallingAgent(tools, model, prompt_templates=_PROMPTS, **settings, **more)
