"""A machine is lost for good whose journal was a file on it: stakes go back, players are told."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import create_engine, text

from hall_client import HallClient
from hall_client.events import Event, TableClosed
from hall_client.load.books import read_books
from paiju.cli.cell import SECOND, CellHall

ROOM = "doudizhu.novice"
START_COINS = 10_000
WALLETS = "SELECT balance FROM account WHERE kind = 'wallet'"
SOON = {"escrow_release_s": "4", "lease_s": "4", "takeover_s": "4", "poll_s": "0.5", "sweep_s": "1"}


async def test_stakes_go_back_and_players_are_told(tmp_path: Path) -> None:
    async with CellHall(data_dir=tmp_path / "hall", gateways=1, settings=SOON) as hall:
        second, local = hall.gateways
        told: list[str] = []

        def saw(event: Event) -> None:
            if isinstance(event, TableClosed):
                told.append(event.reason)

        engine = create_engine(hall.database_url)
        async with (
            HallClient([second], server_keys=hall.server_keys) as opens,
            HallClient([local], server_keys=hall.server_keys, observer=saw) as client,
        ):
            await opens.guest(b"o" * 32)
            await opens.quick_join(ROOM)  # the shard is where its first player is
            await client.guest(b"p" * 32)
            handle = await client.quick_join(ROOM)
            with engine.connect() as connection:
                (host,) = connection.execute(text("SELECT DISTINCT host FROM sitting")).scalars()
            assert host == f"{SECOND}-0"
            with hall.held_down(SECOND):
                hall.kill(SECOND)
                await until(lambda: read_books(engine).open_sittings == 0)
                await until(lambda: "TABLE_GONE" in told)
                books = await asyncio.to_thread(read_books, engine)
                assert (books.escrow, books.sum, books.unbalanced) == (0, 0, 0)
                with engine.connect() as connection:
                    wallets = connection.execute(text(WALLETS)).scalars().all()
                assert set(wallets) == {START_COINS}
                # The room is open elsewhere.
                again = await client.quick_join(ROOM)
                assert again.ref.table != handle.ref.table
                await again.stand()
        engine.dispose()


async def until(condition: Callable[[], bool], within_s: float = 90.0) -> None:
    end = time.monotonic() + within_s
    while not await asyncio.to_thread(condition):
        assert time.monotonic() < end
        await asyncio.sleep(0.1)
