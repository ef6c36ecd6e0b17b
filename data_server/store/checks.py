"""The check of the whole ledger: each question is one statement, so it sees one moment."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import case, func, select, text
from sqlalchemy.engine import Connection

from data_server import ledger
from data_server.store.tables import Account, Entry, Posting, Settled, Sitting
from paiju.wire.v1 import data_pb2


class CoinFlow(NamedTuple):
    """issued: coins that came out of the mint. collected: coins that lie with the house."""

    issued: int
    collected: int


def coin_flow(tx: Connection) -> CoinFlow:
    def balance(kind: str) -> int:
        found = tx.scalar(
            select(func.sum(Account.balance)).where(
                Account.kind == kind, Account.currency == ledger.COIN
            )
        )
        return int(found or 0)

    return CoinFlow(issued=-balance("mint"), collected=balance("house"))


def standbys(tx: Connection) -> tuple[int, float]:
    """PostgreSQL only: how many copy it, and the seconds that the slowest is behind.

    Without the role pg_monitor the second is 0: PostgreSQL shows it to nobody else. It is 0,
    too, for a standby that has everything and hears nothing new.
    """
    row = tx.execute(
        text(
            "SELECT count(*), coalesce(max(extract(epoch FROM replay_lag)), 0)"
            " FROM pg_stat_replication WHERE application_name <> 'pg_basebackup'"
        )
    ).one()
    return int(row[0]), float(row[1])


def check_ledger(tx: Connection, *, now_us: int) -> data_pb2.CheckLedgerReply:
    sums = (
        tx.execute(
            select(
                func.coalesce(func.sum(Account.balance), 0),
                func.coalesce(
                    func.sum(case((Account.kind == "escrow", Account.balance), else_=0)), 0
                ),
            )
        )
    ).one()
    unbalanced = tx.scalar(
        select(func.count()).select_from(
            select(Posting.entry_id)
            .join(Account, Account.id == Posting.account_id)
            .outerjoin(Entry, Entry.id == Posting.entry_id)
            .group_by(Posting.entry_id)
            .having(
                (func.sum(Posting.amount) != 0)
                | (func.min(Account.currency) != func.max(Account.currency))
                | (func.count(Entry.id) == 0)
            )
            .subquery()
        )
    )
    posted = (
        select(Posting.account_id, func.sum(Posting.amount).label("amount"))
        .group_by(Posting.account_id)
        .subquery()
    )
    mismatched = tx.scalar(
        select(func.count())
        .select_from(Account)
        .outerjoin(posted, posted.c.account_id == Account.id)
        .where(Account.balance != func.coalesce(posted.c.amount, 0))
    )
    settled = tx.scalar(select(func.count()).select_from(Settled))
    open_sittings = tx.scalar(
        select(func.count()).select_from(Sitting).where(Sitting.closed_us == 0)
    )
    return data_pb2.CheckLedgerReply(
        sum=int(sums[0]),
        unbalanced=unbalanced or 0,
        mismatched=mismatched or 0,
        escrow=int(sums[1]),
        settlements=settled or 0,
        checked_us=now_us,
        open_sittings=open_sittings or 0,
    )
