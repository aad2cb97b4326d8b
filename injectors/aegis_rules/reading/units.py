"""Units of measure, and exact conversion between those of one dimension."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["UNITS", "Unit", "alternatives", "find_unit", "unit_pattern", "write_number", "written_like"]


@dataclass(frozen=True)
class Unit:
    """A unit: `size` is how much of the dimension's base unit one of it is. `symbols` and names are as written."""

    dimension: str
    size: Fraction
    singular: str
    plural: str
    symbols: tuple[str, ...] = ()
    spellings: tuple[str, ...] = ()
    """Other ways to write the name, singular and plural."""

    @property
    def names(self) -> tuple[str, ...]:
        """All written-out names."""
        return (self.singular, self.plural, *self.spellings)


def _metre(prefix: str, size: str, dimension: str = "length", before: str = "", after: str = "") -> Unit:
    names = [f"{before}{prefix}{name}{after}" for name in ("metre", "metres", "meter", "meters")]
    return Unit(dimension, Fraction(size), names[0], names[1], (), tuple(names[2:]))


def _symbols(unit: Unit, *symbols: str) -> Unit:
    return Unit(unit.dimension, unit.size, unit.singular, unit.plural, symbols, unit.spellings)


def _plain(dimension: str, size: str, name: str, *symbols: str, also: tuple[str, ...] = ()) -> Unit:
    return Unit(dimension, Fraction(size), name, f"{name}s", symbols, also)


UNITS: tuple[Unit, ...] = (
    _symbols(_metre("milli", "1/1000"), "mm"),
    _symbols(_metre("centi", "1/100"), "cm"),
    _symbols(_metre("", "1"), "m"),
    _symbols(_metre("kilo", "1000"), "km", "kms"),
    _plain("mass", "1/1000000", "milligram", "mg"),
    _plain("mass", "1/1000", "gram", "g", also=("gramme", "grammes")),
    _plain("mass", "1", "kilogram", "kg", "kgs", also=("kilo", "kilos", "kilogramme", "kilogrammes")),
    _plain("mass", "1000", "tonne", "t", also=("metric ton", "metric tons")),
    _plain("time", "1", "second", "s", "sec", "secs"),
    _plain("time", "60", "minute", "min", "mins"),
    _plain("time", "3600", "hour", "h", "hr", "hrs"),
    _plain("time", "86400", "day"),
    _plain("time", "604800", "week"),
    _plain("volume", "1/1000", "millilitre", "ml", "mL", also=("milliliter", "milliliters")),
    _plain("volume", "1/100", "centilitre", "cl", "cL", also=("centiliter", "centiliters")),
    _plain("volume", "1", "litre", "l", "L", also=("liter", "liters")),
    _symbols(_metre("", "1000", "volume", "cubic "), "m³", "m^3"),
    _symbols(_metre("centi", "1/10000", "area", "square "), "cm²", "cm^2"),
    _symbols(_metre("", "1", "area", "square "), "m²", "m^2"),
    _symbols(_metre("kilo", "1000000", "area", "square "), "km²", "km^2"),
    _plain("area", "10000", "hectare", "ha"),
    _symbols(_metre("", "1", "speed", "", " per second"), "m/s"),
    _symbols(_metre("", "1/60", "speed", "", " per minute"), "m/min"),
    _symbols(_metre("kilo", "5/18", "speed", "", " per hour"), "km/h", "kph"),
    _plain("dollars", "1/100", "cent"),
    _plain("dollars", "1", "dollar", also=("US dollar", "US dollars", "USD")),
    Unit("euros", Fraction(1, 100), "euro cent", "euro cents", (), ("eurocent", "eurocents")),
    _plain("euros", "1", "euro", also=("EUR",)),
    Unit("pounds", Fraction(1, 100), "penny", "pence"),
    Unit("pounds", Fraction(1), "pound sterling", "pounds sterling", (), ("GBP",)),
    _plain("energy", "1", "joule", "J"),
    _plain("energy", "1000", "kilojoule", "kJ"),
    _plain("energy", "3600", "watt-hour", "Wh", also=("watt hour", "watt hours")),
    _plain("energy", "3600000", "kilowatt-hour", "kWh", also=("kilowatt hour", "kilowatt hours")),
    _plain("power", "1", "watt", "W"),
    _plain("power", "1000", "kilowatt", "kW"),
    _plain("data", "1", "kilobyte", "kB", "KB"),
    _plain("data", "1000", "megabyte", "MB"),
    _plain("data", "1000000", "gigabyte", "GB"),
    _plain("data", "1000000000", "terabyte", "TB"),
    Unit("share", Fraction(1, 100), "per cent", "per cent", ("%",), ("percent", "percentage points")),
)  # fmt: skip

_SIGNS = {"$": "dollar", "US$": "dollar", "€": "euro", "£": "pound sterling"}
_BY_NAME = {name.lower(): unit for unit in UNITS for name in unit.names}
_BY_SYMBOL = {symbol: unit for unit in UNITS for symbol in unit.symbols}
_NAMES = "|".join(re.escape(name) for name in sorted(_BY_NAME, key=len, reverse=True))
_SYMBOLS = "|".join(re.escape(symbol) for symbol in sorted(_BY_SYMBOL, key=len, reverse=True))


def unit_pattern(*, symbols: bool) -> str:
    """A regular expression (no groups) for a unit's name in any case, and with `symbols` also for its symbol."""
    names = rf"(?i:{_NAMES})(?![\w-])"
    return rf"(?:{names}|(?:{_SYMBOLS})(?![\w/^²³]))" if symbols else rf"(?:{names})"


def find_unit(text: str) -> Unit | None:
    """The unit that is written as `text` (a name, a symbol or a currency sign), or None."""
    return _BY_SYMBOL.get(text) or _BY_NAME.get(_SIGNS.get(text, text).lower())


def alternatives(unit: Unit) -> tuple[Unit, ...]:
    """Other units of the same dimension, at most a factor of 3600 away: what a person might confuse it with."""
    return tuple(
        other
        for other in UNITS
        if other.dimension == unit.dimension
        and other.size != unit.size
        and Fraction(1, 3600) <= other.size / unit.size <= 3600
    )


def write_number(value: Fraction, *, decimals: int | None = None, grouped: bool = False) -> str | None:
    """A number as digits, with exactly `decimals` places (None: as many as it needs, at most four).

    `grouped` sets commas between thousands. None if the value can't be written exactly.
    """
    places = next((n for n in range(5) if (value * 10**n).denominator == 1), None)
    if places is None or (decimals is not None and decimals < places):
        return None
    places = places if decimals is None else decimals
    whole, rest = divmod(abs(int(value * 10**places)), 10**places)
    digits = f"{whole:,}" if grouped else str(whole)
    return ("-" if value < 0 else "") + digits + (f".{rest:0{places}d}" if places else "")


def written_like(unit: Unit, written: str, value: Fraction | None) -> str:
    """The name or symbol of `unit`, in the manner in which another unit is `written`.

    Symbols stay symbols where there is one, American spelling stays American; a value of 1 takes the singular.
    """
    if written in _BY_SYMBOL and unit.symbols:
        return unit.symbols[0]
    name = unit.singular if value == 1 else unit.plural
    american = re.search(r"met?ers?\b|liters?\b", written, re.IGNORECASE) and "etre" not in written.lower()
    if american:
        name = re.sub(r"(met|lit)re", r"\1er", name)
    return name.capitalize() if written.istitle() and written.lower() in _BY_NAME else name
