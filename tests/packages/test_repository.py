"""The signed repository and its follower, attacked with everything but the keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from freezegun import freeze_time
from securesystemslib.signer import CryptoSigner

from paiju.packages import archive, beginning
from paiju.packages import repository as repo
from paiju.packages.follower import Follower, Unreachable, Untrusted
from paiju.packages.repository import OnlineKeys, Refused, Repository
from tests.packages import toy

NOW = repo.utc_now()
KEY = b"k" * 32


class Store(dict[str, bytes]):
    """Files in memory; `served` may lie."""

    def put(self, path: str, data: bytes) -> None:
        self[path] = data

    def fetch(self, path: str) -> Iterator[bytes]:
        if path not in self:
            raise FileNotFoundError(path)
        for start in range(0, len(self[path]), 4096):
            yield self[path][start : start + 4096]


class Hall:
    """A repository with two authors: ann owns toss, bob owns chess."""

    def __init__(self) -> None:
        self.files = Store()
        self.roots = [CryptoSigner.generate_ed25519() for _ in range(3)]
        self.targets, self.ann, self.bob = (CryptoSigner.generate_ed25519() for _ in range(3))
        self.online = OnlineKeys(CryptoSigner.generate_ed25519(), CryptoSigner.generate_ed25519())
        self.root = beginning.create(
            self.files, root=self.roots, targets=self.targets, online=self.online, now=NOW
        )
        self.repository = Repository(self.files, self.online)
        self.author("ann", "toss", self.ann)
        self.author("bob", "chess", self.bob)

    def author(self, name: str, package: str, key: CryptoSigner, **how: object) -> None:
        self.repository.set_author(
            name,
            packages=[package],
            keys=[key.public_key],
            targets=self.targets,
            now=NOW,
            **how,  # type: ignore[arg-type]
        )

    def publish(self, *blobs: bytes, author: str = "ann", key: CryptoSigner | None = None) -> None:
        draft = self.repository.draft(author, now=NOW)
        signed = repo.sign_versions(draft, blobs, key or getattr(self, author))
        self.repository.publish(author, signed, blobs, now=NOW)

    def follower(self, folder: Path, files: Store | None = None) -> Follower:
        served = self.files if files is None else files
        return Follower(folder, root=self.root, key=KEY, fetch=served.fetch)


def blob(version: str = "1.0.0", worth: int = 5) -> bytes:
    return archive.pack(toy.files(version=version, worth=worth))


@pytest.fixture
def hall() -> Hall:
    return Hall()


def test_what_is_published_is_followed_and_verified(hall: Hall, tmp_path: Path) -> None:
    follower = hall.follower(tmp_path)
    assert follower.refresh() == []
    hall.publish(blob())
    assert follower.refresh() == ["toss/1.0.0"]
    hall.publish(blob("1.1.0", 7))
    assert follower.refresh() == ["toss/1.1.0"]
    assert set(follower.versions) == {"toss/1.0.0", "toss/1.1.0"}
    assert follower.contents("toss/1.1.0").files == toy.files(version="1.1.0", worth=7)
    assert follower.refresh() == []
    again = hall.follower(tmp_path, Store())  # the repository is gone
    assert again.contents("toss/1.0.0").version == "1.0.0"
    with pytest.raises((Unreachable, Untrusted)):
        again.refresh()
    assert set(again.versions) == {"toss/1.0.0", "toss/1.1.0"}


def test_a_version_that_is_withdrawn_leaves_the_list(hall: Hall, tmp_path: Path) -> None:
    hall.publish(blob(), blob("1.1.0"))
    follower = hall.follower(tmp_path)
    follower.refresh()
    draft = hall.repository.draft("ann", now=NOW)
    del draft.targets["toss/1.1.0.zip"]
    hall.repository.publish("ann", repo.sign_versions(draft, [], hall.ann), [], now=NOW)
    follower.refresh()
    assert set(follower.versions) == {"toss/1.0.0"}


# ---- what the repository refuses -----------------------------------------------------------


def test_an_author_cannot_publish_what_is_not_his(hall: Hall) -> None:
    with pytest.raises(Refused, match="signature of ann does not hold"):
        hall.publish(blob(), key=hall.bob)
    with pytest.raises(Refused, match="not one of bob's packages"):
        hall.publish(blob(), author="bob")
    with pytest.raises(Refused, match="belongs to ann"):
        hall.author("bob", "toss", hall.bob)
    with pytest.raises(Refused, match="may publish nothing"):
        hall.repository.publish("eve", b"{}", [], now=NOW)
    with pytest.raises(Refused, match="does not hold"):
        hall.repository.publish("ann", b"{}", [], now=NOW)


def test_a_version_never_gets_other_bytes(hall: Hall) -> None:
    hall.publish(blob())
    with pytest.raises(Refused, match="published already, with other contents"):
        hall.publish(blob(worth=9))


def test_archives_must_be_those_that_were_signed(hall: Hall) -> None:
    draft = hall.repository.draft("ann", now=NOW)
    signed = repo.sign_versions(draft, [blob()], hall.ann)
    for blobs, says in (([], "did not come"), ([blob(worth=6)], "not the one that was signed")):
        with pytest.raises(Refused, match=says):
            hall.repository.publish("ann", signed, blobs, now=NOW)
    hall.repository.publish("ann", signed, [blob()], now=NOW)
    with pytest.raises(Refused, match="number 1 is signed, 2 is the next"):
        hall.repository.publish("ann", signed, [blob()], now=NOW)


def test_a_stolen_key_is_replaced_by_one_call(hall: Hall, tmp_path: Path) -> None:
    hall.publish(blob())
    hall.publish(blob("6.6.6"))  # by the thief
    follower = hall.follower(tmp_path)
    follower.refresh()
    new = CryptoSigner.generate_ed25519()
    with pytest.raises(Refused, match="must be signed again"):
        hall.author("ann", "toss", new)
    draft = hall.repository.draft("ann", now=NOW)
    del draft.targets["toss/6.6.6.zip"]
    hall.author("ann", "toss", new, resigned=repo.sign_versions(draft, [], new))
    follower.refresh()
    assert set(follower.versions) == {"toss/1.0.0"}
    with pytest.raises(Refused, match="does not hold"):
        hall.publish(blob("6.6.7"))  # the thief again
    hall.publish(blob("1.0.1"), key=new)
    assert follower.refresh() == ["toss/1.0.1"]


# ---- what a follower refuses ---------------------------------------------------------------


def lied(hall: Hall) -> Store:
    copy = Store()
    copy.update(hall.files)
    return copy


def test_rollback_and_mix_and_match(hall: Hall, tmp_path: Path) -> None:
    hall.publish(blob())
    old = lied(hall)
    hall.publish(blob("1.1.0"))
    follower = hall.follower(tmp_path)
    follower.refresh()
    with pytest.raises(Untrusted):
        hall.follower(tmp_path, old).refresh()
    mixed = lied(hall)
    mixed["metadata/2.ann.json"] = old["metadata/1.ann.json"]
    with pytest.raises((Untrusted, Unreachable)):
        hall.follower(tmp_path / "new", mixed).refresh()
    assert set(hall.follower(tmp_path).versions) == {"toss/1.0.0", "toss/1.1.0"}


def test_freeze(hall: Hall, tmp_path: Path) -> None:
    hall.publish(blob())
    follower = hall.follower(tmp_path)
    follower.refresh()
    later = NOW + repo.TIMESTAMP_EXPIRES + timedelta(hours=1)
    with freeze_time(later):
        with pytest.raises(Untrusted, match="expired"):
            follower.refresh()
        assert follower.contents("toss/1.0.0").version == "1.0.0"
        assert hall.repository.renew(now=later)
        assert follower.refresh() == []
        assert not hall.repository.renew(now=later)


def test_the_server_renews_before_anything_expires(hall: Hall, tmp_path: Path) -> None:
    hall.publish(blob())
    follower, now = hall.follower(tmp_path), NOW
    for _ in range(80):
        now += timedelta(hours=12)
        hall.repository.renew(now=now)
        with freeze_time(now):
            follower.refresh()
    assert set(follower.versions) == {"toss/1.0.0"}


def test_wrong_keys_and_too_few_of_them(hall: Hall, tmp_path: Path) -> None:
    stranger = Hall()
    stranger.publish(blob())
    with pytest.raises(Untrusted):
        hall.follower(tmp_path, stranger.files).refresh()
    forged = lied(hall)
    root = json.loads(forged["metadata/1.root.json"])
    root["signed"]["version"] = 2
    forged["metadata/2.root.json"] = json.dumps(root).encode()
    with pytest.raises(Untrusted):
        hall.follower(tmp_path, forged).refresh()


def test_every_flipped_byte_of_every_file_is_noticed(hall: Hall, tmp_path: Path) -> None:
    hall.publish(blob())
    number = 0
    for path in sorted(hall.files):
        size = len(hall.files[path])
        for place in range(0, size, max(1, size // 12)):
            changed = lied(hall)
            data = bytearray(changed[path])
            data[place] ^= 0x20
            changed[path] = bytes(data)
            number += 1
            follower = hall.follower(tmp_path / str(number), changed)
            try:
                follower.refresh()
            except (Untrusted, Unreachable):
                continue
            # Nobody asked for that byte (white space, an older file): what came is right.
            assert follower.contents("toss/1.0.0").files == toy.files()
    assert number > 60


def test_endless_data_ends(hall: Hall, tmp_path: Path) -> None:
    hall.publish(blob())

    def endless(path: str) -> Iterator[bytes]:
        if path.startswith("targets/"):
            while True:
                yield b"x" * 65_536
        yield from hall.files.fetch(path)

    follower = Follower(tmp_path, root=hall.root, key=KEY, fetch=endless)
    with pytest.raises(Untrusted):
        follower.refresh()
    assert follower.versions == {}


def test_a_manifest_that_lies_about_itself(hall: Hall, tmp_path: Path) -> None:
    """Signed by the right author under a name that the archive does not have."""
    draft = hall.repository.draft("ann", now=NOW)
    signed = repo.sign_versions(draft, [blob("2.0.0")], hall.ann)
    lying = signed.replace(b"toss/2.0.0.zip", b"toss/9.0.0.zip")
    with pytest.raises(Refused):
        hall.repository.publish("ann", lying, [blob("2.0.0")], now=NOW)


def test_a_cache_that_was_changed_is_not_trusted(hall: Hall, tmp_path: Path) -> None:
    hall.publish(blob())
    follower = hall.follower(tmp_path)
    follower.refresh()
    (file,) = (tmp_path / "archives").glob("*.zip")
    file.write_bytes(blob(worth=9))
    with pytest.raises(Untrusted, match="not what was verified"):
        follower.contents("toss/1.0.0")
    listed = json.loads((tmp_path / "verified.json").read_text())
    listed["versions"]["toss/1.0.0"] = archive.unpack(blob(worth=9)).digest
    (tmp_path / "verified.json").write_text(json.dumps(listed))
    assert hall.follower(tmp_path).versions == {}


def test_a_damaged_or_missing_archive_is_fetched_again(hall: Hall, tmp_path: Path) -> None:
    hall.publish(blob())
    follower = hall.follower(tmp_path)
    follower.refresh()
    (file,) = (tmp_path / "archives").glob("*.zip")
    for harm in (lambda: file.write_bytes(b"PK"), file.unlink):
        harm()
        with pytest.raises(Untrusted):
            follower.contents("toss/1.0.0")
        assert follower.refresh() == [], "nothing of it is new"
        assert follower.contents("toss/1.0.0").files == toy.files()


def test_times_are_those_of_the_caller(hall: Hall) -> None:
    later = datetime.now(NOW.tzinfo) + timedelta(days=400)
    draft = hall.repository.draft("ann", now=NOW)
    with pytest.raises(Refused, match="expired"):
        hall.repository.publish(
            "ann", repo.sign_versions(draft, [blob()], hall.ann), [blob()], now=later
        )
