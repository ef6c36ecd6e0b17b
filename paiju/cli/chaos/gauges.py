"""Whether the gauges of the hall equal a recount: by clients and by plain SQL."""

from __future__ import annotations

import asyncio
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from game_server.supervisor.exposition import total as total
from paiju.cli.local import LocalHall

WITHIN_S = 15.0
"""Counts travel with heartbeats and pushes; a server may have registered anew just now."""
_SQL: Mapping[str, str] = {
    "present": "SELECT COUNT(*) FROM presence",
    "seated": "SELECT COUNT(*) FROM sitting WHERE closed_us = 0",
    "escrow": "SELECT COALESCE(SUM(balance), 0) FROM account WHERE kind = 'escrow'",
}


async def scrape(url: str) -> str:
    """One endpoint's text. Raises OSError."""
    return await asyncio.to_thread(_get, url)


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=5) as answer:
        return str(answer.read().decode("utf-8"))


@dataclass(frozen=True)
class Expected:
    """connected: clients with a session. seated: clients with a seat."""

    connected: int
    seated: int


async def differences(
    hall: LocalHall, engine: Engine, expected: Callable[[], Expected]
) -> list[str]:
    """What the gauges say differently, after they had time to follow; [] when all is equal."""
    until = time.monotonic() + WITHIN_S
    while True:
        try:
            found = await _compare(hall, engine, expected())
        except (OSError, DBAPIError) as error:
            found = [f"cannot be counted: {error}"]
        if not found or time.monotonic() > until:
            return found
        await asyncio.sleep(0.5)


async def _compare(hall: LocalHall, engine: Engine, expected: Expected) -> list[str]:
    servers = [url for name, url in hall.metrics.items() if name.startswith("game-server")]
    gauges = "".join([await scrape(url) for url in servers])
    counted = await asyncio.to_thread(_count, engine)
    pairs: dict[str, tuple[float, float]] = {
        "sessions": (total(gauges, "paiju_gateway_sessions"), expected.connected),
        "players present": (counted["present"], expected.connected),
        "seats": (counted["seated"], expected.seated),
    }
    if expected.seated == 0:  # while hands are played and booked the two cannot be compared
        pairs["coins on tables"] = (total(gauges, "paiju_host_escrow_coins"), counted["escrow"])
        pairs["settlements on their way"] = (total(gauges, "paiju_host_outbox_depth"), 0)
        playing = sum(
            float(line.rpartition(" ")[2])
            for line in gauges.splitlines()
            if line.startswith("paiju_host_tables{") and 'state="playing"' in line
        )
        pairs["tables with a hand"] = (playing, 0)
    return [f"{what}: {a:g}, recounted {b:g}" for what, (a, b) in pairs.items() if a != b]


def _count(engine: Engine) -> dict[str, int]:
    with engine.connect() as connection:
        return {name: int(connection.execute(text(q)).scalar_one()) for name, q in _SQL.items()}
