"""Operators' work: what the RPCs of `Admin` do. Every change writes its audit row with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from data_server import ledger
from data_server.ledger import COIN
from data_server.registry import Registry
from data_server.store import audits, books, checks, dossiers, nodes, players, sittings
from data_server.store.books import HallAccounts
from data_server.store.database import Database
from data_server.store.ids import Ids
from data_server.store.operations import Operations
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

MAX_ROWS = 1000
DEFAULT_ROWS = 100


@dataclass(frozen=True, kw_only=True)
class BackOffice:
    database: Database
    ids: Ids
    operations: Operations
    registry: Registry
    hall: HallAccounts
    clock: Callable[[], int]
    started_us: int

    async def nodes(self) -> data_pb2.NodesReply:
        servers, hosts = await self.database.read(_nodes)
        return data_pb2.NodesReply(
            nodes=[self.registry.node_info(row) for row in servers],
            hosts=[self.registry.host_info(row) for row in hosts],
            now_us=self.clock(),
            started_us=self.started_us,
        )

    async def drain_server(
        self, request: data_pb2.DrainServerRequest, *, who: str
    ) -> data_pb2.Reply:
        check_reason(request.reason)

        def work(tx: Connection) -> data_pb2.Reply:
            before = nodes.set_draining(tx, request.server, request.on)
            if before is None:
                raise Refused("NO_SUCH_SERVER", server=request.server)
            audits.append(
                tx,
                who=who,
                what="drain",
                target=f"server {request.server}",
                why=request.reason,
                before=before,
                after=request.on,
                now_us=self.clock(),
            )
            return data_pb2.Reply()

        body = data_pb2.DrainServerRequest(
            server=request.server, on=request.on, reason=request.reason
        )
        reply = await self.operations.once(
            request.op, kind="DrainServer", body=body, answer=data_pb2.Reply, work=work
        )
        if not reply.HasField("refusal"):
            await self.registry.poll()
        return reply

    async def roll_server(
        self, request: data_pb2.RollServerRequest, *, who: str
    ) -> data_pb2.RollServerReply:
        check_reason(request.reason)

        def work(tx: Connection) -> data_pb2.RollServerReply:
            roll = nodes.next_roll(tx, request.server)
            if roll is None:
                raise Refused("NO_SUCH_SERVER", server=request.server)
            audits.append(
                tx,
                who=who,
                what="roll",
                target=f"server {request.server}",
                why=request.reason,
                before=roll - 1,
                after=roll,
                now_us=self.clock(),
            )
            return data_pb2.RollServerReply(roll=roll)

        reply = await self.operations.once(
            request.op,
            kind="RollServer",
            body=data_pb2.RollServerRequest(server=request.server, reason=request.reason),
            answer=data_pb2.RollServerReply,
            work=work,
        )
        if not reply.HasField("refusal"):
            await self.registry.poll()
        return reply

    async def end_data_server(
        self, request: data_pb2.EndDataServerRequest, *, who: str, end: Callable[[], None]
    ) -> data_pb2.Reply:
        """`end` is called by the first of several with that op: a repeat, which a successor may
        get, ends nobody."""
        check_reason(request.reason)
        first = False

        def work(tx: Connection) -> data_pb2.Reply:
            nonlocal first
            audits.append(
                tx,
                who=who,
                what="end data server",
                target="data server",
                why=request.reason,
                before=self.started_us,
                after=0,
                now_us=self.clock(),
            )
            first = True
            return data_pb2.Reply()

        reply = await self.operations.once(
            request.op,
            kind="EndDataServer",
            body=data_pb2.EndDataServerRequest(reason=request.reason),
            answer=data_pb2.Reply,
            work=work,
        )
        if first:
            end()
        return reply

    async def grant(self, request: data_pb2.GrantRequest, *, who: str) -> data_pb2.GrantReply:
        check_reason(request.reason)
        entry = await self.ids.one()

        def work(tx: Connection) -> data_pb2.GrantReply:
            now = self.clock()
            if players.by_id(tx, request.player) is None:
                raise Refused("NO_SUCH_PLAYER")
            wallet = sittings.held_wallet(tx, request.player)
            moves = ledger.grant(mint=self.hall.mint, wallet=wallet, amount=request.amount)
            new = books.NewEntry(entry, "grant", COIN, f"operator: {request.reason}", moves)
            books.post(tx, [new], now_us=now)
            audits.append(
                tx,
                who=who,
                what="grant",
                target=f"player {request.player}",
                why=request.reason,
                before=wallet.balance,
                after=wallet.balance + request.amount,
                now_us=now,
            )
            return data_pb2.GrantReply(wallet=books.wallet_of(tx, request.player))

        body = data_pb2.GrantRequest(
            player=request.player, amount=request.amount, reason=request.reason
        )
        return await self.operations.once(
            request.op, kind="Grant", body=body, answer=data_pb2.GrantReply, work=work
        )

    async def check_ledger(self) -> data_pb2.CheckLedgerReply:
        return await self.database.read(lambda tx: checks.check_ledger(tx, now_us=self.clock()))

    async def get_player(self, request: data_pb2.GetPlayerRequest) -> data_pb2.GetPlayerReply:
        return await self.database.read(lambda tx: dossiers.look(tx, request))

    async def list_audit(self, request: data_pb2.ListAuditRequest) -> data_pb2.ListAuditReply:
        limit = min(request.limit or DEFAULT_ROWS, MAX_ROWS)
        rows = await self.database.read(
            lambda tx: audits.newest(tx, before=request.before, limit=limit)
        )
        return data_pb2.ListAuditReply(rows=rows)


def _nodes(tx: Connection) -> tuple[list[nodes.Row], list[nodes.Row]]:
    return list(nodes.all_servers(tx)), list(nodes.all_hosts(tx))


def check_reason(reason: str) -> None:
    """Refused MALFORMED: every change of an operator says why."""
    if not reason.strip() or len(reason) > 1000:
        raise Refused("MALFORMED", detail="a reason of 1 to 1000 characters is needed")
