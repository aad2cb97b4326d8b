"""Tasks: the text that a system is given, and apart from it what a checker needs to know."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from aegis_core.records import FileRecord

__all__ = ["Task"]


class Task(FileRecord):
    """One task. The system under study gets `text` and nothing else.

    `checker` is the name of a built-in checker or `module:function`; `answer` is the gold answer in the form that
    this checker reads. `source` groups tasks that must not be split apart (variants of one question).
    """

    written_by_hand: ClassVar[bool] = True
    task_id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    answer: str
    checker: str = "exact"
    family: str = ""
    source: str = ""
