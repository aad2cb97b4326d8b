"""Each name of MetaGPT that is not public is where the adapter looks for it, in the version that is installed."""

from __future__ import annotations

import pytest
from metagpt.provider.base_llm import BaseLLM
from metagpt.schema import Message

from aegis_metagpt import _compat
from tests.adapters.metagpt.teams import ListLLM, chain

pytestmark = pytest.mark.framework


def test_providers_tell_costs_by_the_private_method() -> None:
    assert callable(getattr(BaseLLM, _compat.COSTS))


def test_what_everything_comes_down_to_is_on_the_base_class() -> None:
    assert {"aask", "aask_batch", "aask_code", "acompletion_text"} <= vars(BaseLLM).keys()


def test_run_of_a_team_is_swallowing_and_has_one_function_inside() -> None:
    app, _ = chain()

    assert _compat.is_swallowing(app)
    assert callable(_compat.raising(app))


def test_roles_and_actions_hold_their_models_where_they_are_looked_for() -> None:
    app, models = chain()

    for role, model in zip(app.env.roles.values(), models, strict=True):
        found = [held for held in _compat.models_of(role) if held is not None]
        assert found
        assert all(held is model or isinstance(held, ListLLM) for held in found)
        assert any(held is model for held in found)


def test_a_memory_is_a_list_and_an_index_by_cause() -> None:
    app, _ = chain()
    role = next(iter(app.env.roles.values()))
    old, new = Message(content="old", cause_by="x"), Message(content="new", cause_by="x")
    role.rc.memory.add(old)
    role.rc.news = [old]
    role.latest_observed_msg = old

    _compat.remember_instead(role, old, new)

    assert role.rc.memory.storage == [new]
    assert role.rc.memory.index["x"] == [new]
    assert role.rc.news[0] is role.latest_observed_msg is new
