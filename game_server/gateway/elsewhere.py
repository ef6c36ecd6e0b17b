"""Where a player may go whom this gateway cannot take: a hint in the refusal.

Nobody is asked while there is room. When it gets tight the data server is asked, at most once in
some seconds and never while a player waits: a hint that has not come yet is not given. It is
only a hint: who follows it proves the server's key there as everywhere.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

ASK_EVERY_S = 5.0
FORGET_S = 30.0
"""An answer so old says nothing any more."""
TIGHT = 0.9
"""Of the quota: from then on it is good to know."""


class Elsewhere:
    """ask: the data server. spawn: runs work beside. Owner: the gateway's loop."""

    def __init__(
        self,
        ask: Callable[[data_pb2.ElsewhereRequest], Awaitable[data_pb2.ElsewhereReply]],
        *,
        spawn: Callable[[Coroutine[Any, Any, None], str], None],
        server: str,
    ) -> None:
        self._ask = ask
        self._spawn = spawn
        self._server = server
        self._addresses: Sequence[str] = ()
        self._web: Sequence[str] = ()
        self._ask_after = 0.0
        self._known_at = 0.0
        self._turn = 0

    def prepare(self, now: float) -> None:
        """Ask, unless that was done just now."""
        if now >= self._ask_after:
            self._ask_after = now + ASK_EVERY_S
            self._spawn(self._look(now), "elsewhere")

    def refused(self, code: str, now: float, *, retry_after_ms: int, edge: str = "") -> Refused:
        """The refusal, with a place to go if one is known; several are named in turn.

        edge: "ws" or "wss" for a browser, which gets an address of that kind; "": a program.
        """
        self.prepare(now)
        known = self._addresses
        if edge:
            known = [address for address in self._web if address.startswith(f"{edge}://")]
        if not known or now > self._known_at + FORGET_S:
            return Refused(code, retry_after_ms=retry_after_ms)
        self._turn += 1
        address = known[self._turn % len(known)]
        return Refused(code, retry_after_ms=retry_after_ms, elsewhere=address)

    async def _look(self, now: float) -> None:
        try:
            reply = await self._ask(data_pb2.ElsewhereRequest(server=self._server))
        except Refused:
            return  # asked again with the next player
        self._addresses, self._web = tuple(reply.addresses), tuple(reply.web_addresses)
        self._known_at = now
