"""Each check of the kits for injectors, attributors, learners and formats finds who breaks what it is about."""

from __future__ import annotations

import functools
import inspect
import itertools
import json
import os
import pickle
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from aegis_baselines.frequency import MostFrequentLearner, NameCounts
from aegis_baselines.speakers import FirstSpeaker
from aegis_core.attribution import Attribution, Blame
from aegis_core.errors import LearnerError, StoreError
from aegis_core.formats.own import AegisFiles
from aegis_core.injector import Edits, Refused
from aegis_core.plugins import Plugins
from aegis_core.testing import AttributorConformance, FormatConformance, InjectorConformance, LearnerConformance
from aegis_core.testing.kits.kit import Kit
from aegis_rules.injector import Rules

COUNT = itertools.count()


@dataclass(frozen=True)
class Saboteur:
    """Something broken: the kit that is to find it, by which check, and which others can't help finding it too."""

    kit: type[Kit]
    check: str
    also: frozenset[str]


SABOTEURS: dict[str, Saboteur] = {}


class Rewriting(InjectorConformance):
    """Tries what rewrites any text."""

    name = "rules"


class Blaming(AttributorConformance):
    name = "first-speaker"


class Counting(LearnerConformance):
    name = "most-frequent"


class Filing(FormatConformance):
    name = "aegis"


def saboteur(kit: type[Kit], check: str, *also: str, **more: Any) -> Callable[[Any], Any]:
    """Enter a class, of which the kit gets an instance, under the check that is to find it."""

    def entered(made: Any) -> Any:
        broken = type(f"Broken{made.__name__}", (kit,), {"made": lambda _: made()} | more)
        SABOTEURS[made.__name__] = Saboteur(broken, f"test_{check}", frozenset(f"test_{name}" for name in also))
        return made

    return entered


def found(kit: type[Kit], check: str, tmp_path: Path) -> str | None:
    """What a check says; None if it passes."""
    function = functools.partial(getattr(kit, check), kit())
    asked = inspect.signature(function).parameters
    try:
        with pytest.MonkeyPatch.context() as monkeypatch:
            given = {"monkeypatch": monkeypatch, "tmp_path": tmp_path / check}
            (tmp_path / check).mkdir(parents=True)
            function(**{name: value for name, value in given.items() if name in asked})
    except (Exception, pytest.fail.Exception) as error:
        return f"{type(error).__name__}: {error}"
    return None


def checks(kit: type[Kit]) -> list[str]:
    """The checks of a kit that are not about its plugin, which take a process each."""
    plugin = {"test_importing_the_plugin_is_light", "test_the_plugin_is_discovered_and_offers_it"}
    return sorted(name for name in dir(kit) if name.startswith("test_") and name not in plugin)


# -- injectors --------------------------------------------------------------------------------------------------------


class Appends(Rules):
    """Adds a word to what may be edited; sound, and simpler than the rules."""

    name = "rules"

    def realisations(self) -> Any:
        return super().realisations()[:2]

    async def alter(self, context: Any, target: Any, attempt: int) -> Any:
        known = {(way.mode, way.strategy, way.name) for way in self.realisations()}
        parts = [part for part in context.parts if part.editable]
        if (target.mode, target.strategy, target.realisation) not in known or not parts:
            return Refused("nothing to do")
        return Edits(texts={part.id: self.text(context, part) for part in parts}, realisation=target.realisation)

    def text(self, context: Any, part: Any) -> str:
        return f"{part.text} Indeed."


@saboteur(Rewriting, "its_ways_are_listed_once_each_and_in_a_fixed_order")
class ListsTwice(Appends):
    def realisations(self) -> Any:
        return (*super().realisations(), super().realisations()[0])


@saboteur(Rewriting, "each_way_alters_a_text_and_says_which_it_was")
class CallsItSomethingElse(Appends):
    async def alter(self, context: Any, target: Any, attempt: int) -> Any:
        made = await super().alter(context, target, attempt)
        return made if isinstance(made, Refused) else Edits(texts=made.texts, realisation="another")


@saboteur(Rewriting, "the_same_seed_gives_the_same_edits")
class DrawsGlobally(Appends):
    def text(self, context: Any, part: Any) -> str:
        return f"{part.text} {random.random()}"


@saboteur(Rewriting, "the_same_seed_gives_the_same_edits")
class Counts(Appends):
    def __init__(self) -> None:
        self.asked = 0

    def text(self, context: Any, part: Any) -> str:
        self.asked += 1
        return f"{part.text} {self.asked}"


@saboteur(Rewriting, "only_parts_that_may_be_edited_are")
class EditsAnything(Appends):
    async def alter(self, context: Any, target: Any, attempt: int) -> Any:
        made = await super().alter(context, target, attempt)
        fixed = {part.id: part.text + "!" for part in context.parts if not part.editable}
        if isinstance(made, Refused):
            return made
        return Edits(texts=fixed | dict(made.texts), realisation=made.realisation)


@saboteur(Rewriting, "nothing_that_it_was_given_is_changed")
class WritesIntoData(Appends):
    def text(self, context: Any, part: Any) -> str:
        if isinstance(part.data, dict):
            part.data["seen"] = True
        return super().text(context, part)


@saboteur(Rewriting, "where_there_is_nothing_to_alter_it_refuses_with_a_reason")
class ChokesOnBlanks(Appends):
    def text(self, context: Any, part: Any) -> str:
        return f"{part.text.split()[0]} {part.text}"


@saboteur(Rewriting, "where_there_is_nothing_to_alter_it_refuses_with_a_reason")
class RefusesWithoutAReason(Appends):
    async def alter(self, context: Any, target: Any, attempt: int) -> Any:
        made = await super().alter(context, target, attempt)
        return Refused(" ") if isinstance(made, Refused) else made


@saboteur(Rewriting, "a_mode_or_way_that_it_does_not_know_is_refused")
class TakesAnyTarget(Appends):
    async def alter(self, context: Any, target: Any, attempt: int) -> Any:
        texts = {part.id: self.text(context, part) for part in context.parts if part.editable}
        return Edits(texts=texts, realisation=target.realisation) if texts else Refused("no part may be edited")


# -- attributors ------------------------------------------------------------------------------------------------------


@saboteur(
    Blaming, "it_answers_for_the_run_that_it_is_shown_alone", *(
        "the_same_run_gets_the_same_answer", "the_order_of_runs_does_not_matter", "the_run_is_not_changed",
        "runs_that_lack_something_are_answered_too", "it_looks_at_the_run_alone",
    ),
)  # fmt: skip
class BlamesStrangers(FirstSpeaker):
    def attribute(self, trajectory: Any) -> Attribution:
        return Attribution(run_id=trajectory.run_id, blames=(Blame(agent="Somebody"),))


@saboteur(Blaming, "runs_that_lack_something_are_answered_too", "the_run_is_not_changed")
class NeedsASpeaker(FirstSpeaker):
    def attribute(self, trajectory: Any) -> Attribution:
        return Attribution(run_id=trajectory.run_id, blames=(Blame(agent=trajectory.steps[0].agent),))


@saboteur(Blaming, "the_same_run_gets_the_same_answer", "the_order_of_runs_does_not_matter")
class Drifts(FirstSpeaker):
    def attribute(self, trajectory: Any) -> Attribution:
        return super().attribute(trajectory).model_copy(update={"attributor": f"{next(COUNT)}"})


@saboteur(Blaming, "the_order_of_runs_does_not_matter")
class AnswersSorted(FirstSpeaker):
    def attribute_many(self, trajectories: Any) -> Any:
        return map(self.attribute, sorted(trajectories, key=lambda run: run.run_id))


@saboteur(Blaming, "the_run_is_not_changed")
class Annotates(FirstSpeaker):
    def attribute(self, trajectory: Any) -> Attribution:
        for content in (content for step in trajectory.steps for content in step.content):
            content.data["blamed"] = True
        return super().attribute(trajectory)


@saboteur(Blaming, "it_looks_at_the_run_alone")
class LooksAtLabels(FirstSpeaker):
    def attribute(self, trajectory: Any) -> Attribution:
        labels = Path(os.devnull)
        labels.read_text(encoding="utf-8")
        return super().attribute(trajectory)


# -- learners ---------------------------------------------------------------------------------------------------------


class Wrapped(MostFrequentLearner):
    """A learner whose attributors are changed after training."""

    def spoilt(self, fitted: Any, runs: Any) -> Any:
        return fitted

    def fit(self, runs: Any, config: Any) -> Any:
        return self.spoilt(super().fit(runs, config), runs)


@saboteur(
    Counting, "what_it_has_trained_answers_for_runs", *(
        "the_same_runs_give_the_same_attributor", "the_order_of_runs_does_not_matter",
        "what_was_saved_answers_like_what_was_trained", "nothing_is_pickled",
    ),
)  # fmt: skip
class BlamesWhomItKnows(Wrapped):
    def spoilt(self, fitted: Any, runs: Any) -> Any:
        class Known(type(fitted)):  # type: ignore[misc]
            def attribute(self, trajectory: Any) -> Attribution:
                return Attribution(run_id=trajectory.run_id, blames=(Blame(agent="Trained"),))

        return Known(fitted.counts)


@saboteur(Counting, "the_same_runs_give_the_same_attributor", "the_order_of_runs_does_not_matter")
class DrawsWhomToBlame(Wrapped):
    def spoilt(self, fitted: Any, runs: Any) -> Any:
        return type(fitted)(NameCounts(agents=fitted.counts.agents | {"solver": {"": next(COUNT) + 99}}))


@saboteur(Counting, "the_order_of_runs_does_not_matter")
class TrustsTheFirst(Wrapped):
    def spoilt(self, fitted: Any, runs: Any) -> Any:
        first = next(iter(runs.labelled_runs())).labels[0].faults[0].agent.casefold()
        return type(fitted)(NameCounts(agents=fitted.counts.agents | {first: {"": 999}}))


@saboteur(Counting, "the_runs_are_not_changed")
class NotesInTheSource(Wrapped):
    def spoilt(self, fitted: Any, runs: Any) -> Any:
        for run in runs.labelled_runs():
            run.source["trained"] = True
        return fitted


@saboteur(Counting, "what_was_saved_answers_like_what_was_trained")
class ForgetsOnSaving(Wrapped):
    def load(self, path: Path) -> Any:
        loaded = super().load(path)
        return type(loaded)(NameCounts(agents={"writer": {"": 1}}))


@saboteur(Counting, "nothing_is_pickled")
class Pickles(Wrapped):
    def save(self, attributor: Any, path: Path) -> None:
        super().save(attributor, path)
        (path / "weights.bin").write_bytes(pickle.dumps(attributor.counts.agents))


@saboteur(Counting, "where_nothing_can_be_learnt_it_says_so")
class LearnsFromNothing(Wrapped):
    def fit(self, runs: Any, config: Any) -> Any:
        try:
            return super().fit(runs, config)
        except LearnerError:
            return self.makes(NameCounts(agents={}))


@saboteur(Counting, "a_folder_without_a_model_is_an_error")
class LeaksErrors(Wrapped):
    def load(self, path: Path) -> Any:
        (path / f"{self.name}.json").read_text(encoding="utf-8")
        return super().load(path)


# -- formats ----------------------------------------------------------------------------------------------------------


@saboteur(Filing, "it_knows_its_own_files_and_no_others")
class TakesAnything(AegisFiles):
    def sniff(self, path: Path) -> bool:
        return path.suffix == ".jsonl" or super().sniff(path)


@saboteur(Filing, "it_knows_its_own_files_and_no_others")
class ChokesOnFiles(AegisFiles):
    def sniff(self, path: Path) -> bool:
        if path.is_file():
            json.loads(path.read_bytes())
        return super().sniff(path)


@saboteur(Filing, "reading_changes_nothing_and_can_be_repeated")
class LeavesAnIndex(AegisFiles):
    def read(self, path: Path, labels: Any = None) -> Any:
        if path.is_dir():
            (path / "index").touch()
        return super().read(path, labels)


@saboteur(Filing, "runs_can_be_had_without_their_labels")
class ForgetsTheLast(AegisFiles):
    def trajectories(self, path: Path) -> Any:
        return iter(list(super().trajectories(path))[:-1])


@saboteur(Filing, "labels_belong_to_their_runs", "what_was_written_is_read_again")
class MixesLabels(AegisFiles):
    def read(self, path: Path, labels: Any = None) -> Any:
        for run in super().read(path, labels):
            changed = tuple(record.model_copy(update={"run_id": "another"}) for record in run.labels)
            yield type(run)(run.trajectory, changed)


@saboteur(Filing, "what_was_written_is_read_again")
class LosesLabels(AegisFiles):
    def write(self, runs: Any, path: Path) -> None:
        given = list(runs)
        again = path.parent.name == "other"
        super().write([type(run)(run.trajectory) if again else run for run in given], path)


@saboteur(Filing, "writing_overwrites_nothing")
class Overwrites(AegisFiles):
    def write(self, runs: Any, path: Path) -> None:
        for file in path.glob("*.jsonl"):
            file.unlink()
        super().write(list(runs)[:2], path)


@saboteur(Filing, "what_is_not_there_is_an_error_that_names_it")
class LeaksErrorsOfFiles(AegisFiles):
    def read(self, path: Path, labels: Any = None) -> Any:
        path.stat()
        return super().read(path, labels)


@saboteur(Filing, "a_damaged_line_is_named")
class HidesTheLine(AegisFiles):
    def read(self, path: Path, labels: Any = None) -> Any:
        try:
            yield from super().read(path, labels)
        except StoreError as error:
            if "no-such-file" in str(error):
                raise
            raise StoreError("trajectories.jsonl is broken") from None


# -- the checks -------------------------------------------------------------------------------------------------------


class Appending(Rewriting):
    def made(self) -> Any:
        return Appends()


@pytest.mark.parametrize("kit", [Appending, Blaming, Counting, Filing])
def test_who_is_sound_fails_nothing(kit: type[Kit], tmp_path: Path) -> None:
    assert {check: said for check in checks(kit) if (said := found(kit, check, tmp_path))} == {}


@pytest.mark.parametrize("name", SABOTEURS)
def test_a_check_finds_its_saboteur_and_no_other_fails_needlessly(name: str, tmp_path: Path) -> None:
    broken = SABOTEURS[name]
    failures = {check: said for check in checks(broken.kit) if (said := found(broken.kit, check, tmp_path))}

    assert broken.check in failures
    assert set(failures) - {broken.check} - broken.also == set(), failures


def test_every_check_has_a_saboteur() -> None:
    for kit in (Rewriting, Blaming, Counting, Filing):
        caught = {broken.check for broken in SABOTEURS.values() if issubclass(broken.kit, kit)}
        assert caught == set(checks(kit)) - {"test_no_check_is_overridden"}


def test_every_check_says_what_it_is_about_and_how_to_repair() -> None:
    for kit in (Rewriting, Blaming, Counting, Filing):
        for check in checks(kit):
            assert "Repair:" in (getattr(kit, check).__doc__ or ""), check


@pytest.mark.parametrize("kit", [Rewriting, Blaming, Counting, Filing])
def test_what_is_not_installed_is_told_by_both_checks_of_the_plugin(kit: type[Kit], tmp_path: Path) -> None:
    lost = type("Lost", (kit,), {"plugins": lambda _: Plugins([], environ={})})
    for check in ("test_the_plugin_is_discovered_and_offers_it", "test_importing_the_plugin_is_light"):
        assert "no plugin offers" in str(found(lost, check, tmp_path))


def test_a_plugin_that_loads_what_it_should_not_is_named(tmp_path: Path) -> None:
    heavy = type("Heavy", (Blaming,), {"heavy": ("pluggy",)})
    assert "loads ['pluggy']" in str(found(heavy, "test_importing_the_plugin_is_light", tmp_path))


def test_an_overridden_check_is_found(tmp_path: Path) -> None:
    lenient = type("Lenient", (Blaming,), {"test_the_run_is_not_changed": lambda _: None})
    assert "test_the_run_is_not_changed" in str(found(lenient, "test_no_check_is_overridden", tmp_path))
