"""A run as the signals see it: what each step does in the conversation, what it says, and what was known by then."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

from aegis_core.trajectory import Step, Trajectory
from aegis_default.calculations import Calculation, calculations
from aegis_default.conclusions import Conclusion, conclusions, normal
from aegis_default.quantities import NUMBER, Quantity, numbers, prose, quantities
from aegis_default.wording import DISPUTING, OPEN

__all__ = ["Entry", "Part", "Reading"]

Part = Literal["briefing", "direction", "act", "work", "closing", "failure", "result"]
"""What a step does in the conversation.

`briefing`: opens the conversation with the task. `direction`: says who does what. `act`: calls a tool. `work`:
everything else that an agent says. `closing`: next to no words, such as a word that ends the run. `failure`: an agent's
turn ended with the exception that ended the run. `result`: what tools, the user or the framework say; nobody is blamed
for it.
"""

_AFTER_EQUALS = re.compile(rf"=\s*[€$£]?(-?{NUMBER})")
_FEW_WORDS = 3
_BRIEFING_SHARE = 0.8
_BRIEFING_WORDS = 5


class Entry:
    """One step, with what can be read out of it. `suspect`: whether its speaker can be blamed for it."""

    def __init__(self, step: Step, part: Part, words: str, vocabulary: frozenset[str], *, suspect: bool) -> None:
        self.step, self.part, self.suspect = step, part, suspect
        self.index, self.agent, self.text = step.index, step.agent, step.text
        self.words = f" {words} "
        """The words of the whole text, normalised, with a space at either end."""
        self.vocabulary = vocabulary
        """Its distinct words."""

    @property
    def turn(self) -> tuple[str, str, int]:
        """Which activation of the agent the step belongs to."""
        return self.step.agent, self.step.branch, self.step.turn

    @cached_property
    def prose(self) -> str:
        """The text without code, addresses and paths."""
        return prose(self.text)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """The numbers of the prose."""
        return quantities(self.prose)

    @cached_property
    def numbers(self) -> frozenset[Fraction]:
        """The values of all numbers of the whole text, code too."""
        return numbers(self.text)

    @cached_property
    def calculations(self) -> tuple[Calculation, ...]:
        """The calculations that the prose spells out."""
        return tuple(calculations(self.prose))

    @cached_property
    def computed(self) -> frozenset[Fraction]:
        """What its calculations state, and what they come to."""
        return frozenset(value for one in self.calculations for value in (one.stated, one.value))

    @cached_property
    def derived(self) -> frozenset[Fraction]:
        """The numbers that stand after an equals sign, be it of a calculation, a conversion or a definition."""
        return self.computed | numbers(" ; ".join(_AFTER_EQUALS.findall(self.prose)))

    @cached_property
    def conclusions(self) -> tuple[Conclusion, ...]:
        """What the text concludes."""
        return conclusions(self.text)

    @cached_property
    def objection(self) -> re.Match[str] | None:
        """Where its prose says that something is wrong."""
        return DISPUTING.search(self.prose)

    @property
    def has_code(self) -> bool:
        """Whether it hands over something to be executed."""
        return "```" in self.text or self.part == "act"


@dataclass(frozen=True)
class Reading:
    """A run, read once. Signals look at nothing else."""

    run: Trajectory
    entries: tuple[Entry, ...]

    @classmethod
    def of(cls, run: Trajectory) -> Reading:
        """Read a run."""
        kinds = {agent.path: agent.kind for agent in run.agents}
        speaking = {kinds[step.agent] for step in run.steps}
        blamable = {"worker", "manager"} if speaking & {"worker", "manager"} else {"tool"}
        failure = _failure(run)
        names = {agent.path: agent.name for agent in run.agents if agent.kind != "tool"}
        task = frozenset(normal(run.task).split())
        entries: list[Entry] = []
        for step in run.steps:
            suspect = kinds[step.agent] in blamable and step.kind not in ("tool_result", "error", "system")
            others = [name for path, name in names.items() if path != step.agent]
            opens = suspect and not any(entry.suspect for entry in entries)
            words = normal(step.text)
            vocabulary = frozenset(words.split())
            part = _part(step, vocabulary, task if opens else frozenset(), others) if suspect else "result"
            if step is failure and kinds[step.agent] in blamable:
                part = "failure"
            entries.append(Entry(step, part, words, vocabulary, suspect=suspect))
        return cls(run, tuple(entries))

    @cached_property
    def suspects(self) -> tuple[Entry, ...]:
        """The steps that somebody can be blamed for, in order."""
        return tuple(entry for entry in self.entries if entry.suspect)

    @cached_property
    def failure(self) -> Entry | None:
        """The error step of the exception that ended the run, if it is that of somebody who can be blamed."""
        return next((entry for entry in self.entries if entry.part == "failure"), None)

    @cached_property
    def task_words(self) -> str:
        """The words of the task, normalised, with a space at either end."""
        return f" {normal(self.run.task)} "

    @cached_property
    def task_numbers(self) -> frozenset[Fraction]:
        """The values of all numbers of the task."""
        return numbers(self.run.task)

    @cached_property
    def answer(self) -> Conclusion | None:
        """The answer that the run ends with, None where none can be told or none was reached."""
        if self.run.final_output is not None:
            return _answer(self.run.final_output)
        for entry in reversed(self.suspects):
            if entry.part != "closing" and entry.conclusions:
                return _answer(entry.text)
        return None

    @cached_property
    def is_open(self) -> bool:
        """Whether the run ends with the word that there is no answer."""
        said = self.run.final_output
        if said is None:
            said = next((entry.text for entry in reversed(self.suspects) if entry.part != "closing"), "")
        return bool(OPEN.search(said))

    @cached_property
    def _known(self) -> dict[int, frozenset[Fraction]]:
        known: dict[int, frozenset[Fraction]] = {}
        common, private = set(self.task_numbers), defaultdict[str, set[Fraction]](set)
        for entry in self.entries:
            known[entry.index] = frozenset(common | private[entry.agent])
            said = entry.numbers | entry.computed
            if not entry.step.visible_to:
                common |= said
            for agent in {entry.agent, *entry.step.visible_to} if entry.step.visible_to else ():
                private[agent] |= said
        return known

    def known_to(self, entry: Entry) -> frozenset[Fraction]:
        """The numbers that its speaker can have by then: from the task, from the steps it has seen and their sums.

        It has seen its own earlier steps, and those delivered to it or to all.
        """
        return self._known[entry.index]

    @cached_property
    def _last_use(self) -> dict[Fraction, dict[str, int]]:
        """For each number the last step of each agent that takes it over; the final output is nobody's, after all.

        Who objects to something takes over none of its numbers.
        """
        last: dict[Fraction, dict[str, int]] = {}
        for entry in self.entries:
            if entry.part in ("work", "closing") and entry.objection:
                continue
            for number in entry.numbers:
                last.setdefault(number, {})[entry.agent] = entry.index
        for number in numbers(self.run.final_output or ""):
            last.setdefault(number, {})[""] = len(self.entries)
        return last

    def is_relied_on(self, entry: Entry, number: Fraction) -> bool:
        """Whether a number occurs in a later step of somebody else, or in the final output."""
        uses = self._last_use.get(number, {})
        return any(agent != entry.agent and index > entry.index for agent, index in uses.items())


def _failure(run: Trajectory) -> Step | None:
    """The step of kind `error` that tells of the exception which ended the run: the last one of its agent."""
    error = run.error
    if error is None:
        return None
    told = (step for step in reversed(run.steps) if step.kind == "error")
    if error.agent is not None:
        return next((step for step in told if step.agent == error.agent), None)
    return next((step for step in told if step.text == f"{error.type}: {error.message}"), None)


def _part(step: Step, words: frozenset[str], task: frozenset[str], others: list[str]) -> Part:
    """What a step does; `words` are its distinct words, `task` those of the task where the step opens the run."""
    if step.kind == "tool_call":
        return "act"
    if len(words) <= _FEW_WORDS and not conclusions(step.text):
        return "closing"
    if len(task) >= _BRIEFING_WORDS and len(words & task) >= _BRIEFING_SHARE * len(task) and len(words) > len(task):
        return "briefing"
    named = sum(name in step.text and bool(re.search(rf"\b{re.escape(name)}\b", step.text)) for name in others)
    if step.kind in ("plan", "thought", "handoff") or named >= 2:
        return "direction"
    return "work"


def _answer(text: str) -> Conclusion | None:
    found = [one for one in conclusions(text) if one.is_short]
    if OPEN.search(text) and not found:
        return None
    if found:
        return found[-1]
    whole = Conclusion(text)
    return whole if whole.is_short else None
