"""The conformance kit for crews: small ones, whose models are scripted. Needs pytest."""

from tinycrew import Agent, Crew, Message, Wish

from aegis_core.testing import AdapterConformance


class ScriptedModel:
    """The framework's model client, with a script behind it."""

    def __init__(self, script, path):
        self.script, self.path = script, path
        self.api_key, self.headers = script.api_key, {"Authorization": script.header}

    def chat(self, messages, tools):
        texts = [message.text for message in messages if message.text]
        secrets = (self.api_key, *self.headers.values())
        reply = self.script.reply(self.path, texts, tools=tools, secrets=secrets)
        wish = Wish(reply.tool.call_id, reply.tool.name, reply.tool.argument) if reply.tool else None
        return Message(self.path.rpartition("/")[2], reply.text, wish)


def agent(script, path, *tools):
    """An agent by its path, with tools that the script plays."""
    played = {name: lambda argument, name=name: script.tool(name, argument) for name in tools}
    return Agent(path.rpartition("/")[2], ScriptedModel(script, path), played)


class CrewConformance(AdapterConformance):
    """Crews of tinycrew."""

    name = "tinycrew"
    framework_modules = ("tinycrew",)

    def conversation(self, script, _way):
        writer, critic = agent(script, "Writer"), agent(script, "Critic")
        return Crew("Desk", writer, critic, writer)

    def tool_use(self, script, _way):
        return Crew("Desk", agent(script, "Clerk", "stock"), agent(script, "Writer"))

    def nested(self, script, _way):
        office = Crew("Office", agent(script, "Office/Clerk"), agent(script, "Office/Typist"))
        return Crew("House", agent(script, "Lead"), office, agent(script, "Editor"))

    def side_by_side(self, script, _way):
        readers = [agent(script, f"Readers/{name}") for name in ("One", "Two", "Three")]
        return Crew("House", agent(script, "Planner"), Crew("Readers", *readers, at_once=True), agent(script, "Joiner"))
