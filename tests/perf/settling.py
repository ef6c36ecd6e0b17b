"""What it costs to book a hand: a host's call and the data server's work, on SQLite."""

from __future__ import annotations

import time
from pathlib import Path

from data_server.server import DataServer
from data_server.settings import DataSettings
from tests.integration.data_server.data_hall import Client, hand
from tests.perf.edging import quickest

SEATS = 4
TABLES = 10
"""Hands of one call: about as many as end in 0.3 s at 2,000 actions a second."""
CALLS = 60


async def settlement_us(folder: Path) -> float:
    """Microseconds of CPU per hand, both ends of the call."""
    free = "127.0.0.1:0"
    server = DataServer(
        DataSettings(
            data_dir=folder / "data",
            data_listen=free,
            data_admin_listen=free,
            data_metrics_listen=free,
            database_url=f"sqlite:///{folder / 'hall.sqlite3'}",
            auto_migrate=True,
            ticket_key_file=folder / "keys.json",
            cluster_token_file=folder / "token",
            admin_key_file=folder / "admin",
        )
    )
    client = Client(server, await server.start())
    try:
        host = await client.host()
        tables = []
        for _ in range(TABLES):
            table = await client.table()
            players = [await client.guest() for _ in range(SEATS)]
            sittings = [
                (await host.sit(player, table, seat)).sitting for seat, player in enumerate(players)
            ]
            tables.append((table, players, sittings))
        costs = []
        for number in range(1, CALLS + 1):
            sign = 1 if number % 2 else -1
            hands = [
                hand(
                    table,
                    number,
                    [
                        (player, seat, sitting, sign * (3 if seat == 0 else -1))
                        for seat, (player, sitting) in enumerate(
                            zip(players, sittings, strict=True)
                        )
                    ],
                )
                for table, players, sittings in tables
            ]
            begun = time.process_time()
            reply = await host.settle(*hands)
            costs.append(1e6 * (time.process_time() - begun) / TABLES)
            if any(result.HasField("refusal") for result in reply.results):
                raise RuntimeError(f"not booked: {reply.results[0]}")
        return quickest(costs)
    finally:
        await client.close()
        await server.stop()
