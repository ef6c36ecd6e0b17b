"""The depot: the signed repository of game packages, in the database.

The files are the database's; whoever changes them holds the one lock of `store/packages.py`, so
of two data servers that publish at once the second sees what the first one wrote, and snapshot
and timestamp are replaced in the transaction of what they describe. Online keys come from
files, never from the database. Nothing of a package is ever run here: `publish` unpacks and
reads sources, whether they keep the rules of their cases is proved where they were made and
on every game server.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypeVar

import structlog
from sqlalchemy.engine import Connection

from data_server.backoffice import check_reason
from data_server.changes import Changes
from data_server.store import audits, packages
from data_server.store.database import Database
from data_server.store.operations import Operations
from data_server.store.packages import DbFiles
from paiju.packages import imports, repository
from paiju.packages.archive import BadPackage, Contents, unpack
from paiju.packages.authors import packages_of
from paiju.packages.beginning import Beginning, begin
from paiju.packages.repository import OnlineKeys, Repository
from paiju.packages.signing import unsigned
from paiju.service.refusals import Refused
from paiju.wire.v1 import packages_pb2 as pb

log = structlog.get_logger()
T = TypeVar("T")

TIMESTAMP = "metadata/timestamp.json"
CACHED = 64
"""Files kept in memory; each has at most the size of a package."""


@dataclass(kw_only=True)
class Depot:
    """keys: what was signed offline and the online keys; None: this hall has no repository."""

    database: Database
    operations: Operations
    changes: Changes
    keys: tuple[Beginning, OnlineKeys] | None
    clock: Callable[[], int]
    expires_us: int = 0
    """When followers will refuse what is here, unless it is renewed."""
    signed_until_us: int = 0
    """When they will, unless people sign again."""
    _cache: OrderedDict[str, bytes] = field(default_factory=OrderedDict)

    # ---- life ------------------------------------------------------------------------------

    async def open(self) -> None:
        """Before the port: make what is missing, renew what is old. ValueError: wrong keys."""
        if self.keys is None:
            return
        first, online = self.keys

        def work(tx: Connection) -> bool:
            packages.hold(tx)
            files = self._files(tx)
            new = files.get("metadata/1.root.json") is None
            if new:
                begin(files, first, online, now=self._now())
            return new

        if await self.database.write(work):
            log.info("packages.begun")
        await self.renew()

    async def renew(self) -> None:
        """Sign snapshot and timestamp again when half of their time is over."""
        if self.keys is None:
            return

        def work(tx: Connection) -> tuple[bool, datetime, datetime]:
            packages.hold(tx)
            repo = self._repository(tx)
            if not repo.knows(self._online()):
                raise ValueError("the online keys of packages are not those of this hall's root")
            return repo.renew(now=self._now()), repo.expires(), repo.signed_until()

        renewed, expires, signed_until = await self.database.write(work)
        self.expires_us = int(expires.timestamp() * 1e6)
        self.signed_until_us = int(signed_until.timestamp() * 1e6)
        if renewed:
            log.info("packages.renewed", expires=expires.isoformat())

    async def look(self) -> None:
        """See what other data servers have changed."""
        self.changes.tell(await self.database.read(packages.newest_change))

    # ---- reading ---------------------------------------------------------------------------

    async def file(self, path: str) -> bytes | None:
        """A file of the repository. All but the timestamp never change."""
        found = self._cache.get(path)
        if found is not None:
            self._cache.move_to_end(path)
            return found
        data = await self.database.read(lambda tx: packages.read_file(tx, path))
        if data is not None and path != TIMESTAMP:
            self._cache[path] = data
            if len(self._cache) > CACHED:
                self._cache.popitem(last=False)
        return data

    async def draft(self, request: pb.GetDraftRequest) -> pb.GetDraftReply:
        def work(tx: Connection) -> bytes:
            repo, now = self._repository(tx), self._now()
            if request.author:
                return unsigned(repo.draft(request.author, now=now))
            return unsigned(repo.draft_authors(now=now))

        return pb.GetDraftReply(draft=await self.database.read(_refusing(work)))

    async def authors(self) -> list[pb.PackageAuthor]:
        if self.keys is None:
            return []

        def work(tx: Connection) -> list[pb.PackageAuthor]:
            found = self._repository(tx).authors()
            return [
                pb.PackageAuthor(author=name, packages=packages_of(role), keys=role.keyids)
                for name, role in sorted(found.items())
            ]

        return await self.database.read(work)

    # ---- changing --------------------------------------------------------------------------

    async def publish(
        self, request: pb.PublishPackagesRequest, *, who: str
    ) -> pb.PackageChangeReply:
        check_reason(request.reason)
        await asyncio.to_thread(_check_sources, list(request.archives))

        def work(tx: Connection) -> pb.PackageChangeReply:
            change, now_us = packages.begin_change(tx), self.clock()
            new = self._repository(tx).publish(
                request.author, request.signed, list(request.archives), now=self._now()
            )
            for contents in new:
                self._enter(tx, request, contents, now_us)
            named = [f"{contents.name}/{contents.version}" for contents in new]
            self._audit(tx, who, "package.publish", request.author, request.reason, named)
            return pb.PackageChangeReply(change=change)

        body = pb.PublishPackagesRequest(
            author=request.author,
            signed=request.signed,
            archives=request.archives,
            reason=request.reason,
        )
        return await self._once(request.op, "PublishPackages", body, work)

    def _enter(
        self,
        tx: Connection,
        request: pb.PublishPackagesRequest,
        contents: Contents,
        now_us: int,
    ) -> None:
        before = packages.version(tx, contents.name, contents.version)
        if before is not None and before.sha256 != contents.digest:
            raise repository.Refused(
                f"{contents.name}/{contents.version} was published once, with other contents"
            )
        if before is None:
            _check_names(tx, contents)
            size = next(len(b) for b in request.archives if unpack(b).digest == contents.digest)
            row = pb.PublishedVersion(
                package=contents.name,
                version=contents.version,
                author=request.author,
                sha256=contents.digest,
                size=size,
                published_us=now_us,
                rule_sets=sorted(contents.manifest.rule_set_names()),
            )
            packages.add_version(tx, row)

    async def set_authors(
        self, request: pb.SetAuthorsRequest, *, who: str
    ) -> pb.PackageChangeReply:
        check_reason(request.reason)

        def work(tx: Connection) -> pb.PackageChangeReply:
            change, repo = packages.begin_change(tx), self._repository(tx)
            repo.take_authors(request.signed, dict(request.resigned), now=self._now())
            named = {name: packages_of(role) for name, role in repo.authors().items()}
            self._audit(tx, who, "package.authors", "authors", request.reason, named)
            return pb.PackageChangeReply(change=change)

        body = pb.SetAuthorsRequest(
            signed=request.signed, resigned=request.resigned, reason=request.reason
        )
        return await self._once(request.op, "SetAuthors", body, work)

    async def root(self) -> pb.GetRootReply:
        work = _refusing(lambda tx: self._repository(tx).root())
        return pb.GetRootReply(root=await self.database.read(work))

    async def set_root(self, request: pb.SetRootRequest, *, who: str) -> pb.PackageChangeReply:
        check_reason(request.reason)

        def work(tx: Connection) -> pb.PackageChangeReply:
            change = packages.begin_change(tx)
            targets = request.targets or None
            number = self._repository(tx).take_root(request.root, targets, now=self._now())
            self._audit(tx, who, "package.root", "root", request.reason, number)
            return pb.PackageChangeReply(change=change)

        body = pb.SetRootRequest(root=request.root, targets=request.targets, reason=request.reason)
        return await self._once(request.op, "SetRoot", body, work)

    # ---- inside ----------------------------------------------------------------------------

    async def _once(
        self,
        op: bytes,
        kind: str,
        body: pb.PublishPackagesRequest | pb.SetAuthorsRequest | pb.SetRootRequest,
        work: Callable[[Connection], pb.PackageChangeReply],
    ) -> pb.PackageChangeReply:
        reply = await self.operations.once(
            op, kind=kind, body=body, answer=pb.PackageChangeReply, work=_refusing(work)
        )
        self.changes.tell(reply.change)
        return reply

    def _online(self) -> OnlineKeys:
        if self.keys is None:
            raise Refused("NO_REPOSITORY")
        return self.keys[1]

    def _repository(self, tx: Connection) -> Repository:
        return Repository(self._files(tx), self._online())

    def _files(self, tx: Connection) -> DbFiles:
        return DbFiles(tx, self.clock())

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self.clock() // 10**6, UTC)

    def _audit(
        self, tx: Connection, who: str, what: str, target: str, why: str, after: object
    ) -> None:
        audits.append(
            tx,
            who=who,
            what=what,
            target=target,
            why=why,
            before=None,
            after=after,
            now_us=self.clock(),
        )


def _refusing(work: Callable[[Connection], T]) -> Callable[[Connection], T]:
    """What the repository refuses is an answer."""

    def wrapped(tx: Connection) -> T:
        try:
            return work(tx)
        except repository.Refused as error:
            raise Refused("PACKAGE_REFUSED", detail=error) from None

    return wrapped


def _check_names(tx: Connection, contents: Contents) -> None:
    """Of two packages with the same rule set one would play the other's tables."""
    own = contents.manifest.rule_set_names()
    for other in packages.versions(tx):
        taken = own & set(other.rule_sets)
        if other.package != contents.name and taken:
            raise repository.Refused(f"{', '.join(sorted(taken))} is a game of {other.package}")


def _check_sources(archives: Sequence[bytes]) -> None:
    for blob in archives:
        try:
            contents = unpack(blob)
            imports.check(contents.name, contents.modules())
        except (BadPackage, UnicodeDecodeError, RecursionError, MemoryError) as error:
            raise Refused("PACKAGE_REFUSED", detail=error) from None
