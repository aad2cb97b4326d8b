"""Hashes of requests: those of two runs are equal where the same was sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.errors import AdapterError
from aegis_core.run.secrets import Secrets

__all__ = ["Requests"]

_written = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=repr).encode


class Requests:
    """Hashes the requests of one run.

    A history is sent again in every turn. So a part is normalised and written once, and then known by what it says.

    Args:
        normalise: the adapter's `normalise`; None leaves requests as they are.
        secrets: texts that do not count, so that a tape can be served with another key.
    """

    def __init__(
        self, normalise: Callable[[JsonValue], JsonValue] | None = None, secrets: Secrets | None = None
    ) -> None:
        self._normalise = normalise
        self._secrets = secrets or Secrets()
        self._known: dict[tuple[str, str, str, str], str] = {}

    def hash(self, parts: Iterable[Part], extra: JsonValue = None) -> str:
        """128-bit hash of a request. Part ids do not count (frameworks draw them at random).

        Raises:
            AdapterError: `normalise` returned something that is no request.
        """
        sent = ", ".join(filter(None, map(self._part, parts)))
        text = f'{{"extra": {self._extra(extra)}, "parts": [{sent}]}}'
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _part(self, part: Part) -> str:
        if part.data is not None:
            return self._form(part)
        key = (part.role, part.author, part.kind, part.text)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._form(part)
        return known

    def _form(self, part: Part) -> str:
        """A part as it counts; "" if `normalise` leaves it out."""
        plain: list[JsonValue] = [part.role, part.author, part.kind, part.text, part.data]
        parts = self._normalised({"parts": [plain], "extra": None}).get("parts")
        return self._secrets.hidden(", ".join(map(_written, parts))) if isinstance(parts, list) else ""

    def _extra(self, extra: JsonValue) -> str:
        if extra is None:
            return "null"
        return self._secrets.hidden(_written(self._normalised({"parts": [], "extra": extra}).get("extra")))

    def _normalised(self, request: dict[str, JsonValue]) -> Mapping[str, JsonValue]:
        if self._normalise is None:
            return request
        normal = self._normalise(request)
        if not isinstance(normal, dict):
            raise AdapterError(
                f"`normalise` of an adapter returned a {type(normal).__name__}; let it return a request, "
                '{"parts": [...], "extra": ...}'
            )
        return normal
