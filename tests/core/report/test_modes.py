"""Which modes there are, what causes them and whether they can be proven."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from aegis_core.hookspecs import Provider, hookimpl
from aegis_core.injector import Injector, Realisation, Refused
from aegis_core.plugins import Plugins
from aegis_core.report.modes import mode_infos
from aegis_core.taxonomy import MAST, ErrorMode
from aegis_core.taxonomy.evidence import modes_with_evidence


class Works(Injector):
    name = "works"

    def realisations(self):
        return (Realisation(name="a way", mode="FM-1.1", strategy="prompt_injection"),)

    async def alter(self, context, target, attempt):
        return Refused("never")


class Broken(Works):
    name = "broken"

    def realisations(self):
        raise ZeroDivisionError("by zero")


class Offers:
    @hookimpl
    def aegis_injectors(self):
        return [
            Provider(name="works", target=f"{__name__}:Works"),
            Provider(name="broken", target=f"{__name__}:Broken"),
            Provider(name="lacking", target="nowhere:Never", requires=("a-distribution-that-nobody-has",)),
        ]

    @hookimpl
    def aegis_error_modes(self):
        return [ErrorMode(id="acme:bare", name="Bare", definition="No evidence.")]


class _Point(EntryPoint):
    def load(self):
        return Offers()


@pytest.fixture
def infos():
    return mode_infos(Plugins([_Point("offers", "in:process", "aegis")], environ={}))


def test_all_modes_are_there_with_their_causes(infos):
    by_id = {info.mode.id: info for info in infos[0]}
    assert list(by_id) == [*(mode.id for mode in MAST), "acme:bare"]
    assert [cause.injector for cause in by_id["FM-1.1"].causes] == ["works"]
    assert by_id["acme:bare"].causes == ()


def test_a_mode_is_provable_if_it_has_a_predicate(infos):
    provable = {info.mode.id for info in infos[0] if not info.unprovable}
    assert provable == set(modes_with_evidence())
    bare = next(info for info in infos[0] if info.mode.id == "acme:bare")
    assert "names no evidence predicate" in bare.unprovable


def test_injectors_that_can_not_be_asked_are_named(infos):
    broken, lacking = infos[1]
    assert broken == "injector 'broken' can't say what it causes: ZeroDivisionError: by zero"
    assert "injector 'lacking'" in lacking
    assert "pip install a-distribution-that-nobody-has" in lacking
