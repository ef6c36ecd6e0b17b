"""Follows the data server: sessions it ends, and the operator's wish to drain.

Events may be lost while no stream stands: hosts refuse stale sessions anyway, and with each
new stream the data server hears again who is here, for it may have forgotten.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable

import structlog

from game_server.data_client import DataClient
from game_server.gateway.connection import Connection
from game_server.gateway.players import Players
from game_server.gateway.presence import Presence
from paiju.wire.v1 import data_pb2

WISH_S = 5.0
RETRY_S = (0.2, 5.0)
_random = secrets.SystemRandom()
_log = structlog.get_logger()


class Follower:
    def __init__(
        self,
        *,
        data: DataClient,
        server: str,
        players: Players[Connection],
        presence: Presence,
        on_drain: Callable[[bool], None],
        on_news: Callable[[int], None],
    ) -> None:
        """on_news: called with a player to whom there is something to tell."""
        self._data = data
        self._server = server
        self._players = players
        self._presence = presence
        self._on_drain = on_drain
        self._on_news = on_news

    async def run(self) -> None:
        """For ever, with back-off between streams."""
        wait_s = RETRY_S[0]
        while True:
            begun = time.monotonic()
            for connection in self._players:
                player = connection.session.player
                if player is not None:
                    self._presence.changed(player.id, player.epoch, online=True)
            try:
                await self._follow()
            except Exception:
                _log.exception("follow.fault")
            wait_s = RETRY_S[0] if time.monotonic() - begun > 5 else min(RETRY_S[1], wait_s * 2)
            await asyncio.sleep(_random.uniform(0.5, 1.0) * wait_s)

    async def _follow(self) -> None:
        over: asyncio.TimerHandle | None = None

        def stands() -> None:
            # Only "on" is told to a new follower: without it for a while the wish is over. A
            # stream that does not stand yet says nothing about the wish.
            nonlocal over
            over = asyncio.get_running_loop().call_later(WISH_S, self._on_drain, False)

        try:
            following = self._data.follow(self._server, stands)
            async with contextlib.aclosing(following) as events:
                async for event in events:
                    if event.HasField("session_ended"):
                        self._ended(event.session_ended)
                    elif event.HasField("news"):
                        self._on_news(event.news.player)
                    elif event.HasField("drain"):
                        if over is not None:
                            over.cancel()
                        self._on_drain(event.drain.on)
        finally:
            if over is not None:
                over.cancel()

    def _ended(self, ended: data_pb2.SessionEnded) -> None:
        connection = self._players.end_below(ended.player, ended.below_epoch)
        if connection is not None:
            reason, now = ended.reason or "REPLACED", time.monotonic()
            connection.run(connection.session.ended(ended.below_epoch, reason, now))
