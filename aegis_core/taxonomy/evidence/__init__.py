"""Mode evidence: one predicate a mode, over (clean turn, faulty turn, context), that says whether the mode happened.

Kept with the taxonomy and not with any injector, so that what causes a mode is not what judges it.
"""

from aegis_core.taxonomy.evidence.context import Predicate, TurnContext, verdict
from aegis_core.taxonomy.evidence.judgement import judge, modes_with_evidence

__all__ = ["Predicate", "TurnContext", "judge", "modes_with_evidence", "verdict"]
