"""The file of server keys, and what clients pin."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from paiju.wire import server_keys
from paiju.wire.server_keys import BadKeys, ServerKeys


def test_a_file_is_made_once_and_for_the_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "seal-keys.json"
    made = ServerKeys.load_or_create(path)
    assert ServerKeys.load_or_create(path).public == made.public
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_rotation_is_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "seal-keys.json"
    first = ServerKeys.load_or_create(path)
    first.rotated().save(path)
    second = ServerKeys.load(path)
    assert second.public[1:] == first.public
    assert len(second.rotated().public) == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"version": 2, "private_keys": []}',
        '{"version": 1, "private_keys": []}',
        '{"version": 1, "private_keys": ["AAAA"]}',
        '{"version": 1, "private_keys": ["***"]}',
        '{"version": 1, "private_keys": [1]}',
    ],
)
def test_a_file_that_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "seal-keys.json"
    path.write_text(text)
    with pytest.raises(BadKeys):
        ServerKeys.load(path)


def test_what_clients_pin() -> None:
    keys = ServerKeys.generate().rotated()
    text = ",".join(server_keys.encode(public) for public in keys.public)
    assert server_keys.pinned(text) == keys.public
    for bad in ("", "AAAA", "a b", text + "," + text):
        with pytest.raises(BadKeys):
            server_keys.pinned(bad)
