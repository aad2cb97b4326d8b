"""What all records share: frozen, strict about fields, versioned where they stand alone in a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

import pydantic
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

__all__ = ["SCHEMA_VERSION", "FileRecord", "Record", "SchemaVersion"]

SCHEMA_VERSION = 1
"""Version of every file that Aegis writes.

Readers refuse a newer one by name. There is no older one yet, and so nothing that migrates.
"""


def _known_version(value: int) -> int:
    if value > SCHEMA_VERSION:
        raise ValueError(
            f"schema_version {value} is newer than {SCHEMA_VERSION}, the newest that this version of aegis-mas "
            "reads; upgrade with `pip install -U aegis-mas`"
        )
    return value


_DEFERS = tuple(int(part) for part in pydantic.VERSION.split(".")[:2]) >= (2, 14)
"""Whether a record's validator is built when it is first used, and not at import.

Before 2.14 pydantic takes no lock for that, and two threads that first use a record can fail (seen with 2.13).
"""

SchemaVersion = Annotated[int, Field(ge=1), AfterValidator(_known_version)]


class Record(BaseModel):
    """Base of all records: frozen, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=_DEFERS)

    @classmethod
    def made_of(cls, fields: dict[str, Any], given: set[str] | None = None) -> Self:  # Any: the values of fields
        """A record of values that are known to be right, and of all of them: nothing is looked at.

        Args:
            given: names of those that are no defaults; None: all.
        """
        made = cls.__new__(cls)
        set_ = object.__setattr__
        set_(made, "__dict__", fields)
        set_(made, "__pydantic_fields_set__", set(fields) if given is None else given)
        set_(made, "__pydantic_extra__", None)
        set_(made, "__pydantic_private__", None)
        return made

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic's, in half the time: records are copied with changes in every turn of a run."""
        if deep:
            return super().model_copy(update=update, deep=True)
        changes = update or {}
        return self.made_of({**self.__dict__, **changes}, {*self.__pydantic_fields_set__, *changes})


class FileRecord(Record):
    """A record that can be a line of a file of its own, and so carries the version of its schema."""

    written_by_hand: ClassVar[bool] = False
    """Whether people write such files themselves, who may leave the version out."""
    schema_version: SchemaVersion = SCHEMA_VERSION
