"""Which of the texts that a graph without messages wrote is its answer."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any

from aegis_langgraph.entry import answer_text, is_empty, keyed, value_text
from aegis_langgraph.texts.state import Naming, Text, messages_in, texts_of
from aegis_langgraph.texts.update import texts_of_update

__all__ = ["Written"]


class Written:
    """The texts outside of messages that the nodes of one graph wrote into its state.

    Args:
        given: what the graph was invoked with.
        naming: names of nodes, which steer the graph and are no answers.
    """

    def __init__(self, given: Any, naming: Naming) -> None:
        self._naming = naming
        self._first = _by_key(texts_of(given, naming))
        self._known = dict(self._first)
        self._last: dict[str, list[str]] = {}
        self._step: int | str = -1
        self._lock = Lock()

    def add(self, step: int | str, result: Any) -> None:
        """A node returned in this superstep."""
        new = _by_key(texts_of_update(result, self._naming))
        with self._lock:
            changed = {key: texts for key, texts in new.items() if self._known.get(key) != texts}
            if changed and step != self._step:
                self._step, self._last = step, {}
            for key, texts in changed.items():
                self._last[key] = [*self._last.get(key, ()), *texts]
            self._known |= changed

    def answer(self, result: Any) -> str | None:
        """The final answer in what the graph returned; None if it can't be told.

        It is what `answer_text` finds; else the one text that was written last, in one superstep; else the one value
        there is.
        """
        found = answer_text(result)
        values = keyed(result)
        if found is not None or values is None:
            return found
        last = {key: texts for key, texts in self._last.items() if key in values}
        if len(last) == 1:
            (key, texts), *_ = last.items()
            if isinstance(values[key], str):
                return str(values[key])
            if isinstance(values[key], list) and len(texts) == 1 and texts[0] in values[key]:
                return texts[0]
        return self._only(values)

    def _only(self, values: Mapping[str, Any]) -> str | None:
        """The value of a result with one key, as JSON where it is no text."""
        if len(values) != 1:
            return None
        ((key, value),) = values.items()
        as_given = isinstance(value, str) and self._first.get(key) == [value]
        if is_empty(value) or as_given or messages_in(texts_of(values, Naming())):
            return None
        return value_text(value)

    def doubt(self, name: str, result: Any) -> str:
        """Why there is no answer, and what to do."""
        values = keyed(result)
        has = f"has the keys {sorted(values)}" if values is not None else f"is a {type(result).__name__}"
        return (
            f"the final answer can't be told from the result of graph {name!r}, which {has}: it has neither words of a "
            "model, nor a key such as 'answer', nor one text that was written last. Give it as "
            "aegis.System(app, start=..., output=lambda result: ...), to `aegis.record` or from your factory"
        )


def _by_key(texts: tuple[Text, ...]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in texts:
        if text.message is None and text.part.kind == "message" and text.part.text:
            found.setdefault(text.key, []).append(text.part.text)
    return found
