"""Texts that CAMEL reads as data."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aegis_camel.testing.scripted import completion
from aegis_camel.texts.codec import Answer, AnswerCodec, NodeNames
from aegis_camel.texts.messages import call_text, request_parts, written_request
from aegis_camel.texts.pieces import joined, pieces
from aegis_camel.texts.shapes import shape_of
from aegis_camel.texts.wrapping import Wrapping


@pytest.mark.parametrize(
    "text",
    [
        '{"content": "Forty.", "failed": false}',
        '```json\n{\n  "content": "Forty.",\n  "failed": false\n}\n```',
        'Here it is:\n```json\n{"content": "Forty.", "failed": false}\n```\nThat is all.',
    ],
)
def test_of_a_workers_answer_the_content_is_the_text_and_the_rest_stays(text):
    shape = shape_of(text)
    (part,) = shape.parts("msgs[0]")
    assert (part.id, part.text) == ("msgs[0]#content", "Forty.")
    assert shape.step() == ("Forty.", {"failed": False})
    again = shape_of(shape.write("msgs[0]", {part.id: 'Fifty "and" more.'}))
    assert again.data == {"content": 'Fifty "and" more.', "failed": False}
    assert shape.write("msgs[0]", {part.id: "Forty."}) == text


def test_data_in_the_middle_of_prose_is_prose():
    text = 'The file holds\n```json\n{"a": "b"}\n```\nand no more.'
    assert [part.text for part in shape_of(text).parts("m")] == [text]


@pytest.mark.parametrize("text", ["plain", "{not json}", "", "   ", "[1, 2]", "{", '"text"', "```\n{]}\n```"])
def test_what_is_no_data_is_a_text(text):
    assert [part.text for part in shape_of(text).parts("m")] == ([text] if text.strip() else [])
    assert shape_of(text).write("m", {}) == text


def test_of_a_plan_each_task_is_a_text():
    text = "<tasks>\n<task>One.</task>\n<task> Two. </task>\n</tasks>"
    shape = shape_of(text)
    assert [part.text for part in shape.parts("m")] == ["One.", "Two."]
    assert shape.write("m", {"m#1": "Three."}) == "<tasks>\n<task>One.</task>\n<task>Three.</task>\n</tasks>"
    assert shape.write("m", {"m#0": "One.", "m#1": "Two."}) == text
    assert shape.step()[1] == {"tasks": ["One.", "Two."]}


def test_what_steers_a_workforce_is_not_editable():
    for data in (
        {"assignments": [{"task_id": "1", "assignee_id": "x"}]},
        {"reasoning": "r", "recovery_strategy": None},
    ):
        assert not any(part.editable for part in shape_of(json.dumps(data)).parts("m"))


@given(st.text(), st.text())
def test_any_content_survives_being_written_and_read(before, after):
    shape = shape_of(json.dumps({"content": before, "failed": True}))
    assert shape_of(shape.write("m", {"m#content": after})).data == {"content": after, "failed": True}


@given(st.text(max_size=40), st.booleans())
def test_a_completion_survives_being_cut_into_a_stream(text, with_call):
    calls = [{"id": "call_1", "name": "add", "arguments": {"a": 1}}] if with_call else []
    whole = completion(text, calls)
    again = joined(list(pieces(whole)))
    assert (again.choices[0].message.content or "") == text
    assert (again.usage, again.model, again.id) == (whole.usage, whole.model, whole.id)
    assert again.choices[0].message.tool_calls == whole.choices[0].message.tool_calls


def test_a_completion_survives_the_tape_with_the_names_of_nodes_of_another_run():
    here, there = NodeNames(), NodeNames()
    one, other = "0b1c77ff-0000-4000-8000-0123456789ab", "140234567890123"
    here.learn(one, "Alice")
    here.learn("Bob", "Bob")
    there.learn(other, "Alice")
    said = completion(
        json.dumps({"assignments": [{"task_id": "1", "assignee_id": one}], "to": "Bob"}), others=["second"]
    )
    payload = json.loads(json.dumps(AnswerCodec(here).encode(Answer(said))))
    again = AnswerCodec(there).decode(payload).completion
    assert json.loads(again.choices[0].message.content)["assignments"][0]["assignee_id"] == other
    assert again.choices[1].message.content == "second"
    assert one not in json.dumps(payload)
    assert "\u27e6Bob" not in payload["completion"]["choices"][0]["message"]["content"]


def test_messages_with_images_show_their_texts():
    messages = [{"role": "user", "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url"}]}]
    (part,) = request_parts(messages, Wrapping())
    (written,) = written_request(messages, {part.id: "What is that?"}, Wrapping())
    assert written["content"][0]["text"] == "What is that?"
    assert messages[0]["content"][0]["text"] == "What is this?"


def test_secrets_among_the_arguments_of_a_tool_are_not_told():
    told = call_text("fetch", {"user_id": "u1", "api_key": "sk-very-secret-123"})
    assert "sk-very" not in told
    assert "u1" in told


def test_what_is_handed_on_in_one_text_is_taken_apart_by_who_said_it():
    wrapping = Wrapping()
    wrapping.learn("Hall 27 holds 40 crates.")
    wrapping.learn("Each crate holds 8 bottles.")
    text = "Job 5.\n\nReport of Reader:\nHall 27 holds 40 crates.\n\nReport of Analyst:\nEach crate holds 8 bottles.\n"
    parts = wrapping.parts("input", text)
    assert [part.text for part in parts] == [
        "Job 5.\n\nReport of Reader:",
        "Hall 27 holds 40 crates.",
        "Report of Analyst:",
        "Each crate holds 8 bottles.",
    ]
    new = wrapping.write("input", text, {"input#1": "It holds none.", "input#2": "So says the Analyst:"})
    again = [part.text for part in wrapping.parts("input", new)]
    assert again == [
        "Job 5.\n\nReport of Reader:",
        "It holds none.",
        "So says the Analyst:",
        "Each crate holds 8 bottles.",
    ]
    assert new == text.replace("Hall 27 holds 40 crates.", "It holds none.").replace(
        "Report of Analyst:", "So says the Analyst:"
    )


@given(st.lists(st.text(min_size=1, max_size=30), max_size=4), st.text(max_size=20))
def test_a_text_that_is_taken_apart_is_put_together_as_it_was(said, between):
    wrapping = Wrapping()
    for text in said:
        wrapping.learn(text)
    whole = between.join([between, *said, between])
    parts = wrapping.parts("m", whole)
    assert wrapping.write("m", whole, {part.id: part.text for part in parts}) == whole
    assert "".join("".join(part.text.split()) for part in parts) == "".join(whole.split())
