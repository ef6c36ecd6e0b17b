"""All streams to hosts: opened on first use, closed after an idle minute, back-off between.

Owner: the gateway's loop. While a host cannot be reached its commands are refused at once
with RETRY and the time until the next attempt; nothing queues for a host that is not there.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Set
from dataclasses import dataclass
from typing import Protocol

import structlog

from game_server.gateway.metrics import Metrics
from game_server.gateway.stream import LinkConfig, Sent, Stream
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2, host_pb2

_random = secrets.SystemRandom()
_log = structlog.get_logger()


class LinkEvents(Protocol):
    """What the links tell the gateway."""

    def link_answer(self, sent: Sent, answer: host_pb2.HostAnswer) -> None: ...

    def link_event(self, host: str, event: host_pb2.HostEvent) -> None: ...

    def link_cut(self, host: str, *, was_open: bool) -> None:
        """Before the commands without an answer fail."""


@dataclass(slots=True)
class _Trouble:
    failures: int = 0
    not_before: float = 0.0


class Links:
    def __init__(
        self,
        *,
        config: LinkConfig,
        events: LinkEvents,
        metrics: Metrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config
        self._events = events
        self._metrics = metrics
        self._clock = clock
        self._streams: dict[str, Stream] = {}
        self._trouble: dict[str, _Trouble] = {}
        self._closing = False

    def __contains__(self, host: str) -> bool:
        stream = self._streams.get(host)
        return stream is not None and stream.opened

    def send(self, host: data_pb2.HostInfo, sent: Sent) -> None:
        """Put the command on the stream to the host; its waiter is called in any case."""
        stream = self._streams.get(host.host)
        if stream is not None and stream.host.epoch < host.epoch:
            stream.cut("old_epoch")
            stream = None
        if stream is None:
            wait_s = self.retry_after_s(host.host)
            if wait_s > 0 or self._closing:
                ms = max(1, int(wait_s * 1000))
                sent.waiter.host_failed(sent.ref, Refused("RETRY", retry_after_ms=ms))
                return
            stream = Stream(host=host, config=self._config, listener=self, metrics=self._metrics)
            self._streams[host.host] = stream
        stream.send(sent)

    def tell(self, host: str, command: host_pb2.HostCommand) -> None:
        """A command without an answer; dropped when there is no stream, for a cut says as much."""
        stream = self._streams.get(host)
        if stream is not None:
            stream.tell(command)

    def retry_after_s(self, host: str) -> float:
        """> 0: the host could not be reached; not before that time."""
        trouble = self._trouble.get(host)
        return 0.0 if trouble is None else max(0.0, trouble.not_before - self._clock())

    def sweep(self, in_use: Set[str]) -> None:
        """About once a second: late answers fail, streams that nobody uses are closed."""
        now = time.monotonic()
        for name, stream in list(self._streams.items()):
            stream.expire(now)
            idle = now - stream.used_at >= self._config.idle_s
            if idle and name not in in_use and not stream.unanswered:
                stream.cut("idle")

    async def close(self) -> None:
        self._closing = True
        streams = list(self._streams.values())
        for stream in streams:
            stream.cut("closing")
        for stream in streams:
            await stream.closed()

    # ---- what a stream says ------------------------------------------------------------

    def on_open(self, stream: Stream) -> None:
        self._trouble.pop(stream.host.host, None)
        self._metrics.links_open.inc()
        self._metrics.links_opened.inc()
        _log.info("link.opened", host=stream.host.host, epoch=stream.host.epoch)

    def on_answer(self, stream: Stream, sent: Sent, answer: host_pb2.HostAnswer) -> None:
        self._events.link_answer(sent, answer)

    def on_event(self, stream: Stream, event: host_pb2.HostEvent) -> None:
        self._events.link_event(stream.host.host, event)

    def on_end(self, stream: Stream, unanswered: list[Sent], reason: str) -> None:
        name = stream.host.host
        if self._streams.get(name) is stream:
            del self._streams[name]
        self._metrics.link_ended(reason)
        if stream.opened:
            self._metrics.links_open.dec()
        wait_s = 0.0 if reason in ("idle", "closing", "old_epoch") else self._back_off(name)
        _log.info("link.ended", host=name, epoch=stream.host.epoch, reason=reason)
        self._events.link_cut(name, was_open=stream.opened)
        ms = max(1, int(wait_s * 1000))
        for sent in unanswered:
            sent.waiter.host_failed(sent.ref, Refused("RETRY", retry_after_ms=ms))

    def _back_off(self, name: str) -> float:
        trouble = self._trouble.setdefault(name, _Trouble())
        config = self._config
        top = min(config.backoff_max_s, config.backoff_min_s * float(2**trouble.failures))
        trouble.failures = min(trouble.failures + 1, 16)
        wait_s = _random.uniform(0.5, 1.0) * top
        trouble.not_before = self._clock() + wait_s
        return wait_s
