"""Servicer of `Admin`. What each RPC is stands in data.proto."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import grpc

from data_server.calls.guard import answered
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

    async def Nodes(self, request: data_pb2.NodesRequest, context: Context) -> data_pb2.NodesReply:
        return await answered(
            context, self.lanes.reads, data_pb2.NodesReply, self.services.office.nodes
        )

    async def DrainServer(
        self, request: data_pb2.DrainServerRequest, context: Context
    ) -> data_pb2.Reply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.Reply,
            lambda: self.services.office.drain_server(request, who=WHO),
        )

    async def Grant(self, request: data_pb2.GrantRequest, context: Context) -> data_pb2.GrantReply:
        return await answered(
            context,
            self.lanes.sittings,
            data_pb2.GrantReply,
            lambda: self.services.office.grant(request, who=WHO),
        )

    async def CheckLedger(
        self, request: data_pb2.CheckLedgerRequest, context: Context
    ) -> data_pb2.CheckLedgerReply:
        return await answered(
            context, self.checks, data_pb2.CheckLedgerReply, self.services.office.check_ledger
        )

    async def ListAudit(
        self, request: data_pb2.ListAuditRequest, context: Context
    ) -> data_pb2.ListAuditReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.ListAuditReply,
            lambda: self.services.office.list_audit(request),
        )

    async def ListReports(
        self, request: data_pb2.ListReportsRequest, context: Context
    ) -> data_pb2.ListReportsReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.ListReportsReply,
            lambda: self.services.discipline.list_reports(request),
        )

    async def GetReport(
        self, request: data_pb2.GetReportRequest, context: Context
    ) -> data_pb2.GetReportReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.GetReportReply,
            lambda: self.services.discipline.get_report(request),
        )

    async def ListPenalties(
        self, request: data_pb2.ListPenaltiesRequest, context: Context
    ) -> data_pb2.ListPenaltiesReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.ListPenaltiesReply,
            lambda: self.services.discipline.list_penalties(request),
        )

    async def Punish(
        self, request: data_pb2.PunishRequest, context: Context
    ) -> data_pb2.PenaltyReply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.PenaltyReply,
            lambda: self.services.discipline.punish(request, who=WHO),
        )

    async def StepPenalty(
        self, request: data_pb2.StepPenaltyRequest, context: Context
    ) -> data_pb2.PenaltyReply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.PenaltyReply,
            lambda: self.services.discipline.step_penalty(request, who=WHO),
        )

    async def GetPolicy(
        self, request: data_pb2.GetPolicyRequest, context: Context
    ) -> data_pb2.GetPolicyReply:
        return await answered(
            context, self.lanes.reads, data_pb2.GetPolicyReply, self.services.discipline.get_policy
        )

    async def SetPolicy(
        self, request: data_pb2.SetPolicyRequest, context: Context
    ) -> data_pb2.GetPolicyReply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.GetPolicyReply,
            lambda: self.services.discipline.set_policy(request, who=WHO),
        )

    async def FindCollusion(
        self, request: data_pb2.CollusionRequest, context: Context
    ) -> data_pb2.CollusionReply:
        return await answered(
            context,
            self.checks,
            data_pb2.CollusionReply,
            lambda: self.services.vigilance.find(request),
        )

    async def RefusedHands(
        self, request: data_pb2.RefusedHandsRequest, context: Context
    ) -> data_pb2.RefusedHandsReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.RefusedHandsReply,
            self.services.stopped.refused,
        )

    async def VoidHand(self, request: data_pb2.VoidHandRequest, context: Context) -> data_pb2.Reply:
        return await answered(
            context,
            self.lanes.sittings,
            data_pb2.Reply,
            lambda: self.services.stopped.void(request, who=WHO),
        )
