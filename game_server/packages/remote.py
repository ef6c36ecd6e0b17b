"""Files of the repository over gRPC, for the follower's thread: whole, bounded, resumed.

A stream that breaks goes on where it stopped, at the next data server if need be; files never
change under their name, but for the timestamp, which begins anew.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass

from game_server.data_client import DataClient
from paiju.wire.v1 import packages_pb2 as pb

LARGEST = 4 * 2**20
"""Bytes of any file; what sends more is not our repository."""
WITHIN_S = 20.0
"""For one file: whoever sends slower is not waited for."""
PAUSE_S = 0.2
CHANGING = "metadata/timestamp.json"


@dataclass(frozen=True)
class Remote:
    """`fetch` is called in a thread while `loop` runs in another."""

    data: DataClient
    loop: asyncio.AbstractEventLoop

    def fetch(self, path: str) -> Iterator[bytes]:
        """FileNotFoundError; OSError when it cannot be had."""
        yield asyncio.run_coroutine_threadsafe(self._whole(path), self.loop).result()

    async def _whole(self, path: str) -> bytes:
        got = bytearray()
        until = time.monotonic() + WITHIN_S
        while True:
            request = pb.FetchFileRequest(path=path, offset=len(got))
            try:
                async with asyncio.timeout_at(self.loop.time() + until - time.monotonic()):
                    async with aclosing(self.data.stream("FetchFile", request)) as chunks:
                        async for chunk in chunks:
                            got += chunk.data
                            if len(got) > LARGEST:
                                raise OSError(f"{path} does not end")
                            if len(got) >= chunk.total:
                                return bytes(got)
            except TimeoutError:
                raise OSError(f"{path} took more than {WITHIN_S:.0f} s") from None
            if path == CHANGING:
                got.clear()
            await asyncio.sleep(PAUSE_S)
