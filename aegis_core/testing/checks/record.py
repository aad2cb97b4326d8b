"""Does the record say what happened, all of it, and nothing else?"""

from __future__ import annotations

import itertools

import pytest

from aegis_core.adapter import Part
from aegis_core.faults import Moment
from aegis_core.run import Tape
from aegis_core.testing.script import Delay, Heard, Script
from aegis_core.testing.stage import Build, Played, Stage
from aegis_core.trajectory import Step, Trajectory

__all__ = ["RecordChecks"]

_TOKENS = ("input_tokens", "output_tokens")


class RecordChecks(Stage):
    """Agents, steps, contents, readers, tools, the final output."""

    def _all(self) -> dict[str, Played]:
        return {name: self._well(name, build) for name, build in self.systems().items()}

    def _well(self, name: str, build: Build) -> Played:
        played = self.recorded(build)
        assert played.error is None, f"`{name}` failed while it was recorded: {played.error!r}"
        assert not played.warned, f"recording `{name}` gave warnings: {played.warned}"
        return played

    def test_agents_declared_are_agents_seen(self) -> None:
        """`agents(app)` names exactly those who act, spelled as in the steps.

        Repair: derive both spellings from one function of the adapter.
        """
        for name, build in self.systems().items():
            app = self.built(build, Script()).app
            declared = [agent.path for agent in self.adapter().agents(app)]
            played = self._well(name, build)
            acting = {heard.agent for heard in played.script.heard}
            seen = {step.agent for step in played.trajectory.steps}
            assert len(set(declared)) == len(declared), f"`{name}`: declared twice: {declared}"
            assert acting <= set(declared), f"`{name}`: {sorted(acting - set(declared))} act, but are not declared"
            late = {agent.path for agent in played.trajectory.agents} - set(declared)
            assert not late, f"`{name}`: {sorted(late)} are in the record, but agents() does not name them"
            assert seen <= set(declared), f"`{name}`: steps of {sorted(seen - set(declared))}, which are not declared"
            if name != "handing_over":  # where one is there that is not called
                idle = set(declared) - seen - {moment.agent for moment in played.run.tape().moments()}
                assert not idle, f"`{name}`: {sorted(idle)} are declared, but never act"
            assert acting <= seen, f"`{name}`: nothing is recorded of {sorted(acting - seen)}"

    def test_steps_hold_what_was_said_in_order_and_complete(self) -> None:
        """Every text that left an agent is one step with exactly that text, in the order in which they were said.

        Repair: one `end_turn` a turn, with what the framework delivered, before anything else is made of it.
        """
        for name, played in self._all().items():
            expected, recorded = played.script.said(), played.said
            if name == "side_by_side":  # whose replies come in any order; the check of parallel work looks at that
                expected, recorded = sorted(expected), sorted(recorded)
            assert expected, f"`{name}`: no scripted model was called; let its models answer with `script.reply`"
            assert recorded == expected, f"`{name}`: recorded and said differ"
            indices = [step.index for step in played.trajectory.steps]
            assert indices == list(range(len(indices)))

    def test_turns_are_counted(self) -> None:
        """The n-th activation of an agent is its turn n, from 1; other events of an activation share its turn.

        Repair: one `begin_turn` for each activation, none for a call inside it; give its moment to `run.step`.
        """
        played = self._well("conversation", self.conversation)
        assert [(step.agent, step.turn) for step in played.spoken] == [("Writer", 1), ("Critic", 1), ("Writer", 2)]
        for name, other in self._all().items():
            moments = {_moment(step) for step in other.trajectory.steps}
            begun = set(other.run.tape().moments())
            assert moments <= begun, f"`{name}`: steps of turns that never began: {sorted(map(str, moments - begun))}"

    def test_what_agents_were_shown_is_on_the_tape(self) -> None:
        """What one agent said and another's model was shown, stands in the input or a call of the other's turn.

        Labels rest on it: an alteration counts only if it can be seen in a later input of another agent.
        Repair: give `begin_turn` all texts that the agent gets, as parts.
        """
        for name, played in self._all().items():
            said = {text for _, text in played.script.said()}
            tape = played.run.tape()
            for heard in played.script.heard:
                shown = [text for text in said if any(text in given for given in heard.texts)]
                missing = [text for text in shown if not _is_on(tape, heard, text)]
                assert not missing, f"`{name}`: {heard.agent} was shown {missing}, but no turn of it on the tape was"

    def test_steps_know_what_led_to_them_and_who_read_them(self) -> None:
        """In a conversation each step has the one before among its parents, and its reader in `visible_to`.

        Repair: pass parts through `run.recorder.sources` before `begin_turn`, and hand on the parents that it finds.
        """
        steps = self._well("conversation", self.conversation).spoken
        for earlier, later in itertools.pairwise(steps):
            assert earlier.index in later.parents, f"step {later.index} lacks its parent {earlier.index}"
            assert later.agent in earlier.visible_to, f"step {earlier.index} does not say that {later.agent} read it"

    def test_no_step_has_parents_or_readers_that_it_had_not(self) -> None:
        """In every system, words that are parents of a step were shown to its agent, and its readers were shown it.

        Some frameworks deliver to all: a reader that does not act after the step, or acts beside it, can't be judged.

        Repair: give `begin_turn` the parents that `sources` finds, in what the agent is really shown; name nobody in
        `visible_to` because he could read it.
        """
        for name, played in self._all().items():
            words = {step.index: step for step in played.spoken}
            for step in words.values():
                shown = played.script.shown(step.agent)
                given = [words[at] for at in step.parents if at in words and words[at].agent != step.agent]
                strange = [parent.index for parent in given if not _held(parent, shown)]
                assert not strange, f"`{name}`: {step.agent} was never shown the parents {strange} of step {step.index}"
                heard = _after(played.script.heard, step)
                later = {one.agent for one in (heard[-1:] if name == "side_by_side" else heard)}
                others = {
                    agent
                    for agent in later.intersection(step.visible_to)
                    if not _held(step, played.script.shown(agent))
                }
                assert not others, f"`{name}`: {sorted(others)} are said to have read step {step.index}, but did not"

    def test_each_reader_is_told_in_every_system(self) -> None:
        """Who was shown the words of another agent, by whatever way, stands in `visible_to` of that step.

        Repair: pass all parts of an input through `run.recorder.sources`, also those of branches and of inner teams.
        """
        for name, played in self._all().items():
            for step in played.spoken:
                readers = played.script.saw(step.text) - {step.agent}
                untold = readers - set(step.visible_to)
                assert not untold, f"`{name}`: step {step.index} does not say that {sorted(untold)} read it"

    def test_parallel_turns_are_kept_apart(self) -> None:
        """Turns at the same time have moments of their own: an agent's second one is on another branch, or turn 2.

        Repair: name branches from what the framework calls the piece of work (a task, an item), never by start order.
        """
        played = self._parallel(_quick_to_slow)
        overlapping = played.run.tape().overlapping
        assert not overlapping, f"turns of {overlapping} overlap on one branch and can't be told apart"
        moments = [_moment(step) for step in played.spoken]
        assert len(set(moments)) == len(moments), f"two outputs share a turn: {sorted(map(str, moments))}"

    def test_the_record_does_not_depend_on_who_is_faster(self) -> None:
        """Whichever of two parallel turns ends first, trajectory and tape are the same.

        Repair: give `begin_turn` an `order` that says where the turn stands in the framework's own plan of work.
        """
        one, other = self._parallel(_quick_to_slow), self._parallel(_slow_to_quick)
        assert one.said == other.said, "steps stand in the order in which they arrived"
        assert one.canonical == other.canonical, "the record depends on who was faster"

    def _parallel(self, delay: Delay) -> Played:
        if self.side_by_side(Script(), self.way) is None:
            pytest.skip("the framework has no parallel work")
        return self.recorded(self.side_by_side, Script(delay=delay))

    def test_a_hand_off_says_to_whom(self) -> None:
        """The step with which an agent hands over is addressed to the agent that acts next.

        Repair: give `end_turn` the `route`, or `addressed_to` where the addressee is no matter of routing.
        """
        if self.handing_over(Script(), self.way) is None:
            pytest.skip("the framework has no hand-offs")
        played = self._well("handing_over", self.handing_over)
        steps = [step for step in played.trajectory.steps if step.agent == "Writer"]
        assert ("Critic",) in [step.addressed_to for step in steps], "no step of Writer is addressed to Critic"
        assert [agent for agent, _ in played.script.said()] == ["Writer", "Critic"], "not Writer, then Critic"

    def test_tool_calls_and_results_are_paired(self) -> None:
        """A tool's call is a step, its result is a later step of the same turn with the same `call_id`.

        Repair: `run.step(agent, "tool_call", ..., call_id=...)` and `"tool_result"`, with the framework's own call id.
        """
        if self.tool_use(Script(), self.way) is None:
            pytest.skip("the framework has no tools")
        played = self._well("tool_use", self.tool_use)
        used = played.script.tools_used
        assert used, "the tool was never used; let the system call `script.tool` when the model asks for it"
        calls, results = (_of_kind(played.trajectory, kind) for kind in ("tool_call", "tool_result"))
        assert len(calls) == len(results) == len(used), "calls, results and uses of the tool differ in number"
        assert None not in (ids := [step.call_id for step in calls]), "a tool call has no call_id"
        assert len(set(ids)) == len(ids), f"two tool calls share a call_id: {ids}"
        for call, result, use in zip(calls, results, used, strict=True):
            assert (call.call_id, call.agent, call.turn) == (result.call_id, result.agent, result.turn)
            assert call.index < result.index, "a tool's result stands before its call"
            assert use.name in call.text, f"the call does not name the tool {use.name!r}: {call.text!r}"
            assert use.argument in call.text, f"the call lacks its argument {use.argument!r}: {call.text!r}"
            assert result.text == use.result, "the step of the result is not what the tool returned"

    def test_the_final_output_is_the_answer(self) -> None:
        """The trajectory ends with the last agent's words as `final_output`, and `output(result)` tells the same.

        Repair: call `run.enter` and `run.leave` around the entry of the system, and let `output` find the answer.
        """
        for name, build in self.systems().items():
            played = self._well(name, build)
            said = played.script.said()[-1][1]
            assert played.trajectory.final_output == said, f"`{name}`: the record's final output is not the last reply"
            assert self.answer(build) == said, f"`{name}`: `output(start(app, task))` is not the last reply"

    def test_the_task_is_recorded(self) -> None:
        """The trajectory holds the text of the task, as the caller gave it.

        Repair: `run.enter(text)` with the texts of what the system was called with.
        """
        task = "Is hall 19 empty on Sundays?"
        played = self.recorded(self.conversation, task=task)
        assert played.trajectory.task == task

    def test_usage_is_recorded(self) -> None:
        """The tokens that a model tells of stand in the step of its turn, of however many calls the turn is made.

        Repair: give `end_turn` the `usage` (and `model`) of the turn's last model call; add that of a call whose words
        are no step (it asked for a tool) to the next step of its turn.
        """
        if not self.reports_usage:
            pytest.skip("models of this framework tell no usage (`reports_usage`)")
        played = self._well("conversation", self.conversation)
        told = [(heard.reply.input_tokens, heard.reply.output_tokens) for heard in played.script.heard]
        recorded = [
            (step.usage.input_tokens, step.usage.output_tokens) if step.usage else None for step in played.spoken
        ]
        assert recorded == told
        for way in self.ways:
            for name in {"conversation", "tool_use"} & set(self.systems(way)):
                played = self.recorded(self.systems(way)[name], way=way)
                used = [step.usage for step in played.trajectory.steps if step.usage]
                total = tuple(sum(getattr(one, kind) or 0 for one in used) for kind in _TOKENS)
                replies = [heard.reply for heard in played.script.heard]
                spent = tuple(sum(getattr(reply, kind) for reply in replies) for kind in _TOKENS)
                where = f"`{name}` ({way})"
                assert total == spent, f"{where}: steps tell of {total} tokens (in, out), models of {spent}"


def _moment(step: Step) -> Moment:
    return Moment(agent=step.agent, branch=step.branch, turn=step.turn)


def _held(step: Step, texts: tuple[str, ...]) -> bool:
    return any(step.text in text for text in texts)


def _after(heard: list[Heard], step: Step) -> list[Heard]:
    """The model calls after the one that gave the words of a step."""
    at = next((at for at, one in enumerate(heard) if (one.agent, one.said) == (step.agent, step.text)), len(heard))
    return heard[at + 1 :]


def _of_kind(trajectory: Trajectory, kind: str) -> list[Step]:
    return [step for step in trajectory.steps if step.kind == kind]


def _is_on(tape: Tape, heard: Heard, text: str) -> bool:
    requests: list[Part] = []
    for entry in tape.entries:
        if entry.key.moment.agent == heard.agent and entry.key.kind in ("input", "model"):
            requests += entry.request
    return any(text in part.text for part in requests)


def _rank(agent: str, texts: tuple[str, ...]) -> int:
    return sum(map(ord, agent + "".join(texts))) % 5


def _quick_to_slow(agent: str, texts: tuple[str, ...]) -> float:
    return 0.01 * _rank(agent, texts)


def _slow_to_quick(agent: str, texts: tuple[str, ...]) -> float:
    return 0.01 * (4 - _rank(agent, texts))
