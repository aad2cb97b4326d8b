"""Taking hold of agents and letting them go."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any
from unittest import mock

import pytest
from smolagents import LocalPythonExecutor, Model, Tool

import aegis_core as aegis
from aegis_core.errors import AdapterError, RecorderWarning
from aegis_smolagents import _compat
from aegis_smolagents.system import Group
from aegis_smolagents.twins import is_twin, original_of, twin
from tests.adapters.smolagents.models import Scripted, Stock, agent, answer, calls, coder, writes
from tests.adapters.smolagents.running import ADAPTER, MARK, TASK, ran, target

CAPTURED = ("run", "model", "step_callbacks", "process_tool_calls", "execute_tool_call", "python_executor")


def held(app: Any) -> dict[str, Any]:
    """All that an attachment may replace, by what it is."""
    found: dict[str, Any] = {}
    for owner in (app, *app.managed_agents.values()):
        found |= {f"{owner.name}.{name}": vars(owner).get(name) for name in CAPTURED}
        found |= {f"{owner.name}.tools.{name}": tool for name, tool in owner.tools.items()}
        found |= {f"{owner.name}.team.{name}": member for name, member in owner.managed_agents.items()}
    return found


def house() -> Any:
    clerk = agent("Clerk", answer("12."), tools=[Stock()])
    return coder("Boss", writes('final_answer(Clerk("Count."))'), tools=[Stock()], team=[clerk])


@pytest.mark.case("smolagents-26")
@pytest.mark.parametrize("fails", [False, True])
def test_everything_is_put_back_by_identity(fails: bool) -> None:
    app = house()
    if fails:
        app.managed_agents["Clerk"].model.replies = [KeyError("x")]
        app.model.replies = [ConnectionError("no line")]
    before = held(app)

    done = ran(app)

    after = held(app)
    assert (done.error is not None) is fails
    assert after.keys() == before.keys()
    assert all(after[name] is before[name] for name in before)


@pytest.mark.case("smolagents-26")
def test_a_second_hold_is_refused_also_by_way_of_a_member_or_a_group() -> None:
    app = house()
    clerk = app.managed_agents["Clerk"]

    with aegis.record(app) as recording:
        for other in (app, clerk, Group(app.run, app)):
            with pytest.raises(AdapterError, match="attached to a run already"), aegis.record(other):
                pass
        app.run(TASK)

    assert [step.agent for step in recording.trajectory.steps if step.kind == "message"] == ["Boss/Clerk", "Boss"]
    with aegis.record(clerk):
        clerk.run(TASK)


def test_what_the_user_replaces_meanwhile_stays() -> None:
    app = agent("Clerk", answer("12"), tools=[Stock()])
    model, tool = Scripted(answer("13")), Stock()

    with aegis.record(app):
        app.model, app.tools["stock"] = model, tool
        app.tools["other"] = Stock()
        assert app.run(TASK) == "13"

    assert app.model is model
    assert app.tools["stock"] is tool
    assert "other" in app.tools


def test_nothing_is_recorded_after_the_block() -> None:
    app = house()

    with aegis.record(app) as recording:
        events = app.run(TASK, stream=True)
        next(events)
    n_steps = len(recording.trajectory.steps)
    with pytest.warns(RecorderWarning, match="read behind the `with` block"):
        answered = list(events)[-1].output

    assert "12." in answered
    assert len(recording.trajectory.steps) == n_steps
    assert not recording.run.trouble


def test_an_agent_that_runs_in_two_threads_is_told_of() -> None:
    both_in = threading.Barrier(2, timeout=5)
    app = agent("Clerk", lambda _: (both_in.wait(), answer("12"))[1])

    def twice() -> Any:
        with aegis.record(app) as recording:
            threads = [threading.Thread(target=app.run, args=(TASK,)) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(10)
        return recording

    with pytest.warns(RecorderWarning, match="2 calls"):
        recording = twice()

    assert len(recording.trajectory.steps) == 2
    assert recording.tape.overlapping == ("Clerk",)


def test_a_twin_is_of_the_class_and_the_state_of_its_original() -> None:
    class Slotted:
        __slots__ = ("__dict__", "kept")

    class Own(Slotted):
        def ask(self, x: int) -> int:
            return x + self.kept

    original = Own()
    original.kept, original.more = 1, 2
    seen: list[Any] = []

    def tap(name: str, real: Any, *args: Any) -> Any:
        seen.append((name, args))
        return real(*args)

    made = twin(original, ("ask", "missing"), tap)

    assert made.ask(4) == 5
    assert seen == [("ask", (4,))]
    assert isinstance(made, Own)
    assert type(made).__name__ == "Own"
    made.more = 3
    assert original.more == 3
    assert not hasattr(made, "missing")
    assert is_twin(made)
    assert not is_twin(original)
    assert original_of(made) is original is original_of(original)


def test_what_can_not_be_tapped_is_refused_and_nothing_stays_patched() -> None:
    class Sealed(Scripted):
        def __init_subclass__(cls) -> None:
            raise TypeError("sealed")

    app = agent("Clerk", model=Sealed(answer("12")))
    before = held(app)

    with pytest.raises(AdapterError, match=r"Sealed can't be tapped \(sealed\)"), aegis.record(app):
        pass

    assert held(app) == before


@pytest.mark.case("smolagents-33")
def test_tools_of_code_that_runs_elsewhere_are_left_alone() -> None:
    class Elsewhere(_compat.RemotePythonExecutor):
        """Sends code away; here it only looks as if."""

        def __init__(self) -> None:
            self.inner, self.sent = LocalPythonExecutor([]), {}

        def __call__(self, code: str) -> Any:
            return self.inner(code)

        def send_tools(self, tools: dict[str, Tool]) -> None:
            self.sent = tools
            self.inner.send_tools(tools)

        def send_variables(self, variables: dict[str, Any]) -> None:
            self.inner.send_variables(variables)

    executor = Elsewhere()
    app = coder("Clerk", writes('final_answer(stock(place="a"))'), tools=[Stock()], executor=executor)

    done = ran(app)

    assert not any(is_twin(tool) for tool in executor.sent.values())
    assert [kind for _, kind in done.kinds] == ["thought", "tool_call", "tool_result", "message"]
    found = ADAPTER.capabilities(app)
    assert not any(site.strategy == "environment" for site in found.sites)
    assert any("elsewhere" in note for note in found.notes)


def test_capabilities_are_those_of_the_object() -> None:
    plain, tooled = agent("Clerk", answer("x")), agent("Clerk", answer("x"), tools=[Stock()])

    assert {site.strategy for site in ADAPTER.capabilities(plain).sites} == {"prompt_injection", "response_corruption"}
    assert "environment" in {site.strategy for site in ADAPTER.capabilities(tooled).sites}
    assert ADAPTER.capabilities(plain).streaming
    assert not ADAPTER.capabilities(Group(lambda task: task, plain)).streaming


def test_the_adapter_is_found_for_agents_of_the_users_own_classes() -> None:
    from smolagents import ToolCallingAgent

    class Own(ToolCallingAgent):
        def run(self, task: str, loud: bool = False, **kwargs: Any) -> Any:
            said = super().run(task, **kwargs)
            return str(said).upper() if loud else said

    app = Own([], Scripted(answer("twelve")), name="Clerk", verbosity_level=-1)

    with aegis.record(app) as recording:
        assert app.run(TASK, loud=True) == "TWELVE"

    assert recording.trajectory.adapter == "smolagents"
    assert [(step.agent, step.text) for step in recording.trajectory.steps] == [("Clerk", "TWELVE")]


@pytest.mark.parametrize("keyword", [True, False])
def test_a_run_of_the_users_own_is_called_as_it_was(keyword: bool) -> None:
    from smolagents import ToolCallingAgent

    class Own(ToolCallingAgent):
        def run(self, question: str, *rest: Any, **options: Any) -> Any:
            self.called = question, rest, dict(options)
            return super().run(question, *rest, **options)

    app = Own([], Scripted(answer("twelve")), name="Clerk", verbosity_level=-1)
    site = target("Clerk", "prompt_injection", "persistent")

    def use(app: Any, task: str) -> Any:
        more = {"additional_args": {"n": 1}}
        return app.run(question=task, **more) if keyword else app.run(task, False, **more)

    done = ran(app, TASK, site, use=use)

    assert done.error is None
    assert app.called == (f"{TASK} {MARK}", () if keyword else (False,), {"additional_args": {"n": 1}})
    assert done.result == "twelve"


def test_a_call_that_does_not_fit_fails_as_it_does_unrecorded() -> None:
    app = agent("Clerk", answer("x"))

    with pytest.warns(RecorderWarning, match="nothing was recorded"):
        _misused(app)


def _misused(app: Any) -> None:
    with aegis.record(app), pytest.raises(TypeError, match="task"):
        app.run()


def test_private_names_are_where_the_adapter_looks_for_them() -> None:
    app = coder("Clerk", writes("x"))

    assert _compat.code_tags(app) == ("<code>", "</code>")
    assert hasattr(app, "_use_structured_outputs_internally")
    assert not _compat.is_structured(app)
    assert {"generate"} <= set(dir(Model))
    assert callable(app.step_callbacks.callback)
    assert _compat.code_in("t\n<code>\nx = 1", ("<code>", "</code>")) == "x = 1"
    assert calls(("a", {})).tool_calls[0].function.name == "a"


def test_a_model_takes_attributes_and_gives_them_back() -> None:
    app = agent("Clerk", answer("one"), answer("two"))

    with (
        aegis.record(app) as recording,
        mock.patch.object(app.model, "generate", side_effect=app.model.generate) as patched,
    ):
        assert app.run("Count.") == "one"
    model_calls = [entry for entry in recording.tape.entries if entry.key.kind == "model"]

    assert patched.call_count == len(model_calls) == 1
    assert "generate" not in vars(app.model)
    assert app.run("Count.") == "two"


def test_copies_of_tools_and_models_are_as_unrecorded() -> None:
    app = agent("Clerk", answer("12."), tools=[Stock()])

    with aegis.record(app):
        tools = [copy.copy(app.tools["stock"]), copy.deepcopy(app.tools["stock"])]
        model = pickle.loads(pickle.dumps(app.model))
        app.run("Count.")

    assert [type(tool) for tool in tools] == [Stock, Stock]
    assert type(model) is Scripted


def test_an_answer_of_any_keys_is_the_users() -> None:
    app = coder("Clerk", writes("final_answer({2023: 'twelve crates'})"))

    with aegis.record(app) as recording:
        assert app.run("Count.") == {2023: "twelve crates"}

    assert "twelve crates" in recording.trajectory.steps[-1].text


def test_usage_over_the_steps_is_that_of_all_model_calls() -> None:
    asks = calls(("stock", {"place": "hall 27"}), usage=(2, 1))
    app = agent("Clerk", asks, answer("12.", usage=(6, 18)), tools=[Stock()])

    with aegis.record(app) as recording:
        app.run("Count.")

    told = [step.usage for step in recording.trajectory.steps if step.usage]
    assert [(usage.input_tokens, usage.output_tokens) for usage in told] == [(8, 19)]
