"""Machines that follow a data server, all in the test's loop: keepers and the games of hosts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from prometheus_client import CollectorRegistry

from data_server.server import DataServer
from data_server.settings import DataSettings
from game_server.data_client import DataClient
from game_server.gateway.metrics import Metrics
from game_server.packages.hosting import HostGames
from game_server.packages.keeper import Keeper
from game_server.packages.library import Library
from game_server.packages.shelf import ShelfFile
from game_server.supervisor.metrics import SupervisorMetrics
from paiju.packages.keys import KeyFolder
from paiju.rules.registry import Registry
from paiju.service.ids import new_op
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2, data_pb2_grpc, packages_pb2_grpc
from paiju.wire.v1 import packages_pb2 as pb
from tests.packages.publishing import make_keys

KEY = b"m" * 32


async def until(what: Callable[[], Any], *, within_s: float = 30.0) -> Any:
    """Poll until it is true."""
    end = time.monotonic() + within_s
    while not (found := what()):
        assert time.monotonic() < end, "not in time"
        await asyncio.sleep(0.01)
    return found


class Machine:
    """One game server's keeper and the games of one host on it."""

    def __init__(self, name: str, folder: Path, addresses: list[str], token: str, root: bytes):
        self.name, self.folder = name, folder
        self.data = DataClient(addresses, token=token, metrics=Metrics(CollectorRegistry()))
        self.metrics = SupervisorMetrics()
        self.epoch = 0
        self.keeper = Keeper(
            server=name,
            folder=folder,
            key=KEY,
            root=root,
            data=self.data,
            installed={},
            hosts=lambda: self.games.report(),
            lease_epoch=lambda: self.epoch,
            metrics=self.metrics,
        )
        self.shelf = ShelfFile(folder, KEY)
        self.games = HostGames(Library(Registry([]), self.shelf))
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        self.games.begin()
        self._tasks = [asyncio.ensure_future(w) for w in (self.keeper.run(), self.games.run())]

    async def register(self) -> None:
        request = data_pb2.RegisterServerRequest(server=self.name, cell="c", max_players=10)
        self.epoch = (await self.data.call("RegisterServer", request)).lease_epoch

    async def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        for result in await asyncio.gather(*self._tasks, return_exceptions=True):
            assert isinstance(result, asyncio.CancelledError), result
        await self.data.close()

    def offers(self) -> str:
        """The version of `toss` that new tables get; "" for none."""
        if "toss.novice" not in self.games.rooms():
            return ""
        try:
            return self.games.choose("toss.novice", 1).version
        except Refused:
            return ""


class Hall:
    """A data server with a repository, and machines."""

    def __init__(self, folder: Path, stack: AsyncExitStack) -> None:
        self.folder = folder
        self.keys: KeyFolder = make_keys(folder / "keys")
        self.server: DataServer | None = None
        self._stack = stack
        self._settings = DataSettings(
            data_dir=folder / "data",
            data_listen="127.0.0.1:0",
            data_admin_listen="127.0.0.1:0",
            data_metrics_listen="127.0.0.1:0",
            package_keys_dir=self.keys.online,
            poll_s=0.2,
            drain_grace_s=1,
        )

    async def begin(self, **server: Any) -> None:
        self.server = DataServer(self._settings, **server)
        found = await self.server.start()
        self.address = found.address
        self._settings = self._settings.model_copy(
            update={"data_listen": found.address, "data_admin_listen": found.admin}
        )
        self._channel = grpc.aio.insecure_channel(found.admin)
        self.admin = _Admin(self._channel, self.server.secrets.admin_key)

    async def end(self) -> None:
        if self.server is not None:
            await self._channel.close()
            await self.server.stop()
            self.server = None

    async def machine(self, name: str, *, keep: bool = False) -> Machine:
        """keep: the folder of an earlier one of that name goes on."""
        assert self.server is not None or keep
        token = (self.folder / "data" / "cluster-token").read_text().strip()
        root = self.keys.root.read_bytes()
        made = Machine(name, self.folder / name, [self.address], token, root)
        await made.begin()
        self._stack.push_async_callback(made.end)
        return made

    async def plan(self, step: int, **more: Any) -> pb.PackageChangeReply:
        request = pb.SetPlanRequest(op=new_op(), step=step, package="toss", reason="t", **more)
        reply: pb.PackageChangeReply = await self.admin.SetPlan(request)
        assert not reply.HasField("refusal"), reply
        return reply

    async def audit(self) -> list[data_pb2.AuditRow]:
        """Newest first."""
        assert self.server is not None
        shown = (("authorization", f"Bearer {self.server.secrets.admin_key}"),)
        stub = data_pb2_grpc.AdminStub(self._channel)
        return list((await stub.ListAudit(data_pb2.ListAuditRequest(), metadata=shown)).rows)

    async def states(self, wanted: dict[str, str]) -> list[pb.GameState]:
        """What servers say of their versions, as soon as that is what is wanted."""
        for _ in range(600):
            listed = await self.admin.ListPackages(pb.ListPackagesRequest())
            if {one.version: one.state for one in listed.servers} == wanted:
                return list(listed.servers)
            await asyncio.sleep(0.05)
        raise AssertionError(f"{listed.servers} is not {wanted}")


class _Admin:
    def __init__(self, channel: grpc.aio.Channel, key: str) -> None:
        self._stub = packages_pb2_grpc.PackageAdminStub(channel)
        self._shown = (("authorization", f"Bearer {key}"),)

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._stub, name)
        return lambda request: method(request, metadata=self._shown)


@pytest.fixture
async def hall(tmp_path: Path) -> AsyncIterator[Hall]:
    async with AsyncExitStack() as stack:
        made = Hall(tmp_path, stack)
        await made.begin()
        stack.push_async_callback(made.end)
        yield made
