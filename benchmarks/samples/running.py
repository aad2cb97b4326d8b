"""Runs one sample in this process: `python -m benchmarks.samples.running NAME CHECKOUT OUT [--plain]`."""

from __future__ import annotations

import ast
import asyncio
import builtins
import inspect
import json
import os
import re
import sys
import tempfile
import traceback
import types
import warnings
from contextlib import nullcontext
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

from aegis_core.errors import RecorderWarning
from aegis_core.store import append
from aegis_core.trace import Recording
from benchmarks.samples.catalogue import SAMPLES, Sample
from benchmarks.samples.entrances import recorded
from benchmarks.samples.scripted import Script
from benchmarks.samples.server import serving

__all__ = ["main"]

_KEY = "sk-sample-0123456789"


def main() -> None:
    """Run a sample, recorded or plainly, and leave what came of it in a folder."""
    name, checkout, out = sys.argv[1:4]
    sample = next(sample for sample in SAMPLES if sample.name == name)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    plain = "--plain" in sys.argv
    script, found = Script(sample.rules), list[Recording]()
    with serving(script) as address, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RecorderWarning)
        error = _run(sample, Path(checkout), address, None if plain else found)
    told = [str(item.message) for item in caught if issubclass(item.category, RecorderWarning)]
    written = "".join(item.run.trajectory().model_dump_json() + item.run.tape().model_dump_json() for item in found)
    for item in found:
        append(folder / "trajectories.jsonl", item.run.trajectory())
    outcome = {
        "requests": script.requests,
        "unforeseen": script.unforeseen,
        "error": error,
        "warnings": told,
        "key recorded": _KEY in written,
    }
    (folder / ("plain.json" if plain else "recorded.json")).write_text(json.dumps(outcome), encoding="utf-8")


def _run(sample: Sample, checkout: Path, address: str, found: list[Recording] | None) -> str:
    os.environ |= {"OPENAI_API_KEY": _KEY, "OPENAI_BASE_URL": address, "OPENAI_API_BASE_URL": address}
    os.environ |= sample.environment
    os.chdir(_workplace(address))
    sys.path[:0] = [str(checkout / Path(sample.path).parent), str(checkout)]
    sys.argv = [sample.path]
    typed = iter(sample.inputs)
    builtins.input = lambda _="": next(typed)
    for name in sample.silenced:
        sys.modules[name] = _silent(name)
    _count_bytes()
    for target in sample.models:
        _replace_model(target, address)
    text = (checkout / sample.path).read_text(encoding="utf-8")
    with recorded(sample.entrance, found) if found is not None else nullcontext():
        try:
            _execute(sample, text, checkout)
        except Exception:  # the sample's own, which the report shows
            return traceback.format_exc(limit=-4)
    return ""


def _execute(sample: Sample, text: str, checkout: Path) -> None:
    name = "sample" if sample.call else "__main__"
    module = types.ModuleType(name)
    module.__file__ = str(checkout / sample.path)
    sys.modules[name] = module
    if sample.cells is None:
        exec(compile(text, module.__file__, "exec"), vars(module))  # noqa: S102  the sample is what we are here to run
    else:
        asyncio.run(_cells(sample, text, module)) if sample.path.endswith(".ipynb") else _blocks(sample, text, module)
    if sample.call:
        started = vars(module)[sample.call]()
        if inspect.isawaitable(started):
            asyncio.run(_awaited(started))


async def _awaited(started: Any) -> Any:
    return await started


async def _cells(sample: Sample, text: str, module: types.ModuleType) -> None:
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    for number in sample.cells or ():
        source = "".join(cells[number]["source"])
        code = compile(source, f"cell {number}", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        result = eval(code, vars(module))  # noqa: S307  as above
        if inspect.isawaitable(result):
            await result


def _blocks(sample: Sample, text: str, module: types.ModuleType) -> None:
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    for number in sample.cells or ():
        exec(compile(blocks[number], f"block {number}", "exec"), vars(module))  # noqa: S102  as above


def _workplace(address: str) -> Path:
    """A folder of its own, since samples write where they stand; MetaGPT reads its configuration there."""
    place = Path(tempfile.mkdtemp(prefix="aegis-sample-"))
    (place / "config").mkdir()
    llm = {"api_type": "openai", "api_key": _KEY, "model": "gpt-4o", "base_url": address, "stream": False}
    (place / "config" / "config2.yaml").write_text(json.dumps({"llm": llm}), encoding="utf-8")
    os.environ |= {"METAGPT_PROJECT_ROOT": str(place), "HOME": str(place)}
    return place


def _silent(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__path__ = []
    module.__getattr__ = lambda _: mock.Mock()  # type: ignore[method-assign]
    return module


def _count_bytes() -> None:
    """Let tiktoken take bytes for tokens: it would fetch its vocabularies from the network."""
    if find_spec("tiktoken") is None:
        return
    tiktoken = import_module("tiktoken")
    ranks = {bytes([number]): number for number in range(256)}
    encoding = tiktoken.Encoding("bytes", pat_str=r"[\s\S]", mergeable_ranks=ranks, special_tokens={})
    for name in ("get_encoding", "encoding_for_model"):
        setattr(tiktoken, name, lambda _: encoding)


def _replace_model(target: str, address: str) -> None:
    module, _, name = target.partition(":")
    package = import_module(module)
    package.__dict__[name] = lambda **_: package.OpenAIServerModel("scripted", api_base=address, api_key=_KEY)


if __name__ == "__main__":
    main()
