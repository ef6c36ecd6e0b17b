"""Servicer of `Admin`. What each RPC is stands in data.proto."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc

from data_server.calls.guard import M, answered
from data_server.calls.lanes import Lanes
from data_server.lanes import Lane
from data_server.services import Services
from paiju.wire.v1 import data_pb2, data_pb2_grpc

Context = grpc.aio.ServicerContext[Any, Any]

WHO = "operator"  # there is one operator key


@dataclass(frozen=True)
class AdminCalls(data_pb2_grpc.AdminServicer):
    services: Services
    lanes: Lanes
    checks: Lane  # one at a time: what reads the whole ledger or thousands of records
    end: Callable[[], None]  # of this process, drained

    async def Nodes(self, request: data_pb2.NodesRequest, context: Context) -> data_pb2.NodesReply:
        return await self._read(context, data_pb2.NodesReply, self.services.office.nodes)

    async def DrainServer(
        self, request: data_pb2.DrainServerRequest, context: Context
    ) -> data_pb2.Reply:
        work = partial(self.services.office.drain_server, request, who=WHO)
        return await self._change(context, data_pb2.Reply, work)

    async def RollServer(
        self, request: data_pb2.RollServerRequest, context: Context
    ) -> data_pb2.RollServerReply:
        work = partial(self.services.office.roll_server, request, who=WHO)
        return await self._change(context, data_pb2.RollServerReply, work)

    async def EndDataServer(
        self, request: data_pb2.EndDataServerRequest, context: Context
    ) -> data_pb2.Reply:
        work = partial(self.services.office.end_data_server, request, who=WHO, end=self.end)
        return await self._change(context, data_pb2.Reply, work)

    async def Grant(self, request: data_pb2.GrantRequest, context: Context) -> data_pb2.GrantReply:
        work = partial(self.services.office.grant, request, who=WHO)
        return await answered(context, self.lanes.sittings, data_pb2.GrantReply, work)

    async def CheckLedger(
        self, request: data_pb2.CheckLedgerRequest, context: Context
    ) -> data_pb2.CheckLedgerReply:
        work = self.services.office.check_ledger
        return await answered(context, self.checks, data_pb2.CheckLedgerReply, work)

    async def ListAudit(
        self, request: data_pb2.ListAuditRequest, context: Context
    ) -> data_pb2.ListAuditReply:
        work = partial(self.services.office.list_audit, request)
        return await self._read(context, data_pb2.ListAuditReply, work)

    async def GetPlayer(
        self, request: data_pb2.GetPlayerRequest, context: Context
    ) -> data_pb2.GetPlayerReply:
        work = partial(self.services.office.get_player, request)
        return await self._read(context, data_pb2.GetPlayerReply, work)

    async def ListReports(
        self, request: data_pb2.ListReportsRequest, context: Context
    ) -> data_pb2.ListReportsReply:
        work = partial(self.services.discipline.list_reports, request)
        return await self._read(context, data_pb2.ListReportsReply, work)

    async def GetReport(
        self, request: data_pb2.GetReportRequest, context: Context
    ) -> data_pb2.GetReportReply:
        work = partial(self.services.discipline.get_report, request)
        return await self._read(context, data_pb2.GetReportReply, work)

    async def ListPenalties(
        self, request: data_pb2.ListPenaltiesRequest, context: Context
    ) -> data_pb2.ListPenaltiesReply:
        work = partial(self.services.discipline.list_penalties, request)
        return await self._read(context, data_pb2.ListPenaltiesReply, work)

    async def Punish(
        self, request: data_pb2.PunishRequest, context: Context
    ) -> data_pb2.PenaltyReply:
        work = partial(self.services.discipline.punish, request, who=WHO)
        return await self._change(context, data_pb2.PenaltyReply, work)

    async def StepPenalty(
        self, request: data_pb2.StepPenaltyRequest, context: Context
    ) -> data_pb2.PenaltyReply:
        work = partial(self.services.discipline.step_penalty, request, who=WHO)
        return await self._change(context, data_pb2.PenaltyReply, work)

    async def GetPolicy(
        self, request: data_pb2.GetPolicyRequest, context: Context
    ) -> data_pb2.GetPolicyReply:
        work = self.services.discipline.get_policy
        return await self._read(context, data_pb2.GetPolicyReply, work)

    async def SetPolicy(
        self, request: data_pb2.SetPolicyRequest, context: Context
    ) -> data_pb2.GetPolicyReply:
        work = partial(self.services.discipline.set_policy, request, who=WHO)
        return await self._change(context, data_pb2.GetPolicyReply, work)

    async def FindCollusion(
        self, request: data_pb2.CollusionRequest, context: Context
    ) -> data_pb2.CollusionReply:
        work = partial(self.services.vigilance.find, request)
        return await answered(context, self.checks, data_pb2.CollusionReply, work)

    async def RefusedHands(
        self, request: data_pb2.RefusedHandsRequest, context: Context
    ) -> data_pb2.RefusedHandsReply:
        return await self._read(context, data_pb2.RefusedHandsReply, self.services.stopped.refused)

    async def VoidHand(self, request: data_pb2.VoidHandRequest, context: Context) -> data_pb2.Reply:
        work = partial(self.services.stopped.void, request, who=WHO)
        return await answered(context, self.lanes.sittings, data_pb2.Reply, work)

    async def Sessions(
        self, request: data_pb2.SessionsRequest, context: Context
    ) -> data_pb2.SessionsReply:
        work = partial(self.services.attendance.sessions, request)
        return await self._read(context, data_pb2.SessionsReply, work)

    async def Kick(self, request: data_pb2.KickRequest, context: Context) -> data_pb2.KickReply:
        work = partial(self.services.attendance.kick, request, who=WHO)
        return await self._change(context, data_pb2.KickReply, work)

    async def SelfCheck(
        self, request: data_pb2.SelfCheckRequest, context: Context
    ) -> data_pb2.SelfCheckReply:
        return await self._read(context, data_pb2.SelfCheckReply, self.services.selfcheck.look)

    async def _read(self, context: Context, reply: type[M], work: Callable[[], Awaitable[M]]) -> M:
        return await answered(context, self.lanes.reads, reply, work)

    async def _change(
        self, context: Context, reply: type[M], work: Callable[[], Awaitable[M]]
    ) -> M:
        return await answered(context, self.lanes.cluster, reply, work)
