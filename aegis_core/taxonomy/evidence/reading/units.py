"""Units of measurement by name: what they measure and how they convert."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aegis_core.taxonomy.evidence.reading.passages import stem

__all__ = ["UNITS", "Unit", "unit_named"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit. `factor` is its size in the base unit of its dimension; 0 where no factor converts (temperatures)."""

    name: str
    dimension: str
    factor: float
    currency: str = ""

    def converts_to(self, other: Unit) -> bool:
        """Whether a factor converts one into the other. Cents belong to any currency that has them."""
        if self.dimension != other.dimension or not (self.factor and other.factor):
            return self == other
        return not (self.currency and other.currency) or self.currency == other.currency


_TABLE = """
length 0.001 mm millimetre millimeter
length 0.01 cm centimetre centimeter
length 1 m metre meter
length 1000 km kilometre kilometer
length 0.0254 inch
length 0.3048 ft foot feet
length 0.9144 yd yard
length 1609.344 mi mile
mass 0.000001 mg milligram milligramme
mass 0.001 g gram gramme
mass 1 kg kilogram kilogramme kilo
mass 1000 t tonne ton
mass 0.028349523125 oz ounce
mass 0.45359237 lb lbs
time 0.001 ms millisecond
time 1 s sec second
time 60 min mins minute
time 3600 h hr hrs hour
time 86400 day
time 604800 week
year 1 month
year 12 year
volume 0.001 ml millilitre milliliter
volume 0.01 cl centilitre centiliter
volume 0.1 dl decilitre deciliter
volume 1 l litre liter
volume 1000 m³ m3 m^3
volume 0.001 cm³ cm3 cm^3
volume 3.785411784 gallon
area 1 m² m2 m^2
area 0.0001 cm² cm2 cm^2
area 1000000 km² km2 km^2
area 10000 ha hectare
ratio 0.01 % percent percentage
angle 1 ° degree
angle 57.29577951308232 radian
temperature 0 °C celsius
temperature 0 °F fahrenheit
temperature 0 kelvin
energy 1 J joule
energy 1000 kJ kilojoule
energy 3600000 kWh
energy 4184 kcal
power 1 W watt
power 1000 kW kilowatt
data 1 byte
data 1000 kB kilobyte
data 1000000 MB megabyte
data 1000000000 GB gigabyte
data 1000000000000 TB terabyte
clock 0 clock
"""
_MONEY = {
    "$": ("USD", 1.0), "dollar": ("USD", 1.0), "usd": ("USD", 1.0), "€": ("EUR", 1.0), "euro": ("EUR", 1.0),
    "eur": ("EUR", 1.0), "£": ("GBP", 1.0), "gbp": ("GBP", 1.0), "pence": ("GBP", 0.01), "cent": ("", 0.01),
    "pound": ("GBP", 1.0),
}  # fmt: skip


def _units() -> Iterator[tuple[str, Unit]]:
    for line in _TABLE.split("\n"):
        dimension, size, *aliases = line.split() or ("", "0")
        for alias in aliases:
            yield stem(alias), Unit(name=aliases[0], dimension=dimension, factor=float(size))
    for alias, (currency, factor) in _MONEY.items():
        name = {"": "cent", "GBP": "pence"}.get(currency, currency) if factor < 1 else currency
        yield alias, Unit(name=name, dimension="money", factor=factor, currency=currency)


UNITS: dict[str, Unit] = dict(_units())
"""Units by the stems of their names. `in` is no inch here, nor `a` an are: they are words far more often."""


def unit_named(text: str) -> Unit | None:
    """The unit of this name, `x per y` and `square x` among them; None if there is none."""
    known = UNITS.get(text) or UNITS.get(stem(text))
    if known is not None:
        return known
    lower = text.casefold()
    for word, power in (("square ", 2), ("cubic ", 3)):
        if lower.startswith(word):
            return _power(UNITS.get(stem(lower.removeprefix(word))), power)
    upper, slash, under = text.replace(" per ", "/").replace(" an ", "/").replace(" a ", "/").partition("/")
    top = unit_named(upper) if slash else _SPEEDS.get(lower)
    if top is None or not slash:
        return top
    bottom = UNITS.get(stem(under))
    if bottom is None:
        return Unit(f"{top.name}/{stem(under)}", f"{top.dimension}/{stem(under)}", top.factor, top.currency)
    factor = top.factor / bottom.factor if bottom.factor else 0.0
    return Unit(f"{top.name}/{bottom.name}", f"{top.dimension}/{bottom.dimension}", factor, top.currency)


def _power(unit: Unit | None, power: int) -> Unit | None:
    if unit is None or unit.dimension != "length":
        return None
    mark = {2: "²", 3: "³"}[power]
    litres = 1000.0 if power == 3 else 1.0
    return Unit(unit.name + mark, {2: "area", 3: "volume"}[power], unit.factor**power * litres)


_SPEEDS = {
    "kph": Unit("km/h", "length/time", 1000 / 3600),
    "mph": Unit("mi/h", "length/time", 1609.344 / 3600),
}
