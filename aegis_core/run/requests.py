"""Hashes of requests: those of two runs are equal where the same was sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from aegis_core.adapter import Part
from aegis_core.errors import AdapterError
from aegis_core.run.secrets import Secrets

__all__ = ["Requests"]

_written = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=repr).encode


@dataclass(frozen=True, slots=True)
class _Begun:
    """The forms of the parts of a request, and what has hashed it that far."""

    forms: list[str]
    hashed: hashlib.blake2b


class Requests:
    """Hashes the requests of one run.

    A history is sent again in every turn, with a little more at its end. So a part is normalised and written once, and
    then known as itself or by what it says, and what a request shares with an earlier one is not hashed again.

    Args:
        normalise: the adapter's `normalise`; None leaves requests as they are.
        secrets: texts that do not count, so that a tape can be served with another key.
    """

    def __init__(
        self, normalise: Callable[[JsonValue], JsonValue] | None = None, secrets: Secrets | None = None
    ) -> None:
        self._normalise = normalise
        self._secrets = secrets or Secrets()
        self._parts: dict[int, tuple[Part, str]] = {}
        """Parts by identity, with their forms; the part is held so that no other can have its id."""
        self._known: dict[tuple[str, str, str, str], str] = {}
        self._extras: dict[str, str] = {}
        self._begun: dict[tuple[str, str], _Begun] = {}
        """The last request that began with this extra and this part: what comes next is likely to go on with it."""

    def hash(self, parts: Iterable[Part], extra: JsonValue = None) -> str:
        """128-bit hash of a request. Part ids do not count (frameworks draw them at random).

        Raises:
            AdapterError: `normalise` returned something that is no request.
        """
        forms = []
        for part in parts:
            known = self._parts.get(id(part))
            form = known[1] if known is not None else self._part(part)
            if form:
                forms.append(form)
        outer = "null" if extra is None else self._extra(extra)
        hashed = self._hashed(outer, forms)
        hashed.update(b"]}")
        return hashed.hexdigest()

    def _hashed(self, extra: str, forms: list[str]) -> hashlib.blake2b:
        """What has hashed a request but for its end."""
        known = self._begun.get((extra, forms[0])) if forms else None
        if known is not None and forms[: len(known.forms)] == known.forms:
            hashed, more = known.hashed.copy(), forms[len(known.forms) :]
            if not more:
                return hashed
            text = ", ".join(("", *more))
        else:
            hashed = hashlib.blake2b(digest_size=16)
            text = f'{{"extra": {extra}, "parts": [{", ".join(forms)}'
        hashed.update(text.encode("utf-8", "surrogatepass"))
        if len(forms) > 1:
            self._begun[extra, forms[0]] = _Begun(forms, hashed.copy())
        return hashed

    def _part(self, part: Part) -> str:
        """The form of a part that was not seen before."""
        if part.data is not None:
            form = self._form(part)
        else:
            key = (part.role, part.author, part.kind, part.text)
            known = self._known.get(key)
            form = known if known is not None else self._known.setdefault(key, self._form(part))
        self._parts[id(part)] = (part, form)
        return form

    def _form(self, part: Part) -> str:
        """A part as it counts; "" if `normalise` leaves it out."""
        plain: list[JsonValue] = [part.role, part.author, part.kind, part.text, part.data]
        parts = self._normalised({"parts": [plain], "extra": None}).get("parts")
        return self._secrets.hidden(", ".join(map(_written, parts))) if isinstance(parts, list) else ""

    def _extra(self, extra: JsonValue) -> str:
        written = _written(extra)
        form = self._extras.get(written)
        if form is None:
            normal = self._normalised({"parts": [], "extra": extra}).get("extra")
            form = self._extras[written] = self._secrets.hidden(_written(normal))
        return form

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
