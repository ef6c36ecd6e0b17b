"""A head that only holds the cell together, found by its name, as in deploy/kubernetes."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from pathlib import Path

import pytest

from hall_client.bots.mind import GameMind
from hall_client.load.driver import Driver, LoadPlan
from paiju.cli.cell import HEAD, SECOND, CellHall
from paiju.rules.registry import Registry


@pytest.mark.soak
async def test_a_head_without_gateways_and_tables_found_by_its_name(tmp_path: Path) -> None:
    hall = CellHall(
        data_dir=tmp_path / "hall", head_gateways=0, head_hosts=0, head_name="localhost"
    )
    async with hall:
        assert set(hall.hosts) == {f"{SECOND}-0"}
        assert len(hall.gateways) == 1
        head = json.loads((tmp_path / "hall/game-server.json").read_text())
        assert head["server"] == HEAD and head["gateways"] == [] and head["hosts"] == {}
        for metrics in hall.metrics.values():
            for path in ("health", "live"):
                url = metrics.replace("/metrics", f"/{path}")
                assert (await asyncio.to_thread(urllib.request.urlopen, url)).status == 200
        plan = LoadPlan(
            gateways=tuple(hall.gateways),
            server_keys=hall.server_keys,
            room="doudizhu.novice",
            players=3,
            hands=1,
            drops=0,
            seed=1,
            deadline_s=60,
        )
        registry = Registry.default()
        result = await Driver(plan, make_mind=lambda _: GameMind(registry)).run()
        assert result.errors == [] and result.hands >= 1
