"""The state of one run: its recorder, its tape to be served from, its interventions, and how it ends."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.errors import ReplayDrift, RunLimitReached
from aegis_core.faults import Ledger, Moment, Scope, Strategy
from aegis_core.run.driving import finish
from aegis_core.run.info import Limits, RunInfo
from aegis_core.run.interventions import Alteration, Interventions
from aegis_core.run.places import Places
from aegis_core.run.recorder import OrderKey, Recorder, after
from aegis_core.run.replay import Replay
from aegis_core.run.requests import Requests
from aegis_core.run.secrets import Secrets
from aegis_core.run.tape import CallKey, Tape, TapeEntry, TapeKind
from aegis_core.trajectory import Agent, RunError, Step, StepKind, Trajectory, Usage

__all__ = ["RunState", "moment_of"]


class RunState:
    """What turns and calls of one run share.

    Args:
        info: what is known before the start.
        replay: serve the prefix of a recorded run; None: everything is live.
        interventions: targets to carry out; None: nothing is altered.
        limits: turns, calls and seconds after which `RunLimitReached` is raised inside the system.
        normalise: the adapter's `normalise`, for the hashes of the tape.
        output: takes the final answer out of the result of the system; None leaves it to the adapter.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        info: RunInfo,
        *,
        replay: Replay | None = None,
        interventions: Interventions | None = None,
        limits: Limits | None = None,
        normalise: Callable[[JsonValue], JsonValue] | None = None,
        output: Callable[[Any], str | None] | None = None,  # Any: a framework's own result
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.info = info
        self.replay = replay
        self.interventions = interventions
        self.limits = limits or Limits()
        self.recorder = Recorder(clock)
        self.recorder.declare(info.agents)
        self.places = Places()
        """Order keys for systems that have no plan of their work."""
        self.limit_reached = ""
        """Which limit, ours or the framework's own, ended the run; "" if none did."""
        self.entered = False
        """Whether the entry of the system is running now."""
        self.separate_calls = 0
        """How many calls of the entry were made that do not go on with an earlier one; a run is meant to be one."""
        self.output = output
        self.final_output: str | None = None
        self.unanswered = ""
        """Why the answer of a run that ended well can't be told, and what to do; "" where it can."""
        self.trouble = ""
        """What went wrong in recording; such a run proves nothing."""
        self.error: RunError | None = None
        self._secrets = Secrets.of_environment()
        self._requests = Requests(normalise, self._secrets)
        self._live_calls = 0
        self._n_turns = 0
        self._n_calls = 0
        self._step_limits: list[BaseException] = []
        self._errors: dict[int, tuple[BaseException, str | None]] = {}
        """Holds the exceptions themselves, so that no later one can have the same id."""
        self._tokens = itertools.count()
        self._open: dict[tuple[str, str], int] = {}
        self._overlapping: dict[str, None] = {}
        self._lock = threading.Lock()

    def enter(self, task: str, *, goes_on: bool = False) -> None:
        """The entry of the system was called with the text of a task.

        Args:
            goes_on: it was called to go on with what an earlier call began (an answer to a question back, the next
                message of one conversation).
        """
        self.entered = True
        self.separate_calls += not goes_on
        if not self.info.task:
            self.info = replace(self.info, task=task)

    def entered_beside(self) -> None:
        """The entry was called while an earlier call of it, which this one is no part of, still runs."""
        self.separate_calls += 1

    def leave(self, final_output: str | None, *, unanswered: str = "") -> None:
        """The entry of the system returned, with the text of its result; `unanswered` says why there is none."""
        self.entered = False
        self.final_output, self.unanswered = final_output, unanswered

    def own_answer(self, result: Any) -> tuple[str | None, str]:  # Any: a framework's own result
        """What `output` takes out of a result, and why it is nothing, if it raised."""
        if self.output is None:
            return None, ""
        try:
            return self.output(result), ""
        except Exception as error:  # recorder boundary: the user's function
            return None, f"the final answer is not known: `output` raised {type(error).__name__}: {error}"

    def step(self, agent: str, kind: StepKind, text: str, **more: Any) -> int:  # Any: the keywords of Recorder.step
        """Record a step that is neither the input nor the output of a turn; returns its number for `parents`."""
        return self.recorder.step(agent, kind, text, **more)

    def told(
        self,
        text: str,
        *,
        to: tuple[str, ...] = (),
        visible_to: tuple[str, ...] = (),
        order: OrderKey = (),
    ) -> int:
        """What a human said to the system after its task: a message of the agent `user`; returns its number.

        The task itself is no step. What a member of the system says that stands for a human is a turn of that member.

        Args:
            to: paths of the agents that it was given to.
            visible_to: paths of those who were shown it.
        """
        self.recorder.declare((Agent(path="user", kind="user"),))
        return self.recorder.step("user", "message", text, addressed_to=to, visible_to=visible_to, order=order)

    def failed(
        self,
        error: BaseException,
        agent: str | None = None,
        *,
        moment: Moment | None = None,
        order: OrderKey = (),
        cause: BaseException | None = None,
        model: str | None = None,
        usage: Usage | None = None,
        call_id: str | None = None,
    ) -> None:
        """An exception of the system passed through here.

        With `agent`: it was raised in that agent's turn; recorded as a step of kind `error`, once, by the first
        (deepest) caller. Without: the run ended with it; `trajectory.error` names the agent if one is known, by this
        exception or one that led to it.

        Args:
            cause: the exception that the framework made this one from, where it is not its `__cause__`. A step that
                tells of it is not followed by another one.
            call_id: of the call inside the turn that raised it, if the turn may go on; else the turn is over.
            model, usage: of the turn's model calls whose words are no step, so that what it spent is told.
        """
        if moment is not None and call_id is None:
            self._close(moment)
        if isinstance(error, RunLimitReached | ReplayDrift):
            return
        with self._lock:
            known = self._errors.get(id(error)) or self._errors.get(id(cause))
            if known is None and agent is None:
                known = next(filter(None, (self._errors.get(id(reason)) for reason in _causes(error))), None)
            if known is None:
                self._errors[id(error)] = (error, agent)
        if agent is None:
            if any(limit is error for limit in self._step_limits):
                self.limit_reached = str(error) or type(error).__name__
            where = known[1] if known is not None else None
            self.error = RunError(type=type(error).__name__, message=str(error), agent=where)
        elif known is None:
            self.recorder.step(
                agent, "error", f"{type(error).__name__}: {error}", moment=moment, order=after(order), model=model,
                usage=usage, call_id=call_id,
            )  # fmt: skip

    def stopped_by(self, limit: BaseException | str) -> None:
        """The system took more steps than its framework allows.

        Args:
            limit: the exception that the framework raised because of it. If it is what the run ends with, the run has
                no end (`limit_reached`); if the system catches it and goes on, it is an exception like any other. Where
                the framework ends the run without an exception (a message, a state, an answer all the same): which
                limit it was, in words, once it is certain that the run as a whole ended by it.
        """
        if isinstance(limit, str):
            self.limit_reached = limit or "the framework's limit of steps"
        else:
            self._step_limits.append(limit)

    def hidden(self, text: str) -> str:
        """A text without what the environment calls a secret (`run.secrets`)."""
        return self._secrets.hidden(text)

    @property
    def unfinished(self) -> tuple[str, ...]:
        """Paths of the agents in whose turns the run still is, sorted."""
        with self._lock:
            return tuple(sorted({agent for (agent, _), turns in self._open.items() if turns}))

    @property
    def live_model_calls(self) -> int:
        """Model calls that were really made, not served."""
        return self._live_calls

    @property
    def void(self) -> str:
        """Why this run proves nothing (it left the recorded prefix, or recording failed), or ""."""
        return self.trouble or (self.replay.drift if self.replay is not None else "")

    def trajectory(self, final_output: str | None = None) -> Trajectory:
        """The run as far as it went; `final_output` where `leave` was not told of it."""
        whole = Trajectory(
            run_id=self.info.run_id,
            task=self.info.task,
            agents=self.recorder.agents,
            steps=self.recorder.steps(),
            final_output=self.final_output if final_output is None else final_output,
            error=self.error,
            system=self.info.system,
            adapter=self.info.adapter,
        )
        return self._secrets.out_of(whole)

    def tape(self) -> Tape:
        """The tape of the run as far as it went."""
        whole = Tape(
            run_id=self.info.run_id,
            adapter=self.info.adapter,
            entries=self.recorder.entries(),
            overlapping=tuple(self._overlapping),
        )
        return self._secrets.out_of(whole)

    def ledger(self) -> Ledger:
        """What was done to the run; `observed_by` is filled in by `run.observation`."""
        entries = self.interventions.ledger() if self.interventions is not None else ()
        return self._secrets.out_of(Ledger(run_id=self.info.run_id, interventions=entries))

    async def _alter(
        self,
        moment: Moment,
        strategy: Strategy,
        scopes: Sequence[Scope],
        parts: tuple[Part, ...],
        seen: tuple[Part, ...],
        blocking: bool,
        call: int | None = None,
    ) -> Alteration | None:
        if self.interventions is None:
            return None
        index = self.interventions.claim(moment, strategy, scopes)
        if index is None:
            return None
        if self.replay is not None:
            self.replay.target_reached()
        coroutine = self.interventions.alter(
            index, parts, task=self.info.task, agents=self.recorder.agents, seen=seen,
            history=self.recorder.history(), call=call,
        )  # fmt: skip
        altered = finish(coroutine) if blocking else await coroutine
        if altered is not None and strategy == "prompt_injection":
            for part, original in zip(altered.parts, parts, strict=True):
                if part.text != original.text:
                    self.recorder.altered(original.text, part.text)
        return altered

    @property
    def _is_plain(self) -> bool:
        """Whether the run is only recorded: nothing is served and nothing altered in it."""
        return self.replay is None and self.interventions is None

    def _tape(
        self,
        order: OrderKey,
        moment: Moment,
        kind: TapeKind,
        *,
        sent: tuple[Part, ...],
        request: tuple[Part, ...],
        name: str = "",
        call: int = 1,
        digest: str | None = None,
        extra: JsonValue = None,
        payload: JsonValue = None,
        error: RunError | None = None,
        inner: tuple[Step, ...] = (),
    ) -> None:
        """Put an entry on the tape, which is made when the tape is read if the run is only recorded.

        Args:
            sent: the parts that count for the hash, with `extra`, where it is not known yet.
            digest: the hash, if it is.
            payload: plain data that nobody else holds.
            inner: steps inside a call of kind `node`.
        """

        def made() -> TapeEntry:
            turns = dict.fromkeys(m for step in inner if (m := moment_of(step)) != moment) if inner else ()
            return TapeEntry.made_of(
                {
                    "key": CallKey.made_of({"moment": moment, "kind": kind, "name": name, "call": call}),
                    "request_hash": self._requests.hash(sent, extra) if digest is None else digest,
                    "request": request,
                    "payload": payload,
                    "inner": inner,
                    "inner_turns": tuple(turns),
                    "error": error,
                }
            )

        self.recorder.tape(made if self._is_plain else made(), order)

    def _check_limits(self) -> None:
        limits = self.limits
        spent = 0.0 if limits.seconds is None else self.recorder.now()
        reached = ""
        if limits.turns is not None and self._n_turns > limits.turns:
            reached = f"more than {limits.turns} turns"
        elif limits.calls is not None and self._n_calls > limits.calls:
            reached = f"more than {limits.calls} calls"
        elif limits.seconds is not None and spent > limits.seconds:
            reached = f"more than {limits.seconds} s"
        if reached:
            self.limit_reached = reached
            raise RunLimitReached(f"run {self.info.run_id} took {reached}; raise the limit if that is too few")

    def _close(self, moment: Moment) -> None:
        with self._lock:
            self._open[moment.agent, moment.branch] = max(0, self._open.get((moment.agent, moment.branch), 0) - 1)


def moment_of(step: Step) -> Moment:
    """The turn that a step belongs to."""
    return Moment(agent=step.agent, branch=step.branch, turn=step.turn)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exceptions that led to this one, the last first; a chain may be a ring."""
    seen = {id(error)}
    while (reason := error.__cause__) is not None and id(reason) not in seen:
        seen.add(id(reason))
        yield (error := reason)
