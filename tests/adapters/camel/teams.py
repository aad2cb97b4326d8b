"""Small systems with scripted models, and how they are run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from camel.agents import ChatAgent
from camel.societies import RolePlaying
from camel.societies.workforce import Workforce
from camel.tasks import Task
from pydantic import BaseModel

from aegis_camel.testing.scripted import ScriptedModel, completion, texts_of
from aegis_core.adapter import Site
from aegis_core.faults import Moment, Plan, Target
from aegis_core.run import Interventions, Replay, Run, RunInfo
from aegis_core.testing.marking import MARK, Marks
from aegis_core.trajectory import Trajectory

__all__ = [
    "MARK",
    "Answer",
    "Log",
    "acted",
    "agent",
    "answering",
    "asking",
    "asks",
    "kinds",
    "pair",
    "result",
    "said",
    "target",
    "workforce",
]


class Answer(BaseModel):
    """What an agent may be asked to answer with."""

    answer: str
    crates: int


class Log(list[tuple[str, list[str]]]):
    """Which texts the models were shown, call by call."""

    def of(self, name: str) -> list[list[str]]:
        return [texts for who, texts in self if who == name]

    def last(self, name: str) -> str:
        return self.of(name)[-1][-1]


def answering(log: Log, name: str, answers: Any, **more: Any) -> ScriptedModel:
    """A model that gives these answers, one after another, the last one again and again; or what a function says."""
    queue = list(answers) if isinstance(answers, list | tuple) else [answers]

    def answer(messages: Any, tools: Any) -> Any:
        log.append((name, texts_of(messages)))
        found = queue.pop(0) if len(queue) > 1 else queue[0]
        if callable(found):
            found = found(texts_of(messages))
        if isinstance(found, BaseException):
            raise found
        return completion(found) if isinstance(found, str) else found

    return ScriptedModel(answer, **more)


def asks(name: str, call_id: str = "call_1", **arguments: Any) -> Any:
    """An answer that asks for a tool."""
    return completion("", [{"id": call_id, "name": name, "arguments": arguments}])


def asking(*answers: Any) -> list[Any]:
    return list(answers)


def agent(log: Log, name: str, answers: Any, *, stream: bool = False, tools: Any = None, **more: Any) -> ChatAgent:
    """An agent, whose system message is a text, as most people give it."""
    model = answering(log, name, answers, stream=stream)
    return ChatAgent(f"You are {name}.", model=model, tools=tools, stream_accumulate=False, **more)


def pair(log: Log, user: Any, assistant: Any, **more: Any) -> RolePlaying:
    """Two agents that take turns."""
    return RolePlaying(
        assistant_role_name="Programmer",
        user_role_name="Trader",
        task_prompt="Write a trading bot.",
        with_task_specify=more.pop("with_task_specify", False),
        user_agent_kwargs={"model": answering(log, "Trader", user)},
        assistant_agent_kwargs={"model": answering(log, "Programmer", assistant)},
        **more,
    )


def result(content: str, *, failed: bool = False) -> str:
    """What a worker of a workforce answers."""
    return json.dumps({"content": content, "failed": failed})


_FINE = {"reasoning": "That will do.", "issues": [], "recovery_strategy": None, "quality_score": 95}
_AGAIN = {"reasoning": "Try again.", "issues": ["broken"], "recovery_strategy": "retry", "quality_score": 10}


def workforce(
    log: Log,
    workers: dict[str, Any],
    tasks: Iterable[str] = ("Gather the facts about hall 27.", "Write the report of the facts."),
    *,
    assign: Callable[[list[str]], list[dict[str, Any]]] | None = None,
    judge: Any = None,
    plans: Iterable[str] = (),
    ids: bool = True,
    **more: Any,
) -> Workforce:
    """A workforce whose workers are these, by description: answers of a model, or agents.

    By default the n-th task goes to the n-th worker, and depends on the one before.
    """
    names = list(workers)
    later = list(plans)
    plan = "<tasks>" + "".join(f"<task>{task}</task>" for task in tasks) + "</tasks>"

    def managing(texts: list[str]) -> str:
        if "recovery_strategy" not in texts[-1]:
            return later.pop(0) if later else plan
        if judge is not None:
            return str(judge(texts[-1]))
        return json.dumps(_AGAIN if "N/A (task failed)" in texts[-1] else _FINE)

    def chain(found: list[str]) -> list[dict[str, Any]]:
        return [
            {"task_id": own, "assignee_id": f"id-{names[min(i, len(names) - 1)]}", "dependencies": found[i - 1 : i]}
            for i, own in enumerate(found)
        ]

    def coordinating(texts: list[str]) -> str:
        return json.dumps({"assignments": (assign or chain)(re.findall(r"Task ID: (\S+)", texts[-1]))})

    team = Workforce(
        "team",
        coordinator_agent=ChatAgent("You lead.", model=answering(log, "Coordinator", coordinating)),
        task_agent=ChatAgent("You plan.", model=answering(log, "Task Planner", managing)),
        graceful_shutdown_timeout=0,
        **more,
    )
    for name, answers in workers.items():
        worker = answers if isinstance(answers, ChatAgent) else agent(log, name, answers, agent_id=f"id-{name}")
        team.add_single_agent_worker(name, worker=worker)
    return team


def task(text: str = "How many crates does hall 27 hold?") -> Task:
    return Task(content=text, id="0")


def kinds(trajectory: Trajectory) -> list[tuple[str, str]]:
    """Who did what, in order."""
    return [(step.agent, step.kind) for step in trajectory.steps]


def said(trajectory: Trajectory) -> list[tuple[str, str]]:
    return [(step.agent, step.text) for step in trajectory.steps if step.kind == "message"]


def target(agent: str, strategy: Any, scope: Any, *, turn: int = 1, branch: str = "") -> Target:
    moment = Moment(agent=agent, turn=turn, branch=branch)
    site = Site(strategy=strategy, scope=scope)
    return Target(moment=moment, mode="FM-2.6", strategy=site.strategy, scope=site.scope)


def acted(app: Any, play: Callable[[Any], Any], *targets: Target, served: Any = None, injector: Any = None) -> Run:
    """Run a system as a campaign does: altered, and served from a tape up to the first target."""
    from aegis_camel.adapter import CamelAdapter

    adapter = CamelAdapter()
    interventions = Interventions(Plan(targets=targets, seed=1), injector or Marks()) if targets else None
    run = Run(
        RunInfo(run_id="run", adapter="camel", agents=adapter.agents(app)),
        replay=Replay(served, targets) if served is not None else None,
        interventions=interventions,
        normalise=adapter.normalise,
    )
    with adapter.attach(app, run) as attachment:
        play(attachment.app)
    return run
