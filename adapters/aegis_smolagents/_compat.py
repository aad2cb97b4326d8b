"""What the adapter knows of smolagents beyond its documented classes, in one place. Private names stand here alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from smolagents import ActionStep, CodeAgent, FinalAnswerStep, FinalAnswerTool, MultiStepAgent, PlanningStep
from smolagents.models import ChatMessage, ChatMessageStreamDelta, agglomerate_stream_deltas
from smolagents.remote_executors import RemotePythonExecutor
from smolagents.utils import extract_code_from_text

from aegis_core.trajectory import Usage
from aegis_smolagents.twins import original_of

__all__ = [
    "CALLS",
    "END_OF_PLAN",
    "FINAL",
    "INTERPRETER",
    "MORE",
    "OBSERVATION",
    "TASK",
    "ActionStep",
    "ChatMessage",
    "ChatMessageStreamDelta",
    "CodeAgent",
    "FinalAnswerStep",
    "FinalAnswerTool",
    "MultiStepAgent",
    "PlanningStep",
    "arguments_of",
    "code_in",
    "code_tags",
    "give_back_tools",
    "is_remote",
    "is_structured",
    "joined",
    "reached_max_steps",
    "run_result_output",
    "usage_of",
    "words_beside_code",
]

FINAL = "final_answer"
"""Name of the tool by which an agent gives its answer."""
INTERPRETER = "python_interpreter"
"""What smolagents calls the tool that a code agent's action is."""
END_OF_PLAN = "<end_plan>"
"""Stop sequence by which a request for a plan is known."""
TASK, CALLS, OBSERVATION = "New task:\n", "Calling tools:\n", "Observation:\n"
"""What the memory's texts of a task, of tool calls, and of what they brought, begin with."""
MORE = (
    "\nYou have been provided with these additional arguments, that you can access directly using the keys as "
    "variables:\n"
)
"""What stands in the text of a task before its additional arguments."""
_MARKDOWN = ("```(?:python|py)", "\n```")


def code_tags(agent: Any) -> tuple[str, str]:
    """Between which tags a code agent writes its code."""
    tags: tuple[str, str] = agent.code_block_tags
    return tags


def code_in(text: str, tags: tuple[str, str]) -> str | None:
    """The code in what a code agent's model said, put together as smolagents does; None if there is none."""
    closed = text if text.strip().endswith(tags[1]) else text + tags[1]
    found: str | None = extract_code_from_text(closed, tags) or extract_code_from_text(text, _MARKDOWN)
    return found


def words_beside_code(text: str, tags: tuple[str, str]) -> str:
    """What stands before, between and behind the code in what a code agent's model said."""
    opening, closing = next((pair for pair in (tags, ("```", "```")) if pair[0] in text), (text, ""))
    words, rest = [], text
    while opening in rest:
        before, _, code = rest.partition(opening)
        words.append(before.strip())
        rest = code.partition(closing)[2] if closing else ""
    return "\n".join(filter(None, (*words, rest.strip())))


def is_structured(agent: Any) -> bool:
    """Whether a code agent's model answers in JSON."""
    return bool(getattr(agent, "_use_structured_outputs_internally", False))


def is_remote(agent: Any) -> bool:
    """Whether a code agent's code runs elsewhere, where tools are copies that can't be tapped."""
    return isinstance(getattr(agent, "python_executor", None), RemotePythonExecutor)


def give_back_tools(agent: Any) -> None:
    """The tools with which an agent's code was run last are its own again, not the stand-ins that it had then."""
    executor = original_of(agent.python_executor)
    tools: Any = getattr(executor, "static_tools", None)
    for name, tool in tuple(tools.items()) if isinstance(tools, dict) else ():
        tools[name] = original_of(tool)


def reached_max_steps(step: Any) -> str:
    """Why an agent stopped, if this is the step that it makes when it has no more steps; else ""."""
    error = getattr(step, "error", None)
    return str(error) if type(error).__name__ == "AgentMaxStepsError" else ""


def run_result_output(value: Any) -> Any:
    """The answer in what `run` returned: in a `RunResult` it is the output."""
    return value.output if type(value).__name__ == "RunResult" and hasattr(value, "steps") else value


def joined(chunks: Sequence[ChatMessageStreamDelta]) -> ChatMessage:
    """The whole message of a stream, with tokens counted once.

    smolagents adds up the input tokens of all chunks, though models repeat them in each (its issue 1488).
    """
    message = agglomerate_stream_deltas(list(chunks))
    told = [chunk.token_usage for chunk in chunks if chunk.token_usage]
    if told and message.token_usage is not None:
        message.token_usage.input_tokens = max(usage.input_tokens for usage in told)
        message.token_usage.total_tokens = message.token_usage.input_tokens + message.token_usage.output_tokens
    elif not told:
        message.token_usage = None
    if not message.tool_calls:
        message.tool_calls = None
    return message


def usage_of(message: ChatMessage) -> Usage | None:
    """The tokens that a model tells of."""
    told = message.token_usage
    if told is None:
        return None
    return Usage(input_tokens=max(0, told.input_tokens or 0), output_tokens=max(0, told.output_tokens or 0))


def arguments_of(value: Any) -> Any:
    """Arguments of a tool call as data: models give them as a dict or as JSON."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
