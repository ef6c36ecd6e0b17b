"""A host's sign of life: its counts, handed to the supervisor of its machine every second.

From the host's own loop and straight to the supervisor's socket: Ray, which may stand still
while a host plays, has no part in it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from game_server.metrics_push import SIGN
from paiju.wire import frames
from paiju.wire.v1 import data_pb2

EVERY_S = 1.0


async def beat_for_ever(path: str, counts: Callable[[], data_pb2.HostCounts]) -> None:
    """A frame `# host`, a newline and the counts. A supervisor that is away is tried again."""
    if not path:
        return await asyncio.Event().wait()  # type: ignore[return-value]
    while True:
        try:
            _, writer = await asyncio.open_unix_connection(path)
            try:
                while True:
                    writer.write(frames.pack(SIGN + counts().SerializeToString()))
                    await writer.drain()
                    await asyncio.sleep(EVERY_S)
            finally:
                writer.transport.abort()
        except OSError:
            await asyncio.sleep(EVERY_S)
