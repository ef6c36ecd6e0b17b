"""Versions side by side in one process: offered, staged, kept for tables, gone from memory."""

from __future__ import annotations

import gc
import sys
import weakref
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from game_server.packages.hosting import FAULTY_TABLES, FAULTY_WITHIN_S, HostGames
from game_server.packages.library import Library
from game_server.packages.shelf import FAULTY, YANKED, BadShelf, Offer, Shelf, ShelfFile
from game_server.tables.games import Standing
from paiju.packages.loader import ROOT
from paiju.rules.registry import Registry, UnknownGame
from paiju.service.refusals import Refused
from tests.unit.packages.shelves import offering, put, shelf_file, thief, toss

ROOM = "toss.novice"


class Machine:
    """A host's games over a shelf that the test writes."""

    def __init__(self, folder: Path, *, installed: Registry | None = None) -> None:
        self.folder = folder
        self.file = shelf_file(folder)
        self.library = Library(installed or Registry([]), self.file)
        self.tables: Counter[tuple[str, str]] = Counter()
        self.now = 0.0
        self.games = HostGames(
            self.library,
            used=lambda: self.games.by_package(self.tables),
            clock=lambda: self.now,
        )

    def offer(self, shelf: Shelf) -> None:
        self.file.write(shelf)
        self.games.begin()
        self.library.forget(self.games.used())


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_room_appears_and_a_table_gets_the_version_that_is_offered(machine: Machine) -> None:
    machine.games.begin()
    assert not machine.games.rooms()
    versions = put(machine.folder, toss("1.0.0"), toss("1.1.0", 7))
    machine.offer(offering(versions, "1.0.0"))
    assert set(machine.games.rooms()) == {ROOM}
    old = machine.games.choose(ROOM, 1)
    machine.offer(offering(versions, "1.1.0"))
    new = machine.games.choose(ROOM, 2)
    assert (old.version, new.version) == ("1.0.0", "1.1.0")
    assert machine.games.standing("toss", "1.1.0") is Standing.OPEN


def test_an_old_version_stays_for_its_tables_and_then_leaves_memory(machine: Machine) -> None:
    versions = put(machine.folder, toss("1.0.0"), toss("1.1.0", 7))
    machine.offer(offering(versions, "1.0.0"))
    game = machine.games.choose(ROOM, 1).game
    state = game.new_state(2)
    code, old = weakref.ref(type(game)), type(game).__module__.removesuffix(".rules")
    assert old.startswith(f"{ROOT}.toss_")
    machine.tables["toss", "1.0.0"] = 1
    machine.offer(offering(versions, "1.1.0"))
    assert machine.games.standing("toss", "1.0.0") is Standing.FINISHING
    state.apply(-1, 1)
    assert state.outcome().deltas == (5, -5)
    del state, game
    gc.collect()
    assert code() is not None, "the table that plays it may begin another hand"
    machine.tables.clear()
    machine.library.forget(machine.games.used())
    gc.collect()
    assert code() is None
    assert not any(name.startswith(old) for name in sys.modules)
    assert machine.games.standing("toss", "1.0.0") is Standing.ENDING


def test_staged_tables_are_the_percentage_and_more_percent_only_add_some(machine: Machine) -> None:
    versions = put(machine.folder, toss("1.0.0"), toss("1.1.0", 7))
    parts: list[set[int]] = []
    for percent in (10, 20, 100):
        machine.offer(offering(versions, "1.0.0", staged="1.1.0", percent=percent))
        chosen = {t for t in range(1000) if machine.games.choose(ROOM, t).version == "1.1.0"}
        assert abs(len(chosen) - percent * 10) <= 20
        parts.append(chosen)
    assert parts[0] < parts[1] < parts[2]
    assert machine.games.standing("toss", "1.0.0") is Standing.OPEN
    assert machine.games.standing("toss", "1.1.0") is Standing.OPEN


def test_a_stopped_game_ends_and_can_begin_again(machine: Machine) -> None:
    versions = put(machine.folder, toss("1.0.0"))
    machine.offer(offering(versions, "1.0.0"))
    machine.tables["toss", "1.0.0"] = 1
    machine.offer(Shelf(stopped=["toss"], versions=versions))
    assert machine.games.standing("toss", "1.0.0") is Standing.ENDING
    assert machine.games.room(ROOM) is not None, "its tables are still found"
    with pytest.raises(Refused, match="GAME_STOPPED"):
        machine.games.choose(ROOM, 2)
    machine.offer(offering(versions, "1.0.0"))
    assert machine.games.standing("toss", "1.0.0") is Standing.OPEN


def test_the_journal_gets_the_version_that_it_names(machine: Machine) -> None:
    versions = put(machine.folder, toss("1.0.0"), toss("1.1.0", 7))
    machine.offer(offering(versions, "1.1.0"))
    chosen = machine.games.rebuild(
        room=ROOM, game="toss", rules=1, parameters="{}", version="1.0.0"
    )
    state = chosen.game.new_state(2)
    state.apply(-1, 1)
    assert (chosen.version, state.outcome().deltas) == ("1.0.0", (5, -5))
    with pytest.raises(UnknownGame):
        machine.games.rebuild(room=ROOM, game="gone", rules=1, parameters="{}", version="1.0.0")


def test_a_version_that_raises_at_several_tables_is_withdrawn(machine: Machine) -> None:
    versions = put(machine.folder, toss("1.0.0"))
    machine.offer(offering(versions, "1.0.0"))
    for _ in range(10):
        machine.games.fault("toss", "1.0.0", 7, "one table again and again")
    assert machine.games.standing("toss", "1.0.0") is Standing.OPEN
    machine.now += FAULTY_WITHIN_S + 1
    for table in range(FAULTY_TABLES):
        machine.games.fault("toss", "1.0.0", table, "boom")
    assert machine.games.standing("toss", "1.0.0") is Standing.BROKEN
    with pytest.raises(Refused, match="GAME_STOPPED"):
        machine.games.choose(ROOM, 2)
    (told,) = machine.games.report()
    assert (told["bad"], told["faults"], told["detail"]) == (True, 10 + FAULTY_TABLES, "boom")
    machine.offer(offering(versions, "1.0.0", change=2))  # the operator has started it again
    assert machine.games.standing("toss", "1.0.0") is Standing.OPEN


@pytest.mark.parametrize(("why", "standing"), [(YANKED, "ending"), (FAULTY, "broken")])
def test_a_bad_version_ends(machine: Machine, why: str, standing: str) -> None:
    versions = put(machine.folder, toss("1.0.0"), toss("1.1.0"))
    machine.offer(offering(versions, "1.0.0"))
    machine.tables["toss", "1.0.0"] = 1
    machine.offer(offering(versions, "1.1.0", bad={"toss/1.0.0": why}))
    assert machine.games.standing("toss", "1.0.0") is Standing(standing)


@pytest.mark.parametrize(
    "broken", [{"rules.py": "raise RuntimeError('at import')"}, {"rules.py": "Toss = None"}]
)
def test_what_cannot_be_loaded_is_left_out_and_told(
    machine: Machine, broken: dict[str, str]
) -> None:
    versions = put(machine.folder, toss("1.0.0"), toss("1.1.0", **broken))
    machine.offer(offering(versions, "1.0.0"))
    machine.offer(offering(versions, "1.1.0"))
    assert machine.games.choose(ROOM, 1).version == "1.0.0", "it stays as it was"
    (told,) = [one for one in machine.games.report() if one["bad"]]
    assert told["version"] == "1.1.0"


def test_rule_sets_of_another_package_are_not_taken_over(machine: Machine) -> None:
    versions = put(machine.folder, toss("1.0.0"), thief())
    honest = offering(versions, "1.0.0")
    stolen = Offer(package="athief", version="1.0.0", change=1)
    machine.offer(honest)
    machine.offer(msgspec.structs.replace(honest, offers=[*honest.offers, stolen]))
    assert machine.games.choose(ROOM, 1).game.info.max_seats == 2
    assert machine.library.view.rooms[ROOM].offer.package == "toss"
    (told,) = [one for one in machine.games.report() if one["bad"]]
    assert (told["package"], "of another package" in told["detail"]) == ("athief", True)


def test_a_shelf_or_an_archive_that_was_changed_is_not_read(tmp_path: Path) -> None:
    file = shelf_file(tmp_path)
    versions = put(tmp_path, toss("1.0.0"))
    file.write(offering(versions, "1.0.0"))
    assert file.read().offers[0].version == "1.0.0"
    path = tmp_path / "shelf.json"
    path.write_text(path.read_text().replace("1.0.0", "6.6.6"))
    with pytest.raises(BadShelf, match="somebody else"):
        file.read()
    with pytest.raises(BadShelf, match="somebody else"):
        file.write(offering(versions, "1.0.0"))
        ShelfFile(tmp_path, b"another key").read()
    archive = tmp_path / "archives" / f"{versions['toss/1.0.0']}.zip"
    blob = bytearray(archive.read_bytes())
    blob[len(blob) // 2] ^= 1
    archive.write_bytes(blob)
    with pytest.raises(BadShelf):
        file.contents(versions, "toss/1.0.0")
    archive.write_bytes(toss("1.0.0", worth=9))
    with pytest.raises(BadShelf, match="not what was verified"):
        file.contents(versions, "toss/1.0.0")
