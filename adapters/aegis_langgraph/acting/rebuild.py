"""The rebuilt graph: the user's graph with a wrapper around what each of its nodes runs, recursively.

Everything else is the user's own: writers, edges, retries, caches, checkpointer, store, interrupts. The user's
objects are not touched. A wrapper finds out where it runs by the run that its callbacks descend from.
"""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.runnables import Runnable, RunnableConfig

from aegis_core.adapter import Delivery
from aegis_langgraph import _compat
from aegis_langgraph.acting.visit import Visit
from aegis_langgraph.models import tapping
from aegis_langgraph.names import Shape
from aegis_langgraph.signals import surfacing
from aegis_langgraph.texts.codec import NodeResult
from aegis_langgraph.watching.callbacks import Watcher

__all__ = ["WrappedNode", "rebuilt"]


def rebuilt(shape: Shape, watcher: Watcher) -> Any:
    """A copy of the graph of a shape, whose nodes go through the run that is watched."""
    bound: dict[str, Runnable[Any, Any]] = {}
    for name, child in shape.children.items():
        if child.role in ("team", "agent"):
            bound[name] = rebuilt(child, watcher)
        else:
            inner = _compat.with_model(child.bound, tapping()) if child.caught else child.bound
            bound[name] = WrappedNode(inner, watcher)
    return _compat.replace_nodes(shape.graph, bound)


class _Raised(BaseException):
    """Carries an exception of a node past the tape: a failed attempt, a hand-off or an interrupt is no result."""

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self.error = error


class WrappedNode(Runnable[Any, Any]):
    """What a node runs, with the turn around it."""

    def __init__(self, inner: Runnable[Any, Any], watcher: Watcher) -> None:
        self.inner = inner
        self.name = getattr(inner, "name", None)
        self._watcher = watcher

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """Run the node, or serve it, altered where an alteration is due."""
        visit = self._visit(input, config)
        if visit is None:
            return self.inner.invoke(input, config, **kwargs)
        run = self._watcher.tracker.run
        with surfacing():
            if (opening := visit.opening()) is not None:
                visit.opened(run.begin_turn(**opening))
            turn, kind, codec = visit.turn, visit.kind, visit.codec()

            def live(_: dict[str, str]) -> NodeResult:
                try:
                    return visit.returned(self.inner.invoke(visit.given, config, **kwargs))
                except Exception as error:
                    raise _Raised(error) from None

            result: NodeResult | None = None
            failure: BaseException | None = None
            try:
                if turn is None or kind is None:
                    result = live({})
                else:
                    result = run.call(turn, kind, live=live, codec=codec, **visit.request())
            except _Raised as carried:
                visit.taken_back()
                failure = carried.error
            if result is None:  # raised out here, so that the exception's cause and context stay as they were
                raise failure or RuntimeError("a node ended without a result")
            delivery: Delivery | None = None
            closing = visit.result(result)
            if turn is not None and closing is not None:
                delivery = run.end_turn(turn, **closing)
            return visit.closed(delivery)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """Asynchronous form of `invoke`."""
        visit = self._visit(input, config)
        if visit is None:
            return await self.inner.ainvoke(input, config, **kwargs)
        run = self._watcher.tracker.run
        with surfacing():
            if (opening := visit.opening()) is not None:
                visit.opened(await run.abegin_turn(**opening))
            turn, kind, codec = visit.turn, visit.kind, visit.codec()

            async def live(_: dict[str, str]) -> NodeResult:
                try:
                    return visit.returned(await self.inner.ainvoke(visit.given, config, **kwargs))
                except Exception as error:
                    raise _Raised(error) from None

            result: NodeResult | None = None
            failure: BaseException | None = None
            try:
                if turn is None or kind is None:
                    result = await live({})
                else:
                    result = await run.acall(turn, kind, live=live, codec=codec, **visit.request())
            except _Raised as carried:
                visit.taken_back()
                failure = carried.error
            if result is None:  # raised out here, so that the exception's cause and context stay as they were
                raise failure or RuntimeError("a node ended without a result")
            delivery: Delivery | None = None
            closing = visit.result(result)
            if turn is not None and closing is not None:
                delivery = await run.aend_turn(turn, **closing)
            return visit.closed(delivery)

    def _visit(self, given: Any, config: RunnableConfig | None) -> Visit | None:
        callbacks = (config or {}).get("callbacks")
        parent = callbacks.parent_run_id if isinstance(callbacks, BaseCallbackManager) else None
        tracker = self._watcher.tracker
        frame = tracker.frames.get(parent)
        while frame is not None and frame.role == "chain":
            frame = frame.parent
        return Visit.of(tracker, frame, given) if frame is not None else None
