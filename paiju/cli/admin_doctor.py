"""`paiju admin doctor`: everything that is wrong at once, in plain words."""

from __future__ import annotations

import stat
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from paiju.cli import doctor_ray, doctor_start, doctor_tls
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
from paiju.cli.config import PROGRAMS
from paiju.cli.finding import Finding
from paiju.cli.output import console, fail
from paiju.service.build import VERSION
from paiju.service.ids import now_us
from paiju.wire.v1 import data_pb2

CHECK_S = 600.0
CLOCK_S = 2.0  # further apart, and tickets and operation ids suffer
SLOW_S = 1.0
PAGE = 1000
LEDGER_AGE_S = 600.0
PACKAGE_HOURS = 6.0
SOON_US = 7 * 86_400 * 10**6
SECRETS = (
    "admin-key",
    "cluster-token",
    "cell-secret",
    "ray-token",
    "ticket-keys.json",
    "seal-keys.json",
    "journal-key",
)


def doctor(
    start: Annotated[
        str,
        typer.Option(
            metavar="PROGRAM",
            help="Only whether this program could start here: data-server, game-server or web.",
        ),
    ] = "",
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Look at everything and say what is wrong and what to do; exit 1 when something is.

    Example: paiju admin doctor --json -
    """
    if start:
        if start not in PROGRAMS:
            fail(f"{start!r} is none of {', '.join(PROGRAMS)}", code=2)
        _tell(list(doctor_start.look(start)), json_file)
        return

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
    itself = ask("SelfCheck", data_pb2.SelfCheckRequest())
    findings = [
        *doctor_start.configurations(),
        Finding("answers", took_s < SLOW_S, f"in {took_s * 1000:.0f} ms", "see what loads it"),
        _clock(nodes),
        _clocks(nodes),
        _versions(nodes, itself),
        *_database(itself),
        *_keys(itself),
        *_machines(nodes),
        _ledger(ask("CheckLedger", data_pb2.CheckLedgerRequest(), CHECK_S)),
        _refused(ask("RefusedHands", data_pb2.RefusedHandsRequest())),
        _appeals(ask("ListPenalties", data_pb2.ListPenaltiesRequest(limit=PAGE))),
        _waiting(ask("ListReports", data_pb2.ListReportsRequest(source="player", limit=PAGE))),
        _files(data_dir),
        *_tls(nodes, data_dir),
        *doctor_ray.judge(nodes.nodes),
    ]
    _tell(findings, json_file)


def _tell(findings: list[Finding], json_file: Path | None) -> None:
    """Exits 1 when something is wrong."""
    table = table_of("", "what", "found", "do")
    for finding in findings:
        advice = "" if finding.ok else finding.advice
        table.add_row("ok" if finding.ok else "BAD", finding.name, finding.detail, advice)
    well = all(finding.ok for finding in findings)
    console(None if json_file is None else str(json_file)).print(table)
    checks = [
        {**asdict(finding), "advice": "" if finding.ok else finding.advice} for finding in findings
    ]
    write_json(json_file, {"ok": well, "checks": checks})
    if not well:
        raise typer.Exit(1)


def _clock(nodes: data_pb2.NodesReply) -> Finding:
    apart_s = (now_us() - nodes.now_us) / 1e6
    advice = "set this machine's clock, or the data server's (NTP)"
    return Finding("clock", abs(apart_s) < CLOCK_S, f"{apart_s:+.2f} s from ours", advice)


def _clocks(nodes: data_pb2.NodesReply) -> Finding:
    """Of game servers, as their heartbeats tell; those that beat at another data server are
    that one's to judge (--address)."""
    told = [node for node in nodes.nodes if node.alive and node.HasField("facts")]
    wrong = [
        f"{node.server} {node.clock_apart_us / 1e6:+.2f} s"
        for node in told
        if abs(node.clock_apart_us) >= CLOCK_S * 1e6
    ]
    unknown = sum(node.alive for node in nodes.nodes) - len(told)
    detail = f"{len(told)} within {CLOCK_S:.0f} s of the data server"
    if unknown:
        detail = _and(detail, f"{unknown} not heard by this data server")
    advice = "set the clocks of these machines (NTP): tickets and operation ids carry times"
    return Finding("clocks of machines", not wrong, _named("apart", wrong) or detail, advice)


def _versions(nodes: data_pb2.NodesReply, itself: data_pb2.SelfCheckReply) -> Finding:
    builds = {f"{node.server} {node.build}": node.build for node in nodes.nodes if node.alive}
    other = [told for told, one in builds.items() if one and one != itself.build]
    detail = f"{len(builds)} game servers and this data server have {itself.build}"
    advice = "finish the roll: install one version everywhere, then `paiju admin roll`"
    if itself.build != VERSION:
        other.append(f"this command {VERSION}")
    told = _named(f"not the data server's {itself.build}", other)
    return Finding("versions", not other, told or detail, advice)


def _database(itself: data_pb2.SelfCheckReply) -> Iterator[Finding]:
    current = itself.revision == itself.newest
    detail = f"{itself.database}, schema {itself.revision or 'unknown'}"
    told = detail if current else f"{detail}; this data server knows {itself.newest}"
    yield Finding("database", current, told, "run `paiju migrate`, then roll the data servers")
    quick = itself.read_us < SLOW_S * 1e6
    took = f"one look took {itself.read_us / 1000:.0f} ms"
    yield Finding("database answers", quick, took, "look at its load, its disk and the network")
    busy = itself.pool_size > 0 and itself.pool_in_use >= itself.pool_size
    pool = f"{itself.pool_in_use} of {itself.pool_size} connections at work"
    yield Finding("database pool", not busy, pool, "more data servers, or a faster database")
    age_s = now_us() / 1e6 - itself.ledger_checked_us / 1e6
    checked = not itself.ledger_checked_us or age_s < LEDGER_AGE_S
    told = f"last check {age_s:.0f} s ago" if itself.ledger_checked_us else "not checked yet"
    yield Finding("ledger's check", checked, told, "docs/runbooks/LedgerUnchecked.md")


def _keys(itself: data_pb2.SelfCheckReply) -> Iterator[Finding]:
    now = now_us()
    signing = itself.ticket_keys[0] if itself.ticket_keys else None
    ends_us = signing.not_after_us if signing else 1
    good = not ends_us or ends_us > now + SOON_US
    told = f"{len(itself.ticket_keys)} keys, {signing.id if signing else 'none'} signs"
    yield Finding("ticket keys", good, told, "rotate ticket-keys.json; players log in again else")
    if itself.package_expires_us:
        left_h = (itself.package_expires_us - now) / 3.6e9
        told = f"signatures of packages hold for {left_h:.0f} h"
        good = left_h > PACKAGE_HOURS
        yield Finding("package keys", good, told, "docs/runbooks/PackagesUnrenewed.md")


def _refused(found: data_pb2.RefusedHandsReply) -> Finding:
    hands = [f"{hand.table.table}/{hand.hand}" for hand in found.hands]
    told = _named("refused", hands) or "none refused"
    return Finding("hands", not hands, told, "`paiju admin tables list`, then void or mend")


def _machines(nodes: data_pb2.NodesReply) -> Iterator[Finding]:
    gone = [node.server for node in nodes.nodes if not node.alive]
    alive = [node for node in nodes.nodes if node.alive]
    players = sum(node.players for node in alive)
    detail = f"{len(alive)} alive with {players} players"
    yield Finding(
        "game servers",
        bool(alive) and not gone,
        _and(detail, _named("gone", gone)),
        "start them again, or look at their logs; docs/runbooks/GameServerDown.md",
    )
    full = [n.server for n in alive if n.max_players and n.players >= 0.9 * n.max_players]
    yield Finding(
        "room for players", not full, _named("full", full) or "enough", "add a game server"
    )
    # a host whose server is there and which is not itself: nobody starts it again
    living = {node.server for node in alive}
    lost = [h.host for h in nodes.hosts if not h.alive and h.server in living]
    count = sum(host.alive for host in nodes.hosts)
    yield Finding(
        "table hosts",
        not lost,
        _and(f"{count} alive", _named("gone", lost)),
        "their game server starts them again; if not, its log says why",
    )


def _ledger(found: data_pb2.CheckLedgerReply) -> Finding:
    even = not (found.sum or found.unbalanced or found.mismatched)
    detail = (
        f"{found.settlements} settlements, {found.escrow} coins on {found.open_sittings} seats"
        if even
        else f"sum {found.sum}, unbalanced {found.unbalanced}, mismatched {found.mismatched}"
    )
    return Finding("ledger", even, detail, "docs/runbooks/LedgerImbalance.md, before anything else")


def _appeals(found: data_pb2.ListPenaltiesReply) -> Finding:
    waiting = [str(row.id) for row in found.rows if {step.step for step in row.steps} == {"appeal"}]
    return Finding(
        "appeals",
        not waiting,
        _named("unanswered", waiting) or "none waits",
        "`paiju admin uphold` or `lift`",
    )


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
    return Finding("secret files", not loose, _named("open", loose) or "private", "chmod 600 them")


def _tls(nodes: data_pb2.NodesReply, data_dir: Path) -> Iterator[Finding]:
    listeners = doctor_tls.ask(doctor_tls.addresses(nodes, data_dir))
    for name, ok, wrong, count in doctor_tls.judge(listeners):
        yield Finding(name, ok, _named("look at", wrong) or count, "docs/contracts/tls.md")


def _named(what: str, names: list[str]) -> str:
    """`gone: a, b, c and 4 more`, empty for none."""
    if not names:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{what}: {', '.join(names[:3])}{more}"


def _and(first: str, second: str) -> str:
    return f"{first}; {second}" if second else first
