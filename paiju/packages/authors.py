"""Who may publish which packages: the operator's list, changed before it is signed.

Pure. The list is the role `targets` of the repository: one delegation per author, each with
the keys that speak for the author and the packages that are the author's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from securesystemslib.signer import Key
from tuf.api.metadata import DelegatedRole, Delegations, Targets

from paiju.packages.archive import NAME

RESERVED = frozenset({"root", "targets", "snapshot", "timestamp"})


class BadAuthor(ValueError):
    """Says what of the list cannot be."""


def empty() -> Delegations:
    return Delegations({}, {})


def authors_of(targets: Targets) -> Mapping[str, DelegatedRole]:
    """Author -> keys and packages (`NAME/*`)."""
    assert targets.delegations is not None and targets.delegations.roles is not None
    return targets.delegations.roles


def packages_of(role: DelegatedRole) -> list[str]:
    return [path.removesuffix("/*") for path in role.paths or ()]


def enter(targets: Targets, author: str, *, packages: Sequence[str], keys: Iterable[Key]) -> None:
    """Set an author's packages and keys; former keys of his count no more. BadAuthor."""
    delegations, roles = targets.delegations, dict(authors_of(targets))
    assert delegations is not None
    if NAME.fullmatch(author) is None or author in RESERVED:
        raise BadAuthor(f"{author!r} is no name of an author: small letters, digits and _")
    for package in packages:
        if NAME.fullmatch(package) is None:
            raise BadAuthor(f"{package!r} is no name of a package: small letters, digits and _")
    for other, role in roles.items():
        taken = set(packages_of(role)) & set(packages)
        if other != author and taken:
            raise BadAuthor(f"{', '.join(sorted(taken))} belongs to {other}")
    keys = list(keys)
    roles[author] = DelegatedRole(
        name=author,
        keyids=[key.keyid for key in keys],
        threshold=1,
        terminating=True,
        paths=[f"{package}/*" for package in packages],
    )
    known = {**delegations.keys, **{key.keyid: key for key in keys}}
    used = {keyid for role in roles.values() for keyid in role.keyids}
    targets.delegations = Delegations({i: key for i, key in known.items() if i in used}, roles)
