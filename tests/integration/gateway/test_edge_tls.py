"""TLS at both edges: the certificate is checked, and a new one is shown to who comes next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest

from game_server.gateway import grpc_edge, ws_edge
from hall_client import ConnectionFailed, HallClient, Tls
from paiju.wire.sealed import Channel, ServerChannel
from paiju.wire.server_keys import ServerKeys
from paiju.wire.tls.authority import CA_FILE, Authority
from paiju.wire.tls.files import TlsFiles, Watched
from paiju.wire.tls.sockets import grpc_server, server_context

from .conftest import World

KEYS = ServerKeys.generate()


@pytest.fixture
def channel() -> Callable[[], Channel]:
    return lambda: ServerChannel(KEYS)


@dataclass
class Edges:
    folder: Path
    authority: Authority
    addresses: tuple[str, str]

    def client(self, address: str, tls: Tls | None = None) -> HallClient:
        return HallClient(
            address,
            server_keys=KEYS.public,
            tls=tls or Tls.load(self.folder / CA_FILE),
            connect_timeout_s=1.5,
        )

    def issue(self, authority: Authority | None = None) -> TlsFiles:
        made, key = (authority or self.authority).issue(
            self.folder / "edge", role="players", name="edge", addresses=["127.0.0.1"]
        )
        return TlsFiles(certificate=made, key=key)


@pytest.fixture
async def edges(world: World, tmp_path: Path) -> AsyncIterator[Edges]:
    authority = Authority.make(tmp_path, cell="cell")
    made = Edges(tmp_path, authority, ("", ""))
    watched = Watched(made.issue())
    world.server = grpc.aio.server(options=grpc_edge.OPTIONS)
    grpc_edge.add(world.gateway, world.server)
    port = world.server.add_secure_port("127.0.0.1:0", grpc_server(watched, mutual=False))
    await world.server.start()
    context = server_context(watched.files, mutual=False)
    web = await ws_edge.serve(world.gateway, "127.0.0.1:0", tls=context)
    renewing = asyncio.create_task(ws_edge.renew(context, watched))
    made.addresses = (f"grpcs://127.0.0.1:{port}", f"wss://127.0.0.1:{ws_edge.port_of(web)}")
    yield made
    renewing.cancel()
    web.close()


async def test_a_new_certificate_under_live_sessions(edges: Edges, tmp_path: Path) -> None:
    """Sessions go on; whoever comes now must believe the new one, of another authority."""
    standing = [edges.client(address) for address in edges.addresses]
    for number, client in enumerate(standing):
        await client.connect()
        await client.guest(bytes([number]) * 32)
    other = Authority.make(tmp_path / "other", cell="cell")
    edges.issue(other)
    await asyncio.sleep(2.2)  # two looks

    new = Tls.load(tmp_path / "other" / CA_FILE)
    for address in edges.addresses:
        with pytest.raises(ConnectionFailed):
            await edges.client(address).connect()
        async with edges.client(address, new) as client:
            await client.guest(b"n" * 32)
    for client in standing:
        assert client.connected and client.resumes == 0
        await client.rooms()
        await client.close()


async def test_a_name_that_the_certificate_has_not_is_not_believed(edges: Edges) -> None:
    tls = Tls.load(edges.folder / CA_FILE, name="hall.example")
    for address in edges.addresses:
        with pytest.raises(ConnectionFailed):
            await edges.client(address, tls).connect()
