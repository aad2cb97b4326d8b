"""What the end of a turn records."""

from __future__ import annotations

from aegis_core.adapter import Part
from aegis_core.run import Run, RunInfo
from aegis_core.trajectory import Usage


def test_usage_of_a_turn_is_counted_once_however_many_steps_its_output_is() -> None:
    run = Run(RunInfo(run_id="r"))
    turn = run.begin_turn("Writer", [Part(id="told", text="Write three lines.")])

    told = Usage(input_tokens=7, output_tokens=3)
    run.end_turn(turn, [Part(id=str(n), text=f"line {n}") for n in range(3)], model="m", usage=told)

    steps = run.trajectory().steps
    assert [step.usage for step in steps] == [told, None, None]
    assert [step.model for step in steps] == ["m", "m", "m"]
