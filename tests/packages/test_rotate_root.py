"""`paiju package rotate-root` against a data server: which keys lie where, however it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from click.testing import CliRunner, Result

from data_server.server import DataServer
from data_server.settings import DataSettings
from paiju.cli import package_root
from paiju.cli.main import app
from paiju.cli.package_call import Hall
from paiju.packages.follower import Follower
from paiju.packages.keys import KeyFolder
from paiju.service.ids import now_us

Typed = Callable[..., Result]


class Server:
    """A data server with its repository in a folder; commands are typed in this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys = KeyFolder(folder / "package-keys")
        self.keys.make()
        self.installed = self.keys.root.read_bytes()
        self._settings = DataSettings(
            data_dir=folder,
            data_listen="127.0.0.1:0",
            data_admin_listen="127.0.0.1:0",
            data_metrics_listen="127.0.0.1:0",
            package_keys_dir=self.keys.online,
            drain_grace_s=0.1,
        )

    async def begin(self) -> None:
        self.server = DataServer(self._settings, clock=now_us)
        self.address = (await self.server.start()).admin

    async def type(self, *arguments: str) -> Result:
        line = ["package", *arguments, "--data-dir", str(self.folder), "--address", self.address]
        command = typer.main.get_command(app)
        return await asyncio.to_thread(CliRunner().invoke, command, line)

    def follower(self, folder: Path) -> Follower:
        """Of a game server that was installed before anything was rotated."""
        loop = asyncio.get_running_loop()

        def fetch(path: str) -> Iterator[bytes]:
            depot = self.server.services.depot
            data = asyncio.run_coroutine_threadsafe(depot.file(path), loop).result()
            if data is None:
                raise FileNotFoundError(path)
            yield data

        return Follower(folder, root=self.installed, key=b"k" * 32, fetch=fetch)


@pytest.fixture
async def hall(tmp_path: Path) -> Any:
    made = Server(tmp_path)
    await made.begin()
    yield made
    await made.server.stop()


def contents(folder: KeyFolder) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.path.rglob("*.pem*"))}


async def test_old_installations_follow_and_new_ones_get_the_new_root(
    hall: Server, tmp_path: Path
) -> None:
    follower, before = hall.follower(tmp_path / "machine"), contents(hall.keys)
    await asyncio.to_thread(follower.refresh)
    done = await hall.type("rotate-root", "--targets", "--reason", "a key was lost")
    assert done.exit_code == 0, done.output
    after = contents(hall.keys)
    for name in ("root-1.pem", "root-2.pem", "root-3.pem", "targets.pem"):
        assert after[name] != before[name] == after[f"{name}.old"]
    assert hall.keys.root.read_bytes() != hall.installed
    await asyncio.to_thread(follower.refresh)
    author = await hall.type("author", "ann", "--package", "toss")  # with the new targets key
    assert author.exit_code == 0, author.output
    await asyncio.to_thread(follower.refresh)
    two = [f"--root-key={hall.keys.path}/offline/root-{n}.pem" for n in (1, 3)]
    assert (await hall.type("rotate-root", "--keep", *two)).exit_code == 0
    old = f"--root-key={hall.keys.path}/offline/root-1.pem.old"
    refused = await hall.type("rotate-root", old, old)
    assert refused.exit_code == 1 and "do not hold" in refused.stderr
    assert not list(hall.keys.path.rglob("*.new"))
    await asyncio.to_thread(follower.refresh)


async def test_an_answer_that_is_lost_costs_no_key(
    hall: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = Hall.call

    def lost(self: Hall, rpc: str, *given: Any) -> Any:
        reply = call(self, rpc, *given)
        if rpc == "SetRoot":
            raise typer.Exit(1)  # as when the answer does not come in time
        return reply

    monkeypatch.setattr(package_root.Hall, "call", lost)
    assert (await hall.type("rotate-root")).exit_code == 1
    new = {name: data for name, data in contents(hall.keys).items() if name.endswith(".new")}
    assert len(new) == 3
    monkeypatch.undo()
    again = await hall.type("rotate-root")
    assert again.exit_code == 0 and "earlier rotation" in again.output
    assert contents(hall.keys)["root-1.pem"] == new["root-1.pem.new"]
    assert (await hall.type("rotate-root")).exit_code == 0, "the keys in place are those that count"


async def test_other_online_keys(hall: Server, tmp_path: Path) -> None:
    follower = hall.follower(tmp_path / "machine")
    done = await hall.type("rotate-root", "--keep", "--online")
    assert done.exit_code == 0 and "all data servers" in done.output
    early = await hall.type("rotate-root", "--keep", "--only-new")
    assert early.exit_code == 1 and "online keys of this data server" in early.stderr
    await hall.server.stop()
    await hall.begin()  # it reads its keys anew
    assert (await hall.type("rotate-root", "--keep", "--only-new")).exit_code == 0
    await asyncio.to_thread(follower.refresh)
