"""Keeps a machine's game server going: starts its processes in order, and ends them in order.

Owner of the machine's lease, of its metrics endpoint and of every process on it. State that
anybody would miss lies elsewhere: tables in the hosts' journals, the rest in the data server.

Start: predecessor's leftovers, metrics, then at the same time Ray, gateways and the lease;
hosts when Ray is up and the data server has answered, for they need both. When everything
answers, `game-server.json` appears in the data folder. End: gateways and hosts drain side by
side (players look for another gateway while hands end), then Ray, then the lease.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog

from game_server.data_client import DataClient
from game_server.packages.keeper import Keeper, told_by
from game_server.supervisor import folders as places
from game_server.supervisor import orphans, tls
from game_server.supervisor.cell import Cell, NodeState
from game_server.supervisor.exposition import total
from game_server.supervisor.folders import Folders
from game_server.supervisor.gateways import Gateways
from game_server.supervisor.host_config import host_config, own_hosts
from game_server.supervisor.hosts import Hosts
from game_server.supervisor.hub import MetricsHub
from game_server.supervisor.lease import Lease
from game_server.supervisor.leftovers import Record
from game_server.supervisor.metrics import SupervisorMetrics
from game_server.supervisor.ray_child import RayChild
from game_server.supervisor.roll import Roller
from game_server.supervisor.settings import GameServerSettings
from game_server.supervisor.signs import Signs
from game_server.supervisor.spares import Spares
from paiju.rules.registry import Registry
from paiju.service import build
from paiju.service.process import stop_event, tune_gc, watch_lag
from paiju.service.settings import BadSettings
from paiju.wire.server_keys import encode
from paiju.wire.v1 import data_pb2

log = structlog.get_logger()

LOOK_EVERY_S = 0.25
HOST_EXTRA_S = 15.0
"""Beyond drain_s: a host books its hands and returns stakes."""
RAY_END_S = 10.0


class Supervisor:
    """One per process; `run` once, with the folder's lock held and leftovers cleared."""

    def __init__(self, settings: GameServerSettings, folders: Folders) -> None:
        self._settings = settings
        self._folders = folders
        self._peers = tls.check(settings)
        self._metrics = metrics = SupervisorMetrics()
        self._signs = Signs()
        self._hub = MetricsHub(
            own=metrics.registry,
            own_name=f"{settings.server}/supervisor",
            healthy=self._ready,
            heard=self._signs.heard,
        )
        self._record = record = Record(folders.run)
        self._below: tuple[int, ...] = ()
        self._ray = RayChild(settings=settings, folders=folders, record=record, metrics=metrics)
        self._gateways = Gateways(
            settings=settings, folders=folders, hub=self._hub, record=record, metrics=metrics
        )
        self._cell = Cell(
            name=settings.cell,
            node_ip=settings.node_ip,
            temp_dir=folders.ray_temp,
            actor=settings.host_actor,
        )
        self._hosts = Hosts(
            cell=self._cell,
            own=own_hosts(settings),
            server=settings.server,
            config_of=lambda name, home: host_config(settings, folders, name=name, home=home),
            claim=lambda name, home: self._lease.claim(name, home),
            signs=self._signs,
            metrics=metrics,
        )
        self._spares = Spares(
            wanted=settings.spares,
            ready=self._hosts.ready,
            node=lambda: self._ray.child.pid,
            prestart=self._cell.prestart,
        )
        self._roller = Roller(
            gateways=self._gateways.children,
            hosts=self._hosts,
            renew_spares=self._spares.renew,
            gateway_s=settings.drain_s + 5,
        )
        self._heir = False
        """Whether another server could go on with our tables."""
        self._written: dict[str, Any] = {}
        self._server_keys = [encode(key) for key in places.server_keys(folders).public]

    async def run(self) -> None:
        """From start to drained end. Raises BadSettings when a port is taken."""
        begun = time.monotonic()
        self._stop = stop_event()
        orphans.adopt()
        await self._open_metrics()
        self._ray.child.start()
        for child in self._gateways.children:
            child.start()
        self._open_lease()
        self._leasing = asyncio.ensure_future(self._lease.run())
        hosting = asyncio.ensure_future(self._keep_hosts())
        rolling = asyncio.ensure_future(self._roller.run())
        tasks = [
            hosting,
            rolling,
            self._leasing,
            asyncio.ensure_future(self._keeper().run()),
            asyncio.ensure_future(self._spares.run()),
            asyncio.ensure_future(self._show_state(begun)),
            asyncio.ensure_future(watch_lag(self._metrics.loop_lag.observe)),
        ]
        stopped = asyncio.ensure_future(self._stop.wait())
        done, _ = await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in done - {stopped}:
            log.error("supervisor.task_ended", error=repr(task.exception()))
        hosting.cancel()
        rolling.cancel()
        await self._shut_down()
        for task in (stopped, *tasks):
            task.cancel()
        await asyncio.gather(stopped, *tasks, return_exceptions=True)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._data.close(), 2)
        await self._hub.close()
        if done - {stopped}:
            raise RuntimeError("a part of the supervisor failed, see its log")

    # ---- start -----------------------------------------------------------------------------

    async def _open_metrics(self) -> None:
        settings = self._settings
        try:
            await self._hub.start(
                socket=self._folders.metrics_socket,
                host=settings.metrics_host,
                port=settings.metrics_port,
            )
        except OSError as error:
            raise BadSettings(
                f"metrics cannot be served on {settings.metrics_host}:{settings.metrics_port}: "
                f"{error.strerror}"
            ) from None

    def _open_lease(self) -> None:
        """Inside the running loop."""
        self._data = DataClient(
            self._settings.data_servers,
            token=self._folders.cluster_token.read_text("utf-8").strip(),
            metrics=self._metrics,
            tls=self._peers,
        )
        self._lease = Lease(
            calls=self._data,
            identity=self._identity(),
            counts=self._counts,
            on_answer=self._on_answer,
            rolls=self._roller.state,
            metrics=self._metrics,
        )

    def _identity(self) -> data_pb2.RegisterServerRequest:
        games = {name for m in Registry.default().packages() for name in m.rule_set_names()}
        return data_pb2.RegisterServerRequest(
            server=self._settings.server,
            cell=self._settings.cell,
            max_players=self._settings.quota if self._settings.gateways else 0,
            build=build.VERSION,
            games=sorted(games),
            address=self._address(),
            web_addresses=self._web_addresses(),
        )

    def _address(self) -> str:
        """What players are told; empty for a machine without gateways."""
        own = self._gateways.addresses()
        return (self._settings.advertised or own[0]) if own else ""

    def _web_addresses(self) -> Sequence[str]:
        """What browsers are told."""
        own = self._gateways.first_web_addresses()
        return self._settings.advertised_web(own) if self._settings.gateways else ()

    def _keeper(self) -> Keeper:
        folders = self._folders
        return Keeper(
            server=self._settings.server,
            folder=folders.packages,
            key=folders.packages_key.read_bytes(),
            root=folders.package_root.read_bytes() if folders.package_root.is_file() else None,
            data=self._data,
            installed={manifest.name: manifest for manifest in Registry.default().packages()},
            hosts=lambda: told_by(self._hosts.infos()),
            lease_epoch=lambda: self._lease.epoch,
            metrics=self._metrics,
        )

    async def _keep_hosts(self) -> None:
        """For ever: connect to the node that runs; hosts live on it."""
        node = self._ray.child
        started = False
        while True:
            await node.ready.wait()
            state = self._ray.state()
            if state is None:
                await asyncio.sleep(LOOK_EVERY_S)
                continue
            node.died.clear()
            await self._cell.connect(state)
            self._signals_again()
            log.info("ray.connected", address=state.address)
            self._link_logs(Path(state.session_dir) / "logs")
            await self._lease.registered.wait()
            self._hosts.connected()
            if not started:
                self._hosts.start()
                started = True
                tune_gc()
            self._record_below(state)
            await node.died.wait()
            self._hosts.forget()
            self._end_orphans()

    def _record_below(self, state: NodeState) -> None:
        """A successor must be able to end them, should all of us be killed at once."""
        for pid in self._below:
            self._record.remove(pid)
        self._below = tuple(state.below)
        for pid in self._below:
            self._record.add(pid, "ray")

    def _end_orphans(self) -> None:
        """Of a node that was killed."""
        kept = [child.pid for child in (*self._gateways.children, self._ray.child)]
        orphans.end_adopted(keep=[pid for pid in kept if pid])

    def _signals_again(self) -> None:
        """Ray's client puts handlers of its own in front of ours, which print a stack and,
        after a second connect, end the process.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop.set)

    def _link_logs(self, logs: Path) -> None:
        """Output of hosts goes where Ray puts it; show it beside the others."""
        link = self._folders.data / "logs" / "ray"
        with suppress(OSError):
            link.parent.mkdir(exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(logs)

    # ---- while it runs ---------------------------------------------------------------------

    def _ready(self) -> bool:
        return self._gateways.ready() and self._hosts.ready() and self._ray.child.ready.is_set()

    def _counts(self) -> tuple[int, list[data_pb2.HostCounts]]:
        texts = self._hub.texts().values()
        players = sum(total(text, "paiju_gateway_sessions") for text in texts)
        return int(players), self._signs.counts()

    def _on_answer(self, reply: data_pb2.HeartbeatReply) -> None:
        """What the data server wants; gateways hear of a drain themselves, by Follow."""
        self._metrics.draining.set(reply.drain)
        self._hosts.drain(reply.drain)
        self._hosts.adopt({adoption.host: adoption.home for adoption in reply.adopt})
        self._roller.want(reply.roll)
        self._heir = reply.heir

    async def _show_state(self, begun: float) -> None:
        """Write `game-server.json` when all is ready, and again when something changed."""
        ready = False
        while True:
            await asyncio.sleep(LOOK_EVERY_S if ready else LOOK_EVERY_S / 5)
            if not ready and not self._ready():
                continue
            state = self._state()
            if state != self._written:
                places.write_json(self._folders.state, state)
                self._written = state
            if not ready:
                ready = True
                seconds = time.monotonic() - begun
                self._metrics.start_seconds.set(seconds)
                log.info(
                    "game_server.ready",
                    seconds=round(seconds, 1),
                    gateways=state["gateways"],
                    metrics=state["metrics"],
                )

    def _state(self) -> dict[str, Any]:
        infos = self._hosts.infos()
        node = self._ray.state()
        processes = {child.name: child.pid for child in self._gateways.children if child.pid}
        processes.update({name: info["pid"] for name, info in infos.items()})
        if self._ray.child.pid:
            processes[self._ray.child.name] = self._ray.child.pid
        return {
            "pid": os.getpid(),
            "server": self._settings.server,
            "cell": self._settings.cell,
            "gateways": self._gateways.addresses(),
            "web_gateways": self._gateways.web_addresses(),
            "server_keys": self._server_keys,
            "hosts": {name: info.get("epoch", 0) for name, info in infos.items()},
            "metrics": f"http://{self._settings.metrics_host}:{self._hub.port}/metrics",
            "ray_address": node.address if node else "",
            "processes": processes,
        }

    # ---- end -------------------------------------------------------------------------------

    async def _shut_down(self) -> None:
        settings = self._settings
        log.info("game_server.draining")
        begun = time.monotonic()
        drain_s = settings.drain_s
        try:
            async with asyncio.timeout(settings.grace_s):
                await asyncio.gather(
                    self._end_hosts(within_s=drain_s + HOST_EXTRA_S),
                    *(c.stop(within_s=drain_s + 5) for c in self._gateways.children),
                )
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self._cell.disconnect(), 5)
        except TimeoutError:
            log.error("game_server.grace_over", grace_s=settings.grace_s)
            for child in self._gateways.children:
                child.kill()
        await self._ray.child.stop(within_s=RAY_END_S)
        orphans.end_adopted()
        self._folders.state.unlink(missing_ok=True)
        log.info("game_server.ended", seconds=round(time.monotonic() - begun, 1))

    async def _end_hosts(self, *, within_s: float) -> None:
        """What they leave in the journal is for others, as soon as the lease is given back."""
        await self._hosts.stop(within_s=within_s, hand_over=self._heir)
        self._leasing.cancel()
        await asyncio.gather(self._leasing, return_exceptions=True)
        await self._lease.goodbye()
