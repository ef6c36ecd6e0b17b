"""One stream to one host in one epoch: opened, used, and cut once; never opened again.

Owner: `Links`, which makes a new one after a cut. Commands may be sent at once, they wait
until the host has accepted the stream. All commands of one loop tick leave in one frame. When
the stream ends, for whatever reason, each command without an answer is given back as failed:
it may have been carried out, so its sender repeats it under the same op.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import time
from dataclasses import dataclass
from typing import Protocol

import structlog
from google.protobuf.message import DecodeError

from game_server.gateway.metrics import Metrics
from game_server.gateway.peer_tls import PeerTls
from paiju.service.refusals import Refused
from paiju.wire import frames, link
from paiju.wire.tls.identity import NotYours
from paiju.wire.v1 import data_pb2, host_pb2

_log = structlog.get_logger()
READ_BUFFER_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkConfig:
    cell: str
    secret: bytes
    gateway: str
    machine: str
    tls: PeerTls | None = None  # of TCP streams
    open_s: float = 3.0  # to connect and be accepted
    queue_commands: int = 8192  # without an answer
    queue_bytes: int = 4 * 1024 * 1024  # not yet taken by the peer
    answer_s: float = 15.0  # then the player is told to try again
    idle_s: float = 60.0
    backoff_min_s: float = 0.1
    backoff_max_s: float = 2.0


class Waiter(Protocol):
    """Who gets the answer to a command; exactly one of the two is called, once per ref."""

    def host_answered(self, ref: int, answer: host_pb2.HostAnswer) -> None: ...

    def host_failed(self, ref: int, refused: Refused) -> None: ...


@dataclass(slots=True)
class Sent:
    """A command on its way, with all that is needed to send it somewhere else."""

    waiter: Waiter
    ref: int
    room: str
    shard: int
    command: host_pb2.HostCommand
    hosts: set[str]  # of the connection: gets the name of each host that is asked
    at: float = 0.0
    moves: int = 0


class Listener(Protocol):
    """What a stream tells its owner."""

    def on_answer(self, stream: Stream, sent: Sent, answer: host_pb2.HostAnswer) -> None: ...

    def on_event(self, stream: Stream, event: host_pb2.HostEvent) -> None: ...

    def on_open(self, stream: Stream) -> None: ...

    def on_end(self, stream: Stream, unanswered: list[Sent], reason: str) -> None: ...


class Stream:
    def __init__(
        self, *, host: data_pb2.HostInfo, config: LinkConfig, listener: Listener, metrics: Metrics
    ) -> None:
        self.host = host
        self.opened = False
        self.ended = False
        self.used_at = time.monotonic()
        self._config = config
        self._listener = listener
        self._metrics = metrics
        self._unanswered: dict[int, Sent] = {}
        self._next_id = 1
        self._queue: list[bytes] = []
        self._queued_bytes = 0
        self._flushing = False
        self._writer: asyncio.StreamWriter | None = None
        self._task = asyncio.create_task(self._run(), name=f"link-{host.host}")

    @property
    def unanswered(self) -> int:
        return len(self._unanswered)

    def send(self, sent: Sent) -> None:
        """Queue a command; its waiter hears of the answer or of the stream's end.

        When too many are unanswered this one is refused: a few hundred players who all ask at
        once must not cut the stream of everybody else.
        """
        if len(self._unanswered) >= self._config.queue_commands:
            self._metrics.link_refused.inc()
            sent.waiter.host_failed(sent.ref, Refused("RETRY", retry_after_ms=1000))
            return
        sent.at = self.used_at = time.monotonic()
        sent.hosts.add(self.host.host)
        number = self._next_id
        self._next_id += 1
        sent.command.id = number
        self._unanswered[number] = sent
        self._put(sent.command)

    def tell(self, command: host_pb2.HostCommand) -> None:
        """Queue a command that has no answer."""
        command.id = 0
        self._put(command)

    def cut(self, reason: str) -> None:
        """End the stream now."""
        if not self.ended:
            self._end(reason)

    def expire(self, now: float) -> None:
        """Give up on commands that the host has had for too long."""
        before = now - self._config.answer_s
        late = []
        for number, sent in self._unanswered.items():  # in the order of sending
            if sent.at > before:
                break
            late.append(number)
        for number in late:
            sent = self._unanswered.pop(number)
            sent.waiter.host_failed(sent.ref, Refused("RETRY", retry_after_ms=1000))

    async def closed(self) -> None:
        """After `cut`: until the stream's task has ended."""
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    def _put(self, command: host_pb2.HostCommand) -> None:
        if self.ended:
            return
        self._metrics.link_commands.inc()
        data = command.SerializeToString()
        self._queue.append(data)
        self._queued_bytes += len(data)
        if self._queued_bytes > self._config.queue_bytes:
            asyncio.get_running_loop().call_soon(self.cut, "queue_full")
        elif self.opened and not self._flushing:
            self._flushing = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing = False
        writer = self._writer
        if writer is None or self.ended or not self._queue:
            return
        # GatewayFrame is repeated field 1, like ServerFrame: no command is encoded twice.
        writer.write(frames.pack(frames.server_frame(self._queue)))
        self._metrics.link_frames_out.inc()
        self._queue.clear()
        self._queued_bytes = 0
        if writer.transport.get_write_buffer_size() > self._config.queue_bytes:
            self.cut("queue_full")

    async def _run(self) -> None:
        reason = "error"
        try:
            async with asyncio.timeout(self._config.open_s):
                reader, writer = await self._connect()
                self._writer = writer
                await self._shake_hands(reader, writer)
            self.opened = True
            self._listener.on_open(self)
            self._flush()
            while True:
                data = await frames.read_frame(reader)
                self._metrics.link_frames_in.inc()
                for event in host_pb2.HostFrame.FromString(data).events:
                    self._event(event)
        except Refused as refused:
            reason = refused.code.lower()
        except TimeoutError:
            reason = "open_timeout"
        except (OSError, asyncio.IncompleteReadError):
            reason = "lost" if self.opened else "unreachable"
        except (DecodeError, frames.FrameTooLarge):
            reason = "garbage"
        except asyncio.CancelledError:
            reason = "cancelled"
            raise
        except Exception:
            reason = "fault"
            _log.exception("link.fault", host=self.host.host)
        finally:
            if not self.ended:
                self._end(reason)

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        host = self.host
        if host.unix_path and host.machine == self._config.machine:
            return await asyncio.open_unix_connection(host.unix_path, limit=READ_BUFFER_BYTES)
        if not host.tcp_address:
            raise Refused("LINK_MISMATCH", detail="no address that can be reached from here")
        name, _, port = host.tcp_address.rpartition(":")
        tls = self._config.tls
        reader, writer = await asyncio.open_connection(
            name.strip("[]"),
            int(port),
            limit=READ_BUFFER_BYTES,
            ssl=None if tls is None else tls.context(),
        )
        if tls is not None:
            try:
                tls.check(writer, cell=self._config.cell, server=host.server)
            except NotYours as refused:
                writer.transport.abort()
                raise Refused("LINK_MISMATCH", detail=f"certificate: {refused.reason}") from None
        _notice_dead_peer(writer.get_extra_info("socket"))
        return reader, writer

    async def _shake_hands(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        config, host = self._config, self.host
        limit = link.MAX_HANDSHAKE_BYTES
        asked = host_pb2.LinkChallenge.FromString(await frames.read_frame(reader, limit=limit))
        opening = link.opening(
            config.secret,
            asked,
            cell=host.cell or config.cell,
            host=host.host,
            epoch=host.epoch,
            gateway=config.gateway,
        )
        writer.write(frames.pack(opening.SerializeToString()))
        accept = host_pb2.LinkAccept.FromString(await frames.read_frame(reader, limit=limit))
        if accept.HasField("refusal"):
            raise Refused.of(accept.refusal)

    def _event(self, event: host_pb2.HostEvent) -> None:
        self.used_at = time.monotonic()
        if event.WhichOneof("body") != "answer":
            self._listener.on_event(self, event)
            return
        sent = self._unanswered.pop(event.answer.id, None)
        if sent is not None:
            sent.hosts.add(self.host.host)
            self._metrics.host_seconds.observe(self.used_at - sent.at)
            self._listener.on_answer(self, sent, event.answer)

    def _end(self, reason: str) -> None:
        self.ended = True
        self._queue.clear()
        if self._writer is not None:
            self._writer.transport.abort()
        self._task.cancel()
        unanswered = list(self._unanswered.values())
        self._unanswered.clear()
        self._listener.on_end(self, unanswered, reason)


def _notice_dead_peer(sock: socket.socket) -> None:
    """A machine that vanished without a word is noticed within about ten seconds."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 4)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 2)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 10_000)
