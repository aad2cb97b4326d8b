"""Seeded tasks with exact answers: word problems, tables, ordering puzzles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from aegis_core.campaign.tasks import Task
from aegis_core.errors import CampaignError
from aegis_core.world.tasks import arithmetic, ordering, tables
from aegis_core.world.tasks.draft import Builder, Draft

__all__ = ["FAMILIES", "build", "generate_tasks"]

FAMILIES: dict[str, tuple[Builder, ...]] = {
    "arithmetic": arithmetic.BUILDERS,
    "tables": tables.BUILDERS,
    "ordering": ordering.BUILDERS,
}
"""Task families, each with the builders of its templates."""

_ATTEMPTS = 1000


def generate_tasks(
    n: int, seed: int, families: Sequence[str] | None = None, difficulty: int | None = None
) -> tuple[Task, ...]:
    """Tasks with exact answers, no two with the same text. More tasks of one seed begin with the fewer.

    Args:
        n: how many, at least 0.
        seed: what everything is drawn from.
        families: names from `FAMILIES`, taken in turn; None: all of them.
        difficulty: 1 (one or two steps) to 3 (more steps, figures beside the point); None: drawn for each task.

    Raises:
        CampaignError: an unknown family or difficulty.
    """
    if difficulty not in (None, 1, 2, 3):
        raise CampaignError(f"difficulty {difficulty!r}: use 1, 2 or 3, or None to mix them")
    names = tuple(FAMILIES) if families is None else tuple(families)
    unknown = sorted(set(names) - set(FAMILIES))
    if unknown or not names:
        raise CampaignError(f"task families {unknown or '()'}: known are {', '.join(FAMILIES)}")
    tasks: list[Task] = []
    for task in _stream(seed, names, difficulty):
        if len(tasks) >= n:
            break
        tasks.append(task)
    return tuple(tasks)


def _stream(seed: int, names: Sequence[str], difficulty: int | None) -> Iterator[Task]:
    seen: set[str] = set()
    index = 0
    while True:
        family = names[index % len(names)]
        for attempt in range(_ATTEMPTS):
            key = f"{seed}/{family}/{index}/{attempt}"
            words = Random(f"words/{key}")
            builder = words.choice(FAMILIES[family])
            level = difficulty or words.randint(1, 3)
            draft = build(builder, f"words/{key}", f"numbers/{key}", level)
            if draft.text not in seen:
                break
        else:
            raise CampaignError(f"task family {family!r} has no new task left at difficulty {difficulty}")
        seen.add(draft.text)
        task_id = f"{family}-{seed}-{index:05d}"
        yield Task(
            task_id=task_id, text=draft.text, answer=draft.answer, checker=draft.checker, family=family, source=task_id
        )
        index += 1


def build(builder: Builder, words: str, numbers: str, difficulty: int) -> Draft:
    """One task of a template: `words` seeds its wording, `numbers` its figures, so either can be kept.

    Raises:
        CampaignError: the template found no figures with an exact answer.
    """
    for attempt in range(_ATTEMPTS):
        draft = builder(Random(words), Random(f"{numbers}/{attempt}"), difficulty)
        if draft is not None:
            return draft
    raise CampaignError(f"the template of {words!r} found no figures with an exact answer")
