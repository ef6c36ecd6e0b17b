"""Reports and signals: what the RPCs `Report` and `Signal` do.

A report is stored, decided and answered in one transaction, once per report id, while the row
of the player it is about is locked: two that come at once are counted one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import structlog
from sqlalchemy.engine import Connection

from data_server import sanctions
from data_server.follow import Followers
from data_server.ledger import COIN
from data_server.sanctions import CLIENT, GATEWAY, HOST, NONE, PLAYER, Rule
from data_server.store import notices, penalties, players, reports
from data_server.store.books import HallAccounts
from data_server.store.database import Database
from data_server.store.ids import Ids
from data_server.store.penalties import NewPenalty
from data_server.store.reports import NewReport
from data_server.store.sessions import Ended
from paiju.service.ids import op_time_us
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

log = structlog.get_logger()

MAX_DETAIL = 1000  # characters
MAX_EVIDENCE = 16 * 1024  # bytes
MAX_ID = 2**63 - 1
HOUR_US = 3600 * 10**6
MINUTE_US = 60 * 10**6
_SOURCES = {
    data_pb2.SIGNAL_CLIENT: CLIENT,
    data_pb2.SIGNAL_GATEWAY: GATEWAY,
    data_pb2.SIGNAL_HOST: HOST,
}


@dataclass(frozen=True, kw_only=True)
class Conduct:
    """reports_per_hour: of one player about others. signals_per_minute: of one kind about one
    player. on_penalty: called with the action of each penalty that the policy gave."""

    database: Database
    ids: Ids
    followers: Followers
    hall: HallAccounts
    reports_per_hour: int
    signals_per_minute: int
    clock: Callable[[], int]
    on_report: Callable[[str, str], object]
    on_penalty: Callable[[str], object]

    async def report(self, request: data_pb2.ReportRequest) -> data_pb2.Reply:
        """A player about another: kept for people to read, whatever it says."""
        body = request.report
        if body.kind not in sanctions.PLAYERS_KINDS:
            raise Refused("BAD_REPORT", detail="kind")
        if body.player > MAX_ID or body.table.table > MAX_ID:
            raise Refused("NO_SUCH_PLAYER")
        new = NewReport(
            id=await self.ids.one(),
            op=_checked_op(request.op),
            source=PLAYER,
            kind=body.kind,
            player=body.player,
            reporter=request.reporter,
            session_epoch=0,
            server=request.server,
            gateway="",
            table=body.table.table,
            detail=_checked_detail(body.detail),
            evidence=_checked_evidence(request.evidence.encode()),
        )

        def work(tx: Connection) -> bool:
            now = self.clock()
            if reports.by_op(tx, new.op) is not None:
                return False
            if players.by_id(tx, new.player) is None:
                raise Refused("NO_SUCH_PLAYER")
            since = now - HOUR_US
            if reports.of_reporter_since(tx, new.reporter, since) >= self.reports_per_hour:
                raise Refused("TOO_FAST")
            reason = "people decide about what players say"
            reports.insert_report(tx, new, counted=False, action=NONE, reason=reason, now_us=now)
            return True

        if await self.database.write(work):
            self.on_report(PLAYER, new.kind)
        return data_pb2.Reply()

    async def signal(self, request: data_pb2.SignalRequest) -> data_pb2.SignalReply:
        """What was noticed about a session; the policy decides at once."""
        source = _SOURCES.get(request.source)
        if source is None:
            raise Refused("BAD_REPORT", detail="source")
        op, kind = _checked_op(request.op), sanctions.checked_kind(request.kind)
        if kind in sanctions.PLAYERS_KINDS:
            raise Refused("BAD_REPORT", detail="kind")
        ids = await self.ids.take(3)
        new = NewReport(
            id=ids[0],
            op=op,
            source=source,
            kind=kind,
            player=request.player,
            reporter=request.player if source == CLIENT else 0,
            session_epoch=request.session_epoch,
            server=request.server,
            gateway=request.gateway,
            table=request.table.table,
            detail=_checked_detail(request.detail),
            evidence=_checked_evidence(request.evidence),
        )

        def work(tx: Connection) -> tuple[data_pb2.SignalReply, list[Ended]] | None:
            """None: it was decided before."""
            penalties.hold_player(tx, new.player)
            now = self.clock()  # only now: moments of one player's rows are in order
            before = reports.by_op(tx, op)
            if before is not None:
                if (before.player_id, before.kind) != (new.player, new.kind):
                    raise Refused("OP_REUSED")
                return None
            recent = reports.of_kind_since(tx, new.player, kind, now - MINUTE_US)
            if recent >= self.signals_per_minute:
                raise Refused("TOO_FAST")
            return self._decide(tx, new, ids, now)

        done = await self.database.write(work)
        if done is None:
            return await self.database.read(lambda tx: _first_answer(tx, op))
        reply, ended = done
        self.followers.session_ended(ended)
        self.on_report(source, kind)
        if reply.HasField("penalty"):
            self.on_penalty(reply.penalty.action)
            log.info("penalty.given", action=reply.penalty.action, kind=kind)
        return reply

    async def unheard(
        self, request: data_pb2.UnheardPenaltiesRequest
    ) -> data_pb2.UnheardPenaltiesReply:
        found = await self.database.read(lambda tx: notices.unheard(tx, request.player))
        return data_pb2.UnheardPenaltiesReply(penalties=found)

    async def heard(self, request: data_pb2.PenaltyHeardRequest) -> data_pb2.Reply:
        await self.database.write(
            lambda tx: notices.forget(tx, request.penalty, player=request.player)
        )
        return data_pb2.Reply()

    def _decide(
        self, tx: Connection, new: NewReport, ids: range, now: int
    ) -> tuple[data_pb2.SignalReply, list[Ended]]:
        counted = reports.is_live(tx, new.player, new.session_epoch)
        rule: Rule | None = None
        rules = reports.rules(tx, new.kind)
        if counted:
            seen = reports.unanswered(tx, new.player, rules, now_us=now)
            rule = sanctions.verdict(rules, {count: n + 1 for count, n in seen.items()})
            reason = f"{rule}" if rule else "no rule answers yet"
        else:
            reason = "not about the live session"
        action = rule.action if rule else NONE
        reports.insert_report(tx, new, counted=counted, action=action, reason=reason, now_us=now)
        if rule is None:
            return data_pb2.SignalReply(), []
        penalty = NewPenalty(
            id=ids[1],
            entry=ids[2],
            house=self.hall.house_for(COIN, new.player),
            player=new.player,
            report=new.id,
            kind=rule.kind,
            rule_count=rule.count,
            action=rule.action,
            amount=rule.amount,
            reason=reason,
            who="policy",
        )
        ended = penalties.impose(tx, penalty, now_us=now)
        return data_pb2.SignalReply(penalty=penalties.get(tx, penalty.id)), ended


def _first_answer(tx: Connection, op: bytes) -> data_pb2.SignalReply:
    row = reports.by_op(tx, op)
    assert row is not None
    penalty = penalties.of_report(tx, row.id) if row.action != NONE else None
    return data_pb2.SignalReply(penalty=penalty)


def _checked_op(op: bytes) -> bytes:
    try:
        op_time_us(op)
    except ValueError:
        raise Refused("OP_REQUIRED") from None
    return op


def _checked_detail(detail: str) -> str:
    if "\0" in detail:
        raise Refused("BAD_REPORT", detail="a character that cannot be kept")
    if len(detail) > MAX_DETAIL:
        raise Refused("BAD_REPORT", detail=f"more than {MAX_DETAIL} characters")
    return detail


def _checked_evidence(evidence: bytes) -> bytes:
    if len(evidence) > MAX_EVIDENCE:
        raise Refused("BAD_REPORT", detail=f"more than {MAX_EVIDENCE} bytes of evidence")
    return evidence
