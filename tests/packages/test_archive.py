"""Archives: reproducible, and nothing odd gets in or out."""

from __future__ import annotations

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiju.packages import archive, imports
from paiju.packages.archive import BadPackage
from tests.packages import toy

ROOT = Path(__file__).resolve().parent.parent.parent


def raw(entries: list[tuple[zipfile.ZipInfo, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for path, data in toy.files().items():
            made.writestr(path, data)
        for info, data in entries:
            info.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(info, data)
    return out.getvalue()


def test_the_same_files_give_the_same_bytes_whatever_their_dates_and_order(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder, paths in ((first, list(toy.files())), (second, list(reversed(toy.files())))):
        folder.mkdir()
        for path in paths:
            (folder / path).write_bytes(toy.files()[path])
            os.utime(folder / path, (1, len(path)))
    (second / "rules.py").chmod(0o700)
    (second / "__pycache__").mkdir()
    (second / "__pycache__" / "rules.pyc").write_bytes(b"x")
    assert archive.build(first) == archive.build(second)
    assert archive.unpack(archive.build(first)).files == toy.files()


@pytest.mark.parametrize("folder", sorted(p.parent for p in ROOT.glob("games/*/manifest.toml")))
def test_the_packages_of_this_repository_can_be_built(folder: Path) -> None:
    contents = archive.unpack(archive.build(folder))
    assert contents.name == folder.name
    imports.check(contents.name, contents.modules())


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("../outside.py", "no path"),
        ("/etc/passwd.md", "no path"),
        ("a/../../b.py", "no path"),
        ("a\\b.py", "no path"),
        ("C:x.py", "no path"),
        ("a/b/c/d/e/f.py", "no path"),
        (".hidden.py", "no path"),
        ("rules.so", "not packed"),
        ("rules", "not packed"),
        ("rules.py", "twice"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_paths_that_are_refused(path: str, says: str) -> None:
    with pytest.raises(BadPackage, match=says):
        archive.unpack(raw([(zipfile.ZipInfo(path), b"x = 1\n")]))


def test_links_and_devices_are_refused() -> None:
    for kind in (stat.S_IFLNK, stat.S_IFIFO, stat.S_IFDIR):
        info = zipfile.ZipInfo("link.py")
        info.create_system = 3
        info.external_attr = (kind | 0o777) << 16
        with pytest.raises(BadPackage, match="not a plain file"):
            archive.unpack(raw([(info, b"/etc/passwd")]))


def test_a_link_in_the_folder_is_refused(tmp_path: Path) -> None:
    for path, data in toy.files().items():
        (tmp_path / path).write_bytes(data)
    (tmp_path / "more.py").symlink_to("/etc/hostname")
    with pytest.raises(BadPackage, match="links are not packed"):
        archive.build(tmp_path)


def test_bombs_end_early() -> None:
    bomb = raw([(zipfile.ZipInfo("big.md"), b"\0" * (archive.UNPACKED_MAX + 1))])
    assert len(bomb) < archive.PACKED_MAX
    with pytest.raises(BadPackage, match="unpacked it has over"):
        archive.unpack(bomb)
    many = raw([(zipfile.ZipInfo(f"f{n}.md"), b"") for n in range(archive.FILES_MAX)])
    with pytest.raises(BadPackage, match="files, allowed are"):
        archive.unpack(many)
    with pytest.raises(BadPackage, match="allowed are"):
        archive.unpack(b"PK" + b"\0" * archive.PACKED_MAX)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ('name = "toss"\nversion', 'name = "Toss!"\nversion'),
        ('version = "1.0.0"', 'version = "1.0"'),
        ("games.toss.rules:Toss", "games.other.rules:Toss"),
        ("games.toss.rules:Toss", "os:system"),
        ("games.toss.rules:Toss", "games.toss.nothing:Toss"),
        ('id = "toss.novice"', 'id = "other.novice"'),
        ('currency = "score"', "currency = 5"),
        ("[[rule_sets]]", "[[rule_sets"),
    ],
)
def test_manifests_that_are_refused(change: str, says: str) -> None:
    made = toy.files()
    made["manifest.toml"] = toy.MANIFEST.replace(change, says).encode()
    with pytest.raises(BadPackage, match=r"manifest\.toml"):
        archive.unpack(archive.pack(made))
    del made["manifest.toml"]
    with pytest.raises(BadPackage, match="missing"):
        archive.unpack(archive.pack(made))


@pytest.mark.parametrize(
    "line",
    [
        "import os",
        "import random",
        "from time import monotonic",
        "import paiju.service.ids",
        "from games.other import rules",
        "def f():\n    import socket",
        "exec('1')",
        "open('x')",
        "__import__('os')",
        "x = (",
    ],
)
def test_imports_that_rules_may_not_have(line: str) -> None:
    with pytest.raises(BadPackage, match=r"toss/rules\.py:\d+"):
        imports.check("toss", {"": "", "rules": line})


@given(st.binary(max_size=300))
def test_whatever_bytes_come_the_answer_is_bad_package(blob: bytes) -> None:
    with pytest.raises(BadPackage):
        archive.unpack(blob)


@given(st.integers(0, 10**6), st.integers(1, 255))
def test_a_flipped_byte_never_gives_the_same_digest(place: int, mask: int) -> None:
    blob = bytearray(archive.pack(toy.files()))
    whole = archive.unpack(bytes(blob))
    blob[place % len(blob)] ^= mask
    try:
        changed = archive.unpack(bytes(blob))
    except BadPackage:
        return
    assert changed.digest != whole.digest
