"""A gateway's side of packages: rooms as they are offered, sentences, client parts."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from pathlib import Path

import pytest

from game_server.gateway.games import PART_BYTES, HallGames
from game_server.gateway.rooms import RoomSpec
from game_server.packages.library import Library
from game_server.packages.shelf import Shelf, ShelfFile
from paiju.rules.registry import Registry
from paiju.service.refusals import Refused
from paiju.wire.v1 import hall_pb2
from tests.unit.packages.shelves import offering, put, shelf_file, toss

VIEW = "// " + "x" * (PART_BYTES + 100)


@pytest.fixture
def shelf(tmp_path: Path) -> ShelfFile:
    return shelf_file(tmp_path)


def hall(shelf: ShelfFile, installed: Registry | None = None) -> HallGames:
    games = HallGames(Library(installed or Registry([]), shelf), shelf)
    games.begin()
    return games


async def test_a_change_is_told_once_and_within_a_second(shelf: ShelfFile, tmp_path: Path) -> None:
    games, told = hall(shelf), []
    task = asyncio.ensure_future(games.run(told.append))
    try:
        versions = put(tmp_path, toss("1.0.0"))
        for shelf_now, rooms in (
            (offering(versions, "1.0.0", minimum_client=3), [("toss.novice", "1.0.0", 3)]),
            (offering(versions, "1.0.0", minimum_client=3, change=9), None),
            (Shelf(stopped=["toss"], versions=versions), []),
        ):
            before = len(told)
            shelf.write(shelf_now)
            if rooms is None:
                await asyncio.sleep(0.8)  # nothing that players see has changed
                assert len(told) == before
                continue
            async with asyncio.timeout(10):
                while len(told) == before:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
            specs: list[RoomSpec] = told[-1]
            assert [(s.id, s.package_version, s.minimum_client) for s in specs] == rooms
    finally:
        task.cancel()


def test_client_parts_are_served_in_pieces_without_code(shelf: ShelfFile, tmp_path: Path) -> None:
    versions = put(tmp_path, toss("1.0.0", **{"view.js": VIEW}))
    shelf.write(offering(versions, "1.0.0"))
    games = hall(shelf)
    parts = games.describe("toss", "1.0.0")
    assert [part.path for part in parts.files] == ["help.en.md", "view.js"]
    assert parts.files[1].sha256 == sha256(VIEW.encode()).hexdigest()
    ask = hall_pb2.GetPackageFile(package="toss", version="1.0.0", path="view.js")
    first = games.part(ask)
    ask.offset = len(first.data)
    assert len(first.data) == PART_BYTES
    assert first.data + games.part(ask).data == VIEW.encode()
    ask.offset = 1 << 30
    assert games.part(ask).data == b""
    for path in ("rules.py", "cases.jsonl", "../x", ""):
        ask.path = path
        with pytest.raises(Refused, match="NO_SUCH_VERSION"):
            games.part(ask)
    with pytest.raises(Refused, match="NO_SUCH_VERSION"):
        games.describe("toss", "6.6.6")


def test_installed_packages_have_client_parts_too(shelf: ShelfFile) -> None:
    games = hall(shelf, Registry.default())
    assert "help.zh.md" in {p.path for p in games.describe("doudizhu", "1.0.0").files}
    with pytest.raises(Refused):
        games.describe("doudizhu", "0.9.0")
    assert "beat" in games.sentence(
        "DOES_NOT_BEAT", {"kind": "pair", "rank": "9"}, "en", "doudizhu"
    )
