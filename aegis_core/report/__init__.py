"""One run or one label in words: what `aegis show` and `aegis explain` print."""

from aegis_core.report.explain import Explanation, explain
from aegis_core.report.show import show
from aegis_core.report.words import explanation_text

__all__ = ["Explanation", "explain", "explanation_text", "show"]
