"""MetaGPT reads a configuration when it is imported: here a private one, never the user's."""

from __future__ import annotations

import os
import tempfile

_HOME = tempfile.TemporaryDirectory(prefix="aegis-home-")
_REAL_HOME = os.environ.get("HOME")

os.environ["HOME"] = _HOME.name
try:
    os.environ.pop("METAGPT_PROJECT_ROOT", None)
    from aegis_metagpt.testing.configuration import prepare

    prepare()
finally:
    if _REAL_HOME is None:
        del os.environ["HOME"]
    else:
        os.environ["HOME"] = _REAL_HOME
