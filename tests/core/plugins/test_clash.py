"""Signs that another distribution's `aegis_core` is installed."""

from __future__ import annotations

import base64
import hashlib

import pytest

from aegis_core.plugins.clash import foreign_cores


def _distribution(folder, name, version, content="", *, record=True):
    """A folder like site-packages with one distribution that ships `aegis_core/__init__.py`."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    digest = base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).rstrip(b"=").decode()
    (info / "RECORD").write_text(f"aegis_core/__init__.py,sha256={digest},{len(content)}\n" if record else "")
    package = folder / "aegis_core"
    package.mkdir(exist_ok=True)
    (package / "__init__.py").write_text(content)
    return package


@pytest.fixture
def ours(tmp_path):
    return _distribution(tmp_path / "site", "aegis-mas", "0.1.0", "__version__ = '0.1.0'\n")


def _found(ours, *more):
    return foreign_cores(ours, "0.1.0", [str(ours.parent), *map(str, more)])


def test_one_intact_installation_is_no_clash(ours):
    assert _found(ours) == ()


def test_a_second_package_on_the_path_is_named(ours, tmp_path):
    other = _distribution(tmp_path / "other", "authors-own", "1.0", record=False)
    (sentence,) = _found(ours, tmp_path / "other")
    assert str(other) in sentence
    assert str(ours) in sentence


def test_another_distribution_in_the_same_folder_is_named(ours):
    _distribution(ours.parent, "authors-own", "1.0", (ours / "__init__.py").read_text())
    (sentence,) = _found(ours)
    assert "authors-own 1.0 installs a package named aegis_core too" in sentence


def test_another_distribution_of_the_same_name_shows_by_its_version(ours):
    _distribution(ours.parent, "aegis-mas", "7.0", "")
    sentences = _found(ours)
    assert any("is aegis-mas 7.0, but the aegis_core that runs is version 0.1.0" in text for text in sentences)


def test_a_replaced_file_shows_by_its_hash(ours):
    (ours / "__init__.py").write_text("# somebody else's\n")
    (sentence,) = _found(ours)
    assert "another distribution has replaced it" in sentence


def test_the_same_folder_reached_twice_is_no_clash(ours, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(ours.parent)
    assert _found(ours, link / ".." / "site") == ()
