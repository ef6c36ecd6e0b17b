"""What came of a run: the JSON, the table for people, and which guarantees did not hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.table import Table

from hall_client.load.books import Books
from hall_client.load.evidence import Verdict
from hall_client.load.outage import summary
from hall_client.load.result import LoadResult


@dataclass
class Findings:
    """What a run has found out so far. voided: (table, hand) that nobody meant to be void."""

    blows: int = 0
    missing: int = 0
    interrupted: set[int] = field(default_factory=set)
    samples: Sequence[float] = ()
    gauges: list[str] = field(default_factory=list)
    result: LoadResult | None = None
    books: Books | None = None
    verdict: Verdict = field(default_factory=Verdict)
    verified: int = 0
    wrong: Sequence[str] = ()
    voided: set[tuple[int, int]] = field(default_factory=set)
    more: Mapping[str, Any] = field(default_factory=dict)
    broken: Sequence[str] = ()


def figures(name: str, found: Findings) -> dict[str, Any]:
    """All of it, `broken` (the guarantees that did not hold, in words) among it."""
    result, books, verdict = found.result, found.books, found.verdict
    assert result is not None and books is not None
    texts = [*result.errors, *found.wrong, *verdict.lost[:10], *verdict.double[:10]]
    told: dict[str, Any] = {
        "scenario": name,
        "players": result.players,
        "blows": found.blows,
        "recovered_ms": summary(found.samples),
        "not_recovered": found.missing,
        "interrupted": len(found.interrupted),
        "lost_actions": len(verdict.lost),
        "double_actions": len(verdict.double),
        "acknowledged_actions": verdict.acknowledged,
        "recorded_actions": verdict.recorded,
        "hands": result.hands,
        "settlements": books.settlements,
        "records": books.records,
        "records_verified": found.verified,
        "voided": len(found.voided),
        "ledger": {
            "sum": books.sum,
            "unbalanced": books.unbalanced,
            "escrow": books.escrow,
        },
        "stuck_seats": books.open_sittings,
        "gauges": found.gauges,
        "view_mismatches": result.view_mismatches,
        "errors": result.error_count + len(found.wrong),
        "error_texts": texts,
        **found.more,
    }
    told["broken"] = [*_broken(told), *found.broken]
    return told


def _broken(told: Mapping[str, Any]) -> list[str]:
    """The guarantees of every scenario that did not hold."""
    ledger = told["ledger"]
    checks = {
        "nothing was struck": told["blows"] > 0,
        "nobody came back": told["recovered_ms"]["samples"] > 0,
        "not everything came back": told["not_recovered"] == 0,
        "connections were cut": told["interrupted"] == 0,
        "acknowledged actions are lost": told["lost_actions"] == 0,
        "actions took effect twice": told["double_actions"] == 0,
        "hands were void": told["voided"] == 0,
        "the ledger does not sum to zero": ledger["sum"] == 0,
        "entries are not balanced": ledger["unbalanced"] == 0,
        "coins are left in escrow": ledger["escrow"] == 0,
        "seats are left open": told["stuck_seats"] == 0,
        "settlements and records differ": told["settlements"] == told["records"],
        "hands were seen that are not booked": told["settlements"] >= told["hands"],
        "records do not prove themselves": told["records_verified"] == told["records"],
        "gauges differ from a recount": not told["gauges"],
        "views differed from the hall's": told["view_mismatches"] == 0,
        "errors happened": told["errors"] == 0,
    }
    return [text for text, held in checks.items() if not held]


def show(console: Console, told: Mapping[str, Any]) -> None:
    """For people."""
    table = Table(title=f"paiju chaos {told['scenario']}", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    rows = {
        "blows": told["blows"],
        "back after p50 / max": _times(told["recovered_ms"]),
        **{f"  {name}": _times(times) for name, times in told.get("each", {}).items()},
        "lost / double / acknowledged actions": (
            f"{told['lost_actions']} / {told['double_actions']} / {told['acknowledged_actions']}"
        ),
        "hands / void": f"{told['hands']} / {told['voided']}",
        "ledger sum / unbalanced / escrow": " / ".join(
            str(told["ledger"][name]) for name in ("sum", "unbalanced", "escrow")
        ),
        "stuck seats": told["stuck_seats"],
        "players interrupted": told["interrupted"],
    }
    for name, value in rows.items():
        table.add_row(name, str(value))
    console.print(table)
    for text in (*told["error_texts"][:10], *told["gauges"]):
        console.print(f"  {text}", style="red", markup=False, highlight=False)
    if told["broken"]:
        console.print("Not as promised: " + "; ".join(told["broken"]), style="bold red")
    else:
        console.print("Every guarantee held.", style="green")


def _times(times: Mapping[str, float]) -> str:
    return f"{times['p50']} / {times['max']} ms"
