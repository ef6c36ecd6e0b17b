"""How a session opens: by an account, a ticket or a refresh token, and takes its place.

Order that matters: the connection takes the player's place before its session opens, and the
older one is closed only afterwards, so that hosts see the newer pair first and the older
connection's Gone means nothing to them.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from game_server.data_client import DataClient
from game_server.gateway.connection import Connection
from game_server.gateway.effects import CheckTicket
from game_server.gateway.limits import Limits
from game_server.gateway.origins import Tokens, place
from game_server.gateway.player import Player
from game_server.gateway.players import Players
from game_server.gateway.presence import Presence
from game_server.gateway.session_cache import SessionCache
from game_server.gateway.tickets import Claims, Tickets
from paiju.service.ids import new_op, now_us
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2, hall_pb2

SEATS_DEADLINE_S = 1.0


class Places:
    """How often one place may ask the data server for a session, by what that costs there."""

    def __init__(self, limits: Limits) -> None:
        guests: Tokens[str] = Tokens(
            burst=limits.place_guests_burst, per_s=limits.place_guests_per_s
        )
        hashes: Tokens[str] = Tokens(
            burst=limits.place_hashes_burst, per_s=limits.place_hashes_per_s
        )
        self._tokens = {
            "OpenGuest": guests,
            **dict.fromkeys(("Login", "Register", "ChangePassword"), hashes),
        }

    def admit(self, rpc: str, address: str) -> None:
        """Raises Refused(TOO_FAST)."""
        tokens, where, now = self._tokens.get(rpc), place(address), time.monotonic()
        if tokens is not None and not tokens.take(where, now):
            raise Refused("TOO_FAST", retry_after_ms=tokens.wait_ms(where, now))


class Openings:
    def __init__(
        self,
        *,
        data: DataClient,
        tickets: Tickets,
        players: Players[Connection],
        presence: Presence,
        on_opened: Callable[[], None],
        on_replaced: Callable[[Connection, Player], None],
        accounts: Tokens[tuple[int, str]],
        cache: SessionCache,
    ) -> None:
        """on_replaced: tell the hosts that the older connection is gone.

        accounts: how often a player may open a session here.
        """
        self._data = data
        self._tickets = tickets
        self._players = players
        self._presence = presence
        self._on_opened = on_opened
        self._on_replaced = on_replaced
        self._accounts = accounts
        self._cache = cache

    async def resume(self, connection: Connection, effect: CheckTicket) -> None:
        """Open a session by its ticket. Raises Refused."""
        resume = effect.resume
        claims = await self._tickets.verify(resume.ticket)
        live = claims.expires_us > now_us()
        self._admit(claims.player, "" if live else place(connection.session.origin.address))
        if live:
            session = await self._from_claims(claims, resume)
        elif resume.refresh_token:
            request = data_pb2.RenewRequest(
                op=effect.op or new_op(),
                origin=connection.session.origin,
                refresh_token=resume.refresh_token,
            )
            session = (await self._data.call("Renew", request)).session
            if session.profile.player != claims.player:
                raise Refused("BAD_TICKET")
        else:
            raise Refused("BAD_TICKET")
        session.connection = resume.connection
        self.open(connection, effect.ref, session, resume)

    def _admit(self, player: int, where: str) -> None:
        """Raises Refused(TOO_FAST) for a player who comes again and again.

        where: the place of somebody whose ticket has run out. Such a ticket proves little, so it
        only uses up what that place may do: whoever found an old one keeps nobody out.
        """
        who, now = (player, where), time.monotonic()
        if not self._accounts.take(who, now):
            raise Refused("TOO_FAST", retry_after_ms=self._accounts.wait_ms(who, now))

    async def _from_claims(self, claims: Claims, resume: hall_pb2.Resume) -> hall_pb2.Session:
        """The session a ticket stands for; without cursors also the player's open seats."""
        session = hall_pb2.Session(
            session_epoch=claims.epoch, ticket=resume.ticket, ticket_expires_us=claims.expires_us
        )
        session.profile.player = claims.player
        session.profile.name = claims.name
        session.profile.guest = claims.guest
        known = self._cache.recall(claims.player, claims.epoch, time.monotonic())
        if known is not None:
            session.wallet.CopyFrom(known.wallet)
        if not resume.cursors:
            request = data_pb2.FindPlayerRequest(player=claims.player)
            try:
                found = await self._data.call("FindPlayer", request, deadline_s=SEATS_DEADLINE_S)
                session.seats.extend(found.seats)
            except Refused:
                pass  # a resume needs no data server
        return session

    def open(
        self,
        connection: Connection,
        ref: int,
        session: hall_pb2.Session,
        resume: hall_pb2.Resume | None = None,
    ) -> None:
        """Let the connection speak for the player. Raises Refused."""
        core = connection.session
        if core.closed:
            # Gone while the data server made the session, which has noted him as here.
            if self._players.get(session.profile.player) is None:
                self._presence.changed(session.profile.player, session.session_epoch, online=False)
            return
        if core.player is not None:
            session.connection = core.player.connection
            if session.profile.player != core.player.id:
                raise Refused("BAD_TICKET")
        player = Player.of(session)
        if self._players.is_stale(player.id, player.pair, connection):
            raise Refused("STALE_SESSION")
        older = self._players.claim(player.id, player.pair, connection)
        self._on_opened()
        self._presence.changed(player.id, player.epoch, online=True)
        now = time.monotonic()
        if session.HasField("wallet"):
            self._cache.remember(session, now)
        cursors = resume.cursors if resume is not None else ()
        connection.run(core.opened(ref, session, now, cursors=cursors))
        if older is not None:
            self._replace(older, player, connection)

    def _replace(self, older: Connection, player: Player, newer: Connection) -> None:
        old = older.session.player
        older.run(older.session.end("REPLACED", time.monotonic()))
        if old is None:
            return
        if old.pair == player.pair:
            # The repeat of an opening whose answer was lost: hosts cannot tell the two
            # apart, so they hear of the end when the newer one ends.
            newer.hosts |= older.hosts
            older.hosts.clear()
        else:
            self._on_replaced(older, old)
