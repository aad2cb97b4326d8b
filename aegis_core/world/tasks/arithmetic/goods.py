"""Word problems about goods and money: packing, shopping, wages, recipes."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from aegis_core.world.tasks.arithmetic.problem import aside, ask_in, plural, problem
from aegis_core.world.tasks.draft import PEOPLE, Draft, decimal

__all__ = ["packing", "recipe", "shopping", "wages"]

_PLACES = ("bakery", "workshop", "school", "warehouse", "market hall", "library", "canteen", "theatre")
_PACKS = (
    ("crate", "bottle"), ("box", "candle"), ("tray", "egg"), ("carton", "jar"), ("bag", "apple"), ("pallet", "brick"),
    ("case", "cup"), ("basket", "pear"), ("drawer", "folder"), ("rack", "plate"),
)  # fmt: skip
_GOODS = ("notebook", "pen", "lamp", "mug", "towel", "poster", "chair", "cushion", "scarf", "kettle", "ruler", "vase")
_FOODS = ("flour", "rice", "sugar", "oats", "lentils", "butter")


_ARRIVING = (
    "The {place} receives {n} {outers}.",
    "{n} {outers} arrive at the {place}.",
    "There are {n} {outers} in the {place}.",
)
_HOLDING = (
    "Each {outer} holds {n} {inners}.",
    "There are {n} {inners} in each {outer}.",
    "Every {outer} contains {n} {inners}.",
    "They are packed with {n} {inners} per {outer}.",
)
_LOSING = (
    "On the way {n} {inners} get broken.",
    "{n} {inners} are damaged and thrown away.",
    "It turns out that {n} {inners} are spoiled.",
)
_SELLING = (
    "Each {inner} sells for {n} euros.",
    "Every {inner} that is left is sold for {n} euros.",
    "Customers give {n} euros per {inner}.",
)


def packing(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """Containers and their contents, some lost, counted or sold."""
    outer, inner = words.choice(_PACKS)
    nouns = {"outer": outer, "inner": inner, "outers": plural(outer), "inners": plural(inner)}
    nouns["place"] = words.choice(_PLACES)
    count, each, lost = numbers.randint(4, 40), numbers.randint(4, 30), numbers.randint(2, 30)
    price = Fraction(numbers.randint(5, 90), 20)
    sold, unit = words.random() < 0.6, words.choice(("euros", "cents"))
    total = Fraction(count * each - (lost if difficulty >= 2 else 0))
    text = [words.choice(_ARRIVING).format(n=count, **nouns), words.choice(_HOLDING).format(n=each, **nouns)]
    if difficulty >= 2:
        text.append(words.choice(_LOSING).format(n=lost, **nouns))
    text.append(aside(words, numbers, difficulty))
    inners = nouns["inners"]
    if not sold:
        text.append(words.choice((f"How many good {inners} are there in the end?", f"How many {inners} can be used?")))
        return problem(text, total, inners, "packing/count")
    text += [
        words.choice(_SELLING).format(n=decimal(price), **nouns),
        words.choice((f"How much money do the {inners} bring in?", f"What do the {inners} bring in altogether?")),
        ask_in(words, unit),
    ]
    return problem(text, total * price * (100 if unit == "cents" else 1), unit, f"packing/{unit}")


def shopping(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """A bill over two kinds of goods, with a discount."""
    (one, two), who = words.sample(_GOODS, 2), words.choice(PEOPLE)
    unit = words.choice(("euros", "euros", "cents"))
    n_one, n_two, off = numbers.randint(2, 20), numbers.randint(2, 20), numbers.choice((5, 10, 20, 25))
    p_one, p_two = Fraction(numbers.randint(6, 120), 10), Fraction(numbers.randint(6, 120), 10)
    bought = words.choice(
        (
            "{who} buys {n1} {ones} at {p1} euros each and {n2} {twos} at {p2} euros each.",
            "{who} needs {n1} {ones} and {n2} {twos}. Each {one} costs {p1} euros. Each {two} costs {p2} euros.",
            "On the bill of {who} stand {n1} {ones} for {p1} euros apiece and {n2} {twos} for {p2} euros apiece.",
        )
    )
    prices = {"p1": decimal(p_one), "p2": decimal(p_two)}
    goods = {"one": one, "two": two, "ones": plural(one), "twos": plural(two)}
    text = [bought.format(who=who, n1=n_one, n2=n_two, **prices, **goods)]
    total = n_one * p_one + n_two * p_two
    if difficulty >= 2:
        total *= Fraction(100 - off, 100)
        text.append(
            words.choice(
                (
                    f"The shop grants a discount of {off} percent on the whole bill.",
                    f"On everything {who} gets {off} % off.",
                    f"The sum is reduced by {off} percent.",
                )
            )
        )
    text += [
        aside(words, numbers, difficulty),
        words.choice((f"How much does {who} pay?", f"What does {who} have to pay in the end?")),
        ask_in(words, unit),
    ]
    return problem(text, total * (100 if unit == "cents" else 1), unit, f"shopping/{unit}")


def wages(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """What one or two people earn, less what they spend."""
    first, second = words.sample(PEOPLE, 2)
    pay, shifts = [numbers.randint(10, 24) for _ in range(2)], [numbers.randint(2, 6) for _ in range(2)]
    hours, spent = [numbers.randint(3, 8) for _ in range(2)], numbers.randint(10, 60)
    both = difficulty >= 2
    earns = words.choice(
        (
            "{} works {} shifts of {} hours each at {} euros an hour.",
            "{} has {} shifts of {} hours each and earns {} euros per hour.",
            "{} is down for {} shifts, {} hours each, at {} euros an hour.",
        )
    )
    text = [earns.format(first, shifts[0], hours[0], pay[0])]
    total = shifts[0] * hours[0] * pay[0]
    if both:
        total += shifts[1] * hours[1] * pay[1]
        text.append(earns.format(second, shifts[1], hours[1], pay[1]))
        spends = words.choice(("Together they spend {} euros on tools.", "From that {} euros are spent on travel."))
        text.append(spends.format(spent))
        total -= spent
    text += [
        aside(words, numbers, difficulty),
        words.choice(
            ("How much money do they have in the end?", "What is left for the two?")
            if both
            else (f"How much does {first} earn?", f"What does {first} make in all?")
        ),
        ask_in(words, "euros"),
    ]
    return problem(text, Fraction(total), "euros", "wages/euros")


def recipe(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """How much of something has to be bought for a number of people."""
    food, unit = words.choice(_FOODS), words.choice(("grams", "kilograms"))
    each, people, there = numbers.randint(4, 30) * 10, numbers.randint(5, 60), numbers.randint(2, 60) * 10
    text = [
        words.choice(
            (
                f"A dish takes {each} grams of {food} per person.",
                f"For each person {each} grams of {food} are needed.",
                f"Every person gets {each} grams of {food}.",
            )
        ),
        words.choice((f"{people} people are invited.", f"The meal is for {people} people.")),
    ]
    total = Fraction(each * people)
    if difficulty >= 2:
        total -= there
        text.append(
            words.choice(
                (
                    f"{there} grams of {food} are already in the cupboard.",
                    f"The cook already has {there} grams of {food}.",
                )
            )
        )
    text += [
        aside(words, numbers, difficulty),
        words.choice((f"How much {food} must be bought?", f"What amount of {food} has to be bought?")),
        ask_in(words, unit),
    ]
    return problem(text, total / (1000 if unit == "kilograms" else 1), unit, f"recipe/{unit}")
