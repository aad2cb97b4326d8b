"""MetaGPT's messages as parts and back.

A message has a text (`content`), and may have a structured form of it (`instruct_content`), which other roles read
instead. Where the text says no more than the structure does, only the structure's texts are parts, and the text is
altered with them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from aegis_core.adapter import Part
from aegis_core.run.outputs import readable, whole
from aegis_core.run.values import plain_data, value_parts, write_value
from aegis_metagpt._compat import Message

__all__ = ["message_parts", "message_step", "message_text", "write_message"]

_FIXED = (".filename", ".root_path")
"""Of a document: where it is, which is no text."""


def message_parts(message: Message, root: str, *, role: str, author: str) -> tuple[Part, ...]:
    """The texts of a message, under ids that begin with `root`.

    Args:
        role: in the model's terms. A message's own `role` is the profile of its author, which is no such term
            (FoundationAgents/MetaGPT#778).
        author: path of the agent that wrote it.
    """
    content = Part(id=f"{root}.content", text=message.content, role=role, author=author)
    if message.instruct_content is None:
        return (content,)
    found = value_parts(message.instruct_content, root=f"{root}.instruct_content", role=role, author=author)
    inner = tuple(p.model_copy(update={"editable": False}) if p.id.endswith(_FIXED) else p for p in found)
    return inner if _says_the_same(message.content, inner) else (content, *inner)


def _says_the_same(content: str, inner: Sequence[Part]) -> bool:
    return bool(inner) and all(part.text in content or _quoted(part.text) in content for part in inner)


def write_message(message: Message, root: str, texts: Mapping[str, str]) -> Message:
    """A copy of a message with other texts, and the same id, sender, cause and addressees."""
    own = {key: text for key, text in texts.items() if key.startswith(f"{root}.")}
    if not own:
        return message
    content, structure = message.content, message.instruct_content
    if structure is not None:
        for part in value_parts(structure, root=f"{root}.instruct_content"):
            if part.id in own:
                content = _replaced(content, part.text, own[part.id])
        structure = write_value(structure, own, root=f"{root}.instruct_content")
    update = {"content": own.get(f"{root}.content", content), "instruct_content": structure}
    return message.model_copy(update=update)


def _replaced(content: str, old: str, new: str) -> str:
    if not old:
        return content
    quoted = _quoted(old)
    return content.replace(quoted, _quoted(new)) if quoted in content else content.replace(old, new)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def message_step(message: Message, root: str, parts: Sequence[Part]) -> tuple[Part, ...]:
    """The step that a message is, after all alterations: one, however many texts it holds."""
    if message.instruct_content is None:
        return tuple(parts)
    own = [part.id for part in parts]
    value = message.instruct_content
    if f"{root}.content" in own and message.content:
        return whole({"content": message.content, "instruct_content": value}, parts, root)
    return whole(value, parts, root)


def message_text(message: Message) -> str:
    """A message as one text: its content, else its structure, readable."""
    if message.content or message.instruct_content is None:
        return message.content
    return readable(plain_data(message.instruct_content))
