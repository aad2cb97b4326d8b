"""Taps on the objects of a crew for one run. They are put in place and taken away through one table."""

from contextvars import ContextVar
from dataclasses import replace

from aegis_core.adapter import Attachment, Part
from aegis_core.errors import AdapterError
from aegis_core.run.patches import Patches
from aegis_plugin_adapter.calls import TappedModel, tapped_tool
from aegis_plugin_adapter.names import members


class CrewAttachment(Attachment):
    """Patches instances, never classes: another run may use the same class."""

    def __init__(self, app, run):
        if "run" in vars(app):
            raise AdapterError("this crew is attached to a run already; leave that `with` block first")
        self.app, self.run, self.patches = app, run, Patches()
        self.patches.attribute(app, "run", self.entry(app.run))
        for member in members(app):
            agent, turn = member.agent, ContextVar("turn")  # crews act in threads: each has a turn of its own
            self.patches.attribute(agent, "act", self.turns(member, agent.act, turn))
            self.patches.attribute(agent, "model", TappedModel(agent.model, run, turn))
            for name, tool in agent.tools.items():
                self.patches.item(agent.tools, name, tapped_tool(name, tool, run, turn, agent))

    def detach(self):
        self.patches.restore()

    def entry(self, real):
        def run(task):
            self.run.enter(task)
            result = None
            try:
                result = real(task)
            except BaseException as error:
                self.run.failed(error)
                raise
            finally:
                self.run.leave(result.text if result is not None else None)
            return result

        return run

    def turns(self, member, real, current):
        run, path = self.run, member.path

        def act(message):
            told = (Part(id="told", text=message.text, role="user", author=message.author),)
            parts, parents = run.recorder.sources(told, path)
            order = run.places.next(member.branch, sources=run.recorder.orders(parents))
            turn = run.begin_turn(path, parts, order=order, parents=parents)
            token = current.set(turn)
            try:
                said = real(with_text(message, turn.texts().get("told")))  # as altered: the agent remembers it so
            except BaseException as error:
                run.failed(error, path, moment=turn.moment, order=turn.order)
                raise
            finally:
                current.reset(token)
            delivery = run.end_turn(turn, (Part(id="said", text=said.text, role="assistant", author=path),))
            return with_text(said, delivery.texts().get("said"))  # as altered: others get it, the agent keeps its own

        return act


def with_text(message, text):
    """A copy with another text; the message itself if there is none."""
    return message if text is None else replace(message, text=text)
