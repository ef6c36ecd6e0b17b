"""The robots that sit down with a person: clients of this process at the same table."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import random
from collections.abc import Sequence

from hall_client.bots.mind import Mind
from hall_client.bots.player import BotPlayer, Habits
from hall_client.channels import ChannelPool
from hall_client.client import HallClient
from hall_client.errors import HallError, Refused
from hall_client.table import TableHandle

_LEAVE_S = 5.0
_TRIES = 20


class Company:
    """`async with`; `fill` takes the free seats. secret: of the person, whose robots these are.

    think_s: how long a robot seems to think, so that a person can follow. lonely_s: after so
    long without a hand a robot leaves.
    """

    def __init__(
        self,
        *,
        addresses: Sequence[str],
        server_keys: Sequence[bytes],
        secret: bytes,
        mind: Mind,
        locale: str,
        think_s: tuple[float, float],
        pool: ChannelPool,
        lonely_s: float = 1e9,
    ) -> None:
        self._addresses = addresses
        self._server_keys = server_keys
        self._secret = secret
        self._mind = mind
        self._locale = locale
        self._think_s = think_s
        self._pool = pool
        self._lonely_s = lonely_s
        self._seated: set[int] = set()  # numbers of robots that sit, or try to
        self._playing: dict[asyncio.Task[None], BotPlayer | None] = {}
        self._filling = False

    async def __aenter__(self) -> Company:
        return self

    async def __aexit__(self, *error: object) -> None:
        for player in self._playing.values():
            if player is not None:
                player.stop()
        if self._playing:
            await asyncio.wait(self._playing, timeout=_LEAVE_S)
        for task in list(self._playing):
            task.cancel()
        await asyncio.gather(*self._playing, return_exceptions=True)

    @property
    def playing(self) -> int:
        """Robots at tables, or on their way to one."""
        return len(self._playing)

    async def fill(self, table: TableHandle, *, key: str = "") -> int:
        """Sit down on every free seat; how many did. A seat may be taken meanwhile.

        key: of a locked table.
        """
        if self._filling:
            return 0
        self._filling = True
        try:
            free = [index for index, seat in enumerate(table.seats) if seat is None]
            return sum([await self._one(table, seat, key) for seat in free])
        finally:
            self._filling = False

    async def _one(self, table: TableHandle, seat: int, key: str) -> bool:
        sat: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self._play(table, seat, key, sat))
        self._playing[task] = None
        task.add_done_callback(lambda done: self._playing.pop(done, None))
        return await sat

    async def _play(
        self, table: TableHandle, seat: int, key: str, sat: asyncio.Future[bool]
    ) -> None:
        try:
            with contextlib.suppress(HallError):
                await self._sit_and_play(table, seat, key, sat)
        finally:
            if not sat.done():
                sat.set_result(False)

    async def _sit_and_play(
        self, table: TableHandle, seat: int, key: str, sat: asyncio.Future[bool]
    ) -> None:
        """The first robots that are free try first, so that few accounts serve for ever."""
        free = (number for number in itertools.count() if number not in self._seated)
        for number in itertools.islice(free, _TRIES):
            self._seated.add(number)
            try:
                if await self._try(number, table, seat, key, sat):
                    return
            finally:
                self._seated.discard(number)

    async def _try(
        self, number: int, table: TableHandle, seat: int, key: str, sat: asyncio.Future[bool]
    ) -> bool:
        """Whether no other robot need try."""
        secret = hashlib.sha256(self._secret + f"/robot/{number}".encode()).digest()
        async with HallClient(
            self._addresses,
            server_keys=self._server_keys,
            locale=self._locale,
            kind="robot",
            pool=self._pool,
        ) as client:
            try:
                await client.guest(secret, name=f"Robot-{secret.hex()[:4]}")
                handle = await client.sit(table.ref, seat, key=key)
            except Refused as refused:
                # These say that this robot cannot; another one can.
                return refused.code not in ("NOT_ENOUGH", "ALREADY_SEATED", "NAME_TAKEN")
            player = BotPlayer(
                client=client,
                mind=self._mind,
                habits=Habits(room="", think_s=self._think_s, lonely_s=self._lonely_s),
                choices=random.Random(number),
            )
            task = asyncio.current_task()
            assert task is not None
            self._playing[task] = player
            sat.set_result(True)
            await player.run(handle)
            return True
