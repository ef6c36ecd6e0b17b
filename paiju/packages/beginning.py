"""How a repository begins: what is signed offline, and the first snapshot.

The root's keys sign who may sign what; two of three are needed. They and the key of `targets`
lie with the operator, never with a data server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from securesystemslib.exceptions import StorageError
from securesystemslib.signer import Key, Signer
from tuf.api.exceptions import RepositoryError
from tuf.api.metadata import Metadata, MetaFile, Role, Root, Targets

from paiju.packages import authors
from paiju.packages.repository import TARGETS_EXPIRES, Files, OnlineKeys, Refused, Repository
from paiju.packages.rotation import ROOT_EXPIRES, ROOT_THRESHOLD
from paiju.packages.signing import sign

ROOT_KEYS = 3


def create(
    files: Files,
    *,
    root: Sequence[Signer],
    targets: Signer,
    online: OnlineKeys,
    now: datetime,
) -> bytes:
    """A new repository without packages; the first root, which game servers are given."""
    first = Beginning.make(
        root=root,
        targets=targets,
        snapshot=online.snapshot.public_key,
        timestamp=online.timestamp.public_key,
        now=now,
    )
    begin(files, first, online, now=now)
    return first.root


@dataclass(frozen=True)
class Beginning:
    """What is signed offline before there is a repository: root and an empty list of authors."""

    root: bytes
    targets: bytes

    @classmethod
    def make(
        cls,
        *,
        root: Sequence[Signer],
        targets: Signer,
        snapshot: Key,
        timestamp: Key,
        now: datetime,
    ) -> Beginning:
        """Two or more keys for the root, the others one each. Refused."""
        if len(root) < ROOT_THRESHOLD:
            raise Refused(f"the root needs at least {ROOT_THRESHOLD} keys")
        keys = [signer.public_key for signer in root]
        roles = {
            "root": Role([key.keyid for key in keys], ROOT_THRESHOLD),
            "targets": Role([targets.public_key.keyid], 1),
            "snapshot": Role([snapshot.keyid], 1),
            "timestamp": Role([timestamp.keyid], 1),
        }
        everybody = [*keys, targets.public_key, snapshot, timestamp]
        signed = Root(
            version=1,
            expires=now + ROOT_EXPIRES,
            keys={key.keyid: key for key in everybody},
            roles=roles,
            consistent_snapshot=True,
        )
        empty = Targets(version=1, expires=now + TARGETS_EXPIRES, delegations=authors.empty())
        return cls(sign(signed, root), sign(empty, [targets]))


def begin(files: Files, first: Beginning, online: OnlineKeys, *, now: datetime) -> None:
    """Open a repository with what was signed offline. Refused when there is one."""
    if files.get("metadata/1.root.json") is not None:
        raise Refused("there is a repository already")
    root: Metadata[Root] = Metadata.from_bytes(first.root)
    try:
        root.verify_delegate("root", root)
        root.verify_delegate("targets", Metadata[Targets].from_bytes(first.targets))
    except (RepositoryError, StorageError) as error:
        raise Refused(f"root and targets do not belong together: {error}") from None
    files.put("metadata/1.root.json", first.root)
    files.put("metadata/1.targets.json", first.targets)
    Repository(files, online).publish_snapshot({"targets.json": MetaFile(1)}, now=now)
