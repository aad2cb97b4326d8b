"""One line of a file of records: what it may look like, and the words in which it is refused."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails, SchemaValidator, core_schema, from_json

from aegis_core.errors import SchemaVersionError, StoreError
from aegis_core.records import SCHEMA_VERSION, FileRecord, Record

__all__ = ["decoded", "is_torn", "mend_text", "parse", "parsed", "too_deep"]

M = TypeVar("M", bound=Record)
_SAFE_DEPTH = 150
_SHORT = 1 << 13
_NO_OPENING = bytes(set(range(256)) - set(b"[{"))
_WELL_FORMED = SchemaValidator(core_schema.typed_dict_schema({}, extra_behavior="ignore"))
"""Parses JSON as every reader of records does, with the same limit of depth, and makes nothing of it."""
_SHOWN = 3
_ENCODINGS = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


def decoded(raw: bytes, path: Path, line: int) -> str:
    """The text of a line, without its line feed.

    Raises:
        StoreError: a byte order mark, CR LF, or bytes that are not UTF-8; the message says how to convert the file.
    """
    raw = raw.removesuffix(b"\n")
    if raw.startswith(codecs.BOM_UTF8):
        raise StoreError(f"{path}, line {line}: begins with a byte order mark; save the file as UTF-8 without BOM")
    for mark, name in _ENCODINGS.items():
        if raw.startswith(mark):
            raise StoreError(f"{path}, line {line}: the file is in {name}; save it as UTF-8 without BOM")
    if raw.endswith(b"\r"):
        raise StoreError(
            f"{path}, line {line}: ends with CR LF, the line ending of Windows; save the file with LF alone"
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise StoreError(
            f"{path}, line {line}: byte {error.start + 1} (0x{raw[error.start]:02x}) is not UTF-8; "
            "save the file as UTF-8"
        ) from error


def parsed(text: str, path: Path, line: int) -> dict[str, Any]:
    """The JSON object of a line.

    Raises:
        StoreError: it is not a JSON object.
    """
    try:
        value = from_json(text)
    except ValueError as error:
        raise StoreError(f"{path}, line {line}: is not JSON ({error}); every line must be one JSON object") from error
    if not isinstance(value, dict):
        raise StoreError(f"{path}, line {line}: holds {_kind(value)}; every line must be one JSON object")
    return value


def parse(text: str | bytes, model: type[M], path: Path, line: int) -> M:
    """The record of a line, as a text or, which is faster, as it stands in the file.

    Raises:
        SchemaVersionError: a newer Aegis wrote it.
        StoreError: it is no such record, or not a line as `decoded` asks for; or it lacks the schema version that only
            what people write themselves may lack. The message names file, line and field.
    """
    if isinstance(text, bytes) and text.endswith((b"\r\n", b"\r")):
        decoded(text, path, line)  # raises; all else that it refuses is no JSON either
    try:
        record = model.model_validate_json(text)
    except ValidationError as error:
        value = parsed(decoded(text, path, line) if isinstance(text, bytes) else text, path, line)
        version = value.get("schema_version")
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise SchemaVersionError(
                f"{path}, line {line}, field schema_version: written with schema {version}, but this version of "
                f"aegis-mas reads schemas up to {SCHEMA_VERSION}; upgrade with `pip install -U aegis-mas`"
            ) from error
        raise _not_a_record(error, model, path, line) from error
    if (
        isinstance(record, FileRecord)
        and not record.written_by_hand
        and "schema_version" not in record.model_fields_set
    ):
        raise StoreError(
            f"{path}, line {line}, field schema_version: is missing, and says what the others mean (reading it as "
            f"{model.__name__}). Aegis writes it into every line; let what wrote this one add "
            f'"schema_version": {SCHEMA_VERSION}'
        )
    return record


def _not_a_record(error: ValidationError, model: type[Record], path: Path, line: int) -> StoreError:
    details = error.errors(include_url=False, include_input=False)
    told = "; ".join(_told(detail) for detail in details[:_SHOWN])
    more = f"; and {len(details) - _SHOWN} more" if len(details) > _SHOWN else ""
    advice = _advice(details, model)
    return StoreError(f"{path}, line {line}, {told}{more} (reading it as {model.__name__}). {advice}")


def _told(detail: ErrorDetails) -> str:
    where = ".".join(str(item) for item in detail["loc"])
    message = detail["msg"].removeprefix("Value error, ")
    return f"field {where}: {message}" if where else message


def _advice(details: list[ErrorDetails], model: type[Record]) -> str:
    kinds = {detail["type"] for detail in details}
    if "extra_forbidden" in kinds:
        return f"Known fields: {', '.join(model.model_fields)}; remove or rename the others"
    if "missing" in kinds:
        return "Add what is missing, or check that this is the right kind of file"
    return "Correct the value in this line"


def _kind(value: object) -> str:
    return {list: "a JSON array", str: "a JSON string", type(None): "null"}.get(type(value), "a JSON number or boolean")


def is_torn(raw: bytes) -> bool:
    """Whether bytes without a line feed are the beginning of a JSON object that was cut off.

    False for a whole object and for anything that could not have become one. Zero bytes at the end, which a file
    system can leave after a loss of power, count as cut off.
    """
    body = raw.rstrip(b"\0")
    if not body:
        return True
    if not body.startswith(b"{"):
        return False
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return False
    try:
        from_json(text)
    except ValueError as error:
        return "trailing characters" not in str(error) and _is_beginning(text)
    return body != raw


def _is_beginning(text: str) -> bool:
    try:
        from_json(text, allow_partial=True)
    except ValueError:
        return False
    return True


def too_deep(line: bytes) -> bool:
    """Whether a written line is nested too deeply for the reader.

    Of a short line the brackets are counted first; of a long one that takes as long as to parse it, and finds many.
    """
    if len(line) < _SHORT and len(line.translate(None, _NO_OPENING)) < _SAFE_DEPTH:
        return False
    try:
        _WELL_FORMED.validate_json(line)
    except ValidationError:
        return True
    return False


def mend_text(value: Any) -> Any:  # Any: plain data of any record
    """The same data with surrogate pairs joined and lone surrogates replaced by U+FFFD, in keys too."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {mend_text(key): mend_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [mend_text(item) for item in value]
    return value
