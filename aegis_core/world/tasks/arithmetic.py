"""Word problems: several steps, rates, and an answer in a stated unit."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from aegis_core.world.tasks.draft import PEOPLE, Draft, decimal, is_short

__all__ = ["BUILDERS"]

_PLACES = ("bakery", "workshop", "school", "warehouse", "market hall", "library", "canteen", "theatre")
_PACKS = (
    ("crate", "bottle"), ("box", "candle"), ("tray", "egg"), ("carton", "jar"), ("bag", "apple"), ("pallet", "brick"),
    ("case", "cup"), ("basket", "pear"), ("drawer", "folder"), ("rack", "plate"),
)  # fmt: skip
_GOODS = ("notebook", "pen", "lamp", "mug", "towel", "poster", "chair", "cushion", "scarf", "kettle", "ruler", "vase")
_VEHICLES = ("van", "cyclist", "train", "ferry", "bus", "courier")
_FOODS = ("flour", "rice", "sugar", "oats", "lentils", "butter")


def _plural(noun: str) -> str:
    return noun + ("es" if noun.endswith(("x", "s", "ch")) else "s")


def _ask_in(words: Random, unit: str) -> str:
    return words.choice(
        (
            f"Give the answer in {unit}.",
            f"State the result in {unit}.",
            f"The answer is wanted in {unit}.",
            f"Please express the result in {unit}.",
            f"Answer in {unit}.",
        )
    )


def _draft(sentences: list[str], answer: Fraction, unit: str, template: str) -> Draft | None:
    if not is_short(answer) or answer <= 0:
        return None
    return Draft(" ".join(s for s in sentences if s), f"{decimal(answer)} {unit}", "numeric", template)


def _aside(words: Random, numbers: Random, difficulty: int) -> str:
    """A true sentence with a figure that the question doesn't need, for the hardest tasks."""
    text = words.choice(
        (
            "The place has been run by the same family for {} years.",
            "By the way, {} visitors came on the day before.",
            "The file on it has {} pages.",
        )
    )
    return text.format(numbers.randint(3, 90)) if difficulty >= 3 else ""


def packing(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """Containers and their contents, some lost, counted or sold."""
    outer, inner = words.choice(_PACKS)
    outers, inners, place = _plural(outer), _plural(inner), words.choice(_PLACES)
    count, each, lost = numbers.randint(4, 40), numbers.randint(4, 30), numbers.randint(2, 30)
    price = Fraction(numbers.randint(5, 90), 20)
    sold, unit = words.random() < 0.6, words.choice(("euros", "cents"))
    total = Fraction(count * each - (lost if difficulty >= 2 else 0))
    text = [
        words.choice(
            (
                f"The {place} receives {count} {outers}.",
                f"{count} {outers} arrive at the {place}.",
                f"There are {count} {outers} in the {place}.",
            )
        ),
        words.choice(
            (
                f"Each {outer} holds {each} {inners}.",
                f"There are {each} {inners} in each {outer}.",
                f"Every {outer} contains {each} {inners}.",
                f"They are packed with {each} {inners} per {outer}.",
            )
        ),
    ]
    if difficulty >= 2:
        text.append(
            words.choice(
                (
                    f"On the way {lost} {inners} get broken.",
                    f"{lost} {inners} are damaged and thrown away.",
                    f"It turns out that {lost} {inners} are spoiled.",
                )
            )
        )
    text.append(_aside(words, numbers, difficulty))
    if not sold:
        text.append(words.choice((f"How many good {inners} are there in the end?", f"How many {inners} can be used?")))
        return _draft(text, total, inners, "packing/count")
    text += [
        words.choice(
            (
                f"Each {inner} sells for {decimal(price)} euros.",
                f"Every {inner} that is left is sold for {decimal(price)} euros.",
                f"Customers give {decimal(price)} euros per {inner}.",
            )
        ),
        words.choice((f"How much money do the {inners} bring in?", f"What do the {inners} bring in altogether?")),
        _ask_in(words, unit),
    ]
    return _draft(text, total * price * (100 if unit == "cents" else 1), unit, f"packing/{unit}")


def distance(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """How far something gets on one or two legs."""
    vehicle, unit = words.choice(_VEHICLES), words.choice(("kilometres", "kilometres", "metres"))
    hours, speed = numbers.randint(2, 6), numbers.randint(4, 24) * 5
    minutes, second = numbers.randint(2, 23) * 6, numbers.randint(4, 24) * 5
    total = Fraction(hours * speed)
    if difficulty == 1:
        text = [
            words.choice(
                (
                    f"A {vehicle} travels for {hours} hours at {speed} kilometres per hour.",
                    f"A {vehicle} keeps up a speed of {speed} km/h for {hours} hours.",
                )
            )
        ]
    else:
        total += Fraction(minutes, 60) * second
        text = [
            words.choice(
                (
                    f"On the first leg a {vehicle} travels for {hours} hours at {speed} kilometres per hour.",
                    f"The first leg takes a {vehicle} {hours} hours, at {speed} km/h.",
                )
            ),
            words.choice(
                (
                    f"On the second leg it travels for {minutes} minutes at {second} kilometres per hour.",
                    f"For the second leg, at {second} km/h, it needs {minutes} minutes.",
                )
            ),
        ]
    text += [
        _aside(words, numbers, difficulty),
        words.choice((f"How far does the {vehicle} get in all?", "What distance is covered altogether?")),
        _ask_in(words, unit),
    ]
    return _draft(text, total * (1000 if unit == "metres" else 1), unit, f"distance/{unit}")


def journey(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """How long a journey takes, with a stop."""
    vehicle, unit = words.choice(_VEHICLES), words.choice(("minutes", "hours"))
    speed, quarter_hours, stop = numbers.randint(4, 20) * 4, numbers.randint(5, 24), numbers.randint(1, 9) * 6
    length = Fraction(speed * quarter_hours, 4)
    minutes = Fraction(quarter_hours * 15 + (stop if difficulty >= 2 else 0))
    text = [
        words.choice(
            (
                f"A {vehicle} has {decimal(length)} kilometres to go.",
                f"The road that a {vehicle} takes is {decimal(length)} kilometres long.",
            )
        ),
        words.choice(
            (f"It makes {speed} kilometres per hour.", f"It moves at {speed} km/h.", f"Its speed is {speed} km/h.")
        ),
    ]
    if difficulty >= 2:
        text.append(
            words.choice(
                (f"On the way it makes one stop of {stop} minutes.", f"It also waits {stop} minutes at a crossing.")
            )
        )
    text += [
        _aside(words, numbers, difficulty),
        words.choice(("How long is it under way in all?", "How long does the whole journey take?")),
        _ask_in(words, unit),
    ]
    return _draft(text, minutes / (60 if unit == "hours" else 1), unit, f"journey/{unit}")


def filling(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """How long one or two pumps take to fill a tank that may hold something already."""
    vessel, unit = words.choice(("tank", "pool", "basin", "cistern")), words.choice(("minutes", "hours"))
    first, second = numbers.randint(3, 30), numbers.randint(3, 30)
    minutes, there = numbers.randint(4, 50) * 3, numbers.randint(2, 40) * 5
    rate = first + (second if difficulty >= 2 else 0)
    has = there if difficulty >= 2 else 0
    text = [
        words.choice(
            (
                f"A {vessel} holds {rate * minutes + has} litres.",
                f"A {vessel} has room for {rate * minutes + has} litres.",
            )
        )
    ]
    if difficulty >= 2:
        text += [
            words.choice((f"It already contains {there} litres.", f"{there} litres are already in it.")),
            words.choice(
                (
                    f"Pump A delivers {first} litres per minute and pump B {second} litres per minute.",
                    f"Two pumps fill it: pump A adds {first} litres a minute, pump B adds {second} litres a minute.",
                )
            ),
        ]
    else:
        text.append(
            words.choice((f"A pump delivers {first} litres per minute.", f"A pipe adds {first} litres every minute."))
        )
    text += [
        _aside(words, numbers, difficulty),
        words.choice((f"How long does it take until the {vessel} is full?", f"After what time is the {vessel} full?")),
        _ask_in(words, unit),
    ]
    return _draft(text, Fraction(minutes, 60 if unit == "hours" else 1), unit, f"filling/{unit}")


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
    goods = {"one": one, "two": two, "ones": _plural(one), "twos": _plural(two)}
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
        _aside(words, numbers, difficulty),
        words.choice((f"How much does {who} pay?", f"What does {who} have to pay in the end?")),
        _ask_in(words, unit),
    ]
    return _draft(text, total * (100 if unit == "cents" else 1), unit, f"shopping/{unit}")


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
        _aside(words, numbers, difficulty),
        words.choice(
            ("How much money do they have in the end?", "What is left for the two?")
            if both
            else (f"How much does {first} earn?", f"What does {first} make in all?")
        ),
        _ask_in(words, "euros"),
    ]
    return _draft(text, Fraction(total), "euros", "wages/euros")


def machines(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """What machines make in a given time, less the rejects; or the time they need for an order."""
    part, unit = words.choice(("bolt", "valve", "gear", "panel", "hinge")), words.choice(("minutes", "hours"))
    parts = _plural(part)
    one, two = numbers.randint(4, 40) * 5, numbers.randint(4, 40) * 5
    hours, off = numbers.randint(2, 12), numbers.choice((2, 4, 5, 10, 20))
    if difficulty == 1:
        rate = one
        text = [
            words.choice((f"A machine makes {one} {parts} an hour.", f"A machine turns out {one} {parts} per hour."))
        ]
    else:
        rate = one + two
        makes = words.choice(
            (
                "Machine A makes {0} {2} an hour, machine B makes {1} {2} an hour.",
                "Per hour, machine A makes {0} {2} per hour and machine B {1} {2} per hour.",
                "Machine A turns out {0} {2} per hour. Machine B turns out {1} {2} per hour.",
            )
        )
        text = [makes.format(one, two, parts)]
    text.append(_aside(words, numbers, difficulty))
    if words.random() < 0.5:
        text += [
            words.choice((f"An order asks for {rate * hours} {parts}.", f"{rate * hours} {parts} are needed.")),
            words.choice(("How long does that take?", "After what time is the work done?")),
            _ask_in(words, unit),
        ]
        return _draft(text, Fraction(hours * (60 if unit == "minutes" else 1)), unit, f"machines/{unit}")
    total = Fraction(rate * hours)
    text.append(words.choice((f"The work goes on for {hours} hours.", f"They are kept running for {hours} hours.")))
    if difficulty >= 2:
        total *= Fraction(100 - off, 100)
        text.append(
            words.choice((f"{off} percent of the {parts} are rejected.", f"Of the {parts}, {off} % are faulty."))
        )
    text.append(words.choice((f"How many usable {parts} are made?", f"How many {parts} can be delivered?")))
    return _draft(text, total, parts, "machines/count") if total.denominator == 1 else None


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
        _aside(words, numbers, difficulty),
        words.choice((f"How much {food} must be bought?", f"What amount of {food} has to be bought?")),
        _ask_in(words, unit),
    ]
    return _draft(text, total / (1000 if unit == "kilograms" else 1), unit, f"recipe/{unit}")


BUILDERS = (packing, distance, journey, filling, shopping, wages, machines, recipe)
"""The scenarios of the family, in a fixed order."""
