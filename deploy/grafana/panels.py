"""What is on the dashboards: `scripts/watching.py` makes Grafana's files from it.

`$__rate_interval` is Grafana's: never shorter than what a rate needs. `$instance` and `$game` are
what the person has chosen above. Sums over data servers that all tell the same (the ledger,
standbys) are taken as `max`.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Query:
    """legend: with {{label}}; empty: as Prometheus names it. chaos: it has series only after
    something has failed."""

    expr: str
    legend: str = ""
    chaos: bool = False


@dataclass(frozen=True)
class Panel:
    """number: the newest value alone. unit: Grafana's name."""

    title: str
    queries: tuple[Query, ...]
    unit: str = "short"
    says: str = ""
    number: bool = False


@dataclass(frozen=True)
class Row:
    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Variable:
    """Values of the label `source` of `metric`."""

    name: str
    label: str
    metric: str
    source: str


@dataclass(frozen=True)
class Board:
    name: str
    title: str
    description: str
    rows: tuple[Row, ...]
    variables: tuple[Variable, ...] = field(default=())


R = "$__rate_interval"


def rate(metric: str, by: str, where: str = "") -> str:
    return f"sum by ({by}) (rate({metric}{{{where}}}[{R}]))"


def quantile(q: float, metric: str, by: str, where: str = "") -> str:
    inner = f"rate({metric}_bucket{{{where}}}[{R}])"
    labels = f"{by}, le" if by else "le"
    return f"histogram_quantile({q}, sum by ({labels}) ({inner}))"


def graph(title: str, *queries: Query, unit: str = "short", says: str = "") -> Panel:
    return Panel(title, queries, unit, says)


def number(title: str, expr: str, unit: str = "short", says: str = "") -> Panel:
    return Panel(title, (Query(expr),), unit, says, number=True)


CLUSTER = Board(
    "cluster",
    "cluster",
    "Is the hall well, and where is it not? Each line leads to a machine.",
    (
        Row(
            "Now",
            (
                number("Data servers up", 'sum(up{job="paiju-data-server"})'),
                number("Game servers up", 'sum(up{job="paiju-game-server"})'),
                number("Players online", "sum(paiju_gateway_sessions)"),
                number("Hands being played", 'sum(paiju_host_tables{state="playing"})'),
                number(
                    "Ledger imbalance",
                    "max(abs(paiju_data_ledger_imbalance_coins)) + max(paiju_data_ledger_faults)",
                    says="Must be 0.",
                ),
                number(
                    "Hands refused by the ledger",
                    "sum(paiju_host_outbox_refused)",
                    says="Their tables stand still: `paiju admin tables list`.",
                ),
            ),
        ),
        Row(
            "Machines",
            (
                graph(
                    "Players by game server",
                    Query("sum by (instance) (paiju_gateway_sessions)", "{{instance}}"),
                ),
                graph(
                    "Tables by game server",
                    Query("sum by (instance) (paiju_host_tables)", "{{instance}}"),
                ),
                graph(
                    "Age of the lease",
                    Query("max by (instance) (paiju_supervisor_lease_age_seconds)", "{{instance}}"),
                    unit="s",
                    says="Above lease_s (15) no data server answers.",
                ),
                graph(
                    "Deaths that nobody asked for",
                    Query(
                        f"sum by (instance, child) "
                        f"(increase(paiju_supervisor_child_restarts_total[{R}]))",
                        "{{child}} on {{instance}}",
                    ),
                ),
                graph(
                    "Draining",
                    Query("max by (instance) (paiju_supervisor_draining)", "{{instance}}"),
                ),
                graph(
                    "Servers and hosts with a lease",
                    Query("max(paiju_data_servers_alive)", "game servers"),
                    Query("max(paiju_data_hosts_alive)", "table hosts"),
                ),
            ),
        ),
        Row(
            "The way of a move",
            (
                graph(
                    "Command to a table host and back",
                    *(
                        Query(quantile(q, "paiju_gateway_host_command_seconds", ""), f"p{q:.0%}")
                        for q in (0.5, 0.99)
                    ),
                    unit="s",
                ),
                graph(
                    "Commit of a journal",
                    *(
                        Query(quantile(q, "paiju_host_journal_commit_seconds", ""), f"p{q:.0%}")
                        for q in (0.5, 0.99)
                    ),
                    unit="s",
                ),
                graph(
                    "Settlement: end of a hand to the ledger's answer",
                    *(
                        Query(quantile(q, "paiju_host_settlement_seconds", ""), f"p{q:.0%}")
                        for q in (0.5, 0.99)
                    ),
                    unit="s",
                ),
                graph(
                    "Refusals by code",
                    Query(rate("paiju_host_refusals_total", "code"), "{{code}}"),
                    unit="ops",
                ),
            ),
        ),
    ),
)

GAME_SERVER = Board(
    "game-server",
    "game server",
    "One machine with its gateways and table hosts.",
    (
        Row(
            "Gateways",
            (
                graph(
                    "Connections and sessions",
                    Query(
                        'sum by (process) (paiju_gateway_connections{instance=~"$instance"})',
                        "connections {{process}}",
                    ),
                    Query(
                        'sum by (process) (paiju_gateway_sessions{instance=~"$instance"})',
                        "sessions {{process}}",
                    ),
                ),
                graph(
                    "Commands by kind",
                    Query(
                        rate("paiju_gateway_commands_total", "kind", 'instance=~"$instance"'),
                        "{{kind}}",
                    ),
                    unit="ops",
                ),
                graph(
                    "Commands refused, by code",
                    Query(
                        rate(
                            "paiju_gateway_commands_total",
                            "outcome",
                            'instance=~"$instance", outcome!="ok"',
                        ),
                        "{{outcome}}",
                        chaos=True,
                    ),
                    unit="ops",
                ),
                graph(
                    "Connections ended, by reason",
                    Query(
                        rate("paiju_gateway_closes_total", "reason", 'instance=~"$instance"'),
                        "{{reason}}",
                    ),
                    unit="ops",
                    says="`seal_...`: what came did not open.",
                ),
                graph(
                    "Bytes",
                    Query(
                        rate("paiju_gateway_bytes_out_total", "instance", 'instance=~"$instance"'),
                        "to players, {{instance}}",
                    ),
                    Query(
                        rate("paiju_gateway_bytes_in_total", "instance", 'instance=~"$instance"'),
                        "from players, {{instance}}",
                    ),
                    unit="Bps",
                ),
                graph(
                    "Streams to table hosts ended, by reason",
                    Query(
                        rate("paiju_gateway_links_ended_total", "reason", 'instance=~"$instance"'),
                        "{{reason}}",
                    ),
                    unit="ops",
                ),
            ),
        ),
        Row(
            "Table hosts",
            (
                graph(
                    "Tables by state",
                    Query('sum by (state) (paiju_host_tables{instance=~"$instance"})', "{{state}}"),
                ),
                graph(
                    "Actions by cause",
                    Query(
                        rate("paiju_host_actions_total", "cause", 'instance=~"$instance"'),
                        "{{cause}}",
                    ),
                    unit="ops",
                ),
                graph(
                    "Age of what is not in the journal",
                    Query(
                        "max by (process) "
                        '(paiju_host_journal_unwritten_age_seconds{instance=~"$instance"})',
                        "{{process}}",
                    ),
                    unit="s",
                    says="Above 2 players get RETRY.",
                ),
                graph(
                    "Settlements without an answer",
                    Query(
                        'sum by (process) (paiju_host_outbox_depth{instance=~"$instance"})',
                        "{{process}}",
                    ),
                ),
                graph(
                    "Age of the oldest of them",
                    Query(
                        'max by (process) (paiju_host_outbox_age_seconds{instance=~"$instance"})',
                        "{{process}}",
                    ),
                    unit="s",
                ),
                graph(
                    "Rules that raised, tables void",
                    Query(
                        "sum(increase(paiju_host_rule_faults_total"
                        f'{{instance=~"$instance"}}[{R}]))',
                        "rules raised",
                    ),
                    Query(
                        "sum by (reason) (increase(paiju_host_tables_voided_total"
                        f'{{instance=~"$instance"}}[{R}]))',
                        "void: {{reason}}",
                    ),
                ),
                graph(
                    "Tables rebuilt from the journal",
                    Query(
                        "sum by (process) (increase(paiju_host_tables_recovered_total"
                        f'{{instance=~"$instance"}}[{R}]))',
                        "{{process}}",
                    ),
                ),
                graph(
                    "Journal cannot be written",
                    Query(
                        'max by (process) (paiju_host_journal_failing{instance=~"$instance"})',
                        "{{process}}",
                    ),
                ),
            ),
        ),
        Row(
            "Processes",
            (
                graph(
                    "Event loops wake late (p99)",
                    *(
                        Query(
                            quantile(
                                0.99,
                                f"paiju_{part}_loop_lag_seconds",
                                "process",
                                'instance=~"$instance"',
                            ),
                            "{{process}}",
                        )
                        for part in ("gateway", "host", "supervisor")
                    ),
                    unit="s",
                ),
                graph(
                    "Calls to data servers that failed",
                    Query(
                        rate(
                            "paiju_gateway_data_failures_total",
                            "rpc, status",
                            'instance=~"$instance"',
                        ),
                        "gateway: {{rpc}} {{status}}",
                    ),
                    Query(
                        rate(
                            "paiju_host_data_call_failures_total",
                            "method, status",
                            'instance=~"$instance"',
                        ),
                        "host: {{method}} {{status}}",
                    ),
                    unit="ops",
                ),
                graph(
                    "Processes up",
                    Query(
                        'min by (child) (paiju_supervisor_child_up{instance=~"$instance"})',
                        "{{child}}",
                    ),
                ),
                graph(
                    "Packages that did not verify, or were withdrawn",
                    Query(
                        "sum(increase(paiju_supervisor_package_refused_total"
                        f'{{instance=~"$instance"}}[{R}]))',
                        "not verified",
                    ),
                    Query(
                        "sum(increase(paiju_supervisor_package_withdrawn_total"
                        f'{{instance=~"$instance"}}[{R}]))',
                        "withdrawn",
                    ),
                ),
            ),
        ),
    ),
    (Variable("instance", "Game server", "paiju_supervisor_draining", "instance"),),
)

DATA_SERVER = Board(
    "data-server",
    "data server",
    "Calls, queues, logins, the ledger and the database behind.",
    (
        Row(
            "Calls",
            (
                graph(
                    "Calls by method",
                    Query(
                        rate("paiju_data_rpc_requests_total", "method", 'instance=~"$instance"'),
                        "{{method}}",
                    ),
                    unit="ops",
                ),
                graph(
                    "Errors by method and status",
                    Query(
                        rate(
                            "paiju_data_rpc_errors_total",
                            "method, status",
                            'instance=~"$instance"',
                        ),
                        "{{method}} {{status}}",
                    ),
                    unit="ops",
                ),
                graph(
                    "Duration by method (p99)",
                    Query(
                        quantile(0.99, "paiju_data_rpc_seconds", "method", 'instance=~"$instance"'),
                        "{{method}}",
                    ),
                    unit="s",
                ),
                graph(
                    "Event loop wakes late (p99)",
                    Query(
                        quantile(
                            0.99,
                            "paiju_data_loop_lag_seconds",
                            "instance",
                            'instance=~"$instance"',
                        ),
                        "{{instance}}",
                    ),
                    unit="s",
                ),
            ),
        ),
        Row(
            "Queues",
            (
                graph(
                    "Calls that wait",
                    Query(
                        'sum by (lane) (paiju_data_lane_queued{instance=~"$instance"})',
                        "{{lane}}",
                    ),
                ),
                graph(
                    "Calls refused since the queue was full",
                    Query(
                        rate("paiju_data_lane_refused_total", "lane", 'instance=~"$instance"'),
                        "{{lane}}",
                    ),
                    unit="ops",
                ),
                graph(
                    "Password hashes that wait",
                    Query('sum(paiju_data_hash_waiting{instance=~"$instance"})', "waiting"),
                    Query(
                        f'sum(rate(paiju_data_password_hashes_total{{instance=~"$instance"}}[{R}]))',
                        "asked for, per second",
                    ),
                ),
                graph(
                    "Database connections at work",
                    Query(
                        'sum by (instance) (paiju_data_pool_in_use{instance=~"$instance"})',
                        "{{instance}}",
                    ),
                ),
            ),
        ),
        Row(
            "Sessions and conduct",
            (
                graph(
                    "Logins by kind and outcome",
                    Query(
                        rate("paiju_data_logins_total", "kind, outcome", 'instance=~"$instance"'),
                        "{{kind}} {{outcome}}",
                    ),
                    unit="ops",
                ),
                graph(
                    "Reports and penalties",
                    Query(
                        "sum by (source) (increase(paiju_data_reports_total"
                        f'{{instance=~"$instance"}}[{R}]))',
                        "from {{source}}",
                    ),
                    Query(
                        "sum by (action) (increase(paiju_data_penalties_total"
                        f'{{instance=~"$instance"}}[{R}]))',
                        "{{action}}",
                    ),
                ),
            ),
        ),
        Row(
            "Ledger and database",
            (
                graph(
                    "Settlements by outcome",
                    Query(
                        rate("paiju_data_hands_total", "outcome", 'instance=~"$instance"'),
                        "{{outcome}}",
                    ),
                    unit="ops",
                ),
                graph(
                    "Age of the last check of the whole ledger",
                    Query("time() - max(paiju_data_ledger_checked_timestamp_seconds)", "age"),
                    Query("max(paiju_data_ledger_check_seconds)", "how long it took"),
                    unit="s",
                ),
                graph(
                    "Standbys of the database",
                    Query("max(paiju_data_standbys)", "standbys"),
                    Query("max(paiju_data_standby_lag_seconds)", "seconds behind"),
                ),
                graph(
                    "Jobs that failed",
                    Query(
                        "sum by (exported_job) (increase(paiju_data_job_failures_total"
                        f'{{instance=~"$instance"}}[{R}]))',
                        "{{exported_job}}",
                    ),
                    says="`job` is Prometheus' own label; ours arrives as exported_job.",
                ),
                graph(
                    "TLS: handshakes and connections with a certificate of ours",
                    Query(
                        rate(
                            "paiju_data_tls_handshakes_total", "instance", 'instance=~"$instance"'
                        ),
                        "handshakes, {{instance}}",
                    ),
                    Query(
                        rate("paiju_data_tls_peers_total", "instance", 'instance=~"$instance"'),
                        "ours, {{instance}}",
                    ),
                    unit="ops",
                ),
                graph(
                    "Until metadata of packages runs out",
                    Query(
                        "max(paiju_data_package_metadata_expires_timestamp_seconds) - time()",
                        "left",
                    ),
                    unit="s",
                ),
            ),
        ),
    ),
    (Variable("instance", "Data server", "paiju_data_followers", "instance"),),
)

GAME = Board(
    "game",
    "one game",
    "How much a game is played, in which versions, and whether its rules hold.",
    (
        Row(
            "Tables and hands",
            (
                graph(
                    "Tables by state",
                    Query(
                        'sum by (game, state) (paiju_host_tables{game=~"$game"})',
                        "{{game}} {{state}}",
                    ),
                ),
                graph(
                    "Hands a minute, by result",
                    Query(
                        "60 * " + rate("paiju_host_hands_total", "game, result", 'game=~"$game"'),
                        "{{game}} {{result}}",
                    ),
                ),
                graph(
                    "Tables by version",
                    Query(
                        "sum by (game, version) (paiju_host_version_tables)",
                        "{{game}} {{version}}",
                    ),
                    says="By package: one package may have several games.",
                ),
                graph(
                    "Hands void, of all hands",
                    Query(
                        'sum by (game) (increase(paiju_host_hands_total{game=~"$game", '
                        'result="void"}[1h])) / clamp_min(sum by (game) '
                        '(increase(paiju_host_hands_total{game=~"$game"}[1h])), 1)',
                        "{{game}}",
                    ),
                    unit="percentunit",
                    says="Of the last hour. Void: a fault, or nobody had finished it.",
                ),
            ),
        ),
    ),
    (Variable("game", "Game", "paiju_host_tables", "game"),),
)

BUSINESS = Board(
    "business",
    "business",
    "Who is there, what is played, where the points come from and go to.",
    (
        Row(
            "Now",
            (
                number("Players online", "sum(paiju_gateway_sessions)"),
                number(
                    "Registrations, last day",
                    'sum(increase(paiju_data_logins_total{kind="register", outcome="opened"}[1d]))',
                ),
                number("Hands, last hour", "sum(increase(paiju_host_hands_total[1h]))"),
                number("Points issued", "max(paiju_data_issued_coins)"),
                number("Points collected", "max(paiju_data_collected_coins)"),
                number("Points on tables", "max(paiju_data_escrow_coins)"),
            ),
        ),
        Row(
            "Over time",
            (
                graph("Players online", Query("sum(paiju_gateway_sessions)", "online")),
                graph(
                    "Accounts opened an hour",
                    Query(
                        "3600 * "
                        + rate(
                            "paiju_data_logins_total",
                            "kind",
                            'kind=~"register|guest", outcome="opened"',
                        ),
                        "{{kind}}",
                    ),
                    says="A guest's line counts each start of his, too.",
                ),
                graph(
                    "Hands an hour, by game",
                    Query("3600 * " + rate("paiju_host_hands_total", "game"), "{{game}}"),
                ),
                graph(
                    "Points issued and collected in an hour",
                    Query("delta(max(paiju_data_issued_coins)[1h:])", "issued"),
                    Query("delta(max(paiju_data_collected_coins)[1h:])", "collected"),
                    says="Issued: start grants, relief, operators. Collected: fees, fines.",
                ),
                graph(
                    "Points on tables, and seats taken",
                    Query("max(paiju_data_escrow_coins)", "points"),
                    Query("max(paiju_data_open_sittings)", "seats"),
                ),
            ),
        ),
    ),
)

BOARDS = (CLUSTER, GAME_SERVER, DATA_SERVER, GAME, BUSINESS)
