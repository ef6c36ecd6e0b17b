"""Money at tables: what the RPCs of `Ledger` do.

Everything durable is in the database. A call runs in one transaction which holds the fence
of its host; ids are taken before it begins.
"""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import structlog
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DataError, IntegrityError

from data_server.ledger import COIN
from data_server.policy import MayPlay
from data_server.store import books, fence, own_hands, players, sessions, settlements, sittings
from data_server.store.books import HallAccounts
from data_server.store.database import Database
from data_server.store.ids import Ids
from data_server.store.operations import Operations
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

log = structlog.get_logger()

MAX_BATCH = 500


@dataclass(frozen=True, kw_only=True)
class Bank:
    database: Database
    ids: Ids
    operations: Operations
    hall: HallAccounts
    may_play: MayPlay
    clock: Callable[[], int]

    async def get_wallet(self, request: data_pb2.GetWalletRequest) -> data_pb2.GetWalletReply:
        def work(tx: Connection) -> data_pb2.GetWalletReply:
            if players.by_id(tx, request.player) is None:
                raise Refused("NO_SUCH_PLAYER")
            return data_pb2.GetWalletReply(wallet=books.wallet_of(tx, request.player))

        return await self.database.read(work)

    async def list_hands(self, request: data_pb2.ListHandsRequest) -> data_pb2.ListHandsReply:
        before_us = request.before_us or self.clock() + 1
        hands = await self.database.read(
            lambda tx: own_hands.of_player(tx, request.player, before_us=before_us)
        )
        return data_pb2.ListHandsReply(hands=hands)

    async def get_hand(self, request: data_pb2.GetHandRequest) -> data_pb2.GetHandReply:
        hand = await self.database.read(
            lambda tx: own_hands.one(tx, request.player, table=request.table, hand=request.hand)
        )
        return data_pb2.GetHandReply(hand=hand)

    async def sit_down(self, request: data_pb2.SitDownRequest) -> data_pb2.SitDownReply:
        sitting, account, entry = await self.ids.take(3)

        def work(tx: Connection) -> data_pb2.SitDownReply:
            now = self.clock()
            fence.hold(tx, request.host.host, request.host.epoch)
            self.may_play(tx, request.player, now)
            sessions.check_epoch(tx, request.player, request.session_epoch)
            new = sittings.NewSitting(
                id=sitting,
                account=account,
                entry=entry,
                player=request.player,
                table=request.table,
                seat=request.seat,
                host=request.host.host,
                currency=request.currency,
                rule_set=request.rule_set,
                amount=request.amount,
            )
            sittings.sit(tx, new, now_us=now)
            return data_pb2.SitDownReply(
                sitting=sitting,
                stake=request.amount,
                wallet=books.wallet_of(tx, request.player),
            )

        reply = await self.operations.once(
            request.op,
            kind="SitDown",
            body=_unfenced(request),
            answer=data_pb2.SitDownReply,
            work=work,
        )
        if reply.sitting not in (0, sitting) and not await self._is_open(reply.sitting):
            # What this operation opened is over, and its stake is back in the wallet. Whoever
            # repeats it must not be believed to sit.
            raise Refused("NO_SUCH_SITTING", sitting=reply.sitting)
        return reply

    async def _is_open(self, sitting: int) -> bool:
        return await self.database.read(lambda tx: sittings.is_open(tx, sitting))

    async def top_up(self, request: data_pb2.TopUpRequest) -> data_pb2.TopUpReply:
        entry = await self.ids.one()

        def work(tx: Connection) -> data_pb2.TopUpReply:
            fence.hold(tx, request.host.host, request.host.epoch)
            found, stake = sittings.top_up(
                tx,
                request.sitting,
                request.amount,
                host=request.host.host,
                entry=entry,
                now_us=self.clock(),
            )
            return data_pb2.TopUpReply(stake=stake, wallet=books.wallet_of(tx, found.player))

        return await self.operations.once(
            request.op,
            kind="TopUp",
            body=_unfenced(request),
            answer=data_pb2.TopUpReply,
            work=work,
        )

    async def stand_up(self, request: data_pb2.StandUpRequest) -> data_pb2.StandUpReply:
        entries = await self.ids.take(2)

        def work(tx: Connection) -> data_pb2.StandUpReply:
            fence.hold(tx, request.host.host, request.host.epoch)
            found, returned = sittings.stand(
                tx,
                request.sitting,
                host=request.host.host,
                entries=entries,
                house=self._house(request.host.host),
                now_us=self.clock(),
            )
            return data_pb2.StandUpReply(
                returned=returned, wallet=books.wallet_of(tx, found.player)
            )

        return await self.operations.once(
            request.op,
            kind="StandUp",
            body=_unfenced(request),
            answer=data_pb2.StandUpReply,
            work=work,
        )

    async def release(self, sitting: int) -> int:
        """The sweeper's standing up: a sitting whose host is gone. Returns what came back."""
        entries = await self.ids.take(2)

        def work(tx: Connection) -> int:
            found = sittings.find_open(tx, sitting)
            _, returned = sittings.stand(
                tx,
                sitting,
                host=None,
                entries=entries,
                house=self._house(found.host),
                now_us=self.clock(),
                reason="release",
            )
            return returned

        return await self.database.write(work)

    async def settle(self, request: data_pb2.SettleRequest) -> data_pb2.SettleReply:
        """Book the hands; see store/settlements.py."""
        if len(request.settlements) > MAX_BATCH:
            raise Refused("TOO_LARGE", limit=MAX_BATCH)
        if not request.settlements:
            return data_pb2.SettleReply()
        hands = [settlements.hand_of(message) for message in request.settlements]
        pots = settlements.tables_with_pot(hands)
        ids = await self.ids.take(len(hands) + len(pots))
        jobs = [
            settlements.Job(entry, hand, message)
            for entry, hand, message in zip(
                ids[: len(hands)], hands, request.settlements, strict=True
            )
        ]
        if pots:
            accounts = dict(zip(sorted(pots), ids[len(hands) :], strict=True))
            await self.database.write(lambda tx: settlements.ensure_pots(tx, accounts))
        try:
            results = await self._book(request.host, jobs)
        except (IntegrityError, DataError):
            # something the plan did not see: book each by itself, so that one bad hand does
            # not hold up the others
            log.warning("settlement.batch_refused", host=request.host.host, hands=len(jobs))
            results = [await self._book_one(request.host, job) for job in jobs]
        return data_pb2.SettleReply(results=results)

    async def _book_one(
        self, host: data_pb2.HostEpoch, job: settlements.Job
    ) -> data_pb2.SettleResult:
        try:
            return (await self._book(host, [job]))[0]
        except (IntegrityError, DataError) as error:
            log.error("settlement.impossible", table=job.key[0], hand=job.key[1], why=str(error))
            refused = Refused("MALFORMED", detail="the ledger does not take it")
            return data_pb2.SettleResult(refusal=refused.message())

    def _book(
        self, host: data_pb2.HostEpoch, jobs: list[settlements.Job]
    ) -> Awaitable[list[data_pb2.SettleResult]]:
        return self.database.write(
            lambda tx: settlements.book(
                tx,
                jobs,
                host=host.host,
                epoch=host.epoch,
                hall=self.hall,
                house_key=_spread(host.host),
                now_us=self.clock(),
            )
        )

    def _house(self, host: str) -> int:
        return self.hall.house_for(COIN, _spread(host))


R = TypeVar("R", data_pb2.SitDownRequest, data_pb2.TopUpRequest, data_pb2.StandUpRequest)


def _unfenced(request: R) -> R:
    """What is asked, without who carries it: a restarted host repeats under a new epoch."""
    body = type(request)()
    body.CopyFrom(request)
    body.ClearField("host")
    body.ClearField("op")
    return body


def _spread(host: str) -> int:
    """Which of the house's accounts a host uses: one, so that its batches lock one row."""
    return zlib.crc32(host.encode())
