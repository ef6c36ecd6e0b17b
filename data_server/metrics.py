"""The metrics of a data server; nothing else names one. Counters begin at 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from data_server.lanes import Lane
from paiju.service import build
from paiju.service.red import BUCKETS_S, Red
from paiju.wire.v1 import data_pb2, packages_pb2

LOGIN_OUTCOMES = ("opened", "refused")
LOGIN_KINDS = ("guest", "register", "login", "renew", "change_password")
HAND_OUTCOMES = ("booked", "repeated", "refused")
REPORT_SOURCES = ("player", "client", "gateway", "host")
PENALTIES = ("warn", "fine", "freeze", "ban")
PEER_REASONS = ("unnamed", "role", "cell", "server", "gateway", "host")
JOBS = ("flush", "poll", "sweep", "check", "cleanup", "keys", "packages", "changes", "standbys")
FAILED = ("UNAVAILABLE", "INTERNAL")  # statuses that a rate must not miss the first time


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        build.show(self.registry)
        self.red = Red.make("paiju_data", self.registry)
        for contract in (data_pb2, packages_pb2):
            for service in contract.DESCRIPTOR.services_by_name.values():
                for method in service.methods:
                    self.red.calls.labels(method.name)
                    for status in FAILED:
                        self.red.errors.labels(method.name, status)
        self.logins = self._counter(
            "logins", "Attempts to open or renew a session.", ["kind", "outcome"]
        )
        for kind in LOGIN_KINDS:
            for outcome in LOGIN_OUTCOMES:
                self.logins.labels(kind, outcome)
        self.hands = self._counter("hands", "Settlements by outcome.", ["outcome"])
        for outcome in HAND_OUTCOMES:
            self.hands.labels(outcome)
        self._reports = self._counter("reports", "Reports and signals stored.", ["source"])
        for source in REPORT_SOURCES:
            self._reports.labels(source)
        self._penalties = self._counter("penalties", "Penalties given.", ["action"])
        for action in PENALTIES:
            self._penalties.labels(action)
        self.settle_seconds = Histogram(
            "paiju_data_settle_seconds",
            "From the arrival of a Settle call to its answer.",
            buckets=BUCKETS_S,
            registry=self.registry,
        )
        self.job_failures = self._counter("job_failures", "Runs of a job that failed.", ["job"])
        for job in JOBS:
            self.job_failures.labels(job)
        self.hashes = self._counter("password_hashes", "Password hashes asked for.", [])
        self._peers_refused = self._counter(
            "peers_refused", "Calls that were not their certificate's to make.", ["reason"]
        )
        for reason in PEER_REASONS:
            self._peers_refused.labels(reason)
        self.tls_handshakes = self._counter("tls_handshakes", "TLS handshakes begun.", [])
        self.tls_peers = self._counter(
            "tls_peers", "Connections with a certificate of ours that came to a call.", []
        )
        self.tls_reloads = self._counter(
            "tls_reloads", "Changed certificate files, by what became of them.", ["outcome"]
        )
        for outcome in ("used", "refused"):
            self.tls_reloads.labels(outcome)
        self.follow_dropped = self._counter("follow_dropped", "Events lost by slow followers.", [])
        self.lane_refused = self._counter(
            "lane_refused", "Calls refused because the queue was full.", ["lane"]
        )
        self.released = self._counter(
            "sittings_released", "Sittings of silent hosts whose stake was returned.", []
        )
        self.escrow = self._gauge("escrow_coins", "Coins on tables, at the last check.")
        self.ledger_sum = self._gauge("ledger_imbalance_coins", "Sum of all balances; must be 0.")
        self.ledger_faults = self._gauge(
            "ledger_faults", "Unbalanced entries and accounts that differ from their postings."
        )
        self.open_sittings = self._gauge("open_sittings", "Open sittings, at the last check.")
        self.checked = self._gauge(
            "ledger_checked_timestamp_seconds", "When the whole ledger was checked last."
        )
        self.check_seconds = self._gauge("ledger_check_seconds", "How long that took.")
        self.issued = self._gauge("issued_coins", "Coins ever given out, at the last check.")
        self.collected = self._gauge("collected_coins", "Coins of the house, at the last check.")
        self.standbys = self._gauge("standbys", "Standbys that copy the database.")
        self.standby_lag = self._gauge(
            "standby_lag_seconds", "How far the slowest of them is behind."
        )
        self.lag = Histogram(
            "paiju_data_loop_lag_seconds",
            "How late the event loop woke.",
            buckets=BUCKETS_S,
            registry=self.registry,
        )

    def report(self, source: str) -> None:
        self._reports.labels(source).inc()

    def peer_refused(self, reason: str) -> None:
        self._peers_refused.labels(reason).inc()

    def penalty(self, action: str) -> None:
        self._penalties.labels(action).inc()

    def _counter(self, name: str, text: str, labels: Sequence[str]) -> Counter:
        return Counter(f"paiju_data_{name}", text, labels, registry=self.registry)

    def _gauge(self, name: str, text: str) -> Gauge:
        return Gauge(f"paiju_data_{name}", text, registry=self.registry)

    def watch(self, name: str, text: str, value: Callable[[], float]) -> None:
        """A gauge that is read when it is scraped; `value` must be quick and never block."""
        self._gauge(name, text).set_function(value)

    def watch_lanes(self, lanes: Sequence[Lane]) -> None:
        working = self._lane_gauge("lane_working", "Calls at work.")
        queued = self._lane_gauge("lane_queued", "Calls that wait for their turn.")
        for lane in lanes:
            self.lane_refused.labels(lane.name)
            working.labels(lane.name).set_function(partial(getattr, lane, "working"))
            queued.labels(lane.name).set_function(partial(getattr, lane, "queued"))

    def _lane_gauge(self, name: str, text: str) -> Gauge:
        return Gauge(f"paiju_data_{name}", text, ["lane"], registry=self.registry)
