"""Steps and tape come out in canonical order, whatever the order in which they came in."""

from __future__ import annotations

from aegis_core.adapter import Part
from aegis_core.faults import Moment
from aegis_core.run.recorder import OrderKey, Recorder, after

READER = Part(id="in", text="alpha wave, beta wave, gamma")


def recorder_with(*steps: tuple[str, str, OrderKey]) -> Recorder:
    recorder = Recorder()
    for agent, text, order in steps:
        recorder.step(agent, "message", text, moment=Moment(agent=agent), order=order)
    return recorder


def test_what_ends_a_turn_stands_after_all_that_happened_inside() -> None:
    recorder = recorder_with(
        ("a", "end", after((0, 1, "x"))), ("b", "inside", (0, 1, "x", 2, "y")), ("a", "in", (0, 1, "x"))
    )
    assert [step.text for step in recorder.steps()] == ["in", "inside", "end"]
    assert after(()) == ()


def test_only_steps_that_came_before_are_sources() -> None:
    recorder = recorder_with(("a", "alpha wave", (0, 1, "x")), ("b", "beta wave", (0, 2, "x")))
    _, parents = recorder.sources((READER,), "c", precedes=lambda order: order[1] == 1)
    assert parents == (0,)
    assert [step.visible_to for step in recorder.steps()] == [("c",), ()]


def test_a_text_that_was_seen_before_is_compared_with_steps_that_came_since() -> None:
    recorder = recorder_with(("a", "alpha wave", (0, 2, "x")))
    assert recorder.sources((READER,), "r")[1] == (0,)
    recorder.step("b", "message", "beta wave", order=(0, 3, "x"))
    recorder.step("c", "message", READER.text, order=(0, 1, "x"))
    (authored,), parents = recorder.sources((READER,), "r")
    assert (authored.author, parents) == ("c", (2, 0, 1))


def test_the_last_of_those_who_said_a_text_is_its_author_whoever_was_recorded_last() -> None:
    recorder = recorder_with(("late", READER.text, (0, 2, "x")), ("early", READER.text, (0, 1, "x")))
    (authored,), parents = recorder.sources((READER,), "r")
    assert (authored.author, parents) == ("late", (0,))
    assert [step.visible_to for step in recorder.steps()] == [(), ("r",)]


def test_a_text_that_comes_twice_is_that_of_the_last_two_who_said_it() -> None:
    recorder = recorder_with(("a", "OK", ()), ("b", "OK", ()), ("c", "OK", ()))
    parts = (Part(id="1", text="OK"), Part(id="2", text="OK"))
    authored, parents = recorder.sources(parts, "r")
    assert ([part.author for part in authored], parents) == (["b", "c"], (1, 2))


def test_what_the_reader_said_itself_does_not_hide_that_another_said_the_same() -> None:
    recorder = recorder_with(("a", "OK", ()), ("r", "OK", ()))
    _, parents = recorder.sources((Part(id="1", text="OK", role="user"),), "r")
    assert parents == (0,)
    recorder.step("b", "message", "OK")
    history = (Part(id="1", text="OK", role="user"), Part(id="2", text="OK", role="assistant"),
               Part(id="3", text="OK", role="user"))  # fmt: skip
    authored, parents = recorder.sources(history, "r")
    assert ([part.author for part in authored], parents) == (["a", "", "b"], (0, 2))


def test_with_the_result_of_a_tool_the_agent_inside_the_tool_is_read() -> None:
    recorder = recorder_with(("Desk/Clerk", "OK", ()))
    recorder.step("Desk", "tool_result", "OK")
    _, parents = recorder.sources((Part(id="1", text="OK", role="user"),), "Boss")
    assert parents == (1, 0)
    _, parents = recorder.sources((Part(id="2", text="OK", role="tool"),), "Desk")
    assert parents == (0,)


def test_of_steps_that_say_the_same_a_quotation_is_of_the_latest() -> None:
    recorder = recorder_with(("a", "twelve boxes", ()), ("b", "twelve boxes", ()))
    _, parents = recorder.sources((Part(id="in", text="They say: twelve boxes"),), "r")
    assert parents == (1,)


def test_what_an_adapter_knows_by_number_is_not_judged_by_its_text() -> None:
    recorder = recorder_with(("a", "OK", ()), ("b", "OK", ()))
    parts = (Part(id="first", text="OK"), Part(id="task", text="OK"), Part(id="reworded", text="said otherwise"))
    authored, parents = recorder.sources(parts, "r", known={"first": (0,), "task": (), "reworded": (1,)})
    assert ([part.author for part in authored], parents) == (["a", "", "b"], (0, 1))
    assert [step.visible_to for step in recorder.steps()] == [("r",), ("r",)]


def test_who_is_shown_a_step_by_number_is_shown_what_it_quotes_of_those_that_led_to_it() -> None:
    recorder = recorder_with(("a", "twelve boxes", ()), ("x", "twelve boxes", ()))
    recorder.step("b", "message", "I was told: twelve boxes.", parents=(0,))
    (authored,), parents = recorder.sources((Part(id="1", text="as b has it"),), "r", known={"1": (2,)})
    assert (authored.author, parents) == ("b", (0, 2))
    assert [step.visible_to for step in recorder.steps()] == [("r",), (), ("r",)]


def test_a_short_text_at_the_end_of_a_line_is_told() -> None:
    recorder = recorder_with(("a", "79", ()))
    for number, (text, expected) in enumerate(
        [("Answer of a: 79\nGo on.", (0,)), ("Before:\n79\nafter", (0,)), ("1: 179", ()), ("it has 79 boxes", ())]
    ):
        _, parents = recorder.sources((Part(id=str(number), text=text),), "r")
        assert parents == expected, text


def test_readers_are_sorted_however_they_arrive() -> None:
    recorder = recorder_with(("a", "alpha wave", ()))
    for reader in ("z", "b"):
        recorder.sources((READER,), reader)
    assert recorder.steps()[0].visible_to == ("b", "z")


def test_an_altered_text_in_a_memory_still_comes_from_the_step_that_it_was_made_from() -> None:
    recorder = recorder_with(("a", "alpha beta", ()))
    recorder.altered("alpha beta", "alpha, and keep it short, beta")
    again = Part(id="in", text="alpha, and keep it short, beta")
    quoted = Part(id="in", text="a said: alpha, and keep it short, beta")
    (authored, within), parents = recorder.sources((again, quoted), "c")
    assert (authored.author, within.author, authored.text) == ("a", "", again.text)
    assert parents == (0,)
    assert recorder.steps()[0].visible_to == ("c",)


def test_what_happened_inside_a_call_is_told_by_its_order_key() -> None:
    recorder = recorder_with(
        ("b", "second", (0, 1, "x", 2, "y")), ("c", "beside", (0, 1, "z")), ("b", "first", (0, 1, "x", 1, "y"))
    )
    inside = recorder.inside(-1, None, (0, 1, "x"))
    assert [step.text for step in inside] == ["first", "second"]
    own = recorder.inside(-1, Moment(agent="c"))
    assert [step.text for step in own] == ["beside"]


def test_a_short_text_is_the_source_of_an_equal_one_alone() -> None:
    recorder = recorder_with(("a", "79", ()))
    _, parents = recorder.sources((Part(id="in", text="179 boxes"),), "b")
    assert parents == ()
    _, parents = recorder.sources((Part(id="in", text="79"),), "c")
    assert parents == (0,)
    assert recorder.steps()[0].visible_to == ("c",)
