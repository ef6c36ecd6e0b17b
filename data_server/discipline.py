"""Operators' side of conduct: reports, penalties, appeals, the policy. Every change writes its
audit row in its own transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from data_server import sanctions
from data_server.backoffice import DEFAULT_ROWS, MAX_ROWS, check_reason
from data_server.follow import Followers
from data_server.ledger import COIN
from data_server.sanctions import Rule
from data_server.store import audits, penalties, reports
from data_server.store.books import HallAccounts
from data_server.store.database import Database
from data_server.store.ids import Ids
from data_server.store.operations import Operations
from data_server.store.penalties import NewPenalty
from data_server.store.sessions import Ended
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2


@dataclass(frozen=True, kw_only=True)
class Discipline:
    database: Database
    ids: Ids
    operations: Operations
    followers: Followers
    hall: HallAccounts
    clock: Callable[[], int]
    on_penalty: Callable[[str], object]

    async def list_reports(self, request: data_pb2.ListReportsRequest) -> data_pb2.ListReportsReply:
        limit = min(request.limit or DEFAULT_ROWS, MAX_ROWS)
        rows = await self.database.read(lambda tx: reports.newest(tx, request, limit=limit))
        return data_pb2.ListReportsReply(rows=[reports.message(row) for row in rows])

    async def get_report(self, request: data_pb2.GetReportRequest) -> data_pb2.GetReportReply:
        def look(tx: Connection) -> data_pb2.GetReportReply:
            row = reports.one(tx, request.id)
            if row is None:
                raise Refused("NO_SUCH_REPORT")
            return data_pb2.GetReportReply(
                row=reports.message(row),
                evidence_hex=row.evidence.hex(),
                evidence_sha256=row.evidence_hash.hex(),
                penalty=penalties.of_report(tx, row.id),
            )

        return await self.database.read(look)

    async def list_penalties(
        self, request: data_pb2.ListPenaltiesRequest
    ) -> data_pb2.ListPenaltiesReply:
        limit = min(request.limit or DEFAULT_ROWS, MAX_ROWS)
        rows = await self.database.read(
            lambda tx: penalties.newest(
                tx, player=request.player, before=request.before, limit=limit
            )
        )
        return data_pb2.ListPenaltiesReply(rows=rows)

    async def punish(self, request: data_pb2.PunishRequest, *, who: str) -> data_pb2.PenaltyReply:
        check_reason(request.reason)
        sanctions.checked_action(request.action, request.amount)
        number, entry = await self.ids.take(2)
        ended: list[Ended] = []
        given: list[str] = []

        def work(tx: Connection) -> data_pb2.PenaltyReply:
            penalties.hold_player(tx, request.player)
            now = self.clock()
            if request.report and reports.one(tx, request.report) is None:
                raise Refused("NO_SUCH_REPORT")
            new = NewPenalty(
                id=number,
                entry=entry,
                house=self.hall.house_for(COIN, request.player),
                player=request.player,
                report=request.report or None,
                kind="operator",
                rule_count=0,
                action=request.action,
                amount=request.amount,
                reason=request.reason,
                who=who,
            )
            ended[:] = penalties.impose(tx, new, now_us=now)
            given[:] = [request.action]
            made = penalties.get(tx, number)
            audits.append(
                tx,
                who=who,
                what="punish",
                target=f"player {request.player}",
                why=request.reason,
                before=None,
                after={"penalty": str(number), "action": made.action, "amount": made.amount},
                now_us=now,
            )
            return data_pb2.PenaltyReply(penalty=made)

        body = data_pb2.PunishRequest(
            player=request.player,
            action=request.action,
            amount=request.amount,
            reason=request.reason,
            report=request.report,
        )
        reply = await self.operations.once(
            request.op, kind="Punish", body=body, answer=data_pb2.PenaltyReply, work=work
        )
        self.followers.session_ended(ended)
        for action in given:
            self.on_penalty(action)
        return reply

    async def step_penalty(
        self, request: data_pb2.StepPenaltyRequest, *, who: str
    ) -> data_pb2.PenaltyReply:
        check_reason(request.reason)
        entry = await self.ids.one()

        def work(tx: Connection) -> data_pb2.PenaltyReply:
            now = self.clock()
            penalties.step(
                tx,
                request.penalty,
                request.step,
                who=who,
                why=request.reason,
                entry=entry,
                now_us=now,
            )
            audits.append(
                tx,
                who=who,
                what=request.step,
                target=f"penalty {request.penalty}",
                why=request.reason,
                before=None,
                after=None,
                now_us=now,
            )
            return data_pb2.PenaltyReply(penalty=penalties.get(tx, request.penalty))

        body = data_pb2.StepPenaltyRequest(
            penalty=request.penalty, step=request.step, reason=request.reason
        )
        return await self.operations.once(
            request.op, kind="StepPenalty", body=body, answer=data_pb2.PenaltyReply, work=work
        )

    async def get_policy(self) -> data_pb2.GetPolicyReply:
        rules = await self.database.read(reports.rules)
        return data_pb2.GetPolicyReply(rules=[_message(rule) for rule in rules])

    async def set_policy(
        self, request: data_pb2.SetPolicyRequest, *, who: str
    ) -> data_pb2.GetPolicyReply:
        check_reason(request.reason)
        new = sanctions.checked_rules(
            request.kind,
            [
                Rule(rule.kind or request.kind, rule.count, rule.window_s, rule.action, rule.amount)
                for rule in request.rules
            ],
        )

        def work(tx: Connection) -> data_pb2.GetPolicyReply:
            before = reports.rules(tx, request.kind)
            reports.replace_rules(tx, request.kind, new)
            audits.append(
                tx,
                who=who,
                what="policy",
                target=f"kind {request.kind}",
                why=request.reason,
                before=[_told(rule) for rule in before],
                after=[_told(rule) for rule in new],
                now_us=self.clock(),
            )
            return data_pb2.GetPolicyReply(rules=[_message(rule) for rule in new])

        body = data_pb2.SetPolicyRequest(
            kind=request.kind, rules=request.rules, reason=request.reason
        )
        return await self.operations.once(
            request.op, kind="SetPolicy", body=body, answer=data_pb2.GetPolicyReply, work=work
        )


def _message(rule: Rule) -> data_pb2.PolicyRule:
    return data_pb2.PolicyRule(
        kind=rule.kind,
        count=rule.count,
        window_s=rule.window_s,
        action=rule.action,
        amount=rule.amount,
    )


def _told(rule: Rule) -> str:
    return f"{rule}: {rule.action} {rule.amount}"
