"""Settings of rooms on a machine's shelf: what hosts play and gateways show."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from game_server.gateway.games import HallGames
from game_server.packages.library import Library
from game_server.packages.shelf import Settings, Shelf
from paiju.rules.registry import Registry
from paiju.service.refusals import Refused
from tests.unit.packages.shelves import shelf_file
from tests.unit.packages.test_library import Machine

ROOM, BULL = "doudizhu.novice", "douniu.novice"
INSTALLED = Registry.default()


def settings(number: int, room: str = ROOM, **values: int) -> Shelf:
    named = {name.replace("__", "."): value for name, value in values.items()}
    return Shelf(rooms={room: Settings(number=number, values=dict(named))})


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path, installed=INSTALLED)


def test_new_tables_play_by_them_and_others_are_told(machine: Machine) -> None:
    machine.offer(Shelf())
    before = machine.games.choose(ROOM, 1)
    assert machine.games.current(ROOM, "doudizhu", before.version) == before
    machine.offer(settings(1, rules__N=7, turn_ms__play=9_000))
    after = machine.games.choose(ROOM, 2)
    assert json.loads(after.game.id.parameters)["N"] == 7
    assert after.room.time_for("play") == 9_000
    assert machine.games.room(ROOM) == after.room
    assert machine.games.current(ROOM, "doudizhu", before.version) == after
    machine.offer(Shelf())
    assert machine.games.choose(ROOM, 3) == before


def test_a_table_of_the_journal_has_the_values_of_its_time(machine: Machine) -> None:
    machine.offer(settings(1, rules__N=7, reserve_ms=1))
    then = machine.games.choose(ROOM, 1)
    values, text = then.room.values(), then.game.id.parameters
    machine.offer(settings(2, rules__N=9))
    again = machine.games.rebuild(
        room=ROOM, game="doudizhu", rules=1, parameters=text, version=then.version, values=values
    )
    assert again == then


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (settings(2, rules__N=0), "allowed|within"),
        (settings(2, rules__nothing=1), "unknown|no such"),
        (settings(2, BULL, rules__seats_min=4, rules__seats_max=3), "above"),
        (settings(2, BULL, rules__seats_min=2, rules__seats_max=2), "seats, (not|but)"),
        (settings(2, buy_in_min=10**9), "do not rise"),
    ],
)
def test_what_the_game_refuses_changes_nothing(
    machine: Machine, wrong: Shelf, says: str, tmp_path: Path
) -> None:
    (room,) = wrong.rooms
    machine.offer(settings(1, room, reserve_ms=5))
    machine.offer(wrong)
    assert machine.games.choose(room, 1).room.reserve_ms == 5, "as it was"
    edition = machine.library.view.rooms[room].main
    assert re.search(says, machine.library.settled(edition, room).refused)
    fresh = Machine(tmp_path, installed=INSTALLED)
    fresh.games.begin()  # a process that has never had anything else
    assert room not in fresh.games.rooms() and len(fresh.games.rooms()) > 5
    with pytest.raises(Refused, match="GAME_STOPPED"):
        fresh.games.choose(room, 1)


def test_gateways_show_them_and_tell_the_keeper(tmp_path: Path) -> None:
    file = shelf_file(tmp_path)
    file.write(settings(3, rules__N=7, buy_in_min=10, buy_in_default=20))
    games = HallGames(Library(INSTALLED, file), file)
    games.begin()
    (spec,) = [spec for spec in games.specs() if spec.id == ROOM]
    assert json.loads(spec.parameters)["N"] == 7
    assert (spec.buy_in_min, spec.buy_in_default) == (10, 20)
    told = {room.room: room for room in file.rooms_told()}
    assert len(told) == len(games.specs())
    one = told[ROOM]
    assert (one.number, one.refused, one.version) == (3, "", spec.package_version)
    assert one.schema["N"]["minimum"] == 1 and one.preset["rules.N"] != 7
