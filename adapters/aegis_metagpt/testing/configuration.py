"""A private configuration for MetaGPT, which reads one when it is imported, and writes logs beside it."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

__all__ = ["prepare"]

_ROOT = "METAGPT_PROJECT_ROOT"
_CONFIGURATION = "llm: {api_type: openai, api_key: simulated, model: gpt-4o, stream: false}\n"


def prepare() -> None:
    """Import MetaGPT, in a temporary folder of its own unless METAGPT_PROJECT_ROOT names one.

    The folder goes when the process ends. In it MetaGPT's log is silent. A `~/.metagpt/config2.yaml` is read, since
    MetaGPT lets it go before every other, but nothing is written there, and no model that it names is called by a
    system that has models of its own.
    """
    if "metagpt.team" in sys.modules:
        return
    private = not os.environ.get(_ROOT)
    if private:
        root = Path(tempfile.mkdtemp(prefix="aegis-metagpt-"))
        atexit.register(shutil.rmtree, root, ignore_errors=True)
        (root / "config").mkdir()
        (root / "config" / "config2.yaml").write_text(_CONFIGURATION, encoding="utf-8")
        os.environ[_ROOT] = str(root)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the SDKs that MetaGPT imports say of themselves
        from aegis_metagpt import _compat  # noqa: F401  says what to do if MetaGPT can't be imported
    if private:
        from metagpt.logs import logger

        logger.disable("metagpt")
