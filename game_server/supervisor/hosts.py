"""The table hosts of this machine: started once, watched, replaced when Ray gives one up.

Ray restarts a host whose process died (with a new epoch). What it does not repair is a host
whose start failed, or one that was on a node of Ray that ended: those are started anew here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from game_server.supervisor.cell import Cell
from game_server.supervisor.metrics import SupervisorMetrics
from paiju.wire.v1 import data_pb2

log = structlog.get_logger()

START_WITHIN_S = 75.0
ASK_EVERY_S = 1.0
ASK_WITHIN_S = 5.0
LONGEST_PAUSE_S = 10.0
GIVE_UP_AFTER = 20


@dataclass
class Host:
    """info: its last answer, empty while it is away."""

    name: str
    config: dict[str, Any]
    actor: Any = None
    info: dict[str, Any] = field(default_factory=dict)
    unavailable: int = 0
    """Questions in a row for which Ray knew no way to it."""


class Hosts:
    """`watch` runs until `stop`. `draining`: told to every host, also to a new one."""

    def __init__(
        self, *, cell: Cell, configs: Sequence[dict[str, Any]], metrics: SupervisorMetrics
    ) -> None:
        self._cell = cell
        self._metrics = metrics
        self._hosts = [Host(config["host"], config) for config in configs]
        self._draining = False
        self._connected = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        for host in self._hosts:
            metrics.up.labels(host.name).set(0)

    def start(self) -> None:
        self._tasks = [asyncio.ensure_future(self._watch(host)) for host in self._hosts]

    def ready(self) -> bool:
        return all(host.info for host in self._hosts)

    def infos(self) -> dict[str, dict[str, Any]]:
        """Of the hosts that answer."""
        return {host.name: host.info for host in self._hosts if host.info}

    def counts(self) -> list[data_pb2.HostCounts]:
        """For the heartbeat: a host that does not answer is not in it."""
        return [
            data_pb2.HostCounts.FromString(host.info["counts"])
            for host in self._hosts
            if host.info.get("counts")
        ]

    def connected(self) -> None:
        """A node of Ray is there: hosts may be started on it."""
        self._connected.set()

    def forget(self) -> None:
        """The node of Ray has ended, and all hosts with it."""
        self._connected.clear()
        for host in self._hosts:
            self._lost(host, "node")

    async def drain(self, on: bool) -> None:
        """No new seats, or seats again; hands go on. Hosts are told side by side."""
        if on == self._draining:
            return
        self._draining = on
        told = [self._tell(h, "drain", on, within_s=ASK_WITHIN_S) for h in self._hosts if h.actor]
        await asyncio.gather(*told)

    async def stop(self, *, within_s: float) -> None:
        """Hands end, stakes go back, then the actors end."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        running = [host for host in self._hosts if host.actor is not None]
        await asyncio.gather(*(self._tell(h, "stop", within_s=within_s) for h in running))
        for host in running:
            try:
                await self._cell.end_host(host.actor)
            except Exception as error:
                log.warning("host.not_ended", host=host.name, error=_short(error))

    async def _tell(self, host: Host, method: str, *given: Any, within_s: float) -> None:
        try:
            await self._cell.ask(host.actor, method, *given, within_s=within_s)
        except Exception as error:
            log.warning("host.not_told", host=host.name, told=method, error=_short(error))

    async def _watch(self, host: Host) -> None:
        pause = 0.2
        while True:
            if host.actor is None:
                await self._connected.wait()
                try:
                    host.actor = await self._cell.start_host(
                        host.name, host.config, within_s=START_WITHIN_S
                    )
                    if self._draining:
                        await self._tell(host, "drain", True, within_s=ASK_WITHIN_S)
                    pause = 0.2
                except Exception as error:
                    log.error(
                        "host.start_failed", host=host.name, error=_short(error), again_in_s=pause
                    )
                    await asyncio.sleep(pause)
                    pause = min(LONGEST_PAUSE_S, pause * 2)
                    continue
            await self._ask(host)
            await asyncio.sleep(ASK_EVERY_S)

    async def _ask(self, host: Host) -> None:
        from ray.exceptions import ActorDiedError, ActorUnavailableError

        actor = host.actor
        try:
            info = await self._cell.ask(actor, "info", within_s=ASK_WITHIN_S)
        except ActorUnavailableError as error:
            self._away(host, error)
            host.unavailable += 1
            if host.unavailable > GIVE_UP_AFTER:
                self._lost(host, "unavailable")
        except ActorDiedError as error:
            log.error("host.gone", host=host.name, error=_short(error))
            if host.actor is actor:
                self._lost(host, "died")
        except Exception as error:
            self._away(host, error)
        else:
            before = host.info.get("epoch")
            if not host.info:
                log.info("host.up", host=host.name, pid=info["pid"], epoch=info.get("epoch"))
            elif before != info.get("epoch"):
                self._metrics.restarts.labels(host.name).inc()
                log.warning("host.restarted", host=host.name, epoch=info.get("epoch"))
            host.info = info
            host.unavailable = 0
            self._metrics.up.labels(host.name).set(1)

    def _away(self, host: Host, error: BaseException) -> None:
        if host.info:
            log.warning("host.away", host=host.name, error=_short(error))
            self._metrics.restarts.labels(host.name).inc()
        host.info = {}
        self._metrics.up.labels(host.name).set(0)

    def _lost(self, host: Host, why: str) -> None:
        if host.actor is not None:
            self._metrics.restarts.labels(host.name).inc()
            log.warning("host.lost", host=host.name, why=why)
        host.actor = None
        host.info = {}
        host.unavailable = 0
        self._metrics.up.labels(host.name).set(0)


def _short(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0] if text else ''}"[:300]
