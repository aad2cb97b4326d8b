"""What holds for every record: frozen through and through, strict about fields, versioned where it stands alone."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any, get_args, get_origin

import pytest
from pydantic import ValidationError

import aegis_core
from aegis_core.attribution import Attribution, Blame
from aegis_core.campaign.tasks import Task
from aegis_core.dataset import Statistics
from aegis_core.faults import (
    Case,
    Fault,
    Intervention,
    Labels,
    Ledger,
    Moment,
    Observation,
    Outcome,
    Plan,
    Proof,
    Target,
)
from aegis_core.records import SCHEMA_VERSION, FileRecord, Record
from aegis_core.run import Tape, TapeEntry
from aegis_core.taxonomy import ErrorMode
from aegis_core.trajectory import Agent, Step, Trajectory


def descendants(record: type[Record]) -> Iterator[type[Record]]:
    for child in record.__subclasses__():
        yield child
        yield from descendants(child)


def all_records() -> list[type[Record]]:
    for module in pkgutil.walk_packages(aegis_core.__path__, "aegis_core."):
        if not module.name.startswith(("aegis_core.cli", "aegis_core.testing")):  # these need more than the core
            importlib.import_module(module.name)
    found = {record for record in descendants(Record) if record.__module__.startswith("aegis_core.")}
    return sorted(found, key=lambda record: f"{record.__module__}.{record.__qualname__}")


RECORDS = all_records()
WORDS = (Agent, Step, Trajectory, Tape, TapeEntry, Moment, ErrorMode, Target, Plan, Intervention, Observation, Ledger,
         Fault, Labels, Outcome, Case, Proof, Blame, Attribution, Task, Statistics)  # fmt: skip
ALONE = (Trajectory, Tape, Ledger, Labels, Case, Proof, Attribution, Task, Statistics)


def test_every_word_is_a_record() -> None:
    assert set(WORDS) <= set(RECORDS)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)
def test_record_is_frozen_and_forbids_unknown_fields(record: type[Record]) -> None:
    assert record.model_config.get("frozen") is True
    assert record.model_config.get("extra") == "forbid"


def mutable_in(annotation: Any) -> set[str]:
    own = {annotation.__name__} if annotation in (list, set, bytearray) else set()
    origin = get_origin(annotation)
    own |= {origin.__name__} if origin in (list, set) else set()
    return own.union(*(mutable_in(argument) for argument in get_args(annotation)))


@pytest.mark.parametrize("record", WORDS, ids=lambda record: record.__name__)
def test_word_holds_no_list_or_set_that_could_be_changed(record: type[Record]) -> None:
    assert {name: found for name, field in record.model_fields.items() if (found := mutable_in(field.annotation))} == {}


@pytest.mark.parametrize("record", ALONE, ids=lambda record: record.__name__)
def test_record_that_stands_alone_carries_its_schema_version_first(record: type[Record]) -> None:
    assert issubclass(record, FileRecord)
    assert next(iter(record.model_fields)) == "schema_version"


def test_change_of_a_record_is_refused() -> None:
    with pytest.raises(ValidationError, match="Instance is frozen"):
        Agent(path="A").path = "B"  # type: ignore[misc]


def test_unknown_field_is_refused_by_name() -> None:
    with pytest.raises(ValidationError, match="colour"):
        Agent(path="A", colour="red")  # type: ignore[call-arg]


@pytest.mark.parametrize("version", [SCHEMA_VERSION + 1, str(SCHEMA_VERSION + 1), float(SCHEMA_VERSION + 1)])
def test_newer_schema_is_refused_by_name_in_whatever_form(version: Any) -> None:
    says = rf"schema_version {SCHEMA_VERSION + 1} is newer than {SCHEMA_VERSION}.*pip install -U aegis-mas"
    with pytest.raises(ValidationError, match=says):
        Labels(schema_version=version, run_id="r", case_id="c")
