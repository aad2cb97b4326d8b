"""Sentences of a passage, and cutting some of them so that the rest still reads well."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

__all__ = ["Sentence", "cut_sentences", "find_sentences", "n_words"]

_PREFIX = re.compile(r"[ \t]*(?:(?:[-*•+]|\d{1,3}[.)]|#{1,6}|>)[ \t]+)*")
_NUMBERED = re.compile(r"(?P<indent>[ \t]*)(?P<number>\d{1,3})(?P<mark>[.)][ \t]+)")
_END = re.compile(r"[.!?][\"'\u201d\u2019)\]*_]*\s+(?=[\"'\u201c\u2018(*_\[\\]*[A-Z0-9$€£])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|approx|Mr|Mrs|Ms|Dr|St|No|Nos|Fig|Eq|cf|U\.S|[A-Z])\.|^\W*\d{1,3}\.)$"
)
_CONNECTIVE = re.compile(
    r"(?P<open>[*_\"\u201c]*)(?:(?:So|Therefore|Thus|Hence|Consequently|This means that|That means that|As a result),?"
    r"|(?:Then|Also|However|Accordingly|Next|In addition|Moreover|Similarly),)\s+(?P<first>[A-Za-z])"
)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True)
class Sentence:
    """A sentence, list item, heading or row of a table: `text` is what stands from `start` to `end` of the passage."""

    start: int
    end: int
    text: str
    line: int
    kind: Literal["text", "item", "heading", "row"]


def n_words(text: str) -> int:
    """How many words of at least two letters a text has."""
    return len(_WORD.findall(text))


def find_sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a passage, in order; marks of lists and headings are not part of them."""
    found: list[Sentence] = []
    start = 0
    for number, line in enumerate(text.split("\n")):
        body = _PREFIX.match(line)
        offset = body.end() if body else 0
        prefix = line[:offset]
        kind: Literal["text", "item", "heading", "row"] = "item" if prefix.strip() else "text"
        if "#" in prefix:
            kind = "heading"
        elif line.lstrip().startswith("|"):
            kind = "row"
        for begin, end in _split(line[offset:], whole=kind in ("row", "heading")):
            first, last = start + offset + begin, start + offset + end
            found.append(Sentence(first, last, text[first:last], number, kind))
        start += len(line) + 1
    return tuple(found)


def _split(line: str, *, whole: bool) -> list[tuple[int, int]]:
    """Spans of the sentences of one line, without white space around them."""
    cuts = [0]
    if not whole:
        for match in _END.finditer(line):
            if not _ABBREVIATION.search(line[cuts[-1] : match.start() + 1]):
                cuts.append(match.end())
    spans = []
    for begin, end in zip(cuts, [*cuts[1:], len(line)], strict=True):
        piece = line[begin:end]
        if piece.strip():
            spans.append((begin + len(piece) - len(piece.lstrip()), begin + len(piece.rstrip())))
    return spans


def cut_sentences(text: str, cut: Collection[Sentence], instead: str = "") -> str:
    """The passage without these sentences; what they leave behind is tidied.

    Emptied lines go, with lead-ins (`…:`) and headings of which nothing is left; numbered lists are counted anew;
    a connective (`So, …`) that lost what it refers to is dropped. `instead` takes the place of the first one.
    """
    sentences = find_sentences(text)
    gone = {sentence.start for sentence in cut}
    gone |= _orphans(text, sentences, gone)
    lines: list[tuple[str, str | None]] = []
    placed = not instead
    by_line: dict[int, list[Sentence]] = {}
    for sentence in sentences:
        by_line.setdefault(sentence.line, []).append(sentence)
    offset = 0
    after_cut = False
    for number, line in enumerate(text.split("\n")):
        own = by_line.get(number, [])
        kept = [sentence for sentence in own if sentence.start not in gone]
        if len(kept) == len(own):
            lines.append((line, _renewed(line, own[0].start - offset) if own and after_cut else line))
        else:
            head = line[: own[0].start - offset] if kept else ""
            body = _joined(text, own, gone, "" if placed else instead)
            placed = True
            lines.append((line, head + body if body else None))
        if own:
            after_cut = own[-1].start in gone and not (instead and not kept)
        offset += len(line) + 1
    return _tidied(lines)


def _joined(text: str, own: list[Sentence], gone: Collection[int], instead: str) -> str:
    """What is kept of a line, with the white space before each sentence, and `instead` for the first that is gone."""
    body = ""
    before: Sentence | None = None
    for sentence in own:
        gap = text[before.end : sentence.start] if before and body else ""
        if sentence.start not in gone:
            body += gap + (sentence.text if before is None or before.start not in gone else _renewed(sentence.text, 0))
        elif instead:
            body, instead = body + gap + instead, ""
        before = sentence
    return body


def _renewed(line: str, start: int) -> str:
    """The line without a connective at `start`, for it would point at what is no longer there."""
    match = _CONNECTIVE.match(line, start)
    if match is None:
        return line
    return line[:start] + match["open"] + match["first"].upper() + line[match.end() :]


def _orphans(text: str, sentences: tuple[Sentence, ...], gone: Collection[int]) -> set[int]:
    """Lead-ins and headings that would stand over nothing, and heads of tables without rows."""
    orphans: set[int] = set()
    lost = set(gone)
    for position in range(len(sentences) - 2, -1, -1):
        sentence, following = sentences[position], sentences[position + 1]
        if sentence.start in lost or following.start not in lost:
            continue
        over = sentence.kind == "heading" or sentence.text.rstrip("*_ ").endswith(":")
        over = over or (sentence.kind == "row" and _is_divider(sentence.text))
        head_of_table = sentence.kind == "row" and _is_divider(following.text)  # the divider went with the rows
        if head_of_table or (over and all(other.start in lost for other in _block(text, sentences, position))):
            orphans.add(sentence.start)
            lost.add(sentence.start)
    return orphans


def _block(text: str, sentences: tuple[Sentence, ...], position: int) -> Iterator[Sentence]:
    """What a heading or lead-in stands over: up to the next heading of its level, or sentences of one kind."""
    over = sentences[position]
    first = last = sentences[position + 1]
    for other in sentences[position + 1 :]:
        if over.kind == "heading":
            if other.kind == "heading" and _level(text, other) <= _level(text, over):
                return
            if other.kind == "text" != first.kind and other.line > last.line + 1:
                return
        elif other.kind != first.kind:
            return
        last = other
        yield other


def _level(text: str, sentence: Sentence) -> int:
    return (
        len(text[text.rfind("\n", 0, sentence.start) + 1 : sentence.start].strip()) if sentence.kind == "heading" else 9
    )


def _is_divider(row: str) -> bool:
    return not row.strip("|-: \t")


def _tidied(lines: list[tuple[str, str | None]]) -> str:
    """Lines (before, after) without the emptied ones: no doubled blank lines there, numbered lists counted anew."""
    out: list[str] = []
    removed: dict[str, int] = {}
    after_gap = False
    for before, line in lines:
        numbered = _NUMBERED.match(before)
        if numbered and int(numbered["number"]) == 1:
            removed[numbered["indent"]] = 0
        if line is None:
            if numbered:
                removed[numbered["indent"]] = removed.get(numbered["indent"], 0) + 1
            after_gap = True
            continue
        if line.strip():
            after_gap = False
        elif after_gap and (not out or not out[-1].strip()):
            continue
        if numbered and removed.get(numbered["indent"]) and line.startswith(numbered[0]):
            number = int(numbered["number"]) - removed[numbered["indent"]]
            line = f"{numbered['indent']}{max(number, 1)}{numbered['mark']}{line[numbered.end() :]}"
        out.append(line)
    if lines and lines[-1][1] is None:
        while out and not out[-1].strip():
            out.pop()
    return "\n".join(out)
