"""What the hall's database says after a run: an outsider's look, by plain SQL.

Nothing of the data server is used on purpose: a fault in its own sums cannot hide here.
Only reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, text

from paiju.rules import record
from paiju.rules.record import RecordError
from paiju.rules.registry import Registry

_SUM = "SELECT COALESCE(SUM(balance), 0) FROM account"
_UNBALANCED = """
    SELECT COUNT(*) FROM (
        SELECT entry_id FROM posting GROUP BY entry_id HAVING SUM(amount) <> 0
    ) AS wrong
"""
_OFF = """
    SELECT COUNT(*) FROM account WHERE balance <>
        (SELECT COALESCE(SUM(amount), 0) FROM posting WHERE account_id = account.id)
"""
_ESCROW = "SELECT COALESCE(SUM(balance), 0) FROM account WHERE kind = 'escrow'"
_SITTINGS = "SELECT COUNT(*) FROM sitting WHERE closed_us = 0"
_SETTLED = "SELECT COUNT(*) FROM settlement"
_VOIDED = "SELECT COUNT(*) FROM settlement WHERE result = 'void'"
_VOID_HANDS = "SELECT table_id, hand FROM settlement WHERE result = 'void'"
_RECORDS = "SELECT COUNT(*) FROM hand_record"
_EACH_RECORD = "SELECT table_id, hand, record FROM hand_record ORDER BY table_id, hand"


@dataclass(frozen=True, kw_only=True)
class Books:
    """sum: of all balances. unbalanced: entries whose postings are not zero together, and
    accounts whose balance is not the sum of their postings. escrow: coins still on tables."""

    sum: int
    unbalanced: int
    escrow: int
    open_sittings: int
    settlements: int
    voided: int
    records: int


def read_books(engine: Engine) -> Books:
    """One consistent look."""
    with engine.connect() as connection:
        return Books(
            sum=_number(connection, _SUM),
            unbalanced=_number(connection, _UNBALANCED) + _number(connection, _OFF),
            escrow=_number(connection, _ESCROW),
            open_sittings=_number(connection, _SITTINGS),
            settlements=_number(connection, _SETTLED),
            voided=_number(connection, _VOIDED),
            records=_number(connection, _RECORDS),
        )


def void_hands(engine: Engine) -> set[tuple[int, int]]:
    """(table, hand) of the hands that were booked as void."""
    with engine.connect() as connection:
        return {(row.table_id, row.hand) for row in connection.execute(text(_VOID_HANDS))}


def verify_records(engine: Engine, registry: Registry) -> tuple[int, Sequence[str]]:
    """How many records prove themselves, and what is wrong with the others."""
    verified, wrong = 0, []
    with engine.connect() as connection:
        for table, hand, data in connection.execute(text(_EACH_RECORD)):
            try:
                found = record.decode(bytes(data))
                if (found.table, found.hand) != (str(table), hand):
                    raise RecordError(f"it is the record of {found.table}/{found.hand}")
                record.verify(found, registry)
            except (RecordError, LookupError, ValueError) as error:
                wrong.append(f"record {table}/{hand}: {error}")
            else:
                verified += 1
    return verified, wrong


def _number(connection: Connection, query: str) -> int:
    return int(connection.execute(text(query)).scalar_one())
