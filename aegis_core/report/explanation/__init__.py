"""Why a run is labelled as it is: `contents.py` gathers it from a dataset, `text.py` says it in words."""

from aegis_core.report.explanation.contents import Explanation, explain
from aegis_core.report.explanation.text import explanation_text

__all__ = ["Explanation", "explain", "explanation_text"]
