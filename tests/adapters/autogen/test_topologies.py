"""Each kind of team is recorded as it ran: who, what, in which order, for whom, with which usage."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from autogen_agentchat.messages import BaseChatMessage

from aegis_core.trajectory import Usage
from tests.adapters.autogen import teams
from tests.adapters.autogen.models import Book
from tests.adapters.autogen.running import TASK, Appends, altered, ran, served, spent, target

pytestmark = pytest.mark.framework


@pytest.mark.case("autogen-1")
def test_round_robin_members_speak_in_turn_to_all() -> None:
    done = ran(teams.round_robin())
    assert done.told == ["a:message", "b:message", "a:message", "b:message"]
    assert [step.turn for step in done.steps] == [1, 1, 2, 2]
    assert [step.visible_to for step in done.steps] == [("b",), ("a",), ("b",), ("a",)]
    assert all(step.index - 1 in step.parents for step in done.steps[1:])
    assert done.trajectory.task == TASK
    assert done.trajectory.final_output == done.steps[-1].text


@pytest.mark.case("autogen-5")
def test_a_selector_is_a_manager_whose_choices_and_usage_are_told() -> None:
    book = Book()
    done = ran(teams.selector(book))
    manager = "SelectorGroupChatManager"
    assert done.told == [
        f"{manager}:handoff", "x:message", f"{manager}:handoff", "y:message", f"{manager}:handoff", "z:message",
    ]  # fmt: skip
    assert [step.addressed_to for step in done.of(manager, "handoff")] == [("x",), ("y",), ("z",)]
    assert {agent.path: agent.kind for agent in done.trajectory.agents}[manager] == "manager"
    assert [step.usage for step in done.of(manager, "handoff")] == [Usage(input_tokens=1, output_tokens=7)] * 3
    entries = [str(entry.key) for entry in done.run.tape().entries if entry.key.kind == "model"]
    assert [key for key in entries if key.startswith(manager)] == [f"{manager} turn {n}, model 1" for n in (1, 2, 3)]


@pytest.mark.case("autogen-5")
def test_the_selector_is_shown_what_was_corrupted() -> None:
    book = Book()
    done = altered(lambda: teams.selector(book), target("x", "response_corruption", "outgoing"))
    prompts = [texts[0] for texts in book.of("SelectorGroupChatManager")]
    assert [" ALTERED" in prompt for prompt in prompts] == [False, True, True]
    assert " ALTERED" in book.of("y")[0][-1]
    assert done.of("x")[0].text.endswith(" ALTERED")


@pytest.mark.case("autogen-5")
def test_a_selection_can_be_redirected() -> None:
    clean = ran(teams.selector())
    injector = Appends("", route="z")
    done = altered(
        teams.selector, target("SelectorGroupChatManager", "response_corruption", "outgoing"), clean=clean,
        injector=injector,
    )  # fmt: skip
    assert done.told[:2] == ["SelectorGroupChatManager:handoff", "z:message"]
    assert done.steps[0].addressed_to == ("z",)


def test_a_choice_between_one_candidate_asks_nobody_and_is_no_turn() -> None:
    from autogen_agentchat.teams import SelectorGroupChat

    from tests.adapters.autogen.models import Client

    book = Book()
    members: Any = [teams.assistant(book, name) for name in ("x", "y")]
    team = SelectorGroupChat(members, model_client=Client(book, "selector", lambda *_: "x"), max_turns=3)
    done = ran(team)
    assert done.told == ["SelectorGroupChatManager:handoff", "x:message", "y:message", "x:message"]


@pytest.mark.case("autogen-6")
def test_a_swarm_hands_over_with_its_tools_told() -> None:
    done = ran(teams.swarm())
    assert done.told == [
        "a:tool_call", "a:tool_result", "a:tool_call", "a:tool_result", "a:handoff", "b:message",
    ]  # fmt: skip
    look, found, transfer, transferred, handoff, _ = done.steps
    assert look.text == 'look(place="hall 2")'
    assert found.text == "9 crates in hall 2"
    assert look.call_id == found.call_id
    assert transfer.call_id == transferred.call_id
    assert transfer.text.startswith("transfer_to_b")
    assert handoff.addressed_to == ("b",)


@pytest.mark.case("autogen-6")
def test_a_redirected_hand_off_makes_the_other_act() -> None:
    book = Book()
    clean = ran(teams.swarm())
    done = altered(
        lambda: teams.swarm(book), target("a", "response_corruption", "outgoing"), clean=clean,
        injector=Appends("", route="c"),
    )  # fmt: skip
    assert done.told[-2:] == ["a:handoff", "c:message"]
    assert done.steps[-2].addressed_to == ("c",)
    assert done.steps[2].text.startswith("transfer_to_b"), "what the model asked for stays told"
    assert book.owners == ["c"]


@pytest.mark.case("autogen-7")
@pytest.mark.parametrize("delays", [(0.0, 0.02), (0.02, 0.0)])
def test_parallel_branches_are_told_in_the_order_of_the_graph(delays: tuple[float, float]) -> None:
    done = ran(teams.graph(delays=delays))
    assert done.told == ["a:message", "b:message", "c:message", "d:message"]
    assert [step.parents for step in done.steps] == [(), (0,), (0,), (0, 1, 2)]


@pytest.mark.case("autogen-7")
@pytest.mark.parametrize("delays", [(0.0, 0.02), (0.02, 0.0)])
def test_a_join_is_shown_its_branches_as_they_arrive_with_aegis_and_without(delays: tuple[float, float]) -> None:
    """What AutoGen shows to d depends on who is quicker; all of it is new to d, the task and a's message too."""
    plain, recorded = Book(), Book()
    asyncio.run(teams.graph(plain, delays=delays).run(task=TASK))
    done = ran(teams.graph(recorded, delays=delays))
    assert recorded.of("d") == plain.of("d")
    quicker = ["b", "c"] if delays[0] < delays[1] else ["c", "b"]
    assert [text[0] for text in plain.of("d")[0][-3:]] == ["a", *quicker]
    (join,) = done.of("d")
    assert {done.steps[parent].agent for parent in join.parents} == {"a", "b", "c"}


@pytest.mark.case("autogen-7")
def test_a_join_that_heard_the_quicker_branch_first_hears_it_first_when_served() -> None:
    clean = ran(teams.graph(delays=(0.02, 0.0)))
    assert served(teams.graph, clean).canonical[:2] == clean.canonical[:2]
    book = Book()
    altered(lambda: teams.graph(book), target("b", "response_corruption", "outgoing"), clean=clean)
    assert [text[:2] for text in book.of("d")[0][-2:]] == ["c<", "b<"]


@pytest.mark.case("autogen-8")
def test_an_orchestrator_plans_instructs_and_answers() -> None:
    book = Book()
    done = ran(teams.magentic(book))
    orchestrator = "MagenticOneOrchestrator"
    assert done.told == [
        f"{orchestrator}:plan", f"{orchestrator}:message", "a:message", f"{orchestrator}:message", "b:message",
        f"{orchestrator}:message",
    ]  # fmt: skip
    plan, to_a, _, to_b, _, final = done.steps
    assert "PLAN" in plan.text
    assert (to_a.text, to_a.addressed_to) == ("look, a", ("a",))
    assert (to_b.text, to_b.addressed_to) == ("now count, b", ("b",))
    assert final.addressed_to == ()
    assert done.trajectory.final_output == final.text
    asked = [entry for entry in done.run.tape().entries if entry.key.kind == "model"]
    own = [entry for entry in asked if entry.key.moment.agent == orchestrator]
    assert len(own) == 6
    assert [step.usage.output_tokens for step in done.of(orchestrator, "plan")] == [14], "facts and plan"
    assert [step.usage.output_tokens for step in done.of(orchestrator)] == [7, 7, 14], "and a ledger before the answer"


@pytest.mark.case("autogen-8")
def test_an_orchestrator_s_instruction_can_be_corrupted_and_redirected() -> None:
    orchestrator = "MagenticOneOrchestrator"
    clean = ran(teams.magentic())
    book = Book()
    done = altered(
        lambda: teams.magentic(book), target(orchestrator, "response_corruption", "outgoing", turn=2), clean=clean
    )
    assert done.steps[1].text == "look, a ALTERED"
    assert any("look, a ALTERED" in text for text in book.of("a")[0])
    assert not any("ALTERED" in text for texts in book.of(orchestrator) for text in texts if "a<" not in text)
    said = [message.to_text() for message in done.result.messages]
    assert "look, a ALTERED" in said
    sent = altered(
        teams.magentic, target(orchestrator, "response_corruption", "outgoing", turn=2), clean=clean,
        injector=Appends("", route="b"),
    )  # fmt: skip
    assert sent.told[:3] == [f"{orchestrator}:plan", f"{orchestrator}:message", "b:message"]


@pytest.mark.case("autogen-8")
def test_the_ledger_stays_a_ledger_when_it_is_corrupted() -> None:
    orchestrator = "MagenticOneOrchestrator"
    clean = ran(teams.magentic())
    book = Book()
    done = altered(
        lambda: teams.magentic(book), target(orchestrator, "response_corruption", "belief", turn=2), clean=clean
    )
    assert done.steps[1].text == "look, a ALTERED"
    assert any("look, a ALTERED" in text for texts in book.of(orchestrator) for text in texts)


@pytest.mark.case("autogen-9")
@pytest.mark.case("autogen-N7")
def test_a_society_of_mind_is_told_with_its_members_once_each() -> None:
    done = ran(teams.society())
    assert done.told == ["som/a:message", "som/b:message", "som:message", "c:message"]
    assert len({step.text for step in done.steps}) == 4


@pytest.mark.case("autogen-10")
@pytest.mark.parametrize("shared", [False, True])
def test_an_agent_as_a_tool_is_told_inside_the_call(shared: bool) -> None:
    from tests.adapters.autogen.models import Client, call

    book = Book()

    def reply(texts: list[str], tools: list[str]) -> Any:
        asked = any("[inner]" in text for text in texts)
        if tools and not asked:
            return [call("inner", '{"task": "count for me"}')]
        who = "inner" if texts[0] == "You are inner." else "outer" if texts[0] == "You are outer." else "c"
        return f"[{who}] of {len(texts)}"

    client = Client(book, "all", reply) if shared else None
    done = ran(teams.agent_tool(book, client=client))
    assert done.told == [
        "outer:tool_call", "outer/inner:message", "outer:tool_result", "outer:message", "c:message",
    ]  # fmt: skip
    (inner,) = done.of("outer/inner")
    assert inner.text in done.of("outer", "tool_result")[0].text
    keys = [entry.key for entry in done.run.tape().entries if entry.key.kind == "model"]
    assert [key.moment.agent for key in keys] == ["outer", "outer/inner", "outer", "c"]
    assert inner.usage == Usage(input_tokens=2, output_tokens=7)


TOPOLOGIES = {
    "round robin": teams.round_robin,
    "selector": teams.selector,
    "swarm": teams.swarm,
    "graph": teams.graph,
    "loop": teams.loop,
    "magentic": teams.magentic,
    "society": teams.society,
    "agent tool": teams.agent_tool,
}
"""Builders of fresh teams."""


@pytest.mark.case("autogen-8")
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_the_usage_of_the_steps_is_that_of_all_model_calls(name: str) -> None:
    clean = ran(TOPOLOGIES[name]())
    told, recorded = spent(clean)
    assert told == recorded
    assert told.output_tokens > 0
    assert spent(served(TOPOLOGIES[name], clean)) == (told, told)


@pytest.mark.case("autogen-15")
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_topology_is_served_from_its_tape_without_a_live_call(name: str) -> None:
    clean = ran(TOPOLOGIES[name]())
    book = Book()
    again = served(lambda: TOPOLOGIES[name](book), clean)
    assert book.shown == []
    assert book.used == []
    assert again.canonical[0].steps == clean.canonical[0].steps
    assert again.canonical[1] == clean.canonical[1]


@pytest.mark.case("autogen-15")
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_topology_goes_live_behind_any_turn(name: str) -> None:
    """Corrupt each turn in turn: before it nothing is asked, the steps before it are those of the clean run."""
    clean = ran(TOPOLOGIES[name]())
    steps = clean.canonical[0].steps
    for moment in clean.run.tape().moments():
        if clean.of(moment.agent, "handoff") and not clean.of(moment.agent):
            continue  # a choice or a hand-off: no text to corrupt
        book = Book()

        def build(book: Book = book) -> Any:
            return TOPOLOGIES[name](book)

        done = altered(build, target(moment.agent, "response_corruption", "outgoing", turn=moment.turn), clean=clean)
        own = next(step.index for step in steps if (step.agent, step.turn) == (moment.agent, moment.turn))
        before = [(step.agent, step.kind, step.text) for step in steps[:own]]
        assert [(step.agent, step.kind, step.text) for step in done.steps[:own]] == before
        entries = clean.run.tape().entries
        end = next(at for at, entry in enumerate(entries) if (entry.key.moment, entry.key.kind) == (moment, "output"))
        around = [entry for entry in entries[:end] if moment.agent.startswith(f"{entry.key.moment.agent}/")]
        left = [entry for entry in (*around, *entries[end:]) if entry.key.kind == "model"]  # what a turn is in goes on
        assert len(book.owners) <= len(left), f"{moment}: asked live: {book.owners}"


@pytest.mark.case("autogen-15")
@pytest.mark.case("autogen-N1")
@pytest.mark.case("autogen-N2")
@pytest.mark.parametrize(("name", "issue"), [("magentic", "#5054"), ("loop", "#7043"), ("round robin", "saved state")])
def test_no_run_starts_from_a_saved_state_and_it_is_said_why(name: str, issue: str) -> None:
    from tests.adapters.autogen.running import ADAPTER

    found = ADAPTER.capabilities(TOPOLOGIES[name]())
    assert found.fork is False
    assert found.replay == ("call",)
    assert any(issue in note for note in found.notes)


@pytest.mark.case("autogen-15")
@pytest.mark.parametrize("name", ["round robin", "selector", "swarm"])
def test_a_team_that_starts_from_a_saved_state_counts_its_messages_anew_without_aegis(name: str) -> None:
    """Why no run starts from one: it ends later than the run whose state it is."""
    from autogen_agentchat.conditions import MaxMessageTermination

    def built(turns: int | None = None) -> Any:
        team: Any = teams.selector(emits=False) if name == "selector" else TOPOLOGIES[name]()
        team._termination_condition, team._max_turns = MaxMessageTermination(3), turns
        return team

    async def spoken(team: Any, **task: Any) -> int:
        result = await team.run(**task)
        return sum(isinstance(message, BaseChatMessage) for message in result.messages)

    async def play() -> tuple[int, int]:
        whole = await spoken(built(), task=TASK)
        first, second = built(turns=1), built()
        before = await spoken(first, task=TASK)
        await second.load_state(await first.save_state())
        return whole, before + await spoken(second)

    whole, resumed = asyncio.run(play())
    assert (whole, resumed) == (3, 5)


@pytest.mark.case("autogen-N1")
def test_a_loop_is_served_to_its_middle_and_goes_on_looping() -> None:
    clean = ran(teams.loop())
    assert clean.told == ["write:message", "review:message"] * 3 + ["out:message"]
    done = altered(teams.loop, target("write", "response_corruption", "outgoing", turn=2), clean=clean)
    assert done.told == clean.told
    assert done.of("write")[1].text.endswith(" ALTERED")


@pytest.mark.case("autogen-6")
def test_a_hand_off_to_the_user_is_addressed_to_the_user_and_goes_on_with_the_answer() -> None:
    from autogen_agentchat.conditions import HandoffTermination, TextMentionTermination
    from autogen_agentchat.messages import HandoffMessage
    from autogen_agentchat.teams import Swarm

    from tests.adapters.autogen.models import call
    from tests.adapters.autogen.running import ADAPTER

    def reply(texts: list[str], _: list[str]) -> Any:
        return "thanks" if "nine" in texts[-1] else [call("transfer_to_user")]

    async def use(app: Any) -> Any:
        await app.run(task=TASK)
        return await app.run(task=HandoffMessage(content="nine", source="user", target="a"))

    a = teams.assistant(Book(), "a", reply, handoffs=["user"])
    team = Swarm([a], termination_condition=HandoffTermination("user") | TextMentionTermination("thanks"))
    done = ran(team, use=use)
    (handoff,) = done.of("a", "handoff")
    assert handoff.addressed_to == ("user",)
    assert done.trajectory.agents == ADAPTER.agents(team)
    assert done.trajectory.agent("user").kind == "user"
    assert done.run.separate_calls == 1


@pytest.mark.case("autogen-8")
def test_an_orchestrator_that_sees_no_progress_plans_again() -> None:
    from autogen_agentchat.teams import MagenticOneGroupChat

    from tests.adapters.autogen.models import Client

    def reply(texts: list[str], more: list[str]) -> str:
        last, history = texts[-1], "\n".join(texts[:-1])
        if "rewrite the following fact sheet" in last:
            return "NEW FACTS"
        if "what went wrong" in last:
            return "NEW PLAN"
        if "pure JSON" in last and "NEW PLAN" not in history:
            return teams.ledger("a", "stuck").replace(
                '"is_progress_being_made": {"reason": "because", "answer": true}',
                '"is_progress_being_made": {"reason": "because", "answer": false}',
            )
        return teams.orchestrate(texts, more)

    def team(book: Book | None = None) -> Any:
        book = book or Book()
        members: Any = [teams.assistant(book, name) for name in ("a", "b")]
        client = Client(book, "MagenticOneOrchestrator", reply)
        return MagenticOneGroupChat(members, model_client=client, max_stalls=1)

    done = ran(team())
    orchestrator = "MagenticOneOrchestrator"
    assert done.told[:4] == [f"{orchestrator}:plan", f"{orchestrator}:plan", f"{orchestrator}:message", "a:message"]
    assert "NEW PLAN" in done.steps[1].text
    assert [str(e.key) for e in done.run.tape().entries if e.key.kind == "model"][:6] == [
        f"{orchestrator} turn 1, model 1", f"{orchestrator} turn 1, model 2", f"{orchestrator} turn 2, model 1",
        f"{orchestrator} turn 2, model 2", f"{orchestrator} turn 2, model 3", f"{orchestrator} turn 3, model 1",
    ]  # fmt: skip
    assert served(team, done).told == done.told
    changed = altered(team, target(orchestrator, "response_corruption", "outgoing", turn=2), clean=done)
    assert changed.steps[1].text.endswith(" ALTERED")


@pytest.mark.case("autogen-5")
def test_a_selector_whose_model_streams_is_told_and_served_in_the_same_way() -> None:
    from autogen_agentchat.conditions import MaxMessageTermination
    from autogen_agentchat.teams import SelectorGroupChat

    from tests.adapters.autogen.models import Client

    def team(book: Book | None = None) -> Any:
        book = book or Book()
        members: Any = [teams.assistant(book, name) for name in ("x", "y", "z")]
        client = Client(book, "SelectorGroupChatManager", teams.choose)
        more: Any = {"model_client_streaming": True}
        return SelectorGroupChat(members, client, termination_condition=MaxMessageTermination(4), **more)

    done = ran(team())
    assert done.canonical[0].steps == ran(teams.selector()).canonical[0].steps
    book = Book()
    assert served(lambda: team(book), done).told == done.told
    assert book.shown == []
