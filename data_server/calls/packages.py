"""Servicers of `Packages` and `PackageAdmin`. What each RPC is stands in packages.proto."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import grpc

from data_server.calls.admin import WHO
from data_server.calls.guard import answered, stop
from data_server.calls.lanes import Lanes
from data_server.errors import NotDone
from data_server.services import Services
from paiju.wire.v1 import packages_pb2 as pb
from paiju.wire.v1 import packages_pb2_grpc

Context = grpc.aio.ServicerContext[Any, Any]

CHUNK = 32 * 1024


@dataclass(frozen=True)
class PackagesCalls(packages_pb2_grpc.PackagesServicer):
    services: Services
    lanes: Lanes

    async def FetchFile(
        self, request: pb.FetchFileRequest, context: Context
    ) -> AsyncIterator[pb.FileChunk]:
        try:
            data = await self.lanes.reads.run(lambda: self.services.depot.file(request.path))
        except NotDone as error:
            await stop(context, error)
        if data is None:
            await context.abort(grpc.StatusCode.NOT_FOUND, "there is no such file")
        for start in range(request.offset, max(len(data), request.offset + 1), CHUNK):
            yield pb.FileChunk(data=data[start : start + CHUNK], total=len(data))

    async def GetPlans(self, request: pb.GetPlansRequest, context: Context) -> pb.GetPlansReply:
        return await answered(
            context, self.lanes.reads, pb.GetPlansReply, lambda: self.services.plans.get(request)
        )

    async def FollowChanges(
        self, request: pb.FollowChangesRequest, context: Context
    ) -> AsyncIterator[pb.PackagesChanged]:
        async with aclosing(self.services.changes.follow()) as numbers:
            async for number in numbers:
                yield pb.PackagesChanged(change=number)

    async def ReportGames(
        self, request: pb.ReportGamesRequest, context: Context
    ) -> pb.ReportGamesReply:
        return await answered(
            context,
            self.lanes.cluster,
            pb.ReportGamesReply,
            lambda: self.services.plans.report(request),
        )


@dataclass(frozen=True)
class PackageAdminCalls(packages_pb2_grpc.PackageAdminServicer):
    services: Services
    lanes: Lanes

    async def ListPackages(
        self, request: pb.ListPackagesRequest, context: Context
    ) -> pb.ListPackagesReply:
        return await answered(
            context, self.lanes.reads, pb.ListPackagesReply, self.services.plans.list
        )

    async def GetDraft(self, request: pb.GetDraftRequest, context: Context) -> pb.GetDraftReply:
        return await answered(
            context, self.lanes.reads, pb.GetDraftReply, lambda: self.services.depot.draft(request)
        )

    async def PublishPackages(
        self, request: pb.PublishPackagesRequest, context: Context
    ) -> pb.PackageChangeReply:
        return await answered(
            context,
            self.lanes.cluster,
            pb.PackageChangeReply,
            lambda: self.services.depot.publish(request, who=WHO),
        )

    async def SetAuthors(
        self, request: pb.SetAuthorsRequest, context: Context
    ) -> pb.PackageChangeReply:
        return await answered(
            context,
            self.lanes.cluster,
            pb.PackageChangeReply,
            lambda: self.services.depot.set_authors(request, who=WHO),
        )

    async def SetPlan(self, request: pb.SetPlanRequest, context: Context) -> pb.PackageChangeReply:
        return await answered(
            context,
            self.lanes.cluster,
            pb.PackageChangeReply,
            lambda: self.services.plans.set(request, who=WHO),
        )

    async def YankVersion(
        self, request: pb.YankVersionRequest, context: Context
    ) -> pb.PackageChangeReply:
        return await answered(
            context,
            self.lanes.cluster,
            pb.PackageChangeReply,
            lambda: self.services.plans.yank(request, who=WHO),
        )

    async def GetRoot(self, request: pb.GetRootRequest, context: Context) -> pb.GetRootReply:
        return await answered(context, self.lanes.reads, pb.GetRootReply, self.services.depot.root)

    async def SetRoot(self, request: pb.SetRootRequest, context: Context) -> pb.PackageChangeReply:
        return await answered(
            context,
            self.lanes.cluster,
            pb.PackageChangeReply,
            lambda: self.services.depot.set_root(request, who=WHO),
        )

    async def ListRooms(self, request: pb.ListRoomsRequest, context: Context) -> pb.ListRoomsReply:
        return await answered(
            context, self.lanes.reads, pb.ListRoomsReply, lambda: self.services.rooms.list(request)
        )

    async def SetRoom(self, request: pb.SetRoomRequest, context: Context) -> pb.SetRoomReply:
        return await answered(
            context,
            self.lanes.cluster,
            pb.SetRoomReply,
            lambda: self.services.rooms.set(request, who=WHO),
        )
