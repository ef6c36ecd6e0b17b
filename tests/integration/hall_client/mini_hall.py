"""A hall of real processes: a data server on SQLite, one table host, some gateways.

No supervisor and no Ray: this file starts the processes and keeps the machine's lease. It
looks like paiju.cli.local.LocalHall to whoever uses it.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from collections.abc import Callable
from pathlib import Path

from prometheus_client import CollectorRegistry

from game_server.data_client import DataClient
from game_server.gateway.metrics import Metrics
from paiju.wire.server_keys import ServerKeys
from paiju.wire.tls.authority import CA_FILE, Authority
from paiju.wire.tls.files import TlsFiles, Watched
from paiju.wire.v1 import data_pb2

_HOST = """
import json, signal, sys, threading
from game_server.tables.config import HostConfig
from game_server.tables.process import HostProcess
given = json.loads(sys.argv[1])
for name in ("cell_secret", "journal_key"):
    given[name] = bytes.fromhex(given[name])
host = HostProcess(HostConfig(**given))
end = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: end.set())
host.start()
print("ready", flush=True)
end.wait()
host.stop()
"""
START_S = 60.0


class MiniHall:
    """`async with`; `gateways` are addresses. grant: coins of a new player.

    tls: TLS everywhere, with certificates of an authority made in `folder / "authority"`; then
    the gateways take the table host for one of another machine and reach it by TCP.
    """

    def __init__(
        self, folder: Path, *, gateways: int = 2, grant: int = 10_000, tls: bool = False
    ) -> None:
        self.gateways: list[str] = []
        self.web_gateways: list[str] = []
        self.server_keys: tuple[bytes, ...] = ()
        self.database_url = f"sqlite:///{folder / 'hall.sqlite3'}"
        self.table_hosts = 1
        self.processes: dict[str, int] = {}
        self.logs: list[str] = []
        self._folder = folder
        self._host_name = "gs-0"
        self.authority = Authority.make(self.tls_folder, cell="c") if tls else None
        self._number = gateways
        self._grant = grant
        self._children: list[asyncio.subprocess.Process] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._data: DataClient | None = None
        self._host_epoch = 0

    async def __aenter__(self) -> MiniHall:
        try:
            data = await self._start_data()
            secret = secrets.token_bytes(32)
            (self._folder / "cell-secret").write_bytes(secret)
            await self._start_host(data, secret)
            keys = ServerKeys.generate()
            keys.save(self._folder / "seal-keys.json")
            self.server_keys = keys.public
            for number in range(self._number):
                await self._start_gateway(data, number)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        for child in reversed(self._children):
            if child.returncode is None:
                child.terminate()
            try:
                await asyncio.wait_for(child.wait(), 15)
            except TimeoutError:
                child.kill()
                await child.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._data is not None:
            await self._data.close()

    @property
    def tls_folder(self) -> Path:
        return self._folder / "authority"

    def _peer(self, role: str, name: str) -> dict[str, str]:
        """Settings of mutual TLS of one program; none without."""
        if self.authority is None:
            return {}
        certificate, key = self.authority.issue(
            self.tls_folder, role=role, name=name, addresses=["127.0.0.1"]
        )
        ca = self.tls_folder / CA_FILE
        return {"peer_certificate": str(certificate), "peer_key": str(key), "peer_ca": str(ca)}

    async def _start_data(self) -> str:
        environment = {f"PAIJU_DATA_{n}LISTEN": "127.0.0.1:0" for n in ("", "ADMIN_", "METRICS_")}
        environment["PAIJU_DATA_DIR"] = str(self._folder)
        environment["PAIJU_START_GRANT"] = str(self._grant)
        peers = self._peer("data-server", "data-1")
        environment |= {f"PAIJU_{name.upper()}": value for name, value in peers.items()}
        await self._start("data", "-m", "data_server", env=environment)
        file = self._folder / "data-server.json"
        await self._until(file.exists)
        address = str(json.loads(file.read_text())["address"])
        self._token = (self._folder / "cluster-token").read_text().strip()
        metrics = Metrics(CollectorRegistry())
        self._server_tls = self._peer("game-server", "gs")
        paths = {name.removeprefix("peer_"): Path(p) for name, p in self._server_tls.items()}
        tls = Watched(TlsFiles(**paths)) if paths else None
        self._data = DataClient([address], token=self._token, metrics=metrics, tls=tls)
        self._tasks.append(asyncio.create_task(self._keep_lease(self._data)))
        return address

    async def _keep_lease(self, data: DataClient) -> None:
        asked = data_pb2.RegisterServerRequest(
            server="gs", cell="c", max_players=1000, games=["doudizhu"]
        )
        lease = await data.call("RegisterServer", asked)
        while True:
            await asyncio.sleep(lease.heartbeat_ms / 1000)
            hosts = [data_pb2.HostCounts(host=self._host_name, epoch=self._host_epoch)]
            beat = data_pb2.HeartbeatRequest(
                server="gs", lease_epoch=lease.lease_epoch, hosts=hosts if self._host_epoch else []
            )
            await data.call("Heartbeat", beat)

    async def _start_host(self, data: str, secret: bytes) -> None:
        config = {
            "host": self._host_name,
            "cell": "c",
            "server": "gs",
            "machine": "m",
            "run_dir": str(self._folder),
            "data_servers": [data],
            "cluster_token": self._token,
            "cell_secret": secret.hex(),
            "journal_key": b"a key of the tests".hex(),
            "journal_url": f"sqlite:///{self._folder}/journal.db",
            "metrics_socket": "",
            "tcp_host": "127.0.0.1" if self.authority is not None else "",
            **self._server_tls,
        }
        process = await self._start("host", "-c", _HOST, json.dumps(config))
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), START_S)
        assert line == b"ready\n", self.logs

    async def _start_gateway(self, data: str, number: int) -> None:
        config = {
            "name": f"gs/gateway-{number}",
            "server": "gs",
            "cell": "c",
            "machine": "m",
            "cell_secret": str(self._folder / "cell-secret"),
            "seal_keys": str(self._folder / "seal-keys.json"),
            "cluster_token": str(self._folder / "cluster-token"),
            "data_servers": [data],
            **self._edge_tls(),
        }
        program = self._gateway_program(number)
        await self._start(f"gateway-{number}", *program, "--config-json", json.dumps(config))
        await self._until(lambda: len(self.gateways) > number)

    def _gateway_program(self, number: int) -> tuple[str, ...]:
        return "-m", "game_server.gateway"

    def _edge_tls(self) -> dict[str, object]:
        if self.authority is None:
            return {}
        certificate, key = self.authority.issue(
            self.tls_folder, role="players", name="edge", addresses=["127.0.0.1"]
        )
        return {
            **self._server_tls,
            "machine": "another",
            "tls_certificate": str(certificate),
            "tls_key": str(key),
            "edge_tls": True,
        }

    async def _until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(START_S):
            while not condition():
                assert all(child.returncode is None for child in self._children), self.logs
                await asyncio.sleep(0.01)

    async def _start(
        self, role: str, *arguments: str, env: dict[str, str] | None = None
    ) -> asyncio.subprocess.Process:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            env={**os.environ, **(env or {})},
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        self._children.append(process)
        self.processes[role] = process.pid
        self._tasks.append(asyncio.create_task(self._read(process)))
        return process

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            text = line.decode(errors="replace").rstrip()
            self.logs.append(text)
            if '"gateway.ready"' in text:
                told = json.loads(text)
                scheme = "" if self.authority is None else "grpcs://"
                self.gateways.append(f"{scheme}{told['address']}")
                self.web_gateways.append(f"ws://{told['ws_address']}")
            elif '"host.ready"' in text:
                self._host_epoch = json.loads(text)["epoch"]
