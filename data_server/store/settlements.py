"""Booking hands: a batch in one transaction, each hand once for ever.

The key (table, hand) decides. A hand that does not fit the ledger is refused by itself and
leaves the others alone: everything is decided from rows that are locked before anything is
written. Should the database still object, the caller books one hand per transaction.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, insert, select, tuple_, update
from sqlalchemy.engine import Connection

from data_server import ledger
from data_server.ledger import COIN, SCORE, Change, Hand, Seat
from data_server.store import books, fence, refused_hands
from data_server.store.books import HallAccounts
from data_server.store.tables import Account, HandRecord, Settled, Sitting
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

Key = tuple[int, int]
NO_ACCOUNT = -1
VOID = "void"


@dataclass(frozen=True, slots=True)
class Job:
    """A settlement of the request, with the id its entry would get."""

    entry: int
    hand: Hand
    message: data_pb2.Settlement

    @property
    def key(self) -> Key:
        return self.hand.table, self.hand.hand

    def digest(self) -> bytes:
        """Over what moves money; the record may be told differently by a repeat."""
        body = data_pb2.Settlement()
        body.CopyFrom(self.message)
        for field in ("record", "ended_us", "game"):
            body.ClearField(field)
        return hashlib.sha256(body.SerializeToString(deterministic=True)).digest()


def hand_of(message: data_pb2.Settlement) -> Hand:
    return Hand(
        table=message.table.table,
        hand=message.hand,
        currency=message.currency,
        rule_set=message.rule_set,
        changes=[
            Change(seat=s.seat, sitting=s.sitting, player=s.player, delta=s.delta, fee=s.fee)
            for s in message.seats
        ],
        pot_change=message.pot_change,
    )


def tables_with_pot(hands: Iterable[Hand]) -> set[int]:
    return {hand.table for hand in hands if hand.currency == COIN and hand.pot_change}


def ensure_pots(tx: Connection, tables: Mapping[int, int]) -> None:
    """Make the pots (table -> account id) that are missing."""
    rows = tx.execute(select(Account.owner).where(Account.owner.in_(tables), Account.kind == "pot"))
    there = {row.owner for row in rows}
    for table, account in sorted(tables.items()):
        if table not in there:
            books.create(tx, account, kind="pot", owner=table)


def book(
    tx: Connection,
    jobs: Sequence[Job],
    *,
    host: str,
    epoch: int,
    hall: HallAccounts,
    house_key: int,
    now_us: int,
) -> list[data_pb2.SettleResult]:
    """One result per job, in order. Refused STALE_EPOCH for the whole batch."""
    fence.hold(tx, host, epoch)
    sittings = [change.sitting for job in jobs for change in job.hand.changes]
    seats = _seats(tx, sittings)
    pots = _pots(tx, sorted(tables_with_pot(job.hand for job in jobs)))
    accounts = {seat.account for seat in seats.values()} | set(pots.values())
    accounts |= _houses(jobs, hall, house_key)
    held = books.balances(tx, accounts)
    seats = _seats(tx, sittings)  # again: nobody can close one now
    done = _settled(tx, [job.key for job in jobs])

    results: list[data_pb2.SettleResult] = []
    booked: list[tuple[Job, ledger.Booked]] = []
    refusals: dict[Key, tuple[str, data_pb2.Settlement]] = {}
    for job in jobs:
        before = done.get(job.key)
        if before is not None:
            results.append(_repeated(job, before))
            continue
        pot = pots.get(job.hand.table, NO_ACCOUNT)
        try:
            plan = ledger.settle(
                job.hand,
                host=host,
                seats=seats,
                balances=held,
                pot=pot,
                house=hall.house_for(job.hand.currency, house_key)
                if job.hand.currency in (COIN, SCORE)
                else NO_ACCOUNT,
            )
        except Refused as refused:
            results.append(data_pb2.SettleResult(refusal=refused.message()))
            refusals[job.key] = (refused.code, job.message)
            continue
        for account, amount in plan.moves.items():
            held[account] += amount
        done[job.key] = (job.entry, job.digest(), job.message.result)
        booked.append((job, plan))
        results.append(data_pb2.SettleResult(entry=job.entry))
    if booked:
        _write(tx, booked, host=host, epoch=epoch, now_us=now_us)
        _note_pots(tx, booked, pots, held)
    if refusals:
        refused_hands.note(tx, refusals, host=host, now_us=now_us)
    return results


def make_void(
    tx: Connection, job: Job, *, record: bytes, host: str, epoch: int, now_us: int
) -> None:
    """Book a hand that was refused as one in which nobody won or lost.

    Under the digest of what was sent: its host is told so when it asks again.
    """
    message = data_pb2.Settlement()
    message.CopyFrom(job.message)
    message.result, message.record = VOID, record
    plan = ledger.Booked(moves={}, pot_paid={})
    digest = job.digest()
    void = Job(job.entry, job.hand, message)
    _write(tx, [(void, plan)], host=host, epoch=epoch, now_us=now_us, digests={void.key: digest})


def _houses(jobs: Sequence[Job], hall: HallAccounts, key: int) -> set[int]:
    """House accounts that may move: locked in one go with the others."""
    coin = any(change.fee for job in jobs for change in job.hand.changes)
    score = any(job.hand.currency == SCORE for job in jobs)
    return ({hall.house_for(COIN, key)} if coin else set()) | (
        {hall.house_for(SCORE, key)} if score else set()
    )


def _repeated(job: Job, before: tuple[int, bytes, str]) -> data_pb2.SettleResult:
    entry, digest, result = before
    if digest != job.digest():
        refused = Refused("OP_REUSED", entry=entry)
        return data_pb2.SettleResult(refusal=refused.message(), entry=entry)
    voided = result == VOID != job.message.result
    return data_pb2.SettleResult(entry=entry, repeated=True, voided=voided)


def _seats(tx: Connection, sittings: Sequence[int]) -> dict[int, Seat]:
    rows = tx.execute(
        select(
            Sitting.id,
            Sitting.table_id,
            Sitting.seat,
            Sitting.player_id,
            Sitting.host,
            Sitting.currency,
            Sitting.rule_set,
            Sitting.closed_us,
            Sitting.account_id,
        ).where(Sitting.id.in_(sittings))
    )
    return {
        row.id: Seat(
            sitting=row.id,
            table=row.table_id,
            seat=row.seat,
            player=row.player_id,
            host=row.host,
            currency=row.currency,
            rule_set=row.rule_set,
            open=row.closed_us == 0,
            account=row.account_id,
        )
        for row in rows
    }


def _pots(tx: Connection, tables: Sequence[int]) -> dict[int, int]:
    if not tables:
        return {}
    rows = tx.execute(
        select(Account.owner, Account.id).where(
            Account.owner.in_(tables), Account.kind == "pot", Account.currency == COIN
        )
    )
    return {row.owner: row.id for row in rows}


def _settled(tx: Connection, keys: Sequence[Key]) -> dict[Key, tuple[int, bytes, str]]:
    """Entry, digest and result of those that are booked."""
    rows = tx.execute(
        select(
            Settled.table_id, Settled.hand, Settled.entry_id, Settled.body_hash, Settled.result
        ).where(tuple_(Settled.table_id, Settled.hand).in_(keys))
    )
    return {(row.table_id, row.hand): (row.entry_id, row.body_hash, row.result) for row in rows}


def _write(
    tx: Connection,
    booked: Sequence[tuple[Job, ledger.Booked]],
    *,
    host: str,
    epoch: int,
    now_us: int,
    digests: Mapping[Key, bytes] | None = None,
) -> None:
    """digests: those that are not the hands' own."""
    digests = digests or {}
    entries = [
        books.NewEntry(
            id=job.entry,
            kind="hand",
            currency=job.hand.currency,
            reason=f"table {job.hand.table} hand {job.hand.hand}",
            moves=plan.moves,
        )
        for job, plan in booked
    ]
    books.post(tx, entries, now_us=now_us)
    tx.execute(
        insert(Settled),
        [
            {
                "table_id": job.hand.table,
                "hand": job.hand.hand,
                "entry_id": job.entry,
                "body_hash": digests.get(job.key) or job.digest(),
                "result": job.message.result[:32],
                "host": host,
                "epoch": epoch,
                "settled_us": now_us,
            }
            for job, _ in booked
        ],
    )
    tx.execute(
        insert(HandRecord),
        [
            {
                "table_id": job.hand.table,
                "hand": job.hand.hand,
                "game": job.message.game,
                "rule_set": job.message.rule_set,
                "record": job.message.record,
                "ended_us": job.message.ended_us or now_us,
            }
            for job, _ in booked
        ],
    )


def _note_pots(
    tx: Connection,
    booked: Sequence[tuple[Job, ledger.Booked]],
    pots: Mapping[int, int],
    held: Mapping[int, int],
) -> None:
    """Who has paid what into a pot; all is forgotten when the pot is empty."""
    paid = [
        {"sitting": sitting, "paid": amount}
        for _, plan in booked
        for sitting, amount in plan.pot_paid.items()
    ]
    if paid:
        tx.execute(
            update(Sitting)
            .where(Sitting.id == bindparam("sitting"))
            .values(pot_paid=Sitting.pot_paid + bindparam("paid")),
            paid,
        )
    tables = tables_with_pot(job.hand for job, _ in booked)
    empty = [table for table in tables if held[pots[table]] == 0]
    if empty:
        tx.execute(
            update(Sitting)
            .where(Sitting.table_id.in_(empty), Sitting.pot_paid != 0)
            .values(pot_paid=0)
        )
