"""Passwords: argon2id (19 MiB, t=2, p=1) in a bounded pool of threads.

A wrong password and an unknown name cost the same: exactly one hash.
"""

from __future__ import annotations

import asyncio
import functools
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from paiju.service.refusals import Refused

P = ParamSpec("P")
T = TypeVar("T")

SHORTEST = 8
LONGEST = 256


def checked_password(raw: str) -> str:
    """The password as it is hashed (NFC), or Refused BAD_PASSWORD."""
    if len(raw) <= LONGEST:
        password = unicodedata.normalize("NFC", raw)
        if SHORTEST <= len(password) <= LONGEST:
            return password
    raise Refused("BAD_PASSWORD")


class Passwords:
    """threads: how many hashes run at once (each about 22 ms of CPU and 19 MiB)."""

    def __init__(self, *, threads: int) -> None:
        self._hasher = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="argon2")
        self._nobody = self._hasher.hash("a password that nobody has")
        self.hashes = 0  # made so far
        self.waiting = 0  # asked for and not yet finished

    async def hash(self, password: str) -> str:
        return await self._in_pool(self._hasher.hash, password)

    async def verify(self, stored: str | None, password: str) -> bool:
        """stored None: there is no such account; takes as long as a wrong password."""
        matches = await self._in_pool(self._matches, stored or self._nobody, password)
        return matches and stored is not None

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _in_pool(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        self.hashes += 1
        self.waiting += 1
        try:
            call = functools.partial(function, *args, **kwargs)
            return await asyncio.get_running_loop().run_in_executor(self._pool, call)
        finally:
            self.waiting -= 1

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
