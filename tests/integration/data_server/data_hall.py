"""What tests say to a data server: stubs, a player, a host, a table."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc

from data_server.folder import Addresses
from data_server.server import DataServer
from paiju.service.ids import new_op
from paiju.wire.v1 import common_pb2, data_pb2, data_pb2_grpc, hall_pb2

COIN = common_pb2.COIN
SCORE = common_pb2.SCORE


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


@dataclass(frozen=True)
class Player:
    id: int
    session: hall_pb2.Session

    @property
    def epoch(self) -> int:
        return self.session.session_epoch


class _Shown:
    """A stub whose calls show the token."""

    def __init__(self, stub: Any, token: str) -> None:
        self._stub = stub
        self._metadata = bearer(token)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._stub, name)
        return lambda request, **more: method(request, metadata=self._metadata, **more)


class Client:
    def __init__(self, server: DataServer, addresses: Addresses) -> None:
        self.server = server
        self.addresses = addresses
        self.channel = grpc.aio.insecure_channel(addresses.address)
        self.admin_channel = grpc.aio.insecure_channel(addresses.admin)
        token = server.secrets.cluster_token
        self.accounts: Any = _Shown(data_pb2_grpc.AccountsStub(self.channel), token)
        self.ledger: Any = _Shown(data_pb2_grpc.LedgerStub(self.channel), token)
        self.cluster: Any = _Shown(data_pb2_grpc.ClusterStub(self.channel), token)
        self.admin: Any = _Shown(
            data_pb2_grpc.AdminStub(self.admin_channel), server.secrets.admin_key
        )

    async def close(self) -> None:
        await self.channel.close()
        await self.admin_channel.close()

    async def guest(self, *, secret: bytes | None = None, server: str = "gs1") -> Player:
        reply = await self.accounts.OpenGuest(
            data_pb2.OpenGuestRequest(
                op=new_op(),
                origin=data_pb2.Origin(server=server, gateway="g0", address="192.0.2.1"),
                device_secret=secret or secrets.token_bytes(32),
            )
        )
        assert not reply.HasField("refusal"), reply
        return Player(reply.session.profile.player, reply.session)

    async def host(self, name: str = "gs1/h0", *, server: str = "gs1", **more: Any) -> Host:
        await self.cluster.RegisterServer(
            data_pb2.RegisterServerRequest(
                server=server, cell="c", max_players=2000, games=["doudizhu"], address="x:1"
            )
        )
        reply = await self.cluster.RegisterHost(
            data_pb2.RegisterHostRequest(
                host=data_pb2.HostEpoch(host=name, epoch=1),
                server=server,
                max_tables=more.pop("max_tables", 250),
                games=more.pop("games", ["doudizhu"]),
                machine="m",
                unix_path="/tmp/x",
            )
        )
        return Host(self, name, reply.epoch)

    async def table(self) -> common_pb2.TableRef:
        ids = await self.cluster.AllocateIds(data_pb2.AllocateIdsRequest(count=1))
        return common_pb2.TableRef(room="doudizhu.novice", shard=0, table=ids.first)

    async def coins(self, player: Player) -> int:
        reply = await self.ledger.GetWallet(data_pb2.GetWalletRequest(player=player.id))
        coin: int = reply.wallet.coin
        return coin

    async def check(self) -> data_pb2.CheckLedgerReply:
        """The ledger's check, which must find nothing wrong."""
        reply: data_pb2.CheckLedgerReply = await self.admin.CheckLedger(
            data_pb2.CheckLedgerRequest()
        )
        assert (reply.sum, reply.unbalanced, reply.mismatched) == (0, 0, 0), reply
        return reply


@dataclass(frozen=True)
class Host:
    client: Client
    name: str
    epoch: int

    @property
    def shown(self) -> data_pb2.HostEpoch:
        return data_pb2.HostEpoch(host=self.name, epoch=self.epoch)

    async def sit(
        self,
        player: Player,
        table: common_pb2.TableRef,
        seat: int,
        amount: int = 1000,
        *,
        op: bytes | None = None,
        currency: Any = COIN,
        rule_set: str = "doudizhu.classic",
    ) -> data_pb2.SitDownReply:
        reply: data_pb2.SitDownReply = await self.client.ledger.SitDown(
            data_pb2.SitDownRequest(
                op=op or new_op(),
                host=self.shown,
                player=player.id,
                table=table,
                seat=seat,
                currency=currency,
                amount=amount,
                rule_set=rule_set,
                session_epoch=player.epoch,
            )
        )
        return reply

    async def stand(self, sitting: int, *, op: bytes | None = None) -> data_pb2.StandUpReply:
        reply: data_pb2.StandUpReply = await self.client.ledger.StandUp(
            data_pb2.StandUpRequest(op=op or new_op(), host=self.shown, sitting=sitting)
        )
        return reply

    async def settle(self, *settlements: data_pb2.Settlement) -> data_pb2.SettleReply:
        reply: data_pb2.SettleReply = await self.client.ledger.Settle(
            data_pb2.SettleRequest(host=self.shown, settlements=settlements)
        )
        return reply


def hand(
    table: common_pb2.TableRef,
    number: int,
    changes: list[tuple[Player, int, int, int]],
    *,
    fee: int = 0,
    pot_change: int = 0,
    currency: Any = COIN,
) -> data_pb2.Settlement:
    """changes: (player, seat, sitting, delta); each seat pays `fee`, already taken off."""
    return data_pb2.Settlement(
        table=table,
        hand=number,
        rule_set="doudizhu.classic",
        currency=currency,
        result="finished",
        seats=[
            data_pb2.SeatChange(seat=seat, sitting=sitting, player=player.id, delta=delta, fee=fee)
            for player, seat, sitting, delta in changes
        ],
        pot_change=pot_change,
        record=b"{}",
        game="doudizhu",
        ended_us=time.time_ns() // 1000,
    )


async def eventually(check: Callable[[], Awaitable[bool]], *, within_s: float = 15.0) -> None:
    """Poll until `check` holds."""
    deadline = time.monotonic() + within_s
    while not await check():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)
