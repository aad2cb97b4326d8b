"""Signs that something is not said: a report without content, a share that was not delivered."""

from __future__ import annotations

import re
from collections.abc import Iterator

from aegis_default.conclusions import normal
from aegis_default.quantities import numbers
from aegis_default.reading import Entry, Reading
from aegis_default.signs import Sign
from aegis_default.wording import ACCEPTING, CLOSING, LACKING, OPEN, quote

__all__ = ["empty_reports", "undelivered_shares"]

_SHORT = 25
"""Words up to which a message without any content is a report of nothing."""
_COMPLAINT = 120
"""Words up to which a message is read as a complaint; in a page of a browser such words mean something else."""
_WITHIN = re.compile(r"(?<=[a-z,;] )[A-Z]\w+")
_ITEM = 6
"""Words up to which something named after an agent's name is what it is asked for; longer ones describe the agent."""
_SOME = 0.7
"""Least strength where a name that was asked for is missing beside others that are there."""
_UNCLAIMED = 0.5
"""Strength where nobody says that something is missing."""
_MODE = "FM-2.4"


def empty_reports(reading: Reading) -> Iterator[Sign]:
    """`empty-report`: it had something to report and its message says nothing of it. Speaks for FM-2.4.

    It had something if tools answered it in this turn, if others say later that something is missing, or if the run
    ends without an answer.
    """
    lack = _lack(reading)
    for entry in reading.suspects:
        if (
            entry.step.kind != "message"
            or entry.part not in ("work", "closing")
            or not _is_a_report(entry)
            or entry.numbers
        ):
            continue
        found = [one for one in reading.entries[: entry.index] if one.turn == entry.turn and one.part == "result"]
        figures = frozenset[object]().union(*(numbers(one.text) for one in found))
        complaint = lack if lack and lack[0].index > entry.index and lack[0].agent != entry.agent else None
        if not (figures or complaint or reading.is_open) or _hands_on_words(reading, entry):
            continue
        evidence = f'its message says nothing of substance: "{" ".join(entry.text.split())[:120]}"'
        evidence += f", though its tools gave it {len(figures)} figures" if figures else ""
        evidence += "; the run ends without an answer" if reading.is_open and not complaint else ""
        evidence += f"; step {complaint[0].index} lacks something: {complaint[1]}" if complaint else ""
        strength = 1.0 if complaint or reading.is_open else _UNCLAIMED
        yield Sign(signal="empty-report", step=entry.index, evidence=evidence, strength=strength, mode=_MODE)


def _is_a_report(entry: Entry) -> bool:
    n_words = len(entry.words.split(None, _SHORT))
    if not 0 < n_words <= _SHORT or entry.has_code or "?" in entry.text:
        return False
    return not any(pattern.search(entry.text) for pattern in (LACKING, OPEN, ACCEPTING, CLOSING))


def _hands_on_words(reading: Reading, entry: Entry) -> bool:
    """Whether the message hands on names, of which sentences are full that report something without figures.

    A name is written with a capital within a sentence, here or in the task.
    """
    names = {normal(name) for text in (entry.text, reading.run.task) for name in _WITHIN.findall(text)}
    agents = {normal(agent.name) for agent in reading.run.agents}
    return bool((names - agents) & entry.vocabulary) and not entry.conclusions


def undelivered_shares(reading: Reading) -> Iterator[Sign]:
    """`undelivered`: it was asked for several things, and its first answer leaves them out. Speaks for FM-2.4.

    That is: a name that was asked for is missing; or it has neither the words nor any figure.
    """
    lack = _lack(reading)
    for entry, asked, asking in _answers(reading):
        missing = [item for item in asked if not (_telling_words(item) & entry.vocabulary)]
        named = [item for item in missing if re.search(r"\b[A-Z]\w", item)]
        silent = missing == asked and not entry.numbers
        if asked and (named or silent):
            listed = ", ".join(f'"{item}"' for item in (missing if silent else named)[:3])
            evidence = f"step {asking.index} asks it for {listed}; its answer says nothing of that"
            evidence += f". Step {lack[0].index} lacks something: {lack[1]}" if lack else ""
            strength = 1.0 if silent else max(_SOME, len(named) / len(asked))
            yield Sign(signal="undelivered", step=entry.index, evidence=evidence, strength=strength, mode=_MODE)


def _telling_words(item: str) -> frozenset[str]:
    """The names in something that is asked for, or else its longer words."""
    names = re.findall(r"\b[A-Z]\w*", item)
    return frozenset(map(str.casefold, names)) or frozenset(word for word in normal(item).split() if len(word) > 3)


def _answers(reading: Reading) -> Iterator[tuple[Entry, list[str], Entry]]:
    """For each share that a direction gives an agent: the agent's next message, the items, and the direction."""
    for asking in reading.suspects:
        if asking.part != "direction":
            continue
        for agent in reading.run.agents:
            if agent.name not in asking.text or agent.path == asking.agent:
                continue
            line = re.search(
                rf"^[^\n]*\b{re.escape(agent.name)}\b[^\n:]*?(?::|\bfor\b|\bof\b)([^\n]+)$", asking.text, re.M
            )
            answer = next(
                (e for e in reading.suspects if e.index > asking.index and e.agent == agent.path and e.part == "work"),
                None,
            )
            if line and answer:
                items = [item.strip(" .") for item in re.split(r"[;,]", line[1])]
                yield answer, [item for item in items if 0 < len(item.split()) <= _ITEM], asking


def _lack(reading: Reading) -> tuple[Entry, str] | None:
    """The first step in which somebody lacks something, with its words; None if nobody does."""
    for entry in reading.suspects:
        if entry.part != "work" or len(entry.prose.split(None, _COMPLAINT)) > _COMPLAINT:
            continue
        told = LACKING.search(entry.prose)
        if told:
            return entry, quote(entry.prose, told.start(), told.end())
    return None
