"""Tables as they stand in a text, and as somebody speaks of them who hands their entries to others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from aegis_core.world.model.language import NUMBER, stem

__all__ = ["Sketch", "Table", "described", "drawn", "look_up", "spoken", "tables"]


@dataclass(frozen=True)
class Table:
    """Header and rows; the first column names the row."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Sketch:
    """What a question has to know of tables: names, columns with numbers, and the words that stand in the others."""

    names: tuple[str, ...]
    columns: tuple[str, ...]
    numeric: tuple[str, ...]
    groups: tuple[tuple[str, str], ...]
    n_tables: int


_DESCRIBED = re.compile(r"^(?=.*\b(?:tables?|rows)\b)(?P<names>.*?)\bcolumns?\b(?P<columns>.*)$", re.M | re.I)
_DESCRIPTIONS = (
    "The {table} has rows for {names}, and as columns {columns}.",
    "In the {table} there are {names}, with the columns {columns}.",
    "Rows of the {table}: {names}. Columns: {columns}.",
    "The {table} is about {names}; its columns are {columns}.",
)


@lru_cache(maxsize=1024)
def tables(text: str) -> tuple[Table, ...]:
    """The tables in a text: runs of lines with the same number of bars."""
    found: list[Table] = []
    block: list[tuple[str, ...]] = []
    for line in [*text.split("\n"), ""]:
        cells = tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
        if len(cells) > 1 and (not block or len(block[0]) == len(cells)):
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                block.append(cells)
            continue
        if len(block) > 1:
            found.append(Table(block[0], tuple(block[1:])))
        block = [cells] if len(cells) > 1 else []
    return tuple(found)


def look_up(text: str, name: str, column: str) -> str:
    """What stands in the tables of a text under a name and a column, or a sentence that says what is not there."""
    known = tables(text)
    for table in known:
        headers = [stem(header) for header in table.header]
        if stem(column.strip()) not in headers:
            continue
        for row in table.rows:
            if row[0].casefold() == name.strip().casefold():
                return row[headers.index(stem(column.strip()))]
    columns = ", ".join(header for table in known for header in table.header)
    return f"nothing found for {name!r} under {column!r} (columns: {columns or 'none'})"


def _numeric(table: Table, column: int) -> bool:
    return bool(table.rows) and all(re.fullmatch(NUMBER, row[column]) for row in table.rows)


def drawn(found: tuple[Table, ...]) -> Sketch:
    """What a question has to know of tables that stand there."""
    names = tuple(dict.fromkeys(row[0] for table in found for row in table.rows))
    columns = tuple(dict.fromkeys(header for table in found for header in table.header[1:]))
    numeric = tuple(h for t in found for i, h in enumerate(t.header) if i and _numeric(t, i))
    groups = tuple(
        dict.fromkeys(
            (row[i], header)
            for table in found
            for i, header in enumerate(table.header)
            if i and not _numeric(table, i)
            for row in table.rows
        )
    )
    return Sketch(names, columns, numeric, groups, len(found))


def described(text: str) -> Sketch | None:
    """Tables that are told of: names before "columns", behind it the columns, with words of theirs in brackets."""
    told = _DESCRIBED.search(text)
    if not told:
        return None
    names = tuple(dict.fromkeys(re.findall(r"(?<=[a-z:,] )[A-Z][a-z]+\b", told["names"])))
    groups: dict[str, tuple[str, ...]] = {}
    for column, held in re.findall(r"([a-z]+)(?: \(([^)]*)\))?", re.sub(r"^\W*are\b", "", told["columns"])):
        groups[column] = tuple(word.strip() for word in held.split(",") if word.strip())
    numeric = tuple(column for column, held in groups.items() if not held)
    pairs = tuple((word, column) for column, held in groups.items() for word in held)
    n_tables = 2 if re.search(r"\b(?:tables|two|pair)\b", told["names"]) else 1
    return Sketch(names, tuple(groups), numeric, pairs, n_tables) if names and numeric else None


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def spoken(sketch: Sketch, voice: int) -> str:
    """The tables in words that `described` reads back; no entry among them."""
    words = {column: [word for word, of in sketch.groups if of == column] for column in sketch.columns}
    columns = [f"{column} ({', '.join(held)})" if held else column for column, held in words.items()]
    table = "pair of tables" if sketch.n_tables > 1 else "table"
    return _DESCRIPTIONS[voice % 4].format(table=table, names=_and(sketch.names), columns=", ".join(columns))
