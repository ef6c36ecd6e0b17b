"""A hall of real processes around a data server in memory: two gateways and one table host.

The data server of this process keeps wallets and escrows as plain numbers, so that tests can
see that no coin is lost; everything else is what runs in production.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from pathlib import Path
from typing import Any

from paiju.wire.v1 import common_pb2, data_pb2
from tests.integration.gateway.fake_data import TOKEN, FakeData

_HOST = """
import json, signal, sys, threading
from game_server.tables.config import HostConfig
from game_server.tables.process import HostProcess
given = json.loads(sys.argv[1])
given["cell_secret"] = bytes.fromhex(given["cell_secret"])
host = HostProcess(HostConfig(**given))
end = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: end.set())
host.start()
print("ready", flush=True)
end.wait()
host.stop()
"""
START_S = 20.0


class MemoryData(FakeData):
    """FakeData with a ledger of coins, a registry of hosts, ids and records."""

    def __init__(self, *, grant: int = 3000) -> None:
        super().__init__()
        self.grant = grant
        self.wallets: dict[int, int] = {}
        self.escrow: dict[int, list[int]] = {}  # sitting -> [player, stake]
        self.sat: dict[tuple[int, int], data_pb2.SitDownReply] = {}
        self.seats: dict[int, common_pb2.TableRef] = {}
        self.fees = 0
        self.settled: dict[tuple[int, int], data_pb2.Settlement] = {}
        self._ids = 2**50

    async def OpenGuest(self, request: Any, context: Any) -> data_pb2.SessionReply:
        reply = await super().OpenGuest(request, context)
        player = reply.session.profile.player
        self.wallets.setdefault(player, self.grant)
        reply.session.profile.name = request.name or f"p{player}"
        return reply

    async def RegisterHost(self, request: Any, context: Any) -> data_pb2.RegisterHostReply:
        host = request.host.host
        self.add_host(
            data_pb2.HostInfo(
                host=host,
                epoch=request.host.epoch,
                server=request.server,
                cell=request.cell,
                unix_path=request.unix_path,
                machine=request.machine,
                max_tables=request.max_tables,
                alive=True,
            )
        )
        self.host_for_new = host
        return data_pb2.RegisterHostReply(epoch=request.host.epoch)

    async def AllocateIds(self, request: Any, context: Any) -> data_pb2.AllocateIdsReply:
        first, self._ids = self._ids, self._ids + request.count
        return data_pb2.AllocateIdsReply(first=first, count=request.count)

    async def FindPlayer(self, request: Any, context: Any) -> data_pb2.FindPlayerReply:
        seats = [ref for s, ref in self.seats.items() if self.escrow[s][0] == request.player]
        return data_pb2.FindPlayerReply(seats=seats)

    async def GetWallet(self, request: Any, context: Any) -> data_pb2.GetWalletReply:
        reply = data_pb2.GetWalletReply()
        reply.wallet.coin = self.wallets[request.player]
        return reply

    async def SitDown(self, request: Any, context: Any) -> data_pb2.SitDownReply:
        key = (request.player, int.from_bytes(request.op, "big"))
        if key not in self.sat:
            have = self.wallets[request.player]
            if have < request.amount:
                refusal = common_pb2.Refusal(code="NOT_ENOUGH")
                refusal.params.update(have=str(have), need=str(request.amount))
                return data_pb2.SitDownReply(refusal=refusal)
            self.wallets[request.player] -= request.amount
            sitting = self._ids = self._ids + 1
            self.escrow[sitting] = [request.player, request.amount]
            self.seats[sitting] = request.table
            self.sat[key] = data_pb2.SitDownReply(sitting=sitting, stake=request.amount)
        return self.sat[key]

    async def TopUp(self, request: Any, context: Any) -> data_pb2.TopUpReply:
        player = self.escrow[request.sitting][0]
        have = self.wallets[player]
        if have < request.amount:
            refusal = common_pb2.Refusal(code="NOT_ENOUGH")
            refusal.params.update(have=str(have), need=str(request.amount))
            return data_pb2.TopUpReply(refusal=refusal)
        self.wallets[player] -= request.amount
        self.escrow[request.sitting][1] += request.amount
        return data_pb2.TopUpReply(stake=self.escrow[request.sitting][1])

    async def StandUp(self, request: Any, context: Any) -> data_pb2.StandUpReply:
        held = self.escrow.pop(request.sitting, None)
        self.seats.pop(request.sitting, None)
        if held is None:
            refusal = common_pb2.Refusal(code="NO_SUCH_SITTING")
            return data_pb2.StandUpReply(refusal=refusal)
        self.wallets[held[0]] += held[1]
        return data_pb2.StandUpReply(returned=held[1])

    async def Settle(self, request: Any, context: Any) -> data_pb2.SettleReply:
        reply = data_pb2.SettleReply()
        for settlement in request.settlements:
            key = (settlement.table.table, settlement.hand)
            known = key in self.settled
            reply.results.add(repeated=known)
            if not known:
                self.settled[key] = settlement
                for seat in settlement.seats:
                    self.escrow[seat.sitting][1] += seat.delta
                    self.fees += seat.fee
        return reply

    def all_coins(self) -> int:
        """Constant, unless coins were made or lost."""
        lying = sum(stake for _, stake in self.escrow.values())
        return sum(self.wallets.values()) + lying + self.fees


class MiniHall:
    """`async with`; `gateways` are addresses."""

    def __init__(self, folder: Path, *, gateways: int = 2, grant: int = 3000) -> None:
        self.data = MemoryData(grant=grant)
        self.gateways: list[str] = []
        self._folder = folder
        self._number = gateways
        self._processes: list[asyncio.subprocess.Process] = []
        self._reading: list[asyncio.Task[None]] = []
        self.logs: list[str] = []

    async def __aenter__(self) -> MiniHall:
        address = await self.data.start()
        secret = secrets.token_bytes(32)
        (self._folder / "token").write_text(TOKEN)
        (self._folder / "secret").write_bytes(secret)
        await self._start_host(address, secret)
        for number in range(self._number):
            await self._start_gateway(address, number)
        return self

    async def __aexit__(self, *error: object) -> None:
        for process in reversed(self._processes):
            if process.returncode is None:
                process.terminate()
        for process in self._processes:
            try:
                await asyncio.wait_for(process.wait(), 15)
            except TimeoutError:
                process.kill()
                await process.wait()
        for task in self._reading:
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)
        await self.data.stop()

    async def _start_host(self, data: str, secret: bytes) -> None:
        config = {
            "host": "h0",
            "cell": "c",
            "server": "gs",
            "machine": "m",
            "run_dir": str(self._folder),
            "data_servers": [data],
            "cluster_token": TOKEN,
            "cell_secret": secret.hex(),
            "journal_url": f"sqlite:///{self._folder}/journal.db",
            "metrics_socket": "",
        }
        process = await self._start("-c", _HOST, json.dumps(config))
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), START_S)
        assert line == b"ready\n", self.logs

    async def _start_gateway(self, data: str, number: int) -> None:
        config = {
            "name": f"gs/gateway-{number}",
            "server": "gs",
            "cell": "c",
            "machine": "m",
            "cell_secret": str(self._folder / "secret"),
            "cluster_token": str(self._folder / "token"),
            "data_servers": [data],
        }
        await self._start("-m", "game_server.gateway", "--config-json", json.dumps(config))
        async with asyncio.timeout(START_S):
            while len(self.gateways) <= number:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    async def _start(self, *arguments: str) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        self._processes.append(process)
        self._reading.append(asyncio.create_task(self._read(process)))
        return process

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            text = line.decode(errors="replace").rstrip()
            self.logs.append(text)
            if '"gateway.ready"' in text:
                self.gateways.append(json.loads(text)["address"])
