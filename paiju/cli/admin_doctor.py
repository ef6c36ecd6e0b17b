"""`paiju admin doctor`: everything that is wrong at once, in plain words."""

from __future__ import annotations

import stat
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer

from paiju.cli import doctor_tls
from paiju.cli.admin_call import call_admin
from paiju.cli.admin_options import (
    CALL_S,
    HOME,
    Address,
    DataDir,
    Json,
    KeyFile,
    table_of,
    write_json,
)
from paiju.cli.output import console
from paiju.service.ids import now_us
from paiju.wire.v1 import data_pb2

CHECK_S = 600.0
CLOCK_S = 2.0  # further apart, and tickets and operation ids suffer
SLOW_S = 1.0
PAGE = 1000
SECRETS = (
    "admin-key",
    "cluster-token",
    "cell-secret",
    "ray-token",
    "ticket-keys.json",
    "seal-keys.json",
    "journal-key",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at. ok False: somebody should do something about it."""

    name: str
    ok: bool
    detail: str


def doctor(
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Look at everything and say what is wrong; exit 1 when something is.

    Example: paiju admin doctor --json -
    """

    def ask(name: str, request: Any, timeout: float = CALL_S) -> Any:
        return call_admin(
            lambda stub, meta: getattr(stub, name)(request, metadata=meta, timeout=timeout),
            address,
            key_file,
            data_dir,
        )

    begun = time.monotonic()
    nodes = ask("Nodes", data_pb2.NodesRequest())
    took_s = time.monotonic() - begun
    findings = [
        Finding("answers", took_s < SLOW_S, f"in {took_s * 1000:.0f} ms"),
        _clock(nodes),
        *_machines(nodes),
        _ledger(ask("CheckLedger", data_pb2.CheckLedgerRequest(), CHECK_S)),
        _appeals(ask("ListPenalties", data_pb2.ListPenaltiesRequest(limit=PAGE))),
        _waiting(ask("ListReports", data_pb2.ListReportsRequest(source="player", limit=PAGE))),
        _files(data_dir),
        *_tls(nodes, data_dir),
    ]
    table = table_of("", "what", "found")
    for finding in findings:
        table.add_row("ok" if finding.ok else "BAD", finding.name, finding.detail)
    well = all(finding.ok for finding in findings)
    console(None if json_file is None else str(json_file)).print(table)
    write_json(json_file, {"ok": well, "checks": [asdict(finding) for finding in findings]})
    if not well:
        raise typer.Exit(1)


def _clock(nodes: data_pb2.NodesReply) -> Finding:
    apart_s = (now_us() - nodes.now_us) / 1e6
    return Finding("clock", abs(apart_s) < CLOCK_S, f"{apart_s:+.2f} s from ours")


def _machines(nodes: data_pb2.NodesReply) -> Iterator[Finding]:
    gone = [node.server for node in nodes.nodes if not node.alive]
    alive = [node for node in nodes.nodes if node.alive]
    players = sum(node.players for node in alive)
    detail = f"{len(alive)} alive with {players} players"
    yield Finding("game servers", bool(alive) and not gone, _and(detail, _named("gone", gone)))
    full = [n.server for n in alive if n.max_players and n.players >= 0.9 * n.max_players]
    yield Finding("room for players", not full, _named("full", full) or "enough")
    # a host whose server is there and which is not itself: nobody starts it again
    living = {node.server for node in alive}
    lost = [h.host for h in nodes.hosts if not h.alive and h.server in living]
    count = sum(host.alive for host in nodes.hosts)
    yield Finding("table hosts", not lost, _and(f"{count} alive", _named("gone", lost)))


def _ledger(found: data_pb2.CheckLedgerReply) -> Finding:
    even = not (found.sum or found.unbalanced or found.mismatched)
    detail = (
        f"{found.settlements} settlements, {found.escrow} coins on {found.open_sittings} seats"
        if even
        else f"sum {found.sum}, unbalanced {found.unbalanced}, mismatched {found.mismatched}"
    )
    return Finding("ledger", even, detail)


def _appeals(found: data_pb2.ListPenaltiesReply) -> Finding:
    waiting = [str(row.id) for row in found.rows if {step.step for step in row.steps} == {"appeal"}]
    return Finding("appeals", not waiting, _named("unanswered", waiting) or "none waits")


def _waiting(found: data_pb2.ListReportsReply) -> Finding:
    """For information: nothing says that a person has read a report."""
    day_us = 86_400 * 10**6
    kinds = Counter(row.kind for row in found.rows if row.time_us > now_us() - day_us)
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    return Finding("reports of players", True, f"last day: {told or 'none'}")


def _files(data_dir: Path) -> Finding:
    """Secrets that others on this machine can read."""
    loose = []
    for name in SECRETS:
        try:
            mode = (data_dir / name).stat().st_mode
        except OSError:
            continue
        if stat.S_IMODE(mode) & 0o077:
            loose.append(name)
    return Finding("secret files", not loose, _named("open", loose) or "private")


def _tls(nodes: data_pb2.NodesReply, data_dir: Path) -> Iterator[Finding]:
    listeners = doctor_tls.ask(doctor_tls.addresses(nodes, data_dir))
    for name, ok, wrong, count in doctor_tls.judge(listeners):
        yield Finding(name, ok, _named("look at", wrong) or count)


def _named(what: str, names: list[str]) -> str:
    """`gone: a, b, c and 4 more`, empty for none."""
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{what}: {', '.join(names[:3])}{more}"


def _and(first: str, second: str) -> str:
    return f"{first}; {second}" if second else first
