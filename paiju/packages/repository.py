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
    Delegations,
    Metadata,
    MetaFile,
    Role,
    Root,
    Snapshot,
    TargetFile,
    Targets,
    Timestamp,
)

from paiju.packages.archive import BadPackage, Contents, unpack

ROOT_THRESHOLD = 2
ROOT_EXPIRES = timedelta(days=365)
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


def create(
    files: Files,
    *,
    root: Sequence[Signer],
    targets: Signer,
    online: OnlineKeys,
    now: datetime,
) -> bytes:
    """A new repository without packages; the first root, which game servers are given."""
    if files.get("metadata/1.root.json") is not None:
        raise Refused("there is a repository already")
    if len(root) < ROOT_THRESHOLD:
        raise Refused(f"the root needs at least {ROOT_THRESHOLD} keys")
    keys = [signer.public_key for signer in root]
    roles = {
        "root": Role([key.keyid for key in keys], ROOT_THRESHOLD),
        "targets": Role([targets.public_key.keyid], 1),
        "snapshot": Role([online.snapshot.public_key.keyid], 1),
        "timestamp": Role([online.timestamp.public_key.keyid], 1),
    }
    everybody = [
        *keys,
        targets.public_key,
        online.snapshot.public_key,
        online.timestamp.public_key,
    ]
    signed = Root(
        version=1,
        expires=now + ROOT_EXPIRES,
        keys={key.keyid: key for key in everybody},
        roles=roles,
        consistent_snapshot=True,
    )
    first = _signed(signed, root)
    files.put("metadata/1.root.json", first)
    empty = Targets(version=1, expires=now + TARGETS_EXPIRES, delegations=Delegations({}, {}))
    files.put("metadata/1.targets.json", _signed(empty, [targets]))
    Repository(files, online).publish_snapshot({"targets.json": MetaFile(1)}, now=now)
    return first


class Repository:
    """One look at the store; `online` signs what changes by itself."""

    def __init__(self, files: Files, online: OnlineKeys) -> None:
        self._files = files
        self._online = online

    # ---- reading ---------------------------------------------------------------------------

    def authors(self) -> Mapping[str, DelegatedRole]:
        """Author -> the packages that are theirs (`paths`) and the keys that speak for them."""
        delegations = self._targets().signed.delegations
        assert delegations is not None and delegations.roles is not None
        return delegations.roles

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
        """Who may publish which packages; again for other packages or keys.

        With a new key the old one counts no more, so what the author has published must be
        signed again: `resigned` is `draft` with a new key's signature, without the versions
        that are not to be trusted.
        """
        metadata = self._targets()
        signed = metadata.signed
        delegations = signed.delegations
        assert delegations is not None and delegations.roles is not None
        for other, role in delegations.roles.items():
            taken = {path.removesuffix("/*") for path in role.paths or ()} & set(packages)
            if other != author and taken:
                raise Refused(f"{', '.join(sorted(taken))} belongs to {other}")
        for key in keys:
            delegations.keys[key.keyid] = key
        delegations.roles[author] = DelegatedRole(
            name=author,
            keyids=[key.keyid for key in keys],
            threshold=1,
            terminating=True,
            paths=[f"{package}/*" for package in packages],
        )
        used = {keyid for role in delegations.roles.values() for keyid in role.keyids}
        delegations.keys = {keyid: key for keyid, key in delegations.keys.items() if keyid in used}
        signed.version += 1
        signed.expires = now + TARGETS_EXPIRES
        changed = {"targets.json": MetaFile(signed.version)}
        before = self._role(author)
        if resigned is not None:
            again = self._verified(author, resigned, metadata)
            number = self._check_next(before, again, now)
            unknown = again.signed.targets.keys() - (before.signed.targets if before else {}).keys()
            if unknown:
                raise Refused(f"{', '.join(sorted(unknown))} was not published before")
            self._files.put(f"metadata/{number}.{author}.json", resigned)
            changed[f"{author}.json"] = MetaFile(number)
        elif before is not None and not _speaks(metadata, author, before):
            raise Refused(f"what {author} has published must be signed again with a new key")
        self._files.put(f"metadata/{signed.version}.targets.json", _signed(signed, [targets]))
        self.publish_snapshot(changed, now=now)

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
    ) -> None:
        """Take the author's signed metadata with the archives that are new in it.

        Refused when the signature, the number, a path, a hash or an archive is wrong, or when
        a published version would get other bytes.
        """
        if author not in self.authors():
            raise Refused(f"{author} may publish nothing here")
        role = self._verified(author, metadata, self._targets())
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
        data = _signed(signed, [self._online.snapshot])
        self._files.put(f"metadata/{number}.snapshot.json", data)
        self._publish_timestamp(MetaFile(number), now=now)

    def _publish_timestamp(self, snapshot: MetaFile, *, now: datetime) -> None:
        number = 1
        if self._files.get("metadata/timestamp.json") is not None:
            number = self._timestamp().signed.version + 1
        signed = Timestamp(version=number, expires=now + TIMESTAMP_EXPIRES, snapshot_meta=snapshot)
        self._files.put("metadata/timestamp.json", _signed(signed, [self._online.timestamp]))

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

    def _verified(self, author: str, data: bytes, targets: Metadata[Targets]) -> Metadata[Targets]:
        try:
            role: Metadata[Targets] = Metadata.from_bytes(data)
            if not isinstance(role.signed, Targets):
                raise Refused("this is no list of versions")
            targets.verify_delegate(author, role)
        except (RepositoryError, StorageError, ValueError, KeyError) as error:
            raise Refused(f"the signature of {author} does not hold: {error}") from None
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
    return _signed(draft, [author])


def _unpacked(blob: bytes) -> tuple[Contents, bytes]:
    try:
        return unpack(blob), blob
    except BadPackage as error:
        raise Refused(str(error)) from None


def _speaks(targets: Metadata[Targets], author: str, role: Metadata[Targets]) -> bool:
    try:
        targets.verify_delegate(author, role)
    except RepositoryError:
        return False
    return True


def _signed(signed: Root | Targets | Snapshot | Timestamp, signers: Sequence[Signer]) -> bytes:
    metadata: Metadata[Any] = Metadata(signed)
    for signer in signers:
        metadata.sign(signer, append=True)
    return metadata.to_bytes()


def utc_now() -> datetime:
    """What this module takes as time: UTC, whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)
