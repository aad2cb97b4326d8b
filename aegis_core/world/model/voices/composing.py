"""A message out of its pieces, in the voice of the member: with or without headings, as a list or in one breath."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from aegis_core.world.model.chance import draw, pick
from aegis_core.world.model.view import View
from aegis_core.world.model.voices import phrases
from aegis_core.world.model.voices.traits import Voice, voice_of

__all__ = ["Piece", "at_length", "composed", "said"]


@dataclass(frozen=True)
class Piece:
    """A part of a message. `topic` is a key of `phrases.HEADS`, "" for what gets no heading.

    Items are laid out as the voice likes it; text stays as it is, one line each.
    """

    lines: Sequence[str]
    topic: str = ""
    form: Literal["items", "text"] = "text"


def said(view: View, kind: str, *about: object) -> str:
    """One of the phrases of a kind, by the agent's habits; the same one each time that the same job is meant."""
    return pick(phrases.SAID[kind], kind, view.key, *about)


def at_length(view: View, kind: str, *about: object, least: int = 2) -> tuple[str, ...]:
    """What the voice has to say beside the point: nothing, a sentence, or a paragraph of them."""
    length = voice_of(view).length
    if length < least:
        return ()
    options = list(phrases.SAID[kind])
    n_sentences = 1 if length < 3 else 3
    chosen = [options.pop(int(draw(kind, n, view.key, *about) * len(options))) for n in range(n_sentences)]
    return (" ".join(chosen),)


def composed(view: View, pieces: Sequence[Piece], open_ended: bool = True) -> str:
    """The message. `open_ended`: whether something may follow the last piece."""
    voice = voice_of(view)
    lines: list[str] = []
    if voice.chats and voice.length:
        lines.append(said(view, "greeting"))
    for piece in pieces:
        if any(piece.lines):
            lines += _laid_out(view, voice, piece)
    if open_ended and voice.chats and voice.length >= 2:
        lines += ([""] if voice.headed else []) + [said(view, "parting")]
    return "\n".join(lines).lstrip("\n")


def _laid_out(view: View, voice: Voice, piece: Piece) -> list[str]:
    lines = [line for line in piece.lines if line]
    body = _items(voice, lines) if piece.form == "items" else lines
    if not (voice.headed and piece.topic):
        return body
    title = pick(phrases.HEADS[piece.topic], "head", view.key)
    if voice.heads == "hash":
        return ["", f"{'##' if voice.length > 2 else '###'} {title}", *body]
    if voice.heads == "bold":
        return ["", f"**{title}**", *body]
    return [f"{title}:", *body]


def _items(voice: Voice, lines: Sequence[str]) -> list[str]:
    if voice.layout == "prose" and len(lines) > 1:
        return [" ".join(f"{line[0].upper()}{line[1:]}{'' if line.endswith('.') else '.'}" for line in lines)]
    if voice.layout == "dashes":
        return [f"- {line}" for line in lines]
    if voice.layout == "stars":
        return [f"* {line}" for line in lines]
    if voice.layout == "numbers":
        return [f"{number}. {line}" for number, line in enumerate(lines, 1)]
    return list(lines)
