"""Copies of an agent that are made while it is tapped work by themselves, as copies of any agent do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aegis_smolagents.twins import original_of

__all__ = ["plain_copies"]


def plain_copies(agent: Any, taps: Sequence[str]) -> Callable[[Any], Any]:
    """What `copy` and `pickle` are to ask a tapped agent, in the place of its own `__reduce_ex__`.

    Args:
        taps: the names under which the agent has methods of ours.
    """
    names = frozenset((*taps, "__reduce_ex__"))

    def reduced(protocol: Any) -> Any:
        own: Any = type(agent)
        made = own.__reduce_ex__(agent, protocol)
        if not isinstance(made, tuple) or len(made) < 3 or not isinstance(made[2], dict):  # the class's own way
            return made
        state = {name: _plain(value) for name, value in made[2].items() if name not in names}
        return (*made[:2], state, *made[3:])

    return reduced


def _plain(value: Any) -> Any:
    """Without twins, also where they are items of a mapping; what has none is the same object."""
    if type(value) is dict and any(original_of(item) is not item for item in value.values()):
        return {name: original_of(item) for name, item in value.items()}
    return original_of(value)
