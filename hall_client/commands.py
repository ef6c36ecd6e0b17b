"""The commands of a client that concern no single table. OP: carries an operation id."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hall_client.core import Core
from paiju.wire.v1 import common_pb2, hall_pb2


class Commands:
    """Mixed into HallClient, which sends them."""

    @property
    def core(self) -> Core:
        raise NotImplementedError

    async def call(
        self, command: hall_pb2.Command, *, timeout_s: float | None = None
    ) -> hall_pb2.Answer:
        raise NotImplementedError

    # ---- sessions --------------------------------------------------------------------------

    async def guest(self, device_secret: bytes, *, name: str = "") -> hall_pb2.Session:
        """OP. The guest account that this secret of 32 bytes opens."""
        body = hall_pb2.OpenGuest(device_secret=device_secret, name=name)
        return (await self.call(hall_pb2.Command(open_guest=body))).session

    async def register(self, name: str, password: str) -> hall_pb2.Session:
        """OP. A new account, logged in."""
        body = hall_pb2.Register(name=name, password=password)
        return (await self.call(hall_pb2.Command(register=body))).session

    async def login(self, name: str, password: str) -> hall_pb2.Session:
        """Idempotent. Ends an older session of the same player."""
        body = hall_pb2.Login(name=name, password=password)
        return (await self.call(hall_pb2.Command(login=body))).session

    async def resume(
        self, ticket: str, *, connection: int, refresh_token: str = ""
    ) -> hall_pb2.Session:
        """Idempotent. Take up a session of an earlier process; connection: a higher number."""
        body = hall_pb2.Resume(ticket=ticket, connection=connection, refresh_token=refresh_token)
        return (await self.call(hall_pb2.Command(resume=body))).session

    async def renew(self) -> hall_pb2.Session:
        """OP. A fresh ticket; the client does it by itself in time."""
        body = hall_pb2.Renew(refresh_token=self.core.credentials.refresh_token)
        return (await self.call(hall_pb2.Command(renew=body))).session

    async def logout(self) -> None:
        """Idempotent. The session is over; the client does not come back."""
        await self.call(hall_pb2.Command(logout=hall_pb2.Logout()))

    async def change_password(self, old: str, new: str) -> hall_pb2.Session:
        """OP. Ends all other sessions of the player."""
        body = hall_pb2.ChangePassword(old_password=old, new_password=new)
        return (await self.call(hall_pb2.Command(change_password=body))).session

    # ---- the hall --------------------------------------------------------------------------

    async def rooms(self, game: str = "") -> Sequence[hall_pb2.Room]:
        """Read. The rooms of a game, of all games when it is empty."""
        body = hall_pb2.ListRooms(game=game)
        return (await self.call(hall_pb2.Command(list_rooms=body))).rooms.rooms

    async def package(self, package: str, version: str) -> hall_pb2.PackageParts:
        """Read. The files of a package's client part, with their hashes."""
        body = hall_pb2.GetPackage(package=package, version=version)
        return (await self.call(hall_pb2.Command(get_package=body))).package

    async def package_file(
        self, package: str, version: str, path: str, offset: int
    ) -> hall_pb2.FilePart:
        """Read. Some of a file from `offset` on."""
        body = hall_pb2.GetPackageFile(package=package, version=version, path=path, offset=offset)
        return (await self.call(hall_pb2.Command(get_package_file=body))).file

    async def watch_grid(self, room: str, *, shard: int = 0, stop: bool = False) -> None:
        """Idempotent. GridChanged events of a room shard; comes back after a reconnect."""
        body = hall_pb2.WatchGrid(room=room, shard=shard, stop=stop)
        await self.call(hall_pb2.Command(watch_grid=body))

    async def wallet(self) -> hall_pb2.Wallet:
        """Read."""
        return (await self.call(hall_pb2.Command(get_wallet=hall_pb2.GetWallet()))).wallet

    async def ping(self) -> float:
        """Read. Seconds until the answer came."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await self.call(hall_pb2.Command(ping=hall_pb2.Ping(nonce=1)))
        return loop.time() - begun

    async def heard(self, penalty: int) -> None:
        """Idempotent. The player has seen what was decided about him."""
        await self.call(hall_pb2.Command(heard=hall_pb2.Heard(penalty=penalty)))

    async def report(
        self, player: int, *, kind: str, detail: str, table: common_pb2.TableRef | None = None
    ) -> None:
        """OP. kind: cheat, abuse, collusion, other."""
        body = hall_pb2.Report(player=player, kind=kind, detail=detail, table=table)
        await self.call(hall_pb2.Command(report=body))
