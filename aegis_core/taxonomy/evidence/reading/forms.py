"""Whether an answer has the form that was asked: its order, format and length."""

from __future__ import annotations

import json
import re
from itertools import pairwise

from aegis_core.taxonomy.evidence.reading.answers import Asked, Breach, Check
from aegis_core.taxonomy.evidence.reading.orders import FORWARD, broken, calibrated, relations, reversed_order
from aegis_core.taxonomy.evidence.reading.passages import names, passages, plain
from aegis_core.taxonomy.evidence.reading.quantities import quantities, said_by
from aegis_core.taxonomy.evidence.reading.turns import Turn

__all__ = ["FORM_CHECKS", "keeps_content"]

_STARTS = frozenset({"first", "front", "left", "leftmost", "top", "start", "beginning"})
_TRIES = 20
_TAIL = 600
"""Characters at the end of a turn in which a list is looked for that its conclusion lacks."""
_LISTED_LINE = re.compile(r"(?m)^\s*(?:[-*•+]|\(?\d{1,3}[.)])\s+\S")
_NUMBERED_LINE = re.compile(r"(?m)^\s*\(?\d{1,3}[.)]\s+\S")
_ROW = re.compile(r"(?m)^[^|\n]*\|.*\|")
_FENCE = re.compile(r"\A```\w*\n|\n```\Z")
_LETTER = re.compile(r"(?<![\w'])\(?[A-J]\)?(?!['\w])")
_YES_NO = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)


def keeps_content(clean: Turn, faulty: Turn) -> bool:
    """Whether at least half of what the clean turn states (figures, names, else content words) is in the faulty one."""
    figures = [item for item in clean.quantities if not item.component]
    called = names(clean.plain, clean.plain)
    lower = faulty.plain.casefold()
    kept = [said_by(item, faulty.quantities) for item in figures[:200]]
    kept += [name.casefold() in lower for name in sorted(called)[:200]]
    if not kept:
        kept = [word in faulty.content for word in sorted(clean.content)]
    return 2 * sum(kept) >= len(kept)


# -- order -----------------------------------------------------------------------------------------------------


def _direction(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    right, given = clean.listed, faulty.listed
    if (
        not right
        or not given
        or not reversed_order(right, given)
        or faulty.conclusion is None
        or clean.conclusion is None
    ):
        return None
    one, other = asked.requirement.wanted
    stated = " ".join(part.text for part in faulty.conclusion.passages).casefold()
    if re.search(rf"\b{re.escape(one)}\b.{{0,20}}\bto\b.{{0,12}}\b{re.escape(other)}\b", stated):
        return None
    known = [*relations(clean.passages, right), *relations(passages(plain(asked.task)), right)]
    signs = calibrated(known, right)
    if any(_runs(one, other, kind) not in {None, first} for kind, first in signs.items()):
        return None  # the clean turn itself has the wrong direction
    argued = [item for item in relations(faulty.reasoning, right) if item.kind in signs]
    if argued and not broken(argued, given, signs):
        return None
    return Breach(
        f"the order from {one} to {other}", "the opposite order",
        clean.exact(clean.conclusion.passages[-1]), faulty.exact(faulty.conclusion.passages[-1]),
    )  # fmt: skip


def _runs(one: str, other: str, kind: str) -> bool | None:
    """Whether in an order from `one` to `other` the first item of such a relation stands first; None if unknown."""
    if kind in FORWARD:
        return FORWARD[kind] if one in _STARTS else not FORWARD[kind] if other in _STARTS else None
    for end, first in ((one, True), (other, False)):
        if end.endswith("est") and kind.startswith(end.removesuffix("est")):
            return first
    return None


def _sorted(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    right, given = clean.listed, faulty.listed
    if not right or right == given or set(right) != set(given) or faulty.conclusion is None or clean.conclusion is None:
        return None
    how = asked.requirement.wanted[0]
    if _in_order(right, how) is not True or _in_order(given, how) is not False:
        return None
    return Breach(
        f"{how} order", "another order",
        clean.exact(clean.conclusion.passages[-1]), faulty.exact(faulty.conclusion.passages[-1]),
    )  # fmt: skip


def _in_order(items: tuple[str, ...], how: str) -> bool | None:
    if how == "alphabetical":
        return list(items) == sorted(items)
    read = [quantities(item) for item in items]
    if not all(len(found) == 1 for found in read):
        return None
    values = [found[0].value for found in read]
    return values == sorted(values, reverse=how == "descending")


# -- format ----------------------------------------------------------------------------------------------------


def _format(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    wanted = asked.requirement.wanted[0]
    if wanted in _SEPARATORS:
        return _separated(wanted, clean, faulty)
    before, after = _has_format(wanted, clean), _has_format(wanted, faulty)
    if wanted == "json" and not all(
        key in clean.text for key in re.findall(r'"[^"\n]{1,40}"', asked.requirement.source)
    ):
        return None
    if not before or after is not False or not (wanted in _SHORT or keeps_content(clean, faulty)):
        return None
    return Breach(f"the format {wanted!r}", "another format", _opening(clean), _opening(faulty))


_SEPARATORS = {"commas": ",", "semicolons": ";"}
_SHORT = frozenset({"yes or no", "letter"})


def _separated(wanted: str, clean: Turn, faulty: Turn) -> Breach | None:
    right = clean.listed
    if not right or clean.conclusion is None or faulty.conclusion is None:
        return None
    mark = _SEPARATORS[wanted]
    before = _share(right, clean.conclusion.payload, mark)
    after = _share(right, faulty.conclusion.payload, mark)
    if after is None:
        after = _share(right, faulty.plain[-_TAIL:], mark)
    if before is None or after is None or before < 0.5 or after >= 0.34:
        return None
    return Breach(
        f"items separated by {wanted}", "items separated otherwise",
        clean.exact(clean.conclusion.passages[-1]), faulty.exact(faulty.conclusion.passages[-1]),
    )  # fmt: skip


def _share(items: tuple[str, ...], text: str, mark: str) -> float | None:
    """The share of the gaps between the items that hold the mark; None if not all items stand in the text."""
    lower = text.casefold()
    places = sorted((lower.rfind(item), len(item)) for item in items)
    if places[0][0] < 0:
        return None
    gaps = [lower[at + size : following] for (at, size), (following, _) in pairwise(places)]
    return sum(mark in gap for gap in gaps) / len(gaps)


def _has_format(wanted: str, turn: Turn) -> bool | None:
    drawn = turn.conclusion
    if wanted == "json":
        return _holds_json(turn.text)
    if wanted == "only json":
        return _is_json(turn.text)
    if wanted == "bullets":
        return len(_LISTED_LINE.findall(turn.text)) > 1 if _LISTED_LINE.search(turn.text) else False
    if wanted == "numbered":
        return len(_NUMBERED_LINE.findall(turn.text)) > 1 if _NUMBERED_LINE.search(turn.text) else False
    if wanted == "table":
        return len(_ROW.findall(turn.text)) > 1
    if wanted == "lines":
        return turn.text.strip().count("\n") > 1
    if drawn is None:
        return None
    if wanted == "yes or no":
        return bool(_YES_NO.search(drawn.payload))
    if wanted == "letter":
        return bool(_LETTER.search(drawn.payload))
    return _capitals(drawn.payload)


def _capitals(payload: str) -> bool | None:
    letters = [character for character in payload if character.isalpha()]
    return None if len(letters) < 2 else not any(character.islower() for character in letters)


def _holds_json(text: str) -> bool:
    decoder = json.JSONDecoder()
    for match in list(re.finditer(r"[{\[]", text))[:_TRIES]:
        try:
            value, _ = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list) and value:
            return True
    return False


def _is_json(text: str) -> bool:
    """Whether a text is JSON and nothing else, be it fenced."""
    try:
        json.loads(_FENCE.sub("", text.strip()))
    except (ValueError, RecursionError):
        return False
    return True


def _opening(turn: Turn) -> str:
    return turn.exact(turn.passages[0]) if turn.passages else ""


def _marker(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    marker = plain(asked.requirement.wanted[0]).strip().casefold()
    if (
        marker not in clean.plain.casefold()
        or marker.rstrip(":") in faulty.plain.casefold()
        or not keeps_content(clean, faulty)
    ):
        return None
    where = next((part for part in clean.passages if marker in part.text.casefold()), clean.passages[0])
    return Breach(
        f"the words {asked.requirement.wanted[0]!r}", "an answer without them", clean.exact(where), _opening(faulty)
    )


# -- length ----------------------------------------------------------------------------------------------------


def _words(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    most = asked.requirement.number
    before, after = len(clean.plain.split()), len(faulty.plain.split())
    if before > most and clean.conclusion and faulty.conclusion and faulty.conclusion.strength == "marked":
        before, after = len(clean.conclusion.payload.split()), len(faulty.conclusion.payload.split())
    if not 0 < before <= most < after or not keeps_content(clean, faulty):
        return None
    return Breach(f"at most {most} words", f"{after} words", _opening(clean), _opening(faulty))


def _sentences(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    most = asked.requirement.number
    before, after = len(clean.passages), len(faulty.passages)
    if not 0 < before <= most < after or not keeps_content(clean, faulty):
        return None
    return Breach(f"at most {most} sentences", f"{after} sentences", _opening(clean), _opening(faulty))


def _items(asked: Asked, clean: Turn, faulty: Turn) -> Breach | None:
    """More items than were asked for. Fewer are information that is missing, which is another mode."""
    right, given = clean.listed, faulty.listed
    most = asked.requirement.number
    if len(right) != most or len(given) <= most or clean.conclusion is None or faulty.conclusion is None:
        return None
    return Breach(
        f"{most} items", f"{len(given)} items",
        clean.exact(clean.conclusion.passages[-1]), faulty.exact(faulty.conclusion.passages[-1]),
    )  # fmt: skip


FORM_CHECKS: dict[str, Check] = {
    "direction": _direction, "sorted": _sorted, "format": _format, "marker": _marker, "words": _words,
    "sentences": _sentences, "items": _items,
}  # fmt: skip
