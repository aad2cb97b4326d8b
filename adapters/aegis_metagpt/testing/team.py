"""The members of the team in `systems`, as MetaGPT's roles and actions.

Who acts is a matter of what a role watches; what it knows, of what is sent to it. A message that is sent to a role's
address comes into its memory without making it act, so each member sees what it is handed, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from metagpt.actions import Action, UserRequirement
from metagpt.context import Context
from metagpt.roles import Role
from metagpt.schema import Message
from metagpt.team import Team

from aegis_core.world import review_objects
from aegis_core.world.prompts import handed, job_number, system_prompt
from aegis_metagpt.entry import run_team
from aegis_metagpt.testing.chat_model import SimulatedLLM

__all__ = ["Analyse", "Object", "Open", "Plan", "Read", "Report", "Review", "Solve", "Speak", "build", "solve"]

_MAX_REVIEWS = 2


class Open(Action):
    """The number of a job is made known."""


class Speak(Action):
    """Shows the model all that the role remembers, and sends on what it says."""

    speaker: str = ""
    readers: tuple[str, ...] = ()

    async def run(self, history: Sequence[Message]) -> Message:
        said = await self.llm.aask([self.shown(message) for message in history])
        return self.message(said, history)

    def shown(self, message: Message) -> dict[str, str]:
        """A message in the model's terms."""
        if message.role == "Human":
            return {"role": "user", "content": message.content}
        role = "assistant" if message.role == self.speaker else "user"
        return {"role": role, "name": message.role, "content": message.content}

    def message(self, said: str, history: Sequence[Message]) -> Message:
        """What is sent on."""
        del history
        to = {_desk(name) for name in self.readers}
        return Message(content=said, role=self.speaker, cause_by=type(self), sent_from=self.speaker, send_to=to)


class Plan(Speak):
    """What the planner does."""


class Read(Speak):
    """What the first researcher does."""


class Analyse(Speak):
    """What the second researcher does."""


class Solve(Speak):
    """What the solver does."""


class Object(Action):
    """A review that sends the work back."""


class Review(Speak):
    """What the critic does. Its objections go back to the solver, if the work was not reviewed often enough."""

    def message(self, said: str, history: Sequence[Message]) -> Message:
        message = super().message(said, history)
        before = sum(earlier.role == self.speaker for earlier in history)
        if before + 1 < _MAX_REVIEWS and review_objects(said):
            message.cause_by = Object
        return message


class Report(Speak):
    """What the reporter does."""


_DESKS: Mapping[str, tuple[type[Speak], tuple[type[Action], ...], tuple[str, ...]]] = {
    "Planner": (Plan, (UserRequirement,), ("Reader", "Analyst", "Solver", "Critic", "Reporter")),
    "Reader": (Read, (Plan,), ("Solver", "Critic")),
    "Analyst": (Analyse, (Plan,), ("Solver", "Critic")),
    "Solver": (Solve, (Read, Analyse, Object), ("Critic", "Reporter")),
    "Critic": (Review, (Solve,), ("Solver", "Reporter")),
    "Reporter": (Report, (Review,), ("Planner",)),
}
"""What each member does, what it waits for, and who gets what it says."""
_GIVEN_THE_TASK = ("Planner", "Reader", "Analyst")


def _desk(name: str) -> str:
    """The address of a member. It is not its name: a role acts on what is sent to its name."""
    return f"{name}'s desk"


def build(team: Mapping[str, str], seed: int) -> Team:
    """The team of these names and roles, each with a simulated model."""
    context = Context()
    built = Team(context=context)
    built.hire([_member(name, team, context, seed) for name in team])
    return built


def _member(name: str, team: Mapping[str, str], context: Context, seed: int) -> Role:
    action, watched, readers = _DESKS[name]
    return Role(
        name=name,
        profile=name,
        desc=system_prompt(name, team),
        context=context,
        llm=SimulatedLLM(seed),
        actions=[action(context=context, speaker=name, readers=readers)],
        watch=list(watched),
        addresses={_desk(name)},
    )


def solve(team: Any, task: str) -> Any:  # a Team; a coroutine
    """Hand a task to those for whose eyes it is, the number of the job to the others, and let them work."""
    job = job_number(task)
    given = {_desk(name) for name in _GIVEN_THE_TASK}
    others = {_desk(name) for name in _DESKS if name not in _GIVEN_THE_TASK}
    team.run_project(handed(job, task), send_to=given)
    team.env.publish_message(Message(role="Human", content=handed(job), cause_by=Open, send_to=others))
    return run_team(team, "")
