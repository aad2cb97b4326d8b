"""Teams made of plain functions, as a user would write them with `@aegis.trace` and `@aegis.agent`.

Each is a factory for `aegis generate --system aegis_core.world.teams:NAME`. Every member sees what it is handed and no
more; a team that doesn't come to an end within its budget of rounds has no answer.
"""

from aegis_core.world.teams.blackboard import blackboard_team
from aegis_core.world.teams.chain import TEAM, chain_team
from aegis_core.world.teams.critic_loop import critic_loop_team
from aegis_core.world.teams.debate import debate_team
from aegis_core.world.teams.hierarchical import hierarchical_team
from aegis_core.world.teams.layered import layered_team
from aegis_core.world.teams.supervisor import supervisor_team

__all__ = [
    "TEAM",
    "blackboard_team",
    "chain_team",
    "critic_loop_team",
    "debate_team",
    "hierarchical_team",
    "layered_team",
    "supervisor_team",
]
