"""Which messages of a run are which of its steps, by the ids that AutoGen gives them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from aegis_core.adapter import Part

__all__ = ["Words"]

_LONG = 8
"""Characters from which a text inside another is a quotation."""
_RECENT = 256
"""How many of the last steps that an agent was shown it may quote."""


class Words:
    """The messages and events that are steps already, by class, id and source: a copy keeps these."""

    def __init__(self) -> None:
        self._steps: dict[tuple[str, str, str], tuple[int, ...]] = {}
        self._user: dict[str, tuple[int, ...]] = {}
        self._texts: dict[int, str] = {}
        self._shown: dict[str, dict[int, None]] = defaultdict(dict)

    def are(self, item: Any, steps: Iterable[int], texts: Iterable[str] = (), *, by: str = "") -> None:
        """A message or event was recorded as these steps, by their numbers of arrival.

        Args:
            texts: of the steps.
            by: path of the agent that said it. What that one was shown and quotes is shown to who is shown this.
        """
        own, words = tuple(steps), tuple(texts)
        quoted = dict.fromkeys(number for text in words for number in self._quoted(by, text))
        self._steps[_key(item)] = (*quoted, *own)  # the author of the last one is whose text it is
        self._texts |= dict(zip(own, words, strict=False))
        self.shown(by, own)

    def shown(self, agent: str, steps: Iterable[int]) -> None:
        """An agent was shown these steps, or took them itself."""
        self._shown[agent] |= dict.fromkeys(steps)

    def _quoted(self, agent: str, text: str) -> Iterator[int]:
        for number in list(self._shown[agent])[-_RECENT:]:
            words = self._texts.get(number, "")
            if len(words) >= _LONG and words != text and words in text:
                yield number

    def of(self, item: Any) -> tuple[int, ...] | None:
        """The steps that a message or event is; None if it is not known."""
        return self._steps.get(_key(item))

    def told(self, text: str, steps: Iterable[int]) -> None:
        """The user said this, of which AutoGen makes a message itself; a task is of no step."""
        self._user[text] = tuple(steps)

    def known(self, messages: Sequence[Any], parts: Iterable[Part]) -> dict[str, tuple[int, ...]]:
        """Of which steps the parts of messages are the texts, by part id; those that are not known are left out.

        What goes with a hand-off is none of its message's own text.
        """
        found: dict[str, tuple[int, ...]] = {}
        for part in parts:
            index, _, rest = part.id[1:].partition("]")
            steps = self._of_given(messages[int(index)]) if not rest.startswith(".context") else None
            if steps is not None:
                found[part.id] = steps
        return found

    def _of_given(self, message: Any) -> tuple[int, ...] | None:
        steps = self.of(message)
        return self._user.get(message.to_model_text()) if steps is None and message.source == "user" else steps


def _key(item: Any) -> tuple[str, str, str]:
    return type(item).__name__, str(getattr(item, "id", id(item))), str(getattr(item, "source", ""))
