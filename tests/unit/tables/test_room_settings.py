"""An operator changes a room while people play: hands and matches end as they began."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from game_server.packages.hosting import HostGames
from game_server.packages.library import Library
from game_server.packages.shelf import Settings, Shelf
from game_server.rooms import load_rooms
from game_server.tables.room import RoomSpec
from paiju.packages.room_values import Values
from paiju.rules import record
from paiju.rules.registry import Registry
from paiju.service.refusals import Refused
from paiju.wire.v1 import hall_pb2
from tests.unit.packages.shelves import shelf_file
from tests.unit.tables.harness import ROOM
from tests.unit.tables.host_rig import Ledger, Rig
from tests.unit.tables.test_recovery import play_out
from tests.unit.tables.test_replay import REGISTRY, Witness, check_prefixes
from tests.unit.tables.test_versions_recovered import ROOM as NOVICE
from tests.unit.tables.test_versions_recovered import three

MATCHES = load_rooms(REGISTRY)["aiqipai_shengji.one"]


def tell(harness: Witness, values: Values) -> RoomSpec:
    """What the desk tells the table when the room has other values."""
    room = harness.table.room.with_values(values)
    game = REGISTRY.latest(room.game, dict(room.parameters))
    harness.table.will_play(room, game, at=harness.at)
    harness.collect()
    return room


def parameter(harness: Witness, name: str) -> int:
    return int(json.loads(harness.table.game.id.parameters)[name])


def shown(harness: Witness, name: str) -> int:
    """As a spectator sees it."""
    (parts,) = [harness.table.stream.view(harness.table.stream.viewer_of(None))]
    return int(json.loads(json.loads(parts["@table"])["parameters"])[name])


def kinds(harness: Witness) -> list[str]:
    return [step.kind for step in harness.steps]


def test_a_hand_ends_as_it_began_and_the_next_one_is_another() -> None:
    harness = Witness()
    harness.begin()
    harness.play_hint()
    tell(harness, {"rules.N": 30, "turn_ms.play": 5_000, "buy_in_min": 300})
    assert (parameter(harness, "N"), shown(harness, "N")) == (10, 10)
    harness.finish_hand()
    assert json.loads(harness.settled[0].record.parameters)["N"] == 10
    assert kinds(harness)[-2:] == ["hand_end", "room"], "before anybody can be ready for it"
    assert (parameter(harness, "N"), shown(harness, "N")) == (30, 30)
    assert harness.table.room.time_for("play") == 5_000
    for seat in range(3):
        harness.ready(100 + seat)
    harness.finish_hand()
    assert json.loads(harness.settled[1].record.parameters)["N"] == 30
    assert check_prefixes(harness) > 20


def test_whoever_was_ready_for_the_old_values_is_asked_again() -> None:
    harness = Witness()
    watcher = harness.watch(None)
    for seat in range(3):
        harness.sit(100 + seat, seat)
    for seat in range(2):
        harness.ready(100 + seat)
    tell(harness, {"rules.N": 30, "buy_in_min": 2_000, "buy_in_default": 2_000})
    assert [s.ready for s in harness.table.roster.all()] == [False] * 3
    assert watcher.events[-1][1] == "@room"
    assert watcher.get("@seat0")["ready"] is False
    with pytest.raises(Refused, match="NOT_ENOUGH"):
        harness.ready(100)
    assert not harness.table.playing
    assert check_prefixes(harness) > 5


def test_a_match_keeps_what_it_began_with() -> None:
    harness = Witness(room=MATCHES)
    harness.begin()
    harness.finish_hand()
    assert harness.table.in_match
    tell(harness, {"rules.unit": parameter(harness, "unit") + 7})
    before = parameter(harness, "unit")
    for seat in range(4):
        harness.ready(100 + seat)
    harness.finish_hand()
    assert parameter(harness, "unit") == before and "room" not in kinds(harness)
    harness.table.stand(100, abandon=False, at=harness.at)
    harness.collect()
    harness.free_leaving()  # the match is over with that
    harness.sit(999, 0)
    for player in (999, 101, 102, 103):
        harness.ready(player)
    assert "room" in kinds(harness) and not harness.table.playing, "all look again first"
    for player in (999, 101, 102, 103):
        harness.ready(player)
    assert harness.table.playing and parameter(harness, "unit") == before + 7
    assert check_prefixes(harness, every=7) > 5


def test_what_is_changed_and_changed_back_disturbs_nobody() -> None:
    harness = Witness()
    harness.begin()
    tell(harness, {"rules.N": 30})
    tell(harness, {"rules.N": 10})
    harness.finish_hand()
    assert "room" not in kinds(harness)


def test_the_journal_has_the_values_of_each_hand() -> None:
    harness = Witness()
    harness.begin()
    tell(harness, {"reserve_ms": 1})
    harness.finish_hand()
    for seat in range(3):
        harness.ready(100 + seat)
    begun = [msgspec.json.decode(s.body) for s in harness.steps if s.kind == "hand_begin"]
    assert [body["values"]["reserve_ms"] for body in begun] == [ROOM.reserve_ms, 1]
    assert Registry.default().latest("doudizhu", {"N": 10, "A": 2}).id == harness.game.id


async def test_a_restarted_host_plays_a_hand_by_its_own_values_to_the_end(tmp_path: Path) -> None:
    shelf, url, ledger = shelf_file(tmp_path), f"sqlite:///{tmp_path}/journal.db", Ledger()

    def offer(number: int, worth: int) -> None:
        values: dict[str, int | bool | str] = {"rules.N": worth, "reserve_ms": worth}
        shelf.write(Shelf(rooms={NOVICE: Settings(number=number, values=values)}))

    def games_of() -> HostGames:
        games = HostGames(Library(Registry.default(), shelf))
        games.begin()
        return games

    def values(rig: Rig, ref: Any) -> tuple[int, int]:
        table = rig.table(ref)
        return json.loads(table.game.id.parameters)["N"], table.room.reserve_ms

    offer(1, 20)
    games = games_of()
    rig = Rig(url, ledger=ledger, games=games)
    link = rig.link("gateway-0")
    ref = await three(rig, link, 1)
    offer(2, 30)
    games.begin()
    rig.host.desk.renew_tables()
    assert values(rig, ref) == (20, 20)
    await rig.host.out.written()
    await rig.kill()

    games = games_of()
    rig = Rig(url, ledger=ledger, games=games)
    await rig.recover(games=games)
    assert values(rig, ref) == (20, 20), "the hand goes on as it began"
    rig.host.desk.renew_tables()
    link = rig.link("gateway-1")
    for player in (1, 2, 3):
        await rig.ask(link, player, watch=hall_pb2.Watch(table=ref))
    await play_out(rig, link, ref)
    assert values(rig, ref) == (30, 30)
    (settled,) = ledger.settled
    assert json.loads(record.decode(settled.record).parameters)["N"] == 20
    await rig.host.out.written()
    await rig.kill()

    rig = Rig(url, ledger=ledger, games=games)
    await rig.recover(games=games)  # the row of the change is among those that are replayed
    assert values(rig, ref) == (30, 30)
    await rig.kill()
