"""The network: byte streams between gateways and hosts, packets of players, calls.

As TCP: within one direction of one connection nothing is lost, doubled or reordered, but
everything may come late, and a connection may be cut at any byte; the two ends learn of that
at different times, or not for long. Between connections nothing has an order.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from random import Random
from typing import Any

from tests.sim.clockwork import PROCESS, Listener, Process, SimLoop

NOTICED_S = (0.3, 10.0)
"""When an end learns of a peer that vanished without a word."""


class Network:
    """slow: share of deliveries that take up to `slow_s`; the others take a millisecond or so."""

    def __init__(self, loop: SimLoop, random: Random) -> None:
        self.loop = loop
        self.random = random
        self.slow = 0.05
        self.slow_s = 0.08
        self._cut_off: set[frozenset[str]] = set()
        self._streams: list[tuple[Pipe, Pipe]] = []
        loop.connect = self._connect

    def delay(self) -> float:
        """Of one delivery, seconds."""
        draw = self.random.random
        return 0.0001 + (self.slow_s if draw() < self.slow else 0.002) * draw()

    # ---- partitions ------------------------------------------------------------------------

    def cut_off(self, one: str, other: str) -> None:
        """From now on the two hear nothing of each other; what stood between them is lost."""
        self._cut_off.add(frozenset((one, other)))
        for left, right in self._streams:
            if {left.process.name, right.process.name} == {one, other}:
                left.vanish()

    def join(self, one: str, other: str) -> None:
        self._cut_off.discard(frozenset((one, other)))

    def parted(self, one: str, other: str) -> bool:
        return bool(self._cut_off) and frozenset((one, other)) in self._cut_off

    def heal(self) -> None:
        self._cut_off.clear()
        self.slow = 0.0

    # ---- streams ---------------------------------------------------------------------------

    async def _connect(self, factory: Callable[[], Any], path: str) -> tuple[Pipe, Any]:
        process = PROCESS.get()
        await asyncio.sleep(self.delay())
        listener: Listener | None = self.loop.listeners.get(path)
        if listener is None or not listener.process.alive:
            raise ConnectionRefusedError(path)
        if self.parted(process.name, listener.process.name):
            await asyncio.sleep(math.inf)  # whoever connects has a deadline
        mine, theirs = Pipe(self, process), Pipe(self, listener.process)
        mine.peer, theirs.peer = theirs, mine
        self._streams = [pair for pair in self._streams if not pair[0].over]
        self._streams.append((mine, theirs))
        mine.protocol, theirs.protocol = factory(), listener.factory()
        mine.protocol.connection_made(mine)
        theirs.arrive(theirs.protocol.connection_made, theirs)
        return mine, mine.protocol

    def cut_some_stream(self) -> bool:
        """Cut one of the open streams; False when there is none."""
        standing = [pair for pair in self._streams if not pair[0].over]
        if not standing:
            return False
        left, right = self.random.choice(standing)
        if self.random.random() < 0.5:
            left.vanish()
        else:
            left.lose(self.delay())
            right.lose(self.delay())
        return True


class Flow:
    """What comes in at one end of a connection: in order, each piece after a delay of its own."""

    def __init__(self, network: Network, process: Process) -> None:
        self._network = network
        self._loop = network.loop
        self._context = process.context
        self._last = 0.0
        self._ends = math.inf

    def arrive(self, callback: Callable[..., object], *args: Any) -> None:
        at = max(self._last, self._loop.now + self._network.delay())
        self._last = at
        self._loop.call_at(at, self._deliver, callback, args, context=self._context)

    def end(self) -> None:
        """A part of what is under way still arrives, nothing after that."""
        now = self._loop.now
        left = max(0.0, self._last - now)
        self._ends = min(self._ends, now + left * self._network.random.random())

    def stop(self) -> None:
        """Nothing arrives any more."""
        self._ends = -1.0

    def _deliver(self, callback: Callable[..., object], args: tuple[Any, ...]) -> None:
        if self._loop.now <= self._ends:
            callback(*args)


class Pipe(asyncio.Transport):
    """One end of a stream of bytes."""

    def __init__(self, network: Network, process: Process) -> None:
        super().__init__()
        self._network = network
        self._incoming = Flow(network, process)
        self.process = process
        self.protocol: Any = None
        self.peer: Pipe
        self.over = False
        process.on_end.append(self._process_ended)

    def arrive(self, callback: Callable[..., object], *args: Any) -> None:
        self._incoming.arrive(callback, *args)

    # ---- what asyncio's streams use --------------------------------------------------------

    def write(self, data: Any) -> None:
        if not self.over and not self.peer.over:
            self.peer.arrive(self.peer.protocol.data_received, bytes(data))

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def is_closing(self) -> bool:
        return self.over

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None:
        """Never that much."""

    def resume_reading(self) -> None:
        """Never paused."""

    def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        if self.over:
            return
        self._lost()
        self.peer.lose(self._network.delay())

    # ---- how it ends -----------------------------------------------------------------------

    def _lost(self) -> None:
        if self.over:
            return
        self.over = True
        self._incoming.stop()
        loop = self._network.loop
        loop.call_soon(
            self.protocol.connection_lost, ConnectionResetError(), context=self.process.context
        )

    def lose(self, after_s: float) -> None:
        """This end learns, so much later, that the connection is gone."""
        self._incoming.end()
        self._network.loop.call_later(after_s, self._lost, context=self.process.context)

    def vanish(self) -> None:
        """Nothing passes any more; each end notices in its own time."""
        for end in (self, self.peer):
            end._incoming.stop()
            end.lose(self._network.random.uniform(*NOTICED_S))

    def _process_ended(self) -> None:
        """The kernel closes the sockets of a process that ends."""
        if not self.over:
            self.over = True
            self.peer.lose(self._network.delay())
