"""The map of room shards: which host owns which, and how full it is.

Owner: the gateway's loop. All of it is a cache: GetShards fills it, a host's Moved corrects
it, ShardSummary and our own joins keep the counts fresh in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from paiju.wire.v1 import common_pb2, data_pb2, host_pb2

ShardKey = tuple[str, int]

FULL_ABOVE = 0.8
"""When all shards of a room are above this, the next one is opened."""


@dataclass(slots=True)
class ShardInfo:
    room: str
    number: int
    host: str
    epoch: int
    players: int = 0
    tables: int = 0
    free_seats: int | None = None  # None: just opened, not counted yet

    @property
    def fill(self) -> float:
        if self.free_seats is None:
            return 0.0
        seats = self.players + self.free_seats
        return 1.0 if seats <= 0 else self.players / seats

    @property
    def has_room(self) -> bool:
        return self.free_seats is None or self.free_seats > 0


class ShardMap:
    def __init__(self) -> None:
        self._shards: dict[ShardKey, ShardInfo] = {}
        self._hosts: dict[str, data_pb2.HostInfo] = {}

    def shard(self, key: ShardKey) -> ShardInfo | None:
        return self._shards.get(key)

    def host(self, name: str) -> data_pb2.HostInfo | None:
        return self._hosts.get(name)

    def of_room(self, room: str) -> list[ShardInfo]:
        return [shard for shard in self._shards.values() if shard.room == room]

    def of_host(self, host: str) -> Iterator[ShardKey]:
        return (key for key, shard in self._shards.items() if shard.host == host)

    def counts(self, room: str) -> tuple[int, int]:
        """(players, tables) of a room."""
        shards = self.of_room(room)
        return sum(s.players for s in shards), sum(s.tables for s in shards)

    def replace(
        self, shards: Iterable[data_pb2.Shard], hosts: Iterable[data_pb2.HostInfo]
    ) -> list[ShardKey]:
        """The whole map as the registry has it. The shards that have another host now."""
        self._hosts = {host.host: host for host in hosts}
        found = {(s.room, s.number): s for s in shards}
        for key in self._shards.keys() - found.keys():
            del self._shards[key]
        return [key for key, shard in found.items() if self._put(shard)]

    def opened(self, reply: data_pb2.OpenShardReply) -> list[ShardKey]:
        """A shard that was opened, by us or by somebody else."""
        shard, host = reply.shard, reply.host
        self._hosts[host.host] = host
        new = (shard.room, shard.number) not in self._shards
        moved = self._put(shard)
        if new and not shard.players and not shard.free_seats:
            self._shards[shard.room, shard.number].free_seats = None
        return [(shard.room, shard.number)] if moved else []

    def _put(self, shard: data_pb2.Shard) -> bool:
        key = shard.room, shard.number
        old = self._shards.get(key)
        counted: int | None = shard.free_seats
        if not shard.players and not shard.tables and not shard.free_seats:
            counted = None if old is None else old.free_seats
        self._shards[key] = ShardInfo(
            shard.room, shard.number, shard.host, shard.epoch, shard.players, shard.tables, counted
        )
        return old is not None and old.host != shard.host

    def correct(self, key: ShardKey, moved: host_pb2.Moved) -> bool:
        """A host says who owns the shard. True when we did not know."""
        shard = self._shards.get(key)
        if shard is None or (shard.host, shard.epoch) == (moved.host, moved.epoch):
            return False
        if shard.host == moved.host and shard.epoch > moved.epoch:
            return False
        shard.host, shard.epoch = moved.host, moved.epoch
        return True

    def summary(self, host: str, counts: common_pb2.ShardSummary) -> None:
        """How full a shard is; from its owner only."""
        shard = self._shards.get((counts.room, counts.shard))
        if shard is not None and shard.host == host:
            shard.players = counts.players
            shard.tables = counts.tables
            shard.free_seats = counts.free_seats

    def joined(self, key: ShardKey) -> None:
        """We send somebody there: until the next summary the seat counts as taken."""
        shard = self._shards.get(key)
        if shard is not None and shard.free_seats:
            shard.free_seats -= 1
            shard.players += 1

    def full(self, key: ShardKey) -> None:
        """The shard answered ROOM_FULL."""
        shard = self._shards.get(key)
        if shard is not None:
            shard.free_seats = 0

    def candidates(self, room: str) -> list[ShardInfo]:
        """Shards a quick join may go to: living hosts only, the fullest with room first."""
        able = [s for s in self.of_room(room) if s.has_room and self._takes_players(s.host)]
        return sorted(able, key=lambda s: (-s.fill, s.number))

    def next_number(self, room: str) -> int:
        return max((s.number for s in self.of_room(room)), default=-1) + 1

    def wants_another(self, room: str) -> bool:
        """Whether no shard of the room is below the mark."""
        return all(s.fill > FULL_ABOVE for s in self.candidates(room))

    def _takes_players(self, host: str) -> bool:
        info = self._hosts.get(host)
        return info is not None and info.alive and not info.draining
