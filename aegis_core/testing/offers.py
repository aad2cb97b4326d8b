"""What an installed plugin offers, and what importing it loads."""

from __future__ import annotations

import json
import subprocess
import sys

from aegis_core.plugins import PluginInfo, Plugins, Provided
from aegis_core.plugins.kinds import Kind

__all__ = ["loaded_by", "offered"]


def offered(plugins: Plugins, kind: Kind, name: str) -> tuple[PluginInfo, Provided]:
    """The plugin that offers this, and its offer. Fails as a check does if there is none."""
    report = plugins.report()
    offers = [(info, item) for info in report.plugins for item in info.provides]
    own = [(info, item) for info, item in offers if (item.kind, item.name) == (kind, name)]
    reasons = "; ".join(f"{info.name}: {info.reason}" for info in report.plugins if info.reason)
    article = "an" if kind[0] in "aeiou" else "a"
    if not own:
        raise AssertionError(
            f"no plugin offers {article} {kind} {name!r}{f' ({reasons})' if reasons else ''}. Give your distribution "
            f"an entry point of group 'aegis' whose module has a hook `aegis_{kind}s` that returns its Provider, and "
            "install it"
        )
    return own[0]


def loaded_by(module: str) -> frozenset[str]:
    """The modules that are there after importing this one alone, in a process of its own."""
    script = f"import json, sys; sys.path[:0] = json.loads(sys.argv[1]); import {module}; "
    script += "print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(  # noqa: S603  our own interpreter, on the plugin under test
        [sys.executable, "-c", script, json.dumps(sys.path)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise AssertionError(f"importing {module} alone fails:\n{done.stderr}")
    return frozenset(json.loads(done.stdout.splitlines()[-1]))
