"""Calls inside a turn. Each goes through the run, which serves it from a tape, makes it, and may alter it."""

from dataclasses import asdict, replace

from tinycrew import Message, Wish

from aegis_core.adapter import Part
from aegis_core.run.outputs import call_data, call_text
from aegis_core.trajectory import Content


class TappedModel:
    """Stands for the model of an agent; in everything but `chat` it is that model."""

    def __init__(self, model, run, current):
        self.model, self.run, self.current = model, run, current

    def chat(self, messages, tools):
        parts = [Part(id=str(number), text=each.text, author=each.author) for number, each in enumerate(messages)]

        def live(altered):
            sent = [replace(each, text=altered.get(str(number), each.text)) for number, each in enumerate(messages)]
            return self.model.chat(sent, tools)

        return self.run.call(self.current.get(), "model", parts, live, MessageCodec(), extra=list(tools))

    def __getattr__(self, name):
        return getattr(self.model, name)


class MessageCodec:
    """How a reply becomes plain data and parts, and back. Never pickle."""

    def encode(self, result):
        return asdict(result)

    def decode(self, payload):
        wish = payload["wish"]
        return Message(payload["author"], payload["text"], Wish(**wish) if wish else None)

    def parts(self, result):
        return (Part(id="said", text=result.text),) if result.text else ()

    def write(self, result, texts):
        return replace(result, text=texts.get("said", result.text))


def tapped_tool(name, tool, run, current, agent):
    """The function of a tool, with its call and its result as two steps of the turn."""

    def used(argument):
        turn, wish = current.get(), agent.memory[-1].wish
        step = {"moment": turn.moment, "order": turn.order, "call_id": wish.id}
        data = (Content(type="json", data=call_data(name, {"argument": argument})),)
        run.step(turn.moment.agent, "tool_call", call_text(name, {"argument": argument}), content=data, **step)
        given = [Part(id="argument", text=argument, call_id=wish.id)]
        result = run.call(turn, "tool", given, lambda _: tool(argument), TextCodec(), name=name)
        run.step(turn.moment.agent, "tool_result", result, **step)
        return result

    return used


class TextCodec:
    """The same for a text."""

    def encode(self, result):
        return result

    def decode(self, payload):
        return payload

    def parts(self, result):
        return (Part(id="result", text=result),)

    def write(self, result, texts):
        return texts.get("result", result)
