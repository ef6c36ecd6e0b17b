"""A table as the caller of the library holds it: look, wait, act.

Owner: the client that made it; one event loop. Looking is always at the mirror, so a handle
survives lost connections; after `TableLeft` it is dead.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from secrets import token_bytes
from typing import TYPE_CHECKING, Any

from hall_client.errors import HallError, OutcomeUnknown, TableLeft
from hall_client.mirror import TableMirror
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, hall_pb2

if TYPE_CHECKING:
    from hall_client.client import HallClient

_CONTRIBUTION_BYTES = 32
_REMEMBERED = 64


class TableHandle:
    """See the module's head. `view` has the game's keys bare and the table's with "@"."""

    def __init__(self, *, client: HallClient, mirror: TableMirror) -> None:
        self._client = client
        self._mirror = mirror
        self._waiters: set[asyncio.Future[None]] = set()
        self._ending: HallError | None = None
        self._reached: deque[tuple[int, float]] = deque(maxlen=_REMEMBERED)
        self._clocks_at = 0.0

    # ---- looking ---------------------------------------------------------------------------

    @property
    def ref(self) -> common_pb2.TableRef:
        return self._mirror.ref

    @property
    def id(self) -> int:
        return self._mirror.ref.table

    @property
    def mirror(self) -> TableMirror:
        return self._mirror

    @property
    def view(self) -> dict[str, Any]:
        return self._mirror.view

    @property
    def seat(self) -> int | None:
        """Own seat; None for a spectator."""
        return None if self._mirror.seat == protocol.SPECTATOR else self._mirror.seat

    @property
    def seq(self) -> int:
        return self._mirror.seq

    @property
    def hand(self) -> int:
        """Number of the running or last hand, 0 before the first."""
        return self._mirror.hand

    @property
    def playing(self) -> bool:
        return bool(self.view.get("@phase") == "playing")

    @property
    def seats(self) -> list[dict[str, Any] | None]:
        """Who sits where: null or {player, name, ready, stake, leaving}."""
        view = self._mirror.view
        out: list[dict[str, Any] | None] = []
        while (key := f"@seat{len(out)}") in view:
            out.append(view[key])
        return out

    @property
    def stake(self) -> int:
        """What lies on the table in front of us."""
        own = None if self.seat is None else self.view.get(f"@seat{self.seat}")
        return int(own["stake"]) if own else 0

    @property
    def turns(self) -> frozenset[int]:
        """The seats on the clock."""
        return frozenset(clock.seat for clock in self._mirror.clocks)

    @property
    def my_turn(self) -> bool:
        return self.playing and self.seat in self.turns

    def seconds_left(self, seat: int) -> float:
        """Of that seat's turn, reserve included, by our clock since the last update."""
        passed = asyncio.get_running_loop().time() - self._clocks_at
        for clock in self._mirror.clocks:
            if clock.seat == seat:
                return max(0.0, (clock.remaining_ms + clock.reserve_ms) / 1000 - passed)
        return 0.0

    # ---- waiting ---------------------------------------------------------------------------

    async def wait(
        self,
        predicate: Callable[[dict[str, Any]], object],
        *,
        timeout_s: float | None = None,
    ) -> dict[str, Any]:
        """The first view (a snapshot must have come) for which `predicate` is true.

        Raises TimeoutError, TableLeft, or what ended the session.
        """
        async with asyncio.timeout(timeout_s):
            while True:
                if self._ending is not None:
                    raise self._ending
                if self._mirror.known and predicate(view := self._mirror.view):
                    return view
                await self.change()

    async def change(self) -> None:
        """Until something about the table has changed: view, clocks, presence, its end."""
        if self._ending is not None:
            raise self._ending
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            await waiter
        finally:
            self._waiters.discard(waiter)

    async def reached(self, seq: int, *, timeout_s: float = 30.0) -> float:
        """The loop time at which the mirror stood at `seq` or beyond."""
        try:
            await self.wait(lambda _: self.seq >= seq, timeout_s=timeout_s)
        except TimeoutError:
            raise OutcomeUnknown(f"number {seq} did not come") from None
        return next((at for q, at in self._reached if q >= seq), self._clocks_at)

    # ---- acting ----------------------------------------------------------------------------

    async def ready(self, contribution: bytes | None = None) -> None:
        """Want the next hand. contribution: our part of the shuffle, random by default."""
        part = token_bytes(_CONTRIBUTION_BYTES) if contribution is None else contribution
        await self._call(ready=hall_pb2.Ready(table=self.ref, contribution=part))

    async def not_ready(self) -> None:
        """Take an earlier `ready` back."""
        await self._call(ready=hall_pb2.Ready(table=self.ref, not_ready=True))

    async def act(
        self, action: str, *, decided_on: int | None = None, hand: int | None = None
    ) -> hall_pb2.Acted:
        """Play a line of the rules, decided on the present view unless said otherwise."""
        act = hall_pb2.Act(
            table=self.ref,
            action=action,
            hand=self.hand if hand is None else hand,
            decided_on=self.seq if decided_on is None else decided_on,
        )
        return (await self._call(act=act)).acted

    async def stand(self, *, abandon: bool = False) -> None:
        """Leave; in mid-hand only with `abandon`, and then it is an escape."""
        await self._call(stand=hall_pb2.Stand(table=self.ref, abandon=abandon))

    async def top_up(self, amount: int) -> None:
        await self._call(top_up=hall_pb2.TopUp(table=self.ref, amount=amount))

    async def chat(self, text: str) -> None:
        await self._call(chat=hall_pb2.Chat(table=self.ref, text=text))

    async def unwatch(self) -> None:
        await self._call(unwatch=hall_pb2.Unwatch(table=self.ref))

    async def resync(self) -> None:
        """Ask for a snapshot."""
        await self._call(resync=hall_pb2.Resync(table=self.ref, check=self._mirror.check))

    async def _call(self, **body: Any) -> hall_pb2.Answer:
        if self._ending is not None:
            raise self._ending
        return await self._client.call(hall_pb2.Command(**body))

    # ---- from the client -------------------------------------------------------------------

    def changed(self, now: float, *, numbered: bool) -> None:
        """The mirror has changed."""
        self._clocks_at = now
        if numbered:
            self._reached.append((self._mirror.seq, now))
        waiters, self._waiters = self._waiters, set()
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    def closed(self, reason: HallError | str) -> None:
        """The table is no longer followed."""
        if self._ending is None:
            self._ending = TableLeft(reason) if isinstance(reason, str) else reason
            self.changed(self._clocks_at, numbered=False)
