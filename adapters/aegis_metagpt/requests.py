"""What a model is asked, as parts and back: texts, dicts with a role, or messages of MetaGPT."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aegis_core.adapter import Part

__all__ = ["request_parts", "written_request"]

_ROLES = frozenset({"system", "user", "assistant", "tool"})


def request_parts(given: Mapping[str, Any], asked: str) -> tuple[Part, ...]:
    """The texts of a request, in the order in which a provider sends them."""
    parts: list[Part] = []
    for key in _keys(asked):
        value = given.get(key)
        items = value if isinstance(value, list) else [] if value is None else [value]
        role = "system" if key == "system_msgs" else "user"
        for index, item in enumerate(items):
            parts += _texts(item, f"{key}[{index}]", role)
    return tuple(parts)


def _keys(asked: str) -> tuple[str, ...]:
    return ("system_msgs", "format_msgs", asked) if asked == "msg" else (asked,)


def _texts(item: Any, path: str, role: str) -> list[Part]:
    """The texts of one message: plain text, a dict with a role, or one of MetaGPT's own; never its pictures."""
    if isinstance(item, str):
        return [Part(id=path, text=item, role=role)]
    said, name = (item.get("role"), item.get("name")) if isinstance(item, dict) else (None, None)
    content = item.get("content") if isinstance(item, dict) else getattr(item, "content", None)
    role = said if isinstance(said, str) and said in _ROLES else role
    author = name if isinstance(name, str) else ""
    if isinstance(content, str):
        return [Part(id=f"{path}.content", text=content, role=role, author=author)]
    pieces = content if isinstance(content, list) else []
    return [
        Part(id=f"{path}.content[{index}]", text=piece["text"], role=role, author=author)
        for index, piece in enumerate(pieces)
        if isinstance(piece, dict) and isinstance(piece.get("text"), str)
    ]


def written_request(given: Mapping[str, Any], asked: str, texts: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of a request with other texts; messages that change are copies."""
    changed: dict[str, Any] = {}
    for key in _keys(asked) if texts else ():
        value = given.get(key)
        if isinstance(value, list):
            changed[key] = [_with_texts(item, f"{key}[{index}]", texts) for index, item in enumerate(value)]
        elif value is not None:
            changed[key] = _with_texts(value, f"{key}[0]", texts)
    return changed


def _with_texts(item: Any, path: str, texts: Mapping[str, str]) -> Any:
    if not any(key == path or key.startswith(f"{path}.") for key in texts):
        return item
    if isinstance(item, str):
        return texts.get(path, item)
    content = item["content"] if isinstance(item, dict) else item.content
    if isinstance(content, str):
        content = texts.get(f"{path}.content", content)
    else:
        content = [
            {**piece, "text": texts[at]} if (at := f"{path}.content[{index}]") in texts else piece
            for index, piece in enumerate(content)
        ]
    return {**item, "content": content} if isinstance(item, dict) else item.model_copy(update={"content": content})
