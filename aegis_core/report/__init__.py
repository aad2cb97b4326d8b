"""One run or one label in words: what `aegis show` and `aegis explain` print."""

from aegis_core.report.explanation import Explanation, explain, explanation_text
from aegis_core.report.show import show

__all__ = ["Explanation", "explain", "explanation_text", "show"]
