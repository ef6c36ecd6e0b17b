"""What becomes of tables when their version is no longer the one that is offered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from game_server.tables import desk
from game_server.tables.games import Choice, Standing
from game_server.tables.room import RoomSpec
from paiju.rules.registry import Registry
from paiju.service.refusals import Refused
from paiju.wire.v1 import hall_pb2
from tests.unit.tables.harness import ROOM
from tests.unit.tables.host_rig import Rig, until
from tests.unit.tables.test_recovery import play_out, three_play

GAME = Registry.default().latest(ROOM.game, dict(ROOM.parameters))


class Versions:
    """One room whose version the test changes. standings: of versions; else it is open."""

    def __init__(self) -> None:
        self.version = "1.0.0"
        self.standings: dict[str, Standing] = {}

    def now(self, version: str, **standings: Standing) -> None:
        """version: "" for none. standings: of versions, written v1_0_0."""
        self.version = version
        self.standings = {n.strip("v").replace("_", "."): s for n, s in standings.items()}

    def rooms(self) -> list[str]:
        return [ROOM.id]

    def room(self, room: str) -> RoomSpec | None:
        return ROOM if room == ROOM.id else None

    def current(self, room: str, game: str, version: str) -> None:
        return None

    def rebuild(self, *, version: str, **_: Any) -> Choice:
        return Choice(ROOM, GAME, version)

    def choose(self, room: str, table: int) -> Choice:
        if not self.version:
            raise Refused("GAME_STOPPED")
        return Choice(ROOM, GAME, self.version)

    def standing(self, game: str, version: str) -> Standing:
        return self.standings.get(version, Standing.OPEN)

    def fault(self, game: str, version: str, table: int, error: str) -> None:
        pass


@pytest.fixture
def games() -> Versions:
    return Versions()


@pytest.fixture
async def rig(tmp_path: Path, games: Versions) -> AsyncIterator[Rig]:
    rig = Rig(f"sqlite:///{tmp_path}/journal.db", games=games)
    yield rig
    rig.ledger.gate.set()
    await rig.kill()


def tables(rig: Rig) -> dict[str, int]:
    return {version: n for (_, version), n in rig.host.desk.tables_by_version().items()}


async def ready(rig: Rig, link: Any, ref: Any, player: int) -> str:
    answer = await rig.ask(link, player, ready=hall_pb2.Ready(table=ref, contribution=b"c"))
    return answer.refusal.code


async def test_an_upgrade_disturbs_no_hand_and_newcomers_get_the_new_version(
    rig: Rig, games: Versions
) -> None:
    ref, link = await three_play(rig, moves=4)
    games.now("1.1.0", v1_0_0=Standing.FINISHING)
    new = (await rig.join(link, 4)).seated.table
    assert new.table != ref.table
    assert tables(rig) == {"1.0.0": 1, "1.1.0": 1}
    sit = hall_pb2.Sit(table=ref, seat=0)
    assert (await rig.ask(link, 5, sit=sit)).refusal.code == "TABLE_FINISHING"
    await play_out(rig, link, ref)
    rig.host.desk.retire_tables()
    assert not rig.table(ref).empty, "those who sit there play on"
    for player in (1, 2, 3):
        assert await ready(rig, link, ref, player) == ""
    assert rig.table(ref).playing and rig.table(ref).package == "1.0.0"
    await play_out(rig, link, ref)
    await rig.ask(link, 2, stand=hall_pb2.Stand(table=ref))
    # A seat is free and nobody may take it: the two who are left could never play again.
    await until(lambda: "1.0.0" not in tables(rig))
    assert sorted(rig.ledger.stood_up) == [1, 2, 3]
    told = [
        (player, update.notice.params["why"])
        for event in link.events
        if (update := hall_pb2.Update.FromString(event.deliver.update)).notice.code == "SEAT_LOST"
        for player in event.deliver.players
    ]
    assert sorted(told) == [(1, "retired"), (3, "retired")]


async def test_a_stopped_game_ends_with_the_running_hand(rig: Rig, games: Versions) -> None:
    ref, link = await three_play(rig, moves=4)
    games.now("", v1_0_0=Standing.ENDING)
    assert (await rig.join(link, 4)).refusal.code == "GAME_STOPPED"
    rig.host.desk.retire_tables()
    assert rig.table(ref).playing
    await play_out(rig, link, ref)
    assert await ready(rig, link, ref, 1) in ("GAME_STOPPED", "NO_SUCH_TABLE", "RETRY")
    await until(lambda: not tables(rig))
    assert rig.ledger.open == {} and len(rig.ledger.settled) == 1


async def test_a_match_goes_on_in_a_stopped_game_for_a_while(
    rig: Rig, games: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, link = await three_play(rig, moves=2)
    games.now("", v1_0_0=Standing.ENDING)
    await play_out(rig, link, ref)
    table = rig.table(ref)
    table._carry = {"pot": 30}
    rig.host.desk.retire_tables()
    assert not table.empty and not rig.host.desk.is_ending(table)
    monkeypatch.setattr(desk, "MATCH_MORE_MS", 0)
    await until(lambda: not tables(rig))


async def test_a_version_that_raises_ends_at_once_between_hands(rig: Rig, games: Versions) -> None:
    ref, link = await three_play(rig, moves=2)
    rig.table(ref)._carry = {"pot": 30}
    games.now("1.0.9", v1_0_0=Standing.BROKEN)
    await play_out(rig, link, ref)
    await until(lambda: "1.0.0" not in tables(rig))
    text = rig.metrics.registry
    await until(
        lambda: (
            text.get_sample_value(
                "paiju_host_version_tables", {"game": "doudizhu", "version": "1.0.0"}
            )
            is None
        )
    )


async def test_who_is_on_the_way_to_a_seat_gets_it_and_is_stood_up_then(
    rig: Rig, games: Versions
) -> None:
    link = rig.link("gateway-0")
    rig.ledger.gate.clear()
    joining = asyncio.ensure_future(rig.join(link, 1))
    await until(lambda: tables(rig))
    games.now("1.1.0", v1_0_0=Standing.FINISHING)
    rig.host.desk.retire_tables()
    rig.ledger.gate.set()
    assert (await joining).HasField("seated")
    await until(lambda: "1.0.0" not in tables(rig))
    assert rig.ledger.open == {}
