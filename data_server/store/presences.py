"""Who is where."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import delete, insert, select, update
from sqlalchemy.engine import Connection

from data_server.store import sessions
from data_server.store.sessions import EVERYWHERE, Ended
from data_server.store.tables import Presence, SessionEvent
from paiju.wire.v1 import data_pb2


def apply(tx: Connection, request: data_pb2.PresenceRequest, *, now_us: int) -> list[Ended]:
    """Later sessions win; going offline only removes what that session has put there.

    Returns the sessions that are over and yet connected: a ticket outlives its session by
    minutes, and a gateway does not ask before it takes one.
    """
    online = {change.player: change.session_epoch for change in request.changes if change.online}
    ended = sessions.stale(tx, request.server, online, now_us=now_us) if online else []
    over = {event.player for event in ended}
    for change in sorted(request.changes, key=lambda change: change.player):
        if change.online and change.player in over:
            continue
        if change.online:
            _arrive(tx, request, change, now_us)
        else:
            tx.execute(
                delete(Presence).where(
                    Presence.player_id == change.player,
                    Presence.session_epoch <= change.session_epoch,
                    Presence.server == request.server,
                    Presence.gateway == request.gateway,
                )
            )
    return ended


def _arrive(
    tx: Connection,
    request: data_pb2.PresenceRequest,
    change: data_pb2.PresenceChange,
    now_us: int,
) -> None:
    values = {
        "session_epoch": change.session_epoch,
        "server": request.server,
        "gateway": request.gateway,
        "since_us": now_us,
    }
    epoch = tx.scalar(
        select(Presence.session_epoch).where(Presence.player_id == change.player).with_for_update()
    )
    if epoch is None:
        tx.execute(insert(Presence).values(player_id=change.player, **values))
    elif epoch <= change.session_epoch:
        tx.execute(update(Presence).where(Presence.player_id == change.player).values(**values))


def server_of(tx: Connection, player: int) -> str | None:
    return tx.scalar(select(Presence.server).where(Presence.player_id == player))


def clear(tx: Connection, server: str) -> None:
    """A server begins anew: nobody is connected to it."""
    tx.execute(delete(Presence).where(Presence.server == server))


def events_since(tx: Connection, since_us: int, servers: Iterable[str]) -> list[Ended]:
    """Sessions that ended lately and concern these game servers, oldest first."""
    heard = sorted({*servers, EVERYWHERE})
    rows = tx.execute(
        select(SessionEvent.__table__)
        .where(SessionEvent.created_us >= since_us, SessionEvent.server.in_(heard))
        .order_by(SessionEvent.id)
    )
    return [Ended(row.id, row.server, row.player_id, row.below_epoch, row.reason) for row in rows]


def forget_events(tx: Connection, *, before_us: int) -> None:
    tx.execute(delete(SessionEvent).where(SessionEvent.created_us < before_us))
