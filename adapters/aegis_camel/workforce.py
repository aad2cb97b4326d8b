"""Workforce: a task is planned, its pieces are assigned and worked on side by side, and each result is judged.

A branch is the id of a task: of the worker's turns on it, and of those in which the task agent judges it. Where a turn
stands in the record follows from the plan: the depth of a task's dependencies, its place in the plan, the attempt.
"""

from __future__ import annotations

import abc
import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from camel.models import BaseModelBackend
from camel.societies.workforce import RolePlayingWorker, SingleAgentWorker, Workforce
from camel.societies.workforce.workforce_callback import WorkforceCallback

from aegis_camel import _compat
from aegis_camel.agents import AgentTap
from aegis_camel.models import bind, name_of, tap
from aegis_camel.names import COORDINATOR, PLANNER, Member, Namer, members_of_worker
from aegis_camel.session import Scope, Session, Visit
from aegis_camel.texts.messages import content_text, output_parts
from aegis_camel.texts.shapes import shape_of
from aegis_camel.turns import Manner, Place
from aegis_core.errors import RecorderWarning
from aegis_core.run.recorder import OrderKey
from aegis_core.trace.active import guarded
from aegis_core.trajectory import Content

__all__ = ["WorkforceTap"]

_LATE = "\uffff"
"""Sorted behind all turns of a piece of work."""


@dataclass
class _Work:
    """What is known of one task."""

    rank: int
    content: str = ""
    level: int = 0
    attempts: int = 0
    prefix: OrderKey = ()
    answered: Visit | None = None
    """The turn in which a worker answered, until the answer is judged."""
    judged: int = 0
    needs: tuple[str, ...] = ()
    """The tasks that it depends on."""
    handed: tuple[int, ...] = ()
    """The steps in which it was given to a worker."""
    said: tuple[tuple[str, int], ...] = ()
    """What was answered last, with the steps that say it."""


@dataclass
class _Phase:
    """What the task agent is being asked for."""

    kind: str = ""
    task_id: str = ""


@dataclass
class _Plan:
    """The tasks of a run, and how many turns of the managers there were."""

    base: OrderKey = ()
    works: dict[str, _Work] = field(default_factory=dict)
    managed: int = 0
    planned: list[tuple[str, int]] = field(default_factory=list)
    """The texts of the tasks, with the steps that say them."""

    def work(self, task_id: str) -> _Work:
        """What is known of a task; one that is met for the first time comes last."""
        return self.works.setdefault(task_id, _Work(rank=len(self.works)))

    def told_of(self, task_id: str, *, result: bool) -> Iterator[tuple[str, int]]:
        """Who is told of a task is shown its text, and what was answered, if there is a `result`."""
        work = self.work(task_id)
        yield from ((text, number) for text, number in self.planned if text == work.content)
        yield from ((work.content, number) for number in work.handed)
        yield from work.said if result else ()

    def managing(self) -> OrderKey:
        """The order key of a manager's turn that begins now."""
        self.managed += 2
        return (*self.base, self.managed)

    def working(self, task_id: str, dependencies: list[str]) -> OrderKey:
        """The order key of an attempt at a task that begins now."""
        work = self.work(task_id)
        work.level = 1 + max((self.work(other).level for other in dependencies), default=0)
        work.attempts += 1
        work.needs = tuple(dependencies)
        work.judged = 0
        work.prefix = (*self.base, self.managed + 1, work.level, work.rank, work.attempts)
        return work.prefix

    def judging(self, task_id: str) -> OrderKey:
        """The order key of a judgement of what was last done on a task."""
        work = self.work(task_id)
        work.judged += 1
        return (*work.prefix, _LATE, work.judged) if work.prefix else self.managing()


class WorkforceTap:
    """The hold on a workforce: its managers, its workers, their clones, and those that it makes itself."""

    def __init__(
        self, session: Session, workforce: Workforce, found: tuple[Member, ...], namer: Namer, prefix: str
    ) -> None:
        self.session = session
        self.workforce = workforce
        self._namer, self._prefix = namer, prefix
        self.plan = _Plan()
        self.phase = _Phase()
        self.workers: dict[str, str] = {}
        self.nodes: list[Any] = []
        self.assigning: Visit | None = None
        own = {member.part: member for member in found if member.owner is workforce}
        self.coordinator = own[COORDINATOR].path
        AgentTap(session, workforce.task_agent, own[PLANNER].path, _TaskAgent(self))
        AgentTap(session, workforce.coordinator_agent, self.coordinator, _Coordinator(self))
        for node in _compat.children(workforce):
            self.take(node, found)
        patches = session.patches
        patches.attribute(workforce, _compat.DECOMPOSE, self._in_phase("plan", getattr(workforce, _compat.DECOMPOSE)))
        patches.attribute(workforce, _compat.ANALYSE, self._in_phase("judge", getattr(workforce, _compat.ANALYSE)))
        patches.attribute(workforce, "process_task", _in_no_loop(workforce.process_task))
        patches.attribute(workforce, "process_task_async", self._planning(workforce.process_task_async))
        patches.attribute(workforce, _compat.CALLBACKS, [*getattr(workforce, _compat.CALLBACKS), _LISTENER(self)])

    def take(self, node: Any, found: tuple[Member, ...]) -> None:
        """Tap the agents of a node."""
        self.nodes.append(node)
        own = {member.part: member for member in found if member.owner is node}
        if isinstance(node, SingleAgentWorker):
            self._take_single(node, own["worker"].path)
        elif isinstance(node, RolePlayingWorker):
            self._take_pair(node, own)
        elif isinstance(node, Workforce):
            name = f"{self._prefix}{str(node.description).strip().replace('/', '-') or 'Workforce'}"
            self._known(node, name)
            WorkforceTap(self.session, node, found, self._namer, f"{name}/")

    def _known(self, node: Any, path: str) -> None:
        self.workers[node.node_id] = path
        self.session.names.learn(node.node_id, path)

    def _take_single(self, node: SingleAgentWorker, path: str) -> None:
        self._known(node, path)
        manner = _Worker(self)
        if "clone" not in vars(node.worker):  # one agent may stand for several nodes
            AgentTap(self.session, node.worker, path, manner)
        for clone in _compat.pending_agents(node):
            AgentTap(self.session, clone, path, manner)
        self._take_tasks(node)

    def _take_pair(self, node: RolePlayingWorker, own: dict[str, Member]) -> None:
        """Its two agents are made anew for each task: what can be tapped is the models that they are given."""
        summarizer = own["summarizer"].path
        self._known(node, summarizer.rpartition("/")[0])
        AgentTap(self.session, node.summarize_agent, summarizer, _Worker(self))
        for side in ("user", "assistant"):
            given = getattr(node, f"{side}_agent_kwargs")
            model = (given or {}).get("model")
            if not isinstance(model, BaseModelBackend):
                continue
            tapped = model if name_of(model) else tap(model, own[side].path)
            bind(self.session, tapped, own[side].path)
            self.session.patches.attribute(node, f"{side}_agent_kwargs", {**given, "model": tapped})
        self._take_tasks(node)

    def _take_tasks(self, node: Any) -> None:
        real = getattr(node, _compat.PROCESS)

        async def process(task: Any, dependencies: list[Any], *args: Any, **kwargs: Any) -> Any:
            order = self.plan.working(task.id, [other.id for other in dependencies])
            with self.session.at(Scope(self.session, order, task.id)):
                return await real(task, dependencies, *args, **kwargs)

        self.session.patches.attribute(node, _compat.PROCESS, process)

    def _planning(self, real: Callable[..., Any]) -> Callable[..., Any]:
        async def process_task_async(*args: Any, **kwargs: Any) -> Any:
            self.plan = _Plan(base=self.session.scope().place())
            return await real(*args, **kwargs)

        return process_task_async

    def _in_phase(self, kind: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def ask(task: Any, *args: Any, **kwargs: Any) -> Any:
            before, self.phase = self.phase, _Phase(kind, task.id)
            try:
                return real(task, *args, **kwargs)
            finally:
                self.phase = before

        return ask

    # -- what the workforce tells of --------------------------------------------------------------------------------

    def created(self, task_id: str, content: str) -> None:
        """There is a task."""
        self.plan.work(task_id).content = content

    def assigned(self, task_id: str, worker_id: str) -> None:
        """The coordinator gave a task to a worker."""
        work, visit = self.plan.work(task_id), self.assigning
        worker = self.workers.get(worker_id)
        if visit is None or worker is None:
            return
        if not work.content:  # one of a pipeline, of which nobody is told
            known = {task.id: str(task.content) for task in self.workforce.get_pending_tasks()}
            work.content = known.get(task_id, task_id)
        number = self.session.run.step(
            self.coordinator, "handoff", work.content, moment=visit.turn.moment,
            order=(*visit.turn.order, _LATE, work.rank), addressed_to=(worker,), parents=visit.turn.parents,
            content=(Content(type="json", data={"task": task_id}),), model=visit.model, usage=visit.usage,
        )  # fmt: skip
        work.handed = (number,)
        visit.usage = None  # of one call, however many tasks it assigns

    def failed(self, task_id: str, message: str) -> None:
        """A task failed. Where a worker raised, its turn tells so; else that is said of the turn of its answer."""
        work = self.plan.work(task_id)
        visit, work.answered = work.answered, None
        if visit is None:
            return
        told = message.partition(" (assigned to worker")[0]
        self.session.run.step(
            visit.turn.moment.agent, "error", told, moment=visit.turn.moment,
            order=(*work.prefix, _LATE, work.judged), parents=visit.turn.parents,
        )  # fmt: skip

    def look_for_workers(self) -> None:
        """Tap workers that were made while the run is going on."""
        for node in _compat.children(self.workforce):
            if node not in self.nodes:
                found = tuple(members_of_worker(node, self._namer, self._prefix))
                self.session.run.recorder.declare(member.agent for member in found)
                self.take(node, found)

    def knows_all(self, data: Any) -> bool:
        """Whether these are assignments to workers that there are, which are told as hand-offs."""
        given = data.get("assignments") if isinstance(data, dict) else None
        if not isinstance(given, list) or not given:
            return False
        return all(isinstance(item, dict) and str(item.get("assignee_id")) in self.workers for item in given)


def _in_no_loop(real: Callable[..., Any]) -> Callable[..., Any]:
    """`process_task`, which waits for ever inside a running loop, as it does without Aegis; but it is said why."""

    def process_task(*args: Any, **kwargs: Any) -> Any:
        if _compat.in_loop():
            warnings.warn(
                "aegis: Workforce.process_task was called inside a running loop, where CAMEL waits for ever, recorded "
                "or not (camel-ai/camel#4243); use `await workforce.process_task_async(task)`",
                RecorderWarning,
                stacklevel=3,
            )
        return real(*args, **kwargs)

    return process_task


class _TaskAgent(Manner):
    """Plans, and judges what the workers did."""

    def __init__(self, own: WorkforceTap) -> None:
        self._own = own

    def place(self, session: Session) -> Place:
        del session
        plan, phase = self._own.plan, self._own.phase
        if phase.kind == "judge":
            return Place(plan.judging(phase.task_id), phase.task_id)
        is_first = phase.task_id not in plan.works or not plan.works[phase.task_id].prefix
        return Place(plan.managing(), "" if is_first else phase.task_id, "plan" if phase.kind else "message")

    def addressed_to(self) -> tuple[str, ...]:
        return (self._own.coordinator,) if self._own.phase.kind == "plan" else ()

    def said_before(self, session: Session) -> Iterable[tuple[str, int]]:
        del session
        known = self._own.phase.task_id in self._own.plan.works
        return self._own.plan.told_of(self._own.phase.task_id, result=True) if known else ()

    def ended(self, visit: Visit, messages: list[Any], steps: tuple[int, ...]) -> None:
        if self._own.phase.kind == "plan" and steps:
            self._own.plan.planned += [
                (part.text, steps[0]) for part in output_parts(messages, visit.turn.moment.agent)
            ]


class _Coordinator(Manner):
    """Gives tasks to workers. What it says is recorded as the hand-offs that came of it."""

    def __init__(self, own: WorkforceTap) -> None:
        self._own = own

    def place(self, session: Session) -> Place:
        del session
        return Place(self._own.plan.managing())

    def is_told_otherwise(self, messages: list[Any]) -> bool:
        return bool(messages) and self._own.knows_all(shape_of(content_text(messages[0])).data)

    def said_before(self, session: Session) -> Iterable[tuple[str, int]]:
        del session
        return self._own.plan.planned

    def ended(self, visit: Visit, messages: list[Any], steps: tuple[int, ...]) -> None:
        del messages, steps
        self._own.assigning = visit


class _Worker(Manner):
    """Works on a task: the branch is the task's id, which the scope knows."""

    def __init__(self, own: WorkforceTap) -> None:
        self._own = own

    def said_before(self, session: Session) -> Iterable[tuple[str, int]]:
        plan, task_id = self._own.plan, _task_of(session.scope().branch)
        yield from plan.told_of(task_id, result=False)
        for other in plan.work(task_id).needs:
            yield from plan.told_of(other, result=True)

    def ended(self, visit: Visit, messages: list[Any], steps: tuple[int, ...]) -> None:
        work = self._own.plan.work(_task_of(visit.turn.moment.branch))
        work.answered = visit
        work.said = tuple(
            (shape_of(content_text(message)).step()[0], number) for message in messages for number in steps
        )


def _task_of(branch: str) -> str:
    return branch.partition("/")[0]


def _ignored(*_: Any, **__: Any) -> None:
    """An event that says nothing of what is recorded."""


def _whole(listener: Any) -> Any:
    """The class of a listener with all that is asked of one, by later versions too."""
    for name in listener.__abstractmethods__:
        setattr(listener, name, _ignored)
    return abc.update_abstractmethods(listener)


class _Events(WorkforceCallback):
    """Listens to a workforce; events that it does not know are none of its business."""

    def __init__(self, own: WorkforceTap) -> None:
        self._own = own

    def log_task_created(self, event: Any) -> None:
        with self._known(event, "task_id", "description"):
            self._own.created(event.task_id, event.description)

    def log_task_assigned(self, event: Any) -> None:
        with self._known(event, "task_id", "worker_id"):
            self._own.assigned(event.task_id, event.worker_id)

    def log_task_completed(self, event: Any) -> None:
        with self._known(event, "task_id"):
            self._own.plan.work(event.task_id).answered = None

    def log_task_failed(self, event: Any) -> None:
        with self._known(event, "task_id", "error_message"):
            self._own.failed(event.task_id, event.error_message)

    def log_worker_created(self, event: Any) -> None:
        with self._known(event):
            self._own.look_for_workers()

    @contextlib.contextmanager
    def _known(self, event: Any, *fields: str) -> Iterator[None]:
        """Listen to an event; one of another form tells nothing, and trouble in recording is never the workforce's."""
        with guarded(self._own.session.run):
            try:
                yield
            except AttributeError:
                if all(hasattr(event, name) for name in fields):
                    raise

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("log_"):
            raise AttributeError(name)
        return _ignored


_LISTENER = _whole(_Events)
