"""Accounts and entries: lock, post, look. The order of locks is the order of account ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, insert, select
from sqlalchemy.engine import Connection

from data_server.ledger import COIN, SCORE, Moves
from data_server.store.ids import Ids
from data_server.store.tables import Account, Entry, Posting, Sitting
from paiju.wire.v1 import hall_pb2


@dataclass(frozen=True, slots=True)
class NewEntry:
    id: int
    kind: str
    currency: int
    reason: str
    moves: Moves


def balances(tx: Connection, accounts: Iterable[int]) -> dict[int, int]:
    """What lies on the accounts, locked until the transaction ends."""
    rows = tx.execute(
        select(Account.id, Account.balance)
        .where(Account.id.in_(sorted(set(accounts))))
        .order_by(Account.id)
        .with_for_update()
    )
    return {row.id: row.balance for row in rows}


def post(tx: Connection, entries: Sequence[NewEntry], *, now_us: int) -> None:
    """Write the entries. The database moves the balances, and refuses what is not balanced."""
    postings = [
        {"entry_id": entry.id, "account_id": account, "amount": amount}
        for entry in entries
        for account, amount in sorted(entry.moves.items())
    ]
    if postings:
        tx.execute(insert(Posting), postings)
    tx.execute(
        insert(Entry),
        [
            {
                "id": entry.id,
                "kind": entry.kind,
                "currency": entry.currency,
                "reason": entry.reason[:200],
                "created_us": now_us,
            }
            for entry in entries
        ],
    )


def find(
    tx: Connection, *, kind: str, owner: int, currency: int = COIN, rule_set: str = ""
) -> int | None:
    """The id of an account; ids never change, so nothing is locked."""
    return tx.scalar(
        select(Account.id).where(
            Account.owner == owner,
            Account.kind == kind,
            Account.currency == currency,
            Account.rule_set == rule_set,
        )
    )


def create(
    tx: Connection,
    account: int,
    *,
    kind: str,
    owner: int,
    currency: int = COIN,
    rule_set: str = "",
) -> int:
    """An empty account. House, mint and scores have no floor, all others may not fall below 0."""
    floor = None if kind in ("house", "mint", "score") else 0
    tx.execute(
        insert(Account).values(
            id=account,
            kind=kind,
            owner=owner,
            currency=currency,
            rule_set=rule_set,
            balance=0,
            floor=floor,
        )
    )
    return account


def wallet_of(tx: Connection, player: int) -> hall_pb2.Wallet:
    """What a player has: free coins, coins on tables, scores."""
    wallet = hall_pb2.Wallet()
    rows = tx.execute(
        select(Account.kind, Account.rule_set, Account.balance).where(
            Account.owner == player, Account.kind.in_(("wallet", "score"))
        )
    )
    for row in rows:
        if row.kind == "wallet":
            wallet.coin = row.balance
        else:
            wallet.scores[row.rule_set] = row.balance
    wallet.escrow = int(
        tx.scalar(
            select(func.coalesce(func.sum(Account.balance), 0))
            .join(Sitting, Sitting.account_id == Account.id)
            .where(Sitting.player_id == player, Sitting.closed_us == 0, Sitting.currency == COIN)
        )
        or 0
    )
    return wallet


@dataclass(frozen=True)
class HallAccounts:
    """The hall's own accounts; the house is spread so that hands do not wait for one row."""

    mint: int
    house: Mapping[int, Sequence[int]]  # by currency

    def house_for(self, currency: int, key: int) -> int:
        shards = self.house[currency]
        return shards[key % len(shards)]


def hall_accounts(tx: Connection, ids: range, *, shards: int) -> HallAccounts:
    """Find the hall's accounts, and make those that are missing out of `ids`."""
    fresh = iter(ids)

    def ensure(kind: str, owner: int, currency: int) -> int:
        account = find(tx, kind=kind, owner=owner, currency=currency)
        if account is None:
            account = create(tx, next(fresh), kind=kind, owner=owner, currency=currency)
        return account

    mint = ensure("mint", 0, COIN)
    house = {
        currency: [ensure("house", number, currency) for number in range(shards)]
        for currency in (COIN, SCORE)
    }
    return HallAccounts(mint, house)


async def load_hall_accounts(ids: Ids, *, shards: int) -> HallAccounts:
    fresh = await ids.take(1 + 2 * shards)
    return await ids.database.write(lambda tx: hall_accounts(tx, fresh, shards=shards))
