"""What stands for an object in one owner's hands, while others hold the object itself.

Model clients, workbenches and tools may be shared, by agents of one system and by systems that run at the same time.
So they are not touched: each owner gets a stand-in of its own.
"""

from __future__ import annotations

from typing import Any

__all__ = ["StandIn"]


class StandIn:
    """Passes everything on to what it stands for: the same class to all who ask, the same attributes."""

    def __init__(self, real: Any) -> None:
        object.__setattr__(self, "_aegis_real", real)

    @property  # type: ignore[misc]  # so that isinstance() says of it what it says of the object
    def __class__(self) -> type:
        return type(self._aegis_real)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_aegis_real"), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._aegis_real, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._aegis_real, name)
