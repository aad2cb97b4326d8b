"""Whom a written name means: exactly that spelling, or the agent of the run that it stands for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

__all__ = ["RunNames", "fold"]

_ROUTING = re.compile(r"\s*\([^()]*\)\s*$")


def fold(name: str) -> str:
    """A name without case, space, punctuation, and differences of width or ligature; "" if nothing is left."""
    return "".join(sign for sign in unicodedata.normalize("NFKC", name).casefold() if sign.isalnum())


def _without_case(name: str) -> str:
    return name.strip().casefold()


def _without_routing(name: str) -> str:
    return fold(_ROUTING.sub("", name))


def _last_segment(path: str) -> str:
    return fold(path.rsplit("/", 1)[-1])


_STEPS: tuple[tuple[Callable[[str], str], Callable[[str], str]], ...] = (
    (str.strip, str.strip),
    (_without_case, _without_case),
    (fold, fold),
    (_without_routing, fold),
    (fold, _last_segment),
)
"""What is done to the spelling, and to the agents that it is compared with."""


class RunNames:
    """The agents of one run, looked up by whatever spelling a label or an attributor uses.

    Steps of folding, each tried on the agents of the run; the first at which any agent fits decides: the spelling
    without outer space; also without case; also without space and punctuation; also without a routing suffix in
    brackets, as in `Orchestrator (thought)`; the bare name of an agent with a path. So `Node1` and `Node-1` stay two
    agents where a run has both. A spelling that fits several agents at the deciding step means none of them.

    Args:
        agents: the paths of the run's agents, each once.
    """

    def __init__(self, agents: Iterable[str]) -> None:
        self._agents = tuple(agents)
        self._exact = frozenset(self._agents)
        self._found: dict[str, str | None] = {}

    def strict(self, name: str) -> str:
        """The spelling itself, without space around it: what published scorers compare."""
        return name.strip()

    def agent(self, name: str) -> str | None:
        """The path of the agent that is meant, or None: the run has no such agent, or the spelling fits several."""
        if name in self._exact:
            return name
        if name not in self._found:
            self._found[name] = self._look_up(name)
        return self._found[name]

    def folded(self, name: str) -> str:
        """The path of the agent that is meant. A stranger's name is folded, so that two spellings of it are one."""
        agent = self.agent(name)
        if agent is not None:
            return agent
        stranger = fold(name)
        # Where the spelling fits several agents, one of them may be spelt as if folded, and is not meant.
        return stranger if stranger and stranger not in self._exact else name.strip()

    def _look_up(self, name: str) -> str | None:
        for of_name, of_agent in _STEPS:
            wanted = of_name(name)
            fitting = [agent for agent in self._agents if wanted and of_agent(agent) == wanted]
            if fitting:
                return fitting[0] if len(fitting) == 1 else None
        return None
