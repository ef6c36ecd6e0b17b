"""Servicer of `Cluster`. What each RPC is stands in data.proto."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import grpc

from data_server.calls.guard import answered
from data_server.calls.lanes import Lanes
from data_server.services import Services
from paiju.wire.v1 import data_pb2, data_pb2_grpc

Context = grpc.aio.ServicerContext[Any, Any]

MAX_IDS = 1_000_000


@dataclass(frozen=True)
class ClusterCalls(data_pb2_grpc.ClusterServicer):
    services: Services
    lanes: Lanes

    async def RegisterServer(
        self, request: data_pb2.RegisterServerRequest, context: Context
    ) -> data_pb2.RegisterServerReply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.RegisterServerReply,
            lambda: self.services.registry.register_server(request),
        )

    async def Heartbeat(
        self, request: data_pb2.HeartbeatRequest, context: Context
    ) -> data_pb2.HeartbeatReply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.HeartbeatReply,
            lambda: self.services.registry.heartbeat(request),
        )

    async def ClaimHost(
        self, request: data_pb2.ClaimHostRequest, context: Context
    ) -> data_pb2.Reply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.Reply,
            lambda: self.services.registry.claim_host(request),
        )

    async def RegisterHost(
        self, request: data_pb2.RegisterHostRequest, context: Context
    ) -> data_pb2.RegisterHostReply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.RegisterHostReply,
            lambda: self.services.registry.register_host(request),
        )

    async def ListHosts(
        self, request: data_pb2.ListHostsRequest, context: Context
    ) -> data_pb2.ListHostsReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.ListHostsReply,
            lambda: self.services.registry.list_hosts(request),
        )

    async def GetShards(
        self, request: data_pb2.GetShardsRequest, context: Context
    ) -> data_pb2.GetShardsReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.GetShardsReply,
            lambda: self.services.shards.get_shards(request),
        )

    async def Elsewhere(
        self, request: data_pb2.ElsewhereRequest, context: Context
    ) -> data_pb2.ElsewhereReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.ElsewhereReply,
            lambda: self.services.registry.elsewhere(request),
        )

    async def OpenShard(
        self, request: data_pb2.OpenShardRequest, context: Context
    ) -> data_pb2.OpenShardReply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.OpenShardReply,
            lambda: self.services.shards.open_shard(request),
        )

    async def AllocateIds(
        self, request: data_pb2.AllocateIdsRequest, context: Context
    ) -> data_pb2.AllocateIdsReply:
        if not 1 <= request.count <= MAX_IDS:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"count must be 1 to {MAX_IDS}")

        async def work() -> data_pb2.AllocateIdsReply:
            first = await self.services.ids.allocate(request.count)
            return data_pb2.AllocateIdsReply(first=first, count=request.count)

        return await answered(context, self.lanes.cluster, data_pb2.AllocateIdsReply, work)

    async def Presence(self, request: data_pb2.PresenceRequest, context: Context) -> data_pb2.Reply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.Reply,
            lambda: self.services.whereabouts.presence(request),
        )

    async def FindPlayer(
        self, request: data_pb2.FindPlayerRequest, context: Context
    ) -> data_pb2.FindPlayerReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.FindPlayerReply,
            lambda: self.services.whereabouts.find_player(request),
        )

    async def Report(self, request: data_pb2.ReportRequest, context: Context) -> data_pb2.Reply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.Reply,
            lambda: self.services.conduct.report(request),
        )

    async def Signal(
        self, request: data_pb2.SignalRequest, context: Context
    ) -> data_pb2.SignalReply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.SignalReply,
            lambda: self.services.conduct.signal(request),
        )

    async def UnheardPenalties(
        self, request: data_pb2.UnheardPenaltiesRequest, context: Context
    ) -> data_pb2.UnheardPenaltiesReply:
        return await answered(
            context,
            self.lanes.reads,
            data_pb2.UnheardPenaltiesReply,
            lambda: self.services.conduct.unheard(request),
        )

    async def PenaltyHeard(
        self, request: data_pb2.PenaltyHeardRequest, context: Context
    ) -> data_pb2.Reply:
        return await answered(
            context,
            self.lanes.cluster,
            data_pb2.Reply,
            lambda: self.services.conduct.heard(request),
        )

    async def Follow(
        self, request: data_pb2.FollowRequest, context: Context
    ) -> AsyncIterator[data_pb2.FollowEvent]:
        await context.send_initial_metadata(())  # the follower counts from here
        async with aclosing(self.services.followers.follow(request.server)) as events:
            async for event in events:
                yield event
