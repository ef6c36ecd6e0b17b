"""The scenarios by name; one line each. `all-in-turn` strikes with all of them."""

from __future__ import annotations

from collections.abc import Mapping

from paiju.cli.chaos.database import KillDatabase
from paiju.cli.chaos.freeze import Freeze
from paiju.cli.chaos.kills import KillDataServer, KillGateway, KillHost
from paiju.cli.chaos.partition import Partition
from paiju.cli.chaos.poison import Poison
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

SCENARIOS: Mapping[str, type[Scenario]] = {**_SINGLE, "all-in-turn": in_turn(_SINGLE)}
