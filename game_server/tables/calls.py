"""A host's calls to the data server, by name. Errors as DataClient has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from game_server.data_client import DataClient
from game_server.tables.contact import Contact
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2


class HostCalls:
    """Typed calls over the data client; each may be repeated. contact: told of every answer.

    on_outdated: called when a newer epoch of this host has begun. Whoever began it - another
    process, or an attempt of our own to register that arrived late - nothing that we ask for
    is done any more.
    """

    def __init__(
        self, client: DataClient, contact: Contact, *, on_outdated: Callable[[], None]
    ) -> None:
        self._client = client
        self._contact = contact
        self._on_outdated = on_outdated

    async def _call(self, rpc: str, request: Message) -> Any:
        sent = self._contact.sent()
        try:
            reply = await self._client.call(rpc, request)
        except Refused as refused:
            if refused.code == "STALE_EPOCH":
                self._on_outdated()
            raise
        self._contact.answered(sent)
        return reply

    async def register_host(
        self, request: data_pb2.RegisterHostRequest
    ) -> data_pb2.RegisterHostReply:
        reply: data_pb2.RegisterHostReply = await self._call("RegisterHost", request)
        return reply

    async def get_shards(self, room: str) -> data_pb2.GetShardsReply:
        request = data_pb2.GetShardsRequest(room=room)
        reply: data_pb2.GetShardsReply = await self._call("GetShards", request)
        return reply

    async def list_hosts(self, request: data_pb2.ListHostsRequest) -> data_pb2.ListHostsReply:
        reply: data_pb2.ListHostsReply = await self._call("ListHosts", request)
        return reply

    async def allocate_ids(self, request: data_pb2.AllocateIdsRequest) -> data_pb2.AllocateIdsReply:
        reply: data_pb2.AllocateIdsReply = await self._call("AllocateIds", request)
        return reply

    async def sit_down(self, request: data_pb2.SitDownRequest) -> data_pb2.SitDownReply:
        reply: data_pb2.SitDownReply = await self._call("SitDown", request)
        return reply

    async def top_up(self, request: data_pb2.TopUpRequest) -> data_pb2.TopUpReply:
        reply: data_pb2.TopUpReply = await self._call("TopUp", request)
        return reply

    async def stand_up(self, request: data_pb2.StandUpRequest) -> data_pb2.StandUpReply:
        reply: data_pb2.StandUpReply = await self._call("StandUp", request)
        return reply

    async def settle(self, request: data_pb2.SettleRequest) -> data_pb2.SettleReply:
        reply: data_pb2.SettleReply = await self._call("Settle", request)
        return reply

    async def close(self) -> None:
        await self._client.close()
