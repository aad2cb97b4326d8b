"""Who first said what was answered in the end."""

from __future__ import annotations

from decimal import Decimal

from aegis_core import Attribution, Attributor, Blame, Step, Trajectory
from aegis_plugin_attributor.figures import figures

__all__ = ["AnswerOrigin"]


class AnswerOrigin(Attributor):
    """Blames the agent that first said the figure of the final answer, at the step where it did. Says no mode.

    In a failed run the answer is wrong, so whoever brought its figure in has erred, and who said it later repeated it.
    The figure is the last in the answer that the task does not hold. The answer is the run's final output; where that
    is not known, the last message of an agent.

    The confidence is 1 / n where n agents say the figure: each of them may have come to it without the others. An
    abstention where the answer has no such figure, no step says it, or a tool or the user said it first.
    """

    name = "answer-origin"

    def attribute(self, trajectory: Trajectory) -> Attribution:
        answer = _answer(trajectory)
        if answer is None:
            return self._abstained(trajectory, "the run has no final answer, and no agent said anything")
        given = set(figures(trajectory.task))
        figure = next((one for one in reversed(figures(answer)) if one not in given), None)
        if figure is None:
            return self._abstained(trajectory, "the final answer has no figure but those of the task")
        return self._origin(trajectory, figure)

    def _origin(self, trajectory: Trajectory, figure: Decimal) -> Attribution:
        saying = [step for step in trajectory.steps if figure in figures(step.text)]
        if not saying:
            return self._abstained(trajectory, f"no step says {figure}, the figure of the final answer")
        first, *later = saying
        if not _is_an_agents(first, trajectory):
            reason = f"{figure}, the figure of the final answer, came in by a tool or the user, at step {first.index}"
            return self._abstained(trajectory, reason)
        agents = {first.agent, *(step.agent for step in later if _is_an_agents(step, trajectory))}
        blame = Blame(
            agent=first.agent,
            step=first.index,
            confidence=1 / len(agents),
            evidence=f"first to say {figure}, the figure of the final answer; agents that say it: {len(agents)}",
        )
        return Attribution(run_id=trajectory.run_id, blames=(blame,), attributor=self.name)

    def _abstained(self, trajectory: Trajectory, reason: str) -> Attribution:
        return Attribution(run_id=trajectory.run_id, abstained=reason, attributor=self.name)


def _answer(trajectory: Trajectory) -> str | None:
    if trajectory.final_output is not None:
        return trajectory.final_output
    own = [step.text for step in trajectory.steps if step.kind == "message" and _is_an_agents(step, trajectory)]
    return own[-1] if own else None


def _is_an_agents(step: Step, trajectory: Trajectory) -> bool:
    """Whether an agent wrote the step's text itself."""
    return step.kind not in {"tool_result", "system"} and trajectory.agent(step.agent).kind in {"worker", "manager"}
