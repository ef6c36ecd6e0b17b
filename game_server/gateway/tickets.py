"""Tickets, verified here: PASETO v4.public, signed by a data server.

A resume with a ticket that has not run out needs no data server, once its key is known. Keys
are fetched when a ticket names an unknown one, at most every `refresh_s`, so that made-up key
ids cannot make this gateway call.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pyseto

from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

FetchKeys = Callable[[], Awaitable[data_pb2.TicketKeysReply]]


@dataclass(frozen=True, slots=True)
class Claims:
    player: int
    name: str
    guest: bool
    epoch: int
    expires_us: int


class Tickets:
    """Owned by the gateway; the keys are a cache."""

    def __init__(
        self,
        fetch: FetchKeys,
        *,
        wall_us: Callable[[], int],
        refresh_s: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetch = fetch
        self._wall_us = wall_us
        self._refresh_s = refresh_s
        self._clock = clock
        self._keys: dict[str, tuple[Any, int]] = {}
        self._fetched_at: float | None = None
        self._lock = asyncio.Lock()

    async def verify(self, ticket: str) -> Claims:
        """The claims of a genuine ticket, run out or not: compare `expires_us`.

        Raises Refused: BAD_TICKET, or what fetching the keys was refused with.
        """
        kid = _kid(ticket)
        key, not_after_us = await self._key(kid)
        if not_after_us and not_after_us < self._wall_us():
            raise Refused("BAD_TICKET")
        try:
            payload = _json(pyseto.decode(key, ticket).payload)
            return Claims(
                player=int(payload["player"]),
                name=str(payload["name"]),
                guest=bool(payload["guest"]),
                epoch=int(payload["session_epoch"]),
                expires_us=int(payload["expires_us"]),
            )
        except (pyseto.PysetoError, ValueError, KeyError, TypeError):
            raise Refused("BAD_TICKET") from None

    async def _key(self, kid: str) -> tuple[Any, int]:
        if kid not in self._keys:
            async with self._lock:  # one fetch for all who wait for it
                if kid not in self._keys:
                    await self._refresh()
        try:
            return self._keys[kid]
        except KeyError:
            raise Refused("BAD_TICKET") from None

    async def _refresh(self) -> None:
        now = self._clock()
        if self._fetched_at is not None and now - self._fetched_at < self._refresh_s:
            return
        reply = await self._fetch()
        self._fetched_at = now
        self._keys = {
            key.id: (pyseto.Key.from_asymmetric_key_params(4, x=key.public_key), key.not_after_us)
            for key in reply.keys
        }


def _kid(ticket: str) -> str:
    """The key id in the footer. Nothing is verified yet."""
    try:
        token = pyseto.Token.new(ticket)
        if token.version != "v4" or token.purpose != "public":
            raise Refused("BAD_TICKET")
        return str(_json(token.footer)["kid"])
    except (pyseto.PysetoError, ValueError, KeyError, TypeError, RecursionError):
        raise Refused("BAD_TICKET") from None


def _json(data: Any) -> Any:
    return json.loads(data) if isinstance(data, (bytes, str)) else data
