"""What must never be recorded: keys, tokens, passwords, headers.

Two rules. *By name*: what a value calls a key, or a function a parameter, such as `api_key`, `access_token`,
`Authorization`, `headers`, is no text of an agent. Where the name can mean something else, as that of a
`secret_ingredient`, or where a sentence stands there, ordinary words are kept. *By value*: where a variable of the
environment with such a name holds what stands in a record, it is put out of it, wherever it came from. Neither counts
in the hash of a request.
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeVar

from pydantic import JsonValue

from aegis_core.records import Record

__all__ = ["SECRET", "Secrets", "is_secret"]

R = TypeVar("R", bound=Record)

SECRET = "<secret>"  # noqa: S105
"""What is written where a secret stood."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SECRET = frozenset(
    "apikey auth authorization authtoken bearer cookie cookies credential credentials dsn passphrase passwd password "
    "passwords privatekey pwd secret secretkey secrets".split()
)
_KINDS_OF_KEY = frozenset("access account api client encryption private secret service session signing".split())
_HARMLESS_TOKENS = frozenset(
    "begin bos class cls end eos first last mask next pad page sep special start stop unk unknown".split()
)
_PASSWORDS = frozenset("apikey authtoken dsn passphrase passwd password passwords privatekey pwd secretkey".split())
"""What has such a name may be a secret that is made of words."""
_FORMS = frozenset("code data hash header headers id key keys pin string token value values".split())
"""Words that say in which form something stands, so that what is before them says what it is: `auth_header`."""
_PLAIN = re.compile(
    r"[(\"'\u201c\u2018]*(?:[^\W\d_]{1,20}(?:['\u2019-][^\W\d_]{1,20})*|\d{1,4})[.,;:!?)\"'\u201d\u2019]*"
)
"""A word of ordinary language, or a small figure."""
_SENTENCE = 3
"""Words from which a text under the name of a secret may be a sentence."""
_CARRIERS = frozenset({"headers", "header", "env", "environ", "environment"})
"""Names of mappings whose members are not told apart: any of them may be a secret."""
_SHORTEST = 8
"""Characters; what is shorter than this in the environment may be any word."""
_LONG = 16


def is_secret(name: str, value: Any = None) -> bool:
    """Whether what has this name must not be recorded.

    Args:
        value: what has the name. `headers` or `env` are secret as a mapping or as pairs, not as the heads of a table;
            what is only described by such a word (`secret_ingredient`), unless it is ordinary words or figures; and no
            truth value is.
    """
    verdict = _by_name(name)
    if verdict is _Named.HARMLESS or isinstance(value, bool):
        return False
    if verdict is _Named.CARRIER:
        return _is_pairs(value)
    if verdict is _Named.DESCRIBED:
        return not _is_ordinary(value)
    return verdict is _Named.PASSWORD or not (isinstance(value, str) and _is_sentence(value))


class _Named(Enum):
    SECRET = auto()
    PASSWORD = auto()
    DESCRIBED = auto()
    CARRIER = auto()
    HARMLESS = auto()


@functools.lru_cache(maxsize=4096)
def _by_name(name: str) -> _Named:
    """What a name says; asked of every key of every value, and so remembered."""
    words = [word.lower() for word in _WORD.findall(name) if not word.isdigit()]
    before, last = ["", "", *words][-2:]
    if "connection string" in " ".join(words) or (last in ("key", "keys") and before in _KINDS_OF_KEY):
        return _Named.PASSWORD
    if not _PASSWORDS.isdisjoint(words):
        return _Named.PASSWORD
    head = next((word for word in reversed(words) if word not in _FORMS), "")
    if head in _SECRET or (last == "token" and before not in _HARMLESS_TOKENS):
        return _Named.SECRET
    if not _SECRET.isdisjoint(words):
        return _Named.DESCRIBED
    return _Named.CARRIER if last in _CARRIERS else _Named.HARMLESS


def _is_ordinary(value: Any) -> bool:
    """Whether it is figures, or texts of plain words alone."""
    if isinstance(value, str):
        return all(map(_is_plain, value.split()))
    if isinstance(value, list | tuple):
        return all(map(_is_ordinary, value))
    return isinstance(value, int | float)


def _is_sentence(text: str) -> bool:
    """Whether a text is plain words that begin and end as sentences do; words that make up a secret do not."""
    words = text.split()
    begins_and_ends = text[:1].isupper() or text.rstrip()[-1:] in (".", "!", "?")
    return len(words) >= _SENTENCE and begins_and_ends and all(map(_is_plain, words))


def _is_plain(word: str) -> bool:
    letters = "".join(filter(str.isalpha, word))
    return _PLAIN.fullmatch(word) is not None and (letters[1:].islower() or letters.isupper() or len(letters) < 2)


def _is_pairs(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(item, list | tuple) and len(item) == 2 for item in value)
    return isinstance(value, Mapping)


@dataclass(frozen=True)
class Secrets:
    """Texts that must not be recorded, wherever they stand."""

    values: tuple[str, ...] = ()

    @classmethod
    def of_environment(cls) -> Secrets:
        """What the environment holds now under names of secrets, the longest first; no paths and no short words."""
        return cls(tuple(sorted({value for name, value in os.environ.items() if _is_held(name, value)}, key=_longest)))

    def hidden(self, text: str) -> str:
        """A text without them."""
        for value in self.values:
            if value in text:
                text = text.replace(value, SECRET)
        return text

    def out_of(self, record: R) -> R:
        """A record without them; itself, if it holds none."""
        if not self.values:
            return record
        written = record.model_dump_json()
        if not any(form in written for form in map(_as_json, self.values)):
            return record
        return type(record).model_validate_json(json.dumps(self._hidden(json.loads(written))))

    def _hidden(self, value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {key: self._hidden(child) for key, child in value.items()}
        if isinstance(value, list):
            return [self._hidden(child) for child in value]
        return self.hidden(value) if isinstance(value, str) else value


def _is_held(name: str, value: str) -> bool:
    """Whether a variable of the environment holds a secret, which can be told from a word, a figure and a path."""
    if len(value) < _SHORTEST or not (is_secret(name) or name.upper().endswith("KEY")):
        return False
    if not any(map(str.isalpha, value)) or (len(value) < _LONG and not any(map(str.isdigit, value))):
        return False
    return not os.path.exists(value)  # noqa: PTH110  `Path.exists` raises where a text can't be a path


def _longest(value: str) -> tuple[int, str]:
    return (-len(value), value)


def _as_json(text: str) -> str:
    """A text as it stands in JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]
