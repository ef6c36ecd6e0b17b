"""What is measured, and how many series that can become, whatever players do."""

from __future__ import annotations

import re

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from data_server.metrics import REPORT_KINDS
from data_server.metrics import Metrics as DataMetrics
from game_server.gateway.commands import RULES
from game_server.gateway.metrics import Metrics as GatewayMetrics
from game_server.supervisor import exposition
from game_server.supervisor.metrics import SupervisorMetrics
from game_server.tables.metrics import HostMetrics
from paiju.rules.registry import Registry
from paiju.service.refusals import SENTENCES
from paiju.wire.records import REASONS
from paiju.wire.v1 import data_pb2

SERIES_MAX = 5_000
PLAYERS = 2_000
PER_GATEWAY = 500  # of the players: more gateways than a machine for 2,000 needs
PER_HOST = 250 * 4  # tables and seats
RPCS = [m.name for s in data_pb2.DESCRIPTOR.services_by_name.values() for m in s.methods]
STATUSES = ("UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "INTERNAL")
GAMES = [name for package in Registry.default().packages() for name in package.rule_set_names()]
# Of the data server's calls those that the program makes.
GATEWAY_RPCS = [m.name for m in data_pb2.DESCRIPTOR.services_by_name["Accounts"].methods] + [
    "GetWallet", "GetShards", "ListHosts", "Presence", "Report", "Signal", "Follow", "FindPlayer",
    "UnheardPenalties", "PenaltyHeard", "OpenShard", "Elsewhere", "AllocateIds",
]  # fmt: skip
HOST_RPCS = [m.name for m in data_pb2.DESCRIPTOR.services_by_name["Ledger"].methods] + [
    "GetShards", "ListHosts", "RegisterHost", "AllocateIds", "Signal",
]  # fmt: skip


def _gateway() -> bytes:
    """A gateway that has seen everything: each command refused with each code, and so on."""
    metrics = GatewayMetrics(CollectorRegistry())
    for kind in (*RULES, "unknown"):
        for code in ("ok", *SENTENCES, *(f"game_code_{n}" for n in range(50))):
            metrics.command(kind, code)
    for reason in (*(f"seal_{reason}" for reason in REASONS), *(f"reason_{n}" for n in range(40))):
        metrics.closed(reason)
    for reason in ("idle", "closing", "old_epoch", "queue_full", "lost", "refused", "no_answer"):
        metrics.link_ended(reason)
    for rpc in GATEWAY_RPCS:
        metrics.data_seconds(rpc)
        for status in STATUSES:
            metrics.data_failed(rpc, status)
    for status in STATUSES:
        metrics.red.errors.labels("Play", status)
    return metrics.exposition()


def _host() -> bytes:
    """A host with tables of every game, of two versions each."""
    metrics = HostMetrics()
    for game in GAMES:
        for state in ("playing", "waiting"):
            metrics.tables.labels(game, state)
        for result in ("won", "lost", "draw", "void"):
            metrics.hands.labels(game, result)
    metrics.count_versions({(game, version): 1 for game in GAMES for version in ("1.0.0", "1.0.1")})
    for code in (*SENTENCES, *(f"game_code_{n}" for n in range(50))):
        metrics.refused(code)
    for rpc in HOST_RPCS:
        metrics.data_seconds(rpc)
        for status in STATUSES:
            metrics.data_failed(rpc, status)
    return generate_latest(metrics.registry)


def _supervisor(children: int) -> bytes:
    metrics = SupervisorMetrics()
    for number in range(children):
        metrics.up.labels(f"child-{number}").set(1)
        metrics.restarts.labels(f"child-{number}")
    metrics.offered({package.name: package.version for package in Registry.default().packages()})
    for rpc in ("RegisterServer", "Heartbeat", "ClaimHost", "GetPlans", "ReportGames", "FetchFile"):
        metrics.data_seconds(rpc)
        for status in STATUSES:
            metrics.data_failed(rpc, status)
    return generate_latest(metrics.registry)


def _series(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_a_game_server_of_2000_players_stays_below_5000_series_whatever_they_do() -> None:
    gateways, hosts = PLAYERS // PER_GATEWAY, PLAYERS // PER_HOST
    texts = {f"gs/gateway-{n}": _gateway().decode() for n in range(gateways)}
    texts |= {f"gs-{n}": _host().decode() for n in range(hosts)}
    texts["gs/supervisor"] = _supervisor(gateways + hosts + 1).decode()
    series = _series(exposition.merge(texts))
    assert 2_000 < len(series) < SERIES_MAX, len(series)


def test_what_an_operator_needs_is_measured() -> None:
    """The list of what is to be seen, each with the metrics that show it."""
    data = DataMetrics()
    exposed = generate_latest(data.registry) + _gateway() + _host() + _supervisor(1)
    families = {family.name for family in text_string_to_metric_families(exposed.decode())}
    watched = set(re.findall(r'watch\(\s*"(\w+)"', _server_source()))
    families |= {f"paiju_data_{name}" for name in watched}
    for what, metrics in {
        "rate, errors, durations of every call": (
            "paiju_data_rpc_requests", "paiju_data_rpc_errors", "paiju_data_rpc_seconds",
            "paiju_gateway_rpc_requests", "paiju_gateway_rpc_errors",
            "paiju_gateway_data_call_seconds", "paiju_host_data_call_seconds",
        ),
        "sessions": ("paiju_gateway_sessions", "paiju_gateway_connections"),
        "tables": ("paiju_host_tables", "paiju_host_version_tables"),
        "hands": ("paiju_host_hands", "paiju_data_hands"),
        "settlements": ("paiju_host_settlement_seconds", "paiju_data_settle_seconds"),
        "journal": ("paiju_host_journal_commit_seconds", "paiju_host_journal_failing"),
        "outbox": ("paiju_host_outbox_depth", "paiju_host_outbox_age_seconds"),
        "escrow": ("paiju_host_escrow_coins", "paiju_data_escrow_coins"),
        "ledger": ("paiju_data_ledger_imbalance_coins", "paiju_data_ledger_faults"),
        "logins": ("paiju_data_logins",),
        "hashes": ("paiju_data_hash_waiting", "paiju_data_password_hashes"),
        "seals": ("paiju_gateway_seal_failures",),
        "reports": ("paiju_data_reports", "paiju_data_report_kinds", "paiju_data_penalties"),
        "package versions": ("paiju_supervisor_package_version_info",),
        "loop lag": (
            "paiju_data_loop_lag_seconds", "paiju_gateway_loop_lag_seconds",
            "paiju_host_loop_lag_seconds", "paiju_supervisor_loop_lag_seconds",
        ),
        "leases": ("paiju_supervisor_lease_age_seconds", "paiju_data_lease_age_seconds"),
        "database pool": ("paiju_data_pool_in_use", "paiju_data_pool_size"),
        "logs": (
            "paiju_data_log_lines_lost", "paiju_gateway_log_lines_lost",
            "paiju_host_log_lines_lost", "paiju_supervisor_log_lines_lost",
        ),
        "versions of programs": ("paiju_build_info",),
    }.items():  # fmt: skip
        missing = set(metrics) - families
        assert not missing, f"{what}: {missing}"


def _server_source() -> str:
    from data_server import server

    assert server.__file__ is not None
    with open(server.__file__, encoding="utf-8") as source:  # noqa: PTH123
        return source.read()


def test_counters_of_known_reasons_begin_at_zero() -> None:
    gateway = GatewayMetrics(CollectorRegistry()).exposition().decode()
    for reason in REASONS:
        assert f'paiju_gateway_seal_failures_total{{reason="{reason}"}} 0.0' in gateway
    host = generate_latest(HostMetrics().registry).decode()
    assert 'paiju_host_tables_voided_total{reason="unplayable"} 0.0' in host
    data = generate_latest(DataMetrics().registry).decode()
    for kind in REPORT_KINDS:
        assert f'paiju_data_report_kinds_total{{kind="{kind}"}} 0.0' in data
    assert 'paiju_data_logins_total{kind="login",outcome="failed"} 0.0' in data


def test_a_broken_seal_and_a_report_are_counted_by_what_they_are() -> None:
    gateway = GatewayMetrics(CollectorRegistry())
    gateway.closed("seal_forged")
    gateway.closed("idle")
    text = gateway.exposition().decode()
    assert 'paiju_gateway_seal_failures_total{reason="forged"} 1.0' in text
    assert 'paiju_gateway_closes_total{reason="seal_forged"} 1.0' in text
    data = DataMetrics()
    data.report("player", "cheat")
    data.report("client", "what a client of tomorrow says")
    text = generate_latest(data.registry).decode()
    assert 'paiju_data_report_kinds_total{kind="cheat"} 1.0' in text
    assert 'paiju_data_report_kinds_total{kind="other"} 1.0' in text
    assert 'paiju_data_reports_total{source="client"} 1.0' in text


def test_versions_that_are_no_longer_offered_disappear() -> None:
    metrics = SupervisorMetrics()
    metrics.offered({"doudizhu": "1.0.0", "gouji": "1.0.0"})
    metrics.offered({"doudizhu": "1.0.1"})
    text = generate_latest(metrics.registry).decode()
    lines = [line for line in text.splitlines() if line.startswith("paiju_supervisor_package_ver")]
    assert lines == [
        'paiju_supervisor_package_version_info{package="doudizhu",version="1.0.1"} 1.0'
    ]
