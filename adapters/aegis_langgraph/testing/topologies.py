"""The embedded world's teams as LangGraph graphs: debate, supervisor, layers, critic loop, hierarchy, blackboard.

Members are handed what they are to see with a `Send`, or by the channels of their input schema. Each factory is for
`aegis generate --system aegis_langgraph.testing.topologies:NAME`. `systems.analysis_team` is the chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Send

from aegis_core.adapter import System
from aegis_core.world import next_speaker, review_objects
from aegis_core.world.model import settled
from aegis_core.world.prompts import handed, job_number, system_prompt
from aegis_core.world.teams import blackboard, critic_loop, debate, hierarchical, layered, supervisor
from aegis_core.world.teams.debate import DEBATERS
from aegis_core.world.teams.hierarchical import DESK, LAB, TOP
from aegis_langgraph.testing.chat_model import SimulatedChatModel

__all__ = [
    "blackboard_team",
    "critic_loop_team",
    "debate_team",
    "hierarchical_team",
    "layered_team",
    "supervisor_team",
]

_Said = Annotated[list[AnyMessage], add_messages]
_Step = tuple[str, str, list[AnyMessage]]  # whose turn it is, the task if it is handed that, and what it hears


class _Hall(TypedDict):
    """All that is said, in order. Nobody but who runs the session sees it."""

    job: int
    task: str
    said: _Said


_Route = Callable[[_Hall], _Step | None]


class _Seat(TypedDict):
    """What a member is handed when it is its turn."""

    job: int
    task: str
    heard: list[AnyMessage]


class _House(TypedDict):
    """The channels of the layers."""

    job: int
    task: str
    plan: _Said
    notes: _Said
    results: _Said
    answer: _Said


class _Order(TypedDict):
    job: int
    task: str


class _Share(TypedDict):
    job: int
    task: str
    plan: _Said


class _Bench(TypedDict):
    job: int
    plan: _Said
    notes: _Said


class _Desk(TypedDict):
    job: int
    plan: _Said
    results: _Said


def blackboard_team(*, seed: int = 0) -> System:
    """A chair, two researchers, a solver, a critic, a verifier and a reporter; everybody sees the whole board.

    Args:
        seed: of the simulated model.
    """
    return System(app=_blackboard(seed), start=_start, output=_last_report, name="blackboard_team")


def critic_loop_team(*, seed: int = 0) -> System:
    """A writer, a critic who recomputes and a verifier who looks at the requirements; three drafts at most.

    Args:
        seed: of the simulated model.
    """
    return System(app=_critic_loop(seed), start=_start, output=_passed_draft, name="critic_loop_team")


def debate_team(*, seed: int = 0) -> System:
    """Three debaters at the same time, a moderator after each round, and a judge; four rounds at most.

    Args:
        seed: of the simulated model.
    """
    return System(app=_debate(seed), start=_start, output=lambda state: _last(state, "Judge"), name="debate_team")


def hierarchical_team(*, seed: int = 0) -> System:
    """A director and a reporter around two nested teams: a desk that collects and a lab that computes.

    Args:
        seed: of the simulated model.
    """
    return System(app=_hierarchical(seed), start=_start, output=_last_report, name="hierarchical_team")


def layered_team(*, seed: int = 0) -> System:
    """A planner, a layer of two researchers, a layer of three solvers, and a merger; each layer works in parallel.

    Args:
        seed: of the simulated model.
    """
    return System(app=_layered(seed), start=_start, output=_merged, name="layered_team")


def supervisor_team(*, seed: int = 0) -> System:
    """A supervisor who gives the floor, a researcher, a solver, a critic, a reporter, and a client who approves.

    Args:
        seed: of the simulated model.
    """
    return System(app=_supervisor(seed), start=_start, output=_last_report, name="supervisor_team")


def _start(app: Any, task: str) -> Any:  # a compiled graph
    return app.invoke({"job": job_number(task), "task": task}, {"recursion_limit": 60})


def _last(state: Mapping[str, Any], name: str) -> str | None:
    return next((str(m.text) for m in reversed(state.get("said", ())) if m.name == name), None)


def _last_report(state: Mapping[str, Any]) -> str | None:
    """The last report; none if the session was not closed by who runs it."""
    said = state.get("said", ())
    runs = [m for m in said if m.name in ("Supervisor", "Chair")]
    if runs and (said[-1] is not runs[-1] or next_speaker(str(said[-1].text), (*supervisor.SEES, *blackboard.TEAM))):
        return None
    return _last(state, "Reporter")


def _passed_draft(state: Mapping[str, Any]) -> str | None:
    said = state["said"]
    passed = said and said[-1].name == "Verifier" and not review_objects(str(said[-1].text))
    return _last(state, "Writer") if passed else None


def _merged(state: Mapping[str, Any]) -> str | None:
    return str(state["answer"][-1].text) if state.get("answer") else None


def _member(name: str, team: Mapping[str, str], seed: int, channel: str = "said") -> Any:  # the schema types its input
    prompt, model = SystemMessage(system_prompt(name, team)), SimulatedChatModel(seed=seed)

    def speak(seat: Mapping[str, Any]) -> dict[str, Any]:
        opening = HumanMessage(handed(seat["job"], seat.get("task", "")))
        heard = [m for key in ("heard", "plan", "notes", "results") for m in seat.get(key) or ()]
        reply = model.invoke([prompt, opening, *heard])
        return {channel: [reply.model_copy(update={"name": name})]}

    return RunnableLambda(speak)


def _hub(team: Mapping[str, str], members: Iterable[str], route: _Route, seed: int) -> StateGraph[Any]:
    """A graph in which one function decides after each turn who comes next and what it hears."""
    graph = StateGraph(_Hall)
    names = list(members)

    def onward(state: _Hall) -> Any:
        step = route(state)
        if step is None:
            return END
        name, task, heard = step
        return Send(name, {"job": state["job"], "task": task, "heard": heard})

    for name in names:
        role = {"role": system_prompt(name, team)}
        graph.add_node(name, _member(name, team, seed), metadata=role, input_schema=_Seat)
    for name in (START, *names):
        graph.add_conditional_edges(name, onward, [*names, END])
    return graph


def _by(said: Iterable[AnyMessage], *names: str) -> list[AnyMessage]:
    return [message for message in said if message.name in names]


@lru_cache(maxsize=8)
def _supervisor(seed: int) -> Any:
    def route(state: _Hall) -> _Step | None:
        said = state.get("said", [])
        if len(said) >= 2 * supervisor.MAX_TURNS:
            return None
        if not said or said[-1].name != "Supervisor":
            return "Supervisor", state["task"], list(said)
        name = next_speaker(str(said[-1].text), supervisor.SEES)
        if not name:
            return None
        task = state["task"] if name in ("Researcher", "Client") else ""
        return name, task, [said[-1], *_by(said, *supervisor.SEES[name])]

    return _hub(supervisor.TEAM, supervisor.TEAM, route, seed).compile(name="supervisor_team")


@lru_cache(maxsize=8)
def _blackboard(seed: int) -> Any:
    members = [name for name in blackboard.TEAM if name != "Chair"]

    def route(state: _Hall) -> _Step | None:
        said = state.get("said", [])
        if len(said) >= 2 * blackboard.MAX_TURNS:
            return None
        if not said or said[-1].name != "Chair":
            return "Chair", state["task"], list(said)
        name = next_speaker(str(said[-1].text), members)
        return (name, state["task"], list(said)) if name else None

    return _hub(blackboard.TEAM, blackboard.TEAM, route, seed).compile(name="blackboard_team")


@lru_cache(maxsize=8)
def _critic_loop(seed: int) -> Any:
    def route(state: _Hall) -> _Step | None:
        said, task = state.get("said", []), state["task"]
        last = said[-1] if said else None
        if last is not None and last.name == "Writer":
            return "Critic", task, [last]
        if last is not None and not review_objects(str(last.text)):
            return ("Verifier", task, _by(said, "Writer")[-1:]) if last.name == "Critic" else None
        return ("Writer", task, list(said)) if len(_by(said, "Writer")) < critic_loop.MAX_DRAFTS else None

    return _hub(critic_loop.TEAM, critic_loop.TEAM, route, seed).compile(name="critic_loop_team")


@lru_cache(maxsize=8)
def _debate(seed: int) -> Any:
    graph = StateGraph(_Hall)
    for name in debate.TEAM:
        role = {"role": system_prompt(name, debate.TEAM)}
        schema: Any = _Hall if name == "Moderator" else _Seat
        member = _member(name, debate.TEAM, seed) if name != "Moderator" else _moderator(seed)
        graph.add_node(name, member, metadata=role, input_schema=schema)

    def sent(name: str, state: _Hall, heard: list[AnyMessage]) -> Send:
        return Send(name, {"job": state["job"], "task": state["task"], "heard": heard})

    def onward(state: _Hall) -> Any:
        said = state.get("said", [])
        round_ = [_by(said, name)[-1] for name in DEBATERS if _by(said, name)]
        if said and settled(str(said[-1].text)):
            return [sent("Judge", state, round_)]
        if len(_by(said, "Moderator")) >= debate.MAX_ROUNDS:
            return END
        return [sent(name, state, [*_by(said, name)[:-1], *round_, *_by(said, "Moderator")[-1:]]) for name in DEBATERS]

    graph.add_conditional_edges(START, onward, [*DEBATERS, "Judge", END])
    graph.add_edge(list(DEBATERS), "Moderator")
    graph.add_conditional_edges("Moderator", onward, [*DEBATERS, "Judge", END])
    graph.add_edge("Judge", END)
    return graph.compile(name="debate_team")


def _moderator(seed: int) -> Any:
    speak = _member("Moderator", debate.TEAM, seed)
    return RunnableLambda(
        lambda hall: speak.invoke({"job": hall["job"], "task": hall["task"], "heard": hall.get("said", [])})
    )


@lru_cache(maxsize=8)
def _layered(seed: int) -> Any:
    sees: dict[str, tuple[Any, str]] = {
        "Planner": (_Order, "plan"),
        "Reader": (_Share, "notes"),
        "Analyst": (_Share, "notes"),
        **dict.fromkeys(DEBATERS, (_Bench, "results")),
        "Merger": (_Desk, "answer"),
    }
    graph = StateGraph(_House)
    for name, (schema, channel) in sees.items():
        role = {"role": system_prompt(name, layered.TEAM)}
        graph.add_node(name, _member(name, layered.TEAM, seed, channel), metadata=role, input_schema=schema)
    graph.add_edge(START, "Planner")
    for name in layered.READERS:
        graph.add_edge("Planner", name)
    for name in DEBATERS:
        graph.add_edge(list(layered.READERS), name)
    graph.add_edge(list(DEBATERS), "Merger")
    graph.add_edge("Merger", END)
    return graph.compile(name="layered_team")


@lru_cache(maxsize=8)
def _hierarchical(seed: int) -> Any:
    graph = StateGraph(_Hall)
    for name in ("Director", "Reporter"):
        role = {"role": system_prompt(name, TOP)}
        graph.add_node(name, _member(name, TOP, seed), metadata=role, input_schema=_Seat)
    graph.add_node("Desk", _hub(DESK, ("Reader", "Analyst", "Editor"), _desk_route, seed).compile(name="Desk"))
    graph.add_node("Lab", _hub(LAB, ("Lead", "Solver", "Critic"), _lab_route, seed).compile(name="Lab"))

    def first(state: _Hall) -> Any:
        return Send("Director", {"job": state["job"], "task": state["task"], "heard": []})

    def to_lab(state: _Hall) -> Any:
        return Send("Lab", {"job": state["job"], "task": "", "said": _by(state["said"], "Director", "Editor")})

    def to_reporter(state: _Hall) -> Any:
        said = state["said"]
        closed = said[-1].name == "Lead" and not next_speaker(str(said[-1].text), ("Solver", "Critic"))
        if not closed:
            return END
        heard = [*_by(said, "Director"), *_by(said, "Solver", "Critic")[-2:]]
        return Send("Reporter", {"job": state["job"], "task": "", "heard": heard})

    graph.add_conditional_edges(START, first, ["Director"])
    graph.add_edge("Director", "Desk")
    graph.add_conditional_edges("Desk", to_lab, ["Lab"])
    graph.add_conditional_edges("Lab", to_reporter, ["Reporter", END])
    graph.add_edge("Reporter", END)
    return graph.compile(name="hierarchical_team")


def _desk_route(state: _Hall) -> _Step | None:
    said = state["said"]
    for name in ("Reader", "Analyst"):
        if not _by(said, name):
            return name, state["task"], _by(said, "Director")
    return None if _by(said, "Editor") else ("Editor", "", list(said))


def _lab_route(state: _Hall) -> _Step | None:
    said = state["said"]
    if len(_by(said, "Lead")) >= hierarchical.MAX_TURNS and said[-1].name != "Lead":
        return None
    if said[-1].name != "Lead":
        return "Lead", "", list(said)
    name = next_speaker(str(said[-1].text), ("Solver", "Critic"))
    return (name, "", list(said)) if name else None
