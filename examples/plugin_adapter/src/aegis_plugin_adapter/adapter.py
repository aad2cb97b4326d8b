"""The adapter: what it can do with a crew, and how it is run."""

from tinycrew import Crew

from aegis_core.adapter import Adapter, Capabilities, Site
from aegis_core.errors import AdapterError
from aegis_core.trajectory import Agent
from aegis_plugin_adapter.attachment import CrewAttachment
from aegis_plugin_adapter.names import members

SITES = {
    "prompt_injection": ("persistent", "ephemeral"),
    "response_corruption": ("outgoing", "belief"),
    "environment": ("call",),
}


class CrewAdapter(Adapter):
    """Crews of tinycrew."""

    name = "tinycrew"

    def can_handle(self, app):
        return isinstance(app, Crew)

    def agents(self, app):
        return tuple(Agent(path=member.path, tools=tuple(member.agent.tools)) for member in members(app))

    def capabilities(self, app):
        has_tools = any(member.agent.tools for member in members(app))
        return Capabilities(
            sites=tuple(
                Site(strategy=strategy, scope=scope)
                for strategy, scopes in SITES.items()
                for scope in scopes
                if has_tools or strategy != "environment"
            ),
            replay=("call",),
        )

    def attach(self, app, run):
        if not self.can_handle(app):
            raise AdapterError(f"the tinycrew adapter can't handle a {type(app).__name__}; give it a tinycrew.Crew")
        return CrewAttachment(app, run)

    def start(self, app, task):
        return app.run(task)

    def output(self, result):
        return result.text
