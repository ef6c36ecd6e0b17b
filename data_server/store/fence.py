"""The fence: a host whose epoch is over writes nothing."""

from __future__ import annotations

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Connection

from data_server.store.tables import HostFence
from paiju.service.refusals import Refused


def hold(tx: Connection, host: str, epoch: int) -> None:
    """Keep the host's epoch from rising until this transaction ends, or refuse.

    A higher epoch than ever seen is remembered. SQLite: the transaction is the only writer.
    """
    if not host:
        raise Refused("MALFORMED", detail="host is missing")
    seen = tx.scalar(
        select(HostFence.epoch).where(HostFence.host == host).with_for_update(read=True)
    )
    if seen is None:
        tx.execute(insert(HostFence).values(host=host, epoch=epoch))
    elif epoch < seen:
        raise Refused("STALE_EPOCH", have=epoch, current=seen)
    elif epoch > seen:
        raised = tx.execute(
            update(HostFence)
            .where(HostFence.host == host, HostFence.epoch < epoch)
            .values(epoch=epoch)
        )
        if raised.rowcount == 0:
            raise Refused("STALE_EPOCH", have=epoch, current=">")


def begin(tx: Connection, host: str, proposed: int) -> int:
    """A new epoch for the host: above all before it, at least `proposed`."""
    seen = tx.scalar(select(HostFence.epoch).where(HostFence.host == host).with_for_update())
    if seen is None:
        epoch = max(1, proposed)
        tx.execute(insert(HostFence).values(host=host, epoch=epoch))
        return epoch
    epoch = max(seen + 1, proposed)
    tx.execute(update(HostFence).where(HostFence.host == host).values(epoch=epoch))
    return epoch
