"""Which parts of an agent's input or output a rule may work on, and where a sentence can be added."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping

from aegis_core.adapter import Part
from aegis_core.injector import InjectionContext, Refused
from aegis_rules.reading.passages import Reading, read
from aegis_rules.reading.requirements import is_request
from aegis_rules.reading.sentences import Sentence, n_words

__all__ = ["asked_texts", "heard_parts", "said_parts", "with_sentence"]

_SPOKEN = ("message", "plan", "handoff", "system")
_FAREWELL = re.compile(r"[\W_]*(?:TERMINATE|DONE|END|APPROVED?)[\W_]*")


def heard_parts(context: InjectionContext) -> tuple[Part, ...] | Refused:
    """The parts of an agent's input that tell it what to do and what others found, in their order.

    Results of tools and what the agent itself said are not among them.
    """
    told = [
        part
        for part in context.parts
        if part.kind in _SPOKEN and part.role != "tool" and part.author != context.agent.path
    ]
    editable = tuple(part for part in told if part.editable and n_words(part.text) >= 3)
    if editable:
        return editable
    if not told:
        return Refused("the agent is told nothing here: no message or instruction among its input")
    if not any(part.editable for part in told):
        return Refused("no part of what the agent is told can be edited")
    return Refused("what the agent is told is too short to be altered")


def said_parts(context: InjectionContext) -> tuple[Part, ...] | Refused:
    """The parts of an agent's output in which it says something, in their order."""
    said = [part for part in context.parts if part.kind in ("message", "plan", "handoff", "thought")]
    editable = tuple(part for part in said if part.editable and part.text.strip())
    if editable:
        return editable
    if not any(part.text.strip() for part in said):
        return Refused("the agent says nothing here")
    return Refused("no part of what the agent says can be edited")


def asked_texts(context: InjectionContext, told: Iterable[Part]) -> tuple[str, ...]:
    """The texts by which the agent knows what is asked for: the task, and what it was `told` in this turn."""
    return (context.task, *(part.text for part in told if part.author != context.agent.path))


def with_sentence(
    context: InjectionContext, parts: tuple[Part, ...], sentence: str, rng: random.Random
) -> Mapping[str, str] | Refused:
    """Add a sentence to one of the parts: to the task, to the latest message, or at times to the system prompt."""
    system = [part for part in parts if part.role == "system" or part.kind == "system"]
    others = [part for part in parts if part not in system]
    tasks = [part for part in others if _holds_task(part, context.task)][:1]
    places = [*tasks * 4, *others[-1:] * 4, *system[:1]]
    while places:
        part = rng.choice(places)
        text = _added(read(part.text), sentence, rng)
        if text is not None:
            return {part.id: text}
        places = [place for place in places if place.id != part.id]
    return Refused("the input has no prose to which a requirement could be added")


def _holds_task(part: Part, task: str) -> bool:
    if part.role == "user" or part.author == "user":
        return True
    return bool(task.strip()) and " ".join(task.split())[:200] in " ".join(part.text.split())


def _added(reading: Reading, sentence: str, rng: random.Random) -> str | None:
    """The text with the sentence added after a request or at the end of the prose; None if there is no prose."""
    places = [
        (position, anchor)
        for position, anchor in reading.all()
        if anchor.kind in ("text", "item") and n_words(anchor.text) >= 3 and not anchor.text.rstrip("*_ ").endswith(":")
        and not _FAREWELL.fullmatch(anchor.text)
    ]  # fmt: skip
    if not places:
        return None
    requests = [(position, anchor) for position, anchor in places if is_request(anchor)]
    position, anchor = rng.choice([places[-1], (requests or places)[-1]])
    text = reading.passages[position].text
    return reading.document.write({position: _after(text, anchor, sentence)})


def _after(text: str, anchor: Sentence, sentence: str) -> str:
    line = text.rfind("\n", 0, anchor.start) + 1
    head = text[line : anchor.start]
    ends_line = not text[anchor.end :].partition("\n")[0].strip()
    if anchor.kind == "item" and re.fullmatch(r"\s*[-*•+]\s+", head) and ends_line:
        joint = "\n" + head
    elif re.search(r"[.!?][\"\u201d')*_\]]*$", anchor.text):
        joint = " "
    elif ends_line:
        joint = "\n"
    else:
        joint = ". "
    return text[: anchor.end] + joint + sentence + text[anchor.end :]
