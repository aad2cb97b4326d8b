"""Scoring: what an attributor is worth on labelled runs, with exact definitions, intervals and comparisons.

`judge` asks an attributor, `evaluate` scores its answers, `compare` sets two attributors side by side, `splits` keeps
runs of one source task together. `scoring.published` holds the scorers of others as they were published.
"""

from aegis_core.scoring.comparison import ComparedPart, Comparison, Difference, compare
from aegis_core.scoring.coverage import Coverage
from aegis_core.scoring.evaluation import Evaluation, Metric, Part, evaluate
from aegis_core.scoring.folds import assign_folds, source_tasks, splits
from aegis_core.scoring.judging import judge
from aegis_core.scoring.names import RunNames, fold
from aegis_core.scoring.rules import Rules, Variant
from aegis_core.scoring.runs import ScoredRun, labelled_by, origins, scored_run, truth_of
from aegis_core.scoring.sets import ModeScore

__all__ = [
    "ComparedPart",
    "Comparison",
    "Coverage",
    "Difference",
    "Evaluation",
    "Metric",
    "ModeScore",
    "Part",
    "Rules",
    "RunNames",
    "ScoredRun",
    "Variant",
    "assign_folds",
    "compare",
    "evaluate",
    "fold",
    "judge",
    "labelled_by",
    "origins",
    "scored_run",
    "source_tasks",
    "splits",
    "truth_of",
]
