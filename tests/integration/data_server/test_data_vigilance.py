"""`paiju admin collusion` over the records of a hall in which two players collude."""

from __future__ import annotations

import asyncio
import json
import random
import time
from pathlib import Path
from typing import Any

from data_hall import Client, Player
from sqlalchemy import insert
from typer.testing import CliRunner

from data_server.store.tables import HandRecord
from paiju.cli.admin import app
from paiju.rules.record import Record, RecordedOutcome, encode
from paiju.wire.v1 import data_pb2

HOUR_US = 3600 * 10**6
HOURS = 24


def rows(players: list[Player], now_us: int) -> list[dict[str, Any]]:
    """Hands of 24 players at 8 tables; the first two sit together and the first loses."""
    rng = random.Random(5)
    made = []
    for hour in range(HOURS):
        others = [player.id for player in players[2:]]
        rng.shuffle(others)
        order = [players[0].id, players[1].id, *others]
        for table in range(8):
            seated = order[3 * table : 3 * table + 3]
            for number in range(4):
                lost = 0 if table == 0 else rng.randrange(3)
                deltas = [10, 10, 10]
                deltas[lost] = -20
                ended = now_us - (HOURS - hour) * HOUR_US + number * 60 * 10**6
                made.append(row(1 + table, hour * 10 + number, seated, deltas, ended))
    return made


def row(table: int, hand: int, seated: list[int], deltas: list[int], ended: int) -> dict[str, Any]:
    record = Record(
        game="doudizhu",
        version=1,
        package="1",
        parameters="",
        table=str(table),
        hand=hand,
        seats=[str(player) for player in seated],
        bots=[False] * 3,
        wealth=None,
        carry={},
        commitment="",
        contributions=[],
        secret="",
        actions=[],
        started_us=ended - 1,
        ended_us=ended,
        outcome=RecordedOutcome("finished", deltas, [0, 0, 0]),
    )
    return {
        "table_id": table,
        "hand": hand,
        "game": "doudizhu",
        "rule_set": "doudizhu.classic",
        "record": encode(record),
        "ended_us": ended,
    }


async def test_the_pair_is_named_and_nothing_is_done_to_it(hall: Client, tmp_path: Path) -> None:
    players = [await hall.guest() for _ in range(24)]  # all of them from one crowded address
    hands = rows(players, time.time_ns() // 1000)
    hands.append({**hands[-1], "hand": 999, "record": b"no record"})
    await hall.server.database.write(lambda tx: tx.execute(insert(HandRecord), hands))

    key = tmp_path / "key"
    key.write_text(hall.server.secrets.admin_key)
    where = ["--address", hall.addresses.admin, "--key-file", str(key)]
    arguments = ["collusion", "--days", "7", "--json", str(tmp_path / "found.json"), *where]
    result = await asyncio.to_thread(CliRunner().invoke, app, arguments)
    assert result.exit_code == 0, result.output
    found = json.loads((tmp_path / "found.json").read_text())
    assert (found["hands"], found["players"]) == (len(hands) - 1, 24)
    (pair,) = found["pairs"]
    assert {pair["first"], pair["second"]} == {str(player.id) for player in players[:2]}
    assert pair["signals"] == ["meetings", "flow"] and not pair["same_address"]
    assert (pair["meetings"], pair["hands"]) == (HOURS, HOURS * 4)
    lower_loses = players[0].id < players[1].id
    assert abs(pair["flow"]) == HOURS * 4 * 10 and (pair["flow"] > 0) == lower_loses
    penalties = await hall.admin.ListPenalties(data_pb2.ListPenaltiesRequest())
    assert not penalties.rows
    recent = await hall.admin.FindCollusion(
        data_pb2.CollusionRequest(since_us=time.time_ns() // 1000 - HOUR_US)
    )
    assert recent.hands < 40 and not recent.pairs
