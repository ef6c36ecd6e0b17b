"""What a gateway notices about a player's session, told to the data server.

The policy there decides (docs/contracts/anti-cheat.md). Telling is best effort: nobody waits
for it, at most `AT_ONCE` calls are on their way, and more than that are only counted.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog

from game_server.gateway.player import Player
from paiju.service.ids import new_op
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

AT_ONCE = 32
_FLOODS = frozenset({"flood", "too_many_frames"})
_FORGED = frozenset({"garbage", "oversize", "no_id", "too_many_commands"})
"""Found inside a seal that opened: the player's own doing, and nobody else's."""
_OUTSIDE = frozenset({"not_binary"})
"""Found outside of it: whoever is on the way can send that."""
_log = structlog.get_logger()


def kind_of(reason: str) -> str:
    """The signal for an end of a connection; empty: it means nothing."""
    if reason.startswith("seal_") or reason in _OUTSIDE:
        return "bad_seal"
    if reason in _FORGED:
        return "forged_frame"
    return "flood" if reason in _FLOODS else ""


class Signals:
    """call: the data server's `Signal`. spawn: runs work that nobody waits for."""

    def __init__(
        self,
        call: Callable[[data_pb2.SignalRequest], Awaitable[object]],
        *,
        spawn: Callable[[Coroutine[Any, Any, None], str], None],
        server: str,
        gateway: str,
    ) -> None:
        self._call = call
        self._spawn = spawn
        self._server = server
        self._gateway = gateway
        self._under_way = 0
        self.dropped = 0

    def ended(self, player: Player, reason: str) -> None:
        """The player's connection is over; `reason` as it is counted."""
        kind = kind_of(reason)
        if not kind:
            return
        if self._under_way >= AT_ONCE:
            self.dropped += 1
            return
        request = data_pb2.SignalRequest(
            op=new_op(),
            source=data_pb2.SIGNAL_GATEWAY,
            player=player.id,
            session_epoch=player.epoch,
            kind=kind,
            detail=reason,
            server=self._server,
            gateway=self._gateway,
        )
        self._under_way += 1
        self._spawn(self._tell(request), "signal")

    async def _tell(self, request: data_pb2.SignalRequest) -> None:
        try:
            await self._call(request)
        except Refused as refused:
            # TOO_FAST: enough of that kind is known. Anything else is the data server's state.
            _log.info("signal.refused", kind=request.kind, code=refused.code)
        finally:
            self._under_way -= 1
