"""Takes hold of a runtime: what is sent and published, who handles it, and the models of those who do."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Callable
from typing import Any

from autogen_core import AgentId, MessageContext, SingleThreadedAgentRuntime, TopicId

from aegis_autogen.patches import Patches, is_patched
from aegis_autogen.runtime import _compat
from aegis_autogen.runtime.clients import tapped_clients
from aegis_autogen.runtime.handling import Handling, Levels, Origin, current
from aegis_autogen.runtime.messages import answer_of, message_text
from aegis_autogen.runtime.tools import held_tools, tapped_tools
from aegis_autogen.signals import Signals
from aegis_core.adapter import Attachment
from aegis_core.errors import AdapterError
from aegis_core.run import Run

__all__ = ["RuntimeAttachment"]

_OUTSIDE = "user"
_RANDOM_KEY = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)


class RuntimeAttachment(Attachment):
    """Taps the public methods of one runtime and of its agents, as attributes of the instances.

    Agents are made by the runtime on their first message, so they are tapped when it gets them.
    """

    def __init__(self, app: SingleThreadedAgentRuntime, run: Run) -> None:
        if is_patched(app, "send_message"):
            raise AdapterError("this runtime is attached to a run already; leave that `with` block first")
        self.app = app
        self.run = run
        self._patches = Patches(run.info.run_id)
        self._detached = False
        self._tapped: set[int] = set()
        self._keys: dict[str, list[str]] = {}
        self._latest: dict[str, Handling] = {}
        self._origins: dict[str, dict[str, Origin]] = {}
        self._levels = Levels()
        self._signals = Signals()
        self._n_outside = 0
        self._replied = 0
        self._patches.put(app, "send_message", self._sending(app.send_message))
        self._patches.put(app, "publish_message", self._publishing(app.publish_message))
        self._patches.put(app, "stop_when_idle", self._stopping(app.stop_when_idle))
        self._patches.put(app, _compat.GET_AGENT, self._getting(getattr(app, _compat.GET_AGENT)))
        for agent in _compat.instances(app).values():
            self._tap(agent)

    def detach(self) -> None:
        self._detached = True
        self._patches.restore()

    # -- agents --------------------------------------------------------------------------------------------------

    def _getting(self, real: Callable[..., Any]) -> Callable[..., Any]:
        async def get_agent(agent_id: AgentId) -> Any:
            agent = await real(agent_id)
            self._tap(agent)
            return agent

        return get_agent

    def _tap(self, agent: Any) -> None:
        if id(agent) in self._tapped or self._detached:
            return
        self._tapped.add(id(agent))
        self._patches.put(agent, "on_message", self._handling(agent, agent.on_message))
        for owner, attribute, client in tapped_clients(agent, self.run, self._signals):
            self._patches.put(owner, attribute, client)
        for attribute, held in held_tools(agent):
            self._patches.put(agent, attribute, tapped_tools(held, self.run, self._signals))

    def _handling(self, agent: Any, real: Callable[..., Any]) -> Callable[..., Any]:
        async def on_message(message: Any, ctx: MessageContext) -> Any:
            if not _compat.is_handled(agent, message, ctx):
                return await real(message, ctx=ctx)
            origin = self._origin(ctx, agent.id)
            handling = Handling(self.run, self._levels, agent.id.type, self._branch(agent.id), origin)
            self._latest[str(agent.id)] = handling
            self._signals.check()
            with self._signals.noted():
                message = await handling.receive(message, origin.author)
            token = current.set(handling)
            try:
                reply = await real(message, ctx=ctx)
            except BaseException as error:
                handling.fail(error)
                raise
            finally:
                current.reset(token)
            with self._signals.noted():
                return await handling.finish(reply, _named(ctx.sender), counts=ctx.is_rpc)

        return on_message

    def _origin(self, ctx: MessageContext, agent: AgentId) -> Origin:
        """Where a message comes from. One that was not seen on its way was sent before the recording began."""
        known = self._origins.get(ctx.message_id, {}).get(str(agent))
        author = ctx.sender.type if ctx.sender is not None else _OUTSIDE
        return known or Origin(author, self._levels.highest, (0,))

    def _branch(self, agent: AgentId) -> str:
        """An agent of a type is told from others of that type by its key; a key drawn at random by its number."""
        if agent.key == "default":
            return ""
        keys = self._keys.setdefault(agent.type, [])
        if agent.key not in keys:
            keys.append(agent.key)
        return f"key {keys.index(agent.key) + 1}" if _RANDOM_KEY.fullmatch(agent.key) else agent.key

    # -- messages ------------------------------------------------------------------------------------------------

    def _sending(self, real: Callable[..., Any]) -> Callable[..., Any]:
        async def send_message(message: Any, recipient: AgentId, **more: Any) -> Any:
            return await self._send(real, message, recipient, more)

        return send_message

    async def _send(self, real: Callable[..., Any], message: Any, recipient: AgentId, more: dict[str, Any]) -> Any:
        """A message is sent to one agent, and its reply is waited for."""
        more["message_id"] = more.get("message_id") or str(uuid.uuid4())
        handling = self._sender(more.get("sender"))
        if handling is None:
            return await self._send_from_outside(real, message, recipient, more)
        message = await handling.say(message, (recipient.type,))
        (origin,) = handling.sent(1)
        self._origins[more["message_id"]] = {str(recipient): origin}
        number = handling.n_sent
        reply = await real(message, recipient, **more)
        handling.level = max(handling.level, origin.replied)
        if reply is None:
            return reply
        if asyncio.current_task() is not handling.task:
            return await handling.heard_beside(reply, recipient.type, number)
        return await handling.receive(reply, recipient.type)

    async def _send_from_outside(
        self, real: Callable[..., Any], message: Any, recipient: AgentId, more: dict[str, Any]
    ) -> Any:
        origin = self._enter(message)
        self._origins[more["message_id"]] = {str(recipient): origin}
        try:
            reply = await real(message, recipient, **more)
        except BaseException as error:
            self.run.failed(error)
            self.run.leave(None)
            raise
        self._replied = max(self._replied, origin.replied)
        self.run.leave(answer_of(reply))
        return reply

    def _publishing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        async def publish_message(message: Any, topic_id: TopicId, **more: Any) -> None:
            more["message_id"] = more.get("message_id") or str(uuid.uuid4())
            agents = await _compat.recipients(self.app, topic_id, more.get("sender"))
            handling = self._sender(more.get("sender"))
            if handling is None:
                origin = self._enter(message)
                origins = tuple(Origin(_OUTSIDE, origin.level, (*origin.path, place)) for place in range(len(agents)))
            else:
                message = await handling.say(message, tuple(agent.type for agent in agents))
                origins = handling.sent(len(agents))
            self._origins[more["message_id"]] = dict(zip(map(str, agents), origins, strict=True))
            await real(message, topic_id, **more)

        return publish_message

    def _sender(self, sender: AgentId | None) -> Handling | None:
        """What the sender is handling; None if the message comes from outside.

        Context variables don't reach a bare thread: from there it is what the sender began last.
        """
        handling = current.get()
        if handling is not None and handling.run is self.run:
            return handling
        return self._latest.get(str(sender)) if sender is not None else None

    def _enter(self, message: Any) -> Origin:
        self.run.enter(message_text(message), goes_on=self._n_outside > 0)
        self._n_outside += 1
        return Origin(_OUTSIDE, self._replied, (self._n_outside,))

    def _stopping(self, real: Callable[..., Any]) -> Callable[..., Any]:
        async def stop_when_idle() -> None:
            await real()
            self._signals.check()
            self._replied = self._levels.highest
            if self.run.entered:  # nobody waits for a reply to what is published: the last words are the answer
                self.run.leave(self._levels.last_words)

        return stop_when_idle


def _named(agent: AgentId | None) -> tuple[str, ...]:
    return (agent.type,) if agent is not None else ()
