"""Distances between two corpora, each 0 for equals; nothing in them is random but the draws that are given."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

from benchmarks.realism.corpora import Corpus, Line

__all__ = ["MEASURES", "described", "doublings", "repeated_phrases", "speakers", "vocabulary"]

_WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d+(?:[.,]\d+)*|[^\w\s]")
_QUANTILES = 99
_DRAWN = 2000
"""Words that are compared at a time: the smallest corpus has some thousand, and every figure grows with the sample."""
_PHRASE = 4
_PHRASES = 150
_RUNS = 12
"""Phrases that are drawn in a row from each run, and from how many runs: the smallest corpus has 15 runs."""
_NUMBER = "<number>"

Measure = Callable[[Corpus, Corpus, Random], float]


def doublings(ones: Sequence[float], others: Sequence[float]) -> float:
    """Mean distance between the quantiles of two samples of sizes, in doublings: 1.0 if all are twice as large."""
    pairs = zip(_quantiles(ones), _quantiles(others), strict=True)
    return sum(abs(math.log2(1 + a) - math.log2(1 + b)) for a, b in pairs) / _QUANTILES


def _quantiles(sizes: Sequence[float]) -> list[float]:
    ordered = sorted(sizes)
    return [ordered[int(position / (_QUANTILES + 1) * len(ordered))] for position in range(1, _QUANTILES + 1)]


def _step_lengths(one: Corpus, other: Corpus, _rng: Random) -> float:
    return doublings(*([len(text.split()) for text in corpus.texts] for corpus in (one, other)))


def _turns(one: Corpus, other: Corpus, _rng: Random) -> float:
    return doublings(*([len(run) for run in corpus.runs] for corpus in (one, other)))


def vocabulary(one: Corpus, other: Corpus, rng: Random) -> float:
    """Jensen-Shannon divergence of the words of two samples, in bits, 0 to 1; figures count as one word."""
    return _divergence(*(Counter(_drawn_words(corpus, rng)) for corpus in (one, other)))


def repeated_phrases(corpus: Corpus, rng: Random) -> float:
    """The share of phrases of four words that occur in another run, 0 to 1; of as many runs and phrases a corpus."""
    where: dict[tuple[str, ...], set[int]] = {}
    drawn: list[tuple[str, ...]] = []
    for number in rng.sample(range(len(corpus.runs)), min(_RUNS, len(corpus.runs))):
        words = [word for line in corpus.runs[number] for word in _words(line.text)]
        start = rng.randrange(max(1, len(words) - _PHRASES))
        words = words[start : start + _PHRASES + _PHRASE - 1]
        for phrase in zip(*(words[at:] for at in range(_PHRASE)), strict=False):
            drawn.append(phrase)
            where.setdefault(phrase, set()).add(number)
    return sum(len(where[phrase]) > 1 for phrase in drawn) / max(1, len(drawn))


def speakers(run: Sequence[Line]) -> Mapping[str, float]:
    """How a run's turns are shared out: members, the busiest one's share, how well the last speaker tells the next."""
    names = [line.speaker for line in run]
    counts = Counter(names)
    follow: dict[str, Counter[str]] = {}
    for before, after in itertools.pairwise(names):
        follow.setdefault(before, Counter())[after] += 1
    told = sum(max(after.values()) for after in follow.values())
    return {
        "members": float(len(counts)),
        "busiest": max(counts.values()) / len(names),
        "told": told / max(1, len(names) - 1),
    }


def _members(one: Corpus, other: Corpus, _rng: Random) -> float:
    return doublings(*([speakers(run)["members"] for run in corpus.runs if run] for corpus in (one, other)))


def _shares(name: str) -> Measure:
    def distance(one: Corpus, other: Corpus, _rng: Random) -> float:
        ones, others = ([speakers(run)[name] for run in corpus.runs if run] for corpus in (one, other))
        pairs = zip(_quantiles(ones), _quantiles(others), strict=True)
        return sum(abs(a - b) for a, b in pairs) / _QUANTILES

    return distance


def _phrases(one: Corpus, other: Corpus, rng: Random) -> float:
    return abs(repeated_phrases(one, rng) - repeated_phrases(other, rng))


def described(corpus: Corpus, rng: Random) -> Mapping[str, float]:
    """A corpus by itself: medians of words a step, turns and members a run; shares as in the measures."""
    lengths, turns = sorted(len(text.split()) for text in corpus.texts), sorted(map(len, corpus.runs))
    shares = [speakers(run) for run in corpus.runs if run]
    return {
        "runs": float(len(corpus.runs)),
        "words a step": lengths[len(lengths) // 2],
        "of the longest tenth": lengths[len(lengths) * 9 // 10],
        "turns a run": turns[len(turns) // 2],
        "members": _middle([share["members"] for share in shares]),
        "busiest member's share": _middle([share["busiest"] for share in shares]),
        "next speaker told by the last": _middle([share["told"] for share in shares]),
        "phrases said in other runs": repeated_phrases(corpus, rng),
        "different words among 2,000": len(set(_drawn_words(corpus, rng))) / _DRAWN,
    }


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def _drawn_words(corpus: Corpus, rng: Random) -> list[str]:
    """Words of whole steps, drawn until there are enough."""
    texts = list(corpus.texts)
    rng.shuffle(texts)
    words: list[str] = []
    for text in texts:
        words += _words(text)
        if len(words) >= _DRAWN:
            break
    return words[:_DRAWN]


def _words(text: str) -> list[str]:
    return [_NUMBER if word[0].isdigit() else word.lower() for word in _WORD.findall(text)]


def _divergence(ones: Counter[str], others: Counter[str]) -> float:
    n_ones, n_others = ones.total(), others.total()
    found = 0.0
    for word in ones.keys() | others.keys():
        p, q = ones[word] / n_ones, others[word] / n_others
        middle = (p + q) / 2
        found += sum(share * math.log2(share / middle) for share in (p, q) if share) / 2
    return found


MEASURES: Mapping[str, tuple[str, Measure]] = {
    "step lengths": ("doublings", _step_lengths),
    "turns a run": ("doublings", _turns),
    "members": ("doublings", _members),
    "busiest member's share": ("", _shares("busiest")),
    "next speaker told by the last": ("", _shares("told")),
    "vocabulary": ("bits", vocabulary),
    "phrases said in other runs": ("", _phrases),
}
"""Name, unit and function of each distance."""
