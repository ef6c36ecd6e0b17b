"""The hall from login to ledger: bots play, connections are cut, the books balance."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.acceptance.command import paiju

GUARANTEES = {"voided": 0, "errors": 0, "view_mismatches": 0}


def _demo(folder: Path, *more: str) -> dict:
    out = folder / "out.json"
    paiju("demo", "--seed", "7", "--json", str(out), *more)
    figures: dict = json.loads(out.read_text())
    assert {name: figures[name] for name in GUARANTEES} == GUARANTEES
    assert figures["ledger"]["sum"] == 0
    assert figures["ledger"]["unbalanced"] == 0
    assert figures["ledger"]["escrow"] == 0
    assert figures["table_hosts"] >= 1
    assert figures["latency_samples"] == figures["actions"] > 0
    assert figures["records_verified"] >= figures["hands"]
    assert figures["views_checked"] > 0
    # Five times as wide as the promise (p99 60 ms on two cores), because others work beside,
    # and the 300 ms that a bot stays away on purpose: of few samples that is the p99.
    assert figures["latency_ms"]["p99"] <= 600
    return figures


def test_the_demo_on_sqlite_and_an_independent_recount(tmp_path: Path) -> None:
    """Balances follow from the records alone, replayed by the rules and nothing else."""
    folder = tmp_path / "hall"
    figures = _demo(
        tmp_path,
        *["--players", "30", "--hands", "60", "--think", "0.1", "--data-dir", str(folder)],
    )
    assert figures["hands"] >= 60
    assert figures["resumes"] >= 20
    # Every process names its data folder or its parent's; none may outlive the demo.
    left = subprocess.run(["pgrep", "-af", str(folder)], capture_output=True, text=True)
    assert left.stdout == ""
    with sqlite3.connect(folder / "hall.sqlite3") as books:
        lines = [
            bytes(row[0]).decode()
            for row in books.execute("SELECT record FROM hand_record ORDER BY table_id, hand")
        ]
        granted = dict(
            books.execute(
                """SELECT account.owner, SUM(posting.amount)
                   FROM posting JOIN account ON account.id = posting.account_id
                   JOIN journal_entry ON journal_entry.id = posting.entry_id
                   WHERE account.kind = 'wallet' AND journal_entry.id IN
                       (SELECT entry_id FROM posting JOIN account
                        ON account.id = posting.account_id WHERE account.kind = 'mint')
                   GROUP BY account.owner"""
            ).fetchall()
        )
        wallets = dict(
            books.execute("SELECT owner, balance FROM account WHERE kind = 'wallet'").fetchall()
        )
        house = books.execute(
            "SELECT COALESCE(SUM(balance), 0) FROM account WHERE kind = 'house'"
        ).fetchone()[0]
    hands = tmp_path / "hands.jsonl"
    hands.write_text("\n".join(lines) + "\n")
    outcomes = json.loads(paiju("rules", "replay", str(hands), "--json", "-"))
    assert len(outcomes) == len(lines) >= 60
    won: Counter[int] = Counter()
    fees = 0
    for outcome in outcomes:
        for player, delta in zip(outcome["seats"], outcome["deltas"], strict=True):
            won[int(player)] += delta
        fees += sum(outcome["fees"])
    assert wallets == {player: granted[player] + won[player] for player in wallets}
    assert house == fees


def test_the_demo_on_postgresql(tmp_path: Path) -> None:
    figures = _demo(
        tmp_path,
        *["--players", "12", "--hands", "24", "--think", "0.1", "--database", "postgresql"],
    )
    assert figures["hands"] >= 24


@pytest.mark.soak
def test_the_demo_as_the_issue_asks_for_it(tmp_path: Path) -> None:
    figures = _demo(tmp_path, "--players", "60", "--hands", "200")
    assert figures["hands"] >= 200 and figures["resumes"] >= 20
    assert figures["latency_ms"]["p50"] <= 10
    assert figures["latency_ms"]["p99"] <= 60
