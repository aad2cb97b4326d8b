"""What an agent does in a turn, as steps: what it thinks, plans and calls, what code it runs, what goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from aegis_core.run.outputs import call_text
from aegis_core.trace.active import guarded
from aegis_core.trajectory import Content
from aegis_smolagents._compat import (
    FINAL,
    INTERPRETER,
    ActionStep,
    ChatMessage,
    PlanningStep,
    arguments_of,
    code_tags,
    is_structured,
    reached_max_steps,
)
from aegis_smolagents.answers import Manner, thought_in, words_of
from aegis_smolagents.calls import carrying_out, tell_call, tell_result, tell_watched
from aegis_smolagents.code import answers_in, elided
from aegis_smolagents.frames import Frame, Site
from aegis_smolagents.signals import leaving

if TYPE_CHECKING:
    from aegis_smolagents.agents import AgentTap

__all__ = ["StepTaps"]

_LAST_OUTPUT = "Last output from code snippet:\n"


class StepTaps:
    """Taps on the methods by which an agent carries out a step.

    Args:
        agent: the tap of the agent.
    """

    def __init__(self, agent: AgentTap) -> None:
        self._agent = agent

    def process_tool_calls(
        self, real: Callable[..., Any], message: ChatMessage, *args: Any, **kw: Any
    ) -> Iterator[Any]:
        """The model asked for these calls, which are about to be carried out, several side by side."""
        frame = self._agent.frame()
        if frame is not None:
            with guarded(frame.run):
                self._asked(frame, message)
        yield from real(message, *args, **kw)

    def _asked(self, frame: Frame, message: ChatMessage) -> None:
        frame.forget_pending()
        frame.unsaid = False
        if thought := thought_in(message, Manner()):
            frame.step("thought", thought, frame.next_order())
        asked, carried_out = frame.next_order(), frame.next_order()
        calls = [call for call in message.tool_calls or () if call.function.name != FINAL]
        names = [call.function.name for call in calls]
        for position, call in enumerate(calls):
            name = call.function.name
            managed = name in self._agent.agent.managed_agents
            found = Site(
                frame=frame,
                name=name,
                arguments=call.function.arguments,
                call_id=call.id or f"{frame.call_id(asked)}.{position}",
                order=(*carried_out, position),
                ordinal=frame.ordinal(name),
                branch=str(names[:position].count(name) + 1) if managed and names.count(name) > 1 else "",
                managed=managed,
            )
            tell_call(found, asked)
            frame.expect(found)

    def execute_tool_call(self, real: Callable[..., Any], tool_name: str, arguments: Any, *args: Any, **kw: Any) -> Any:
        """One of these calls is carried out."""
        frame = self._agent.frame()
        found: Site | None = None
        if frame is not None:
            with guarded(frame.run):
                found = frame.claim(tool_name, arguments)
        if found is None:
            return real(tool_name, arguments, *args, **kw)
        with carrying_out(found) as given:
            given.append(real(tool_name, arguments, *args, **kw))
        return given[0]

    def execute(self, _: str, original: Any, code: str, *args: Any, **kw: Any) -> Any:
        """A code agent's code is carried out."""
        frame = self._agent.frame()
        if frame is not None:
            with guarded(frame.run):
                self._acts(frame, code)
        return original(code, *args, **kw)

    def _acts(self, frame: Frame, code: str) -> None:
        manner = Manner(tags=code_tags(self._agent.agent), structured=is_structured(self._agent.agent))
        if frame.said is not None and (thought := thought_in(frame.said, manner)):
            frame.step("thought", thought, frame.next_order())
        order = frame.next_order()
        frame.unsaid, frame.answers = False, answers_in(code)
        shown = elided(code)
        found = Site(frame, INTERPRETER, {"code": shown}, frame.call_id(order), order, frame.ordinal(INTERPRETER))
        tell_call(found, order, text=shown)
        frame.acting = found

    def callback(self, _: str, real: Callable[..., Any], step: Any, *args: Any, **kw: Any) -> Any:
        """A step is over, and the user's own callbacks have seen it."""
        result = real(step, *args, **kw)
        self._agent.renew()
        frame = self._agent.frame()
        if frame is not None:
            with leaving(), guarded(frame.run):
                self._over(frame, step)
        return result

    def _over(self, frame: Frame, step: Any) -> None:
        if isinstance(step, PlanningStep):
            frame.unsaid = False
            frame.step("plan", str(step.model_output_message.content), frame.next_order())
        if not isinstance(step, ActionStep):
            return
        if frame.acting is not None:
            found, frame.acting = frame.acting, None
            found.order = frame.next_order()
            text = _observed(step)
            error = None if step.error is None else str(step.error)
            tell_watched(found, text if error is None else [text, error])
            tell_result(found, text if error is None else f"{text}\n{error}".strip(), failed=error is not None)
            self._unheard(frame, _not_given(frame.answers, step))
        elif step.error is not None and not frame.is_told(step.error):
            self._unheard(frame, [] if reached_max_steps(step) else self._refused(frame))
            data: JsonValue = {"error": type(step.error).__name__}
            frame.step("error", str(step.error), frame.next_order(), content=(Content(type="json", data=data),))
        if (reason := reached_max_steps(step)) and self._agent.hold.is_root(frame):
            frame.run.stopped_by(reason)

    def _refused(self, frame: Frame) -> list[str]:
        """What the agent's model said in vain: words that are no call, an answer that was not taken."""
        said = frame.said
        if said is None:
            return []
        calls = [call for call in said.tool_calls or () if call.function.name == FINAL]
        answers = [call_text(FINAL, arguments_of(call.function.arguments)) for call in calls]
        if not frame.unsaid:
            return answers
        frame.unsaid = False
        words = words_of(said).strip()
        if self._agent.writes_code:  # smolagents itself puts the end of the code there
            words = words.removesuffix(code_tags(self._agent.agent)[1]).strip()
        return [words, *answers]

    def _unheard(self, frame: Frame, texts: list[str]) -> None:
        """Record words that stay in the agent's memory, since nobody else got them."""
        for text in filter(None, texts):
            frame.step("thought", text, frame.next_order())


def _not_given(answers: tuple[str, ...], step: Any) -> list[str]:
    """The literal answers in code that were not what the step gave: those of a branch not taken, refused ones."""
    given = str(step.action_output) if step.is_final_answer and step.error is None else None
    return [call_text(FINAL, {"answer": answer}) for answer in answers if answer != given]


def _observed(step: Any) -> str:
    """What a code agent is shown of what its code did; of code that gives the answer, what it printed."""
    seen = str(step.observations or "")
    return seen.partition(_LAST_OUTPUT)[0].strip() if step.is_final_answer else seen
