"""Finding another distribution's `aegis_core`: the Aegis paper's authors ship a package of this name too.

Two such distributions can't be installed together: files of one replace those of the other, or one hides the other
on `sys.path`. Both say "aegis-mas", so the name of the distribution decides nothing.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

__all__ = ["DISTRIBUTION", "foreign_cores", "is_own"]

PACKAGE = "aegis_core"
DISTRIBUTION = "aegis-mas"


def foreign_cores(
    running: Path | None = None, running_version: str | None = None, path: Iterable[str] | None = None
) -> tuple[str, ...]:
    """Signs that another `aegis_core` is installed, one sentence each; empty if there is none.

    Args:
        running: folder of the running package, by default this one's.
        running_version: its version, by default this one's.
        path: where to look, by default `sys.path`.
    """
    from aegis_core import __version__

    folder = (running or Path(__file__).parent.parent).resolve()
    entries = list(sys.path if path is None else path)
    found = [
        f"{other} is another package named {PACKAGE}; the one that runs is {folder}. Only one can be installed: "
        "remove the other, or use an environment of its own for it"
        for other in _other_folders(folder, entries)
    ]
    for dist in distributions(path=entries):
        found.extend(_signs(dist, folder, running_version or __version__))
    return tuple(dict.fromkeys(found))


def _other_folders(running: Path, entries: Iterable[str]) -> Iterator[Path]:
    for entry in entries:
        folder = (Path(entry or ".") / PACKAGE).resolve()
        if folder != running and (folder / "__init__.py").is_file():
            yield folder


def _signs(dist: Distribution, folder: Path, version: str) -> Iterator[str]:
    name = dist.metadata["Name"] or ""
    label = f"{name} {dist.version}"
    if is_own(name):
        if dist.version != version:
            yield f"the installed distribution is {label}, but the {PACKAGE} that runs is version {version} ({folder})"
            return
        if _replaced(dist, folder):
            yield (
                f"{folder / '__init__.py'} is not the file that {label} installed: another distribution has replaced "
                f"it; reinstall with `pip install --force-reinstall --no-deps {DISTRIBUTION}`"
            )
    elif _claims(dist):
        yield (
            f"distribution {label} installs a package named {PACKAGE} too; its files and those of {DISTRIBUTION} "
            f"replace each other: uninstall it, then reinstall {DISTRIBUTION}"
        )


def is_own(name: str) -> bool:
    """Whether a distribution calls itself what this one is called, however it is spelt."""
    return re.sub(r"[-_.]+", "-", name).lower() == DISTRIBUTION  # as PEP 503 compares names


def _claims(dist: Distribution) -> bool:
    """Whether the distribution lists the package; read as text, since parsing every RECORD would take a second."""
    files = dist.read_text("RECORD") or dist.read_text("installed-files.txt") or ""
    tops = (dist.read_text("top_level.txt") or "").split()
    return PACKAGE in tops or any(line.lstrip("./").startswith(f"{PACKAGE}/") for line in files.splitlines())


def _replaced(dist: Distribution, folder: Path) -> bool:
    """Whether the running `__init__.py` stands where the distribution put one, with other content."""
    for file in dist.files or ():
        if file.parts != (PACKAGE, "__init__.py") or file.hash is None:
            continue
        located = Path(str(file.locate())).resolve()
        if located != folder / "__init__.py" or not located.is_file() or file.hash.mode != "sha256":
            continue
        digest = hashlib.sha256(located.read_bytes()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value
    return False
