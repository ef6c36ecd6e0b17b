"""Sitting down, topping up, standing up: rows of sittings and their escrow."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Connection

from data_server import ledger
from data_server.errors import Again
from data_server.ledger import COIN, Held
from data_server.store import books
from data_server.store.tables import Account, Sitting
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2


@dataclass(frozen=True, slots=True)
class NewSitting:
    id: int
    account: int  # id for the account of the stake, if one has to be made
    entry: int
    player: int
    table: common_pb2.TableRef
    seat: int
    host: str
    currency: int
    rule_set: str
    amount: int


@dataclass(frozen=True, slots=True)
class Open:
    """An open sitting."""

    id: int
    table: int
    seat: int
    player: int
    host: str
    currency: int
    account: int


def sit(tx: Connection, new: NewSitting, *, now_us: int) -> None:
    """Move the buy-in and open the sitting. The unique keys decide who gets the seat."""
    ledger.checked_stake(new.currency, new.amount)
    taken = tx.execute(
        select(Sitting.player_id).where(
            Sitting.table_id == new.table.table,
            (Sitting.seat == new.seat) | (Sitting.player_id == new.player),
            Sitting.closed_us == 0,
        )
    )
    holders = [row.player_id for row in taken]
    if new.player in holders:
        raise Refused("ALREADY_SEATED")
    if holders:
        raise Refused("SEAT_TAKEN")
    if new.currency == COIN:
        wallet = held_wallet(tx, new.player)
        moves = ledger.stake(wallet=wallet, escrow=new.account, amount=new.amount)
        account = books.create(tx, new.account, kind="escrow", owner=new.id)
        entry = books.NewEntry(new.entry, "sit", COIN, f"table {new.table.table}", moves)
        books.post(tx, [entry], now_us=now_us)
    else:
        account = _score_account(tx, new)
    tx.execute(
        insert(Sitting).values(
            id=new.id,
            table_id=new.table.table,
            room=new.table.room,
            shard=new.table.shard,
            seat=new.seat,
            player_id=new.player,
            host=new.host,
            currency=new.currency,
            rule_set=new.rule_set,
            account_id=account,
            pot_paid=0,
            opened_us=now_us,
            closed_us=0,
        )
    )


def _score_account(tx: Connection, new: NewSitting) -> int:
    key = {"kind": "score", "currency": new.currency, "rule_set": new.rule_set}
    account = books.find(tx, owner=new.player, **key)  # type: ignore[arg-type]
    if account is None:
        account = books.create(tx, new.account, owner=new.player, **key)  # type: ignore[arg-type]
    return account


def held_wallet(tx: Connection, player: int) -> Held:
    """The player's wallet, locked; Refused NO_SUCH_PLAYER."""
    account = books.find(tx, kind="wallet", owner=player)
    if account is None:
        raise Refused("NO_SUCH_PLAYER")
    return Held(account, (books.balances(tx, [account]))[account])


def any_open(tx: Connection, host: str) -> bool:
    """Whether players sit at tables of this host."""
    query = select(Sitting.id).where(Sitting.host == host, Sitting.closed_us == 0).limit(1)
    return tx.execute(query).first() is not None


def find_open(tx: Connection, sitting: int, *, host: str | None = None) -> Open:
    """The open sitting, or Refused NO_SUCH_SITTING; it may only belong to `host`."""
    row = (
        tx.execute(
            select(
                Sitting.id,
                Sitting.table_id,
                Sitting.seat,
                Sitting.player_id,
                Sitting.host,
                Sitting.currency,
                Sitting.account_id,
            ).where(Sitting.id == sitting, Sitting.closed_us == 0)
        )
    ).one_or_none()
    if row is None or (host is not None and row.host != host):
        raise Refused("NO_SUCH_SITTING", sitting=sitting)
    return Open(*row)


def top_up(
    tx: Connection, sitting: int, amount: int, *, host: str, entry: int, now_us: int
) -> tuple[Open, int]:
    """Wallet -> escrow; returns the sitting and its whole stake."""
    ledger.checked_stake(COIN, amount)
    found = find_open(tx, sitting, host=host)
    if found.currency != COIN:
        raise Refused("BAD_AMOUNT", amount=amount)
    wallet = books.find(tx, kind="wallet", owner=found.player)
    assert wallet is not None
    held = books.balances(tx, [wallet, found.account])
    find_open(tx, sitting, host=host)  # again, now that nobody can close it
    moves = ledger.stake(wallet=Held(wallet, held[wallet]), escrow=found.account, amount=amount)
    new = books.NewEntry(entry, "top-up", COIN, f"table {found.table}", moves)
    books.post(tx, [new], now_us=now_us)
    return found, held[found.account] + amount


def stand(
    tx: Connection,
    sitting: int,
    *,
    host: str | None,
    entries: range,
    house: int,
    now_us: int,
    reason: str = "stand",
) -> tuple[Open, int]:
    """Escrow -> wallet and close the sitting; with the last one the table's pot is split.

    host None: whatever host it belongs to (the sweeper). entries: two ids. Returns the
    sitting and what came back.
    """
    found = find_open(tx, sitting, host=host)
    if found.currency != COIN:
        _close(tx, sitting, now_us)
        return found, 0
    wallet = books.find(tx, kind="wallet", owner=found.player)
    assert wallet is not None
    pot = _peek_pot(tx, found.table)
    payers = _pot_payers(tx, found.table) if pot and pot.balance else []
    accounts = {wallet, found.account, *(account for account, _ in payers)}
    if pot:
        accounts |= {pot.account} | ({house} if pot.balance else set())
    held = books.balances(tx, accounts)
    find_open(tx, sitting, host=host)
    if pot and held[pot.account] and not pot.balance:
        raise Again("the pot was filled meanwhile")

    returned = held[found.account]
    moves = ledger.transfer(source=found.account, target=wallet, amount=returned)
    new = [books.NewEntry(entries[0], reason, COIN, f"table {found.table}", moves)]
    _close(tx, sitting, now_us)
    if pot and held[pot.account] and not _anybody(tx, found.table):
        split = ledger.split_pot(
            pot=Held(pot.account, held[pot.account]), payers=payers, house=house
        )
        new.append(books.NewEntry(entries[1], "pot", COIN, f"table {found.table}", split))
        tx.execute(
            update(Sitting)
            .where(Sitting.table_id == found.table, Sitting.pot_paid != 0)
            .values(pot_paid=0)
        )
    books.post(tx, new, now_us=now_us)
    return found, returned


def is_open(tx: Connection, sitting: int) -> bool:
    found = select(Sitting.id).where(Sitting.id == sitting, Sitting.closed_us == 0)
    return tx.scalar(found) is not None


def _close(tx: Connection, sitting: int, now_us: int) -> None:
    closed = tx.execute(
        update(Sitting)
        .where(Sitting.id == sitting, Sitting.closed_us == 0)
        .values(closed_us=now_us)
    )
    if closed.rowcount == 0:
        raise Refused("NO_SUCH_SITTING", sitting=sitting)


def _peek_pot(tx: Connection, table: int) -> Held | None:
    row = (
        tx.execute(
            select(Account.id, Account.balance).where(
                Account.owner == table, Account.kind == "pot", Account.currency == COIN
            )
        )
    ).one_or_none()
    return None if row is None else Held(row.id, row.balance)


def _pot_payers(tx: Connection, table: int) -> list[tuple[int, int]]:
    """(wallet, paid) of everybody who has paid into the pot of the table."""
    rows = tx.execute(
        select(Account.id, Sitting.pot_paid)
        .join(
            Account,
            (Account.owner == Sitting.player_id)
            & (Account.kind == "wallet")
            & (Account.currency == COIN),
        )
        .where(Sitting.table_id == table, Sitting.pot_paid != 0)
    )
    return [(row.id, row.pot_paid) for row in rows]


def _anybody(tx: Connection, table: int) -> bool:
    return (
        tx.scalar(
            select(Sitting.id).where(Sitting.table_id == table, Sitting.closed_us == 0).limit(1)
        )
    ) is not None


def seats_of(tx: Connection, player: int) -> list[common_pb2.TableRef]:
    """The tables at which a player has a seat."""
    rows = tx.execute(
        select(Sitting.room, Sitting.shard, Sitting.table_id).where(
            Sitting.player_id == player, Sitting.closed_us == 0
        )
    )
    return [common_pb2.TableRef(room=row.room, shard=row.shard, table=row.table_id) for row in rows]
