"""Metrics of a table host. The only place of the package that names one."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from paiju.service import build

# What is counted from 0 on: a rate over a counter that appears with its first event misses it.
VOID_REASONS = ("moved", "harmful", "unplayable", "faulty")
REFUSALS = ("RETRY", "BUSY", "INTERNAL")
PEER_REASONS = (
    *("no_certificate", "unknown_authority", "handshake", "cut"),
    *("unnamed", "role", "cell", "server", "gateway", "host"),
)
SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class HostMetrics:
    """One registry per host process; the supervisor's endpoint adds which process it was."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        build.show(registry)
        self.tables = Gauge(
            "paiju_host_tables",
            "Open tables by game and state.",
            ["game", "state"],
            registry=registry,
        )
        self._versions = Gauge(
            "paiju_host_version_tables",
            "Open tables by game and version of its package.",
            ["game", "version"],
            registry=registry,
        )
        self._counted: set[tuple[str, str]] = set()
        self.hands = Counter(
            "paiju_host_hands", "Hands ended.", ["game", "result"], registry=registry
        )
        self.actions = Counter(
            "paiju_host_actions", "Actions applied.", ["cause"], registry=registry
        )
        self.refusals = Counter(
            "paiju_host_refusals", "Commands refused.", ["code"], registry=registry
        )
        self.faults = Counter(
            "paiju_host_rule_faults", "Rules that raised; their hand is void.", registry=registry
        )
        self.recovered = Counter(
            "paiju_host_tables_recovered", "Tables rebuilt from the journal.", registry=registry
        )
        self.voided = Counter(
            "paiju_host_tables_voided",
            "Tables that could not be rebuilt: every stake returned.",
            ["reason"],
            registry=registry,
        )
        self.recovery_seconds = Gauge(
            "paiju_host_recovery_seconds",
            "From the start of the process to its tables standing again.",
            registry=registry,
        )
        self.journal_failing = Gauge(
            "paiju_host_journal_failing",
            "1 while the journal cannot be written: disk full, read-only, no database.",
            registry=registry,
        )
        self.links = Gauge("paiju_host_links", "Open streams to gateways.", registry=registry)
        self.peers_refused = Counter(
            "paiju_host_peers_refused",
            "TLS connections of gateways that were not let in, by reason.",
            ["reason"],
            registry=registry,
        )
        self.link_cuts = Counter(
            "paiju_host_link_cuts", "Streams cut since the gateway did not read.", registry=registry
        )
        self.journal_seconds = Histogram(
            "paiju_host_journal_commit_seconds",
            "Duration of a commit of the journal.",
            buckets=SECONDS,
            registry=registry,
        )
        self.journal_rows = Counter(
            "paiju_host_journal_rows", "Rows written to the journal.", registry=registry
        )
        self.journal_age = Gauge(
            "paiju_host_journal_unwritten_age_seconds",
            "Age of the oldest event that is not on disk.",
            registry=registry,
        )
        self.outbox_depth = Gauge(
            "paiju_host_outbox_depth", "Settlements without answer.", registry=registry
        )
        self.outbox_age = Gauge(
            "paiju_host_outbox_age_seconds",
            "Age of the oldest settlement without answer.",
            registry=registry,
        )
        self.outbox_refused = Gauge(
            "paiju_host_outbox_refused",
            "Settlements that an operator must look at.",
            registry=registry,
        )
        self.settle_seconds = Histogram(
            "paiju_host_settlement_seconds",
            "End of a hand to the ledger's answer.",
            buckets=SECONDS,
            registry=registry,
        )
        self.escrow = Gauge(
            "paiju_host_escrow_coins", "Coins on this host's tables.", registry=registry
        )
        self.loop_lag = Histogram(
            "paiju_host_loop_lag_seconds",
            "How late the event loop woke a sleeper.",
            buckets=SECONDS,
            registry=registry,
        )
        self.step_seconds = Histogram(
            "paiju_host_command_seconds",
            "Work of one command inside the host, journal not included.",
            buckets=SECONDS,
            registry=registry,
        )
        self._data_seconds = Histogram(
            "paiju_host_data_call_seconds",
            "Duration of calls to the data server, repeats included.",
            ["method"],
            buckets=SECONDS,
            registry=registry,
        )
        self._data_failures = Counter(
            "paiju_host_data_call_failures",
            "Failed attempts of calls to the data server.",
            ["method", "status"],
            registry=registry,
        )
        self._acted = {
            cause: self.actions.labels(cause).inc
            for cause in ("player", "timeout", "trustee", "abandon", "chance")
        }
        for reason in VOID_REASONS:
            self.voided.labels(reason)
        for code in REFUSALS:
            self.refusals.labels(code)
        for reason in PEER_REASONS:
            self.peers_refused.labels(reason)

    def acted(self, cause: str) -> None:
        """One action was applied; looked up once per cause, not per action."""
        self._acted[cause]()

    def count_tables(self, tables: Mapping[tuple[str, str], int]) -> None:
        """Tables by (game, state); a game that is seen begins with no hands."""
        for (game, state), count in tables.items():
            self.tables.labels(game, state).set(count)
            self.hands.labels(game, "void")

    def count_versions(self, tables: Mapping[tuple[str, str], int]) -> None:
        """Tables by (game, version); a version without tables disappears."""
        for gone in self._counted - tables.keys():
            self._versions.remove(*gone)
        for key, count in tables.items():
            self._versions.labels(*key).set(count)
        self._counted = set(tables)

    def data_seconds(self, rpc: str) -> Callable[[float], None]:
        """Where the duration of such a call is observed."""
        self._data_failures.labels(rpc, "UNAVAILABLE")
        observe: Callable[[float], None] = self._data_seconds.labels(rpc).observe
        return observe

    def data_failed(self, rpc: str, status: str) -> None:
        self._data_failures.labels(rpc, status).inc()
