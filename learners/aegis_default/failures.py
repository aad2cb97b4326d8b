"""Signs that something was tried and failed: code that crashes, a run that breaks off, work that brings nothing."""

from __future__ import annotations

from collections.abc import Iterator

from aegis_default.reading import Entry, Reading
from aegis_default.signs import Sign
from aegis_default.wording import FAILED, FRUITLESS, quote

__all__ = ["broken_runs", "crashes", "fruitless_work"]

_DECAY = 0.6
"""Later failures of a run are often consequences of, or further tries after, the first."""


def crashes(reading: Reading) -> Iterator[Sign]:
    """`crash`: a tool says that it failed. Against who wrote the code or made the call, not against the tool."""
    strength = 1.0
    for entry in reading.entries:
        failed = FAILED.search(entry.text) if entry.part == "result" else None
        author = _author(reading, entry) if failed else None
        if failed and author:
            told = quote(entry.text, failed.start(), failed.end())
            evidence = f"what it had executed failed at step {entry.index}: {told}"
            yield Sign(signal="crash", step=author.index, evidence=evidence, strength=strength)
            strength *= _DECAY


def _author(reading: Reading, result: Entry) -> Entry | None:
    """Who had it executed: the call with the same id, else the last one before that hands over code."""
    earlier = [entry for entry in reading.entries[: result.index] if entry.suspect]
    called = [one for one in earlier if one.step.call_id and one.step.call_id == result.step.call_id]
    handed = [one for one in earlier if one.has_code]
    return next((found[-1] for found in (called, handed) if found), None)


def broken_runs(reading: Reading) -> Iterator[Sign]:
    """`broken-run`: the run ended with an exception. Against the turn that it ended, else the agent's last step.

    What a tool raised speaks against who called it.
    """
    error = reading.run.error
    step = _broken(reading) if error else None
    if error and step:
        evidence = f'the run ended with {error.type} {_where(reading, step)}: "{error.message[:120]}"'
        yield Sign(signal="broken-run", step=step.index, evidence=evidence)


def _broken(reading: Reading) -> Entry | None:
    if reading.failure:
        return reading.failure
    agent = reading.run.error.agent if reading.run.error else None
    told = [entry for entry in reading.entries if entry.step.kind == "error" and entry.agent == agent]
    if told and reading.run.agent(told[-1].agent).kind == "tool":
        return _author(reading, told[-1])
    steps = [entry for entry in reading.suspects if agent in (None, entry.agent)]
    return steps[-1] if steps else None


def _where(reading: Reading, step: Entry) -> str:
    """Where the exception rose, as far as the run says it."""
    agent = reading.failure.agent if reading.failure else reading.run.error.agent if reading.run.error else None
    if agent is None:
        return "somewhere after this step"
    return f"in a turn of {agent}" if agent == step.agent else f"in {agent}, which it called"


def fruitless_work(reading: Reading) -> Iterator[Sign]:
    """`fruitless`: the next who speaks says that the work brought nothing. Against that work."""
    strength = 1.0
    for entry in reading.suspects:
        told = FRUITLESS.search(entry.text) if entry.part != "briefing" else None
        if not told:
            continue
        before = [one for one in reading.suspects if one.index < entry.index and one.part in ("work", "act")]
        if before and before[-1].turn != entry.turn:
            evidence = f"step {entry.index} says of it: {quote(entry.text, told.start(), told.end())}"
            yield Sign(signal="fruitless", step=before[-1].index, evidence=evidence, strength=strength)
            strength *= _DECAY
