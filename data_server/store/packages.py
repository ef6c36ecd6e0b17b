"""Rows of game packages. Every change is made with the one row of `package_change` locked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.engine import Connection

from data_server.store.tables import (
    GameServer,
    Host,
    PackageChange,
    PackageFile,
    PackagePlan,
    PackageVersion,
    ServerGame,
)
from paiju.wire.v1 import packages_pb2 as pb

PLAN_FIELDS = (
    *("package", "server", "on", "version", "staged", "percent", "pinned"),
    *("minimum_client", "previous", "change"),
)


# ---- changes -------------------------------------------------------------------------------


def begin_change(tx: Connection) -> int:
    """Lock what all changes lock; the number of this one."""
    row = tx.execute(select(PackageChange.change).with_for_update()).one()
    number = int(row.change) + 1
    tx.execute(update(PackageChange).values(change=number))
    return number


def hold(tx: Connection) -> None:
    """The same lock without a change."""
    tx.execute(select(PackageChange.change).with_for_update())


def newest_change(tx: Connection) -> int:
    return int(tx.execute(select(PackageChange.change)).scalar_one())


# ---- the repository's files ----------------------------------------------------------------


@dataclass(frozen=True)
class DbFiles:
    """paiju.packages.repository.Files in a transaction."""

    tx: Connection
    now_us: int

    def get(self, path: str) -> bytes | None:
        return read_file(self.tx, path)

    def put(self, path: str, data: bytes) -> None:
        values = {"data": data, "written_us": self.now_us}
        done = self.tx.execute(update(PackageFile).where(PackageFile.path == path).values(**values))
        if not done.rowcount:
            self.tx.execute(insert(PackageFile).values(path=path, **values))


def read_file(tx: Connection, path: str) -> bytes | None:
    found = tx.execute(select(PackageFile.data).where(PackageFile.path == path)).scalar()
    return None if found is None else bytes(found)


# ---- versions ------------------------------------------------------------------------------


def add_version(tx: Connection, row: pb.PublishedVersion) -> None:
    tx.execute(
        insert(PackageVersion).values(
            package=row.package,
            version=row.version,
            author=row.author,
            digest=row.sha256,
            size=row.size,
            rule_sets=json.dumps(list(row.rule_sets)),
            yanked=False,
            published_us=row.published_us,
        )
    )


def version(tx: Connection, package: str, number: str) -> pb.PublishedVersion | None:
    query = select(PackageVersion.__table__).where(
        PackageVersion.package == package, PackageVersion.version == number
    )
    row = tx.execute(query).one_or_none()
    return None if row is None else _version(row)


def versions(tx: Connection, package: str = "") -> list[pb.PublishedVersion]:
    """Of one package, or of all; oldest first."""
    query = select(PackageVersion.__table__).order_by(
        PackageVersion.package, PackageVersion.published_us
    )
    if package:
        query = query.where(PackageVersion.package == package)
    return [_version(row) for row in tx.execute(query)]


def set_yanked(tx: Connection, package: str, number: str, yanked: bool) -> None:
    tx.execute(
        update(PackageVersion)
        .where(PackageVersion.package == package, PackageVersion.version == number)
        .values(yanked=yanked)
    )


def _version(row: Any) -> pb.PublishedVersion:
    return pb.PublishedVersion(
        package=row.package,
        version=row.version,
        author=row.author,
        sha256=row.digest,
        size=row.size,
        rule_sets=json.loads(row.rule_sets),
        yanked=row.yanked,
        published_us=row.published_us,
    )


# ---- plans ---------------------------------------------------------------------------------


def plan(tx: Connection, package: str, server: str) -> pb.PackagePlan | None:
    query = select(PackagePlan.__table__).where(
        PackagePlan.package == package, PackagePlan.server == server
    )
    row = tx.execute(query).one_or_none()
    return None if row is None else _plan(row)


def plans(tx: Connection) -> list[pb.PackagePlan]:
    query = select(PackagePlan.__table__).order_by(PackagePlan.package, PackagePlan.server)
    return [_plan(row) for row in tx.execute(query)]


def put_plan(tx: Connection, plan: pb.PackagePlan) -> None:
    drop_plan(tx, plan.package, plan.server)
    values = {_column(name): getattr(plan, name) for name in PLAN_FIELDS}
    tx.execute(insert(PackagePlan).values(**values))


def drop_plan(tx: Connection, package: str, server: str) -> None:
    tx.execute(
        delete(PackagePlan).where(PackagePlan.package == package, PackagePlan.server == server)
    )


def _plan(row: Any) -> pb.PackagePlan:
    return pb.PackagePlan(**{name: getattr(row, _column(name)) for name in PLAN_FIELDS})


def _column(name: str) -> str:
    return "is_on" if name == "on" else name


# ---- what servers say ----------------------------------------------------------------------


def lease_epoch(tx: Connection, server: str) -> int:
    """0 when there is no such server. The row is locked."""
    query = select(GameServer.lease_epoch).where(GameServer.server == server).with_for_update()
    return int(tx.execute(query).scalar() or 0)


def put_states(tx: Connection, server: str, states: Sequence[pb.GameState], now_us: int) -> None:
    """In place of all that the server said before."""
    tx.execute(delete(ServerGame).where(ServerGame.server == server))
    rows = [
        {
            "server": server,
            "package": state.package,
            "version": state.version,
            "state": state.state,
            "tables": state.tables,
            "faults": state.faults,
            "detail": state.detail,
            "updated_us": now_us,
        }
        for state in states
    ]
    if rows:
        tx.execute(insert(ServerGame), rows)


def states(tx: Connection) -> list[pb.GameState]:
    query = select(ServerGame.__table__).order_by(
        ServerGame.server, ServerGame.package, ServerGame.version
    )
    return [pb.GameState(**row._mapping) for row in tx.execute(query)]


def put_rule_sets(tx: Connection, server: str, games: str) -> None:
    """What may be opened on the hosts of a server; `games` is a JSON list."""
    tx.execute(update(GameServer).where(GameServer.server == server).values(games=games))
    tx.execute(update(Host).where(Host.server == server).values(games=games))
