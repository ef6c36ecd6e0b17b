"""Client parts: in pieces, resumed, whole or not at all, and only what was published."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from hall_client.errors import OutcomeUnknown, Refused
from hall_client.packages import BadPart, PartStore
from paiju.wire.v1 import hall_pb2

FILES = {
    "view.js": b"x" * 40_000,
    "help.en.md": b"# Toss\n",
    "art/card.svg": b"<svg/>",
    "e.css": b"",
}
PIECE = 16 * 1024


class Gateway:
    """What a client asks, from memory. spoil: changes what is said."""

    def __init__(self, files: dict[str, bytes] | None = None) -> None:
        self.files = FILES if files is None else files
        self.asked: list[tuple[str, int]] = []
        self.fails_at = -1
        self.busy = 0
        self.spoil_parts: Callable[[Any], None] = lambda parts: None
        self.spoil_piece: Callable[[Any], None] = lambda piece: None

    async def package(self, package: str, version: str) -> hall_pb2.PackageParts:
        parts = hall_pb2.PackageParts(
            package=package,
            version=version,
            files=[
                hall_pb2.PackagePart(path=p, size=len(d), sha256=sha256(d).hexdigest())
                for p, d in sorted(self.files.items())
            ],
        )
        self.spoil_parts(parts)
        return parts

    async def package_file(
        self, package: str, version: str, path: str, offset: int
    ) -> hall_pb2.FilePart:
        if self.busy:
            self.busy -= 1
            raise Refused("TOO_FAST")
        if len(self.asked) == self.fails_at:
            self.fails_at = -1
            raise OutcomeUnknown("the connection is gone")
        self.asked.append((path, offset))
        data = self.files[path]
        piece = hall_pb2.FilePart(data=data[offset : offset + PIECE], total=len(data))
        self.spoil_piece(piece)
        return piece


async def get(gateway: Gateway, folder: Path, **more: Any) -> Path:
    return await PartStore(folder).get(gateway, "toss", "1.0.0", **more)  # type: ignore[arg-type]


async def test_all_files_come_with_progress_and_only_once(tmp_path: Path) -> None:
    gateway, told = Gateway(), []
    folder = await get(gateway, tmp_path, progress=lambda here, total: told.append((here, total)))
    assert {p: (folder / p).read_bytes() for p in FILES} == FILES
    total = sum(map(len, FILES.values()))
    assert told == sorted(told) and told[-1] == (total, total)
    asked = len(gateway.asked)
    assert await get(gateway, tmp_path) == folder and len(gateway.asked) == asked


async def test_what_was_cut_goes_on_where_it_stopped(tmp_path: Path) -> None:
    gateway = Gateway()
    gateway.fails_at = 4
    with pytest.raises(OutcomeUnknown):
        await get(gateway, tmp_path)
    assert PartStore(tmp_path).path("toss", "1.0.0") is None
    folder = await get(gateway, tmp_path)
    assert (folder / "view.js").read_bytes() == FILES["view.js"]
    assert len(gateway.asked) == len(set(gateway.asked)), "nothing was sent twice"


async def test_a_gateway_that_asks_for_a_pause_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hall_client.packages._PAUSE_S", 0.0)
    gateway = Gateway()
    gateway.busy = 3
    assert (await get(gateway, tmp_path) / "help.en.md").exists()


@pytest.mark.parametrize("path", ["../evil.js", "/etc/evil", "a/../../evil", "."])
async def test_nothing_is_written_elsewhere(tmp_path: Path, path: str) -> None:
    gateway = Gateway({path: b"x"})
    with pytest.raises(BadPart):
        await get(gateway, tmp_path / "mine")
    assert not (tmp_path / "evil.js").exists() and not (tmp_path / "evil").exists()


async def test_other_bytes_than_promised_are_thrown_away(tmp_path: Path) -> None:
    gateway = Gateway()

    def flip(piece: hall_pb2.FilePart) -> None:
        piece.data = bytes([piece.data[0] ^ 1]) + piece.data[1:]

    gateway.spoil_piece = flip
    with pytest.raises(BadPart, match="not what was published"):
        await get(gateway, tmp_path)
    assert PartStore(tmp_path).path("toss", "1.0.0") is None
    gateway.spoil_piece = lambda piece: None
    assert (await get(gateway, tmp_path) / "view.js").read_bytes() == FILES["view.js"]


async def test_sizes_that_lie_end_it(tmp_path: Path) -> None:
    gateway = Gateway()

    def endless(piece: hall_pb2.FilePart) -> None:
        piece.total = 1 << 30

    gateway.spoil_piece = endless
    with pytest.raises(BadPart, match="changed on the way"):
        await get(gateway, tmp_path)
    other = Gateway()
    other.spoil_parts = lambda parts: setattr(parts.files[0], "size", 1 << 30)
    with pytest.raises(BadPart, match="allowed are"):
        await get(other, tmp_path / "other")


async def test_another_version_in_mid_download_never_mixes(tmp_path: Path) -> None:
    gateway = Gateway()
    gateway.fails_at = 3
    with pytest.raises(OutcomeUnknown):
        await get(gateway, tmp_path)
    new = Gateway({"view.js": b"new"})
    folder = await PartStore(tmp_path).get(new, "toss", "1.1.0")  # type: ignore[arg-type]
    assert [path.name for path in folder.iterdir()] == ["view.js"]
    old = await get(gateway, tmp_path)
    assert {p: (old / p).read_bytes() for p in FILES} == FILES
