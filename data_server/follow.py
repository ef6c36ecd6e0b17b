"""Who is to be told what: followers of this process, by game server.

Owner: the process. Published after the commit of what it tells; a follower that is slow or
away loses events, which is allowed: the host refuses stale sessions anyway. An event may
come from our own commit and again from the database: ids that were told are remembered.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterable

from data_server.store.sessions import EVERYWHERE, NEWS, Ended
from paiju.wire.v1 import data_pb2

QUEUE = 1024
REMEMBERED = 65_536


class Followers:
    def __init__(self, *, on_drop: Callable[[], object] = int) -> None:
        self._queues: dict[str, set[asyncio.Queue[data_pb2.FollowEvent | None]]] = {}
        self._told: OrderedDict[int, None] = OrderedDict()
        self._draining: dict[str, bool] = {}
        self._closed = False
        self._on_drop = on_drop

    def servers(self) -> set[str]:
        return set(self._queues)

    def count(self) -> int:
        return sum(len(queues) for queues in self._queues.values())

    def session_ended(self, events: Iterable[Ended]) -> None:
        for event in events:
            if event.id in self._told:
                continue
            self._told[event.id] = None
            if len(self._told) > REMEMBERED:
                self._told.popitem(last=False)
            server = None if event.server == EVERYWHERE else event.server
            self._push(server, _told(event))

    def draining(self, server: str, on: bool) -> None:
        """Tell a change; what is known already is not told again."""
        if self._draining.get(server, False) != on:
            self._draining[server] = on
            self._push(server, data_pb2.FollowEvent(drain=data_pb2.Drain(on=on)))

    def _push(self, server: str | None, event: data_pb2.FollowEvent) -> None:
        """To the followers of a server; None: to all."""
        several = self._queues.values() if server is None else [self._queues.get(server, set())]
        for queue in (queue for queues in several for queue in queues):
            try:
                queue.put_nowait(event)
            except asyncio.QueueFull:
                self._on_drop()

    async def follow(self, server: str) -> AsyncGenerator[data_pb2.FollowEvent, None]:
        """Events for a server until the caller stops or the process drains."""
        queue: asyncio.Queue[data_pb2.FollowEvent | None] = asyncio.Queue(QUEUE)
        self._queues.setdefault(server, set()).add(queue)
        try:
            if self._draining.get(server):
                yield data_pb2.FollowEvent(drain=data_pb2.Drain(on=True))
            while not self._closed:
                event = await queue.get()
                if event is None:
                    return
                yield event
        finally:
            queues = self._queues[server]
            queues.discard(queue)
            if not queues:
                del self._queues[server]

    def close(self) -> None:
        """End all streams: followers go to another data server."""
        self._closed = True
        for queues in self._queues.values():
            for queue in queues:
                if queue.full():
                    queue.get_nowait()
                queue.put_nowait(None)


def _told(event: Ended) -> data_pb2.FollowEvent:
    if event.reason == NEWS:
        return data_pb2.FollowEvent(news=data_pb2.News(player=event.player))
    body = data_pb2.SessionEnded(player=event.player, below_epoch=event.below, reason=event.reason)
    return data_pb2.FollowEvent(session_ended=body)
