"""Run hooks that tell a frame who acts, and hand everything on to the user's own."""

from __future__ import annotations

from typing import Any

from agents import RunHooks

from aegis_core.trace.active import guarded
from aegis_openai_agents.frames import Frame

__all__ = ["TellingHooks"]


class TellingHooks(RunHooks[Any]):
    """The hooks of one call of `Runner.run`. The user's own are called with the very same arguments."""

    def __init__(self, frame: Frame, own: RunHooks[Any] | None) -> None:
        self._frame = frame
        self._own = own

    async def _told(self, name: str, args: tuple[Any, ...], more: dict[str, Any]) -> None:
        own = getattr(self._own, name, None) if self._own is not None else None
        if own is not None:
            await own(*args, **more)
        if name in ("on_agent_start", "on_llm_start"):
            agent = more["agent"] if "agent" in more else args[1]
            with guarded(self._frame.run):
                self._frame.hold.tap(agent)
            self._frame.acts(agent)
        elif name == "on_agent_end":
            await self._frame.answers(more["output"] if "output" in more else args[2])


def _telling(name: str) -> Any:
    async def told(self: TellingHooks, *args: Any, **more: Any) -> None:
        await self._told(name, args, more)

    told.__name__ = name
    return told


for _name in dir(RunHooks):
    if _name.startswith("on_"):
        setattr(TellingHooks, _name, _telling(_name))
