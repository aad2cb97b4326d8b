import pytest

from aegis_core.errors import RecordError, UnknownModeError
from aegis_core.taxonomy import MAST, ErrorMode, check_mode_id, mast_mode

NUMBERS = ("1.1", "1.2", "1.3", "1.4", "1.5", "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "3.1", "3.2", "3.3")


def test_mast_has_its_fourteen_modes_in_order():
    assert tuple(mode.id for mode in MAST) == tuple(f"FM-{number}" for number in NUMBERS)


def test_the_first_digit_of_an_id_is_its_category():
    categories = {mode.id[3]: mode.category for mode in MAST}

    assert categories == {
        "1": "Specification Issues",
        "2": "Inter-Agent Misalignment",
        "3": "Task Verification",
    }
    assert all(mode.category == categories[mode.id[3]] for mode in MAST)


def test_names_definitions_and_aliases_are_unique():
    names = [mode.name for mode in MAST]
    definitions = [mode.definition for mode in MAST]
    aliases = [alias for mode in MAST for alias in mode.aliases]

    assert len(set(names)) == len(set(definitions)) == 14
    assert len(set(aliases)) == len(aliases) == 14


def test_an_alias_is_never_the_name_of_another_mode():
    for mode in MAST:
        others = {other.name for other in MAST if other.id != mode.id}
        assert not others & set(mode.aliases)


def test_every_mode_names_its_source():
    assert {mode.source for mode in MAST} == {"MAST, arXiv 2503.13657"}


@pytest.mark.parametrize("mode", MAST, ids=lambda mode: mode.id)
def test_a_mode_is_found_by_its_id(mode):
    assert mast_mode(mode.id) is mode
    assert check_mode_id(mode.id) == mode.id


@pytest.mark.parametrize("wrong", ["FM-1.6", "FM-4.1", "FM-2", "fm-1.1", "EM-1.1", "", "acme:drift"])
def test_an_id_that_mast_lacks_names_those_it_has(wrong):
    with pytest.raises(UnknownModeError, match=r"FM-1\.1.*FM-3\.3"):
        mast_mode(wrong)


@pytest.mark.parametrize("foreign", ["acme:drift", "acme-ai:loop.v2", "env:slow_tool"])
def test_foreign_ids_are_possible(foreign):
    assert check_mode_id(foreign) == foreign
    assert ErrorMode(id=foreign, name="n", definition="d").id == foreign


@pytest.mark.parametrize("wrong", ["FM-1.6", "acme", "Acme:drift", "acme:", ":drift", "acme:Drift", "acme:a b"])
def test_an_impossible_id_names_the_known_ones_and_the_form_of_others(wrong):
    with pytest.raises(UnknownModeError, match=r"FM-1\.1.*vendor:slug"):
        check_mode_id(wrong)


def test_a_mode_with_an_impossible_id_is_refused_with_the_form():
    with pytest.raises(ValueError, match="vendor:slug"):
        ErrorMode(id="drift", name="n", definition="d")
    assert issubclass(UnknownModeError, RecordError)


@pytest.mark.parametrize("wrong", ["module", "module:", "a b:c", "module:func tion"])
def test_evidence_must_be_module_and_function(wrong):
    with pytest.raises(ValueError, match="evidence"):
        ErrorMode(id="acme:drift", name="n", definition="d", evidence=wrong)
