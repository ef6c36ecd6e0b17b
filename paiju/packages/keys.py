"""The folder of keys that `paiju package init-keys` makes.

    offline/root-1.pem .. root-3.pem   sign who signs what; two are needed
    offline/targets.pem                the operator's: which author owns which packages
    online/snapshot.pem, timestamp.pem for the data servers
    online/root.json, targets.json     signed once; a data server opens the repository with them
    authors/NAME.pem                   an author's, for publishing
    root.json                          for every game server: its installation's trust

All of it on one machine is convenience and no threshold: whoever has the folder can publish
anything. In production `offline` lies elsewhere and `online` only with the data servers.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from securesystemslib.signer import CryptoSigner

from paiju.packages.beginning import ROOT_KEYS, Beginning
from paiju.packages.repository import OnlineKeys, utc_now
from paiju.packages.signing import new_key, read_key, write_key

ROOT = "root.json"


@dataclass(frozen=True)
class KeyFolder:
    path: Path

    @property
    def online(self) -> Path:
        return self.path / "online"

    @property
    def targets(self) -> Path:
        return self.path / "offline" / "targets.pem"

    @property
    def root(self) -> Path:
        """What game servers are installed with."""
        return self.path / ROOT

    @property
    def roots(self) -> list[Path]:
        """The keys of the root that are here; two are needed."""
        return sorted((self.path / "offline").glob("root-?.pem"))

    def author(self, name: str) -> Path:
        return self.path / "authors" / f"{name}.pem"

    def exists(self) -> bool:
        return self.root.is_file()

    def make(self) -> None:
        """All keys but those of authors, whole or not at all. FileExistsError when it is there."""
        if self.path.exists():
            raise FileExistsError(self.path)
        draft = KeyFolder(self.path.with_name(f".{self.path.name}.{secrets.token_hex(4)}"))
        draft._fill()
        draft.path.rename(self.path)

    def _fill(self) -> None:
        roots = [new_key() for _ in range(ROOT_KEYS)]
        targets, snapshot, timestamp = (new_key() for _ in range(3))
        first = Beginning.make(
            root=roots,
            targets=targets,
            snapshot=snapshot.public_key,
            timestamp=timestamp.public_key,
            now=utc_now(),
        )
        for number, key in enumerate(roots, start=1):
            write_key(self.path / "offline" / f"root-{number}.pem", key)
        write_key(self.targets, targets)
        write_key(self.online / "snapshot.pem", snapshot)
        write_key(self.online / "timestamp.pem", timestamp)
        (self.online / "targets.json").write_bytes(first.targets)
        (self.online / ROOT).write_bytes(first.root)
        self.root.write_bytes(first.root)

    def make_author(self, name: str) -> CryptoSigner:
        """FileExistsError when he has a key."""
        key = new_key()
        write_key(self.author(name), key)
        return key


@dataclass(frozen=True)
class NewKey:
    """A key that counts as soon as somebody has taken what it signed: until then it lies beside
    the one that it replaces, which is kept as NAME.old then."""

    file: Path
    key: CryptoSigner

    @classmethod
    def make(cls, file: Path) -> NewKey:
        """FileExistsError when one is on its way there already."""
        key = new_key()
        write_key(_beside(file, "new"), key)
        return cls(file, key)

    @classmethod
    def left(cls, folder: KeyFolder) -> list[NewKey]:
        """Those of a rotation that was broken off: whether they count is not known here. BadKey."""
        found = sorted(folder.path.glob("o*line/*.pem.new"))
        return [cls(path.with_suffix(""), read_key(path)) for path in found]

    def take(self) -> None:
        if self.file.exists():
            self.file.replace(_beside(self.file, "old"))
        _beside(self.file, "new").replace(self.file)

    def drop(self) -> None:
        _beside(self.file, "new").unlink()


def _beside(file: Path, word: str) -> Path:
    return file.with_name(f"{file.name}.{word}")


def read_online(folder: Path) -> tuple[Beginning, OnlineKeys]:
    """What a data server needs, from `online`. OSError, BadKey."""
    first = Beginning((folder / ROOT).read_bytes(), (folder / "targets.json").read_bytes())
    keys = OnlineKeys(read_key(folder / "snapshot.pem"), read_key(folder / "timestamp.pem"))
    return first, keys
