"""By which words a text asks for something: patterns of requests, units, orders, goals, rounding and layout."""

from __future__ import annotations

import re

from aegis_rules.reading.units import unit_pattern

__all__ = [
    "BARE_RANGE",
    "COARSER",
    "COUNTED",
    "DECIMALS",
    "DIGITS",
    "DIRECTION",
    "DIRECTIONS",
    "EDGES",
    "EXACT",
    "GOAL",
    "GOALS",
    "LAYOUTS",
    "NEAREST",
    "PLAN",
    "RANGE",
    "REQUEST",
    "STATED",
    "UNCOUNTED",
    "UNIT_ASKED",
    "WHOLE",
]

REQUEST = re.compile(
    r"\?(?=[\s\"'*)]|$)|^[\W_]*(?:please\s+|now\s+|then\s+|finally\s+|your task is to\s+)?"
    r"(?:find|give|list|identify|determine|calculate|compute|report|state|name|work out|answer|provide|return|which"
    r"|what|how|who|when|where|express|convert|round|show|tell|say|put|arrange|order|sort|rank|write|use|count|add|sum"
    r"|present)\b"
    r"|\b(?:must|should|is to be|are to be|has to be|needs? to|asked|wanted|required|output|format|the answer|task is"
    r"|question|goal is|looking for|we need|we want)\b",
    re.IGNORECASE,
)
"""What makes a sentence one that asks for something, or says how it is to be done."""
PLAN = re.compile(
    r"^[\W_]*(?:please|let's|let us|next|to \w+|we (?:will|need|should|must)|i(?:'ll| will)|search|visit|find"
    r"|check|verify|confirm|identify|determine|compare|use|ensure|provide|look|go|review|access|list|give|report|if)\b",
    re.IGNORECASE,
)
"""How a sentence begins that says what is to be done, and not what was found."""
STATED = re.compile(r":\s*[*_]*[$\u20ac\u00a3\d]|\bversion\b")
"""What makes a sentence one that states an extreme instead of asking for it."""
UNIT_ASKED = re.compile(
    r"(?:\bhow many|\bhow much in"
    r"|\b(?:answer|result|total|value|figure|it|expressed|given|stated|measured|reported|converted|output|cost|price"
    r"|length|distance|weight|mass|time|volume|speed|area|duration|amount|difference|number|sum|average)\b"
    r"[^.?!;:\d]{0,40}?\b(?:in|as|into|to|of)"
    r"|\bin|\binto|\bunits?\s*(?:is|are|of|:)?|\bnumber of)\s+(?:whole\s+|full\s+|total\s+|the unit\s+)?"
    rf"(?P<unit>{unit_pattern(symbols=False)}|(?:km|kg|cm|mm|ml|km/h|m/s|kWh)(?![\w/]))",
    re.IGNORECASE,
)
COUNTED = re.compile(r"\bhow many\s+(?P<noun>[a-z]{3,})\b", re.IGNORECASE)
UNCOUNTED = frozenset(("times", "tens", "pairs", "years", "hundreds", "thousands", "millions", "dozens"))
EDGES = {
    "first": "last", "last": "first", "earliest": "latest", "latest": "earliest", "start": "end", "end": "start",
    "left": "right", "right": "left", "top": "bottom", "bottom": "top", "front": "back", "back": "front",
    "begin": "end", "high": "low", "low": "high", "a": "z", "z": "a",
}  # fmt: skip
_EDGE = r"\w+est|most \w+|least \w+|[a-z]{1,6}"
RANGE = re.compile(rf"\bfrom (?:the )?(?P<one>{_EDGE})(?: \w+)? to (?:the )?(?P<two>{_EDGE})\b", re.IGNORECASE)
BARE_RANGE = re.compile(
    r"\b(?P<one>first|last|earliest|latest|smallest|largest|lowest|highest|oldest|youngest|shortest|tallest|cheapest"
    r"|lightest|heaviest|slowest|fastest|nearest|farthest)[ -]to[ -](?P<two>\w+est|first|last)\b",
    re.IGNORECASE,
)
DIRECTIONS = {
    "ascending": "descending", "descending": "ascending", "increasing": "decreasing", "decreasing": "increasing",
    "alphabetical order": "reverse alphabetical order", "alphabetically": "in reverse alphabetical order",
    "chronological order": "reverse chronological order", "chronologically": "in reverse chronological order",
}  # fmt: skip
DIRECTION = re.compile(rf"(?<!reverse )\b(?:{'|'.join(DIRECTIONS)})\b", re.IGNORECASE)
GOALS = {
    "highest": "lowest", "lowest": "highest", "largest": "smallest", "smallest": "largest", "biggest": "smallest",
    "greatest": "least", "maximum": "minimum", "minimum": "maximum", "cheapest": "most expensive",
    "most expensive": "cheapest", "oldest": "newest", "newest": "oldest", "youngest": "oldest", "earliest": "latest",
    "latest": "earliest", "closest": "farthest", "nearest": "farthest", "farthest": "closest", "longest": "shortest",
    "shortest": "longest", "tallest": "shortest", "heaviest": "lightest", "lightest": "heaviest",
    "fastest": "slowest", "slowest": "fastest", "best": "worst", "worst": "best", "westernmost": "easternmost",
    "easternmost": "westernmost", "total": "average", "sum": "average", "average": "total", "mean": "total",
    "fewest": "most", "least": "most", "difference": "sum", "in total": "on average", "altogether": "on average",
}  # fmt: skip
GOAL = re.compile(
    rf"(?<!at )(?<!on )(?<!to the )(?<!the sample )\b(?:{'|'.join(sorted(GOALS, key=len, reverse=True))})\b(?!-)"
    r"|\b(?P<verb>is|was|came|comes|finished|finishes|arrived|arrives|stands|sits)(?P<edge> first| last)"
    r"(?= in\b|[?.,]|$)",
    re.IGNORECASE,
)
NEAREST = re.compile(
    r"\b(?:to )?the nearest (?P<unit>whole number|integer|unit|ten|hundred|thousand|[\d,]+|\w+)\b", re.IGNORECASE
)
COARSER = {
    "whole number": ("ten", "hundred"), "integer": ("ten", "hundred"), "unit": ("ten", "hundred"),
    "one": ("ten", "hundred"), "ten": ("hundred", "thousand"), "10": ("100", "1000"), "hundred": ("thousand",),
    "100": ("1000",), "1000": ("10000",), "1,000": ("10,000",), "thousand": ("million",),
    "cent": ("dollar", "ten dollars"), "penny": ("pound",), "minute": ("hour",), "second": ("minute",),
    "hour": ("day",), "day": ("week",), "tenth": ("whole number",), "hundredth": ("tenth", "whole number"),
    "thousandth": ("hundredth", "whole number"),
}  # fmt: skip
WHOLE = re.compile(
    r"\b(?:as |in |be )?(?:a |an )?(?:single |exact )?(?:whole numbers?|integers?)\b(?! difference)", re.IGNORECASE
)
DECIMALS = re.compile(
    r"\b(?P<lead>to |with )(?P<n>\d|one|two|three|four|five) "
    r"(?P<what>decimal places?|decimals?|significant (?:figures|digits))",
    re.IGNORECASE,
)
EXACT = re.compile(
    r"\b(?P<word>exact|precise|integer)"
    r"(?= (?:[a-z]+ )?(?:number|value|amount|figure|answer|result|difference|count|total|price|sum)\b)",
    re.IGNORECASE,
)
DIGITS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
LAYOUTS = (
    (
        r"\bcomma[- ](?:separated|delimited)\b",
        "commas",
        {"semicolons": "semicolon-separated", "dashes": "dash-separated"},
    ),
    (r"\bseparated by commas?\b", "commas", {"semicolons": "separated by semicolons", "dashes": "separated by dashes"}),
    (r"\b(?:in|as a) percent(?:age)?\b", "percentage", {"fraction": "as a fraction"}),
    (r"\b(?:last name|surname)s?\b", "last name", {"first name": "first name"}),
    (r"\bfirst names?\b", "first name", {"last name": "last name"}),
)
"""Pattern, what it asks for, and other layouts with the words for them."""
