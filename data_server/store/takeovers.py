"""Rows of hosts whose machine is lost: who is asked to run them meanwhile."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import exists, func, select, update
from sqlalchemy.engine import Connection

from data_server.store.tables import GameServer, Host, Sitting

# Who is to run a host: its keeper while there is one, else its home.
_runner = func.coalesce(func.nullif(Host.keeper, ""), func.nullif(Host.home, ""), Host.server)


def kept(tx: Connection) -> Sequence[Any]:
    """(host, home, keeper) of all hosts that run away from home."""
    query = select(Host.host, Host.home, Host.keeper).where(Host.keeper != "")
    return tx.execute(query.order_by(Host.host)).all()


def sharing(tx: Connection) -> Sequence[Any]:
    """All hosts whose journal others could go on with."""
    return tx.execute(select(Host.__table__).where(Host.journal != "")).all()


def lost(tx: Connection, silent: Collection[str]) -> Sequence[Any]:
    """Hosts of these servers at whose tables players sit and whose journal others share;
    `runner` is who should run them."""
    sits = exists().where(Sitting.host == Host.host, Sitting.closed_us == 0)
    query = (
        select(Host.__table__, _runner.label("runner"))
        .where(_runner.in_(silent), Host.journal != "", sits)
        .order_by(Host.host)
    )
    return tx.execute(query).all()


def give(tx: Connection, row: Any, *, keeper: str) -> bool:
    """Ask `keeper` to run the host of that row; False when somebody else has changed it.

    The lease of the silent server ends with it: if it lives it registers again, and takes its
    hosts back, before it starts one (docs/contracts/membership.md).
    """
    given = tx.execute(
        update(Host)
        .where(Host.host == row.host, Host.keeper == row.keeper, Host.epoch == row.epoch)
        .values(keeper=keeper)
    )
    if given.rowcount == 0:
        return False
    tx.execute(
        update(GameServer)
        .where(GameServer.server == row.runner)
        .values(lease_epoch=GameServer.lease_epoch + 1)
    )
    return True


def take_home(tx: Connection, host: str) -> None:
    """Its home is about to start it: nobody else is asked to run it any more."""
    tx.execute(update(Host).where(Host.host == host).values(keeper=""))


def keeper_of(tx: Connection, host: str) -> str:
    """Empty when it runs at home, or is not known."""
    return tx.scalar(select(Host.keeper).where(Host.host == host).with_for_update()) or ""
