"""Sessions: one per player. Opening one raises the epoch and ends the one before it.

A row per player, locked while it changes; whoever is told of an ended session is told after
the transaction, by the events it returns (and by other data servers, which read them).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update
from sqlalchemy.engine import Connection

from data_server.store.tables import PlayerAddress, PlayerSession, Presence, SessionEvent
from data_server.tickets import Tickets, hash_of
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

REPLACED = "REPLACED"
KICKED = "KICKED"
NEWS = "NEWS"
"""No end at all (below 0): there is something to tell the player."""
EVERYWHERE = "*"  # instead of a server's name: all game servers are told


@dataclass(frozen=True, slots=True)
class Ended:
    """A session of `player` with an epoch below `below` is over; `server` had it, or any
    (EVERYWHERE)."""

    id: int
    server: str
    player: int
    below: int
    reason: str


@dataclass(frozen=True, slots=True)
class Opened:
    epoch: int
    refresh_token: str
    ended: list[Ended]


@dataclass(frozen=True)
class Opener:
    """What opening a session needs beside the player."""

    tickets: Tickets
    refresh_us: int

    def open(
        self,
        tx: Connection,
        player: int,
        origin: data_pb2.Origin,
        *,
        now_us: int,
        tell_everywhere: bool = False,
    ) -> Opened:
        """A new session, replacing the one before.

        tell_everywhere: not only where that one was seen last. A ticket opens connections at
        other game servers without asking us, and those must end, too, for some reasons.
        """
        row = _locked(tx, player)
        epoch = 1 if row is None else row.epoch + 1
        token = self.tickets.refresh_token(player=player, epoch=epoch)
        values = {
            "epoch": epoch,
            "live": True,
            "refresh_hash": hash_of(token),
            "refresh_expires_us": now_us + self.refresh_us,
            "server": origin.server,
            "gateway": origin.gateway,
            "opened_us": now_us,
        }
        if row is None:
            tx.execute(insert(PlayerSession).values(player_id=player, **values))
            ended = []
        else:
            tx.execute(
                update(PlayerSession).where(PlayerSession.player_id == player).values(**values)
            )
            where = [EVERYWHERE] if tell_everywhere else None
            ended = _tell(tx, row, epoch, REPLACED, now_us, where) if row.live else []
        _note_address(tx, player, origin.address, now_us)
        return Opened(epoch, token, ended)

    def renew(
        self, tx: Connection, token: str, origin: data_pb2.Origin, *, now_us: int
    ) -> tuple[int, Opened]:
        """(player, the same session with a new token). Refused BAD_TICKET.

        A genuine token of the live session that was rotated away before is in two hands: the
        session ends, which is returned as an Opened without a token.
        """
        player, epoch = self.tickets.read_refresh(token)
        row = _locked(tx, player)
        if row is None or not row.live or row.epoch != epoch:
            raise Refused("BAD_TICKET")
        if row.refresh_hash != hash_of(token):
            ended = end(tx, player, reason=KICKED, now_us=now_us, tell_everywhere=True)
            return player, Opened(0, "", ended)
        if row.refresh_expires_us < now_us:
            raise Refused("BAD_TICKET")
        fresh = self.tickets.refresh_token(player=player, epoch=epoch)
        tx.execute(
            update(PlayerSession)
            .where(PlayerSession.player_id == player)
            .values(
                refresh_hash=hash_of(fresh),
                refresh_expires_us=now_us + self.refresh_us,
                server=origin.server,
                gateway=origin.gateway,
            )
        )
        _note_address(tx, player, origin.address, now_us)
        return player, Opened(epoch, fresh, [])


def end(
    tx: Connection,
    player: int,
    *,
    reason: str,
    now_us: int,
    only_epoch: int | None = None,
    tell_everywhere: bool = False,
) -> list[Ended]:
    """End the player's session: no ticket of it is worth anything to a host any more.

    tell_everywhere: as at Opener.open.
    """
    row = _locked(tx, player)
    if row is None or not row.live or (only_epoch is not None and row.epoch != only_epoch):
        return []
    tx.execute(
        update(PlayerSession)
        .where(PlayerSession.player_id == player)
        .values(live=False, epoch=row.epoch + 1, refresh_hash=None)
    )
    where = [EVERYWHERE] if tell_everywhere else None
    return _tell(tx, row, row.epoch + 1, reason, now_us, where)


def news(tx: Connection, player: int, *, now_us: int) -> list[Ended]:
    """Have the game servers that have the player ask what there is to tell him."""
    rows = tx.execute(
        select(PlayerSession.server, Presence.server.label("present"))
        .outerjoin(Presence, Presence.player_id == PlayerSession.player_id)
        .where(PlayerSession.player_id == player, PlayerSession.live)
    ).all()
    servers = {server for row in rows for server in row if server}
    return [_event(tx, server, player, 0, NEWS, now_us) for server in sorted(servers)]


def stale(tx: Connection, server: str, claimed: Mapping[int, int], *, now_us: int) -> list[Ended]:
    """Of the sessions (player -> epoch) that a game server says are connected to it those
    that are over: it missed the news, or took a ticket after it. It is told again."""
    rows = tx.execute(
        select(PlayerSession.player_id, PlayerSession.epoch, PlayerSession.live)
        .where(PlayerSession.player_id.in_(sorted(claimed)))
        .order_by(PlayerSession.player_id)
    )
    ended = []
    for row in rows.all():
        if claimed[row.player_id] < row.epoch:
            reason = REPLACED if row.live else KICKED
            ended.append(_event(tx, server, row.player_id, row.epoch, reason, now_us))
    return ended


def check_epoch(tx: Connection, player: int, epoch: int) -> None:
    """Refused STALE_SESSION unless it is the live session."""
    row = (
        tx.execute(
            select(PlayerSession.epoch, PlayerSession.live).where(PlayerSession.player_id == player)
        )
    ).one_or_none()
    if row is None or not row.live or row.epoch != epoch:
        raise Refused("STALE_SESSION")


def _locked(tx: Connection, player: int) -> PlayerSession | None:
    row = (
        tx.execute(
            select(
                PlayerSession.player_id,
                PlayerSession.epoch,
                PlayerSession.live,
                PlayerSession.refresh_hash,
                PlayerSession.refresh_expires_us,
                PlayerSession.server,
            )
            .where(PlayerSession.player_id == player)
            .with_for_update()
        )
    ).one_or_none()
    return None if row is None else PlayerSession(**row._mapping)


def _tell(
    tx: Connection,
    row: PlayerSession,
    below: int,
    reason: str,
    now_us: int,
    servers: Iterable[str] | None,
) -> list[Ended]:
    """Note the end for `servers`; None: those that the player was seen at last."""
    if servers is None:
        present = tx.scalar(select(Presence.server).where(Presence.player_id == row.player_id))
        servers = {row.server, present or ""} - {""}
    return [_event(tx, server, row.player_id, below, reason, now_us) for server in sorted(servers)]


def _event(tx: Connection, server: str, player: int, below: int, reason: str, now_us: int) -> Ended:
    number = tx.scalar(
        insert(SessionEvent)
        .values(
            server=server,
            player_id=player,
            below_epoch=below,
            reason=reason,
            created_us=now_us,
        )
        .returning(SessionEvent.id)
    )
    assert number is not None
    return Ended(number, server, player, below, reason)


def _note_address(tx: Connection, player: int, address: str, now_us: int) -> None:
    if not address:
        return
    address = address[:64]
    seen = tx.execute(
        update(PlayerAddress)
        .where(PlayerAddress.player_id == player, PlayerAddress.address == address)
        .values(last_us=now_us)
    )
    if seen.rowcount == 0:
        tx.execute(
            insert(PlayerAddress).values(
                player_id=player, address=address, first_us=now_us, last_us=now_us
            )
        )


def forget_addresses(tx: Connection, *, before_us: int) -> None:
    tx.execute(delete(PlayerAddress).where(PlayerAddress.last_us < before_us))
