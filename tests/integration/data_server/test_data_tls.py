"""Mutual TLS at a data server: who is cut, who is refused, and new files under live calls."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
from data_hall import Client, bearer
from prometheus_client import CollectorRegistry
from typer.testing import CliRunner

from data_server.settings import DataSettings
from game_server.data_client import DataClient
from game_server.gateway.metrics import Metrics
from paiju.cli.admin import app
from paiju.service.ids import new_op
from paiju.service.refusals import Refused
from paiju.service.settings import BadSettings, load
from paiju.wire.tls.authority import CA_FILE, Authority
from paiju.wire.tls.files import BadTls, TlsFiles, Watched, read
from paiju.wire.tls.sockets import grpc_client
from paiju.wire.v1 import common_pb2, data_pb2, data_pb2_grpc

HERE = ["127.0.0.1"]


@dataclass
class Secure:
    """A data server with mutual TLS, and the authority of its cell."""

    hall: Client
    authority: Authority
    folder: Path

    def files(self, role: str, name: str, authority: Authority | None = None) -> TlsFiles:
        certificate, key = (authority or self.authority).issue(
            self.folder / "issued", role=role, name=name, addresses=HERE
        )
        return TlsFiles(certificate=certificate, key=key, ca=self.folder / CA_FILE)

    async def register(self, files: TlsFiles | None, *, server: str = "gs-1") -> str:
        """What becomes of RegisterServer with that certificate: OK or the status."""
        request = data_pb2.RegisterServerRequest(server=server, cell="cell-1", max_players=1)
        return await self.call("Cluster", "RegisterServer", request, files)

    async def call(
        self, service: str, rpc: str, request: Any, files: TlsFiles | None, *, admin: bool = False
    ) -> str:
        """OK, or the status."""
        try:
            await self.ask(service, rpc, request, files, admin=admin)
        except grpc.aio.AioRpcError as error:
            return error.code().name
        return "OK"

    async def ask(
        self, service: str, rpc: str, request: Any, files: TlsFiles | None, *, admin: bool = False
    ) -> Any:
        secrets, addresses = self.hall.server.secrets, self.hall.addresses
        token = secrets.admin_key if admin else secrets.cluster_token
        if files is None:
            ca = (self.folder / CA_FILE).read_bytes()
            credentials = grpc.ssl_channel_credentials(ca)
        else:
            credentials = grpc_client(read(files))
        where = addresses.admin if admin else addresses.address
        options = [("grpc.use_local_subchannel_pool", 1)]
        async with grpc.aio.secure_channel(where, credentials, options=options) as channel:
            stub = getattr(data_pb2_grpc, f"{service}Stub")(channel)
            return await getattr(stub, rpc)(request, metadata=bearer(token), timeout=5)

    def count(self, name: str, **labels: str) -> float:
        registry = self.hall.server.metrics.registry
        return registry.get_sample_value(f"paiju_data_{name}_total", labels) or 0.0


@pytest.fixture
async def secure(start: Any, tmp_path: Path) -> AsyncIterator[Secure]:
    folder = tmp_path / "authority"
    authority = Authority.make(folder, cell="cell-1")
    certificate, key = authority.issue(folder, role="data-server", name="data-1", addresses=HERE)
    hall = await start(
        database_url=f"sqlite:///{tmp_path / 'h.sqlite3'}",
        peer_certificate=certificate,
        peer_key=key,
        peer_ca=folder / CA_FILE,
    )
    yield Secure(hall, authority, folder)


async def test_a_certificate_of_the_cell_lets_in_and_nothing_else_does(
    secure: Secure, tmp_path: Path
) -> None:
    stranger = Authority.make(tmp_path / "stranger", cell="cell-1")
    assert await secure.register(secure.files("game-server", "gs-1")) == "OK"
    begun, came = secure.count("tls_handshakes"), secure.count("tls_peers")
    calls = secure.count("rpc_requests", method="RegisterServer")

    assert await secure.register(None) == "UNAVAILABLE"
    assert await secure.register(secure.files("game-server", "gs-1", stranger)) == "UNAVAILABLE"
    address = secure.hall.addresses.address
    async with grpc.aio.insecure_channel(address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as plain:
            await data_pb2_grpc.ClusterStub(channel).ListHosts(
                data_pb2.ListHostsRequest(), timeout=5
            )
    assert plain.value.code() is grpc.StatusCode.UNAVAILABLE
    # Refused before any call, and counted: handshakes begun that never came to one.
    assert secure.count("rpc_requests", method="RegisterServer") == calls
    assert secure.count("tls_handshakes") >= begun + 3
    assert secure.count("tls_peers") == came


async def test_a_certificate_that_ran_out_is_cut(secure: Secure, tmp_path: Path) -> None:
    import paiju.wire.tls.authority as authority_module

    files = secure.files("game-server", "gs-1")
    early, authority_module.EARLY = authority_module.EARLY, authority_module.EARLY * 48
    try:
        certificate, key = secure.authority.issue(
            tmp_path, role="game-server", name="gs-1", addresses=HERE, days=-1
        )
    finally:
        authority_module.EARLY = early
    with pytest.raises(BadTls, match="ran out"):
        read(TlsFiles(certificate=certificate, key=key))
    # Somebody who shows it nevertheless:
    credentials = grpc.ssl_channel_credentials(
        files.ca.read_bytes() if files.ca else None, key.read_bytes(), certificate.read_bytes()
    )
    async with grpc.aio.secure_channel(secure.hall.addresses.address, credentials) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as cut:
            await data_pb2_grpc.ClusterStub(channel).ListHosts(
                data_pb2.ListHostsRequest(),
                metadata=bearer(secure.hall.server.secrets.cluster_token),
                timeout=5,
            )
    assert cut.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_nobody_calls_in_another_name(secure: Secure) -> None:
    """A stolen token and one server's key: still only that server's name and tables."""
    mine = secure.files("game-server", "gs-1")
    host = data_pb2.HostEpoch(host="gs-2-0", epoch=1)
    attempts = {
        "server": [
            ("Cluster", "RegisterServer", data_pb2.RegisterServerRequest(server="gs-2")),
            ("Cluster", "Heartbeat", data_pb2.HeartbeatRequest(server="gs-2")),
            ("Cluster", "Presence", data_pb2.PresenceRequest(server="gs-2")),
            ("Accounts", "Logout", data_pb2.LogoutRequest(origin=data_pb2.Origin(server="gs-2"))),
        ],
        "host": [
            ("Ledger", "Settle", data_pb2.SettleRequest(host=host)),
            ("Ledger", "SitDown", data_pb2.SitDownRequest(op=new_op(), host=host)),
            ("Ledger", "StandUp", data_pb2.StandUpRequest(op=new_op(), host=host)),
            ("Ledger", "TopUp", data_pb2.TopUpRequest(op=new_op(), host=host)),
            ("Cluster", "RegisterHost", data_pb2.RegisterHostRequest(host=host, server="gs-1")),
        ],
        "cell": [("Cluster", "RegisterServer", data_pb2.RegisterServerRequest(cell="cell-2"))],
        "gateway": [("Cluster", "Signal", data_pb2.SignalRequest(gateway="gs-2/gateway-0"))],
    }
    for reason, calls in attempts.items():
        before = secure.count("peers_refused", reason=reason)
        for service, rpc, request in calls:
            assert await secure.call(service, rpc, request, mine) == "PERMISSION_DENIED", rpc
        assert secure.count("peers_refused", reason=reason) == before + len(calls)
    async with grpc.aio.secure_channel(
        secure.hall.addresses.address, grpc_client(read(mine))
    ) as channel:
        follow = data_pb2_grpc.ClusterStub(channel).Follow(
            data_pb2.FollowRequest(server="gs-2"),
            metadata=bearer(secure.hall.server.secrets.cluster_token),
        )
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await follow.read()
    assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED


async def test_a_host_that_a_server_was_given_is_its_own(secure: Secure) -> None:
    """The hook for hosts that run elsewhere than at the server whose name they bear."""

    async def kept(server: str) -> frozenset[str]:
        return frozenset({"gs-2-0"}) if server == "gs-1" else frozenset()

    for interceptor in secure.hall.server.edge.peers:
        interceptor.kept = kept
    host = data_pb2.HostEpoch(host="gs-2-0", epoch=1)
    settle = data_pb2.SettleRequest(host=host)
    assert (
        await secure.call("Ledger", "Settle", settle, secure.files("game-server", "gs-1")) == "OK"
    )
    third = secure.files("game-server", "gs-3")
    assert await secure.call("Ledger", "Settle", settle, third) == "PERMISSION_DENIED"


class Time:
    """A monotonic clock that a test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_a_lost_servers_host_is_its_keepers_and_nobody_elses(
    start: Any, tmp_path: Path
) -> None:
    """The whole way by certificates: gs-1 is silent, gs-2 takes its host and speaks for it; gs-3
    cannot, and gs-2 no longer once gs-1 has taken it home."""
    time, folder = Time(), tmp_path / "authority"
    authority = Authority.make(folder, cell="cell-1")
    certificate, key = authority.issue(folder, role="data-server", name="data-1", addresses=HERE)
    hall = await start(
        server={"monotonic": time},
        database_url=f"sqlite:///{tmp_path / 'h.sqlite3'}",
        peer_certificate=certificate,
        peer_key=key,
        peer_ca=folder / CA_FILE,
    )
    for job in hall.server._tasks:  # it looks when the test says so
        job.cancel()
    secure = Secure(hall, authority, folder)
    files = {name: secure.files("game-server", name) for name in ("gs-1", "gs-2", "gs-3")}
    leases: dict[str, int] = {}

    async def ask(service: str, rpc: str, request: Any, server: str) -> Any:
        return await secure.ask(service, rpc, request, files[server])

    async def register_host(server: str, host: str) -> Any:
        home = host.rpartition("-")[0]
        request = data_pb2.RegisterHostRequest(
            host=data_pb2.HostEpoch(host=host, epoch=1),
            server=server,
            home="" if home == server else home,
            cell="cell-1",
            max_tables=10,
            journal="j" * 64,
        )
        return await ask("Cluster", "RegisterHost", request, server)

    async def join(server: str) -> None:
        request = data_pb2.RegisterServerRequest(server=server, cell="cell-1", max_players=9)
        leases[server] = (await ask("Cluster", "RegisterServer", request, server)).lease_epoch

    async def beat(server: str, *hosts: str) -> Any:
        counts = [data_pb2.HostCounts(host=host, epoch=1) for host in hosts]
        beat = data_pb2.HeartbeatRequest(server=server, lease_epoch=leases[server], hosts=counts)
        return await ask("Cluster", "Heartbeat", beat, server)

    async def wait(seconds: int, *alive: str) -> None:
        for _ in range(seconds):
            time.now += 1
            for server in alive:
                await beat(server, f"{server}-0")
            await hall.server._poll()

    await wait(1)
    time.now += 10
    await wait(1)
    epochs = {}
    for server in files:
        await join(server)
        epochs[server] = (await register_host(server, f"{server}-0")).epoch
    await wait(8, *files)
    guest = data_pb2.OpenGuestRequest(
        op=new_op(),
        origin=data_pb2.Origin(server="gs-1", gateway="gs-1/g", address="192.0.2.1"),
        device_secret=b"d" * 32,
    )
    session = (await ask("Accounts", "OpenGuest", guest, "gs-1")).session
    sit = data_pb2.SitDownRequest(
        op=new_op(),
        host=data_pb2.HostEpoch(host="gs-1-0", epoch=epochs["gs-1"]),
        player=session.profile.player,
        table=common_pb2.TableRef(room="doudizhu.novice", shard=0, table=7),
        currency=common_pb2.COIN,
        amount=100,
        rule_set="doudizhu.classic",
        session_epoch=session.session_epoch,
    )
    assert not (await ask("Ledger", "SitDown", sit, "gs-1")).refusal.code
    await wait(8, "gs-2", "gs-3")
    keeper, other = "gs-2", "gs-3"
    if not (await beat(keeper)).adopt:
        keeper, other = other, keeper

    assert (await register_host(keeper, "gs-1-0")).epoch > epochs["gs-1"]
    assert not (await beat(keeper, f"{keeper}-0", "gs-1-0")).refusal.code
    settle = data_pb2.SettleRequest(host=data_pb2.HostEpoch(host="gs-1-0", epoch=1))
    assert await secure.call("Ledger", "Settle", settle, files[keeper]) == "OK"
    assert await secure.call("Ledger", "Settle", settle, files[other]) == "PERMISSION_DENIED"
    listed = data_pb2.ListHostsRequest(host="gs-1-0")
    (info,) = (await ask("Cluster", "ListHosts", listed, "gs-1")).hosts
    assert (info.server, info.home) == (keeper, "gs-1"), "whose certificate a gateway must see"

    await join("gs-1")
    claim = data_pb2.ClaimHostRequest(
        server="gs-1", lease_epoch=leases["gs-1"], host="gs-1-0", home="gs-1"
    )
    assert not (await ask("Cluster", "ClaimHost", claim, "gs-1")).refusal.code
    assert (await register_host("gs-1", "gs-1-0")).epoch
    assert await secure.call("Ledger", "Settle", settle, files[keeper]) == "PERMISSION_DENIED"


async def test_roles_open_their_own_door_only(secure: Secure) -> None:
    nodes = data_pb2.NodesRequest()
    operator, game = secure.files("operator", "ann"), secure.files("game-server", "gs-1")
    assert await secure.call("Admin", "Nodes", nodes, operator, admin=True) == "OK"
    assert await secure.call("Admin", "Nodes", nodes, game, admin=True) == "PERMISSION_DENIED"
    for role in ("operator", "players", "data-server"):
        assert await secure.register(secure.files(role, "gs-1")) == "PERMISSION_DENIED"


async def test_an_operator_is_told_what_is_missing(
    secure: Secure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "admin-key"
    key.write_text(secure.hall.server.secrets.admin_key)
    reach = ["nodes", "--address", secure.hall.addresses.admin, "--key-file", str(key)]

    async def nodes() -> str:
        result = await asyncio.to_thread(CliRunner().invoke, app, reach, env={"COLUMNS": "300"})
        assert "Traceback" not in result.output
        return str(result.output)

    assert "wants a certificate: set PAIJU_PEER_CERTIFICATE" in await nodes()
    for role, said in (("operator", "server"), ("game-server", "not take the certificate: not")):
        files = secure.files(role, "ann")
        for name, path in (("CERTIFICATE", files.certificate), ("KEY", files.key)):
            monkeypatch.setenv(f"PAIJU_PEER_{name}", str(path))
        monkeypatch.setenv("PAIJU_PEER_CA", str(files.ca))
        assert said in await nodes()


async def test_new_files_are_used_under_live_calls(secure: Secure, tmp_path: Path) -> None:
    """Both ends get new certificates; not one call fails, and a stream goes on or comes back."""
    settings = secure.hall.server.settings
    ours = secure.files("game-server", "gs-1")
    client = DataClient(
        [secure.hall.addresses.address],
        token=secure.hall.server.secrets.cluster_token,
        metrics=Metrics(CollectorRegistry()),
        tls=Watched(ours),
    )
    stop = time.monotonic() + 4.0
    answered = 0

    async def calls() -> None:
        nonlocal answered
        while time.monotonic() < stop:
            await client.call("ListHosts", data_pb2.ListHostsRequest())
            answered += 1
            await asyncio.sleep(0.005)

    async def rotate() -> None:
        for path, role, name in (
            (settings.peer_certificate, "data-server", "data-1"),
            (ours.certificate, "game-server", "gs-1"),
        ):
            assert path is not None
            await asyncio.sleep(0.5)
            new, key = secure.authority.issue(
                tmp_path / "new", role=role, name=name, addresses=HERE
            )
            shutil.move(key, path.with_name(f"{name}-key.pem"))
            await asyncio.sleep(0.2)
            shutil.move(new, path)

    working = asyncio.gather(*(calls() for _ in range(4)))
    await rotate()
    await working
    assert answered > 100
    assert await secure.register(secure.files("game-server", "gs-1")) == "OK"
    assert secure.count("tls_reloads", outcome="used") >= 1
    shown = await asyncio.to_thread(_certificate_of, secure.hall.addresses.address, ours)
    assert settings.peer_certificate is not None
    assert shown == settings.peer_certificate.read_text(), "a new connection gets the new one"
    await client.close()


def _certificate_of(address: str, files: TlsFiles) -> str:
    import socket
    import ssl

    from paiju.wire.tls.sockets import client_context

    context = client_context(files)
    context.set_alpn_protocols(["h2"])
    host, _, port = address.rpartition(":")
    with (
        socket.create_connection((host, int(port)), 5) as raw,
        context.wrap_socket(raw) as secured,
    ):
        der = secured.getpeercert(binary_form=True)
    assert der is not None
    return ssl.DER_cert_to_PEM_cert(der)


async def test_a_data_server_of_another_authority_is_not_believed(
    secure: Secure, tmp_path: Path
) -> None:
    stranger = Authority.make(tmp_path / "stranger", cell="cell-1")
    certificate, key = stranger.issue(tmp_path, role="game-server", name="gs-1")
    files = TlsFiles(certificate=certificate, key=key, ca=tmp_path / "stranger" / CA_FILE)
    client = DataClient(
        [secure.hall.addresses.address],
        token="x" * 20,
        metrics=Metrics(CollectorRegistry()),
        tls=Watched(files),
        deadline_s=0.5,
    )
    with pytest.raises(Refused) as refused:
        await client.call("ListHosts", data_pb2.ListHostsRequest())
    assert refused.value.code == "RETRY"
    await client.close()


def test_half_of_the_files_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="belong together"):
        load(DataSettings, peer_key=tmp_path / "k.pem")
