"""One player's connection: the sealed channel, the session core behind it, and whoever
carries out what the core asks for.

An edge (gRPC, WebSocket) needs three things only: `receive` for each frame that came in,
`next_frame` for each that goes out (None: end it), and `lost` when it is over, however it
ended. Owned by its edge; the gateway holds it while it is live. A frame that does not open
ends the connection at once, and nothing more is said to the peer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

import structlog

from game_server.bucket import Bucket
from game_server.gateway.effects import Close, Effect
from game_server.gateway.limits import Limits
from game_server.gateway.session import Effects, Session
from paiju.service import logs
from paiju.service.refusals import Refused
from paiju.wire.records import BrokenSeal
from paiju.wire.sealed import Channel
from paiju.wire.v1 import host_pb2

_log = structlog.get_logger()


class Shell(Protocol):
    """What the gateway does for its connections."""

    def carry_out(self, connection: Connection, effect: Effect) -> None: ...

    def sent(self, size: int, updates: int) -> None: ...

    def late(self, connection: Connection) -> None: ...

    def ended(self, connection: Connection, reason: str) -> None: ...


class Connection:
    def __init__(
        self, *, session: Session, channel: Channel, shell: Shell, limits: Limits, now: float
    ) -> None:
        self.session = session
        self._channel = channel
        self._shake_by = now + limits.handshake_s
        self._frames = Bucket(burst=limits.frames_burst, per_s=limits.frames_per_s, now=now)
        self._bytes = Bucket(burst=limits.bytes_burst, per_s=limits.bytes_per_s, now=now)
        self.hosts: set[str] = set()
        """Hosts that got a command in this session's name: they are told when it ends."""
        self.reason = ""
        """Why the session has ended, once it has."""
        self.on_close: Callable[[], object] = lambda: None
        """Called once when it has: the edge gives its last packet a deadline."""
        self._shell = shell
        self._wake = asyncio.Event()
        self.on_news: Callable[[], object] = self._wake.set
        """Called when `next_now` may have something; for an edge that writes without a task."""
        self._over = False

    # ---- for the edge ------------------------------------------------------------------

    def receive(self, frame: bytes) -> None:
        now = time.monotonic()
        if self.reason:
            return
        if not self._frames.take(1, now) or not self._bytes.take(len(frame), now):
            self.lost("too_many_frames")
            return
        logs.about.set(self._about)
        try:
            packet = self._channel.receive(frame, now)
            if packet is None:
                self.on_news()  # our half of the handshake waits
            else:
                self.run(self.session.receive(packet, now))
        except BrokenSeal as broken:
            self.lost(f"seal_{broken.reason}")
        except Exception:
            self._fault()
        finally:
            logs.about.set(None)

    def _about(self) -> logs.About:
        """For log lines."""
        player, op = self.session.player, self.session.at_work
        if player is None:
            return logs.About(op)
        return logs.About(op, player.id, player.epoch, player.connection)

    async def next_frame(self) -> bytes | None:
        """All that waits for the player, in one frame, as soon as there is some."""
        while (frame := self.next_now()) == b"":
            self._wake.clear()
            await self._wake.wait()
        return frame

    def next_now(self) -> bytes | None:
        """The same without waiting; empty: nothing waits."""
        if frame := self._channel.handshake():
            return frame
        if self._channel.ready and (frame := self._sealed()):
            return frame
        return None if self.reason else b""

    def _sealed(self) -> bytes:
        now = time.monotonic()
        packet, updates = self.session.take(now)
        if not updates:
            return b""
        frame = self._channel.seal(packet, now)
        self._shell.sent(len(frame), updates)
        return frame

    def lost(self, reason: str = "lost") -> None:
        """The connection has ended; may be called again."""
        if self._over:
            return
        self._over = True
        self.reason = self.reason or reason
        self.session.lost()
        self.on_news()
        self._shell.ended(self, self.reason)

    # ---- for the gateway ---------------------------------------------------------------

    def run(self, effects: Effects) -> None:
        """Carry out what the session asked for, and let the edge send what it said."""
        for effect in effects:
            if isinstance(effect, Close) and not self.reason:
                self.reason = effect.reason
                self.on_close()
            elif not isinstance(effect, Close):
                self._shell.carry_out(self, effect)
        if self.reason or self.session.feed.outbox:
            self.on_news()

    def deliver(self, event: host_pb2.Deliver, update: bytes, now: float) -> None:
        try:
            self.run(self.session.deliver(event, update, now))
        except Exception:
            self._fault()

    def tick(self, now: float) -> None:
        if not self._channel.ready and now >= self._shake_by:
            self.lost("handshake_timeout")
            return
        try:
            self.run(self.session.tick(now))
        except Exception:
            self._fault()

    def _fault(self) -> None:
        """A mistake of ours in one session: that one ends, the others go on."""
        _log.exception("session.fault")
        self.lost("fault")

    def host_answered(self, ref: int, answer: host_pb2.HostAnswer) -> None:
        self.run(self.session.host_answered(ref, answer, time.monotonic()))
        if self._over:
            self._shell.late(self)

    def host_failed(self, ref: int, refused: Refused) -> None:
        self.run(self.session.refused(ref, refused, time.monotonic()))
