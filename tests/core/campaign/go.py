"""`python -m tests.core.campaign.go FOLDER [N]`: a campaign; with N, killed without warning after the N-th plan."""

import os
import signal
import sys

from tests.core.campaign import team


def main(out: str, kill_after: int | None) -> None:
    def watch(progress) -> None:
        if kill_after is not None and progress.planned >= kill_after:
            os.kill(os.getpid(), signal.SIGKILL)

    summary = team.campaign(out, **team.SETTLED, progress=watch).run()
    print(summary.model_dump_json())


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None)
