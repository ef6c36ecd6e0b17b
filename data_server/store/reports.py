"""Reports and the rules that answer them, as rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, insert, literal, select, tuple_, update
from sqlalchemy.engine import Connection, Row

from data_server.sanctions import Rule
from data_server.store.tables import Penalty, PlayerSession, PolicyRule, Report
from paiju.wire.v1 import data_pb2

S_US = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReport:
    """player: whom it is about. reporter: the player who says so, 0: a server of ours."""

    id: int
    op: bytes
    source: str
    kind: str
    player: int
    reporter: int
    session_epoch: int
    server: str
    gateway: str
    table: int
    detail: str
    evidence: bytes


def by_op(tx: Connection, op: bytes) -> Row[Any] | None:
    return tx.execute(select(Report.__table__).where(Report.op == op)).one_or_none()


def insert_report(
    tx: Connection, new: NewReport, *, counted: bool, action: str, reason: str, now_us: int
) -> None:
    tx.execute(
        insert(Report).values(
            id=new.id,
            op=new.op,
            source=new.source,
            kind=new.kind,
            player_id=new.player,
            reporter=new.reporter,
            session_epoch=new.session_epoch,
            server=new.server[:200],
            gateway=new.gateway[:200],
            table_id=new.table,
            detail=new.detail,
            evidence=new.evidence,
            evidence_hash=hashlib.sha256(new.evidence).digest(),
            counted=counted,
            action=action,
            reason=reason,
            created_us=now_us,
        )
    )


def of_reporter_since(tx: Connection, reporter: int, since_us: int) -> int:
    found = tx.scalar(
        select(func.count())
        .select_from(Report)
        .where(Report.reporter == reporter, Report.created_us >= since_us)
    )
    return int(found or 0)


def of_kind_since(tx: Connection, player: int, kind: str, since_us: int) -> int:
    found = tx.scalar(
        select(func.count())
        .select_from(Report)
        .where(Report.player_id == player, Report.kind == kind, Report.created_us >= since_us)
    )
    return int(found or 0)


def is_live(tx: Connection, player: int, epoch: int) -> bool:
    """Whether that is the player's live session."""
    row = tx.execute(
        select(PlayerSession.epoch, PlayerSession.live).where(PlayerSession.player_id == player)
    ).one_or_none()
    return row is not None and row.live and row.epoch == epoch


def unanswered(
    tx: Connection, player: int, rules: Iterable[Rule], *, now_us: int
) -> dict[int, int]:
    """By the count of each rule: the counted reports within its window that came after the
    last penalty of that rule. All rules are of one kind."""
    seen = {}
    for rule in rules:
        answered = tx.scalar(
            select(func.max(Penalty.created_us)).where(
                Penalty.player_id == player,
                Penalty.kind == rule.kind,
                Penalty.rule_count == rule.count,
            )
        )
        found = tx.scalar(
            select(func.count())
            .select_from(Report)
            .where(
                Report.player_id == player,
                Report.kind == rule.kind,
                Report.counted,
                Report.created_us > max(now_us - rule.window_s * S_US, answered or 0),
            )
        )
        seen[rule.count] = int(found or 0)
    return seen


def rules(tx: Connection, kind: str | None = None) -> list[Rule]:
    """By kind and count; kind None: of all kinds."""
    query = select(PolicyRule.__table__).order_by(PolicyRule.kind, PolicyRule.count)
    if kind is not None:
        query = query.where(PolicyRule.kind == kind)
    return [Rule(**row._mapping) for row in tx.execute(query)]


def replace_rules(tx: Connection, kind: str, new: Iterable[Rule]) -> None:
    tx.execute(delete(PolicyRule).where(PolicyRule.kind == kind))
    values = [
        {
            "kind": rule.kind,
            "count": rule.count,
            "window_s": rule.window_s,
            "action": rule.action,
            "amount": rule.amount,
        }
        for rule in new
    ]
    if values:
        tx.execute(insert(PolicyRule), values)


def newest(tx: Connection, request: data_pb2.ListReportsRequest, *, limit: int) -> list[Row[Any]]:
    query = select(Report.__table__).order_by(Report.created_us.desc(), Report.id.desc())
    query = query.limit(limit)
    if request.before:
        moment = select(Report.created_us).where(Report.id == request.before).scalar_subquery()
        query = query.where(
            tuple_(Report.created_us, Report.id) < tuple_(moment, literal(request.before))
        )
    if request.player:
        query = query.where(Report.player_id == request.player)
    if request.kind:
        query = query.where(Report.kind == request.kind)
    if request.source:
        query = query.where(Report.source == request.source)
    return list(tx.execute(query))


def one(tx: Connection, report: int) -> Row[Any] | None:
    return tx.execute(select(Report.__table__).where(Report.id == report)).one_or_none()


def message(row: Row[Any]) -> data_pb2.ReportRow:
    return data_pb2.ReportRow(
        id=row.id,
        time_us=row.created_us,
        source=row.source,
        kind=row.kind,
        player=row.player_id,
        reporter=row.reporter,
        session_epoch=row.session_epoch,
        server=row.server,
        gateway=row.gateway,
        table=row.table_id,
        counted=row.counted,
        action=row.action,
        reason=row.reason,
        detail=row.detail,
    )


def forget_words(tx: Connection, *, before_us: int) -> None:
    """Empty what people wrote (chat, too) and the evidence; its hash stays."""
    tx.execute(
        update(Report)
        .where(Report.created_us < before_us, (Report.detail != "") | (Report.evidence != b""))
        .values(detail="", evidence=b"")
    )
