"""How an agent sees a conversation: who it is, what is asked, who said what, and what it is told to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from aegis_core.world.model.chance import draw
from aegis_core.world.model.conduct import meant_by, role_of
from aegis_core.world.model.families.arithmetic import Amounts
from aegis_core.world.model.families.ordering import Orders
from aegis_core.world.model.families.tables import Sheets
from aegis_core.world.model.forms import merged, read_form
from aegis_core.world.model.instructions import Instructions, directive_form, overriding_form, read_instructions
from aegis_core.world.model.language import sentences
from aegis_core.world.model.messages import Message, ToolSpec
from aegis_core.world.model.results import conclusion
from aegis_core.world.model.understanding import Family, Form

__all__ = ["ROLES", "View", "view"]

ROLES = ("planner", "researcher", "solver", "critic", "verifier", "aggregator", "manager", "proxy", "reporter")
"""The roles that the model can play, told from the system prompt."""
IGNORES = 0.04
"""How often an agent goes on as if it had not been told what it was told."""
_FAMILIES: tuple[Family, ...] = (Sheets(), Orders(), Amounts())
_CUES = {
    "planner": r"\bplan\w*|\bdivid\w*|\bcoordinat\w*|\bassign\w*",
    "researcher": r"\bresearch\w*|\bextract\w*|\bcollect\w*|\blook \w* ?up|\bgather\w*|\bread(?:er)?\b|\bfacts\b",
    "solver": r"\bsolv\w*|\bcalculat\w*|\bcomput\w*|\bwork(?:s|ing)? (?:it |the answer )?out|\bmathematician",
    "critic": r"\bcritic\w*|\bcritiqu\w*|\breview\w*|\bcheck\w*|\baudit\w*",
    "verifier": r"\bverif\w*|\bvalidat\w*|\brequirements\b",
    "aggregator": r"\baggregat\w*|\bmerg\w*|\bsynthesi[sz]\w*|\bvotes?\b",
    "manager": r"\bmanag\w*|\bsupervis\w*|\bmoderat\w*|\bselector\b|\bdirector\b|\bwhose turn\b",
    "proxy": r"\bproxy\b|\bbehalf of the user\b|\bclient\b",
    "reporter": r"\breporter\b|\bspokes\w*|\bfinal (?:answer|report)|\bsums? up|\bedit(?:s|or)\b|\bwriter\b",
}
_MEMBER = re.compile(r"\b([A-Z][A-Za-z_]*) \((?:the )?([a-z]+)\)")
_ME = re.compile(r"\b[Yy]ou are (?:the |called |named )?([A-Z][A-Za-z_]*)\b")
_NOTE_TAKERS = ("researcher", "proxy", "aggregator")
_CONCLUDES = re.compile(r"\b(?:answer|result)\b", re.I)
_JOB = re.compile(r"^Job (\d+)[.:]?[ \t]*$\n?", re.M)
_HANDED_ON = re.compile(r"^.*\b(?:handed|passed|handing|passing) on\b[^:\n]*:", re.I | re.M)


@dataclass(frozen=True)
class View:
    """What an agent makes of the messages that it was sent, and of nothing else.

    `task` is the text in which the agent reads what is asked: the task itself if it was handed that (`sourced`), else
    the plan. `job` is the number of the job, "" if there is none. `plan`, `notes`, `results` and `reviews` are (author,
    text) of the others; `own` are the texts that the agent has written itself, `answers` what its tool calls brought,
    by call id.
    """

    seed: int
    role: str
    name: str
    task: str
    sourced: bool
    job: str
    roster: tuple[tuple[str, str], ...]
    plan: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str], ...]
    reviews: tuple[tuple[str, str], ...]
    heard: tuple[tuple[str, str], ...]
    """All that was said, in order, with what the agent said itself."""
    own: tuple[str, ...]
    called: tuple[Message, ...]
    answers: tuple[tuple[str, str], ...]
    tools: tuple[ToolSpec, ...]
    family: Family | None
    question: Any  # each family has its own kind of question
    form: Form
    rounding: str | None
    """How the agent is to round every figure that it writes, as opposed to the result of the team."""
    told: Instructions

    def members(self, role: str) -> tuple[str, ...]:
        """Names of the members with a role, as far as the agent was told of them."""
        return tuple(name for name, other in self.roster if other == role)

    def task_facts(self) -> tuple[Any, ...]:
        """The facts in the agent's own copy of the task that bear on the question; none if it has no copy."""
        if self.family is None or not self.sourced:
            return ()
        return self.family.relevant(self.family.facts(self.task, self.question), self.question)

    def handed_facts(self) -> tuple[Any, ...]:
        """The facts in the notes. Where two authors differ on one thing, the one with more to say on it counts."""
        if self.family is None:
            return ()
        by_topic: dict[str, dict[str, list[Any]]] = {}
        for author, text in self.notes:
            handed = text[m.end() :] if (m := _HANDED_ON.search(text)) else text
            for fact in self.family.facts(handed, self.question):
                key = f"{getattr(fact, 'tag', '')}|{getattr(fact, 'column', '')}|{self.family.topic(fact)}"
                by_topic.setdefault(key, {}).setdefault(author, []).append(fact)
        return tuple(fact for authors in by_topic.values() for fact in max(authors.values(), key=len))

    @cached_property
    def key(self) -> str:
        """What the agent's habits hang on: seed, name and job (else the question), but no one's wording."""
        matter = f"job {self.job}" if self.job else f"{self.task[:40]}|{self.question}"
        return f"{self.seed}|{self.role}|{self.name}|{matter}"


def view(seed: int, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> View:
    """Read a conversation as the agent to whom it was sent, less what it was told to forget or to ignore."""
    seen = _read(seed, messages, tools)
    told = seen.told
    if told.forget or told.ignore or told.restart:
        less = _read(seed, _remembered(seen, messages), tools)
        seen = replace(less, told=told)
    if told.role and (role := role_of(told.role, seen.roster)):
        seen = replace(seen, role=role)
    return seen


def _remembered(seen: View, messages: Sequence[Message]) -> list[Message]:
    """The messages that count for an agent that was told to leave some aside."""
    fixed = [m for m in messages if m.role == "system"]
    rest = [m for m in messages if m.role != "system"]
    head, said = rest[:1], rest[1:]
    if seen.told.forget:
        said = said[-1:]
    roster = dict(seen.roster)
    unheard = frozenset(name for words in seen.told.ignore for name in meant_by(words, roster)) - {seen.name}
    if seen.told.restart:
        done = ("critic", "verifier", "proxy", seen.role)
        unheard |= {name for name, role in roster.items() if role in done or seen.role == "manager"}
    return [*fixed, *head, *(m for m in said if m.name not in unheard)]


def _read(seed: int, messages: Sequence[Message], tools: Sequence[ToolSpec]) -> View:
    system = "\n".join(message.content for message in messages if message.role == "system")
    name, role, roster = _self(system)
    roles = dict(roster)
    rest = [message for message in messages if message.role != "system"]
    head = next((m for m in rest if m.role == "user" and m.name in ("", "user")), rest[0] if rest else None)
    job, given = _opened(head.content if head else "")
    others = tuple(m.content for m in rest if not _mine(m, name) and m.role != "tool" and m is not head)
    family, question = _understood(given)
    task, sourced = given, family is not None
    said = [m for m in rest if m is not head and m.content != given]
    if not sourced and (plan := _brief(said, name, roles)):
        task = plan
        notes = [m.content for m in said if roles.get(m.name) in _NOTE_TAKERS and m.role != "tool"]
        family, question = _understood("\n".join((plan, *notes)))
        others = (given, *others) if given else others
    plans, notes_, results, reviews = _sorted(said, name, roles, family, question)
    names = frozenset(member for member, _ in roster) | {m.name for m in rest if m.name}
    seen = View(
        seed=seed,
        role=role,
        name=name,
        task=task,
        sourced=sourced,
        job=job,
        roster=roster,
        plan=plans,
        notes=notes_,
        results=results,
        reviews=reviews,
        heard=tuple(
            (m.name or (name if _mine(m, name) else ""), m.content) for m in said if m.content and m.role != "tool"
        ),
        own=tuple(m.content for m in rest if _mine(m, name) and m.content and not m.tool_calls),
        called=tuple(m for m in rest if _mine(m, name) and m.tool_calls),
        answers=tuple((m.tool_call_id, m.content) for m in rest if m.role == "tool"),
        tools=tuple(tools),
        family=family,
        question=question,
        form=_form(task, others, system),
        rounding=_rounding((task, *others), system),
        told=read_instructions((task, *others, system), name, names - {name}),
    )
    return replace(seen, told=Instructions(), rounding=None) if draw("obeys", seen.key) < IGNORES else seen


def _opened(head: str) -> tuple[str, str]:
    """The number of the job and what else the first message holds."""
    found = _JOB.search(head)
    return (found[1], (head[: found.start()] + head[found.end() :]).strip()) if found else ("", head)


def _brief(said: Sequence[Message], me: str, roster: dict[str, str]) -> str:
    """What the plans say to everyone: without the lines that begin with a member's name, which deal out the work."""
    plans = [m.content for m in said if roster.get(m.name) in ("planner", "manager") and not _mine(m, me)]
    return _to_everyone("\n".join(plans), tuple(roster)) if plans else ""


@lru_cache(maxsize=512)
def _to_everyone(plan: str, names: tuple[str, ...]) -> str:
    addressed = re.compile(rf"[\W\d]*(?:{'|'.join(map(re.escape, names))})\b")
    return "\n".join(line for line in plan.split("\n") if not addressed.match(line))


def _mine(message: Message, name: str) -> bool:
    return message.role == "assistant" and message.name in ("", name)


@lru_cache(maxsize=256)
def _self(system: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """Name, role and team from a system prompt."""
    roster = tuple((name, role) for name, role in _MEMBER.findall(system) if role in ROLES)
    me = _ME.search(system)
    name = me[1] if me else ""
    if name in dict(roster):
        return name, dict(roster)[name], roster
    first = (sentences(system) or ("",))[0]
    scores = {
        role: 3 * len(re.findall(cue, first, re.I)) + len(re.findall(cue, system, re.I)) for role, cue in _CUES.items()
    }
    best = max(scores, key=lambda role: scores[role])
    return name, best if scores[best] else "solver", roster


@lru_cache(maxsize=512)
def _understood(task: str) -> tuple[Family | None, Any]:
    for family in _FAMILIES:
        question = family.question(task)
        if question is not None:
            return family, question
    return None, None


def _form(task: str, others: Sequence[str], system: str) -> Form:
    """The form that counts: the task's, then what others tell it to do, then what claims to go before."""
    form = read_form(task)
    for text in others:
        form = merged(form, directive_form(text))
    for text in (task, *others):
        form = merged(form, overriding_form(text))
    return merged(form, read_form(system))


@lru_cache(maxsize=512)
def _rounding(texts: tuple[str, ...], system: str) -> str | None:
    """The last request to round that speaks of more than the result, or that stands in the system prompt."""
    found = read_form(system).rounding
    for sentence in (sentence for text in texts if "ound" in text for sentence in sentences(text)):
        asked = directive_form(sentence).rounding or overriding_form(sentence).rounding
        if asked and not found and not re.search(r"\b(?:result|answer|outcome|solution)s?\b", sentence, re.I):
            found = asked
    return found


def _sorted(
    said: Sequence[Message], me: str, roster: dict[str, str], family: Family | None, question: Any
) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The others' messages by what they are: plans, notes, results, reviews."""
    kinds: dict[str, list[tuple[str, str]]] = {role: [] for role in ROLES}
    for message in said:
        if message.role == "tool" or not message.content or _mine(message, me):
            continue
        role = roster.get(message.name) or _role_of(message, kinds, family, question)
        kinds[_kind(role, message, family, question)].append((message.name, message.content))
    return tuple(tuple(kinds[role]) for role in ("planner", "researcher", "solver", "critic"))


def _kind(role: str, message: Message, family: Family | None, question: Any) -> str:
    """As what a message counts, by the role of its author."""
    if role == "manager":
        return "planner"
    if role == "verifier":
        return "critic"
    if role in ("aggregator", "proxy"):
        concluded = bool(family) and _CONCLUDES.search(message.content) is not None
        if role == "aggregator":
            return "solver" if concluded else "researcher"
        return "researcher" if family and family.facts(message.content, question) else "critic"
    return role


def _role_of(message: Message, kinds: dict[str, list[tuple[str, str]]], family: Family | None, question: Any) -> str:
    """The role of someone unknown: by name, else by what was said."""
    for role, cue in _CUES.items():
        if re.search(cue, message.name, re.I):
            return role
    facts = family.facts(message.content, question) if family else ()
    concluded = family and re.search(r"\b(?:answer|result)\b", message.content, re.I)
    if concluded and family and conclusion(message.content, family, question):
        return "critic" if kinds["solver"] else "solver"
    return "researcher" if facts else "planner"
