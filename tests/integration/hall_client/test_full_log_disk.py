"""Logs on a disk without room: a hand is played to its end and booked."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine

from hall_client.bots.mind import GameMind
from hall_client.load.books import read_books
from hall_client.load.driver import Driver, LoadPlan
from paiju.rules.registry import Registry
from tests.integration.hall_client.mini_hall import MiniHall

REGISTRY = Registry.default()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
async def test_a_full_disk_stops_no_play(tmp_path: Path) -> None:
    """Every operation writes log lines here, and no line can be written by data server or host.
    (The gateway's tell this test where it listens.)"""
    async with MiniHall(tmp_path, gateways=1, trace_one_in=1, full_log_disk=True) as hall:
        plan = LoadPlan(
            gateways=hall.gateways, server_keys=hall.server_keys, room="doudizhu.novice",
            players=3, hands=1, drops=0, seed=5, deadline_s=60,
        )  # fmt: skip
        result = await Driver(plan, make_mind=lambda _: GameMind(REGISTRY)).run()
        assert result.errors == [] and result.hands >= 1 and result.voided == 0
        told = {
            line.split('"program": "')[1].split('"')[0] for line in hall.logs if "program" in line
        }
        assert told == {"gateway gs/gateway-0"}
        engine = create_engine(hall.database_url)
        books = read_books(engine)
        engine.dispose()
        assert (books.sum, books.unbalanced, books.escrow) == (0, 0, 0)
        assert books.settlements == result.hands
