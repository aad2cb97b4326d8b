"""What an observer may see of one run: its task, agents, steps and final output.

A trajectory never carries a label, nor anything by which an injected run could be told from a clean one:
labels, tape and ledger live in files of their own (`faults`, `run.tape`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field, JsonValue, model_validator

from aegis_core.errors import RecordError, UnknownAgentError
from aegis_core.records import FileRecord, Record

__all__ = [
    "Agent",
    "AgentKind",
    "Content",
    "RunError",
    "Step",
    "StepKind",
    "Trajectory",
    "Usage",
]

StepKind = Literal["message", "tool_call", "tool_result", "handoff", "plan", "thought", "error", "system"]
AgentKind = Literal["worker", "manager", "tool", "user"]


class Agent(Record):
    """A named member of a system.

    `path` is unique within the system: `outer/inner` where teams nest, else the name itself. Selectors,
    orchestrators and coordinators are of kind `manager`; `user` is the human or the caller.
    """

    path: str = Field(min_length=1)
    kind: AgentKind = "worker"
    role: str = ""
    """System prompt or description, as far as the framework gives it."""
    tools: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Last segment of the path."""
        return self.path.rsplit("/", 1)[-1]


class Usage(Record):
    """Tokens of one model call."""

    input_tokens: int = Field(ge=0)
    output_tokens: int = Field(ge=0)


class Content(Record):
    """Structured or non-text content of a step, beside its text.

    `json` holds plain data (tool arguments, structured output); `image`, `audio` and `file` hold a reference
    (`uri`) or a short description in `data`, never the bytes.
    """

    type: Literal["json", "image", "audio", "file"]
    data: JsonValue = None
    uri: str | None = None


class Step(Record):
    """One recorded event.

    `index` counts from 0 without gaps. `turn` is the n-th activation (from 1) of `agent` on `branch`; branch is
    "" outside parallel work. `addressed_to` are the paths it was meant for, `visible_to` those it was delivered
    to (empty: not known). `parents` are indices of earlier steps that led to this one. `start` and `end` are
    seconds since the start of the run.
    """

    index: int = Field(ge=0)
    agent: str
    kind: StepKind
    text: str
    branch: str = ""
    turn: int = Field(default=1, ge=1)
    content: tuple[Content, ...] = ()
    addressed_to: tuple[str, ...] = ()
    visible_to: tuple[str, ...] = ()
    parents: tuple[int, ...] = ()
    call_id: str | None = None
    model: str | None = None
    usage: Usage | None = None
    start: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    end: float = Field(default=0.0, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _consistent(self) -> Step:
        if self.end < self.start:
            raise RecordError(f"step {self.index}: it ends at {self.end} s, before its start at {self.start} s")
        if self.parents:
            late = [parent for parent in self.parents if not 0 <= parent < self.index]
            if late:
                raise RecordError(f"step {self.index}: parents {late} are not earlier steps")
        return self


class RunError(Record):
    """The exception with which a run ended."""

    type: str
    message: str
    agent: str | None = None


class Trajectory(FileRecord):
    """What an observer may see of one run."""

    run_id: str = Field(min_length=1)
    task: str
    agents: tuple[Agent, ...]
    steps: tuple[Step, ...]
    final_output: str | None = None
    error: RunError | None = None
    system: str = ""
    """Name of the system, as its owner calls it."""
    adapter: str = ""
    """Name of the adapter that recorded it."""

    @model_validator(mode="after")
    def _consistent(self) -> Trajectory:
        paths = [agent.path for agent in self.agents]
        if len(set(paths)) != len(paths):
            twice = sorted({path for path in paths if paths.count(path) > 1})
            raise RecordError(f"run {self.run_id}: agents {twice} occur twice; give each a path of its own")
        known = set(paths)
        for position, step in enumerate(self.steps):
            if step.index != position:
                raise RecordError(f"run {self.run_id}: step {step.index} stands at position {position}")
            named = (step.agent, *step.addressed_to, *step.visible_to)
            if not known.issuperset(named):
                self._known(named, known, step.index)
        return self

    def _known(self, paths: Iterable[str], known: set[str], index: int) -> None:
        for path in paths:
            if path not in known:
                raise UnknownAgentError(
                    f"run {self.run_id}, step {index}: agent {path!r} is not in the run; known: {sorted(known)}"
                )

    def agent(self, path: str) -> Agent:
        """The agent at `path`.

        Raises:
            UnknownAgentError: the run has no such agent; the message names those it has.
        """
        for agent in self.agents:
            if agent.path == path:
                return agent
        raise UnknownAgentError(
            f"run {self.run_id} has no agent {path!r}; known: {[agent.path for agent in self.agents]}"
        )

    def turn(self, agent: str, turn: int, branch: str = "") -> tuple[Step, ...]:
        """The steps of the n-th activation (from 1) of an agent on a branch; empty if it never came."""
        return tuple(step for step in self.steps if (step.agent, step.branch, step.turn) == (agent, branch, turn))
