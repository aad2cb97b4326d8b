"""How far the simulated world is from logs of real multi-agent systems.

Every figure is a distance between the world's runs and one real corpus. Beside it stand the distances between two real
corpora, and between the halves of one: a distance is only large or small beside those. Nothing here is a goal. The
corpora are a part of public data, chosen for development.
"""

from __future__ import annotations

from benchmarks.realism.report import run

__all__ = ["run"]
