"""Reports, what the policy makes of them, and penalties. Append only: triggers refuse
everything but emptying the free text of a report. Notices come and go."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, CheckConstraint, ForeignKey, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import Index

from data_server.store.tables.base import Base, Big, Id, Us


class Report(Base):
    """One report with what was decided about it, in the transaction that stored it."""

    __tablename__ = "report"
    __table_args__ = (
        Index("ix_report_player_id_kind_created_us", "player_id", "kind", "created_us"),
        Index("ix_report_reporter_created_us", "reporter", "created_us"),
    )

    id: Mapped[Id]
    op: Mapped[bytes] = mapped_column(LargeBinary(16), unique=True)
    source: Mapped[str] = mapped_column(String(8))  # player, client, gateway, host
    kind: Mapped[str] = mapped_column(String(32))
    player_id: Mapped[Big]  # whom it is about
    reporter: Mapped[Big]  # 0: a server of ours
    session_epoch: Mapped[Big]
    server: Mapped[str] = mapped_column(String(200))
    gateway: Mapped[str] = mapped_column(String(200))
    table_id: Mapped[Big]
    detail: Mapped[str] = mapped_column(Text)
    evidence: Mapped[bytes] = mapped_column(LargeBinary)
    evidence_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    counted: Mapped[bool] = mapped_column(Boolean)
    action: Mapped[str] = mapped_column(String(8))
    reason: Mapped[str] = mapped_column(Text)
    created_us: Mapped[Us] = mapped_column(index=True)


class PolicyRule(Base):
    """In `window_s` seconds `count` reports of a kind about a player: `action`."""

    __tablename__ = "policy_rule"

    kind: Mapped[str] = mapped_column(String(32), primary_key=True)
    count: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    window_s: Mapped[int]
    action: Mapped[str] = mapped_column(String(8))
    amount: Mapped[Big]  # fine: coins; freeze: hours


class Penalty(Base):
    __tablename__ = "penalty"
    __table_args__ = (
        CheckConstraint("action IN ('warn','fine','freeze','ban')", name="action"),
        CheckConstraint("taken >= 0", name="taken"),
    )

    id: Mapped[Id]
    player_id: Mapped[Big] = mapped_column(ForeignKey("player.id"), index=True)
    report_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("report.id"), index=True)
    kind: Mapped[str] = mapped_column(String(32))
    rule_count: Mapped[int]  # which rule of the kind; 0: a person decided
    action: Mapped[str] = mapped_column(String(8))
    amount: Mapped[Big]
    taken: Mapped[Big]  # coins that the fine found
    house_id: Mapped[int | None] = mapped_column(BigInteger, ForeignKey("account.id"))
    until_us: Mapped[Us]
    reason: Mapped[str] = mapped_column(Text)
    who: Mapped[str] = mapped_column(String(100))
    created_us: Mapped[Us]


class PenaltyStep(Base):
    """What came later: an appeal, the answer to it, or that the penalty was lifted."""

    __tablename__ = "penalty_step"
    __table_args__ = (CheckConstraint("step IN ('appeal','uphold','lift')", name="step"),)

    penalty_id: Mapped[Id] = mapped_column(ForeignKey("penalty.id"))
    step: Mapped[str] = mapped_column(String(8), primary_key=True)
    who: Mapped[str] = mapped_column(String(100))
    why: Mapped[str] = mapped_column(Text)
    created_us: Mapped[Us]


class PenaltyNotice(Base):
    """The player has not heard of it yet; the row goes when he has."""

    __tablename__ = "penalty_notice"

    penalty_id: Mapped[Id] = mapped_column(ForeignKey("penalty.id"))
    player_id: Mapped[Big] = mapped_column(index=True)
