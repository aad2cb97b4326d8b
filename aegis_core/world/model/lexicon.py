"""Words that the simulated model knows as anyone does."""

from __future__ import annotations

__all__ = ["FIRST_NAMES"]

FIRST_NAMES = frozenset(
    "Adam Alice Amir Ana Anna Ben Bob Carla Clara Cleo Dan Daniel David Ella Emil Emma Eva Eve Finn Gita Grace Hanna "
    "Hugo Ines Ivan Iris Jan Jonas Julia Karl Kira Lars Lea Leo Lena Liam Lina Lucas Maria Marta Max Mia Mira Nadia "
    "Nils Nina Noah Olga Omar Oscar Paul Pavel Petra Rosa Ruth Sam Sara Sofia Sven Tara Theo Tom Uma Vera Viktor "
    "Willem Yara Yusuf Zoe".split()
)
"""Common first names."""
