"""Every field of every record is changed once: either something is noticed, or it is said here why nothing can be."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aegis_core.dataset import layout
from aegis_core.errors import AegisError
from tests.verification.forgery import Forgery, Record, excerpt, settle
from tests.verification.material import Claim, Files
from tests.verification.verifier import verify

FREE = {
    "schema_version": "the form of the file, not what it says",
    "detail": "words for people about a failure that is checked by its kind",
}
"""Fields about which nothing is promised, by their last name."""

_SERVED = "of what a run is served from: making runs again fails if it is another"
_SHOWN = "of how a message was shown to a model; its text is what is checked"
_OWN = "the injector's own word, of which no other file tells"
UNCHECKED: dict[str, dict[str, str]] = {
    layout.TRAJECTORIES.name: {
        "steps.content.data.boxes": "a figure in data that is no text; making the run again tells",
        "steps.content.uri": "where data without a type of its own stands",
    },
    layout.TASKS.name: {"family": "groups tasks for splits", "source": "groups tasks for splits"},
    layout.TAPES.name: {
        "entries.key.name": _SERVED,
        "entries.key.call": _SERVED,
        "entries.request_hash": _SERVED,
        "entries.payload": _SERVED,
        "entries.request.id": _SHOWN,
        "entries.request.role": _SHOWN,
        "entries.request.author": _SHOWN,
        "entries.request.editable": _SHOWN,
        "entries.request.call_id": _SHOWN,
        "entries.request.data": _SHOWN,
        "entries.payload.model": "what the framework said of a call, which no trajectory holds",
        "entries.payload.usage": "what the framework said of a call, which no trajectory holds",
        "overlapping": "agents that can't be targeted; a target among them would not have been found",
    },
    layout.LEDGERS.name: {
        "interventions.realisation": _OWN,
        "interventions.route": _OWN,
        "interventions.notes": _OWN,
    },
    layout.ARMS.name: {
        "steps.call_id": "not shown to observers; making the run again tells",
        "steps.model": "not shown to observers; making the run again tells",
    },
}
"""Fields of which no other record tells, by file, with the reason."""

Path_ = tuple[str | int, ...]  # the way to a leaf of a record


@pytest.mark.parametrize("file", layout.FILES, ids=lambda file: file.name)
def test_a_change_of_any_field_is_noticed(file: layout.DatasetFile[Any], relay: Files, tmp_path: Path) -> None:
    claim = next(claim for claim in relay.claims() if claim.plan.targets[0].strategy == "prompt_injection")
    folder = excerpt(relay.dataset.path.parent, claim, tmp_path / "copy")
    settle(Files.open(folder, relay.plugins))
    path = folder / "dataset" / file.name
    honest = path.read_text(encoding="utf-8")
    forgery = Forgery(folder, claim)
    key = _key(file, claim)
    missed = []
    for name, leaf in _leaves(forgery.read(file, key)):
        forgery.edit(file, key, lambda record, leaf=leaf: _alter(record, leaf))  # type: ignore[misc]
        if not _noticed(folder, relay):
            missed.append(name)
        path.write_text(honest, encoding="utf-8")
    assert sorted(set(missed) - set(UNCHECKED.get(file.name, {}))) == []


def _noticed(folder: Path, files: Files) -> bool:
    try:
        return bool(verify(Files.open(folder, files.plugins)))
    except (AegisError, ValueError, LookupError):
        return True


def _key(file: layout.DatasetFile[Any], claim: Claim) -> str:
    """Which record of a file the claim rests on."""
    arm = claim.arms("sham")[0].run_id
    keys = {"case_id": claim.case.case_id, "task_id": claim.task.task_id, "run_id": claim.run_id}
    return arm if file is layout.ARMS else keys[file.key]


def _leaves(record: Record) -> Iterator[tuple[str, Path_]]:
    """One leaf for each name of a field, the last that there is."""
    found: dict[str, Path_] = {}
    for leaf in _walk(record, ()):
        name = ".".join(str(part) for part in leaf if isinstance(part, str))
        if leaf[-1] not in FREE:
            found[name] = leaf
    yield from found.items()


def _walk(value: Any, at: Path_) -> Iterator[Path_]:
    if isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _walk(item, (*at, name))
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _walk(item, (*at, number))
    else:
        yield at


def _alter(record: Record, leaf: Path_) -> None:
    place: Any = record
    for part in leaf[:-1]:
        place = place[part]
    place[leaf[-1]] = _other(copy.deepcopy(place[leaf[-1]]))


def _other(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return f"x{value}"
    return ["x"] if isinstance(value, list) else {"x": "x"} if isinstance(value, dict) else "x"
