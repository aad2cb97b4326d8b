"""Finding a factory and the adapter of what it builds."""

import sys

import pytest

from aegis_core.adapter import Capabilities, Site, System
from aegis_core.campaign.systems import load_factory, replay_level
from aegis_core.errors import CampaignError

SITE = Site(strategy="prompt_injection", scope="persistent")


class Shop:
    """A module's attribute with attributes of its own."""

    @staticmethod
    def build():
        return "built"


def failing():
    raise ConnectionError("no such host")


def test_a_factory_is_found_by_its_path_through_attributes():
    assert load_factory(f"{__name__}:Shop.build").build(0) == System(app="built")


def test_a_factory_gets_the_seed_only_if_it_takes_it():
    assert load_factory(lambda seed=1: ("s", seed)).build(7).app == ("s", 7)
    assert load_factory(lambda **more: more).build(7).app == {}
    assert load_factory(lambda: "s").build(7).app == "s"


def test_a_system_is_passed_on_as_it_is():
    system = System(app=1, name="mine")

    assert load_factory(lambda: system).build(0) is system


def test_a_factory_that_raises_is_named_with_the_reason():
    with pytest.raises(CampaignError, match="failing' raised ConnectionError: no such host") as caught:
        load_factory(failing).build(0)
    assert isinstance(caught.value.__cause__, ConnectionError)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("import not_there_at_all", "something it imports is missing"),
        ("raise ValueError('half done')", "failed at import: ValueError: half done"),
        ("import sys; sys.exit(3)", "failed at import: SystemExit: 3"),
        ("build = 3", "is a int, not a factory"),
    ],
)
def test_a_module_that_can_not_be_used_says_why(tmp_path, monkeypatch, text, words):
    (tmp_path / "half_a_module.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "half_a_module", raising=False)

    with pytest.raises(CampaignError, match=words):
        load_factory("half_a_module:build")


def test_whole_nodes_are_served_where_that_is_exact():
    assert replay_level(Capabilities(sites=(SITE,), replay=("call",)), "s") == "call"
    assert replay_level(Capabilities(sites=(SITE,), replay=("call", "node")), "s") == "node"


def test_the_level_that_is_wanted_is_taken_and_one_that_is_not_offered_is_refused():
    both = Capabilities(sites=(SITE,), replay=("call", "node"))
    hidden = Capabilities(sites=(SITE,), replay=("call",), notes=("It has hidden memory.",))

    assert replay_level(both, "s", "call") == "call"
    assert replay_level(both, "s", "node") == "node"
    with pytest.raises(CampaignError, match=r"'s' can't be served at the level 'node', only at: call; .* memory\."):
        replay_level(hidden, "s", "node")


def test_what_can_not_be_served_or_altered_is_refused_with_the_adapter_s_notes():
    with pytest.raises(CampaignError, match=r"can't be served .* It has hidden memory\."):
        replay_level(Capabilities(sites=(SITE,), notes=("It has hidden memory.",)), "s")
    with pytest.raises(CampaignError, match=r"nothing can be altered in 's'\. It is sealed\."):
        replay_level(Capabilities(replay=("call",), notes=("It is sealed.",)), "s")


def test_a_factory_that_exits_is_named_and_does_not_end_the_program():
    with pytest.raises(CampaignError, match="raised SystemExit: 3"):
        load_factory(lambda: sys.exit(3)).build(0)
