"""An attributor and a format, for Aegis. Only what describes them stands here; the rest is imported when used."""

from collections.abc import Iterable

from aegis_core import Provider, hookimpl


@hookimpl
def aegis_attributors() -> Iterable[Provider]:
    return [
        Provider(
            name="answer-origin",
            target="aegis_plugin_attributor.origin:AnswerOrigin",
            summary="blames the agent that first said the figure of the final answer; no training",
        )
    ]


@hookimpl
def aegis_formats() -> Iterable[Provider]:
    return [
        Provider(
            name="borea-chat",
            target="aegis_plugin_attributor.format:ChatFiles",
            summary="chats as OpenAI has them: a JSONL file with one run a line, or a JSON file of one run",
        )
    ]
