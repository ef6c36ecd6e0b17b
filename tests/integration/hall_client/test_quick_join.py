"""Thirty bots on two gateways press quick join at once: ten full tables, again and again."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

from hall_client import HallClient
from hall_client.table import TableHandle
from tests.integration.hall_client.mini_hall import MiniHall

REPETITIONS = 20


async def test_thirty_at_once_fill_ten_tables_of_three(tmp_path: Path) -> None:
    async with MiniHall(tmp_path) as hall:
        first, second = hall.gateways
        clients = [
            HallClient([(first, second)[number % 2]], server_keys=hall.server_keys)
            for number in range(30)
        ]
        for number, client in enumerate(clients):
            await client.connect()
            await client.guest(b"%032d" % number)
        assert len({client.gateway for client in clients}) == 2
        for _ in range(REPETITIONS):
            taken = await asyncio.gather(*(c.quick_join("doudizhu.novice") for c in clients))
            tables = Counter(handle.ref.table for handle in taken)
            assert sorted(tables.values()) == [3] * 10
            assert len({(handle.ref.table, handle.seat) for handle in taken}) == 30
            await asyncio.gather(*(_stand(handle) for handle in taken))
        for client in clients:
            await client.close()


async def _stand(handle: TableHandle) -> None:
    await handle.stand()
