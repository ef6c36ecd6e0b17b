"""A host that is restarted in the middle of an upgrade: each table gets the version it had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from game_server.packages.hosting import HostGames
from game_server.packages.library import Library
from game_server.packages.shelf import Offer, Shelf, ShelfFile
from paiju.rules.registry import Registry
from paiju.wire.v1 import hall_pb2
from tests.packages.variants import doudizhu
from tests.unit.packages.shelves import put, shelf_file
from tests.unit.tables.host_rig import Ledger, Rig
from tests.unit.tables.test_recovery import move, play_out

ROOM = "doudizhu.novice"


def offer(shelf: ShelfFile, versions: dict[str, str], version: str) -> None:
    offers = [Offer(package="doudizhu", version=version, change=1)]
    shelf.write(Shelf(offers=offers, versions=versions))


def games_of(shelf: ShelfFile) -> HostGames:
    games = HostGames(Library(Registry([]), shelf))
    games.begin()
    return games


async def three(rig: Rig, link: Any, first: int) -> Any:
    join = hall_pb2.QuickJoin(room=ROOM)
    for player in range(first, first + 3):
        ref = (await rig.ask(link, player, quick_join=join)).seated.table
    for player in range(first, first + 3):
        await rig.ask(link, player, ready=hall_pb2.Ready(table=ref, contribution=b"c"))
    return ref


async def test_tables_of_both_versions_come_back_as_they_were(tmp_path: Path) -> None:
    shelf = shelf_file(tmp_path)
    old_and_new = doudizhu("1.0.1"), doudizhu("1.1.0", escape_factor=4, rules=2)
    versions = put(tmp_path, *old_and_new)
    offer(shelf, versions, "1.0.1")
    url, ledger = f"sqlite:///{tmp_path}/journal.db", Ledger()
    games = games_of(shelf)
    rig = Rig(url, ledger=ledger, games=games)
    link = rig.link("gateway-0")
    old = await three(rig, link, 1)
    for _ in range(4):
        await move(rig, link, old)
    offer(shelf, versions, "1.1.0")
    games.begin()
    new = await three(rig, link, 11)
    assert [rig.table(ref).package for ref in (old, new)] == ["1.0.1", "1.1.0"]
    await rig.host.out.written()
    await rig.kill()

    again = games_of(shelf)  # another process: only what is offered is loaded at first
    rig = Rig(url, ledger=ledger, games=again)
    await rig.recover(games=again)
    tables = [rig.table(ref) for ref in (old, new)]
    assert [(t.package, t.game.id.version) for t in tables] == [("1.0.1", 1), ("1.1.0", 2)]
    link = rig.link("gateway-1")
    for ref, players in ((old, (1, 2, 3)), (new, (11, 12, 13))):
        for player in players:
            await rig.ask(link, player, watch=hall_pb2.Watch(table=ref))
        await play_out(rig, link, ref)
    records = sorted((s.record for s in ledger.settled), key=lambda r: b'"1.1.0"' in r)
    assert b'"package":"1.0.1"' in records[0] and b'"package":"1.1.0"' in records[1]
    await rig.kill()
