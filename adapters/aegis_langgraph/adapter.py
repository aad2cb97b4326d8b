"""The adapter: watches LangGraph graphs, or rebuilds them where a run is to be served or altered."""

from __future__ import annotations

import re
from contextvars import Token
from typing import Any

from langgraph.pregel import Pregel
from pydantic import JsonValue

from aegis_core.adapter import Adapter, Attachment, Capabilities, ReplayLevel, Site
from aegis_core.errors import AdapterError
from aegis_core.run import Run
from aegis_core.trajectory import Agent
from aegis_langgraph import _compat
from aegis_langgraph.acting.rebuild import rebuilt
from aegis_langgraph.entry import answer_text, graph_input
from aegis_langgraph.names import Layout, survey
from aegis_langgraph.watching.callbacks import Watcher, current_watcher
from aegis_langgraph.watching.tracker import Tracker

__all__ = ["GraphAttachment", "LangGraphAdapter"]

_HEX = "[0-9a-fA-F]"
_RANDOM = re.compile(
    rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"
    rf"|\b{_HEX}{{32}}\b"
    r"|\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?"
)
"""What differs from run to run in texts that quote it: random ids, points in time."""
_ID_LENGTH = 32
"""Of the shortest random id, in characters."""
_TIME_LENGTH = 19
"""Of the shortest point in time, which may be spread over two words, and holds `-` and `:`."""


class LangGraphAdapter(Adapter):
    """Compiled graphs of LangGraph."""

    name = "langgraph"

    def can_handle(self, app: Any) -> bool:
        return isinstance(app, Pregel)

    def agents(self, app: Any) -> tuple[Agent, ...]:
        return survey(app).agents()

    def capabilities(self, app: Any) -> Capabilities:
        layout = survey(app)
        asynchronous = not _only_async(layout)
        if layout.root is None:
            return Capabilities(
                asynchronous=True,
                streaming=True,
                notes=("a graph without a builder (functional API) is recorded; it can't be altered or replayed",),
            )
        return Capabilities(
            sync=asynchronous,
            asynchronous=True,
            streaming=True,
            sites=_sites(layout),
            redirect=_redirects(layout),
            replay=_levels(layout),
            fork=_forks(layout),
            notes=_notes(layout),
        )

    def attach(self, app: Any, run: Run) -> Attachment:
        if not self.can_handle(app):
            raise AdapterError(
                f"the langgraph adapter can't handle a {type(app).__name__}; give it a compiled graph"
                + (" (call .compile() first)" if hasattr(app, "compile") else "")
            )
        return GraphAttachment(app, run)

    def start(self, app: Any, task: str) -> Any:
        given = graph_input(app, task)
        return app.ainvoke(given) if _only_async(survey(app)) else app.invoke(given)

    def output(self, result: Any) -> str | None:
        return answer_text(result)

    def normalise(self, request: JsonValue) -> JsonValue:
        """Without random ids and times in texts, and without authors, which are inferred."""
        if isinstance(request, dict) and isinstance(request.get("parts"), list):
            parts = [[part[0], *part[2:]] if isinstance(part, list) else part for part in request["parts"]]  # type: ignore[union-attr]
            request = {**request, "parts": parts}
        return _masked(request)


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _RANDOM.sub("*", value) if _may_hold_random(value) else value
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    return value


def _may_hold_random(text: str) -> bool:
    """Whether to look closely, which takes fifty times as long."""
    if len(text) < _TIME_LENGTH:
        return False
    return ("-" in text and ":" in text) or max(map(len, text.split()), default=0) >= _ID_LENGTH


class GraphAttachment(Attachment):
    """Makes a watcher current in this context. `app` is the user's own graph as long as the run is only recorded, and
    a rebuilt one if it is to be served or altered.
    """

    def __init__(self, app: Any, run: Run) -> None:
        outer = current_watcher.get()
        if outer is not None and outer.app is app:
            raise AdapterError(
                f"graph {app.name!r} is attached to run {outer.tracker.run.info.run_id} in this context already; "
                "leave that `with` block first"
            )
        layout = survey(app)
        altering = layout.root is not None and (run.replay is not None or run.interventions is not None)
        self.watcher = Watcher(Tracker(run, layout, app, altering=altering), app)
        self.app = app
        if altering and layout.root is not None:
            self.app = rebuilt(layout.root, self.watcher).with_config(callbacks=[self.watcher])
        self._token: Token[Any] | None = current_watcher.set(self.watcher)

    def detach(self) -> None:
        token, self._token = self._token, None
        if token is None:
            return
        self.watcher.close()
        try:
            current_watcher.reset(token)
        except ValueError:  # left in another context than entered (a stream closed from another task)
            if current_watcher.get() is self.watcher:
                current_watcher.set(None)
        self.watcher.complain()


def _only_async(layout: Layout) -> bool:
    nodes = layout.root.walk() if layout.root is not None else ()
    return any(
        function is None and coroutine is not None
        for shape in nodes
        if shape.bound is not None
        for function, coroutine in [_compat.functions(shape.bound)]
    )


def _sites(layout: Layout) -> tuple[Site, ...]:
    if not layout.acting():
        return ()
    kinds = {kind for shape in layout.acting() for kind in shape.fields.values()}
    sites = [Site(strategy="prompt_injection", scope="ephemeral")]
    if kinds & {"messages", "last"}:
        sites.insert(0, Site(strategy="prompt_injection", scope="persistent"))
    sites += [
        Site(strategy="response_corruption", scope="outgoing"),
        Site(strategy="response_corruption", scope="belief"),
    ]
    if any(shape.tools and shape.role != "leaf" for shape in layout.acting()):
        sites.append(Site(strategy="environment", scope="call"))
    return tuple(sites)


def _redirects(layout: Layout) -> bool:
    shapes = layout.root.walk() if layout.root is not None else ()
    return any(
        _compat.destinations(parent.graph, child.node)
        for parent in shapes
        if parent.role == "team"
        for child in parent.children.values()
    )


def _forks(layout: Layout) -> bool:
    """Whether a node of the graph itself can be where a branch begins (`aegis_langgraph.time_travel`)."""
    shapes = tuple(layout.root.walk()) if layout.root is not None else ()
    keeps = bool(shapes) and _compat.keeps_steps(shapes[0].graph)
    top = any(shape.acts and len(shape.names) == 1 for shape in shapes)
    return keeps and top and not any(_compat.delta_channels(shape.graph) for shape in shapes)


def _levels(layout: Layout) -> tuple[ReplayLevel, ...]:
    plain = any(shape.role == "leaf" for shape in layout.acting())
    return ("node", "call") if plain else ("call",)


def _notes(layout: Layout) -> tuple[str, ...]:
    notes = [
        "a graph that is called inside a node's function is recorded; it is altered and served with that node only",
        "code in a bare thread that a node starts is not seen",
    ]
    if any(shape.role == "leaf" for shape in layout.acting()):
        notes.append(
            "nodes are served whole, which is right as long as what a node returns is its whole effect; at call level, "
            "models and tools of function nodes are served only if they are tapped (`aegis_langgraph.models.tap`, "
            "`aegis_langgraph.tools.tap_tool`)"
        )
    if any(shape.role == "agent" for shape in layout.acting()):
        notes.append("a model that middleware asks by itself is recorded; it is served only if it is tapped")
    if not any(kind in ("messages", "last") for shape in layout.acting() for kind in shape.fields.values()):
        notes.append("no text of the state can be known again, so prompt injection is ephemeral only")
    return tuple(notes)
