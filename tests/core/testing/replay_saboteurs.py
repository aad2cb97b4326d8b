"""Adapters that break one thing each, of what a replay serves and of what the wall keeps apart.

Importing this module enters them beside those of `saboteurs`.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from aegis_core.adapter import Part
from aegis_core.run import Run
from aegis_core.run.secrets import Secrets
from aegis_core.testing import Script
from aegis_core.testing.marking import MARK
from tests.core.testing.saboteurs import SABOTEURS, around, saboteur, with_steps

__all__ = ["SABOTEURS"]


@saboteur("the_prefix_is_served_without_live_calls")
def calls_live_all_the_same(run: Run) -> None:
    @around(run, "call")
    def call(real: Any, turn: Any, kind: str, parts: Any, live: Any, *args: Any, **more: Any) -> Any:
        if run.replay is not None and run.interventions is not None and turn.moment.agent == "Lead":
            live({})
        return real(turn, kind, parts, live, *args, **more)


@saboteur("a_run_that_is_served_to_its_end_is_the_recorded_one")
def decodes_something_else(run: Run) -> None:
    @around(run, "call")
    def call(real: Any, turn: Any, *args: Any, **more: Any) -> Any:
        result = real(turn, *args, **more)
        served = run.replay is not None and run.interventions is None
        return f"{result}." if served and turn.moment.agent == "Editor" else result


@saboteur("a_run_that_leaves_its_tape_is_void")
def compares_nothing(run: Run) -> None:
    if run.replay is not None:
        known = run.replay._prefix
        run.replay.turn_begins = lambda *_: ""  # type: ignore[method-assign]
        real = run.replay.serve
        run.replay.serve = lambda key, digest: real(  # type: ignore[method-assign]
            key, known[key].request_hash if key in known else digest
        )


@saboteur("a_null_control_is_the_clean_run")
def marks_controls(run: Run) -> None:
    null = run.interventions is not None and run.interventions.arm == "null"
    with_steps(run, lambda _, part: part.model_copy(update={"text": part.text + " "}) if null else part)


@saboteur("a_null_control_is_the_clean_run")
def marks_controls_of_tool_users(run: Run) -> None:
    null = run.interventions is not None and run.interventions.arm == "null"

    def marked(turn: Any, part: Part) -> Part:
        return part.model_copy(update={"text": part.text + " "}) if null and turn.moment.agent == "Clerk" else part

    with_steps(run, marked)


@saboteur("a_served_run_goes_live_behind_the_target")
def serves_to_the_end(run: Run) -> None:
    if run.replay is not None and run.interventions is not None and run.interventions.arm == "fault":
        entries = {entry.key: entry for entry in run.replay.tape.entries if entry.key.kind == "model"}
        real = run.replay.serve
        run.replay.serve = lambda key, digest: (  # type: ignore[method-assign]
            entries.get(key) if run.replay.fired and key.moment.agent == "Critic" else real(key, digest)  # type: ignore[union-attr]
        )


# -- the wall ---------------------------------------------------------------------------------------------------------


@saboteur("nobody_overhears_an_injection")
def tells_the_next_agent_too(run: Run) -> None:
    targets = run.interventions.targets if run.interventions is not None else ()
    injected = any(target.strategy == "prompt_injection" and target.moment.agent == "Writer" for target in targets)

    @around(run, "begin_turn")
    def begin_turn(real: Any, agent: str, *args: Any, **more: Any) -> Any:
        turn = real(agent, *args, **more)
        comes = any(target.moment.turn == 1 for target in targets) and run.interventions.arm == "fault"  # type: ignore[union-attr]
        if injected and agent == "Critic" and comes:
            turn.parts = tuple(part.model_copy(update={"text": f"{part.text} {MARK}"}) for part in turn.parts)
            turn.changed = frozenset(part.id for part in turn.parts)
        return turn


@saboteur("the_trajectory_holds_no_trace_of_an_injection")
def notes_what_was_done(run: Run) -> None:
    plan = run.interventions
    moments = [target.moment for target in plan.targets] if plan is not None and plan.arm == "fault" else []

    def noted(turn: Any, part: Part) -> Part:
        return part.model_copy(update={"data": {"altered": True}}) if turn.moment in moments else part

    with_steps(run, noted)


@saboteur("records_survive_json")
def notes_tuples_in_the_ledger(run: Run) -> None:
    real = run.ledger

    def ledger() -> Any:
        found = real()
        noted = tuple(entry.model_copy(update={"notes": {"at": (1, 2)}}) for entry in found.interventions)
        return found.model_copy(update={"interventions": noted})

    run.ledger = ledger  # type: ignore[method-assign]


@saboteur("records_survive_json")
def records_tuples(run: Run) -> None:
    real = run.recorder.entries
    run.recorder.entries = lambda: tuple(  # type: ignore[method-assign]
        entry.model_copy(update={"payload": (1, 2)}) if entry.key.kind == "input" else entry for entry in real()
    )


@saboteur("secrets_are_not_recorded")
def records_keys(run: Run) -> None:
    run._secrets = Secrets()
    run.info = replace(run.info, system=os.environ.get("SOME_API_KEY", run.info.system))


@saboteur("secrets_are_not_recorded")
def records_headers_where_it_alters(run: Run) -> None:
    if run.interventions is not None:
        run.info = replace(run.info, system=Script().header)


@saboteur("secrets_are_not_recorded")
def records_keys_of_failures(run: Run) -> None:
    @around(run, "failed")
    def failed(real: Any, error: Any, *args: Any, **more: Any) -> None:
        run.info = replace(run.info, system=Script().api_key)
        real(error, *args, **more)


@saboteur("secrets_are_not_recorded")
def records_headers(run: Run) -> None:
    @around(run, "call")
    def call(real: Any, turn: Any, kind: str, parts: Any, *args: Any, **more: Any) -> Any:
        header = Part(id="header", text=Script().header)
        return real(turn, kind, (*parts, header), *args, **more)


@saboteur("the_record_does_not_depend_on_who_is_faster", perhaps=("the_prefix_is_served_without_live_calls",))
def orders_by_arrival(run: Run) -> None:
    @around(run, "begin_turn")
    def begin_turn(real: Any, *args: Any, order: Any, **more: Any) -> Any:
        return real(*args, **more)
