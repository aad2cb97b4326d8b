"""Why a run is labelled as it is, or why not.

`contents.py` gathers it, for runs without a label with `unlabelled.py`; `record.py` is what is told; `text.py` says it
in words.
"""

from aegis_core.report.explanation.contents import explain
from aegis_core.report.explanation.record import Explanation
from aegis_core.report.explanation.text import explanation_text

__all__ = ["Explanation", "explain", "explanation_text"]
