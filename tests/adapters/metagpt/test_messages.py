"""MetaGPT's messages as parts and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metagpt.schema import Document, Documents, Message
from pydantic import BaseModel

from aegis_metagpt.messages import message_parts, message_step, message_text, write_message

pytestmark = pytest.mark.framework

TEXTS = st.text(max_size=30)


class Note(BaseModel):
    head: str
    lines: list[str] = []


def parts(message: Message) -> dict[str, str]:
    return {part.id: part.text for part in message_parts(message, "m", role="user", author="Alice") if part.editable}


def test_a_text_is_one_part() -> None:
    (part,) = message_parts(Message(content="Hello"), "m", role="user", author="Alice")

    assert (part.id, part.text, part.role, part.author) == ("m.content", "Hello", "user", "Alice")


def test_a_text_beside_a_structure_that_says_something_else_is_a_part_too() -> None:
    message = Message(content="See below.", instruct_content=Note(head="Crates", lines=["27"]))

    assert list(parts(message).values()) == ["See below.", "Crates", "27"]
    (step,) = message_step(message, "m", message_parts(message, "m", role="user", author="Alice"))
    assert step.text.splitlines()[0] == "content: See below."


def test_where_a_document_is_can_not_be_altered() -> None:
    documents = Documents.from_iterable([Document(root_path="docs/prd", filename="1.json", content="27 crates")])

    message = Message(content=documents.model_dump_json(), instruct_content=documents)

    assert list(parts(message).values()) == ["27 crates"]


def test_an_empty_message_with_a_structure_is_told_by_it() -> None:
    assert message_text(Message(content="", instruct_content=Note(head="Crates", lines=["27"]))) == (
        "head: Crates\nlines:\n  - 27"
    )


def test_an_alteration_that_holds_the_old_text_is_written_once() -> None:
    note = Note(head="27 crates")
    message = Message(content=note.model_dump_json(), instruct_content=note)

    altered = write_message(message, "m", {"m.instruct_content.head": "27 crates or so"})

    assert altered.content == altered.instruct_content.model_dump_json()
    assert altered.instruct_content.head == "27 crates or so"


@given(content=TEXTS, head=TEXTS, lines=st.lists(TEXTS, max_size=3), new=TEXTS, structured=st.booleans())
def test_what_is_written_is_read_again_and_the_original_stays(
    content: str, head: str, lines: list[str], new: str, structured: bool
) -> None:
    note = Note(head=head, lines=lines)
    message = Message(content=content, instruct_content=note if structured else None, send_to={"Rex"})
    before = message.model_dump_json()
    for part_id in parts(message):
        altered = write_message(message, "m", {part_id: new})
        assert {p.id: p.text for p in message_parts(altered, "m", role="", author="")}.get(part_id, new) == new
        assert (altered.id, altered.cause_by, altered.send_to) == (message.id, message.cause_by, message.send_to)
    assert message.model_dump_json() == before
    assert write_message(message, "m", {}) is message
    assert write_message(message, "m", {"other.content": new}) is message
