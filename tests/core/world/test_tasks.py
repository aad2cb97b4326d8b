"""Generated tasks: seeded, distinct, and with answers that hold."""

from __future__ import annotations

from itertools import permutations
from random import Random

import pytest

from aegis_core.campaign.checkers import check
from aegis_core.errors import CampaignError
from aegis_core.world import FAMILIES, generate_tasks
from aegis_core.world.tasks import build, ordering


def test_the_same_seed_gives_the_same_tasks_and_more_of_them_begin_with_the_fewer():
    assert generate_tasks(40, seed=3) == generate_tasks(60, seed=3)[:40]


def test_another_seed_gives_other_tasks():
    assert not {task.text for task in generate_tasks(60, 1)} & {task.text for task in generate_tasks(60, 2)}


def test_no_two_tasks_share_text_or_id():
    tasks = generate_tasks(600, seed=0)
    assert len({task.text for task in tasks}) == len({task.task_id for task in tasks}) == 600


def test_families_take_turns_and_can_be_chosen():
    assert [task.family for task in generate_tasks(4, 0)] == ["arithmetic", "tables", "ordering", "arithmetic"]
    assert {task.family for task in generate_tasks(5, 0, families=["ordering"])} == {"ordering"}


@pytest.mark.parametrize("difficulty", [1, 2, 3])
@pytest.mark.parametrize("family", FAMILIES)
def test_each_gold_answer_is_right_by_its_own_checker(family, difficulty):
    for task in generate_tasks(30, 5, families=[family], difficulty=difficulty):
        assert check(task, f"Answer: {task.answer}").right
        assert not check(task, "Answer: 987654321").right


@pytest.mark.parametrize("family", FAMILIES)
def test_harder_tasks_have_longer_texts(family):
    lengths = [
        sum(len(task.text) for task in generate_tasks(40, 1, families=[family], difficulty=difficulty))
        for difficulty in (1, 2, 3)
    ]
    assert lengths == sorted(lengths)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_several_templates_and_wordings(family):
    drafts = [build(builder, f"w{i}", "n", 2) for builder in FAMILIES[family] for i in range(20)]
    assert len({draft.template for draft in drafts}) >= 2
    assert len({draft.text for draft in drafts}) > len(drafts) * 0.8


def holds(clue, names):
    kind, a, b = clue
    place = names.index(a)
    if kind in ("at", "not_at"):
        return (place == b) == (kind == "at")
    return place < names.index(b) if kind == "before" else place - 1 == names.index(b)


def fitting(names, clues):
    return [order for order in permutations(sorted(names)) if all(holds(clue, order) for clue in clues)]


@pytest.mark.parametrize("size", [4, 5, 6])
def test_the_clues_of_a_puzzle_leave_one_order_and_none_can_be_spared(size):
    for seed in range(15):
        order = tuple(Random(seed).sample(("Ana", "Ben", "Cleo", "Dan", "Eve", "Finn"), size))
        clues = ordering._clues(order, Random(seed))
        assert fitting(order, clues) == [order]
        assert all(len(fitting(order, [other for other in clues if other != clue])) > 1 for clue in clues)


def test_new_numbers_keep_the_wording():
    builder = FAMILIES["arithmetic"][0]
    one, two = build(builder, "w", "first", 2), build(builder, "w", "second", 2)
    assert one.text != two.text
    assert [word for word in one.text.split() if word.isalpha()] == [w for w in two.text.split() if w.isalpha()]


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"families": ["chess"]}, "known are arithmetic, tables, ordering"),
        ({"families": []}, "known are"),
        ({"difficulty": 4}, "use 1, 2 or 3"),
    ],
)
def test_an_unknown_family_or_difficulty_is_a_clear_error(kwargs, message):
    with pytest.raises(CampaignError, match=message):
        generate_tasks(1, 0, **kwargs)
