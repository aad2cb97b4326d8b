"""The canonical form: equal runs give equal bytes, a served prefix equals a fresh one, and texts stay as they are."""

from __future__ import annotations

import itertools
import json
import random
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aegis_core.adapter import Part
from aegis_core.faults import Intervention, Ledger, Moment, PartChange, Plan, Scope, Strategy, Target
from aegis_core.injector import Edits, InjectionContext, Injector, Realisation
from aegis_core.run import Interventions, Replay, Run, RunInfo, Tape, TapeEntry
from aegis_core.run.canonical import canonical
from aegis_core.run.ids import derived_ids, ids_of_this_run
from aegis_core.run.tape import CallKey
from aegis_core.trajectory import Agent, Content, Step, Trajectory, Usage

# -- a system whose ids and times differ from run to run ----------------------------------------------------------

AGENTS = ("Planner", "Solver", "Critic")


class MessageCodec:
    """Model results as plain dictionaries, much as chat models give them."""

    def encode(self, result: dict[str, Any]) -> Any:
        return json.loads(json.dumps(result))

    def decode(self, payload: Any) -> dict[str, Any]:
        fresh: dict[str, Any] = json.loads(json.dumps(payload))
        return fresh

    def parts(self, result: dict[str, Any]) -> tuple[Part, ...]:
        return (Part(id=f"{result['id']}/content", text=result["content"]),)

    def write(self, result: dict[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
        return {**result, "content": texts[f"{result['id']}/content"]}


def model(texts: list[str]) -> dict[str, Any]:
    calls = [{"id": f"call_{random_id(24)}", "name": "add", "args": {"id": "b7", "x": 1}, "type": "tool_call"}]
    return {"content": f"I read: {' '.join(texts)}", "id": f"lc_run--{uuid.uuid4()}-0", "tool_calls": calls}


def random_id(length: int) -> str:
    rng = random.SystemRandom()
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") for _ in range(length))


def drive(run: Run, agents: tuple[str, ...] = AGENTS) -> str:
    text, message_id = "2 + 2?", str(uuid.uuid4())
    for agent in agents:
        turn = run.begin_turn(agent, (Part(id=message_id, text=text, author="user"),))
        request = tuple(turn.parts)

        def live(edits: dict[str, str], request: tuple[Part, ...] = request) -> dict[str, Any]:
            return model([edits.get(part.id, part.text) for part in request])

        reply = run.call(turn, "model", request, live, MessageCodec())
        call = reply["tool_calls"][0]
        run.step(
            agent,
            "tool_call",
            "add",
            moment=turn.moment,
            call_id=call["id"],
            content=(Content(type="json", data=call),),
        )
        done = run.end_turn(turn, (Part(id=f"{reply['id']}/content", text=reply["content"]),), model="tiny")
        text, message_id = done.parts[0].text, reply["id"]
    return text


class Suffix(Injector):
    name = "suffix"

    def realisations(self) -> tuple[Realisation, ...]:
        return ()

    async def alter(self, context: InjectionContext, target: Target, attempt: int) -> Edits:
        return Edits(texts={part.id: part.text + " or so" for part in context.parts}, realisation="suffix")


def ticking(step: float) -> Callable[[], float]:
    ticks: Iterator[float] = itertools.count(0.0, step)
    return lambda: next(ticks)


def made(
    *, tape: Tape | None = None, targets: tuple[Target, ...] = (), seconds: float = 0.1
) -> tuple[Trajectory, Tape, Ledger]:
    run = Run(
        RunInfo(run_id="r", task="2 + 2?", agents=tuple(Agent(path=agent) for agent in AGENTS)),
        replay=Replay(tape, targets) if tape else None,
        interventions=Interventions(Plan(targets=targets, seed=1), Suffix()) if targets else None,
        clock=ticking(seconds),
    )
    return canonical(run.trajectory(drive(run)), run.tape(), run.ledger())


def dump(records: tuple[Trajectory, Tape, Ledger]) -> list[str]:
    return [record.model_dump_json() for record in records]


def target(agent: str, strategy: Strategy = "response_corruption", scope: Scope = "outgoing") -> Target:
    return Target(moment=Moment(agent=agent), mode="FM-1.1", strategy=strategy, scope=scope)


def test_equal_runs_give_equal_bytes_whatever_their_ids_and_times() -> None:
    assert dump(made(seconds=0.1)) == dump(made(seconds=7.3))


def test_run_served_from_a_canonical_tape_gives_the_bytes_of_the_fresh_one() -> None:
    fresh = made()
    assert dump(made(tape=fresh[1])) == dump(fresh)


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    ("strategy", "scope"), [("response_corruption", "outgoing"), ("response_corruption", "belief"),
                            ("prompt_injection", "persistent"), ("prompt_injection", "ephemeral")],
)  # fmt: skip
def test_prefix_of_a_faulty_run_is_that_of_its_clean_twin(agent: str, strategy: Strategy, scope: Scope) -> None:
    clean = made()
    faulty = made(tape=clean[1], targets=(target(agent, strategy, scope),))
    assert faulty[2].interventions[0].fired
    earlier = AGENTS[: AGENTS.index(agent)]
    for steps in zip(faulty[0].steps, clean[0].steps, strict=True):
        assert steps[0] == steps[1] or steps[0].agent not in earlier
    for entries in zip(faulty[1].entries, clean[1].entries, strict=True):
        assert entries[0] == entries[1] or entries[0].key.moment.agent not in earlier
    assert faulty[0].steps != clean[0].steps


def test_canonical_tape_stays_consistent_and_decodable() -> None:
    trajectory, tape, _ = made()
    replies = [MessageCodec().decode(entry.payload) for entry in tape.entries if entry.key.kind == "model"]
    assert [step.call_id for step in trajectory.steps if step.kind == "tool_call"] == [
        reply["tool_calls"][0]["id"] for reply in replies
    ]
    inputs = [entry.request[0].id for entry in tape.entries if entry.key.kind == "input"]
    assert inputs[1:] == [reply["id"] for reply in replies[:-1]]
    assert len({*inputs, *(reply["id"] for reply in replies), *(r["tool_calls"][0]["id"] for r in replies)}) == 7
    assert replies[0]["tool_calls"][0]["args"] == {"id": "b7", "x": 1}


def test_nothing_of_the_real_clock_or_usage_is_left() -> None:
    step = Step(index=0, agent="A", kind="message", text="x" * 40, usage=Usage(input_tokens=9, output_tokens=9), end=99)
    run = Trajectory(run_id="r", task="t" * 8, agents=(Agent(path="A"),), steps=(step,))
    bare = run.model_copy(update={"steps": (step.model_copy(update={"usage": None, "end": 0.0}),)})
    results = [canonical(form, Tape(run_id="r"), Ledger(run_id="r"))[0] for form in (run, bare)]
    assert results[0] == results[1]
    assert results[0].steps[0].usage == Usage(input_tokens=2, output_tokens=10)
    assert (results[0].steps[0].start, results[0].steps[0].end) == (0.0, 0.4)


def test_clock_follows_parents_and_usage_is_for_models_alone() -> None:
    agents = (
        Agent(path="A"),
        Agent(path="T", kind="tool"),
        Agent(path="user", kind="user"),
        Agent(path="M", kind="manager"),
    )
    rows = [
        ("user", "message", ()),
        ("A", "message", (0,)),
        ("T", "tool_result", (0,)),
        ("M", "plan", (1, 2)),
        ("A", "error", ()),
    ]
    steps = tuple(
        Step(index=i, agent=agent, kind=kind, text="word", parents=parents)  # type: ignore[arg-type]
        for i, (agent, kind, parents) in enumerate(rows)
    )
    run, _, _ = canonical(
        Trajectory(run_id="r", task="t", agents=agents, steps=steps), Tape(run_id="r"), Ledger(run_id="r")
    )
    assert [step.start for step in run.steps] == [0.0, 0.22, 0.22, 0.44, 0.66]
    assert [step.usage is not None for step in run.steps] == [False, True, False, True, False]


def test_order_of_arrival_of_agents_and_readers_does_not_show() -> None:
    def run(order: tuple[str, ...]) -> Trajectory:
        step = Step(index=0, agent="A", kind="message", text="x", visible_to=order)
        return Trajectory(run_id="r", task="t", agents=tuple(Agent(path=path) for path in order), steps=(step,))

    one, other = (
        canonical(run(order), Tape(run_id="r"), Ledger(run_id="r")) for order in (("A", "B", "C"), ("C", "A", "B"))
    )
    assert one == other


def test_order_of_arrival_inside_a_served_node_does_not_show() -> None:
    inside = tuple(Step(index=i, agent=agent, kind="message", text=f"from {agent}") for i, agent in enumerate("ABC"))
    trajectory = Trajectory(run_id="r", task="t", agents=tuple(Agent(path=path) for path in "ABC"), steps=inside)
    key = CallKey(moment=Moment(agent="N"), kind="node")

    def tape(order: str, first: int) -> Tape:
        arrived = tuple(
            step.model_copy(
                update={"index": first + n, "start": float(n), "end": n + 1.0, "parents": (first,) if n else ()}
            )
            for n, step in enumerate(inside[ord(name) - ord("A")] for name in order)
        )
        return Tape(run_id="r", entries=(TapeEntry(key=key, request_hash="0", inner=arrived),))

    one, other = (
        canonical(trajectory, tape(order, first), Ledger(run_id="r"))[1].entries[0].inner
        for order, first in (("ABC", 4), ("ACB", 9))
    )
    assert one == other
    assert [(step.index, step.agent, step.parents, step.end) for step in one] == [
        (0, "A", (), 0.0),
        (1, "B", (0,), 0.0),
        (2, "C", (0,), 0.0),
    ]


def test_ledger_shares_the_ids() -> None:
    trajectory, tape, ledger = made()
    message = str(uuid.uuid4())
    entry = TapeEntry(
        key=CallKey(moment=Moment(agent="A"), kind="input"),
        request_hash="0",
        request=(Part(id=f"{message}.text", text="x"),),
    )
    change = PartChange(part=f"{message}.text", before=message, after="y")
    done = Intervention(
        target=target("A"), arm="fault", fired=True, changes=(change,), notes={"message_id": message, "said": message}
    )
    _, tape, ledger = canonical(
        trajectory, Tape(run_id="r", entries=(entry,)), Ledger(run_id="r", interventions=(done,))
    )
    assert tape.entries[0].request[0].id == ledger.interventions[0].changes[0].part == "id-1.text"
    assert ledger.interventions[0].changes[0].before == message
    assert ledger.interventions[0].notes == {"message_id": "id-1", "said": message}


# -- ids ----------------------------------------------------------------------------------------------------------

UUID = "0b9cf4f2-5a0e-4f6b-9e53-0d6d1f0c1a2b"


@pytest.mark.parametrize(
    "random_form",
    [
        UUID,
        UUID.upper(),
        UUID.replace("-", ""),
        f"lc_run--{UUID}",
        f"lc_run--{UUID}-0",
        f"run-{UUID}-0",
        f"chatcmpl-{UUID}",
        "chatcmpl-9xQm2VbTzYpLr4",
        f"chatcmpl-tool-{UUID.replace('-', '')}",
        "call_Ab3dEf6hIj9kLm",
        "toolu_01A09q90qw90lq917835lq9",
        "msg_68af0c2e0b2881a0",
        "id-17",
    ],
)
def test_random_ids_are_replaced_where_ids_stand(random_form: str) -> None:
    ids = derived_ids()
    data = {
        "id": random_form,
        "ids": [random_form, "plain"],
        "messageId": random_form,
        "checkpoint_ns": f"node:{random_form}",
    }
    assert ids.data(data) == {"id": "id-1", "ids": ["id-1", "plain"], "messageId": "id-1", "checkpoint_ns": "node:id-1"}
    assert ids.inside(f"messages[0]/{random_form}.content") == "messages[0]/id-1.content"


@pytest.mark.parametrize(
    "kept", ["customer-42", "gpt-4o", "call_arguments", "call_1", "", "B7", "run-time", "grid-7", "id-7x", "deadbeef"]
)
def test_ids_that_are_not_random_stay(kept: str) -> None:
    assert derived_ids().data({"id": kept, "order_id": kept}) == {"id": kept, "order_id": kept}
    assert derived_ids().inside(kept) == kept


def test_id_of_a_tool_call_is_replaced_whatever_its_form() -> None:
    ids = derived_ids()
    data = {
        "tool_calls": [{"id": "D681PevKs", "name": "add"}],
        "content": [{"type": "tool_use", "id": "x", "input": {"id": UUID}}],
    }
    assert ids.data(data) == {
        "tool_calls": [{"id": "id-1", "name": "add"}],
        "content": [{"type": "tool_use", "id": "id-2", "input": {"id": UUID}}],
    }
    assert ids.data({"tool_call_id": "D681PevKs", "id": 7}) == {"tool_call_id": "id-1", "id": 7}
    assert ids.call("D681PevKs") == "id-1"
    assert ids.call(None) is None


def test_texts_and_arguments_stay() -> None:
    data = {"content": f"see {UUID}", "text": UUID, "name": UUID, "args": {"id": UUID}, "id": ["langchain", UUID[:8]]}
    assert derived_ids().data(data) == data


def test_served_result_refers_to_the_ids_of_the_run_that_it_is_served_to() -> None:
    recorded = (Part(id="messages/id-3/content", text="x"), Part(id="a", text="y", call_id="id-4"))
    sent = (Part(id=f"messages/{UUID}/content", text="x"), Part(id="a", text="y", call_id="call_Zz9yXx8wVv7u"))
    ids = ids_of_this_run(recorded, sent)
    assert ids is not None
    payload = {"messages": [{"id": "id-3"}, {"id": "id-9", "tool_call_id": "id-4", "content": "id-3"}]}
    assert ids.data(payload) == {
        "messages": [{"id": UUID}, {"id": "id-9", "tool_call_id": "call_Zz9yXx8wVv7u", "content": "id-3"}]
    }
    assert ids_of_this_run(recorded, recorded) is None


_ids = st.sampled_from(
    [
        UUID,
        f"lc_run--{UUID}-0",
        "call_Ab3dEf6hIj9kLm",
        "id-3",
        "id-1",
        "id-007",
        "x",
        "",
        "9",
        f"id-{UUID}",
        f"{UUID}-5-6",
    ]
)
_strings = st.one_of(
    _ids, st.lists(_ids, max_size=3).map("/".join), st.lists(_ids, max_size=3).map("-".join), st.text(max_size=8)
)
_keys = st.sampled_from(
    ["id", "ids", "call_id", "tool_call_id", "tool_calls", "type", "content", "args", "run_id", "x"]
)
_data = st.recursive(
    st.one_of(st.none(), st.integers(), _strings, st.just("tool_call")),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_keys, inner, max_size=4)),
    max_leaves=8,
)
_moments = st.builds(Moment, agent=st.sampled_from("AB"), branch=st.sampled_from(["", "b"]), turn=st.integers(1, 2))
_parts = st.builds(Part, id=_strings, text=st.text(max_size=20), call_id=st.none() | _strings, data=_data)


@st.composite
def _steps(draw: st.DrawFn) -> tuple[Step, ...]:
    kinds = st.sampled_from(["message", "tool_call", "tool_result", "plan", "error"])
    return tuple(
        Step(
            index=index, agent=draw(st.sampled_from("AB")), kind=draw(kinds), text=draw(st.text(max_size=12)),
            branch=draw(st.sampled_from(["", "b"])), turn=draw(st.integers(1, 2)), call_id=draw(st.none() | _strings),
            content=tuple(Content(type="json", data=draw(_data)) for _ in range(draw(st.integers(0, 1)))),
            parents=tuple(sorted(draw(st.sets(st.integers(0, index - 1), max_size=2)))) if index else (),
            visible_to=tuple(draw(st.lists(st.sampled_from("AB"), max_size=2))), end=draw(st.floats(0, 9)),
        )
        for index in range(draw(st.integers(0, 5)))
    )  # fmt: skip


@st.composite
def _runs(draw: st.DrawFn) -> tuple[Trajectory, Tape, Ledger]:
    steps = draw(_steps())
    entries = tuple(
        TapeEntry(
            key=CallKey(moment=draw(_moments), kind="node", call=number + 1), request_hash="0", payload=draw(_data),
            request=tuple(draw(st.lists(_parts, max_size=2))), inner=steps[draw(st.integers(0, 5)) :],
        )
        for number in range(draw(st.integers(0, 4)))
    )  # fmt: skip
    change = PartChange(part=draw(_strings), before="a", after="b")
    done = Intervention(target=target("A"), arm="fault", fired=True, changes=(change,), notes={"x": draw(_data)})
    run = Trajectory(run_id="r", task="t", agents=(Agent(path="B"), Agent(path="A", kind="tool")), steps=steps)
    return run, Tape(run_id="r", entries=entries), Ledger(run_id="r", interventions=(done,))


@given(_runs())
def test_canonical_form_of_a_canonical_form_is_itself(run: tuple[Trajectory, Tape, Ledger]) -> None:
    once = canonical(*run)
    assert dump(canonical(*once)) == dump(once)


@given(_runs())
def test_canonical_records_are_valid_and_texts_are_untouched(run: tuple[Trajectory, Tape, Ledger]) -> None:
    trajectory, tape, ledger = canonical(*run)
    for before, after in zip(run, (trajectory, tape, ledger), strict=True):
        assert type(before).model_validate_json(after.model_dump_json()) == after
    assert [step.text for step in trajectory.steps] == [step.text for step in run[0].steps]
    assert [[part.text for part in entry.request] for entry in tape.entries] == [
        [part.text for part in entry.request] for entry in run[1].entries
    ]
    assert [entry.key for entry in tape.entries] == [entry.key for entry in run[1].entries]


@given(st.lists(_strings, max_size=12))
def test_different_ids_stay_different(values: list[str]) -> None:
    ids = derived_ids()
    renamed = {value: ids.inside(value) for value in values}
    assert len(set(renamed.values())) == len(renamed)


def managed(calls: int) -> Run:
    """A manager calls a member, whose own calls are more or fewer; every id is drawn anew."""
    run = Run(RunInfo(run_id="r", task="t"))
    outer = run.begin_turn("Manager", (Part(id="told", text="t"),))
    run.step("Manager", "tool_call", "member('t')", moment=outer.moment, call_id=f"call_{random_id(24)}")
    inner = run.begin_turn("Manager/Member", (Part(id="told", text="t"),))
    for _ in range(calls):
        run.record_call(inner, "model", (), {"tool_calls": [{"id": f"call_{random_id(24)}", "type": "tool_call"}]})
    run.end_turn(inner, (Part(id="said", text="done"),))
    run.end_turn(outer, (Part(id="said", text="all done"),))
    return run


def test_what_stands_before_a_turn_inside_another_has_the_same_ids_whatever_happens_in_it() -> None:
    first, other = (
        canonical(run.trajectory(), run.tape(), run.ledger())[0].steps[0] for run in (managed(1), managed(3))
    )
    assert first.call_id == "id-1"
    assert other == first
