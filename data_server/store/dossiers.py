"""All that is known of one player, for operators: one consistent look, and nothing that tells
where he lives (addresses and devices stay in persons.py)."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.engine import Connection
from sqlalchemy.sql.functions import coalesce

from data_server.names import name_key
from data_server.store import books, penalties
from data_server.store.tables import Account, Player, PlayerSession, Presence, Sitting
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2

PENALTIES = 20


def look(tx: Connection, request: data_pb2.GetPlayerRequest) -> data_pb2.GetPlayerReply:
    """By id, or by name as a login takes it. Refused NO_SUCH_PLAYER."""
    which = (
        Player.id == request.player
        if request.player
        else Player.name_key == name_key(request.name.strip())
    )
    row = tx.execute(
        select(
            Player.id, Player.name, Player.kind, Player.created_us, Player.frozen_until_us
        ).where(which)
    ).one_or_none()
    if row is None:
        raise Refused("NO_SUCH_PLAYER")
    return data_pb2.GetPlayerReply(
        profile=common_pb2.Profile(player=row.id, name=row.name, guest=row.kind == "guest"),
        created_us=row.created_us,
        frozen_until_us=row.frozen_until_us,
        wallet=books.wallet_of(tx, row.id),
        sittings=_sittings(tx, row.id),
        session=_session(tx, row.id),
        penalties=penalties.newest(tx, player=row.id, before=0, limit=PENALTIES),
    )


def _sittings(tx: Connection, player: int) -> list[data_pb2.PlayerSitting]:
    """The open ones, with what lies on the table."""
    rows = tx.execute(
        select(Sitting.__table__, Account.balance)
        .join(Account, Account.id == Sitting.account_id)
        .where(Sitting.player_id == player, Sitting.closed_us == 0)
        .order_by(Sitting.opened_us)
    )
    return [
        data_pb2.PlayerSitting(
            table=common_pb2.TableRef(room=row.room, shard=row.shard, table=row.table_id),
            seat=row.seat,
            host=row.host,
            currency=row.currency,
            stake=row.balance,
            since_us=row.opened_us,
        )
        for row in rows
    ]


def _session(tx: Connection, player: int) -> data_pb2.PlayerSessionInfo | None:
    """The last session; where the player is connected now, if anywhere."""
    row = tx.execute(
        select(
            PlayerSession.epoch,
            PlayerSession.live,
            PlayerSession.server,
            PlayerSession.gateway,
            PlayerSession.opened_us,
        ).where(PlayerSession.player_id == player)
    ).one_or_none()
    if row is None:
        return None
    here = tx.execute(
        select(Presence.server, Presence.gateway).where(Presence.player_id == player)
    ).one_or_none()
    return data_pb2.PlayerSessionInfo(
        epoch=row.epoch,
        live=row.live,
        server=here.server if here else row.server,
        gateway=here.gateway if here else row.gateway,
        opened_us=row.opened_us,
        present=here is not None,
    )


def open_sessions(
    tx: Connection, request: data_pb2.SessionsRequest, *, limit: int
) -> list[data_pb2.OpenSession]:
    """By player's id, after `request.after`. request.server: only there; present: only those
    that are connected now."""
    where = coalesce(Presence.server, PlayerSession.server)
    query = (
        select(
            Player.id,
            Player.name,
            Player.kind,
            PlayerSession.epoch,
            PlayerSession.opened_us,
            where.label("server"),
            coalesce(Presence.gateway, PlayerSession.gateway).label("gateway"),
            Presence.player_id.is_not(None).label("present"),
        )
        .join(PlayerSession, PlayerSession.player_id == Player.id)
        .outerjoin(Presence, Presence.player_id == Player.id)
        .where(PlayerSession.live, Player.id > request.after)
        .order_by(Player.id)
        .limit(limit)
    )
    if request.server:
        query = query.where(where == request.server)
    if request.present:
        query = query.where(Presence.player_id.is_not(None))
    return [
        data_pb2.OpenSession(
            player=row.id,
            name=row.name,
            guest=row.kind == "guest",
            session=data_pb2.PlayerSessionInfo(
                epoch=row.epoch,
                live=True,
                server=row.server,
                gateway=row.gateway,
                opened_us=row.opened_us,
                present=bool(row.present),
            ),
        )
        for row in tx.execute(query)
    ]
