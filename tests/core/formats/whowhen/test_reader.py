"""Who&When: what becomes of messages, labels and everything else; one test for each trap of the format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aegis_core.errors import StoreError
from aegis_core.faults import Fault
from aegis_core.formats.whowhen.reader import WhoWhen

LABEL = {"mistake_agent": "Coder", "mistake_step": "1", "mistake_reason": "The loop ends too early."}
AG = {
    "question": "How many primes are below 100?",
    "question_ID": "f81a",
    "level": "Medium",
    "ground_truth": "25",
    "is_correct": False,
    "history": [
        {"content": "Count them.", "name": "Number_Expert", "role": "assistant"},
        {"name": "Coder", "role": "user", "content": "print(24)"},
        {"content": "24", "role": "user", "name": "Computer_terminal"},
    ],
    "system_prompt": {"Number_Expert": "You know numbers.", "Coder": "You write code.", "Silent_Expert": "You wait."},
    **LABEL,
}
HC = {
    "question": "Where is the page?",
    "question_ID": "0" * 64,
    "ground_truth": "here",
    "is_corrected": False,
    "history": [
        {"content": "Where  is the\npage?", "role": "human"},
        {"content": "A plan.", "role": "Orchestrator (thought)"},
        {"content": "Look for it.", "role": "Orchestrator (-> WebSurfer)"},
        {"content": "Next speaker WebSurfer", "role": "Orchestrator (thought)"},
        {"content": "I found nothing.", "role": "WebSurfer"},
        {"content": "ls", "role": "Orchestrator (-> ComputerTerminal)"},
        {"content": "page.txt", "role": "ComputerTerminal"},
        {"content": "Write it up.", "role": "Orchestrator (-> Assistant)"},
        {"content": "No more rounds.", "role": "Orchestrator (termination condition)"},
    ],
    "mistake_agent": "WebSurfer",
    "mistake_step": "4",
    "mistake_reason": "It gave up.",
}


@pytest.fixture
def read(tmp_path: Path):
    """Reads one document as if it stood in `7.json`; fields with the value `...` are left out."""

    def read(document, **changes):
        content = {key: value for key, value in {**document, **changes}.items() if value is not ...}
        (tmp_path / "7.json").write_text(json.dumps(content), encoding="utf-8")
        (run,) = WhoWhen().read(tmp_path / "7.json")
        return run

    return read


def fault_of(run) -> Fault:
    ((fault,),) = (labels.faults for labels in run.labels)
    return fault


# -- steps and agents ---------------------------------------------------------------------------------------------


def test_speaker_is_the_name_where_there_is_one_and_role_a_chat_role(read):
    run = read(AG).trajectory
    assert [(step.agent, step.kind, step.text) for step in run.steps] == [
        ("Number_Expert", "message", "Count them."),
        ("Coder", "message", "print(24)"),
        ("Computer_terminal", "tool_result", "24"),
    ]
    assert [step.content[0].data for step in run.steps] == [{"role": "assistant"}, {"role": "user"}, {"role": "user"}]
    assert (run.run_id, run.system, run.task) == ("ag-7", "who-and-when/algorithm-generated", AG["question"])


def test_system_prompts_are_roles_and_silent_members_are_agents(read):
    agents = {agent.path: (agent.kind, agent.role) for agent in read(AG).trajectory.agents}
    assert agents == {
        "Number_Expert": ("worker", "You know numbers."),
        "Coder": ("worker", "You write code."),
        "Computer_terminal": ("tool", ""),
        "Silent_Expert": ("worker", "You wait."),
    }


def test_brackets_of_a_routing_label_say_what_a_message_is_and_to_whom_it_goes(read):
    run = read(HC).trajectory
    assert [(step.agent, step.kind, step.addressed_to) for step in run.steps] == [
        ("human", "message", ()),
        ("Orchestrator", "thought", ()),
        ("Orchestrator", "handoff", ("WebSurfer",)),
        ("Orchestrator", "thought", ()),
        ("WebSurfer", "message", ()),
        ("Orchestrator", "handoff", ("ComputerTerminal",)),
        ("ComputerTerminal", "tool_result", ()),
        ("Orchestrator", "handoff", ("Assistant",)),
        ("Orchestrator", "message", ()),
    ]
    assert run.steps[8].content[0].data == {"role": "Orchestrator (termination condition)"}
    assert (run.run_id, run.system) == ("hc-7", "who-and-when/hand-crafted")


def test_kinds_of_agents_follow_from_what_they_do(read):
    kinds = [(agent.path, agent.kind) for agent in read(HC).trajectory.agents]
    assert kinds == [
        ("human", "user"),
        ("Orchestrator", "manager"),
        ("WebSurfer", "worker"),
        ("ComputerTerminal", "tool"),
        ("Assistant", "worker"),  # was spoken to, never spoke
    ]


def test_turn_lasts_until_another_speaks(read):
    turns = [(step.agent, step.turn) for step in read(HC).trajectory.steps]
    assert [turn for agent, turn in turns if agent == "Orchestrator"] == [1, 1, 1, 2, 3, 3]


def test_unknown_brackets_are_kept_and_doubted(read):
    history = [*HC["history"], {"content": "Hm.", "role": "Orchestrator (aside)"}]
    run = read(HC, history=history)
    assert (run.trajectory.steps[-1].agent, run.trajectory.steps[-1].kind) == ("Orchestrator", "message")
    assert run.doubts == ("routing: 'aside' in brackets is not known; read as a plain message",)


def test_names_with_brackets_are_names(read):
    history = [{**item, "name": "Expert (retired)"} for item in AG["history"]]
    assert {step.agent for step in read(AG, history=history, mistake_agent="Expert (retired)").trajectory.steps} == {
        "Expert (retired)"
    }


def test_empty_name_is_none_as_copies_write_it(read):
    history = [{**item, "name": name} for item, name in zip(HC["history"], ["", None] * 5, strict=False)]
    assert read(HC, history=history).trajectory == read(HC).trajectory


def test_messages_with_and_without_names_are_an_error(read):
    history = [*AG["history"], {"content": "?", "role": "human"}]
    with pytest.raises(StoreError, match=r"7\.json: history\[3\] has no name, unlike those before it"):
        read(AG, history=history)


# -- labels -------------------------------------------------------------------------------------------------------


def test_label_is_a_cause_without_a_mode_at_the_index_of_the_message(read):
    run = read(AG)
    assert fault_of(run) == Fault(agent="Coder", step=1, mode=None, role="cause", origin="whowhen")
    assert (run.labels[0].run_id, run.labels[0].case_id, run.group, run.doubts) == ("ag-7", "f81a", "f81a", ())


@pytest.mark.parametrize(
    "step", ["3", "-1", "one", "1.0", " 1", "1 ", "+1", "²", "١", 1, 1.0, True, [1], {"step": "1"}, "9" * 5000]
)
def test_anything_but_digits_within_the_run_is_no_step(read, step):
    with pytest.raises(StoreError, match=r"7\.json, field mistake_step: .* is no step of this run; .* '0' to '2'"):
        read(AG, mistake_step=step)


@pytest.mark.parametrize(("step", "index"), [("0", 0), ("2", 2), ("01", 1)])
def test_steps_count_from_zero(read, step, index):
    assert fault_of(read(AG, mistake_step=step)).step == index


def test_label_and_speaker_that_differ_are_told_and_not_repaired(read):
    run = read(AG, mistake_step="2")
    assert (fault_of(run).agent, fault_of(run).step) == ("Coder", 2)
    assert run.doubts == ("label: 'Coder' is blamed, but 'Computer_terminal' speaks at step 2",)


def test_other_spelling_is_told_and_kept(read):
    run = read(HC, mistake_agent="Websurfer")
    assert fault_of(run).agent == "Websurfer"
    assert run.doubts == ("label: 'Websurfer' is blamed, who is spelled 'WebSurfer' in the run",)


def test_orchestrator_is_whoever_has_it_before_the_bracket(read):
    assert read(HC, mistake_agent="Orchestrator", mistake_step="2").doubts == ()


def test_blame_of_a_stranger_is_told_and_kept(read):
    run = read(HC, mistake_agent="VideoSurfer")
    assert fault_of(run).agent == "VideoSurfer"
    assert run.doubts[0].startswith(
        "label: 'VideoSurfer' is blamed, who is not in the run; known: human, Orchestrator,"
    )
    assert run.doubts[1] == "label: 'VideoSurfer' is blamed, but 'WebSurfer' speaks at step 4"


@pytest.mark.parametrize("nothing", [..., None, ""])
def test_run_without_a_label_is_an_unlabelled_run(read, nothing):
    run = read(AG, mistake_agent=nothing, mistake_step=nothing, mistake_reason=nothing)
    assert (run.labels, run.doubts, run.group) == ((), (), "f81a")


def test_half_a_label_is_told(read):
    run = read(AG, mistake_step=...)
    assert (fault_of(run).step, run.doubts) == (None, ("label: 'Coder' is blamed, but at no step",))
    run = read(AG, mistake_agent=...)
    assert (run.labels, run.source["mistake_step"]) == ((), "1")
    assert run.doubts == ("label: step 1 is blamed, but no agent, so the run counts as unlabelled",)


# -- the wall -----------------------------------------------------------------------------------------------------

BEYOND = {
    "mistake_agent": "Number_Expert",
    "mistake_step": "0",
    "mistake_reason": "Another reason altogether.",
    "mistake_type": "Processing Error",
    "labels": "more",
    "is_correct": True,
    "is_corrected": True,
    "ground_truth": "26",
    "level": 3,
    "question_ID": "c0ffee",
}


@pytest.mark.parametrize("field", BEYOND)
def test_no_field_beyond_the_wall_changes_the_trajectory(read, field):
    plain, changed = read(AG), read(AG, **{field: BEYOND[field]})
    assert changed.trajectory == plain.trajectory
    assert (changed.source, changed.group) != (plain.source, plain.group)


def test_all_that_has_no_place_in_the_trajectory_is_kept_beyond_the_wall(read):
    assert read(AG).source == {**LABEL, "level": "Medium", "ground_truth": "25", "is_correct": False}
    assert read(HC, level=3, mistake_type="wrong_reasoning").source["level"] == 3


def test_spelling_of_copies_is_understood(read):
    run = read(HC, ground_truth=..., groundtruth="here")
    assert (run.source["ground_truth"], run.doubts) == ("here", ())


def test_unknown_fields_are_kept_and_doubted(read):
    history = [{**item, "step": 0} for item in AG["history"]]
    run = read(AG, history=history, topology="star")
    assert run.source["topology"] == "star"
    assert run.doubts == (
        "fields: topology are none of Who&When; they were kept beyond the wall",
        "history: its messages have fields step, which were left out",
    )
    assert run.trajectory == read(AG).trajectory


def test_question_that_the_human_puts_otherwise_is_told(read):
    run = read(HC, question="Where was the page?")
    assert run.doubts == ("question: differs from the first message, which the human speaks, in more than white space",)
    assert run.trajectory.task == "Where was the page?"


def test_group_is_the_question_where_its_id_is_missing(read):
    run = read(AG, question_ID=...)
    assert run.group == run.labels[0].case_id == AG["question"]
    assert run.doubts == ("question_ID: is missing, so the question itself stands for it",)


def test_halves_of_surrogate_pairs_are_replaced_and_told(read):
    run = read(AG, question="Why \ud83d?")
    assert (run.trajectory.task, run.doubts) == (
        "Why \ufffd?",
        ("text: halves of surrogate pairs were replaced by U+FFFD",),
    )


# -- files --------------------------------------------------------------------------------------------------------


def test_numbers_order_the_files_of_a_folder_and_subsets_have_ids_of_their_own(tmp_path):
    for folder, document in (("b", AG), ("a", HC)):
        (tmp_path / folder).mkdir()
        for number in (10, 9):
            (tmp_path / folder / f"{number}.json").write_text(json.dumps(document), encoding="utf-8")
    (tmp_path / "README.md").write_text("Runs.", encoding="utf-8")
    runs = WhoWhen().read(tmp_path)
    assert [run.trajectory.run_id for run in runs] == ["hc-9", "hc-10", "ag-9", "ag-10"]


def test_case_of_a_suffix_does_not_matter(tmp_path):
    (tmp_path / "3.JSON").write_text(json.dumps(AG), encoding="utf-8")
    assert WhoWhen().sniff(tmp_path)
    assert [run.trajectory.run_id for run in WhoWhen().read(tmp_path)] == ["ag-3"]


def test_rows_of_a_copy_are_read_from_a_list_and_from_lines(tmp_path):
    (tmp_path / "train.json").write_text(json.dumps([AG, HC]), encoding="utf-8")
    (tmp_path / "train.jsonl").write_text(f"{json.dumps(AG)}\n\n{json.dumps(HC)}\n", encoding="utf-8")
    by_list, by_line = (list(WhoWhen().read(tmp_path / name)) for name in ("train.json", "train.jsonl"))
    assert by_list == by_line
    assert [run.trajectory.run_id for run in by_list] == ["ag-train-0", "hc-train-1"]
    assert all(WhoWhen().sniff(tmp_path / name) for name in ("train.json", "train.jsonl"))


def test_two_files_that_give_one_id_are_an_error_that_names_both(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "1.json").write_text(json.dumps(AG), encoding="utf-8")
    with pytest.raises(StoreError, match=r"b.1\.json: gives the same run id, 'ag-1', as .*a.1\.json"):
        list(WhoWhen().read(tmp_path))


BAD = {
    "not json": ('{"question": ', r"2\.json: is not JSON \(.*line 1 column 14.*\); restore"),
    "too deep": ("[" * 100_000, r"2\.json: is not JSON"),
    "another kind": ("3", r"2\.json: is no run of Who&When but a number"),
    "a row of another kind": ("[3]", r"2\.json, row 0: is no run of Who&When but a number"),
    "a field missing": ('{"question": "?"}', r"2\.json: is no run of Who&When: field history: Field required"),
    "no messages": (json.dumps({**AG, "history": []}), r"field history: .*at least 1 item"),
    "no text": (
        json.dumps({**AG, "history": [{"content": None, "role": "user", "name": "A"}]}),
        r"field history\[0\]\.content: Input should be a valid string",
    ),
    "a number as text": (json.dumps({**AG, "question": 7}), r"field question: Input should be a valid string"),
    "no speaker": (json.dumps({**HC, "history": [{"content": "?", "role": " "}]}), r"field history\[0\]\.role"),
    "a step out of the run": (json.dumps({**AG, "mistake_step": "9"}), r"2\.json, field mistake_step: '9' is no step"),
}


@pytest.mark.parametrize(("text", "says"), BAD.values(), ids=BAD)
def test_one_bad_file_of_a_folder_is_named_with_its_place(tmp_path, text, says):
    (tmp_path / "1.json").write_text(json.dumps(AG), encoding="utf-8")
    (tmp_path / "2.json").write_text(text, encoding="utf-8")
    assert WhoWhen().sniff(tmp_path)
    runs = WhoWhen().read(tmp_path)
    assert next(runs).trajectory.run_id == "ag-1"
    with pytest.raises(StoreError, match=says):
        next(runs)


def test_bytes_that_are_no_utf_8_are_named(tmp_path):
    (tmp_path / "1.json").write_bytes(b'{"question": "caf\xe9"}')
    with pytest.raises(StoreError, match=r"1\.json: byte 18 \(0xe9\) is not UTF-8; save the file as UTF-8"):
        list(WhoWhen().read(tmp_path))
    assert not WhoWhen().sniff(tmp_path)


def test_byte_order_mark_does_no_harm(tmp_path):
    (tmp_path / "1.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(AG).encode())
    assert WhoWhen().sniff(tmp_path)
    assert [run.trajectory.run_id for run in WhoWhen().read(tmp_path)] == ["ag-1"]


def test_folder_without_json_is_an_error(tmp_path):
    with pytest.raises(StoreError, match=r"holds no \.json or \.jsonl file"):
        list(WhoWhen().read(tmp_path))


def test_labels_in_a_file_of_their_own_are_refused(tmp_path):
    with pytest.raises(StoreError, match="the labels stand in the files of the runs"):
        WhoWhen().read(tmp_path, tmp_path / "labels.json")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["", " ", "()", "a (->)", "/"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([AG, HC]),
    st.sampled_from([*{**AG, **HC}, "new"]),
    st.sampled_from(["", "content", "role", "name"]),
    JSON,
)
def test_whatever_a_field_holds_it_is_a_run_or_an_error_in_words(tmp_path, document, field, within, value):
    changed = {**document, field: value}
    if within:
        changed["history"] = [*document["history"][:-1], {**document["history"][-1], within: value}]
    (tmp_path / "1.json").write_text(json.dumps(changed), encoding="utf-8")
    WhoWhen().sniff(tmp_path)
    told, steps = "", None
    try:
        (run,) = WhoWhen().read(tmp_path)
        steps = run.trajectory.steps
    except StoreError as error:
        told = str(error)
    assert "1.json" in told if steps is None else len(steps) == len(changed["history"])


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        [{"content": "?", "role": "human"}],
        {"question": "?", "history": []},
        {"question": "?", "history": [{"content": "?", "role": "user"}]},
        {"question_ID": "1", "history": [{"content": "?", "role": "user"}]},
    ],
)
def test_other_json_is_not_taken_for_who_and_when(tmp_path, value):
    (tmp_path / "1.json").write_text(json.dumps(value), encoding="utf-8")
    assert not WhoWhen().sniff(tmp_path / "1.json")
    assert not WhoWhen().sniff(tmp_path)
    assert not WhoWhen().sniff(tmp_path / "2.json")
