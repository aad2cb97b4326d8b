"""What this plugin promises. Run it with `pip install .[testing]` and `pytest`."""

import asyncio

import pytest

from aegis_core import Agent, Edits, InjectionContext, Part, Refused, Target
from aegis_core.faults import Moment
from aegis_core.plugins import default_plugins
from aegis_core.taxonomy.evidence import TurnContext

MODE = "acme:false-rounding"
SCOPE = {"prompt_injection": "persistent", "response_corruption": "outgoing"}


def alter(strategy, *texts, editable=True, seed=1, attempt=1):
    target = Target(moment=Moment(agent="solver"), mode=MODE, strategy=strategy, scope=SCOPE[strategy])
    solver = Agent(path="solver")
    parts = tuple(Part(id=str(n), text=text, editable=editable) for n, text in enumerate(texts))
    context = InjectionContext(
        task="How many bottles?", agent=solver, agents=(solver,), parts=parts, scope=target.scope, seed=seed
    )
    return asyncio.run(default_plugins().injector("acme").alter(context, target, attempt))


def judge(clean, faulty, seen=()):
    context = TurnContext(
        task="How many bottles?", agent="solver", role="", strategy="response_corruption",
        clean=clean, faulty=faulty, clean_seen=(), faulty_seen=seen,
    )  # fmt: skip
    return default_plugins().evidence(MODE)(context)


def test_the_mode_is_known_by_its_id():
    assert default_plugins().error_modes()[MODE].name == "False rounding"


def test_there_is_a_realisation_for_each_strategy():
    realisations = default_plugins().injector("acme").realisations()
    assert {one.strategy for one in realisations} == set(SCOPE)
    assert {one.mode for one in realisations} == {MODE}


def test_the_last_result_is_rounded_wherever_it_stands():
    edits = alter("response_corruption", "12 crates x 8 bottles = 96 bottles.", "Answer: 96 bottles")
    assert edits.texts == {"0": "12 crates x 8 bottles = 100 bottles.", "1": "Answer: 100 bottles"}


def test_other_figures_are_left_alone():
    edits = alter("response_corruption", "Of 1,296 bottles 96 broke, at 96.5 percent.")
    assert edits.texts == {"0": "Of 1,296 bottles 96 broke, at 100 percent."}


def test_a_further_attempt_rounds_another_figure():
    edits = alter("response_corruption", "12 crates, 96 bottles", attempt=2)
    assert edits.texts == {"0": "10 crates, 96 bottles"}


@pytest.mark.parametrize("text", ["No figure at all.", "Round already: 120.", "Only 3."])
def test_a_text_that_gives_nothing_to_round_is_refused(text):
    assert isinstance(alter("response_corruption", text), Refused)


@pytest.mark.parametrize("strategy", SCOPE)
def test_what_may_not_be_edited_is_not(strategy):
    assert isinstance(alter(strategy, "96 bottles", editable=False), Refused)


def test_the_wish_comes_after_the_message_and_depends_on_the_seed_alone():
    edits = alter("prompt_injection", "System prompt.", "Count the bottles.")
    assert isinstance(edits, Edits)
    assert list(edits.texts) == ["1"]
    assert edits.texts["1"].startswith("Count the bottles.\n\n")
    assert alter("prompt_injection", "System prompt.", "Count the bottles.") == edits
    assert len({alter("prompt_injection", "Count.", seed=seed).texts["0"] for seed in range(10)}) == 2


@pytest.mark.parametrize(
    ("clean", "faulty", "holds"),
    [
        ("It is 96.", "It is 100.", True),
        ("It is 96.", "It is about 96, say 100.", False),
        ("It is 96.", "It is 69.", False),
        ("It is 2.5 litres.", "It is 3 litres.", True),
        ("Nothing to count.", "It is 100.", False),
        ("96 and 100", "only 100", False),
    ],
)
def test_evidence_asks_for_a_figure_that_gave_way_to_its_rounded_value(clean, faulty, holds):
    assert judge((clean,), (faulty,)).holds is holds


def test_a_rounded_figure_that_the_agent_was_given_is_not_its_error():
    assert not judge(("It is 96.",), ("It is 100.",), seen=("The other says 100.",)).holds
