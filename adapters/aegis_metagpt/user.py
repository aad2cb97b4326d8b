"""What the user's code gives a system later: messages that it publishes, puts into a role, or runs one with."""

from __future__ import annotations

from collections.abc import Iterable

from aegis_core.run import Run
from aegis_core.run.recorder import OrderKey
from aegis_metagpt._compat import Message
from aegis_metagpt.messages import message_text
from aegis_metagpt.names import Cast, Member
from aegis_metagpt.turns import Ledger

__all__ = ["User"]

_USERS = ("Human", "user")
"""What MetaGPT calls the user, in the role of a message."""


class User:
    """The words of the user in one run: those with which it begins are no steps, the later ones are."""

    def __init__(self, run: Run, cast: Cast, ledger: Ledger) -> None:
        self._run = run
        self._cast = cast
        self._ledger = ledger
        self.task = ""
        """What the run began with, once it is known."""
        self._first: Message | None = None

    def says(self, message: Message, to: Iterable[Member], shown: Iterable[Member], order: OrderKey) -> None:
        """A message came from outside of all turns. What is no word of the user is none of this one's business."""
        text = message_text(message)
        if not text or message is self._first or message.id in self._ledger.authors or not self._is_users(message):
            return
        if not self.task:
            self.task, self._first = text, message
            return
        if not len(self._run.recorder):  # nobody has said anything: it is what the run begins with, as the task is
            return
        self._ledger.note(message, "user", order)
        self._ledger.steps[message.id] = self._run.told(
            text, to=tuple(member.path for member in to), visible_to=tuple(member.path for member in shown), order=order
        )

    def _is_users(self, message: Message) -> bool:
        author = self._cast.author(message)
        return author == "user" or (author == "" and message.role in _USERS)
