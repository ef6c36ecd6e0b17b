"""The table hosts of this machine: started once, watched, replaced when Ray gives one up.

Ray restarts a host whose process died (with a new epoch). What it does not repair is a host
whose start failed, or one that was on a node of Ray that ended: those are started anew here.

Guests are hosts of lost machines that the data server has asked us to run. Before a host is
started it is claimed, so that two machines that both want it do so one after the other
(docs/contracts/takeover.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog

from game_server.supervisor.cell import Cell
from game_server.supervisor.metrics import SupervisorMetrics
from game_server.supervisor.signs import Signs

log = structlog.get_logger()

START_WITHIN_S = 75.0
ASK_EVERY_S = 1.0
ASK_WITHIN_S = 5.0
LONGEST_PAUSE_S = 10.0
GIVE_UP_AFTER = 20
CLAIM_AGAIN_S = 0.5
LOOK_S = 0.1


@dataclass(eq=False)
class Host:
    """info: its last answer, empty while it is away. home: the server whose host it is."""

    name: str
    home: str
    config: dict[str, Any]
    guest: bool = False
    actor: Any = None
    info: dict[str, Any] = field(default_factory=dict)
    unavailable: int = 0
    """Questions in a row for which Ray knew no way to it."""
    left: int = 0
    """The process that was asked to end, for a roll; 0: none."""


class Hosts:
    """`start`, later `stop`. config_of: (name, home) -> what a host is told.

    claim: (name, home) -> whether we may start it now; asks the data server. signs: what hosts
    say themselves, without Ray.
    """

    def __init__(
        self,
        *,
        cell: Cell,
        own: Sequence[str],
        server: str,
        config_of: Callable[[str, str], dict[str, Any]],
        claim: Callable[[str, str], Awaitable[bool]],
        signs: Signs,
        metrics: SupervisorMetrics,
    ) -> None:
        self._cell = cell
        self._metrics = metrics
        self._config_of = config_of
        self._claim = claim
        self._signs = signs
        self._hosts = {name: Host(name, server, config_of(name, server)) for name in own}
        self._draining = False
        self._connected = asyncio.Event()
        self._watches: dict[str, asyncio.Task[None]] = {}
        self._running = False
        self._told: set[asyncio.Task[None]] = set()
        for name in own:
            metrics.up.labels(name).set(0)
            metrics.restarts.labels(name)

    def start(self) -> None:
        self._running = True
        for host in self._hosts.values():
            self._begin(host)

    def ready(self) -> bool:
        """Whether our own answer; guests come and go."""
        return all(host.info for host in self._hosts.values() if not host.guest)

    def infos(self) -> dict[str, dict[str, Any]]:
        """Of the hosts that answer."""
        return {name: host.info for name, host in self._hosts.items() if host.info}

    def names(self) -> list[str]:
        """Our own first."""
        return sorted(self._hosts, key=lambda name: self._hosts[name].guest)

    def connected(self) -> None:
        """A node of Ray is there: hosts may be started on it."""
        self._connected.set()

    def forget(self) -> None:
        """The node of Ray has ended, and all hosts with it."""
        self._connected.clear()
        for host in self._hosts.values():
            self._lost(host, "node")

    def drain(self, on: bool) -> None:
        """No new seats, or seats again; hands go on. Hosts are told side by side."""
        if on == self._draining:
            return
        self._draining = on
        for host in self._hosts.values():
            if host.actor is not None:
                self._spawn(self._tell(host, "drain", on, within_s=ASK_WITHIN_S))

    def adopt(self, wanted: Mapping[str, str]) -> None:
        """The guests that we are to run now, all of them: host -> home."""
        for name in [n for n, host in self._hosts.items() if host.guest and n not in wanted]:
            log.warning("guest.went_home", host=name)
            self._release(self._hosts.pop(name))
        for name, home in wanted.items():
            host = self._hosts.get(name)
            if host is None:
                log.warning("guest.taken", host=name, home=home)
                host = Host(name, home, self._config_of(name, home), guest=True)
                self._hosts[name] = host
                if self._running:
                    self._begin(host)

    async def restart(self, name: str, *, within_s: float) -> None:
        """End the host's process when all that it did is written, and wait for the next.

        TimeoutError: call again; the next process is not asked to end. A guest may go home
        meanwhile: that ends it, too.
        """
        host = self._hosts[name]
        host.left = host.left or host.info.get("pid", 0)
        if host.actor is not None and host.info.get("pid") == host.left:
            await self._tell(host, "leave", within_s=ASK_WITHIN_S)
        async with asyncio.timeout(within_s):
            # Whoever asks the host how it is finds out.
            while host.info.get("pid") in (None, host.left) and name in self._hosts:  # noqa: ASYNC110
                await asyncio.sleep(LOOK_S)
        host.left = 0

    async def stop(self, *, within_s: float, hand_over: bool = False) -> None:
        """Hands end, stakes go back, then the actors end. hand_over: hands that do not end in
        time stay in the journal for another server."""
        self._running = False
        watches = [*self._watches.values(), *self._told]
        for task in watches:
            task.cancel()
        await asyncio.gather(*watches, return_exceptions=True)
        running = [host for host in self._hosts.values() if host.actor is not None]
        await asyncio.gather(
            *(self._tell(h, "stop", hand_over, within_s=within_s) for h in running)
        )
        for host in running:
            await self._end(host)

    # ---- one host --------------------------------------------------------------------------

    def _begin(self, host: Host) -> None:
        self._watches[host.name] = asyncio.ensure_future(self._watch(host))

    def _release(self, host: Host) -> None:
        watch = self._watches.pop(host.name, None)
        if watch is not None:
            watch.cancel()
        if host.actor is not None:
            self._spawn(self._end(host))
        self._signs.forget(host.name)
        self._metrics.up.labels(host.name).set(0)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._told.add(task)
        task.add_done_callback(self._told.discard)

    async def _end(self, host: Host) -> None:
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
                if not await self._claim(host.name, host.home):
                    await asyncio.sleep(CLAIM_AGAIN_S)
                    continue
                try:
                    host.actor = await self._cell.start_host(
                        host.name,
                        host.config,
                        within_s=START_WITHIN_S,
                        alive=partial(self._signs.alive, host.name),
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
            if host.unavailable > GIVE_UP_AFTER and not self._signs.alive(host.name):
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
