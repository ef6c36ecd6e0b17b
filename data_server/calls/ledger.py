"""Servicer of `Ledger`. What each RPC is stands in data.proto."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import grpc

from data_server.bank import Bank
from data_server.calls.guard import answered
from data_server.calls.lanes import Lanes
from data_server.metrics import Metrics
from paiju.wire.v1 import data_pb2, data_pb2_grpc

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True)
class LedgerCalls(data_pb2_grpc.LedgerServicer):
    bank: Bank
    lanes: Lanes
    metrics: Metrics

    async def GetWallet(
        self, request: data_pb2.GetWalletRequest, context: Context
    ) -> data_pb2.GetWalletReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.GetWalletReply,
            lambda: self.bank.get_wallet(request),
        )

    async def ListHands(
        self, request: data_pb2.ListHandsRequest, context: Context
    ) -> data_pb2.ListHandsReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.ListHandsReply,
            lambda: self.bank.list_hands(request),
        )

    async def GetHand(
        self, request: data_pb2.GetHandRequest, context: Context
    ) -> data_pb2.GetHandReply:
        return await answered(
            context, self.lanes.reads, data_pb2.GetHandReply, lambda: self.bank.get_hand(request)
        )

    async def SitDown(
        self, request: data_pb2.SitDownRequest, context: Context
    ) -> data_pb2.SitDownReply:
        return await answered(
            context,
            self.lanes.sittings,
            data_pb2.SitDownReply,
            lambda: self.bank.sit_down(request),
        )

    async def TopUp(self, request: data_pb2.TopUpRequest, context: Context) -> data_pb2.TopUpReply:
        return await answered(
            context, self.lanes.sittings, data_pb2.TopUpReply, lambda: self.bank.top_up(request)
        )

    async def StandUp(
        self, request: data_pb2.StandUpRequest, context: Context
    ) -> data_pb2.StandUpReply:
        return await answered(
            context,
            self.lanes.sittings,
            data_pb2.StandUpReply,
            lambda: self.bank.stand_up(request),
        )

    async def Settle(
        self, request: data_pb2.SettleRequest, context: Context
    ) -> data_pb2.SettleReply:
        with self.metrics.settle_seconds.time():
            reply = await answered(
                context,
                self.lanes.settlements,
                data_pb2.SettleReply,
                lambda: self.bank.settle(request),
            )
        for result in reply.results:
            if result.HasField("refusal"):
                outcome = "refused"
            else:
                outcome = "repeated" if result.repeated else "booked"
            self.metrics.hands.labels(outcome).inc()
        return reply
