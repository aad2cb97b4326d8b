"""What a text concludes: the values that it calls its answer or result."""

from __future__ import annotations

import re

from aegis_default.quantities import Quantity, quantities

__all__ = ["Conclusion", "conclusions", "normal"]

_LOOSE_JOINT = re.compile(r"[.'-](?:(?![^\W_])|(?<![^\W_].))")
_STRANGE_SIGN = re.compile(r"[^\w\x00-\x7f]")
"""Beyond ASCII, and in no word."""
_APART = bytes(code if code > 127 or chr(code).isalnum() or chr(code) in ".'-" else ord(" ") for code in range(256))
"""Every byte as it is, but a space for the ASCII signs that are in no word."""
_FENCED = re.compile(r"```(.*?)(?:```|\Z)", re.DOTALL)
# Both begin with a class of letters, which is looked for several times as fast as words without case.
_MARKED = re.compile(
    r"[FfAaRrSsſCc](?<=\b.)(?i:(?:(?<=f)inal (?:answer|output|result)|(?<=a)nswer|(?<=r)esult|(?<=s)olution|"
    r"(?<=c)onclusion)\b\**"
    r"(?P<between>[^\n.:=`]{0,90}?)(?P<mark>\bis\b|\bare\b|\bwas\b|[:=])[ \t*]*(?:\bthat\b|\bas follows:)?:?[ \t*]*\n?"
    r"(?P<value>[^\n]{1,200}))"
)
_INFERRED = re.compile(
    r"[TtHhCcIiİıSsſ](?<=\b.)(?i:(?:(?<=t)herefore|(?<=t)hus|(?<=h)ence|(?<=c)onsequently|(?<=i)n conclusion|(?<=s)o)\b"
    r"(?P<between>[^\n:=]{0,160}?)(?P<mark>\bis\b|\bare\b|[:=])[ \t*]*:?[ \t]*\n?(?P<value>[^\n]{1,160}))"
)
_TELLING = re.compile(r"^\s*[\"“`*]|\d|\b[A-Z]")
"""What a value has after "is": a figure, a name, or quotation marks. Without, it is a judgement, such as "correct"."""
_CLOSE = 3
"""Signs between "answer" and the colon up to which whatever follows is the answer."""
_LONGEST = 12
"""Words; what is longer is an account, not an answer that others could repeat."""


class Conclusion:
    """One value that a text concludes.

    Attributes:
        text: as it is written, on one line.
        words: its words, without case and markup, joined by single spaces.
        quantity: its number, the last where it holds several; None for words.
    """

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.strip(" \t*_`\"'“”").split())
        self.words = normal(self.text)
        found = quantities(self.text)
        self.quantity: Quantity | None = found[-1] if found else None

    @property
    def is_short(self) -> bool:
        """Whether it is a value that could be repeated word for word."""
        return 0 < len(self.words.split()) <= _LONGEST


def normal(text: str) -> str:
    """The words of a text without case, punctuation and markup, joined by single spaces.

    A word is letters and digits; between these it may have dots, apostrophes and hyphens.
    """
    said = text.replace("’", "'")
    # Bytes are translated and split several times as fast as a pattern finds words.
    for sign in set(_STRANGE_SIGN.findall(said)) if not said.isascii() else ():
        said = said.replace(sign, " ")
    words = _LOOSE_JOINT.sub(" ", said).encode().translate(_APART).split()
    return b" ".join(words).decode().casefold()


def conclusions(text: str) -> tuple[Conclusion, ...]:
    """What a text calls its answer, result or conclusion, or infers with `therefore`, in the order of the text."""
    said = _FENCED.sub(_without_code, text)
    found: dict[int, str] = {}
    for pattern in (_INFERRED, _MARKED):
        for match in pattern.finditer(said):
            value = _value(match["value"])
            is_set_off = pattern is _MARKED and match["mark"] in ":=" and len(match["between"]) <= _CLOSE
            if normal(value) and not value.endswith((":", "?")) and (is_set_off or _is_telling(match["value"], value)):
                found[match.start("value")] = value
    return tuple(Conclusion(value) for _, value in sorted(found.items()))


def _is_telling(written: str, value: str) -> bool:
    return bool(_TELLING.search(value) or _TELLING.match(written))


def _without_code(block: re.Match[str]) -> str:
    """A block of several lines is code; a single line in a fence is how many agents set off their answer."""
    return " " if block[1].strip().count("\n") else f'"{block[1].strip()}"'


def _value(text: str) -> str:
    """Up to the end of the sentence; a value in quotes, bold or backticks alone."""
    highlighted = re.match(r"\s*(?:\*\*(.+?)\*\*|`+(.+?)`+|[\"“](.+?)[\"”])", text)
    if highlighted:
        return str(next(filter(None, highlighted.groups())))
    return re.split(r"(?<=[^\d])[.;](?:\s|$)|(?<=\d)[.;](?:\s|$)|,? (?:because|since|which|as)\b", text)[0].strip(" .")
