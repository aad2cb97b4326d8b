"""Word problems: several steps, rates, and an answer in a stated unit."""

from __future__ import annotations

from aegis_core.world.tasks.arithmetic.goods import packing, recipe, shopping, wages
from aegis_core.world.tasks.arithmetic.motion import distance, filling, journey, machines

__all__ = ["BUILDERS"]

BUILDERS = (packing, distance, journey, filling, shopping, wages, machines, recipe)
"""The scenarios of the family, in a fixed order."""
