"""Accounts and sessions: what the RPCs of `Accounts` do.

Everything durable is in the database; this object only holds what it needs to get there.
Order: hash (bounded pool, no transaction open), one transaction with its effect and its
stored answer, then followers are told.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from data_server.follow import Followers
from data_server.names import checked_name, name_key
from data_server.passwords import LONGEST, Passwords, checked_password
from data_server.policy import not_frozen
from data_server.store import books, notices, players, sessions, sittings
from data_server.store.books import HallAccounts
from data_server.store.database import Database
from data_server.store.ids import Ids
from data_server.store.locks import Attempt, Locks
from data_server.store.operations import Operations
from data_server.store.players import Known
from data_server.store.reliefs import ReliefRule
from data_server.store.sessions import Ended, Opened, Opener
from data_server.tickets import Tickets, hash_of
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2, hall_pb2

SECRET_BYTES = 32
_GUEST_NAMES = {"zh": "游客"}


@dataclass(frozen=True, kw_only=True)
class Accounts:
    database: Database
    ids: Ids
    operations: Operations
    passwords: Passwords
    tickets: Tickets
    locks: Locks
    opener: Opener
    relief: ReliefRule
    followers: Followers
    hall: HallAccounts
    start_grant: int
    clock: Callable[[], int]

    async def open_guest(self, request: data_pb2.OpenGuestRequest) -> data_pb2.SessionReply:
        if len(request.device_secret) != SECRET_BYTES:
            raise Refused("BAD_SECRET")
        named = checked_name(request.name) if request.name else None
        device = hash_of(request.device_secret)
        ids = await self.ids.take(4)
        ended: list[Ended] = []

        def work(tx: Connection) -> data_pb2.SessionReply:
            now = self.clock()
            player = players.by_device(tx, device, now_us=now)
            if player is None:
                name, key = named or checked_name(_made_up(request.locale))
                new = players.NewPlayer(ids[:3], name, key, guest=True)
                player = self._create(tx, new, now)
                players.add_device(tx, player.id, device, locale=request.locale, now_us=now)
            not_frozen(tx, player.id, now)
            opened = self.opener.open(tx, player.id, request.origin, now_us=now)
            ended[:] = opened.ended
            return self._reply(tx, player, opened, relief=ids[3], now=now)

        body = data_pb2.OpenGuestRequest(device_secret=request.device_secret, name=request.name)
        reply = await self.operations.once(
            request.op, kind="OpenGuest", body=body, answer=data_pb2.SessionReply, work=work
        )
        self.followers.session_ended(ended)
        return reply

    async def register(self, request: data_pb2.RegisterRequest) -> data_pb2.SessionReply:
        name, key = checked_name(request.name)
        password = checked_password(request.password)
        body = data_pb2.RegisterRequest(name=request.name, password=request.password)
        stored = await self.operations.stored(
            request.op, kind="Register", body=body, answer=data_pb2.SessionReply
        )
        if stored is not None:
            return stored
        self.operations.check_age(request.op)
        hashed = await self.passwords.hash(password)
        ids = await self.ids.take(4)

        def work(tx: Connection) -> data_pb2.SessionReply:
            now = self.clock()
            new = players.NewPlayer(ids[:3], name, key, guest=False)
            player = self._create(tx, new, now)
            players.set_password(tx, player.id, hashed, now_us=now)
            opened = self.opener.open(tx, player.id, request.origin, now_us=now)
            return self._reply(tx, player, opened, relief=ids[3], now=now)

        return await self.operations.once(
            request.op, kind="Register", body=body, answer=data_pb2.SessionReply, work=work
        )

    async def login(self, request: data_pb2.LoginRequest) -> data_pb2.SessionReply:
        """One hash, whether the name exists or not, and one refusal for both.

        An attempt during a lock is refused before anything is looked at, so it costs none.
        """
        # No name has U+0000 in it, and no database takes one: it is looked for as another.
        name = request.name[:256].replace("\0", "\ufffd")
        key, address = name_key(name), request.origin.address

        def begin(tx: Connection) -> tuple[Attempt, Known | None, str | None]:
            attempt = self.locks.begin(tx, key, address, now_us=self.clock())
            return attempt, *players.credentials(tx, key)

        attempt, known, stored = await self.database.write(begin)
        if not await self.passwords.verify(stored, _as_typed(request.password)) or known is None:
            raise Refused("BAD_CREDENTIALS")
        player = known
        relief = await self.ids.one()

        def work(tx: Connection) -> tuple[data_pb2.SessionReply, list[Ended]]:
            now = self.clock()
            if players.password_hash(tx, player.id) != stored:
                raise Refused("BAD_CREDENTIALS")  # it was changed while we hashed
            self.locks.take_back(tx, attempt)
            try:
                not_frozen(tx, player.id, now)
            except Refused as refused:  # an answer: what was taken back is to stay so
                return data_pb2.SessionReply(refusal=refused.message()), []
            opened = self.opener.open(tx, player.id, request.origin, now_us=now)
            return self._reply(tx, player, opened, relief=relief, now=now), opened.ended

        reply, ended = await self.database.write(work)
        self.followers.session_ended(ended)
        return reply

    async def renew(self, request: data_pb2.RenewRequest) -> data_pb2.SessionReply:
        ended: list[Ended] = []

        def work(tx: Connection) -> data_pb2.SessionReply:
            now = self.clock()
            number, opened = self.opener.renew(
                tx, request.refresh_token, request.origin, now_us=now
            )
            ended[:] = opened.ended
            player = players.by_id(tx, number)
            if not opened.refresh_token or player is None:
                return data_pb2.SessionReply(refusal=Refused("BAD_TICKET").message())
            return self._reply(tx, player, opened, relief=None, now=now)

        reply = await self.operations.once(
            request.op,
            kind="Renew",
            body=data_pb2.RenewRequest(refresh_token=request.refresh_token),
            answer=data_pb2.SessionReply,
            work=work,
        )
        self.followers.session_ended(ended)
        return reply

    async def logout(self, request: data_pb2.LogoutRequest) -> data_pb2.Reply:
        now = self.clock()
        ended = await self.database.write(
            lambda tx: sessions.end(
                tx,
                request.player,
                reason=sessions.KICKED,
                now_us=now,
                only_epoch=request.session_epoch,
            )
        )
        self.followers.session_ended(ended)
        return data_pb2.Reply()

    async def change_password(
        self, request: data_pb2.ChangePasswordRequest
    ) -> data_pb2.SessionReply:
        new_password = checked_password(request.new_password)
        body = data_pb2.ChangePasswordRequest(
            player=request.player,
            old_password=request.old_password,
            new_password=request.new_password,
        )
        stored = await self.operations.stored(
            request.op, kind="ChangePassword", body=body, answer=data_pb2.SessionReply
        )
        if stored is not None:
            return stored
        self.operations.check_age(request.op)
        address = request.origin.address

        def begin(tx: Connection) -> tuple[Attempt, str | None]:
            key = players.name_key_of(tx, request.player)
            attempt = self.locks.begin(tx, key, address, now_us=self.clock())
            return attempt, players.password_hash(tx, request.player)

        attempt, old = await self.database.write(begin)
        if not await self.passwords.verify(old, _as_typed(request.old_password)):
            raise Refused("BAD_CREDENTIALS")
        hashed = await self.passwords.hash(new_password)
        ended: list[Ended] = []

        def work(tx: Connection) -> data_pb2.SessionReply:
            now = self.clock()
            sessions.check_epoch(tx, request.player, request.session_epoch)
            player = players.by_id(tx, request.player)
            if player is None or players.password_hash(tx, request.player) != old:
                raise Refused("BAD_CREDENTIALS")
            players.set_password(tx, player.id, hashed, now_us=now)
            self.locks.take_back(tx, attempt)
            opened = self.opener.open(
                tx, player.id, request.origin, now_us=now, tell_everywhere=True
            )
            ended[:] = opened.ended
            return self._reply(tx, player, opened, relief=None, now=now)

        reply = await self.operations.once(
            request.op,
            kind="ChangePassword",
            body=body,
            answer=data_pb2.SessionReply,
            work=work,
        )
        self.followers.session_ended(ended)
        return reply

    def ticket_keys(self) -> data_pb2.TicketKeysReply:
        now = self.clock()
        return data_pb2.TicketKeysReply(
            keys=[
                data_pb2.TicketKey(
                    id=key.id(), public_key=key.public(), not_after_us=key.not_after_us
                )
                for key in self.tickets.keys.tickets
                if not key.not_after_us or key.not_after_us > now
            ]
        )

    def _create(self, tx: Connection, new: players.NewPlayer, now: int) -> Known:
        return players.create(
            tx, new, mint=self.hall.mint, start_grant=self.start_grant, now_us=now
        )

    def _reply(
        self, tx: Connection, player: Known, opened: Opened, *, relief: int | None, now: int
    ) -> data_pb2.SessionReply:
        """The session as the client gets it; relief: an entry id if a session was opened."""
        if relief is not None:
            self.relief.apply(tx, player.id, mint=self.hall.mint, entry=relief, now_us=now)
        ticket = self.tickets.sign(
            player=player.id,
            name=player.name,
            guest=player.guest,
            epoch=opened.epoch,
            now_us=now,
        )
        session = hall_pb2.Session(
            profile=player.profile(),
            session_epoch=opened.epoch,
            ticket=ticket.token,
            ticket_expires_us=ticket.expires_us,
            refresh_token=opened.refresh_token,
            wallet=books.wallet_of(tx, player.id),
            seats=sittings.seats_of(tx, player.id),
            penalties=notices.unheard(tx, player.id),
        )
        return data_pb2.SessionReply(session=session)


def _as_typed(password: str) -> str:
    """For checking: one that could never have been set costs a hash, too."""
    try:
        return checked_password(password)
    except Refused:
        return password[:LONGEST] + "\0"


def _made_up(locale: str) -> str:
    """A name for a guest; a collision is found by the unique key and another one is made."""
    prefix = next(
        (word for language, word in _GUEST_NAMES.items() if locale.startswith(language)), "Guest"
    )
    return f"{prefix}{secrets.randbelow(10**9):09d}"
