"""The signed repository of packages: TUF metadata over a store of files. Pure but for the
signing: files, keys and time are passed in.

Roles: `root` (threshold 2 of 3, offline), `targets` (the operator: which author owns which
package), one delegated role per author (the author's key signs versions), `snapshot` and
`timestamp` (online, renewed by the server). Snapshots are consistent: every metadata file but
`timestamp.json` has its version in its name, every archive its hash, so a reader never sees
half a change. Owner of a change: whoever holds the store's transaction; all writes of one call
belong into one.

Names of files: `metadata/N.root.json`, `metadata/timestamp.json`, `targets/NAME/HASH.VERSION.zip`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from securesystemslib.exceptions import StorageError
from securesystemslib.signer import Key, Signer
from tuf.api.exceptions import RepositoryError
from tuf.api.metadata import (
    DelegatedRole,
    Metadata,
    MetaFile,
    Root,
    Snapshot,
    TargetFile,
    Targets,
    Timestamp,
)

from paiju.packages import authors, rotation
from paiju.packages.archive import BadPackage, Contents, unpack
from paiju.packages.signing import sign

TARGETS_EXPIRES = timedelta(days=365)
SNAPSHOT_EXPIRES = timedelta(days=14)
TIMESTAMP_EXPIRES = timedelta(days=2)
RENEW_WITHIN = 0.5
"""Renew what has less than this part of its time left."""


class Refused(ValueError):
    """The repository does not take this; says why."""


class Files(Protocol):
    """Where the repository lives; everything in one transaction of the caller."""

    def get(self, path: str) -> bytes | None: ...

    def put(self, path: str, data: bytes) -> None: ...


@dataclass(frozen=True)
class OnlineKeys:
    """Held by the data servers, from secrets and never from the store itself."""

    snapshot: Signer
    timestamp: Signer


class Repository:
    """One look at the store; `online` signs what changes by itself."""

    def __init__(self, files: Files, online: OnlineKeys) -> None:
        self._files = files
        self._online = online

    # ---- reading ---------------------------------------------------------------------------

    def authors(self) -> Mapping[str, DelegatedRole]:
        """Author -> the packages that are theirs (`paths`) and the keys that speak for them."""
        return authors.authors_of(self._targets().signed)

    def versions(self) -> Iterator[tuple[str, str, TargetFile]]:
        """(author, "NAME/VERSION.zip", file) of everything that is published."""
        for author in self.authors():
            role = self._role(author)
            for path, target in (role.signed.targets if role else {}).items():
                yield author, path, target

    # ---- the operator ----------------------------------------------------------------------

    def set_author(
        self,
        author: str,
        *,
        packages: Sequence[str],
        keys: Sequence[Key],
        targets: Signer,
        now: datetime,
        resigned: bytes | None = None,
    ) -> None:
        """Who may publish which packages; again for other packages or keys. See `take_authors`."""
        draft = self.draft_authors(now=now)
        try:
            authors.enter(draft, author, packages=packages, keys=keys)
        except authors.BadAuthor as error:
            raise Refused(str(error)) from None
        again = {} if resigned is None else {author: resigned}
        self.take_authors(sign(draft, [targets]), again, now=now)

    def draft_authors(self, *, now: datetime) -> Targets:
        """The list of authors with its next number: to be changed and signed."""
        signed = self._targets().signed
        signed.version += 1
        signed.expires = now + TARGETS_EXPIRES
        return signed

    def take_authors(self, data: bytes, resigned: Mapping[str, bytes], *, now: datetime) -> None:
        """Take the operator's signed list of authors.

        With a new key the old one counts no more, so what such an author has published must be
        signed again: `resigned` has, by author, `draft` with a new key's signature, without the
        versions that are not to be trusted.
        """
        metadata = self._verified_by(self._root(), Targets.type, data)
        number = self._check_next(self._targets(), metadata, now)
        changed = {"targets.json": MetaFile(number)}
        for author, role in resigned.items():
            changed[f"{author}.json"] = MetaFile(self._take_again(author, role, metadata, now))
        for author in authors.authors_of(metadata.signed).keys() - resigned.keys():
            before = self._role(author)
            if before is not None and not _speaks(metadata, author, before):
                raise Refused(f"what {author} has published must be signed again with a new key")
        self._files.put(f"metadata/{number}.targets.json", data)
        self.publish_snapshot(changed, now=now)

    def _take_again(
        self, author: str, data: bytes, targets: Metadata[Targets], now: datetime
    ) -> int:
        before, again = self._role(author), self._verified_by(targets, author, data)
        number = self._check_next(before, again, now)
        unknown = again.signed.targets.keys() - (before.signed.targets if before else {}).keys()
        if unknown:
            raise Refused(f"{', '.join(sorted(unknown))} was not published before")
        self._files.put(f"metadata/{number}.{author}.json", data)
        return number

    def root(self) -> bytes:
        """The newest."""
        data = self._files.get(f"metadata/{self._root().signed.version}.root.json")
        assert data is not None
        return data

    def take_root(self, data: bytes, targets: bytes | None, *, now: datetime) -> int:
        """Take the next root, signed by the one before and by itself; its number.

        targets: the operator's list once more, when another key speaks for it now. Refused also
        when our own keys would be worth nothing: somebody must be able to say what is current.
        """
        try:
            root = rotation.check_next(self._root(), data, now=now)
        except rotation.BadRoot as error:
            raise Refused(str(error)) from None
        if not _names(root, self._online):
            raise Refused("the online keys of this data server are not in it")
        changed: dict[str, MetaFile] = {}
        if targets is not None:
            again = self._verified_by(root, Targets.type, targets)
            number = self._check_next(self._targets(), again, now)
            if again.signed.delegations != self._targets().signed.delegations:
                raise Refused("with a new root the authors stay as they are")
            changed["targets.json"] = MetaFile(number)
            self._files.put(f"metadata/{number}.targets.json", targets)
        elif not _speaks(root, Targets.type, self._targets()):
            raise Refused("the list of authors must be signed again with the new key")
        self._files.put(f"metadata/{root.signed.version}.root.json", data)
        self.publish_snapshot(changed, now=now)
        return int(root.signed.version)

    # ---- authors ---------------------------------------------------------------------------

    def draft(self, author: str, *, now: datetime) -> Targets:
        """What the author has published, with the next number: to be changed and signed."""
        if author not in self.authors():
            raise Refused(f"{author} may publish nothing here")
        role = self._role(author)
        if role is None:
            return Targets(version=1, expires=now + TARGETS_EXPIRES)
        signed = role.signed
        signed.version += 1
        signed.expires = now + TARGETS_EXPIRES
        return signed

    def publish(
        self, author: str, metadata: bytes, blobs: Sequence[bytes], *, now: datetime
    ) -> list[Contents]:
        """Take the author's signed metadata with the archives that are new in it.

        Returns the new ones. Refused when the signature, the number, a path, a hash or an
        archive is wrong, or when a published version would get other bytes.
        """
        if author not in self.authors():
            raise Refused(f"{author} may publish nothing here")
        role = self._verified_by(self._targets(), author, metadata)
        before = self._role(author)
        number = self._check_next(before, role, now)
        archives = {f"{c.name}/{c.version}.zip": (c, blob) for c, blob in map(_unpacked, blobs)}
        known = {} if before is None else before.signed.targets
        allowed = self.authors()[author].paths or []
        for path, target in role.signed.targets.items():
            if f"{path.partition('/')[0]}/*" not in allowed:
                raise Refused(f"{path} is not one of {author}'s packages")
            if path in known and known[path].hashes != target.hashes:
                raise Refused(f"{path} is published already, with other contents")
            if path not in known:
                self._take(path, target, archives)
        name = f"{author}.json"
        self._files.put(f"metadata/{number}.{name}", metadata)
        self.publish_snapshot({name: MetaFile(number)}, now=now)
        new = role.signed.targets.keys() - known.keys()
        return [c for path, (c, _) in archives.items() if path in new]

    def _check_next(
        self, before: Metadata[Targets] | None, role: Metadata[Targets], now: datetime
    ) -> int:
        number = 1 if before is None else before.signed.version + 1
        if role.signed.version != number:
            raise Refused(f"number {role.signed.version} is signed, {number} is the next")
        if role.signed.is_expired(now):
            raise Refused("what was signed has expired")
        return number

    def _take(
        self, path: str, target: TargetFile, archives: Mapping[str, tuple[Contents, bytes]]
    ) -> None:
        if path not in archives:
            raise Refused(f"{path} is signed, but its archive did not come with it")
        contents, blob = archives[path]
        if target.hashes != {"sha256": contents.digest} or target.length != len(blob):
            raise Refused(f"{path}: the archive is not the one that was signed")
        folder, _, file = path.rpartition("/")
        self._files.put(f"targets/{folder}/{contents.digest}.{file}", blob)

    # ---- online ----------------------------------------------------------------------------

    def knows(self, online: OnlineKeys) -> bool:
        """Whether the root names these keys."""
        return _names(self._root(), online)

    def expires(self) -> datetime:
        """When followers refuse what is here, unless it is renewed."""
        timestamp = self._timestamp()
        return min(timestamp.signed.expires, self._snapshot(timestamp).signed.expires)

    def signed_until(self) -> datetime:
        """When what people have signed runs out: root, list of authors, lists of authors. Nobody
        can renew it but those who have the keys."""
        roles = [role for author in self.authors() if (role := self._role(author)) is not None]
        root: datetime = self._root().signed.expires
        return min([root, *(role.signed.expires for role in (self._targets(), *roles))])

    def renew(self, *, now: datetime) -> bool:
        """Sign snapshot and timestamp again when their time runs out; whether that was so."""
        timestamp = self._timestamp()
        snapshot = self._snapshot(timestamp)
        old = snapshot.signed.expires - now < RENEW_WITHIN * SNAPSHOT_EXPIRES
        if old:
            self.publish_snapshot({}, now=now)
        elif timestamp.signed.expires - now < RENEW_WITHIN * TIMESTAMP_EXPIRES:
            self._publish_timestamp(timestamp.signed.snapshot_meta, now=now)
        else:
            return False
        return True

    def publish_snapshot(self, changed: Mapping[str, MetaFile], *, now: datetime) -> None:
        """The next snapshot, with these files changed. None ever goes: followers would refuse."""
        meta: dict[str, MetaFile] = {}
        number = 1
        if self._files.get("metadata/timestamp.json") is not None:
            last = self._snapshot(self._timestamp()).signed
            meta, number = dict(last.meta), last.version + 1
        meta.update(changed)
        signed = Snapshot(version=number, expires=now + SNAPSHOT_EXPIRES, meta=meta)
        data = sign(signed, [self._online.snapshot])
        self._files.put(f"metadata/{number}.snapshot.json", data)
        self._publish_timestamp(MetaFile(number), now=now)

    def _publish_timestamp(self, snapshot: MetaFile, *, now: datetime) -> None:
        number = 1
        if self._files.get("metadata/timestamp.json") is not None:
            number = self._timestamp().signed.version + 1
        signed = Timestamp(version=number, expires=now + TIMESTAMP_EXPIRES, snapshot_meta=snapshot)
        self._files.put("metadata/timestamp.json", sign(signed, [self._online.timestamp]))

    # ---- inside ----------------------------------------------------------------------------

    def _timestamp(self) -> Metadata[Timestamp]:
        return self._load("timestamp.json")

    def _snapshot(self, timestamp: Metadata[Timestamp]) -> Metadata[Snapshot]:
        return self._load(f"{timestamp.signed.snapshot_meta.version}.snapshot.json")

    def _meta(self) -> Mapping[str, MetaFile]:
        return self._snapshot(self._timestamp()).signed.meta

    def _targets(self) -> Metadata[Targets]:
        return self._load(f"{self._meta()['targets.json'].version}.targets.json")

    def _role(self, author: str) -> Metadata[Targets] | None:
        """What followers see of the author now."""
        found = self._meta().get(f"{author}.json")
        return None if found is None else self._load(f"{found.version}.{author}.json")

    def _root(self) -> Metadata[Root]:
        """The newest: roots are numbered without gaps."""
        number = 1
        while self._files.get(f"metadata/{number + 1}.root.json") is not None:
            number += 1
        return self._load(f"{number}.root.json")

    def _verified_by(self, above: Metadata[Any], who: str, data: bytes) -> Metadata[Targets]:
        """A list that `above` lets `who` sign. Refused."""
        try:
            role: Metadata[Targets] = Metadata.from_bytes(data)
            if not isinstance(role.signed, Targets):
                raise Refused("this is no list of versions")
            above.verify_delegate(who, role)
        except (RepositoryError, StorageError, ValueError, KeyError) as error:
            raise Refused(f"the signature of {who} does not hold: {error}") from None
        return role

    def _load(self, name: str) -> Metadata[Any]:
        data = self._files.get(f"metadata/{name}")
        if data is None:
            raise Refused(f"the repository is not complete: {name} is missing")
        return Metadata.from_bytes(data)


def sign_versions(draft: Targets, blobs: Sequence[bytes], author: Signer) -> bytes:
    """What an author does at home: put archives into the draft and sign it. BadPackage."""
    for contents, blob in map(_unpacked, blobs):
        path = f"{contents.name}/{contents.version}.zip"
        draft.targets[path] = TargetFile.from_data(path, blob, ["sha256"])
    return sign(draft, [author])


def _unpacked(blob: bytes) -> tuple[Contents, bytes]:
    try:
        return unpack(blob), blob
    except BadPackage as error:
        raise Refused(str(error)) from None


def _names(root: Metadata[Root], online: OnlineKeys) -> bool:
    roles = root.signed.roles
    return (
        online.snapshot.public_key.keyid in roles["snapshot"].keyids
        and online.timestamp.public_key.keyid in roles["timestamp"].keyids
    )


def _speaks(above: Metadata[Any], author: str, role: Metadata[Targets]) -> bool:
    try:
        above.verify_delegate(author, role)
    except RepositoryError:
        return False
    return True


def utc_now() -> datetime:
    """What this module takes as time: UTC, whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)
