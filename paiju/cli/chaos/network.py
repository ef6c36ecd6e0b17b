"""A network that can be cut: small TCP proxies between parts of the hall.

What comes in during a silence is kept and goes on its way afterwards, as lost packets do
that TCP sends again. Owner: the run's event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Sequence

_CHUNK = 64 * 1024
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER: closing sends a reset, not an orderly end."""


class Proxy:
    """One address in front of another one."""

    def __init__(self) -> None:
        self._target = ("", 0)
        self._server: asyncio.Server | None = None
        self._flows = asyncio.Event()
        self._flows.set()
        self._refuses = False
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None]] = {}  # client side -> its pumps

    async def start(self, target: str) -> str:
        """Serve on a free port; the address that stands for `target` from now on."""
        host, _, port = target.rpartition(":")
        self._target = (host, int(port))
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def silence(self) -> None:
        """Nothing gets through in either direction; connections stay as they are."""
        self._flows.clear()

    def refuse(self) -> None:
        """Connections are reset, and new ones as soon as they come."""
        self._refuses = True
        for writer, pumps in list(self._open.items()):
            _reset(writer)
            pumps.cancel()

    def mend(self) -> None:
        """All is as before; what was kept goes on its way."""
        self._refuses = False
        self._flows.set()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.refuse()
        await asyncio.gather(*self._open.values(), return_exceptions=True)

    # ---- one connection --------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses:
            _reset(writer)
            return
        pumps = asyncio.ensure_future(self._join(reader, writer))
        self._open[writer] = pumps
        pumps.add_done_callback(lambda _: self._open.pop(writer, None))

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Until one side ends; the other side ends with it."""
        await self._flows.wait()
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._target)
        except OSError:
            _reset(writer)
            return
        ways = [
            asyncio.ensure_future(self._pump(reader, far_writer)),
            asyncio.ensure_future(self._pump(far_reader, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for side in (writer, far_writer):
                side.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(_CHUNK):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()


class Network:
    """The links of a hall that a scenario may cut."""

    def __init__(self) -> None:
        self.data = Proxy()
        """Between the game server's processes and the data server."""
        self.clients: list[Proxy] = []
        """Between clients and each gateway."""

    async def to_gateways(self, addresses: Sequence[str]) -> list[str]:
        """The addresses that clients are told instead of these."""
        self.clients = [Proxy() for _ in addresses]
        pairs = zip(self.clients, addresses, strict=True)
        return [await proxy.start(address) for proxy, address in pairs]

    async def close(self) -> None:
        for proxy in (self.data, *self.clients):
            await proxy.close()


def _reset(writer: asyncio.StreamWriter) -> None:
    peer = writer.get_extra_info("socket")
    if peer is not None:
        with contextlib.suppress(OSError):
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    writer.transport.abort()
