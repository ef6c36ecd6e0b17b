"""The signed repository and its follower, attacked with everything but the keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import copy
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from freezegun import freeze_time
from securesystemslib.signer import CryptoSigner

from paiju.packages import archive, beginning, rotation
from paiju.packages import repository as repo
from paiju.packages.follower import Follower, Unreachable, Untrusted
from paiju.packages.repository import OnlineKeys, Refused, Repository
from paiju.packages.signing import sign
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


# ---- other root keys -----------------------------------------------------------------------


def rotated(hall: Hall, **how: object) -> bytes:
    """The next root with three other keys, signed by two of the old ones."""
    made = [CryptoSigner.generate_ed25519() for _ in range(3)]
    given = {"signers": hall.roots[:2], "root": made, "now": NOW, **how}
    data = rotation.next_root(hall.repository.root(), **given)  # type: ignore[arg-type]
    hall.roots = list(given["root"])  # type: ignore[call-overload]
    return data


def test_who_was_installed_with_the_old_root_follows_the_new_one(
    hall: Hall, tmp_path: Path
) -> None:
    hall.publish(blob())
    standing, stolen = hall.follower(tmp_path / "standing"), hall.roots
    standing.refresh()
    assert hall.repository.take_root(rotated(hall), None, now=NOW) == 2
    assert hall.repository.take_root(rotated(hall), None, now=NOW) == 3
    hall.publish(blob("1.1.0"))
    assert standing.refresh() == ["toss/1.1.0"]
    assert len(hall.follower(tmp_path / "new, old root").refresh()) == 2
    hall.root = hall.repository.root()
    assert len(hall.follower(tmp_path / "new, new root").refresh()) == 2
    # Whoever has two of the first keys can do nothing any more.
    with pytest.raises(rotation.BadRoot, match="signatures of the root do not hold"):
        rotation.next_root(hall.root, signers=stolen, root=stolen, now=NOW)
    forged = lied(hall)
    before = lied(hall)["metadata/1.root.json"]
    forged["metadata/4.root.json"] = rotation.next_root(before, signers=stolen, now=NOW)
    with pytest.raises(Untrusted):
        standing_on = hall.follower(tmp_path / "standing", forged)
        standing_on.refresh()
    assert len(hall.follower(tmp_path / "standing").versions) == 2


def test_a_root_below_the_threshold_is_refused_by_all(hall: Hall, tmp_path: Path) -> None:
    follower = hall.follower(tmp_path)
    follower.refresh()
    with pytest.raises(rotation.BadRoot, match="do not hold"):
        rotated(hall, signers=hall.roots[:1])
    with pytest.raises(rotation.BadRoot, match="at least 2"):
        rotated(hall, root=hall.roots[:1])
    whole = json.loads(rotated(hall))
    for kept in range(len(whole["signatures"])):  # each one alone
        part = json.dumps(whole | {"signatures": [whole["signatures"][kept]]}).encode()
        with pytest.raises(Refused, match="do not hold"):
            hall.repository.take_root(part, None, now=NOW)
        served = lied(hall)
        served["metadata/2.root.json"] = part
        with pytest.raises(Untrusted):
            hall.follower(tmp_path, served).refresh()


def test_a_year_more_with_the_same_keys(hall: Hall, tmp_path: Path) -> None:
    follower = hall.follower(tmp_path)
    late = NOW + rotation.ROOT_EXPIRES + timedelta(days=1)
    again = rotation.next_root(hall.repository.root(), signers=hall.roots[:2], now=late)
    authors = sign(hall.repository.draft_authors(now=late), [hall.targets])
    hall.repository.take_root(again, authors, now=late)
    with freeze_time(late):
        follower.refresh()  # the first root has expired; the way to the next one is open


def test_another_key_of_the_operator(hall: Hall, tmp_path: Path) -> None:
    hall.publish(blob())
    follower, new = hall.follower(tmp_path), CryptoSigner.generate_ed25519()
    follower.refresh()
    root = rotated(hall, targets=[new.public_key])
    with pytest.raises(Refused, match="must be signed again"):
        hall.repository.take_root(root, None, now=NOW)
    draft = hall.repository.draft_authors(now=NOW)
    hall.repository.take_root(root, sign(draft, [new]), now=NOW)
    hall.publish(blob("1.1.0"))
    assert follower.refresh() == ["toss/1.1.0"]
    with pytest.raises(Refused, match="does not hold"):
        hall.author("bob", "go", hall.bob)  # with the old key
    hall.targets = new
    hall.author("bob", "go", hall.bob)


def test_other_online_keys_in_two_steps(hall: Hall, tmp_path: Path) -> None:
    """First both count, then the data servers have the new ones, then only those count."""
    hall.publish(blob())
    follower, old = hall.follower(tmp_path), hall.online
    follower.refresh()
    new = OnlineKeys(CryptoSigner.generate_ed25519(), CryptoSigner.generate_ed25519())
    keys = {
        "snapshot": [old.snapshot.public_key, new.snapshot.public_key],
        "timestamp": [old.timestamp.public_key, new.timestamp.public_key],
    }
    only = {"snapshot": keys["snapshot"][1:], "timestamp": keys["timestamp"][1:]}
    with pytest.raises(Refused, match="online keys of this data server"):
        hall.repository.take_root(rotated(copy(hall), **only), None, now=NOW)
    hall.repository.take_root(rotated(hall, **keys), None, now=NOW)
    hall.repository = Repository(hall.files, new)
    hall.publish(blob("1.1.0"))
    assert follower.refresh() == ["toss/1.1.0"]
    hall.repository.take_root(rotated(hall, **only), None, now=NOW)
    hall.publish(blob("1.2.0"))
    assert follower.refresh() == ["toss/1.2.0"]
    assert not Repository(hall.files, old).knows(old)
