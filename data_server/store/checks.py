"""The check of the whole ledger: each question is one statement, so it sees one moment."""

from __future__ import annotations

from sqlalchemy import case, func, select
from sqlalchemy.engine import Connection

from data_server.store.tables import Account, Entry, Posting, Settled, Sitting
from paiju.wire.v1 import data_pb2


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
