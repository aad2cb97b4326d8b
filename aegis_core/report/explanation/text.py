"""An explanation in plain English."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from aegis_core.faults import Outcome, PartChange
from aegis_core.report.excerpts import excerpts, one_line
from aegis_core.report.explanation.record import AlteredTurn, Arm, Explanation, LabelledTarget

__all__ = ["explanation_text"]

WIDTH = 100
STRATEGIES = {
    "prompt_injection": "what the agent saw before it acted was altered",
    "response_corruption": "what the agent had produced was altered",
    "environment": "what a tool gave the agent was altered",
}
SCOPES = {
    "persistent": "and the altered text stayed in its memory",
    "ephemeral": "for this one time; its memory keeps the original",
    "outgoing": "on its way to the others; its own memory keeps the original",
    "belief": "and its own memory holds the altered text too",
    "call": "in this one call",
}
KINDS = {
    "null": "its null control (the text went through the whole edit and was put back unchanged)",
    "sham": "its sham control (a harmless edit of like size in the same place)",
    "subset": "one with only a part of its targets",
}
FAILURES = {
    "wrong": "the answer is wrong",
    "no_answer": "there is no answer",
    "no_end": "the run did not end",
    "crash": "the run crashed",
}


@dataclass(frozen=True)
class _Quote:
    """A text that is shown as it stands, behind a bar, with a label before its first line."""

    text: str
    label: str = ""


_Line = str | _Quote
"""A sentence, or a quotation."""


def explanation_text(explanation: Explanation) -> str:
    """The whole proof of a label, as text of at most 100 columns where the texts quoted allow it."""
    return "\n".join(_lines(explanation)) + "\n"


def _lines(it: Explanation) -> Iterator[str]:
    yield from _wrapped(_headline(it))
    yield ""
    yield from _section("The task", [_Quote(it.task), f"Right answer: {it.answer} (checker: {it.checker})"])
    yield from _section("Without any fault", _clean_lines(it))
    for index, attempt in enumerate(it.attempts):
        suffix = f" ({index + 1} of {len(it.attempts)})" if len(it.attempts) > 1 else ""
        yield from _attempt_sections(attempt, suffix, "this run" if it.verdict == "control" else "faulty run")
    if it.verdict == "discarded":
        yield from _section("Why it was discarded", _discarded_lines(it))
        if len(it.arms) > 1:
            yield from _section(
                "Other runs made for its proof", [line for arm in it.arms for line in _run_lines(it, arm)]
            )
    if it.verdict == "control":
        yield from _section("How it ended", _ended_lines(it))
    if it.missing:
        where = "in the journal of its campaign, which does not stand beside this dataset"
        yield from _wrapped(f"Not told here: {it.missing}. That is {where}.")
    for index, target in enumerate(it.targets):
        yield from _target_sections(target, f" ({index + 1} of {len(it.targets)})" if len(it.targets) > 1 else "")
    if it.verdict == "labelled":
        yield from _section("It failed", _failure_lines(it))
        yield from _section("The controls did not", [line for arm in it.arms for line in _control_lines(arm)])
        if len(it.targets) > 1:
            yield from _section("Which targets it takes", _subset_lines(it))


def _headline(it: Explanation) -> str:
    if it.verdict == "clean":
        failed = "" if it.clean_outcome.right else " It failed all the same, so no fault was planned into it."
        return f"Run {it.run_id} is a clean run of {it.system}: nothing was altered in it, and it has no label.{failed}"
    if it.verdict == "control":
        return f"Run {it.run_id} of {it.system} was made for the proof of run {it.of}, as {KINDS[it.kind]}."
    if it.verdict == "discarded":
        return f"Run {it.run_id} of {it.system} was discarded ({it.reason}), and has no label."
    causes = [target for target in it.targets if target.needed]
    return f"Run {it.run_id} of {it.system} failed, and here is why: " + "; ".join(map(_label, causes)) + "."


def _label(target: LabelledTarget) -> str:
    step = f" at step {target.step}" if target.step is not None else ""
    name = f" {target.mode_name}" if target.mode_name else ""
    return f"{target.moment.agent} made the error {target.mode}{name}{step}"


def _clean_lines(it: Explanation) -> Iterator[_Line]:
    yield f"Clean run {it.clean_run_id}: {_outcome(it.clean_outcome)}."
    if it.verdict != "clean" or not it.missing:
        yield _answer(it.clean_output, it.answer if not it.clean_outcome.right else "")
    if it.verdict == "labelled":
        shared = f"{_count(it.same_inputs, 'input or call', 'inputs and calls')} and {_count(it.same_steps, 'step')}"
        yield (
            f"The faulty run was served from its tape up to the first target: both begin with the same {shared}."
            if it.same_inputs
            else "The first target stands at the very beginning, so nothing was served from its tape."
        )


def _discarded_lines(it: Explanation) -> Iterator[_Line]:
    for target in it.plan.targets if it.plan is not None else ():
        yield (
            f"Planned: {target.mode} in {target.moment}, by {target.strategy.replace('_', ' ')}, scope {target.scope}."
        )
    yield f"Reason: {it.reason}" + (f": {it.detail}" if it.detail else "")
    if not it.missing:
        yield _answer(it.final_output, it.answer)


def _ended_lines(it: Explanation) -> Iterator[_Line]:
    if it.missing:
        yield "Nothing of it is there."
        return
    yield f"This run: {it.invalid or _outcome(it.outcome)}."
    yield _answer(it.final_output, it.answer)


def _run_lines(it: Explanation, arm: Arm) -> Iterator[_Line]:
    if arm.run_id == it.run_id:
        return
    if arm.arm == "fault":
        yield f"Only {_numbers(arm.targets)} (run {arm.run_id}): {arm.invalid or _outcome(arm.outcome)}."
    else:
        yield from _control_lines(arm)


def _attempt_sections(attempt: AlteredTurn, suffix: str, name: str) -> Iterator[str]:
    if not attempt.fired:
        why = f"{attempt.moment}, {attempt.mode}: nothing was altered ({attempt.not_fired or 'no reason is known'})."
        yield from _section(f"What was done{suffix}", [why])
        return
    yield from _section(f"What was done{suffix}", _done_lines(attempt))
    yield from _section(f"What the agent delivered{suffix}", _turn_lines(attempt, name))
    seen = list(_observer_lines(attempt)) or ["No later input of another agent shows it."]
    yield from _section(f"Who saw it{suffix}", seen)


def _target_sections(target: LabelledTarget, suffix: str) -> Iterator[str]:
    yield from _section(f"What was done{suffix}", _done_lines(target))
    yield from _section(f"What the agent delivered{suffix}", _turn_lines(target))
    yield from _section(f"Who saw it{suffix}", _observer_lines(target))
    yield from _section(f"Why this is {target.mode}{suffix}", _evidence_lines(target))


def _done_lines(target: AlteredTurn) -> Iterator[_Line]:
    yield (
        f"In {target.moment}, {STRATEGIES[target.strategy]} {SCOPES[target.scope]} "
        f"({target.strategy.replace('_', ' ')}, {target.scope})."
    )
    if target.realisation:
        yield f"Way of doing it: {target.realisation}"
    for change in target.changes:
        yield from _change_lines(change)


def _change_lines(change: PartChange) -> Iterator[_Line]:
    before, after = excerpts(change.before, change.after)
    yield _Quote(before, "before")
    yield _Quote(after, "after")


def _turn_lines(target: AlteredTurn, name: str = "faulty run") -> Iterator[_Line]:
    clean, faulty = "\n".join(target.said_clean), "\n".join(target.said_faulty)
    shown_clean, shown_faulty = excerpts(clean, faulty, around=240)
    yield _Quote(shown_clean or "(nothing)", "clean run")
    yield _Quote(shown_faulty or "(nothing)", name)


def _observer_lines(target: AlteredTurn) -> Iterator[_Line]:
    for seen in target.observed_by:
        verb = "was given" if seen.how == "holds" else "was no longer given"
        yield f'{seen.moment} {verb}: "{one_line(seen.span)}"'


def _evidence_lines(target: LabelledTarget) -> Iterator[_Line]:
    if target.definition:
        yield f"{target.mode} {target.mode_name}: {target.definition}"
    if target.evidence is not None:
        because = target.evidence.because
        yield f"Evidence: {because}{'' if because.endswith('.') else '.'}"
        for span in target.evidence.spans:
            yield f'  "{one_line(span)}"'
    if not target.needed:
        yield "The run fails without this target too, so it is no cause; it is stored as redundant."


def _failure_lines(it: Explanation) -> Iterator[_Line]:
    yield f"Faulty run {it.run_id}: {_outcome(it.outcome)}."
    yield _answer(it.final_output, it.answer)


def _control_lines(arm: Arm) -> Iterator[_Line]:
    verdict = arm.invalid or _outcome(arm.outcome)
    if arm.arm == "null":
        yield f"Null control {arm.run_id}: the text went through the whole edit and was put back unchanged: {verdict}."
    elif arm.arm == "sham":
        yield f"Sham control {arm.run_id}: a harmless edit of like size in the same place: {verdict}."
        for change in arm.changes:
            yield from _change_lines(change)


def _subset_lines(it: Explanation) -> Iterator[_Line]:
    for arm in it.arms:
        if arm.arm == "fault":
            which = f"Only {_numbers(arm.targets)}" if len(arm.targets) < len(it.targets) else "All of them"
            yield f"{which} (run {arm.run_id}): {arm.invalid or _outcome(arm.outcome)}."
    yield f"The smallest sets that make it fail: {'; '.join(_numbers(subset) for subset in it.sufficient)}."


def _answer(output: str | None, right: str = "") -> str:
    said = "It gave no answer" if output is None else f'Its answer: "{one_line(output)}"'
    return f'{said}; right is "{right}".' if right else f"{said}{'.' if output is None else ''}"


def _numbers(targets: Iterable[int]) -> str:
    return " and ".join(f"target {index + 1}" for index in targets)


def _count(n: int, one: str, many: str = "") -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def _outcome(outcome: Outcome | None) -> str:
    if outcome is None:
        return "not judged"
    if outcome.failure is None:
        return "right"
    detail = f" ({outcome.detail})" if outcome.detail else ""
    return FAILURES[outcome.failure] + detail


def _section(title: str, lines: Iterable[_Line]) -> Iterator[str]:
    yield title
    for line in lines:
        yield from _quoted(line) if isinstance(line, _Quote) else _wrapped(line, "  ")
    yield ""


def _quoted(quote: _Quote) -> Iterator[str]:
    """The lines of a quotation; lines that are too long are folded at words."""
    width = len("faulty run") if quote.label else 0
    label = quote.label
    for line in quote.text.splitlines() or [""]:
        for piece in _wrapped(line, width=WIDTH - 15) or [""]:
            yield (f"  {label:>{width}} | {piece}" if width else f"  | {piece}").rstrip()
            label = ""


def _wrapped(text: str, indent: str = "", width: int = WIDTH) -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip
