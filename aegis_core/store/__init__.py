"""Append-only files of records: one JSON object a line (JSONL, UTF-8, LF), in the order in which they came.

A record is one whole line, and one process writes at a time. A process that is killed while it writes can leave
the beginning of a line at the end of the file, and nothing worse: `read` reports it and leaves it out, `repair`
and the next write move it into a file `NAME.torn` beside it. A bad line anywhere else is an error.

The same records give the same bytes: fields stand in the order of the model, nothing depends on the machine.
What JSON can't hold is replaced rather than lost: a lone surrogate in a text becomes U+FFFD, a NaN or infinity in
free JSON data becomes null.
"""

from aegis_core.store.reading import Position, index, peek, read, read_at, read_document
from aegis_core.store.tail import Repair, repair
from aegis_core.store.writing import Appender, Rewriter, append, encode, write_all, write_document

__all__ = [
    "Appender",
    "Position",
    "Repair",
    "Rewriter",
    "append",
    "encode",
    "index",
    "peek",
    "read",
    "read_at",
    "read_document",
    "repair",
    "write_all",
    "write_document",
]
