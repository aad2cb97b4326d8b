"""A small table in the text, and a question that needs rows to be found and put together."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random

from aegis_core.world.tasks.draft import PEOPLE, Draft, decimal, is_short

__all__ = ["BUILDERS"]


@dataclass(frozen=True)
class _Sheet:
    """A table as drawn: who, a word column, two number columns."""

    title: str
    word_column: str
    words: tuple[str, ...]
    columns: tuple[str, str]
    ranges: tuple[tuple[int, int], tuple[int, int]]


_SHEETS = (
    _Sheet("Sales of one week", "city", ("Oslo", "Bergen", "Turku", "Lund"), ("boxes", "visits"), ((5, 90), (2, 30))),
    _Sheet(
        "The choir's lottery", "voice", ("alto", "tenor", "bass", "soprano"), ("tickets", "calls"), ((4, 80), (1, 40))
    ),
    _Sheet("Harvest by helper", "team", ("red", "blue", "green", "white"), ("baskets", "trips"), ((6, 70), (2, 20))),
    _Sheet("Library loans", "branch", ("north", "south", "harbour", "castle"), ("books", "films"), ((3, 60), (1, 25))),
    _Sheet(
        "Repairs in spring", "floor", ("ground", "upper", "cellar", "attic"), ("doors", "windows"), ((3, 50), (2, 45))
    ),
)


@dataclass(frozen=True)
class _Rows:
    sheet: _Sheet
    names: tuple[str, ...]
    groups: tuple[str, ...]
    first: tuple[int, ...]
    second: tuple[int, ...]

    @property
    def text(self) -> str:
        head = ("name", self.sheet.word_column, *self.sheet.columns)
        rows = zip(self.names, self.groups, self.first, self.second, strict=True)
        return "\n".join(" | ".join(map(str, row)) for row in (head, *rows))


def _rows(words: Random, numbers: Random, difficulty: int) -> _Rows:
    sheet = words.choice(_SHEETS)
    n_rows = 3 + difficulty + words.randint(0, 1)
    names = tuple(words.sample(PEOPLE, n_rows))
    chosen = words.sample(sheet.words, 2)
    groups = tuple(chosen[i % 2] if i < 4 else words.choice(chosen) for i in range(n_rows))  # two of each at least
    low, high = sheet.ranges[0]
    first = tuple(numbers.sample(range(low, high), n_rows))
    second = tuple(numbers.sample(range(sheet.ranges[1][0], sheet.ranges[1][1] + n_rows), n_rows))
    return _Rows(sheet, names, groups, first, second)


def _intro(words: Random, title: str, table: str) -> str:
    return words.choice((f"{title}:\n{table}\n", f"Here is a table ({title.lower()}).\n{table}\n", f"{table}\n"))


def _total(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """The sum of a column, of all rows or of one group."""
    rows = _rows(words, numbers, difficulty)
    column, group = rows.sheet.columns[0], rows.groups[words.randint(0, 1)]
    if difficulty == 1:
        question = words.choice((f"How many {column} do they have together?", f"What is the total of the {column}?"))
        answer = sum(rows.first)
    else:
        question = words.choice(
            (
                f"How many {column} do those with {rows.sheet.word_column} {group} have together?",
                f"What is the total of the {column} in the rows whose {rows.sheet.word_column} is {group}?",
                f"Take only the rows with {rows.sheet.word_column} {group}: what is the sum of their {column}?",
            )
        )
        answer = sum(value for value, name in zip(rows.first, rows.groups, strict=True) if name == group)
    form = words.choice(("Give a whole number.", "Answer with one whole number.", "A whole number is wanted."))
    return Draft(
        f"{_intro(words, rows.sheet.title, rows.text)}{question} {form}", f"{answer} {column}", "numeric", "total"
    )


def _mean(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """The mean of a column, of all rows or of one group."""
    rows = _rows(words, numbers, difficulty)
    column, group = rows.sheet.columns[0], rows.groups[words.randint(0, 1)]
    picked = [v for v, name in zip(rows.first, rows.groups, strict=True) if difficulty == 1 or name == group]
    answer = Fraction(sum(picked), len(picked))
    if not is_short(answer):
        return None
    whom = "all of them" if difficulty == 1 else f"those with {rows.sheet.word_column} {group}"
    question = words.choice(
        (
            f"What is the average number of {column} of {whom}?",
            f"What is the mean of the {column} of {whom}?",
            f"How many {column} do {whom} have on average?",
        )
    )
    form = words.choice(("Give an exact number.", "Give the exact value as a decimal number."))
    text = f"{_intro(words, rows.sheet.title, rows.text)}{question} {form}"
    return Draft(text, f"{decimal(answer)} {column}", "numeric", "mean")


def _extreme(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """Who has the most or the fewest, in all rows or in one group."""
    rows = _rows(words, numbers, difficulty)
    column, group = rows.sheet.columns[0], rows.groups[words.randint(0, 1)]
    most = words.random() < 0.6
    picked = [
        (value, name)
        for value, name, own in zip(rows.first, rows.names, rows.groups, strict=True)
        if difficulty == 1 or own == group
    ]
    answer = (max if most else min)(picked)[1]
    top = words.choice(("the most", "the highest number of") if most else ("the fewest", "the lowest number of"))
    if difficulty == 1:
        question = words.choice((f"Who has {top} {column}?", f"Which person has {top} {column}?"))
    else:
        question = words.choice(
            (
                f"Among those with {rows.sheet.word_column} {group}, who has {top} {column}?",
                f"Who of the people with {rows.sheet.word_column} {group} has {top} {column}?",
            )
        )
    form = words.choice(("Give the name only.", "Answer with the name.", "The name is enough."))
    return Draft(f"{_intro(words, rows.sheet.title, rows.text)}{question} {form}", answer, "exact", "extreme")


def _count(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """How many rows lie above a limit."""
    rows = _rows(words, numbers, difficulty)
    column = rows.sheet.columns[0]
    limit = sorted(rows.first)[numbers.randint(1, len(rows.first) - 2)] - numbers.randint(0, 1)
    answer = sum(value > limit for value in rows.first)
    question = words.choice(
        (
            f"How many people have more than {limit} {column}?",
            f"In how many rows is the number of {column} greater than {limit}?",
        )
    )
    form = words.choice(("Give a whole number.", "Answer with one whole number."))
    return Draft(f"{_intro(words, rows.sheet.title, rows.text)}{question} {form}", str(answer), "numeric", "count")


def _join(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """A sum over two tables that share the names."""
    n_rows = 2 + difficulty
    goods = words.choice(("jars", "loaves", "boxes", "bottles", "sacks"))
    names = words.sample(PEOPLE, n_rows)
    amounts = numbers.sample(range(3, 40), n_rows)
    prices = [Fraction(n, 2) for n in numbers.sample(range(3, 30), n_rows)]
    second = words.sample(range(n_rows), n_rows)
    table = "\n".join((f"name | {goods}", *(f"{name} | {n}" for name, n in zip(names, amounts, strict=True))))
    prices_table = "\n".join(("name | price", *(f"{names[i]} | {decimal(prices[i])}" for i in second)))
    answer = sum((n * price for n, price in zip(amounts, prices, strict=True)), Fraction(0))
    question = words.choice(
        (
            f"What do all the {goods} cost together, if each person's {goods} have that person's price (in euros)?",
            f"Multiply each person's {goods} by the same person's price in euros: what is the total cost?",
        )
    )
    form = words.choice(("Give the answer in euros.", "State the result in euros."))
    return Draft(f"{table}\n\n{prices_table}\n\n{question} {form}", f"{decimal(answer)} euros", "numeric", "join")


BUILDERS = (_total, _mean, _extreme, _count, _join)
"""The kinds of question of the family, in a fixed order."""
