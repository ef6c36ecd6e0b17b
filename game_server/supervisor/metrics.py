"""Metrics of the supervisor itself. The only place of the package that names one."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from paiju.service import build

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class SupervisorMetrics:
    def __init__(self) -> None:
        r = self.registry = CollectorRegistry()
        build.show(r)
        p = "paiju_supervisor"
        self.up = Gauge(f"{p}_child_up", "1: it runs and answers.", ["child"], registry=r)
        self.restarts = Counter(
            f"{p}_child_restarts", "Deaths that nobody asked for.", ["child"], registry=r
        )
        self.lease_age = Gauge(
            f"{p}_lease_age_seconds",
            "Since the last renewal that was answered was sent; -1: never registered.",
            registry=r,
        )
        self.registrations = Counter(
            f"{p}_registrations", "Registrations with the data server.", registry=r
        )
        self.draining = Gauge(f"{p}_draining", "1: this server is to empty.", registry=r)
        self.start_seconds = Gauge(
            f"{p}_start_seconds", "From the start until everything was ready.", registry=r
        )
        self.loop_lag = Histogram(
            f"{p}_loop_lag_seconds",
            "How late the event loop woke a sleeper.",
            buckets=SECONDS,
            registry=r,
        )
        self.package_refused = Counter(
            f"{p}_package_refused", "Answers of the repository that did not verify.", registry=r
        )
        self.package_unreachable = Counter(
            f"{p}_package_unreachable",
            "Times that the repository did not answer, or too slowly.",
            registry=r,
        )
        self.package_withdrawn = Counter(
            f"{p}_package_withdrawn", "Versions withdrawn because they raised.", registry=r
        )
        self.package_refreshed = Gauge(
            f"{p}_package_refreshed_timestamp_seconds",
            "When the repository verified last; 0: never, or there is none.",
            registry=r,
        )
        self._data_seconds = Histogram(
            f"{p}_data_call_seconds",
            "Duration of calls to the data server, repeats included.",
            ["method"],
            buckets=SECONDS,
            registry=r,
        )
        self._data_failures = Counter(
            f"{p}_data_call_failures",
            "Failed attempts of calls to the data server.",
            ["method", "status"],
            registry=r,
        )

    def data_seconds(self, rpc: str) -> Callable[[float], None]:
        """Where the duration of such a call is observed."""
        self._data_failures.labels(rpc, "UNAVAILABLE")
        observe: Callable[[float], None] = self._data_seconds.labels(rpc).observe
        return observe

    def data_failed(self, rpc: str, status: str) -> None:
        self._data_failures.labels(rpc, status).inc()
