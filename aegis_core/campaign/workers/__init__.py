"""Several processes that make the runs of a campaign: each makes whole cases, this one alone writes.

`messages.py` is what crosses between them, `pool.py` starts workers and tells what they did in the order of the tasks,
`process.py` is a worker.
"""

from aegis_core.campaign.workers.messages import check_can_cross
from aegis_core.campaign.workers.pool import Pool

__all__ = ["Pool", "check_can_cross"]
