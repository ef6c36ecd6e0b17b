"""The cashier: a table's calls to the ledger, each repeated until its outcome is known.

A call without answer may have been carried out, so it is never given up: the seat stays
held and the same operation id is asked again, with growing pauses. Ids of these calls are
derived from the player's own operation, so a repeat from there asks for the same thing.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

import structlog

from game_server.tables.room import RoomSpec
from paiju.service import ids
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2

log = structlog.get_logger()

FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 5.0
PATIENCE_S = 4.0

_jitter = secrets.SystemRandom()
_UNKNOWN = frozenset({"RETRY", "BUSY", "OUTCOME_UNKNOWN"})

Reply = TypeVar("Reply", data_pb2.SitDownReply, data_pb2.TopUpReply, data_pb2.StandUpReply)


class Ledger(Protocol):
    """The calls as the data-server client offers them; Refused(RETRY | BUSY): no answer."""

    async def sit_down(self, request: data_pb2.SitDownRequest) -> data_pb2.SitDownReply: ...

    async def top_up(self, request: data_pb2.TopUpRequest) -> data_pb2.TopUpReply: ...

    async def stand_up(self, request: data_pb2.StandUpRequest) -> data_pb2.StandUpReply: ...


class Cashier:
    """patience_s: after this the player is told RETRY while the call goes on."""

    def __init__(
        self, *, ledger: Ledger, host: str, epoch: int, patience_s: float = PATIENCE_S
    ) -> None:
        self.patience_s = patience_s
        self._ledger = ledger
        self._owner = data_pb2.HostEpoch(host=host, epoch=epoch)

    async def sit_down(
        self,
        *,
        op: bytes,
        player: int,
        session_epoch: int,
        table: common_pb2.TableRef,
        seat: int,
        room: RoomSpec,
        amount: int,
    ) -> data_pb2.SitDownReply:
        """Wallet -> escrow of a new sitting. Refused: NOT_ENOUGH, MAY_NOT_PLAY, ..."""
        request = data_pb2.SitDownRequest(
            # One operation, one seat, whichever host and table it was tried at.
            op=ids.derived_op(op, "sit"),
            host=self._owner,
            player=player,
            table=table,
            seat=seat,
            currency=common_pb2.COIN if room.plays_for_coins else common_pb2.SCORE,
            amount=amount,
            rule_set=room.game,
            session_epoch=session_epoch,
        )
        try:
            return await _until_known("sit_down", lambda: self._ledger.sit_down(request))
        except Refused as refused:
            if refused.code == "OP_REUSED":  # it has got a seat already, somewhere else
                raise Refused("ALREADY_SEATED") from None
            raise

    async def top_up(self, *, op: bytes, sitting: int, amount: int) -> data_pb2.TopUpReply:
        """Wallet -> escrow of that sitting. Refused: NOT_ENOUGH, NO_SUCH_SITTING."""
        request = data_pb2.TopUpRequest(
            op=ids.derived_op(op, f"top_up:{sitting}"),
            host=self._owner,
            sitting=sitting,
            amount=amount,
        )
        return await _until_known("top_up", lambda: self._ledger.top_up(request))

    async def stand_up(self, *, sitting: int) -> None:
        """Escrow -> wallet. A sitting that is closed already counts as done."""
        request = data_pb2.StandUpRequest(op=ids.new_op(), host=self._owner, sitting=sitting)
        try:
            await _until_known("stand_up", lambda: self._ledger.stand_up(request))
        except Refused as refused:
            if refused.code != "NO_SUCH_SITTING":
                raise


async def _until_known(name: str, call: Callable[[], Awaitable[Reply]]) -> Reply:
    pause_s = FIRST_PAUSE_S
    while True:
        try:
            reply = await call()
        except Refused as refused:
            if refused.code not in _UNKNOWN:
                raise
            log.warning("ledger.retry", call=name, code=refused.code, pause_s=pause_s)
            await asyncio.sleep(
                max(refused.retry_after_ms / 1000, pause_s * _jitter.uniform(0.5, 1.0))
            )
            pause_s = min(LONGEST_PAUSE_S, pause_s * 2)
            continue
        except Exception:  # whatever it was: whether the call took effect is not known
            log.exception("ledger.fault", call=name, pause_s=pause_s)
            await asyncio.sleep(pause_s * _jitter.uniform(0.5, 1.0))
            pause_s = min(LONGEST_PAUSE_S, pause_s * 2)
            continue
        if reply.HasField("refusal"):
            raise Refused.of(reply.refusal)
        return reply
