"""From a shard to the stream of the host that owns it.

Owner: the gateway's loop. Commands to one shard keep their order: while the registry is being
asked they wait in one line. What is not known is asked at most every `spacing_s`; a registry
that does not answer leaves us with what we knew, for the hosts are the ones who decide.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable

import structlog

from game_server.gateway.links import Links
from game_server.gateway.shards import ShardKey, ShardMap
from game_server.gateway.stream import Sent
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2, host_pb2

Ask = Callable[[], Awaitable[data_pb2.GetShardsReply]]

_log = structlog.get_logger()
_MOVES = 3  # a command follows so many Moved before its sender has to try again
_RETRY_MS = 500


class Router:
    def __init__(
        self,
        *,
        ask: Ask,
        shards: ShardMap,
        on_lost: Callable[[Iterable[ShardKey]], None],
        spacing_s: float = 0.25,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._shards = shards
        self._on_lost = on_lost
        self._spacing_s = spacing_s
        self._clock = clock
        self._links: Links | None = None
        self._waiting: dict[ShardKey, list[Sent]] = {}
        self._doubted_hosts: set[str] = set()  # look them up before they are tried again
        self._doubted_shards: set[ShardKey] = set()
        self._asked_at = -1e9
        self._answered_at = -1e9
        self._task: asyncio.Task[None] | None = None

    def use(self, links: Links) -> None:
        self._links = links

    def send(self, sent: Sent) -> None:
        """Route the command; its waiter hears of it in any case."""
        key = sent.room, sent.shard
        line = self._waiting.get(key)
        if line is not None:
            line.append(sent)
        elif self._sure(key):
            self._forward(sent)
        else:
            self._waiting[key] = [sent]
            self.look_up()

    def _sure(self, key: ShardKey) -> bool:
        """Whether it is no use to ask the registry first."""
        shard = self._shards.shard(key)
        if shard is None or key in self._doubted_shards:
            return False
        if shard.host in self._doubted_hosts:
            return self._link().retry_after_s(shard.host) > 0
        return self._shards.host(shard.host) is not None

    def moved(self, sent: Sent, moved: host_pb2.Moved) -> None:
        """A host does not own the shard: send the command on."""
        key = sent.room, sent.shard
        if not moved.host:  # the registry, which the host has just asked, knows no owner
            self._doubted_shards.add(key)
            sent.waiter.host_failed(sent.ref, Refused("NO_SUCH_TABLE"))
            return
        sent.moves += 1
        if sent.moves > _MOVES:
            sent.waiter.host_failed(sent.ref, Refused("RETRY", retry_after_ms=_RETRY_MS))
            return
        if self._shards.correct(key, moved):
            self._on_lost([key])
        shard, host = self._shards.shard(key), self._shards.host(moved.host)
        agreed = shard is not None and shard.host == moved.host
        if not agreed or host is None or host.epoch < moved.epoch or sent.moves > 1:
            self._doubted_shards.add(key)
        self.send(sent)

    def doubt(self, host: str) -> None:
        """The stream ended: the host may be elsewhere, or in a new epoch."""
        self._doubted_hosts.add(host)

    def look_up(self) -> asyncio.Task[None]:
        """Ask the registry; one question for all who wait."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look_up(), name="shard-lookup")
        return self._task

    async def fresh(self, max_age_s: float) -> None:
        """Until the map is not older than that, or the registry has not answered."""
        if self._clock() - self._answered_at > max_age_s:
            await asyncio.shield(self.look_up())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _look_up(self) -> None:
        wait = self._asked_at + self._spacing_s - self._clock()
        if wait > 0:
            await asyncio.sleep(wait)
        self._asked_at = self._clock()
        refused: Refused | None = None
        try:
            reply = await self._ask()
        except Refused as error:
            refused = error
        except Exception:
            _log.exception("shards.lookup_failed")
            refused = Refused("INTERNAL")
        else:
            self._answered_at = self._clock()
            self._on_lost(self._shards.replace(reply.shards, reply.hosts))
        self._doubted_hosts.clear()
        self._doubted_shards.clear()
        # In one step, so that no later command overtakes one that has waited.
        waiting, self._waiting = self._waiting, {}
        for line in waiting.values():
            for sent in line:
                self._forward(sent, refused)

    def _forward(self, sent: Sent, refused: Refused | None = None) -> None:
        shard = self._shards.shard((sent.room, sent.shard))
        host = self._shards.host(shard.host) if shard is not None else None
        if shard is None or host is None:
            self._unknown(sent, refused)
        else:
            self._link().send(host, sent)

    def _unknown(self, sent: Sent, refused: Refused | None = None) -> None:
        if refused is None and self._shards.shard((sent.room, sent.shard)) is None:
            refused = Refused("NO_SUCH_TABLE")
        sent.waiter.host_failed(sent.ref, refused or Refused("RETRY", retry_after_ms=_RETRY_MS))

    def _link(self) -> Links:
        assert self._links is not None
        return self._links
