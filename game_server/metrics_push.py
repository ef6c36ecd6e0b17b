"""How children hand their metrics to the supervisor: one scrape per machine is the truth."""

from __future__ import annotations

import asyncio

import structlog
from prometheus_client import CollectorRegistry, generate_latest

from paiju.wire import frames

log = structlog.get_logger()

EVERY_S = 2.0
SIGN = b"# host\n"
"""Begins a host's sign of life on the same socket (tables.heartbeat.py)."""


async def push_for_ever(path: str, process: str, registry: CollectorRegistry) -> None:
    """Every two seconds: a frame `# process NAME` and the exposition text, to a Unix socket.

    A supervisor that is away is tried again; nothing is kept for it.
    """
    if not path:
        return await asyncio.Event().wait()  # type: ignore[return-value]
    while True:
        try:
            _, writer = await asyncio.open_unix_connection(path)
            try:
                while True:
                    text = f"# process {process}\n".encode() + generate_latest(registry)
                    writer.write(frames.pack(text))
                    await writer.drain()
                    await asyncio.sleep(EVERY_S)
            finally:
                writer.transport.abort()
        except OSError:
            await asyncio.sleep(EVERY_S)
