"""Logins as a data server sees them: by password, by refresh token, and new accounts."""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from hall_client.load.data_calls import DataServer, origin
from hall_client.load.openloop import Failed, Kind
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2, hall_pb2

SERVER = "load-logins"
PASSWORD = "paiju-load-password"  # of accounts that this run makes
KINDS = ("password", "resume", "register", "guests")
"""guests: new guest, the same again, logout; nothing is hashed."""


@dataclass
class Account:
    """name: to log in with. token: of its session, rotated with each resume."""

    name: str
    player: int
    epoch: int
    token: str


@dataclass
class Logins:
    """`prepare`, then calls of `kind`. An account is used by one call at a time."""

    server: DataServer
    accounts: deque[Account] = field(default_factory=deque)
    run: str = field(default_factory=lambda: secrets.token_hex(4))

    async def prepare(self, kind: str, number: int, told: Callable[[int], None]) -> None:
        """Make the accounts that the calls need. Raises Failed."""
        if kind in ("register", "guests"):
            return
        made = self._with_password if kind == "password" else self._guest
        for first in range(0, number, 8):
            some = range(first, min(number, first + 8))
            self.accounts += await asyncio.gather(*(made(n) for n in some))
            told(len(self.accounts))

    def kind(self, name: str, *, per_s: float, at_once: int) -> Kind:
        calls: dict[str, Callable[[int], Awaitable[None]]] = {
            "password": self._login,
            "resume": self._resume,
            "register": self._register,
            "guests": self._guests,
        }
        return Kind(calls[name], per_s, at_once)

    async def _with_password(self, number: int) -> Account:
        return await self._new(f"ld{self.run}-{number}")

    async def _guest(self, number: int) -> Account:
        session = await self.server.guest(SERVER, secrets.token_bytes(32))
        return _account("", session)

    async def _login(self, number: int) -> None:
        account = self._taken()
        try:
            request = data_pb2.LoginRequest(
                origin=origin(SERVER), name=account.name, password=PASSWORD
            )
            await self.server.call("Accounts", "Login", request)
        finally:
            self.accounts.append(account)

    async def _resume(self, number: int) -> None:
        """The refresh token for a new one and a ticket, as a client does whose ticket is old."""
        account = self._taken()
        try:
            request = data_pb2.RenewRequest(
                op=new_op(), origin=origin(SERVER), refresh_token=account.token
            )
            reply = await self.server.call("Accounts", "Renew", request)
            account.token = reply.session.refresh_token
        finally:
            self.accounts.append(account)

    async def _register(self, number: int) -> None:
        await self._new(f"ln{self.run}-{number}")

    async def _guests(self, number: int) -> None:
        secret = secrets.token_bytes(32)
        await self.server.guest(SERVER, secret)
        session = await self.server.guest(SERVER, secret)
        request = data_pb2.LogoutRequest(
            origin=origin(SERVER),
            player=session.profile.player,
            session_epoch=session.session_epoch,
        )
        await self.server.call("Accounts", "Logout", request)

    async def _new(self, name: str) -> Account:
        request = data_pb2.RegisterRequest(
            op=new_op(), origin=origin(SERVER), name=name, password=PASSWORD
        )
        return _account(name, (await self.server.call("Accounts", "Register", request)).session)

    def _taken(self) -> Account:
        if not self.accounts:
            raise Failed("every account is in use: more of them are needed (--accounts)")
        return self.accounts.popleft()


def _account(name: str, session: hall_pb2.Session) -> Account:
    return Account(name, session.profile.player, session.session_epoch, session.refresh_token)
