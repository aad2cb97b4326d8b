"""A script answers by what it is shown, and keeps account of it."""

from __future__ import annotations

import asyncio

import pytest

from aegis_core.testing import Script, ScriptedError


def test_a_reply_depends_on_every_text_and_repeats_none() -> None:
    script = Script()
    one, other = script.reply("Team/Writer", ["a task", "a draft"]), script.reply("Team/Writer", ["a task", "a draft."])

    assert one.text != other.text
    assert one.text.startswith("Writer ")
    assert "draft" not in one.text
    assert Script().reply("Team/Writer", ["a task", "a draft"]) == one


def test_the_account_holds_who_was_shown_what() -> None:
    script = Script()
    script.reply("Writer", ["a task"], secrets=[script.api_key])
    asyncio.run(script.areply("Critic", ["a draft"]))

    assert [(heard.agent, heard.texts) for heard in script.heard] == [("Writer", ("a task",)), ("Critic", ("a draft",))]
    assert [agent for agent, _ in script.said()] == ["Writer", "Critic"]
    assert script.saw("draft") == {"Critic"}
    assert script.secrets == {script.api_key}


def test_a_model_with_tools_asks_once_and_answers_when_it_was_told() -> None:
    script = Script()
    asked = script.reply("Clerk", ["a task"], tools=["stock"])
    assert asked.tool is not None
    result = script.tool(asked.tool.name, asked.tool.argument)

    assert asked.text == ""
    assert script.reply("Clerk", ["a task", result], tools=["stock"]).text
    assert [(use.name, use.result) for use in script.tools_used] == [("stock", result)]


def test_a_model_fails_as_often_as_it_is_told_to() -> None:
    script = Script(fails="Critic", failures=1)
    with pytest.raises(ScriptedError, match="Critic"):
        script.reply("Critic", ["a draft"])

    assert script.reply("Critic", ["a draft"]).text
    assert script.reply("Writer", ["a draft"]).text
    assert len(script.raised) == 1
