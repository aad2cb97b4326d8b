"""Word problems about rates over time: distances, journeys, tanks, machines."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from aegis_core.world.tasks.arithmetic.problem import aside, ask_in, plural, problem
from aegis_core.world.tasks.draft import Draft, decimal

__all__ = ["distance", "filling", "journey", "machines"]

_VEHICLES = ("van", "cyclist", "train", "ferry", "bus", "courier")


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
        aside(words, numbers, difficulty),
        words.choice((f"How far does the {vehicle} get in all?", "What distance is covered altogether?")),
        ask_in(words, unit),
    ]
    return problem(text, total * (1000 if unit == "metres" else 1), unit, f"distance/{unit}")


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
        aside(words, numbers, difficulty),
        words.choice(("How long is it under way in all?", "How long does the whole journey take?")),
        ask_in(words, unit),
    ]
    return problem(text, minutes / (60 if unit == "hours" else 1), unit, f"journey/{unit}")


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
        aside(words, numbers, difficulty),
        words.choice((f"How long does it take until the {vessel} is full?", f"After what time is the {vessel} full?")),
        ask_in(words, unit),
    ]
    return problem(text, Fraction(minutes, 60 if unit == "hours" else 1), unit, f"filling/{unit}")


def machines(words: Random, numbers: Random, difficulty: int) -> Draft | None:
    """What machines make in a given time, less the rejects; or the time they need for an order."""
    part, unit = words.choice(("bolt", "valve", "gear", "panel", "hinge")), words.choice(("minutes", "hours"))
    parts = plural(part)
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
    text.append(aside(words, numbers, difficulty))
    if words.random() < 0.5:
        text += [
            words.choice((f"An order asks for {rate * hours} {parts}.", f"{rate * hours} {parts} are needed.")),
            words.choice(("How long does that take?", "After what time is the work done?")),
            ask_in(words, unit),
        ]
        return problem(text, Fraction(hours * (60 if unit == "minutes" else 1)), unit, f"machines/{unit}")
    total = Fraction(rate * hours)
    text.append(words.choice((f"The work goes on for {hours} hours.", f"They are kept running for {hours} hours.")))
    if difficulty >= 2:
        total *= Fraction(100 - off, 100)
        text.append(
            words.choice((f"{off} percent of the {parts} are rejected.", f"Of the {parts}, {off} % are faulty."))
        )
    text.append(words.choice((f"How many usable {parts} are made?", f"How many {parts} can be delivered?")))
    return problem(text, total, parts, "machines/count") if total.denominator == 1 else None
