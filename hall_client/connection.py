"""The network under a core: one sealed link at a time, and the way back when it is lost.

Owner: one HallClient. `run` is the only task that reads, `_write` the only one that writes;
between them they call the core, which has no task of its own. A frame of the gateway that
does not open ends the link: the next one begins with a new handshake.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Sequence

from hall_client.backoff import Backoff
from hall_client.channels import ChannelPool
from hall_client.core import Core
from hall_client.happenings import Hangup, Happening
from hall_client.link import Link, LinkLost
from hall_client.links import Pins, is_address, make_link, may_go
from hall_client.state import Phase
from paiju.wire.records import BrokenSeal
from paiju.wire.sealed import ClientChannel

GREET_S = 5.0
"""From opening a link to an open session (or, without one, to the Welcome)."""
LASTING_S = 1.0
"""A connection that held for so long was a good one: the next pause is short again."""
MOST_ADDRESSES = 16
"""Those given and those that full gateways have named."""
SILENCE_FACTOR = 2.5
"""A gateway that has not even answered pings for so many intervals is gone."""


class Connector:
    """`report` takes what the core says; it must not wait."""

    def __init__(
        self,
        *,
        core: Core,
        addresses: Sequence[str],
        pool: ChannelPool,
        pins: Pins,
        report: Callable[[Sequence[Happening]], None],
        backoff: Backoff,
        first: int = 0,
    ) -> None:
        self.core = core
        self.address = ""
        self.last_reason = ""
        """Why the link before this one ended: a refusal's code, or words."""
        self.connections = 0
        self.broken_seals = 0
        """Frames of gateways that did not open, failed handshakes included."""
        self._addresses = list(addresses)
        self._pool = pool
        self._pins = pins
        self._report = report
        self._backoff = backoff
        self._turn = first
        self._wake = asyncio.Event()
        self._link: Link | None = None
        self._reason = ""
        self._away_s: float | None = None
        self._heard = 0.0
        self._pinged = 0.0

    def wake(self) -> None:
        """There is something to send."""
        self._wake.set()

    def drop(self, reason: str, *, away_s: float | None = None) -> None:
        """Cut the link; `run` goes to the next address, after `away_s` or a back-off."""
        self._reason = reason
        self._away_s = away_s
        if self._link is not None:
            self._link.cut()

    async def run(self) -> None:
        """Until the session has ended: connect, serve, connect again."""
        while self.core.ending is None:
            self.address = self._addresses[self._turn % len(self._addresses)]
            self._turn += 1
            self._reason, self._away_s = "", None
            await self._once()
            if self.core.ending is None:
                away_s = self._away_s
                await self._pause(self._backoff.next_s() if away_s is None else away_s)

    async def _pause(self, seconds: float) -> None:
        """Wait before the next attempt; commands whose time runs out meanwhile are told."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while (now := loop.time()) < until:
            self._tick(now)
            if self.core.ending is not None:
                return
            self._wake.clear()
            wait = min(until, max(now + 0.01, self.core.next_due())) - now
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), wait)

    async def _once(self) -> None:
        loop = asyncio.get_running_loop()
        link = self._link = make_link(self.address, self._pool)
        channel = self._pins.channel(self.address)
        self.connections += 1
        begun = self._heard = self._pinged = loop.time()
        self.core.connected(begun)
        writer: asyncio.Task[None] | None = None
        reason = "closed by the gateway"
        try:
            await link.open()
            writer = asyncio.create_task(self._write(link, channel, begun))
            await self._read(link, channel)
        except (LinkLost, ValueError) as error:
            reason = str(error)
        except BrokenSeal as broken:
            self.broken_seals += 1
            reason = f"a frame of the gateway does not open: {broken.reason}"
        except asyncio.CancelledError:
            reason = self.last_reason  # our own end is no word of the gateway's
            raise
        finally:
            self._link = None
            if not channel.ready:
                self._pins.failed(self.address)
            if self._settled() and loop.time() > begun + LASTING_S:
                self._backoff.succeeded()
            link.cut()
            if writer is not None:
                writer.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await writer
            await link.close()
            self.last_reason = self._reason or reason
            self.core.disconnected(loop.time(), self.last_reason)
            self._report(self.core.take())

    async def _read(self, link: Link, channel: ClientChannel) -> None:
        """Until the gateway closes the link. Raises LinkLost, BrokenSeal, ValueError."""
        loop = asyncio.get_running_loop()
        while (frame := await link.read()) is not None:
            self._heard = loop.time()
            packet = channel.receive(frame, self._heard)
            if packet is not None:
                self.core.receive(packet, self._heard)
                self._deliver()
            self._wake.set()

    def _go_next_to(self, hint: str) -> None:
        """A full gateway has named another of the hall, for the edge that we use: try it next.
        Whether it is the hall's its key will prove."""
        if not is_address(hint) or not may_go(self.address, hint):
            return
        if hint not in self._addresses:
            if len(self._addresses) >= MOST_ADDRESSES:
                return
            self._addresses.append(hint)
        self._turn = self._addresses.index(hint)

    def _deliver(self) -> None:
        happenings = self.core.take()
        self._report(happenings)
        for happening in happenings:
            if isinstance(happening, Hangup):
                self._go_next_to(happening.hint)
                self.drop(happening.reason)

    async def _write(self, link: Link, channel: ClientChannel, begun: float) -> None:
        loop = asyncio.get_running_loop()
        try:
            await link.write(channel.handshake())
            # Not `True`: wait_for may swallow a cancel that comes together with a wake.
            while self._link is link:
                self._wake.clear()
                now = loop.time()
                self._tick(now)
                self._keep_alive(link, now, begun)
                due = self._next_check(begun)
                if channel.ready:
                    for packet in self.core.packets(now):
                        await link.write(channel.seal(packet, now))
                    due = min(due, self.core.next_due())
                wait = max(0.0, due - loop.time())
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._wake.wait(), None if due == math.inf else wait)
        except LinkLost:
            link.cut()  # the reader learns why

    def _tick(self, now: float) -> None:
        self.core.tick(now)
        self._report(self.core.take())

    def _ping_every(self) -> float:
        return max(1.0, self.core.welcome.ping_every_ms / 1000 or 20.0)

    def _settled(self) -> bool:
        phase = self.core.phase
        return phase is Phase.OPEN or (phase is Phase.GREETED and not self.core.credentials.open)

    def _next_check(self, begun: float) -> float:
        if not self._settled():
            return begun + GREET_S
        every = self._ping_every()
        return min(max(self._heard, self._pinged) + every, self._heard + SILENCE_FACTOR * every)

    def _keep_alive(self, link: Link, now: float, begun: float) -> None:
        every = self._ping_every()
        if not self._settled():
            if now >= begun + GREET_S:
                self._reason = "no answer to the greeting"
                link.cut()
        elif now >= self._heard + SILENCE_FACTOR * every:
            self._reason = "the gateway is silent"
            link.cut()
        elif now >= max(self._heard, self._pinged) + every:
            self._pinged = now
            self.core.ping(now)
