"""What the format promises. Run it with `pip install .[testing]` and `pytest`."""

import json
from dataclasses import replace

import pytest

import aegis_core as aegis
from aegis_core import Fault, Labels, store
from aegis_core.errors import StoreError
from aegis_core.format import LabelledRun
from aegis_core.formats import open_runs
from aegis_core.plugins import default_plugins
from aegis_core.trajectory import RunError

TASK = {"role": "user", "content": "12 crates of 8 bottles. How many?"}
CALL = {"id": "c1", "type": "function", "function": {"name": "times", "arguments": '{"a": 12, "b": 8}'}}
TEAM = [
    {"role": "system", "name": "Solver", "content": "You compute."},
    TASK,
    {"role": "assistant", "name": "Solver", "content": "I compute.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "96"},
    {"role": "assistant", "name": "Solver", "content": "96 bottles"},
    {"role": "user", "name": "Critic", "content": "Sure?"},
    {"role": "assistant", "name": "Reporter", "content": "Answer: 86"},
]


@pytest.fixture
def chats():
    return default_plugins().format("borea-chat")


def written(path, *runs, **more):
    path.write_text("".join(json.dumps({"messages": messages, **more}) + "\n" for messages in runs), encoding="utf-8")
    return path


def read(path, labels=None):
    return list(open_runs(path, labels=labels).labelled_runs())


def trajectory(tmp_path, *messages):
    (run,) = read(written(tmp_path / "t.jsonl", [TASK, *messages]))
    return run.trajectory


def spoken(run):
    return [(step.agent, step.kind, step.text) for step in run.steps]


def test_a_line_is_a_run_of_the_agents_that_its_messages_name(tmp_path):
    (run,) = read(written(tmp_path / "chats.jsonl", TEAM))
    assert (run.trajectory.run_id, run.trajectory.task) == ("chats-1", TASK["content"])
    assert spoken(run.trajectory) == [
        ("Solver", "message", "I compute."),
        ("Solver", "tool_call", "times(a=12, b=8)"),
        ("Solver", "tool_result", "96"),
        ("Solver", "message", "96 bottles"),
        ("Critic", "message", "Sure?"),
        ("Reporter", "message", "Answer: 86"),
    ]
    assert [(agent.path, agent.kind, agent.role, agent.tools) for agent in run.trajectory.agents] == [
        ("Solver", "worker", "You compute.", ("times",)),
        ("Critic", "worker", "", ()),
        ("Reporter", "worker", "", ()),
    ]
    assert run.trajectory.final_output == "Answer: 86"
    assert (run.labels, run.doubts, run.group) == ((), (), TASK["content"])


def test_lines_are_counted_blank_ones_too_and_a_json_file_is_one_run(tmp_path):
    path = tmp_path / "many.jsonl"
    one = json.dumps({"messages": TEAM})
    path.write_text(f"\ufeff{one}\r\n\n{one}", encoding="utf-8")
    assert [run.trajectory.run_id for run in read(path)] == ["many-1", "many-3"]
    single = tmp_path / "single.json"
    single.write_text(json.dumps({"messages": TEAM}, indent=2))
    assert [run.trajectory.run_id for run in read(single)] == ["single"]


def test_without_names_there_is_an_assistant_and_a_user(tmp_path):
    run = trajectory(tmp_path, {"role": "assistant", "content": "96"}, {"role": "user", "content": "Sure?"})
    assert [(agent.path, agent.kind) for agent in run.agents] == [("assistant", "worker"), ("user", "user")]
    assert run.final_output is None, "the user has the last word"


def test_the_task_is_a_step_only_if_an_agent_by_name_gives_it(tmp_path):
    (run,) = read(written(tmp_path / "c.jsonl", [{**TASK, "name": "Lead"}, *TEAM[2:]]))
    assert spoken(run.trajectory)[0] == ("Lead", "message", TASK["content"])
    assert run.trajectory.task == TASK["content"]


def test_an_unnamed_instruction_is_for_all_assistants_and_a_later_one_is_a_step(tmp_path):
    first, late = {"role": "developer", "content": "Be brief."}, {"role": "system", "content": "Hurry."}
    (run,) = read(written(tmp_path / "c.jsonl", [first, *TEAM[:3], late]))
    assert [(agent.path, agent.kind, agent.role) for agent in run.trajectory.agents] == [
        ("Solver", "worker", "Be brief.\n\nYou compute."),
        ("system", "user", ""),
    ]
    assert spoken(run.trajectory)[-1] == ("system", "system", "Hurry.")


def test_a_result_with_a_name_is_of_that_tool(tmp_path):
    run = trajectory(tmp_path, TEAM[2], {**TEAM[3], "name": "times"})
    assert run.agent("times").kind == "tool"
    assert spoken(run)[-1] == ("times", "tool_result", "96")


def test_a_result_with_a_name_needs_no_call(tmp_path, chats):
    run = trajectory(tmp_path, {"role": "tool", "name": "terminal", "content": "exit code 1"})
    assert spoken(run) == [("terminal", "tool_result", "exit code 1")]
    chats.write([LabelledRun(run)], tmp_path / "out.jsonl")
    assert [spoken(again.trajectory) for again in read(tmp_path / "out.jsonl")] == [spoken(run)]


def test_a_turn_lasts_until_another_speaks(tmp_path):
    run = trajectory(tmp_path, *TEAM[2:6], TEAM[4])
    assert [step.turn for step in run.steps] == [1, 1, 1, 1, 1, 2]


def test_parts_are_read_and_what_has_no_place_is_doubted(tmp_path):
    parts = [
        {"type": "text", "text": "See"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "hologram"},
        {"type": "text", "text": "there"},
    ]
    message = {"role": "assistant", "content": parts, "weight": 0}
    (run,) = read(written(tmp_path / "c.jsonl", [TASK, message], tools=[]))
    (step,) = run.trajectory.steps
    assert step.text == "See\nthere"
    assert [(item.type, item.uri, item.data) for item in step.content] == [
        ("image", "https://example.org/a.png", None),
        ("image", None, "inlined in the source"),
    ]
    assert ["hologram" in run.doubts[0], "weight" in run.doubts[1]] == [True, True]
    assert run.source == {"tools": []}


def test_arguments_that_are_no_json_stay_as_the_model_wrote_them(tmp_path):
    call = {"id": "x", "function": {"name": "times", "arguments": "12 by 8"}}
    run = trajectory(tmp_path, {"role": "assistant", "content": None, "tool_calls": [call]})
    assert spoken(run) == [("assistant", "tool_call", "times(12 by 8)")]


@pytest.mark.parametrize(
    ("messages", "place"),
    [
        ([], "line 2, messages[0]: the task is missing"),
        ([TEAM[0]], "line 2, messages[1]: the task is missing"),
        ([TEAM[4], TASK], "line 2, messages[0]: the task is missing"),
        ([TASK, TEAM[3]], "line 2, messages[1]: the tool's result has tool_call_id 'c1'"),
        ([TASK, {"role": "function", "content": "96"}], "line 2: is no chat: field messages[1].role"),
        ([TASK, {"role": "assistant", "name": " "}], "line 2: is no chat: field messages[1].name"),
        ([TASK, {"role": "assistant", "content": 3}], "line 2: is no chat: field messages[1].content"),
        ("hello", "line 2: is no chat: field messages"),
    ],
)
def test_a_bad_message_is_named_by_file_line_and_field(tmp_path, messages, place):
    path = written(tmp_path / "bad.jsonl", TEAM, messages)
    with pytest.raises(StoreError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}, {place}")


@pytest.mark.parametrize("line", [b"{", b"[1]", b'"\xff"', b'{"messages": [{"role": "user", "content": "\\ud800"}]}'])
def test_a_line_that_is_no_json_object_is_named(tmp_path, chats, line):
    path = written(tmp_path / "bad.jsonl", TEAM)
    path.write_bytes(path.read_bytes() + line)
    with pytest.raises(StoreError, match=r"bad\.jsonl, line 2: is no chat"):
        list(chats.read(path))


def test_what_is_no_file_is_refused_in_words(tmp_path, chats):
    assert not chats.sniff(tmp_path)
    assert not chats.sniff(tmp_path / "none.jsonl")
    with pytest.raises(StoreError, match="can't be read"):
        list(chats.read(tmp_path))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"messages": []}', '{"messages": [{"text": "a"}]}', '"\ud800"'])
def test_other_files_are_not_taken_for_chats(tmp_path, chats, text):
    path = tmp_path / "other.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert not chats.sniff(path)


def test_files_of_aegis_itself_and_chats_are_told_apart(tmp_path, chats):
    run = trajectory(tmp_path, TEAM[6])
    own = tmp_path / "own.jsonl"
    store.append(own, run)
    assert not chats.sniff(own)
    assert read(own)[0].trajectory == run
    assert not default_plugins().format("aegis").sniff(written(tmp_path / "chats.jsonl", TEAM))


def labels(run_id):
    return Labels(run_id=run_id, case_id="crates", faults=(Fault(agent="Solver", step=3, origin="us"),))


def test_labels_come_from_a_file_of_their_own_by_run_id(tmp_path):
    path = written(tmp_path / "chats.jsonl", TEAM, TEAM)
    given = tmp_path / "labels.jsonl"
    store.append(given, labels("chats-2"))
    assert [run.labels for run in read(path, given)] == [(), (labels("chats-2"),)]
    store.append(given, labels("chats-7"))
    with pytest.raises(StoreError, match=r"labels\.jsonl: run 'chats-7' is not in .*chats\.jsonl"):
        read(path, given)


def test_what_is_written_reads_back_the_same(tmp_path, chats):
    more = [
        {"role": "user", "content": "Go on."},
        {"role": "system", "name": "Lead", "content": "Hurry."},
        {"role": "assistant", "name": "Lead", "content": None, "tool_calls": [CALL, {**CALL, "id": "c2"}]},
        {"role": "tool", "name": "times", "tool_call_id": "c2", "content": "neunzig – ×"},
    ]
    runs = read(written(tmp_path / "out.jsonl", TEAM, [*TEAM, *more]))
    chats.write(runs, tmp_path / "new" / "out.jsonl")
    assert [run.trajectory for run in read(tmp_path / "new" / "out.jsonl")] == [run.trajectory for run in runs]


@aegis.tool
def times(a, b):
    return a * b


@aegis.agent("Solver")
def solve(question):
    return f"{question} {times(12, b=8)} bottles"


@aegis.agent("Reporter")
def report(working):
    return f"Answer: {working}"


@aegis.trace
def team(question):
    return report(solve(question))


def test_a_recorded_run_is_written_and_read_with_its_tool_calls(tmp_path, chats):
    with aegis.record(team) as recording:
        team("How many?")
    run = recording.trajectory
    chats.write([LabelledRun(run)], tmp_path / "out.jsonl")
    (again,) = read(tmp_path / "out.jsonl")
    assert spoken(again.trajectory) == spoken(run)
    assert ("Solver", "tool_call", "times(a=12, b=8)") in spoken(run)
    assert again.trajectory.final_output == run.final_output == "Answer: How many? 96 bottles"


def changed(run, **more):
    return replace(run, trajectory=run.trajectory.model_copy(update=more))


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (lambda run: replace(run, labels=(labels("t-1"),)), "has labels"),
        (lambda run: changed(run, error=RunError(type="ValueError", message="no")), "ended with ValueError"),
        (lambda run: changed(run, final_output="96"), "final output is not the last message"),
        (lambda run: changed(run, task="a\ud800"), "task or agents"),
        (
            lambda run: changed(run, steps=(run.trajectory.steps[0].model_copy(update={"kind": "plan"}),)),
            "step 0, a plan of Reporter, would be read back with another kind",
        ),
    ],
)
def test_what_a_chat_cannot_hold_is_refused_and_nothing_is_written(tmp_path, chats, alter, reason):
    (run,) = read(written(tmp_path / "t.jsonl", [TASK, TEAM[6]]))
    with pytest.raises(StoreError, match=reason):
        chats.write([run, alter(run)], tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_nothing_is_written_over(tmp_path, chats):
    path = written(tmp_path / "t.jsonl", TEAM)
    before = path.read_bytes()
    for taken in (path, tmp_path / "new.json"):
        with pytest.raises(StoreError, match="name a new file"):
            chats.write(read(path), taken)
    assert path.read_bytes() == before
