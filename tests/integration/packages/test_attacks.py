"""Everything that may be done to a machine that follows the repository: refused, told, counted.

The keeper's own work on a repository in memory that lies. What lies is signed as far as the
attacker has keys: of nobody, of an author, or of a data server (`online`).
"""

from __future__ import annotations

import asyncio
import io
import json
import stat
import zipfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from freezegun import freeze_time
from structlog.testing import capture_logs
from tuf.api.metadata import MetaFile, TargetFile

from game_server.packages import health, remote
from game_server.packages.keeper import Keeper
from game_server.packages.remote import Remote
from game_server.supervisor.metrics import SupervisorMetrics
from paiju.packages import archive, rotation
from paiju.packages import repository as repo
from paiju.packages.follower import Follower
from paiju.packages.repository import Repository
from paiju.packages.signing import sign
from paiju.wire.v1 import packages_pb2 as pb
from tests.packages import toy
from tests.packages.test_repository import NOW, Hall, Store, blob, lied

KEY = b"k" * 32


@dataclass
class Attacked:
    """A machine that knows toss 1.0.0, and its hall."""

    hall: Hall
    keeper: Keeper
    metrics: SupervisorMetrics
    root: bytes
    folder: Path
    checked: list[Path]

    def serve(self, files: Store | Callable[[str], Any]) -> None:
        fetch = files.fetch if isinstance(files, Store) else files
        self.keeper._follower = Follower(self.folder, root=self.root, key=KEY, fetch=fetch)

    def count(self, name: str) -> float:
        counter = getattr(self.metrics, f"package_{name}")
        return cast(float, counter._value.get())


@pytest.fixture
async def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Attacked:
    checked: list[Path] = []

    async def spy(path: Path) -> str:
        checked.append(path)
        return ""

    monkeypatch.setattr(health, "check", spy)
    hall, metrics = Hall(), SupervisorMetrics()
    hall.publish(blob())
    folder = tmp_path / "packages"
    keeper = Keeper(
        server="gs-0", folder=folder, key=KEY, root=hall.root, data=cast(Any, None),
        installed={}, hosts=list, lease_epoch=lambda: 0, metrics=metrics,
    )  # fmt: skip
    plan = pb.PackagePlan(package="toss", on=True, version="1.0.0")
    keeper._plans = pb.GetPlansReply(change=1, plans=[plan])
    made = Attacked(hall, keeper, metrics, hall.root, folder, checked)
    made.serve(hall.files)
    await keeper._update()
    assert [offer.version for offer in keeper._shelf.offers] == ["1.0.0"]
    checked.clear()
    return made


# ---- what is done --------------------------------------------------------------------------


def signed_by(hall: Hall, author: str, path: str, data: bytes) -> Store:
    """An author's list and archive, put there by whoever has the online keys: nobody has looked
    at them."""
    files = lied(hall)
    forged = Repository(files, hall.online)
    draft = forged.draft(author, now=NOW)
    draft.targets[path] = TargetFile.from_data(path, data, ["sha256"])
    files.put(f"metadata/{draft.version}.{author}.json", sign(draft, [getattr(hall, author)]))
    folder, _, name = path.rpartition("/")
    files.put(f"targets/{folder}/{draft.targets[path].hashes['sha256']}.{name}", data)
    forged.publish_snapshot({f"{author}.json": MetaFile(draft.version)}, now=NOW)
    return files


def zipped(path: str, data: bytes = b"x = 1\n", mode: int = 0) -> bytes:
    """The toy with one more file."""
    out = io.BytesIO(archive.pack(toy.files(version="1.1.0")))
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as file:
        info = zipfile.ZipInfo(path)
        info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
        info.external_attr = mode << 16
        file.writestr(info, data)
    return out.getvalue()


def rollback(hall: Hall) -> Store:
    old = lied(hall)
    hall.publish(blob("1.1.0"))
    return old


def mixed(hall: Hall) -> Store:
    """The newest lists, but one author's is the one before."""
    old = lied(hall)
    hall.publish(blob("1.1.0"))
    files = lied(hall)
    files["metadata/2.ann.json"] = old["metadata/1.ann.json"]
    return files


def wrong_key(hall: Hall) -> Store:
    stranger = Hall()
    stranger.publish(blob("6.6.6"))
    return stranger.files


def below_threshold(hall: Hall) -> Store:
    root = rotation.next_root(hall.root, signers=hall.roots, root=hall.roots, now=NOW)
    part = json.loads(root)
    files = lied(hall)
    part["signatures"] = part["signatures"][:1]
    files["metadata/2.root.json"] = json.dumps(part).encode()
    return files


def flipped(hall: Hall) -> Store:
    hall.publish(blob("1.1.0"))
    files = lied(hall)
    (path,) = (p for p in files if p.endswith(".1.1.0.zip"))
    files[path] = files[path][:-1] + bytes([files[path][-1] ^ 1])
    return files


def endless(hall: Hall) -> Store:
    hall.publish(blob("1.1.0"))
    files = lied(hall)
    (path,) = (p for p in files if p.endswith(".1.1.0.zip"))
    files[path] += b"\0" * 5_000_000
    return files


def endless_list(hall: Hall) -> Store:
    hall.publish(blob("1.1.0"))
    files = lied(hall)
    files["metadata/2.ann.json"] += b" " * 5_000_000
    return files


ATTACKS: dict[str, tuple[Callable[[Hall], Store], str]] = {
    "rollback": (rollback, "version"),
    "mix and match": (mixed, "the list of ann"),
    "wrong key": (wrong_key, "signed"),
    "below threshold": (below_threshold, "root was signed by 1/2 keys"),
    "flipped byte": (flipped, "does not match"),
    "endless data": (endless, "more came than was announced|length"),
    "endless list": (endless_list, "more came than was announced|length"),
    "delegation escape": (
        lambda hall: signed_by(hall, "bob", "toss/6.6.6.zip", blob("6.6.6")),
        "bob: toss/6.6.6.zip",
    ),
    "path traversal": (
        lambda hall: signed_by(hall, "ann", "toss/1.1.0.zip", zipped("../../evil.py")),
        "no path",
    ),
    "link": (
        lambda hall: signed_by(
            hall, "ann", "toss/1.1.0.zip", zipped("l.py", b"/etc/passwd", stat.S_IFLNK | 0o777)
        ),
        "not a plain file",
    ),
    "decompression bomb": (
        lambda hall: signed_by(
            hall, "ann", "toss/1.1.0.zip", zipped("b.md", b"\0" * (archive.UNPACKED_MAX + 1))
        ),
        "unpacked it has over",
    ),
    "lying manifest": (
        lambda hall: signed_by(hall, "ann", "toss/9.0.0.zip", blob("1.1.0")),
        "says of itself",
    ),
}
WITH_ONLINE_KEYS = (
    *("delegation escape", "path traversal", "link", "decompression bomb"),
    "lying manifest",
)
"""Whose lists have higher numbers than the true ones: those are a rollback until they are above."""


# ---- what comes of it ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ATTACKS)
async def test_refused_told_and_counted(machine: Attacked, name: str) -> None:
    attack, says = ATTACKS[name]
    if name == "rollback":  # it must have seen the newer ones
        files = attack(machine.hall)
        machine.serve(machine.hall.files)
        await machine.keeper._update()
        machine.checked.clear()
    else:
        files = attack(machine.hall)
    machine.serve(files)
    with capture_logs() as logs:
        await machine.keeper._update()
    told = [str(line) for line in logs if line["log_level"] == "error"]
    assert len(told) == 1, logs
    assert any(part in told[0] for part in says.split("|")), told
    assert machine.count("refused") == 1
    assert machine.checked == [], "nothing of it was ever run"
    assert [offer.version for offer in machine.keeper._shelf.offers] == ["1.0.0"]
    assert not {"toss/6.6.6", "toss/9.0.0"} & machine.keeper._shelf.versions.keys()
    if name not in WITH_ONLINE_KEYS:
        machine.serve(machine.hall.files)
        await machine.keeper._update()
        assert machine.count("refused") == 1, "who tells the truth again is believed again"


async def test_what_others_publish_comes_in_spite_of_one_bad_list(machine: Attacked) -> None:
    files = signed_by(machine.hall, "ann", "toss/1.1.0.zip", zipped("../../evil.py"))
    machine.hall.files = files
    machine.hall.repository = Repository(files, machine.hall.online)
    bobs = {p: d.replace(b"toss", b"chess") for p, d in toy.files().items()}
    machine.hall.publish(archive.pack(bobs), author="bob")
    machine.serve(files)
    await machine.keeper._update()
    assert machine.count("refused") == 1
    assert "chess/1.0.0" in machine.keeper._shelf.versions and len(machine.checked) == 1
    assert "toss/1.0.0" in machine.keeper._shelf.versions


async def test_freeze(machine: Attacked) -> None:
    with freeze_time(NOW + repo.TIMESTAMP_EXPIRES + timedelta(hours=1)), capture_logs() as logs:
        await machine.keeper._update()
    assert "expired" in str(logs) and machine.count("refused") == 1
    assert [offer.version for offer in machine.keeper._shelf.offers] == ["1.0.0"]


async def test_slow_retrieval(machine: Attacked, monkeypatch: pytest.MonkeyPatch) -> None:
    class Slow:
        """A data server that sends a byte now and then."""

        async def stream(self, rpc: str, request: pb.FetchFileRequest) -> AsyncIterator[Any]:
            while True:
                await asyncio.sleep(0.05)
                yield pb.FileChunk(data=b"x", total=1_000_000)

    monkeypatch.setattr(remote, "WITHIN_S", 0.4)
    machine.serve(Remote(cast(Any, Slow()), asyncio.get_running_loop()).fetch)
    with capture_logs() as logs:
        await machine.keeper._update()
    assert "took more than" in str(logs), logs
    assert (machine.count("unreachable"), machine.count("refused")) == (1, 0)
    assert [offer.version for offer in machine.keeper._shelf.offers] == ["1.0.0"]
