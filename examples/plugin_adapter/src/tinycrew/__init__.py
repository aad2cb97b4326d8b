"""A made-up framework: crews of agents that talk to models, use tools, and remember."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass


@dataclass(frozen=True)
class Wish:
    """The tool that a model wants called."""

    id: str
    tool: str
    argument: str


@dataclass(frozen=True)
class Message:
    """What somebody said: the user, an agent, a tool."""

    author: str
    text: str
    wish: Wish | None = None


class Agent:
    """Remembers what it was told and what it said, and asks its model what to say next.

    `model.chat(messages, tools)` gives a `Message`; a tool is a function from a text to a text.
    """

    def __init__(self, name, model, tools=None):
        self.name, self.model, self.tools = name, model, dict(tools or {})
        self.memory = []

    def act(self, message):
        self.memory.append(message)
        while True:
            reply = self.model.chat(list(self.memory), tuple(self.tools))
            self.memory.append(reply)
            if reply.wish is None:
                return reply
            result = self.tools[reply.wish.tool](reply.wish.argument)
            self.memory.append(Message(reply.wish.tool, result))


class Crew:
    """Members act one after another, each on what the one before said, or all at once on the same message.

    A member is an agent or another crew.
    """

    def __init__(self, name, *members, at_once=False):
        self.name, self.members, self.at_once = name, members, at_once

    def act(self, message):
        if not self.at_once:
            for member in self.members:
                message = member.act(message)
            return message
        with ThreadPoolExecutor(len(self.members)) as pool:
            replies = list(pool.map(lambda member: member.act(message), self.members))
        return Message(self.name, "\n".join(reply.text for reply in replies))

    def run(self, task):
        return self.act(Message("user", task))
