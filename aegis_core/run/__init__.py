"""Everything that happens inside one run: recording, the tape, serving from it, and intervening.

`Run` is the core's side of the contract in `aegis_core.adapter`.
"""

from aegis_core.run.contract import Run
from aegis_core.run.info import Limits, RunInfo
from aegis_core.run.interventions import Interventions
from aegis_core.run.replay import Replay
from aegis_core.run.tape import Tape, TapeEntry

__all__ = ["Interventions", "Limits", "Replay", "Run", "RunInfo", "Tape", "TapeEntry"]
