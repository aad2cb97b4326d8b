"""What the models of a sample answer, and what they were asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Answer", "Call", "Rule", "Script", "shown"]


@dataclass(frozen=True)
class Call:
    """A tool that a model asks for."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


Answer = str | Call
"""What a model says: a text, or a tool to be called."""


@dataclass(frozen=True)
class Rule:
    """The answers, one after another, to all requests whose instructions hold a text; the last is repeated."""

    when: str
    says: tuple[Answer, ...]


class Script:
    """Answers requests by the first rule that fits, and keeps account of them. Threads may ask at the same time."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)
        self._asked = [0] * len(self._rules)
        self._lock = threading.Lock()
        self.requests: list[list[str]] = []
        """The texts that each request showed, in the order of arrival."""
        self.unforeseen: list[str] = []
        """The instructions of requests that no rule fits."""

    def answer(self, body: dict[str, Any]) -> Answer:
        """The answer to a request of either interface of OpenAI: chat completions or responses."""
        texts = shown(body)
        with self._lock:
            self.requests.append(texts)
            number = next((at for at, rule in enumerate(self._rules) if rule.when in texts[0]), None)
            if number is None:
                self.unforeseen.append(texts[0][:200])
                return "I have nothing to add."
            says = self._rules[number].says
            asked = self._asked[number]
            self._asked[number] += 1
        return says[min(asked, len(says) - 1)]


def shown(body: dict[str, Any]) -> list[str]:
    """The texts of a request, the instructions first."""
    given = body.get("messages") or body.get("input") or []
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    instructions = body.get("instructions")
    head = [instructions] if isinstance(instructions, str) else []
    return [*head, *(_text(item) for item in items)] or [""]


def _text(item: dict[str, Any]) -> str:
    content = item.get("content", item.get("output", item.get("arguments", "")))
    if isinstance(content, list):
        return "".join(str(block.get("text", "")) for block in content if isinstance(block, dict))
    calls = item.get("tool_calls")
    if calls:
        return json.dumps([call["function"] for call in calls], sort_keys=True)
    return str(content or "")
