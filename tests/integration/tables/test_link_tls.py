"""Mutual TLS between gateway and table host: who is let in, who is refused and counted."""

from __future__ import annotations

import asyncio
import ssl
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from game_server.gateway.metrics import Metrics
from game_server.gateway.peer_tls import PeerTls
from game_server.gateway.stream import LinkConfig, Sent, Stream
from game_server.tables.links import Link, LinkServer
from paiju.wire import frames
from paiju.wire.tls.authority import CA_FILE, Authority
from paiju.wire.tls.files import TlsFiles, Watched
from paiju.wire.v1 import data_pb2, host_pb2
from tests.integration.gateway.conftest import until

SECRET = b"s" * 32


@dataclass
class Rig:
    authority: Authority
    folder: Path
    refused: Counter[str] = field(default_factory=Counter)
    links: list[Link] = field(default_factory=list)
    server: LinkServer | None = None
    opened: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    def files(
        self, name: str, *, role: str = "game-server", authority: Authority | None = None
    ) -> TlsFiles:
        made, key = (authority or self.authority).issue(self.folder / "out", role=role, name=name)
        return TlsFiles(certificate=made, key=key, ca=self.folder / CA_FILE)

    # What a stream tells its owner.
    def on_open(self, stream: Stream) -> None:
        self.opened.append(stream.host.host)

    def on_end(self, stream: Stream, unanswered: list[Sent], reason: str) -> None:
        self.ended.append(reason)

    def on_answer(self, stream: Stream, sent: Sent, answer: host_pb2.HostAnswer) -> None: ...

    def on_event(self, stream: Stream, event: host_pb2.HostEvent) -> None: ...

    def serve(self, server: str) -> LinkServer:
        """The host gs-1-0, as that server runs it."""
        return LinkServer(
            cell="cell-1",
            host="gs-1-0",
            epoch=1,
            secret=SECRET,
            peers=Watched(self.files(server)),
            on_refused=lambda reason: self.refused.update([reason]),
            on_open=self.links.append,
            on_command=lambda link, command: None,
            on_close=lambda link: self.links.remove(link),
        )

    def stream(
        self, files: TlsFiles | None, *, gateway: str = "gs-2/gateway-0", server: str = "gs-1"
    ) -> Stream:
        assert self.server is not None
        return Stream(
            host=data_pb2.HostInfo(
                host="gs-1-0",
                epoch=1,
                server=server,
                cell="cell-1",
                tcp_address=self.server.tcp_address,
                machine="far away",
            ),
            config=LinkConfig(
                cell="cell-1",
                secret=SECRET,
                gateway=gateway,
                machine="here",
                tls=None if files is None else PeerTls(Watched(files)),
            ),
            listener=self,
            metrics=Metrics(CollectorRegistry()),
        )

    async def outcome(self, files: TlsFiles | None, **more: str) -> str:
        """ "open", or why the stream ended."""
        opened, ended = len(self.opened), len(self.ended)
        stream = self.stream(files, **more)
        await until(lambda: len(self.opened) > opened or len(self.ended) > ended)
        if len(self.ended) > ended:
            return self.ended[-1]
        stream.cut("closing")
        return "open"


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    made = Rig(Authority.make(tmp_path, cell="cell-1"), tmp_path)
    made.server = made.serve("gs-1")
    await made.server.listen(unix_path=str(tmp_path / "h.sock"), tcp_host="127.0.0.1")
    made.server.admit()
    yield made
    await made.server.close()


async def test_a_gateway_of_the_cell_is_let_in(rig: Rig) -> None:
    assert await rig.outcome(rig.files("gs-2")) == "open"
    assert not rig.refused


async def test_everybody_else_is_refused_and_counted(rig: Rig, tmp_path: Path) -> None:
    stranger = Authority.make(tmp_path / "stranger", cell="cell-1")
    other_cell = Authority.make(tmp_path / "cell-2", cell="cell-2")
    assert await rig.outcome(rig.files("gs-2", authority=stranger)) != "open"
    await until(lambda: rig.refused["unknown_authority"] == 1)
    assert await rig.outcome(rig.files("gs-2", role="players")) != "open"
    await until(lambda: rig.refused["role"] == 1)
    assert await rig.outcome(rig.files("gs-2"), gateway="gs-3/gateway-0") == "link_mismatch"
    assert rig.refused["gateway"] == 1

    # An authority of another cell that this host was told to believe, too.
    ca = tmp_path / CA_FILE
    ca.write_bytes(ca.read_bytes() + (tmp_path / "cell-2" / CA_FILE).read_bytes())
    await asyncio.sleep(1.1)  # LOOK_EVERY_S
    assert await rig.outcome(rig.files("gs-2", authority=other_cell)) != "open"
    await until(lambda: rig.refused["cell"] == 1)
    assert rig.links == []


async def test_without_a_certificate_nothing_is_said_at_all(rig: Rig) -> None:
    assert rig.server is not None
    host, _, port = rig.server.tcp_address.rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    reader, writer = await asyncio.open_connection(host, int(port), ssl=context)
    with pytest.raises((OSError, asyncio.IncompleteReadError)):
        await asyncio.wait_for(frames.read_frame(reader), 5)
    writer.close()
    await until(lambda: rig.refused["no_certificate"] == 1)
    # And not by TLS at all: no challenge comes, the connection ends.
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"hello, anybody there? " * 20)
    assert await asyncio.wait_for(_rest(reader), 5) is not None
    writer.close()
    await until(lambda: rig.refused["handshake"] == 1)
    assert await rig.outcome(rig.files("gs-2")) == "open", "others are not disturbed"


async def _rest(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(100)  # at most a TLS alert
    except OSError:
        return b""


async def test_a_gateway_believes_only_the_server_that_the_registry_names(rig: Rig) -> None:
    assert await rig.outcome(rig.files("gs-2"), server="gs-9") == "link_mismatch"


async def test_a_guest_host_is_believed_as_its_keepers(rig: Rig, tmp_path: Path) -> None:
    """gs-1's host that gs-3 runs: it shows gs-3's certificate, as the registry then says. Who has
    an older line of the registry cannot reach it, and a gateway of gs-1 is let in like any."""
    guest = rig.serve("gs-3")
    await guest.listen(unix_path=str(tmp_path / "guest.sock"), tcp_host="127.0.0.1")
    guest.admit()
    first, rig.server = rig.server, guest
    assert await rig.outcome(rig.files("gs-2"), server="gs-3") == "open"
    home = await rig.outcome(rig.files("gs-1"), gateway="gs-1/gateway-0", server="gs-3")
    assert home == "open"
    assert await rig.outcome(rig.files("gs-2"), server="gs-1") == "link_mismatch"
    # The keeper speaks for its own gateways, not for those of the host's home.
    keeper = rig.files("gs-3")
    assert await rig.outcome(keeper, gateway="gs-3/gateway-0", server="gs-3") == "open"
    posing = await rig.outcome(keeper, gateway="gs-1/gateway-0", server="gs-3")
    assert posing == "link_mismatch" and rig.refused["gateway"] == 1
    await guest.close()
    rig.server = first


async def test_new_files_are_used_and_open_streams_stand(rig: Rig, tmp_path: Path) -> None:
    files = rig.files("gs-2")
    standing = rig.stream(files)
    await until(lambda: rig.opened)
    fresh, key = rig.authority.issue(tmp_path / "new", role="game-server", name="gs-1")
    key.replace(tmp_path / "out" / "gs-1-key.pem")
    fresh.replace(tmp_path / "out" / "gs-1.pem")
    await asyncio.sleep(1.1)  # LOOK_EVERY_S
    assert await rig.outcome(files) == "open"
    assert standing.opened and not standing.ended
    standing.cut("closing")
