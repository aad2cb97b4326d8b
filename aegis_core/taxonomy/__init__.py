"""Error modes: the fourteen of MAST, and the rules by which third parties name their own."""

from aegis_core.taxonomy.modes import MAST, ErrorMode, check_mode_id, mast_mode

__all__ = ["MAST", "ErrorMode", "check_mode_id", "mast_mode"]
