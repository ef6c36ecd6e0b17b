"""The scenarios by name; one line each. `all-in-turn` strikes with all of one game server."""

from __future__ import annotations

from collections.abc import Mapping

from paiju.cli.chaos.database import KillDatabase
from paiju.cli.chaos.freeze import Freeze
from paiju.cli.chaos.kills import KillDataServer, KillGateway, KillHost
from paiju.cli.chaos.partition import Partition
from paiju.cli.chaos.poison import Poison
from paiju.cli.chaos.ray_head import KillRayHead
from paiju.cli.chaos.ray_node import EndMachine, KillRayNode
from paiju.cli.chaos.roll import Roll
from paiju.cli.chaos.scenario import Scenario
from paiju.cli.chaos.turns import in_turn

_SINGLE: Mapping[str, type[Scenario]] = {
    "host": KillHost,
    "gateway": KillGateway,
    "data-server": KillDataServer,
    "database": KillDatabase,
    "partition": Partition,
    "freeze": Freeze,
    "poison": Poison,
}

_CELL: Mapping[str, type[Scenario]] = {
    "ray-node": KillRayNode,
    "ray-head": KillRayHead,
    "shutdown": EndMachine,
}
"""In a hall of two game servers."""

SCENARIOS: Mapping[str, type[Scenario]] = {
    **_SINGLE,
    **_CELL,
    "roll": Roll,
    "all-in-turn": in_turn(_SINGLE),
}
