"""Calls to a data server as its game servers make them; for simulated ones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import grpc

from hall_client.load.openloop import Failed
from hall_client.load.target import NotHere
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2, data_pb2_grpc, hall_pb2

CALL_S = 10.0
CHANNELS = 4


@dataclass(frozen=True)
class DataTarget:
    """A data server. token: that game servers show. admin, admin_key: "" when not known."""

    address: str
    token: str
    pid: int = 0
    admin: str = ""
    admin_key: str = ""
    folder: Path | None = None

    @classmethod
    def local(cls, folder: Path) -> DataTarget:
        """That of the hall in a data folder. Raises NotHere."""
        try:
            state = json.loads((folder / "data-server.json").read_text("utf-8"))
            address, pid = str(state["address"]), int(state["pid"])
            token = (folder / "cluster-token").read_text("ascii").strip()
        except (OSError, ValueError, KeyError, TypeError):
            raise NotHere(
                f"No data server runs in {folder}. Start a hall with `paiju up`, or name one with "
                "--data-server and --token-file."
            ) from None
        try:
            key = (folder / "admin-key").read_text("ascii").strip()
        except OSError:
            key = ""
        return cls(address, token, pid, str(state.get("admin", "")), key, folder)


class DataServer:
    """`async with`; a few channels, taken in turn."""

    def __init__(self, target: DataTarget) -> None:
        self._target = target
        options = [("grpc.use_local_subchannel_pool", 1)]
        self._channels = [
            grpc.aio.insecure_channel(target.address, options=options) for _ in range(CHANNELS)
        ]
        self._admin = grpc.aio.insecure_channel(target.admin) if target.admin_key else None
        self._stubs: Sequence[dict[str, Any]] = [
            {
                "Accounts": data_pb2_grpc.AccountsStub(channel),
                "Ledger": data_pb2_grpc.LedgerStub(channel),
                "Cluster": data_pb2_grpc.ClusterStub(channel),
            }
            for channel in self._channels
        ]
        self._metadata = (("authorization", f"Bearer {target.token}"),)
        self._turn = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for channel in [*self._channels, *([self._admin] if self._admin else [])]:
            await channel.close()

    async def call(self, service: str, rpc: str, request: Any) -> Any:
        """The reply. Failed with the refusal's code or the status."""
        self._turn = (self._turn + 1) % len(self._stubs)
        method = getattr(self._stubs[self._turn][service], rpc)
        try:
            reply = await method(request, metadata=self._metadata, timeout=CALL_S)
        except grpc.aio.AioRpcError as error:
            raise Failed(f"{rpc}: {error.code().name}") from None
        if "refusal" in reply.DESCRIPTOR.fields_by_name and reply.HasField("refusal"):
            raise Failed(f"{rpc}: {reply.refusal.code}")
        return reply

    async def guest(self, server: str, secret: bytes) -> hall_pb2.Session:
        request = data_pb2.OpenGuestRequest(
            op=new_op(), origin=origin(server), device_secret=secret, locale="en"
        )
        session: hall_pb2.Session = (await self.call("Accounts", "OpenGuest", request)).session
        return session

    async def alive(self) -> set[str] | None:
        """Names of the game servers whose leases run; None without an operator key."""
        if self._admin is None:
            return None
        stub: Any = data_pb2_grpc.AdminStub(self._admin)
        metadata = (("authorization", f"Bearer {self._target.admin_key}"),)
        try:
            reply = await stub.Nodes(data_pb2.NodesRequest(), metadata=metadata, timeout=CALL_S)
        except grpc.aio.AioRpcError:
            return None
        return {node.server for node in reply.nodes if node.alive}


def origin(server: str) -> data_pb2.Origin:
    return data_pb2.Origin(server=server, gateway=f"{server}/g0", address="127.0.0.1")
