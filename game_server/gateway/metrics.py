"""The gateway's metrics; the only place that names them. No label carries an id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from game_server.gateway.commands import RULES
from paiju.service import build
from paiju.service.red import BUCKETS_S, Red

# What is counted from 0 on: a rate over a counter that appears with its first event misses it.
_CLOSES = ("lost", "replaced", "slow_consumer", "flood", "garbage", "place_full", "overcrowded")
_LINK_ENDS = ("lost", "unreachable", "open_timeout", "garbage", "fault")
_UPDATE_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_LAG_BUCKETS_S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


class Metrics:
    """Children are looked up once; a hot path only calls `inc` or `observe`."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        r = self.registry
        build.show(r)
        p = "paiju_gateway"
        self.red = Red.make(p, r)
        self.connections = Gauge(f"{p}_connections", "Connections of players.", registry=r)
        self.sessions = Gauge(f"{p}_sessions", "Open sessions.", registry=r)
        self._closes = Counter(
            f"{p}_closes", "Connections ended, by reason.", ["reason"], registry=r
        )
        self._commands = Counter(
            f"{p}_commands", "Commands answered.", ["kind", "outcome"], registry=r
        )
        self.frames_out = Counter(f"{p}_frames_out", "Packets to players.", registry=r)
        self.bytes_out = Counter(f"{p}_bytes_out", "Bytes to players.", registry=r)
        self.bytes_in = Counter(f"{p}_bytes_in", "Bytes from players.", registry=r)
        self.updates = Histogram(
            f"{p}_updates_per_frame", "Updates in one packet.", buckets=_UPDATE_BUCKETS, registry=r
        )
        self._overflows = Counter(
            f"{p}_outbox_overflows", "Players too slow for their tables.", registry=r
        )
        self.links_open = Gauge(f"{p}_links_open", "Open streams to hosts.", registry=r)
        self.links_opened = Counter(f"{p}_links_opened", "Streams to hosts opened.", registry=r)
        self._links_ended = Counter(
            f"{p}_links_ended", "Streams ended or not opened, by reason.", ["reason"], registry=r
        )
        self.link_commands = Counter(f"{p}_link_commands", "Commands to hosts.", registry=r)
        self.link_refused = Counter(
            f"{p}_link_refused", "Commands refused: too many unanswered at a host.", registry=r
        )
        self.link_frames_out = Counter(f"{p}_link_frames_out", "Frames to hosts.", registry=r)
        self.link_frames_in = Counter(f"{p}_link_frames_in", "Frames from hosts.", registry=r)
        self.host_seconds = Histogram(
            f"{p}_host_command_seconds",
            "From sending a command to its answer.",
            buckets=BUCKETS_S,
            registry=r,
        )
        self._data_seconds = Histogram(
            f"{p}_data_call_seconds",
            "Calls to the data server, all attempts.",
            ["rpc"],
            buckets=BUCKETS_S,
            registry=r,
        )
        self._data_failures = Counter(
            f"{p}_data_failures", "Failed attempts of calls.", ["rpc", "status"], registry=r
        )
        self.loop_lag = Histogram(
            f"{p}_loop_lag_seconds",
            "How late the event loop woke.",
            buckets=_LAG_BUCKETS_S,
            registry=r,
        )
        for reason in _CLOSES:
            self._closes.labels(reason)
        for reason in _LINK_ENDS:
            self._links_ended.labels(reason)
        for kind in RULES:
            self._commands.labels(kind, "ok")
        self._child: dict[tuple[int, str, str], Any] = {}
        self.closes_by_reason: defaultdict[str, int] = defaultdict(int)

    def command(self, kind: str, outcome: str) -> None:
        """One answered command; outcome is "ok" or the refusal's code."""
        self._get(self._commands, kind, outcome).inc()

    def closed(self, reason: str) -> None:
        self.closes_by_reason[reason] += 1
        self._get(self._closes, reason).inc()

    def link_ended(self, reason: str) -> None:
        self._get(self._links_ended, reason).inc()

    def overflow(self) -> None:
        self._overflows.inc()

    def data_seconds(self, rpc: str) -> Callable[[float], None]:
        self._get(self._data_failures, rpc, "UNAVAILABLE")
        observe: Callable[[float], None] = self._get(self._data_seconds, rpc).observe
        return observe

    def data_failed(self, rpc: str, status: str) -> None:
        self._get(self._data_failures, rpc, status).inc()

    def exposition(self) -> bytes:
        """The Prometheus text of everything."""
        return generate_latest(self.registry)

    def _get(self, metric: Any, *labels: str) -> Any:
        key = (id(metric), labels[0], labels[-1])
        child = self._child.get(key)
        if child is None:
            child = self._child[key] = metric.labels(*labels)
        return child
