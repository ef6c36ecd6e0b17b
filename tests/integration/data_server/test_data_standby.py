"""The primary dies in the middle of settlements; its standby takes over with all of them."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import grpc
from data_hall import bearer, eventually
from standby import Pair
from test_data_failover import ROUNDS, TABLES, Caller, Program, _the_books_agree, play

from data_server.store import checks
from data_server.store.database import Database
from paiju.wire.v1 import common_pb2, data_pb2, data_pb2_grpc

KILL_AFTER = 120  # acknowledged calls


async def test_a_primary_that_is_killed_loses_no_acknowledged_settlement(tmp_path: Path) -> None:
    async with AsyncExitStack() as stack:
        pair = stack.enter_context(Pair())
        program = await Program.start(tmp_path / "d", pair.url, tmp_path)
        stack.push_async_callback(program.end)
        # It has much to say while there is no database; a full pipe would stop it.
        log = asyncio.ensure_future(_drain(program))
        stack.callback(log.cancel)
        channel = grpc.aio.insecure_channel(program.address)
        stack.push_async_callback(channel.close)
        metadata = bearer((tmp_path / "token").read_text().strip())
        callers = [Caller([channel], metadata) for _ in range(TABLES)]
        ids = await callers[0].ask("AllocateIds", data_pb2.AllocateIdsRequest(count=TABLES))
        playing = [
            asyncio.ensure_future(
                play(
                    callers[n],
                    common_pb2.TableRef(room="r", table=ids.first + n),
                    data_pb2.HostEpoch(host=f"gs/h{n}", epoch=1),
                )
            )
            for n in range(TABLES)
        ]

        async def enough() -> bool:
            return sum(len(caller.answered) for caller in callers) >= KILL_AFTER

        await eventually(enough, within_s=60)
        assert await _standbys(pair.url_of(pair.primary)) == 1
        await asyncio.to_thread(pair.kill, pair.primary)
        before = sum(len(caller.answered) for caller in callers)
        await asyncio.to_thread(pair.promote)
        winners = await asyncio.gather(*playing)
        assert sum(caller.failures for caller in callers) > 0, "nobody noticed"
        print(f"killed after {before} calls; {max(c.longest_s for c in callers):.2f} s the longest")

        assert await _standbys(pair.url_of(pair.standby)) == 0
        await _the_books_agree(callers, channel, winners, pair.url_of(pair.standby))
        admin = grpc.aio.insecure_channel(program.admin)
        stack.push_async_callback(admin.close)
        checked = await data_pb2_grpc.AdminStub(admin).CheckLedger(
            data_pb2.CheckLedgerRequest(),
            metadata=bearer((tmp_path / "admin").read_text().strip()),
        )
        assert (checked.sum, checked.unbalanced, checked.mismatched) == (0, 0, 0)
        assert checked.settlements == TABLES * ROUNDS


async def _standbys(url: str) -> int:
    """As the data server's gauge counts them."""
    database = Database(url, pool=1)
    try:
        count, lag_s = await database.read(checks.standbys)
        assert 0 <= lag_s < 10
        return count
    finally:
        await database.close()


async def _drain(program: Program) -> None:
    assert program.process.stderr is not None
    while await program.process.stderr.read(65_536):
        pass
