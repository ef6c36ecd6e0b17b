"""`python -m paiju.cli.chaos.names FOLDER`: the hosts that Ray finds by name, as JSON.

FOLDER is the data folder of the cell's head, on this machine. In a process of its own,
because Ray's client stays in one for good.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from game_server.supervisor import ray_env
from game_server.supervisor.cell import Cell, NodeState
from game_server.supervisor.folders import prepare
from game_server.supervisor.settings import GameServerSettings


async def _names(folder: Path) -> list[str]:
    settings = GameServerSettings(data_dir=folder)
    folders = prepare(settings)
    ray_env.apply(ray_env.environment(settings, folders))
    state = NodeState.read(folders.run / "ray-node.json")
    if state is None:
        return []
    cell = Cell(
        name=settings.cell,
        node_ip=settings.node_ip,
        temp_dir=folders.ray_temp,
        actor=settings.host_actor,
    )
    await cell.connect(state)
    return await cell.names()


if __name__ == "__main__":
    found = asyncio.run(_names(Path(sys.argv[1])))
    print(json.dumps(found), flush=True)  # noqa: T201
    os._exit(0)  # threads of Ray may still wait for something
