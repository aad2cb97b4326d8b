"""Chats as a format of Aegis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from aegis_core import Labels, store
from aegis_core.errors import StoreError
from aegis_core.format import Format, LabelledRun
from aegis_plugin_attributor.messages import chats, looks_right
from aegis_plugin_attributor.reading import read_run
from aegis_plugin_attributor.writing import chat_line

__all__ = ["ChatFiles"]


class ChatFiles(Format):
    """Chats as OpenAI's API and its fine-tuning files have them, read as runs of several agents.

    A message is of the agent in its `name`, else of `assistant`, `user` or `system` by its role. The first message of
    a user is the task; it is a step only if it has a name. What the system says before is the role of the agent that
    it names, or of all assistants. A tool's result is of its `name`, else of who called. The final output is the text
    of the last message, if an assistant's.
    """

    name = "borea-chat"

    def sniff(self, path: Path) -> bool:
        """Whether a file begins with an object that has `messages` with a role."""
        try:
            return path.is_file() and looks_right(path)
        except OSError:
            return False

    def read(self, path: Path, labels: Path | None = None) -> Iterator[LabelledRun]:
        """The runs of a file: `NAME-LINE` of a JSONL file, lines counted from 1; `NAME` of a JSON file.

        Labels are a file of Aegis's `Labels` by these run ids. Fields of the chat beside `messages` are in `source`.

        Raises:
            StoreError: the file can't be read, a line is no chat, or labels name a run that is not there; the message
                names file, line and field.
        """
        waiting: dict[str, list[Labels]] = {}
        for record in () if labels is None else store.read(labels, Labels):
            waiting.setdefault(record.run_id, []).append(record)
        for where, run_id, chat in chats(path):
            run = read_run(chat, run_id, where)
            yield replace(run, labels=tuple(waiting.pop(run_id, ())))
        if waiting:
            raise StoreError(f"{labels}: run {next(iter(waiting))!r} is not in {path}; give the labels of these runs")

    def write(self, runs: Iterable[LabelledRun], path: Path) -> None:
        """Write a JSONL file with one run a line; all runs, or no file.

        Kept are task, agents with their roles, the steps' speakers, kinds and texts, calls, and the final output. Not
        kept are ids of runs, doubts, source, times, usage, branches, other content, and that a final output is unknown.

        Raises:
            StoreError: something is at `path`, the name is that of a JSON file, or a chat can't hold a run.
        """
        if path.exists() or path.suffix.lower() == ".json":
            raise StoreError(f"{path} was not written: name a new file that does not end in .json")
        try:
            data = b"".join(map(chat_line, runs))
        except StoreError as error:
            raise StoreError(f"{path} was not written: {error}") from error
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError as error:
            raise StoreError(f"{path} was not written: {error.strerror or error}") from error
