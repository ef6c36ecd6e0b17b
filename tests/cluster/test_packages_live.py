"""A new version of a game is published while bots play the old one on two game servers."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hall_client import HallClient
from hall_client.bots.mind import GameMind
from hall_client.events import Event, RoomsChanged
from hall_client.load.driver import Driver, LoadPlan
from hall_client.packages import PartStore
from paiju.packages import archive
from paiju.packages.client_files import client_files
from paiju.packages.keys import KeyFolder
from paiju.wire.server_keys import ServerKeys, decode
from tests.acceptance.command import paiju
from tests.cluster.test_two_nodes import Program
from tests.packages.variants import BothVersions, doudizhu

ROOM = "doudizhu.novice"
VISIBLE_WITHIN_S = 15.0
"""Five times the promise, because others work beside."""
CLIENT_BYTES = 150_000
DOWNLOADED_WITHIN_S = 120.0
"""Four times the promise for 200 clients, for the same reason."""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    running: list[Program] = []

    def begin(module: str, name: str, state: str, **settings: object) -> Program:
        running.append(Program(module, tmp_path / name, state, **settings))
        return running[-1]

    yield begin
    for program in reversed(running):
        program.end()


class TwoServers:
    """A data server with a repository and the game servers a and b of one cell."""

    def __init__(self, start: Callable[..., Program], folder: Path) -> None:
        self.folders = {name: folder / name for name in ("data", "a", "b")}
        for made in self.folders.values():
            made.mkdir()
        keys = KeyFolder(self.folders["data"] / "package-keys")
        keys.make()
        a = self.folders["a"]
        (a / "cell-secret").write_bytes(secrets.token_bytes(32))
        (a / "ray-token").write_text(secrets.token_hex(32))
        ServerKeys.generate().save(a / "seal-keys.json")
        data = start(
            "data_server", "data", "data-server.json",
            data_dir=self.folders["data"],
            data_listen="127.0.0.1:0",
            data_admin_listen="127.0.0.1:0",
            data_metrics_listen="127.0.0.1:0",
        ).state()  # fmt: skip
        common: dict[str, object] = {
            "cell": "c",
            "data_servers": data["address"],
            "cluster_token_file": self.folders["data"] / "cluster-token",
            "cell_secret_file": a / "cell-secret",
            "ray_token_file": a / "ray-token",
            "seal_keys_file": a / "seal-keys.json",
            "package_root_file": keys.root,
            "tcp_host": "127.0.0.1",
            "drain_s": 2,
        }
        head = start(
            "game_server", "a", "game-server.json", server="a", data_dir=a, **common
        ).state()
        joined = start(
            "game_server", "b", "game-server.json", server="b", data_dir=self.folders["b"],
            ray_address=head["ray_address"], node_ip="127.0.0.2", **common,
        ).state()  # fmt: skip
        self.servers = {"a": head, "b": joined}
        self.keys = [decode(key) for key in head["server_keys"]]

    def package(self, *arguments: str) -> dict[str, Any]:
        """`paiju package ...` as an operator types it; its JSON."""
        said = paiju("package", *arguments, "--json", "-", "--data-dir", str(self.folders["data"]))
        found: dict[str, Any] = json.loads(said)
        return found

    def changed_at(self, what: str) -> float:
        """When the data server did that last, wall time."""
        said = paiju("admin", "audit", "--json", "-", "--data-dir", str(self.folders["data"]))
        rows = json.loads(said)["rows"]
        return float(next(row["time_us"] for row in rows if row["what"] == what) / 1e6)

    async def ask(self, *arguments: str) -> dict[str, Any]:
        return await asyncio.to_thread(self.package, *arguments)

    async def until(self, holds: Callable[[dict[tuple[str, str], Any]], bool]) -> None:
        """Poll `paiju package list` for doudizhu: (server, version) -> what it says."""
        for _ in range(60):
            listed = (await self.ask("list")).get("servers", [])
            states = {(s["server"], s["version"]): s for s in listed if s["package"] == "doudizhu"}
            if holds(states):
                return
            await asyncio.sleep(0.5)
        raise AssertionError(states)


class Watcher:
    """A client that only looks at the rooms. `versions`: what it heard, with the time."""

    def __init__(self, hall: TwoServers, server: str) -> None:
        self.heard: list[tuple[float, str]] = []
        self.client = HallClient(
            hall.servers[server]["gateways"], server_keys=hall.keys, observer=self._told
        )

    def _told(self, event: Event) -> None:
        if isinstance(event, RoomsChanged):
            now = {room.id: room.package_version for room in event.rooms.rooms}
            self.heard.append((time.time(), now.get(ROOM, "")))

    async def until(self, version: str) -> float:
        """When it heard of it, wall time."""
        end = time.monotonic() + VISIBLE_WITHIN_S
        while True:
            for at, heard in self.heard:
                if heard == version:
                    return at
            assert time.monotonic() < end, (version, self.heard)
            await asyncio.sleep(0.02)


def _plan(hall: TwoServers, server: str, *, players: int, hands: int, seed: int) -> LoadPlan:
    return LoadPlan(
        gateways=hall.servers[server]["gateways"],
        server_keys=hall.keys,
        room=ROOM,
        players=players,
        hands=hands,
        drops=0,
        drop_rate=0.0,
        seed=seed,
        think_s=(0.05, 0.2),
        deadline_s=240,
    )


async def _download(hall: TwoServers, folder: Path, clients: int, files: dict[str, bytes]) -> float:
    """All at once get the client part of 1.1.0 and have it whole; seconds until the last one."""

    async def one(number: int) -> None:
        server = ("a", "b")[number % 2]
        client = HallClient(hall.servers[server]["gateways"], server_keys=hall.keys)
        await client.connect()
        await client.guest(number.to_bytes(4) * 8)
        async with asyncio.timeout_at(end):
            await begin.wait()
            part = await PartStore(folder / str(number)).get(client, "doudizhu", "1.1.0")
        found = {p.relative_to(part).as_posix(): p for p in part.rglob("*") if p.is_file()}
        assert {name: await asyncio.to_thread(p.read_bytes) for name, p in found.items()} == files
        await client.close()

    begin, end = asyncio.Event(), asyncio.get_running_loop().time() + 2 * DOWNLOADED_WITHIN_S
    all_of_them = asyncio.gather(*(one(number) for number in range(1_000, 1_000 + clients)))
    begin.set()
    begun = time.monotonic()
    await all_of_them
    return time.monotonic() - begun


async def _live(
    hall: TwoServers, folder: Path, *, players: int, hands: int, downloads: int
) -> None:
    new = folder / "doudizhu-1.1.0.zip"
    new.write_bytes(doudizhu("1.1.0", escape_factor=4, rules=2, client_bytes=CLIENT_BYTES))
    minds = BothVersions(new.read_bytes())
    watchers = [Watcher(hall, server) for server in ("a", "b")]
    for number, watcher in enumerate(watchers):
        await watcher.client.connect()
        await watcher.client.guest(bytes([200 + number]) * 32)
    half = players // 2
    old = [
        asyncio.ensure_future(
            Driver(
                _plan(hall, server, players=half, hands=hands, seed=seed),
                make_mind=lambda _: GameMind(minds),
            ).run()
        )
        for seed, server in enumerate(("a", "b"))
    ]
    await hall.until(lambda s: sum(g.get("tables", 0) for g in s.values()) >= players // 3)
    data = str(hall.folders["data"])
    await asyncio.to_thread(
        paiju, "package", "author", "hall", "--package", "doudizhu", "--data-dir", data
    )
    published = await hall.ask("publish", str(new), "--author", "hall", "--hands", "1")
    assert published["version"] == "1.1.0"
    await hall.until(
        lambda s: all(s.get((n, "1.1.0"), {}).get("state") == "verified" for n in ("a", "b"))
    )
    typed = time.time()
    await hall.ask("start", "doudizhu")
    seen = max([await watcher.until("1.1.0") for watcher in watchers])
    changed = await asyncio.to_thread(hall.changed_at, "package.start")
    print(f"visible {seen - changed:.1f} s after the change, {seen - typed:.1f} s after the key")
    files = client_files(archive.unpack(new.read_bytes()).files)
    assert set(files) == {"help.en.md", "help.zh.md", "view.js", "assets/felt.webp"}
    took = await _download(hall, folder / "clients", downloads, files)
    print(f"{downloads} clients have {sum(map(len, files.values()))} bytes after {took:.1f} s")
    assert took < DOWNLOADED_WITHIN_S
    fresh = await Driver(
        _plan(hall, "a", players=3, hands=2, seed=9), make_mind=lambda _: GameMind(minds)
    ).run()
    assert (fresh.errors, fresh.view_mismatches) == ([], 0)
    for result in await asyncio.gather(*old):
        assert (result.errors, result.view_mismatches) == ([], 0)
        assert result.hands >= hands
    await hall.until(
        lambda s: (
            not any(s[n, "1.0.0"].get("tables", 0) for n in ("a", "b"))
            and s["a", "1.1.0"]["state"] == s["b", "1.1.0"]["state"] == "offered"
        )
    )
    for watcher in watchers:
        watcher.heard.clear()
    await hall.ask("stop", "doudizhu")
    for watcher in watchers:
        await watcher.until("")
    assert ROOM not in [room.id for room in await watchers[0].client.rooms()]
    await hall.ask("rollback", "doudizhu")
    await hall.ask("start", "doudizhu", "--version", "installed")
    for watcher in watchers:
        await watcher.until("1.0.0")
        await watcher.client.close()


def test_a_version_is_published_while_bots_play(
    start: Callable[..., Program], tmp_path: Path
) -> None:
    hall = TwoServers(start, tmp_path)
    asyncio.run(_live(hall, tmp_path, players=12, hands=8, downloads=20))


@pytest.mark.soak
def test_a_version_is_published_while_fifty_bots_play(
    start: Callable[..., Program], tmp_path: Path
) -> None:
    hall = TwoServers(start, tmp_path)
    asyncio.run(_live(hall, tmp_path, players=50, hands=60, downloads=200))
