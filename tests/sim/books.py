"""The ledger's database in memory: what the calls of `Bank` do, over dictionaries.

The decisions are the product's (data_server.ledger); which row is read, locked and written
is modelled after data_server/store. Each method is one transaction: it raises Refused and
has changed nothing, or has done all of it. Every entry is checked when it is posted.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from data_server import ledger
from data_server.ledger import COIN, Held, Moves, Seat
from data_server.store.settlements import Job, hand_of
from paiju.service.ids import op_time_us
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2

MINT, HOUSE = 1, 2
HOUR_US = 3600 * 10**6
NOT_KEPT = frozenset({"STALE_EPOCH", "RETRY", "BUSY"})


class Unbalanced(AssertionError):
    """An entry does not sum to zero, or a balance fell below its floor."""


@dataclass
class Sitting:
    """A row of sittings; `account` is its escrow."""

    id: int
    table: common_pb2.TableRef
    seat: int
    player: int
    host: str
    currency: int
    rule_set: str
    account: int
    open: bool = True


@dataclass
class Books:
    """All rows. The numbers of accounts, entries and sittings come from `ids`."""

    wall_us: Callable[[], int]
    balances: dict[int, int] = field(default_factory=lambda: {MINT: 0, HOUSE: 0})
    wallets: dict[int, int] = field(default_factory=dict)  # player -> account
    sittings: dict[int, Sitting] = field(default_factory=dict)
    settled: dict[tuple[int, int], tuple[int, bytes]] = field(default_factory=dict)
    results: dict[tuple[int, int], data_pb2.Settlement] = field(default_factory=dict)
    refused: list[tuple[data_pb2.Settlement, str]] = field(default_factory=list)
    fence: dict[str, int] = field(default_factory=dict)
    sessions: dict[int, int] = field(default_factory=dict)  # player -> epoch
    operations: dict[bytes, tuple[bytes, Any]] = field(default_factory=dict)
    next_id: int = 1000

    def id(self) -> int:
        self.next_id += 1
        return self.next_id

    # ---- accounts --------------------------------------------------------------------------

    def post(self, moves: Moves) -> None:
        """One entry."""
        if sum(moves.values()):
            raise Unbalanced(f"an entry sums to {sum(moves.values())}: {moves}")
        for account, amount in moves.items():
            self.balances[account] += amount
            if self.balances[account] < 0 and account not in (MINT, HOUSE):
                raise Unbalanced(f"account {account} fell to {self.balances[account]}")

    def open_wallet(self, player: int, coins: int) -> None:
        account = self.wallets[player] = self.id()
        self.balances[account] = 0
        self.post({MINT: -coins, account: coins})

    def wallet(self, player: int) -> hall_pb2.Wallet:
        escrow = sum(self.balances[s.account] for s in self.open_sittings() if s.player == player)
        return hall_pb2.Wallet(coin=self.balances[self.wallets[player]], escrow=escrow)

    def _held(self, account: int) -> Held:
        return Held(account, self.balances[account])

    def open_sittings(self) -> list[Sitting]:
        return [sitting for sitting in self.sittings.values() if sitting.open]

    # ---- fence and operations --------------------------------------------------------------

    def hold(self, owner: data_pb2.HostEpoch) -> None:
        seen = self.fence.get(owner.host, 0)
        if owner.epoch < seen:
            raise Refused("STALE_EPOCH", have=owner.epoch, current=seen)
        self.fence[owner.host] = owner.epoch

    def begin_epoch(self, host: str, proposed: int) -> int:
        seen = self.fence.get(host)
        epoch = max(1 if seen is None else seen + 1, proposed)
        self.fence[host] = epoch
        return epoch

    def once(self, kind: str, request: Any, work: Callable[[Any], Any]) -> Any:
        """The answer of `work`, or the one that was given when the op was seen first."""
        self._check_age(request.op)
        body = type(request)()
        body.CopyFrom(request)
        for unfenced in ("host", "op", "origin"):
            if unfenced in body.DESCRIPTOR.fields_by_name:
                body.ClearField(unfenced)
        data = kind.encode() + b"|" + body.SerializeToString(deterministic=True)
        digest = hashlib.blake2b(data, digest_size=16).digest()
        known = self.operations.get(request.op)
        if known is not None:
            if known[0] != digest:
                raise Refused("OP_REUSED")
            answer = known[1]
            if isinstance(answer, Refused):
                raise answer
            if kind == "SitDown" and not self.sittings[answer.sitting].open:
                raise Refused("NO_SUCH_SITTING", sitting=answer.sitting)
            return answer
        try:
            made = work(request)
        except Refused as refused:
            if not refused.retry_after_ms and refused.code not in NOT_KEPT:
                self.operations[request.op] = (digest, refused)
            raise
        self.operations[request.op] = (digest, made)
        return made

    def _check_age(self, op: bytes) -> None:
        made, now = op_time_us(op), self.wall_us()
        if made < now - 24 * HOUR_US:
            raise Refused("OP_EXPIRED")
        if made > now + HOUR_US:
            raise Refused("MALFORMED", detail="the operation id is from the future")

    # ---- sittings --------------------------------------------------------------------------

    def sit_down(self, request: data_pb2.SitDownRequest) -> data_pb2.SitDownReply:
        self.hold(request.host)
        if self.sessions.get(request.player) != request.session_epoch:
            raise Refused("STALE_SESSION")
        ledger.checked_stake(request.currency, request.amount)
        there = [s for s in self.open_sittings() if s.table.table == request.table.table]
        if any(s.player == request.player for s in there):
            raise Refused("ALREADY_SEATED")
        if any(s.seat == request.seat for s in there):
            raise Refused("SEAT_TAKEN")
        wallet = self._held(self.wallets[request.player])
        escrow = self.id()
        moves = ledger.stake(wallet=wallet, escrow=escrow, amount=request.amount)
        self.balances[escrow] = 0
        self.post(moves)
        sitting = Sitting(
            self.id(),
            request.table,
            request.seat,
            request.player,
            request.host.host,
            request.currency,
            request.rule_set,
            escrow,
        )
        self.sittings[sitting.id] = sitting
        return data_pb2.SitDownReply(
            sitting=sitting.id, stake=request.amount, wallet=self.wallet(request.player)
        )

    def _find(self, sitting: int, host: str | None) -> Sitting:
        found = self.sittings.get(sitting)
        if found is None or not found.open or (host is not None and found.host != host):
            raise Refused("NO_SUCH_SITTING", sitting=sitting)
        return found

    def top_up(self, request: data_pb2.TopUpRequest) -> data_pb2.TopUpReply:
        self.hold(request.host)
        ledger.checked_stake(COIN, request.amount)
        found = self._find(request.sitting, request.host.host)
        wallet = self._held(self.wallets[found.player])
        self.post(ledger.stake(wallet=wallet, escrow=found.account, amount=request.amount))
        return data_pb2.TopUpReply(
            stake=self.balances[found.account], wallet=self.wallet(found.player)
        )

    def stand_up(self, request: data_pb2.StandUpRequest) -> data_pb2.StandUpReply:
        self.hold(request.host)
        found = self._find(request.sitting, request.host.host)
        returned = self.close(found)
        return data_pb2.StandUpReply(returned=returned, wallet=self.wallet(found.player))

    def close(self, sitting: Sitting) -> int:
        """Escrow -> wallet; also what the sweeper does."""
        returned = self.balances[sitting.account]
        wallet = self.wallets[sitting.player]
        self.post(ledger.transfer(source=sitting.account, target=wallet, amount=returned))
        sitting.open = False
        return returned

    # ---- hands -----------------------------------------------------------------------------

    def settle(self, request: data_pb2.SettleRequest) -> data_pb2.SettleReply:
        self.hold(request.host)
        reply = data_pb2.SettleReply()
        for message in request.settlements:
            reply.results.append(self._book(message, request.host.host))
        return reply

    def _book(self, message: data_pb2.Settlement, host: str) -> data_pb2.SettleResult:
        job = Job(self.id(), hand_of(message), message)
        before = self.settled.get(job.key)
        if before is not None:
            if before[1] != job.digest():
                self.refused.append((message, "OP_REUSED"))
                refused = Refused("OP_REUSED", entry=before[0])
                return data_pb2.SettleResult(refusal=refused.message(), entry=before[0])
            return data_pb2.SettleResult(entry=before[0], repeated=True)
        try:
            booked = ledger.settle(
                job.hand,
                host=host,
                seats=self._seats(),
                balances=self.balances,
                pot=0,
                house=HOUSE,
            )
        except Refused as refused:
            self.refused.append((message, refused.code))
            return data_pb2.SettleResult(refusal=refused.message())
        self.post(booked.moves)
        self.settled[job.key] = (job.entry, job.digest())
        self.results[job.key] = message
        return data_pb2.SettleResult(entry=job.entry)

    def _seats(self) -> Mapping[int, Seat]:
        return {
            s.id: Seat(
                sitting=s.id,
                table=s.table.table,
                seat=s.seat,
                player=s.player,
                host=s.host,
                currency=s.currency,
                rule_set=s.rule_set,
                open=s.open,
                account=s.account,
            )
            for s in self.sittings.values()
        }
