"""The next root: other keys, or the same ones for another year. Pure but for the signing.

A root is believed by whoever believes the one before it: two of its keys and two of its own must
have signed it. So a game server that was installed long ago finds its way from root to root, and
keys that were replaced are worth nothing to whoever has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from securesystemslib.exceptions import StorageError
from securesystemslib.signer import Key, Signer
from tuf.api.exceptions import RepositoryError
from tuf.api.metadata import Metadata, Root

from paiju.packages.signing import sign

ROOT_THRESHOLD = 2
ROOT_EXPIRES = timedelta(days=365)


class BadRoot(ValueError):
    """The next root cannot be made, or is none; says why."""


def next_root(
    current: bytes,
    *,
    signers: Sequence[Signer],
    now: datetime,
    root: Sequence[Signer] = (),
    **others: Sequence[Key],
) -> bytes:
    """signers: keys of the current root. root: all of the next one's; empty: the same.

    others: keys of targets, snapshot or timestamp from now on; what is not named stays. BadRoot.
    """
    before = _read(current)
    signed = _read(current).signed
    signed.version += 1
    signed.expires = now + ROOT_EXPIRES
    if root:
        if len(root) < ROOT_THRESHOLD:
            raise BadRoot(f"the root needs at least {ROOT_THRESHOLD} keys")
        _give(signed, "root", [signer.public_key for signer in root])
    for role, keys in others.items():
        _give(signed, role, keys)
    data = sign(signed, _known(before.signed, signers) + list(root))
    check_next(before, data, now=now)
    return data


def check_next(before: Metadata[Root], data: bytes, *, now: datetime) -> Metadata[Root]:
    """What follows the root before; as followers check it. BadRoot."""
    root = _read(data)
    wanted = before.signed.version + 1
    if root.signed.version != wanted:
        raise BadRoot(f"root {root.signed.version} is signed, {wanted} is the next")
    if root.signed.is_expired(now):
        raise BadRoot("the root has expired already")
    if not root.signed.consistent_snapshot or root.signed.roles["root"].threshold < ROOT_THRESHOLD:
        raise BadRoot(f"a root has consistent snapshots and {ROOT_THRESHOLD} keys")
    try:
        before.verify_delegate("root", root)
        root.verify_delegate("root", root)
    except (RepositoryError, StorageError, ValueError) as error:
        raise BadRoot(f"the signatures of the root do not hold: {error}") from None
    return root


def _read(data: bytes) -> Metadata[Root]:
    try:
        found: Metadata[Root] = Metadata.from_bytes(data)
    except (RepositoryError, StorageError, ValueError, KeyError) as error:
        raise BadRoot(f"this is no root: {error}") from None
    if not isinstance(found.signed, Root):
        raise BadRoot("this is no root")
    return found


def _give(root: Root, role: str, keys: Sequence[Key]) -> None:
    for keyid in list(root.roles[role].keyids):
        root.revoke_key(keyid, role)
    for key in keys:
        root.add_key(key, role)


def _known(root: Root, signers: Iterable[Signer]) -> list[Signer]:
    """Of these, the ones that the root names: another key's signature would say nothing."""
    return [s for s in signers if s.public_key.keyid in root.roles["root"].keyids]
