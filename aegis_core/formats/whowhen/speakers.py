"""Who speaks in a message of Who&When, and what kind of step it is.

In the algorithm-generated subset `name` is the speaker and `role` a chat role. In the hand-crafted one there is no
`name`, and `role` is a routing label: an agent, and in brackets what the message is (`Orchestrator (thought)`) or to
whom it goes (`Orchestrator (-> WebSurfer)`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from aegis_core.formats.whowhen.documents import Item
from aegis_core.trajectory import AgentKind, StepKind

__all__ = ["Subset", "Utterance", "agent_kind", "utterance"]

Subset = Literal["algorithm-generated", "hand-crafted"]
_ROUTED = re.compile(r"(?P<agent>.*?\S)\s*\((?P<note>[^()]*)\)\s*", re.DOTALL)
_ARROW = "->"
_KINDS: dict[str, StepKind] = {"thought": "thought", "termination condition": "message"}
_TOOLS = {"computer_terminal", "computerterminal"}
_USERS = {"human", "user"}


@dataclass(frozen=True)
class Utterance:
    """The speaker of a message, the kind of its step, and to whom it goes.

    `is_routing`: it speaks of the work of others, as only who directs them does. `note` is what stands in the brackets
    of a routing label and is none of the known words; else "".
    """

    agent: str
    kind: StepKind
    recipient: str | None = None
    is_routing: bool = False
    note: str = ""


def utterance(item: Item) -> Utterance:
    """What a message says of its speaker."""
    if item.speaker:
        return Utterance(item.speaker, _kind_of(item.speaker))
    routed = _ROUTED.fullmatch(item.role)
    if routed is None:
        return Utterance(item.role.strip(), _kind_of(item.role.strip()))
    agent, note = routed["agent"], routed["note"].strip()
    if note.startswith(_ARROW) and (recipient := note.removeprefix(_ARROW).strip()):
        return Utterance(agent, "handoff", recipient, is_routing=True)
    if note.casefold() in _KINDS:
        return Utterance(agent, _KINDS[note.casefold()], is_routing=True)
    return Utterance(agent, _kind_of(agent), note=note)


def _kind_of(agent: str) -> StepKind:
    return "tool_result" if agent.casefold() in _TOOLS else "message"


def agent_kind(agent: str, *, is_routing: bool) -> AgentKind:
    """The kind of an agent: terminals are tools, `human` is the user, and who directs others is a manager."""
    if agent.casefold() in _TOOLS:
        return "tool"
    if agent.casefold() in _USERS:
        return "user"
    return "manager" if is_routing else "worker"
