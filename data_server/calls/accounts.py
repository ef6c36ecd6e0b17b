"""Servicer of `Accounts`. What each RPC is stands in data.proto."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import grpc

from data_server.accounts import Accounts
from data_server.calls.guard import answered
from data_server.calls.lanes import Lanes
from data_server.metrics import Metrics
from paiju.wire.v1 import data_pb2, data_pb2_grpc

Context = grpc.aio.ServicerContext[Any, Any]


@dataclass(frozen=True)
class AccountsCalls(data_pb2_grpc.AccountsServicer):
    accounts: Accounts
    lanes: Lanes
    metrics: Metrics

    async def OpenGuest(
        self, request: data_pb2.OpenGuestRequest, context: Context
    ) -> data_pb2.SessionReply:
        return await self._opening("guest", context, lambda: self.accounts.open_guest(request))

    async def Register(
        self, request: data_pb2.RegisterRequest, context: Context
    ) -> data_pb2.SessionReply:
        return await self._opening("register", context, lambda: self.accounts.register(request))

    async def Login(
        self, request: data_pb2.LoginRequest, context: Context
    ) -> data_pb2.SessionReply:
        return await self._opening("login", context, lambda: self.accounts.login(request))

    async def Renew(
        self, request: data_pb2.RenewRequest, context: Context
    ) -> data_pb2.SessionReply:
        return await self._opening("renew", context, lambda: self.accounts.renew(request))

    async def ChangePassword(
        self, request: data_pb2.ChangePasswordRequest, context: Context
    ) -> data_pb2.SessionReply:
        return await self._opening(
            "change_password", context, lambda: self.accounts.change_password(request)
        )

    async def Logout(self, request: data_pb2.LogoutRequest, context: Context) -> data_pb2.Reply:
        return await answered(
            context, self.lanes.cluster, data_pb2.Reply, lambda: self.accounts.logout(request)
        )

    async def TicketKeys(
        self, request: data_pb2.TicketKeysRequest, context: Context
    ) -> data_pb2.TicketKeysReply:
        return self.accounts.ticket_keys()

    async def _opening(
        self, kind: str, context: Context, work: Callable[[], Awaitable[data_pb2.SessionReply]]
    ) -> data_pb2.SessionReply:
        try:
            reply = await answered(context, self.lanes.logins, data_pb2.SessionReply, work)
        except BaseException:
            self.metrics.logins.labels(kind, "failed").inc()
            raise
        outcome = "refused" if reply.HasField("refusal") else "opened"
        self.metrics.logins.labels(kind, outcome).inc()
        return reply
