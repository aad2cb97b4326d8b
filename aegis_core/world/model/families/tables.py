"""Tables: read from a text, looked up by name and column, and put together as a question wants it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from aegis_core.world.model.chance import misread
from aegis_core.world.model.families.sketch import Sketch, described, drawn, spoken, tables
from aegis_core.world.model.language import NUMBER, plural, sentences, show, stem, to_number, unit_named
from aegis_core.world.model.understanding import Form, Mistake, Value, Working

__all__ = ["Cell", "Sheets", "Wanted"]


@dataclass(frozen=True)
class Wanted:
    """What a question asks of tables.

    `operation`: total, mean, most, fewest, more (rows above `limit`), fewer (rows below), or product (the sum over
    rows of `column` times `factor`). `group` restricts to the rows whose `group_column` holds it.
    """

    operation: str
    column: str
    names: tuple[str, ...]
    columns: tuple[str, ...]
    group_column: str = ""
    group: str = ""
    groups: tuple[tuple[str, str], ...] = ()
    """The words that stand in word columns, each with its column."""
    factor: str = ""
    limit: Fraction = Fraction(0)
    unit: str = ""


@dataclass(frozen=True)
class Cell:
    """One entry of a table; `group` is the word of the row in the question's group column, if it is known."""

    row: str
    column: str
    value: str
    group: str = ""


class Sheets:
    """The family of table questions."""

    def question(self, text: str) -> Wanted | None:
        """What is asked of the tables in the text, or None if there are none."""
        return _question(text)

    def facts(self, text: str, question: Wanted) -> tuple[Cell, ...]:
        """The entries that a text states, be it as a table or in words."""
        return _facts(text, question)

    def relevant(self, facts: tuple[Cell, ...], question: Wanted) -> tuple[Cell, ...]:
        """The entries of the columns and the group that the question needs."""
        return tuple(
            cell
            for cell in facts
            if cell.column in (question.column, question.factor)
            and (not question.group or cell.group in ("", question.group))
        )

    def topic(self, fact: Cell) -> str:
        """The name of the row."""
        return fact.row

    def outline(self, question: Wanted, voice: int) -> str:
        """What the tables hold, without an entry, in words from which the question can be understood."""
        sketch = Sketch(question.names, question.columns, (), question.groups, 2 if question.factor else 1)
        return spoken(sketch, voice)

    def tell(self, fact: Cell, voice: int) -> str:
        """The entry in words that are read back to it."""
        group = f" ({fact.group})" if fact.group else ""
        forms = ("{r}{g}: {v} {c}", "for {r}{g} the {c} are {v}", "{r}{g} has {v} {c}", "{c} of {r}{g} = {v}")
        return forms[voice % 4].format(r=fact.row, g=group, v=fact.value, c=fact.column)

    def misread(self, fact: Cell, key: str) -> Cell:
        """The entry with a digit off."""
        return replace(fact, value=show(misread(to_number(fact.value), key)))

    def work(self, question: Wanted, facts: tuple[Cell, ...], form: Form, mistake: Mistake, key: str) -> Working:
        """Work the answer out from the entries that were found."""
        del key
        cells = self.relevant(facts, question)
        values = {cell.row: to_number(cell.value) for cell in cells if cell.column == question.column}
        if not values:
            whom = f" of those with {question.group_column} {question.group}" if question.group else ""
            return Working((), None, f"the {question.column}{whom}")
        if question.operation == "product":
            return _product(question, values, cells, form, mistake)
        if question.operation in ("total", "mean"):
            return _sum(question, values, mistake)
        return _compare(question, values, mistake)

    def value(self, text: str, question: Wanted) -> Value | None:
        """The last number of a sentence, or the last name where a name is asked for."""
        if question.operation in ("most", "fewest"):
            names = [name for name in re.findall(r"\b[A-Z][a-z]+\b", text) if name in question.names]
            return Value(items=(names[-1],), raw=names[-1]) if names else None
        from aegis_core.world.model.families.arithmetic import last_value

        return last_value(text)


@lru_cache(maxsize=1024)
def _question(text: str) -> Wanted | None:
    found = tables(text)
    sketch = drawn(found) if found else described(text)
    if sketch is None:
        return None
    asked = " ".join(line for line in text.split("\n") if "|" not in line)
    if not found:
        asked = " ".join(sentence for sentence in sentences(text) if "?" in sentence)
    low = asked.lower()
    stems = {stem(word) for word in re.findall(r"[a-z]+", low)}
    groups = sketch.groups
    named = [header for header in sketch.numeric if stem(header) in stems]
    if not named:
        return None
    column = named[0]
    group = next((pair for pair in groups if re.search(rf"\b{re.escape(pair[0].lower())}\b", low)), ("", ""))
    limit = re.search(rf"\b(more|greater|higher|above|over|less|fewer|lower|below|under)\b(?: than)? ({NUMBER})", low)
    operation, factor = _operation(low, bool(limit), named if sketch.n_tables > 1 else [])
    return Wanted(
        operation,
        column,
        sketch.names,
        sketch.columns,
        group_column=group[1],
        group=group[0],
        groups=groups,
        factor=factor,
        limit=to_number(limit[2]) if limit else Fraction(0),
        unit="euro" if operation == "product" else "" if operation in ("more", "fewer") else unit_named(column).name,
    )


def _operation(low: str, limited: bool, joined: Sequence[str]) -> tuple[str, str]:
    if len(joined) > 1 and re.search(r"cost|price|worth|value|revenue|multipl", low):
        price = next((name for name in joined if stem(name) in ("price", "fee", "rate")), joined[1])
        return "product", price
    if re.search(r"\b(average|mean)\b", low):
        return "mean", ""
    if limited and re.search(r"how many|number of rows|count", low):
        below = re.search(r"\b(less|fewer|lower|below|under)\b(?: than)? \d", low)
        return ("fewer" if below else "more"), ""
    if re.search(r"\bwho\b|\bwhich (person|one|name|of)|whose name", low):
        least = re.search(r"\b(fewest|lowest|least|smallest|minimum)\b", low)
        return ("fewest" if least else "most"), ""
    return "total", ""


@lru_cache(maxsize=1024)
def _facts(text: str, question: Wanted) -> tuple[Cell, ...]:
    found: dict[Cell, None] = {}
    for table in tables(text):
        for row in table.rows:
            if row[0] not in question.names:
                continue
            word = ""
            if question.group_column in table.header:
                word = row[table.header.index(question.group_column)]
            for header, value in zip(table.header[1:], row[1:], strict=True):
                if re.fullmatch(NUMBER, value):
                    found[Cell(row[0], header, value, word)] = None
    for line in text.split("\n"):
        if "|" not in line:
            found.update(dict.fromkeys(_told(line, question)))
    return tuple(found)


def _told(line: str, question: Wanted) -> list[Cell]:
    """Entries in words: each number belongs to the nearest name before it (else behind) and the nearest column."""
    cells: list[Cell] = []
    for piece in re.split(r";\s*|(?<=[.!?])\s+", line):
        names = [m for m in re.finditer(r"\b[A-Z][a-z]+\b", piece) if m[0] in question.names]
        if not names:
            continue
        columns = _mentions(piece, question.columns)
        words = [(m.start(), word) for word, column in question.groups if column == question.group_column
                 for m in re.finditer(rf"\b{re.escape(word)}\b", piece)]  # fmt: skip
        for match in re.finditer(NUMBER, piece):
            before = [name for name in names if name.start() < match.start()]
            owner = before[-1] if before else names[0]
            next_name = next((name.start() for name in names if name.start() > match.start()), len(piece))
            near = [(abs(at - match.start()), column) for at, column in columns if len(names) == 1 or at < next_name]
            if not near:
                continue
            group = next((word for at, word in words if owner.start() < at < next_name), "")
            cells.append(Cell(owner[0], min(near)[1], match[0].replace(",", ""), group))
    return cells


def _mentions(piece: str, columns: Sequence[str]) -> list[tuple[int, str]]:
    stems = {stem(column): column for column in columns}
    return [
        (match.start(), stems[stem(match[0])]) for match in re.finditer(r"[A-Za-z]+", piece) if stem(match[0]) in stems
    ]


def _sum(question: Wanted, values: dict[str, Fraction], mistake: Mistake) -> Working:
    unit = question.unit
    parts = " + ".join(show(value) for value in values.values())
    total = mistake(0, sum(values.values(), Fraction(0)))
    lines = [f"{parts} = {show(total)} {plural(unit)}"]
    if question.operation == "mean":
        rows = len(values)
        total, before = mistake(1, total / rows), total
        lines.append(f"{show(before)} {plural(unit)} / {rows} = {show(total)} {plural(unit)}")
    return Working(tuple(lines), Value(total, unit))


def _product(
    question: Wanted, values: dict[str, Fraction], cells: Sequence[Cell], form: Form, mistake: Mistake
) -> Working:
    prices = {cell.row: to_number(cell.value) for cell in cells if cell.column == question.factor}
    lines: list[str] = []
    costs: list[Fraction] = []
    total, lack = Fraction(0), ""
    unit = form.unit if form.unit and form.unit.dimension == "money" else unit_named(question.unit)
    for position, (row, amount) in enumerate(values.items()):
        if row not in prices:
            lack = lack or f"the {question.factor} of {row}"
            continue
        cost = mistake(position, amount * prices[row])
        lines.append(f"{row}: {show(amount)} x {show(prices[row])} = {show(cost)} euros")
        costs.append(cost)
        total += cost
    unmatched = next((row for row in prices if row not in values), "")
    lack = lack or (f"the {question.column} of {unmatched}" if unmatched else "")
    total = mistake(len(values), total)
    if len(costs) > 1:
        lines.append(f"{' + '.join(map(show, costs))} = {show(total)} euros")
    if unit.factor != 1:
        lines.append(f"{show(total)} euros = {show(total / unit.factor)} {plural(unit.name)}")
    value = Value(total / unit.factor, unit.name) if costs else None
    return Working(tuple(lines), None if lack else value, lack, value if lack else None)


def _compare(question: Wanted, values: dict[str, Fraction], mistake: Mistake) -> Working:
    listed = ", ".join(f"{row} {show(value)}" for row, value in values.items())
    lines = [f"{question.column}: {listed}"]
    seen = {row: mistake(position, value) for position, (row, value) in enumerate(values.items())}
    if question.operation in ("more", "fewer"):
        above = question.operation == "more"
        hits = [row for row, value in seen.items() if (value > question.limit if above else value < question.limit)]
        word = "above" if above else "below"
        lines.append(f"{word} {show(question.limit)}: {', '.join(hits) or 'nobody'}, which makes {len(hits)}")
        return Working(tuple(lines), Value(Fraction(len(hits)), ""))
    ranked = sorted(seen, key=lambda row: seen[row])
    name = ranked[-1] if question.operation == "most" else ranked[0]
    lines.append(f"the {question.operation} {question.column}: {name} with {show(values[name])}")
    return Working(tuple(lines), Value(items=(name,)))
