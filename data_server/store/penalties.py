"""Penalties: imposing and lifting them, with what they do to money and sessions.

The player's row is locked first, so decisions about one player come one after the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, insert, literal, select, tuple_, update
from sqlalchemy.engine import Connection, Row

from data_server import ledger, sanctions
from data_server.ledger import COIN, Held
from data_server.policy import FOR_EVER_US
from data_server.store import books, notices, sessions
from data_server.store.sessions import Ended
from data_server.store.tables import Penalty as PenaltyRow
from data_server.store.tables import PenaltyStep, Player
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

APPEAL, UPHOLD, LIFT = "appeal", "uphold", "lift"
STEPS = (APPEAL, UPHOLD, LIFT)
_CLOSES = (sanctions.FREEZE, sanctions.BAN)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPenalty:
    """id, entry: fresh ids, of the penalty and of the ledger's entry. house: gets the fine.
    rule_count: of the rule that answered, 0 when a person decided."""

    id: int
    entry: int
    house: int
    player: int
    report: int | None
    kind: str
    rule_count: int
    action: str
    amount: int
    reason: str
    who: str


def hold_player(tx: Connection, player: int) -> None:
    """Lock the player's row against others who decide, not against rows that refer to it.

    Refused NO_SUCH_PLAYER.
    """
    found = tx.scalar(select(Player.id).where(Player.id == player).with_for_update(key_share=True))
    if found is None:
        raise Refused("NO_SUCH_PLAYER")


def impose(tx: Connection, new: NewPenalty, *, now_us: int) -> list[Ended]:
    """Write it and carry it out; returns whom to tell of what: sessions that ended, or that
    there is news for the player. Needs hold_player."""
    taken = _fine(tx, new, now_us) if new.action == sanctions.FINE else 0
    until = sanctions.until_us(new.action, new.amount, now_us=now_us, for_ever_us=FOR_EVER_US)
    tx.execute(
        insert(PenaltyRow).values(
            id=new.id,
            player_id=new.player,
            report_id=new.report,
            kind=new.kind,
            rule_count=new.rule_count,
            action=new.action,
            amount=new.amount,
            taken=taken,
            house_id=new.house if taken else None,
            until_us=until,
            reason=new.reason,
            who=new.who,
            created_us=now_us,
        )
    )
    notices.add(tx, new.id, new.player)
    if not until:
        return sessions.news(tx, new.player, now_us=now_us)
    _close_account(tx, new.player)
    return sessions.end(tx, new.player, reason=sessions.KICKED, now_us=now_us, tell_everywhere=True)


def step(
    tx: Connection, penalty: int, name: str, *, who: str, why: str, entry: int, now_us: int
) -> None:
    """Appeal, uphold or lift; each once. Refused NO_SUCH_PENALTY, BAD_POLICY."""
    row = tx.execute(select(PenaltyRow.__table__).where(PenaltyRow.id == penalty)).one_or_none()
    if row is None:
        raise Refused("NO_SUCH_PENALTY")
    hold_player(tx, row.player_id)
    done = {found.step for found in _steps(tx, [penalty])}
    if name not in STEPS:
        raise Refused("BAD_POLICY", detail=f"{name!r} is none of {', '.join(STEPS)}")
    if LIFT in done:
        raise Refused("BAD_POLICY", detail="the penalty was lifted already")
    if name in done:
        raise Refused("BAD_POLICY", detail=f"{name}: that was done already")
    if name == UPHOLD and APPEAL not in done:
        raise Refused("BAD_POLICY", detail="nobody has appealed")
    tx.execute(
        insert(PenaltyStep).values(
            penalty_id=penalty, step=name, who=who, why=why, created_us=now_us
        )
    )
    if name == LIFT:
        notices.forget(tx, penalty)
        if row.taken:
            _give_back(tx, row, entry, now_us)
        if row.action in _CLOSES:
            _close_account(tx, row.player_id)


def get(tx: Connection, penalty: int) -> data_pb2.Penalty:
    """Refused NO_SUCH_PENALTY."""
    rows = list(tx.execute(select(PenaltyRow.__table__).where(PenaltyRow.id == penalty)))
    if not rows:
        raise Refused("NO_SUCH_PENALTY")
    return _messages(tx, rows)[0]


def of_report(tx: Connection, report: int) -> data_pb2.Penalty | None:
    """What followed from a report by the policy, or by a person who named it."""
    query = (
        select(PenaltyRow.__table__)
        .where(PenaltyRow.report_id == report)
        .order_by(PenaltyRow.created_us, PenaltyRow.id)
        .limit(1)
    )
    rows = list(tx.execute(query))
    return _messages(tx, rows)[0] if rows else None


def newest(tx: Connection, *, player: int, before: int, limit: int) -> list[data_pb2.Penalty]:
    query = select(PenaltyRow.__table__).limit(limit)
    query = query.order_by(PenaltyRow.created_us.desc(), PenaltyRow.id.desc())
    if player:
        query = query.where(PenaltyRow.player_id == player)
    if before:
        moment = select(PenaltyRow.created_us).where(PenaltyRow.id == before).scalar_subquery()
        query = query.where(
            tuple_(PenaltyRow.created_us, PenaltyRow.id) < tuple_(moment, literal(before))
        )
    return _messages(tx, list(tx.execute(query)))


def _fine(tx: Connection, new: NewPenalty, now_us: int) -> int:
    """Wallet -> house, as much as there is; what lies on tables is left alone."""
    wallet = books.find(tx, kind="wallet", owner=new.player)
    if wallet is None:
        raise Refused("NO_SUCH_PLAYER")
    held = books.balances(tx, [wallet, new.house])
    moves = ledger.fine(wallet=Held(wallet, held[wallet]), house=new.house, amount=new.amount)
    if not moves:
        return 0
    entry = books.NewEntry(new.entry, "fine", COIN, f"penalty {new.id}", moves)
    books.post(tx, [entry], now_us=now_us)
    return moves[new.house]


def _give_back(tx: Connection, row: Row[Any], entry: int, now_us: int) -> None:
    wallet = books.find(tx, kind="wallet", owner=row.player_id)
    assert wallet is not None
    books.balances(tx, [wallet, row.house_id])
    moves = ledger.transfer(source=row.house_id, target=wallet, amount=row.taken)
    new = books.NewEntry(entry, "refund", COIN, f"penalty {row.id} lifted", moves)
    books.post(tx, [new], now_us=now_us)


def _close_account(tx: Connection, player: int) -> None:
    """Closed until the last of its freezes and bans that were not lifted ends."""
    lifted = select(PenaltyStep.penalty_id).where(PenaltyStep.step == LIFT)
    until = tx.scalar(
        select(func.max(PenaltyRow.until_us)).where(
            PenaltyRow.player_id == player,
            PenaltyRow.action.in_(_CLOSES),
            PenaltyRow.id.not_in(lifted),
        )
    )
    tx.execute(update(Player).where(Player.id == player).values(frozen_until_us=until or 0))


def _steps(tx: Connection, penalties: Iterable[int]) -> list[Row[Any]]:
    return list(
        tx.execute(
            select(PenaltyStep.__table__)
            .where(PenaltyStep.penalty_id.in_(list(penalties)))
            .order_by(PenaltyStep.created_us, PenaltyStep.step)
        )
    )


def _messages(tx: Connection, rows: Iterable[Row[Any]]) -> list[data_pb2.Penalty]:
    made = {
        row.id: data_pb2.Penalty(
            id=row.id,
            player=row.player_id,
            action=row.action,
            amount=row.amount,
            taken=row.taken,
            until_us=row.until_us,
            kind=row.kind,
            reason=row.reason,
            report=row.report_id or 0,
            who=row.who,
            time_us=row.created_us,
        )
        for row in rows
    }
    for found in _steps(tx, made):
        made[found.penalty_id].steps.add(
            step=found.step, who=found.who, why=found.why, time_us=found.created_us
        )
    return list(made.values())
