"""Which host owns which room shard: what GetShards and OpenShard do.

The rows are the database's, and their unique key decides between two calls at once. Whether
an owner is gone is the registry's opinion (its leases); a shard moves only when the owner's
lease is over. It begins at its new owner without tables: stakes of the old ones lie in escrow
until a successor settles or `escrow_release_s` is over.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from data_server.placing import Candidate, choose
from data_server.registry import Registry
from data_server.store import nodes, shards, sittings
from data_server.store.database import Database
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2


@dataclass(frozen=True, kw_only=True)
class ShardMap:
    database: Database
    registry: Registry

    async def get_shards(self, request: data_pb2.GetShardsRequest) -> data_pb2.GetShardsReply:
        def look(tx: Connection) -> tuple[list[Any], list[Any]]:
            return list(shards.of_room(tx, request.room)), list(nodes.all_hosts(tx))

        rows, hosts = await self.database.read(look)
        gone = [row for row in rows if self.registry.is_over(row.host)]
        gone = [row for row in gone if not await self._may_play(row.host)]
        if gone and any(self.registry.is_alive(host) for host in hosts):
            for row in gone:
                await self._place(row.room, row.number, row.game, "")
            rows, hosts = await self.database.read(look)
        named = {row.host for row in rows}
        return data_pb2.GetShardsReply(
            shards=[shards.message(row) for row in rows],
            hosts=[self.registry.host_info(row) for row in hosts if row.host in named],
        )

    async def open_shard(self, request: data_pb2.OpenShardRequest) -> data_pb2.OpenShardReply:
        if not request.room or not request.game:
            raise Refused("MALFORMED", detail="room or game is missing")
        placed = await self._place(
            request.room, request.number, request.game, request.prefer_server
        )
        if placed is None:
            raise Refused("NO_HOST", retry_after_ms=1000)
        shard, host = placed
        return data_pb2.OpenShardReply(shard=shard, host=host)

    def _is_free(self, tx: Connection, host: str) -> bool:
        """Its lease is over and nobody sits at its tables.

        A silent host gets no new tables, but as long as stakes lie at its tables it may be
        playing: its shards stay where they are (a room's next shard is opened elsewhere) until
        it settles, stands its players up, or the escrow is released.
        """
        return self.registry.is_over(host) and not sittings.any_open(tx, host)

    async def _may_play(self, host: str) -> bool:
        return await self.database.read(lambda tx: sittings.any_open(tx, host))

    async def _place(
        self, room: str, number: int, game: str, prefer: str
    ) -> tuple[data_pb2.Shard, data_pb2.HostInfo] | None:
        """Who owns the shard: who does already, unless its lease is over, or a new owner."""

        def work(
            tx: Connection,
        ) -> tuple[data_pb2.Shard, data_pb2.HostInfo] | None:
            shard = shards.one(tx, room, number)
            hosts = nodes.all_hosts(tx)
            if shard is None or self._is_free(tx, shard.host):
                chosen = choose(
                    self._candidates(hosts, game, shards.count_by_host(tx)),
                    prefer_server=prefer,
                )
                if chosen is None:
                    return None
                epoch = next(row.epoch for row in hosts if row.host == chosen.host)
                if shard is None:
                    shards.create(
                        tx, room=room, number=number, game=game, host=chosen.host, epoch=epoch
                    )
                else:
                    shards.move(tx, room=room, number=number, host=chosen.host, epoch=epoch)
                shard = shards.one(tx, room, number)
                assert shard is not None
            owner = next(row for row in hosts if row.host == shard.host)
            return shards.message(shard), self.registry.host_info(owner)

        return await self.database.write(work)

    def _candidates(self, hosts: Any, game: str, counts: dict[str, int]) -> list[Candidate]:
        return [
            Candidate(
                host=row.host,
                server=row.server,
                max_tables=row.max_tables,
                tables=row.tables,
                shards=counts.get(row.host, 0),
            )
            for row in hosts
            if self.registry.is_alive(row)
            and row.server not in self.registry.draining
            and game in json.loads(row.games)
        ]
