"""A data server in memory: accounts with real tickets, a registry of shards, presence."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pyseto
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from paiju.service.ids import now_us
from paiju.wire.v1 import common_pb2, data_pb2, data_pb2_grpc, hall_pb2

TOKEN = "cluster-token"


class FakeData(
    data_pb2_grpc.AccountsServicer,
    data_pb2_grpc.LedgerServicer,
    data_pb2_grpc.ClusterServicer,
):
    def __init__(self) -> None:
        secret = Ed25519PrivateKey.generate()
        self._sign = pyseto.Key.from_asymmetric_key_params(
            4, d=secret.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
        )
        self.public = secret.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.calls: list[str] = []
        self.signals: list[data_pb2.SignalRequest] = []
        self.presence: dict[int, bool] = {}
        self.shards: dict[tuple[str, int], data_pb2.Shard] = {}
        self.hosts: dict[str, data_pb2.HostInfo] = {}
        self.host_for_new = ""
        self.elsewhere: list[str] = []
        self.elsewhere_web: list[str] = []
        self.epochs: dict[int, int] = {}
        self.players: dict[bytes, int] = {}
        self.ticket_s = 600.0
        self.slow_s = 0.0
        self.fail_with: list[grpc.StatusCode] = []
        self.ended: asyncio.Queue[data_pb2.FollowEvent] = asyncio.Queue()
        self.down = False
        self.address = ""
        self._server: grpc.aio.Server | None = None

    async def start(self) -> str:
        self._server = grpc.aio.server()
        data_pb2_grpc.add_AccountsServicer_to_server(self, self._server)
        data_pb2_grpc.add_LedgerServicer_to_server(self, self._server)
        data_pb2_grpc.add_ClusterServicer_to_server(self, self._server)
        port = self._server.add_insecure_port("127.0.0.1:0")
        await self._server.start()
        self.address = f"127.0.0.1:{port}"
        return self.address

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.stop(grace=0)

    async def _called(self, name: str, context: Any) -> None:
        self.calls.append(name)
        if dict(context.invocation_metadata()).get("authorization") != f"Bearer {TOKEN}":
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "token")
        if self.slow_s:
            await asyncio.sleep(self.slow_s)
        if self.down:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "down")
        if self.fail_with:
            context.set_trailing_metadata((("retry-after-ms", "321"),))
            await context.abort(self.fail_with.pop(0), "asked to")

    def session(self, player: int, *, epoch: int | None = None) -> hall_pb2.Session:
        if epoch is None:
            self.epochs[player] = self.epochs.get(player, 0) + 1
            epoch = self.epochs[player]
        expires = now_us() + int(self.ticket_s * 1e6)
        claims = {
            "player": str(player), "name": f"p{player}", "guest": True, "session_epoch": epoch,
            "expires_us": expires,
        }  # fmt: skip
        ticket = pyseto.encode(self._sign, json.dumps(claims).encode(), footer=b'{"kid": "k1"}')
        return hall_pb2.Session(
            profile=common_pb2.Profile(player=player, name=f"p{player}", guest=True),
            session_epoch=epoch,
            ticket=ticket.decode(),
            ticket_expires_us=expires,
            refresh_token=f"refresh-{player}-{epoch}",
            wallet=hall_pb2.Wallet(coin=1000),
        )

    async def OpenGuest(self, request: Any, context: Any) -> data_pb2.SessionReply:
        await self._called("OpenGuest", context)
        player = self.players.setdefault(request.device_secret, 101 + len(self.players))
        return data_pb2.SessionReply(session=self.session(player))

    async def Login(self, request: Any, context: Any) -> data_pb2.SessionReply:
        await self._called("Login", context)
        if request.password != "right password":
            return data_pb2.SessionReply(refusal=common_pb2.Refusal(code="BAD_CREDENTIALS"))
        return data_pb2.SessionReply(session=self.session(int(request.name)))

    async def Renew(self, request: Any, context: Any) -> data_pb2.SessionReply:
        await self._called("Renew", context)
        _, player, epoch = request.refresh_token.split("-")
        return data_pb2.SessionReply(session=self.session(int(player), epoch=int(epoch)))

    async def ChangePassword(self, request: Any, context: Any) -> data_pb2.SessionReply:
        await self._called("ChangePassword", context)
        session = self.session(request.player)
        self.end_below(request.player, session.session_epoch)
        await asyncio.sleep(0.05)
        return data_pb2.SessionReply(session=session)

    async def Logout(self, request: Any, context: Any) -> data_pb2.Reply:
        await self._called("Logout", context)
        return data_pb2.Reply()

    async def TicketKeys(self, request: Any, context: Any) -> data_pb2.TicketKeysReply:
        await self._called("TicketKeys", context)
        return data_pb2.TicketKeysReply(
            keys=[data_pb2.TicketKey(id="k1", public_key=self.public, not_after_us=0)]
        )

    async def GetWallet(self, request: Any, context: Any) -> data_pb2.GetWalletReply:
        await self._called("GetWallet", context)
        return data_pb2.GetWalletReply(wallet=hall_pb2.Wallet(coin=request.player))

    async def Report(self, request: Any, context: Any) -> data_pb2.Reply:
        await self._called("Report", context)
        return data_pb2.Reply()

    async def Signal(self, request: Any, context: Any) -> data_pb2.SignalReply:
        await self._called("Signal", context)
        self.signals.append(request)
        return data_pb2.SignalReply()

    async def Elsewhere(self, request: Any, context: Any) -> data_pb2.ElsewhereReply:
        await self._called("Elsewhere", context)
        return data_pb2.ElsewhereReply(addresses=self.elsewhere, web_addresses=self.elsewhere_web)

    async def GetShards(self, request: Any, context: Any) -> data_pb2.GetShardsReply:
        await self._called("GetShards", context)
        return data_pb2.GetShardsReply(shards=self.shards.values(), hosts=self.hosts.values())

    async def OpenShard(self, request: Any, context: Any) -> data_pb2.OpenShardReply:
        await self._called("OpenShard", context)
        if not self.host_for_new:
            return data_pb2.OpenShardReply(refusal=common_pb2.Refusal(code="NO_HOST"))
        host = self.hosts[self.host_for_new]
        key = request.room, request.number
        if key not in self.shards:
            self.shards[key] = data_pb2.Shard(
                room=request.room, number=request.number, host=host.host, epoch=host.epoch
            )
        return data_pb2.OpenShardReply(shard=self.shards[key], host=host)

    async def Presence(self, request: Any, context: Any) -> data_pb2.Reply:
        await self._called("Presence", context)
        for change in request.changes:
            self.presence[change.player] = change.online
        return data_pb2.Reply()

    async def FindPlayer(self, request: Any, context: Any) -> data_pb2.FindPlayerReply:
        await self._called("FindPlayer", context)
        return data_pb2.FindPlayerReply(
            seats=[common_pb2.TableRef(room="doudizhu.novice", shard=0, table=500)]
        )

    async def Follow(self, request: Any, context: Any) -> AsyncIterator[data_pb2.FollowEvent]:
        await self._called("Follow", context)
        while True:
            yield await self.ended.get()

    def end_below(self, player: int, epoch: int, reason: str = "REPLACED") -> None:
        ended = data_pb2.SessionEnded(player=player, below_epoch=epoch, reason=reason)
        self.ended.put_nowait(data_pb2.FollowEvent(session_ended=ended))

    def add_host(self, host: data_pb2.HostInfo, *shards: tuple[str, int]) -> None:
        self.hosts[host.host] = host
        for room, number in shards:
            self.shards[room, number] = data_pb2.Shard(
                room=room, number=number, host=host.host, epoch=host.epoch, free_seats=30
            )
