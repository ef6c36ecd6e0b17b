"""Two data servers on one PostgreSQL; one is killed in the middle of everything.

What was acknowledged is there, what was not is asked again of the other one and takes effect
once: the books say exactly what the callers were told.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import psycopg
from data_hall import bearer, eventually

from paiju.service.ids import new_op
from paiju.wire.v1 import common_pb2, data_pb2, data_pb2_grpc

TABLES = 6
ROUNDS = 40
KILL_AFTER = 100  # acknowledged calls
CALL_S = 5.0
STUBS = {
    "OpenGuest": data_pb2_grpc.AccountsStub,
    "SitDown": data_pb2_grpc.LedgerStub,
    "TopUp": data_pb2_grpc.LedgerStub,
    "Settle": data_pb2_grpc.LedgerStub,
    "StandUp": data_pb2_grpc.LedgerStub,
    "AllocateIds": data_pb2_grpc.ClusterStub,
}


@dataclass
class Program:
    """One data server as a process."""

    process: asyncio.subprocess.Process
    address: str
    admin: str

    @classmethod
    async def start(cls, folder: Path, url: str, shared: Path) -> Program:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "data_server",
            env={
                **os.environ,
                "PAIJU_DATA_DIR": str(folder),
                "PAIJU_DATABASE_URL": url,
                "PAIJU_AUTO_MIGRATE": "true",
                "PAIJU_TICKET_KEY_FILE": str(shared / "keys.json"),
                "PAIJU_CLUSTER_TOKEN_FILE": str(shared / "token"),
                "PAIJU_ADMIN_KEY_FILE": str(shared / "admin"),
                "PAIJU_DATA_LISTEN": "127.0.0.1:0",
                "PAIJU_DATA_ADMIN_LISTEN": "127.0.0.1:0",
                "PAIJU_DATA_METRICS_LISTEN": "127.0.0.1:0",
            },
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stderr is not None
        ready = json.loads(await asyncio.wait_for(process.stderr.readline(), 60))
        assert ready["event"] == "data_server.ready", ready
        return cls(process, ready["address"], ready["admin"])

    async def end(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.communicate()


@dataclass
class Caller:
    """Asks one data server, and the next one when there is no answer; same request."""

    channels: list[grpc.aio.Channel]
    metadata: tuple[tuple[str, str], ...]
    first: int = 0
    answered: list[tuple[str, Any, Any]] = field(default_factory=list)
    failures: int = 0
    longest_s: float = 0.0

    async def ask(self, name: str, request: Any) -> Any:
        begun = time.monotonic()
        number = self.first
        while time.monotonic() < begun + 30:
            stub: Any = STUBS[name](self.channels[number % len(self.channels)])
            try:
                reply = await getattr(stub, name)(request, metadata=self.metadata, timeout=CALL_S)
            except grpc.aio.AioRpcError:
                self.failures += 1
                number += 1
                await asyncio.sleep(0.02)
                continue
            self.longest_s = max(self.longest_s, time.monotonic() - begun)
            self.answered.append((name, request, reply))
            return reply
        raise AssertionError(f"{name}: no data server answered")


async def play(caller: Caller, table: common_pb2.TableRef, host: data_pb2.HostEpoch) -> int:
    """Two players sit, top up, play and stand up; what the first one won."""
    players, sittings = [], []
    for seat in range(2):
        opened = await caller.ask(
            "OpenGuest", data_pb2.OpenGuestRequest(op=new_op(), device_secret=os.urandom(32))
        )
        players.append(opened.session)
        sat = await caller.ask(
            "SitDown",
            data_pb2.SitDownRequest(
                op=new_op(),
                host=host,
                player=opened.session.profile.player,
                table=table,
                seat=seat,
                currency=common_pb2.COIN,
                amount=2000,
                rule_set="r",
                session_epoch=opened.session.session_epoch,
            ),
        )
        assert not sat.HasField("refusal"), sat
        sittings.append(sat.sitting)
    for number in range(1, ROUNDS + 1):
        changes = [
            data_pb2.SeatChange(
                seat=seat,
                sitting=sittings[seat],
                player=players[seat].profile.player,
                delta=(number % 7) * (1 - 2 * seat),
            )
            for seat in range(2)
        ]
        settlement = data_pb2.Settlement(
            table=table,
            hand=number,
            rule_set="r",
            currency=common_pb2.COIN,
            result="finished",
            seats=changes,
            record=b"{}",
        )
        settled = await caller.ask(
            "Settle", data_pb2.SettleRequest(host=host, settlements=[settlement])
        )
        assert not settled.results[0].HasField("refusal"), settled
        if number % 10 == 0:
            await caller.ask(
                "TopUp",
                data_pb2.TopUpRequest(op=new_op(), host=host, sitting=sittings[0], amount=5),
            )
    for sitting in sittings:
        await caller.ask(
            "StandUp", data_pb2.StandUpRequest(op=new_op(), host=host, sitting=sitting)
        )
    return players[0].profile.player


async def test_losing_one_of_two_loses_no_acknowledged_call(
    tmp_path: Path, postgres_url: str
) -> None:
    async with AsyncExitStack() as stack:
        programs = []
        for number in range(2):
            program = await Program.start(tmp_path / f"d{number}", postgres_url, tmp_path)
            stack.push_async_callback(program.end)
            programs.append(program)
        metadata = bearer((tmp_path / "token").read_text().strip())
        channels = [grpc.aio.insecure_channel(program.address) for program in programs]
        for channel in channels:
            stack.push_async_callback(channel.close)
        callers = [Caller(channels, metadata, first=n) for n in range(TABLES)]
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

        def acknowledged() -> int:
            return sum(len(caller.answered) for caller in callers)

        async def enough() -> bool:
            return acknowledged() >= KILL_AFTER

        await eventually(enough, within_s=60)
        programs[0].process.kill()
        before = acknowledged()
        winners = await asyncio.gather(*playing)
        assert sum(caller.failures for caller in callers) > 0, "nobody noticed"
        longest = max(caller.longest_s for caller in callers)
        print(f"killed after {before} of {acknowledged()} calls; longest call {longest:.2f} s")
        assert longest < 5.0

        await _the_books_agree(callers, channels[1], winners, postgres_url)
        channel = grpc.aio.insecure_channel(programs[1].admin)
        stack.push_async_callback(channel.close)
        key = bearer((tmp_path / "admin").read_text().strip())
        checked = await data_pb2_grpc.AdminStub(channel).CheckLedger(
            data_pb2.CheckLedgerRequest(), metadata=key
        )
        assert (checked.sum, checked.unbalanced, checked.mismatched) == (0, 0, 0)
        assert (checked.escrow, checked.open_sittings) == (0, 0)
        assert checked.settlements == TABLES * ROUNDS


async def _the_books_agree(
    callers: list[Caller], survivor: grpc.aio.Channel, winners: list[int], url: str
) -> None:
    """Every acknowledged call, asked again of the survivor, is known there and moves nothing."""
    again = Caller([survivor], callers[0].metadata)
    total = 0
    for caller in callers:
        for name, request, reply in caller.answered:
            if name == "AllocateIds":
                continue
            repeated = await again.ask(name, request)
            total += 1
            if name == "Settle":
                assert repeated.results[0].entry == reply.results[0].entry
                assert repeated.results[0].repeated
            elif name == "SitDown":  # all have stood up: the very sitting is known, and over
                assert repeated.refusal.code == "NO_SUCH_SITTING"
                assert repeated.refusal.params["sitting"] == str(reply.sitting)
            else:
                assert repeated == reply, name
    print(f"{total} acknowledged calls repeated: all are known")
    won = sum(number % 7 for number in range(1, ROUNDS + 1))
    balances = await asyncio.to_thread(_wallets, url, winners)
    assert balances == {winner: 10_000 + won for winner in winners}


def _wallets(url: str, players: list[int]) -> dict[int, int]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        rows = connection.execute(
            "SELECT owner, balance FROM account WHERE kind = 'wallet' AND owner = ANY(%s)",
            (players,),
        ).fetchall()
    return {int(owner): int(balance) for owner, balance in rows}
