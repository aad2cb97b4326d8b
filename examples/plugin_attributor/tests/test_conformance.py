"""The kits: what Aegis wants of any attributor and any format."""

from dataclasses import replace

from aegis_core.testing import AttributorConformance, FormatConformance


class TestAnswerOrigin(AttributorConformance):
    name = "answer-origin"


class TestChats(FormatConformance):
    name = "borea-chat"
    file_name = "chats.jsonl"

    def runs(self):
        """The kit's, without labels: a chat has no place for them."""
        return tuple(replace(run, labels=()) for run in super().runs())

    def kept(self, run):
        """What of a run such a file holds."""
        return run.trajectory.task, [(step.agent, step.text) for step in run.trajectory.steps]
