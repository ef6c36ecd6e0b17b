"""The machine's lease with the data server: register, renew, register again when it is lost.

Its age counts from the moment the last answered renewal was *sent*: what the data server
knows cannot be newer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Protocol

import structlog

from game_server.supervisor.metrics import SupervisorMetrics
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

log = structlog.get_logger()

SAY_AFTER_S = 3.0
AGAIN_S = 1.0
GOODBYE_WITHIN_S = 2.0
REGISTER_WITHIN_S = 365 * 86_400.0
"""In effect for ever; the client itself tries again at every address meanwhile."""


class Calls(Protocol):
    """What is used of DataClient."""

    async def call(self, rpc: str, request: Any, *, deadline_s: float | None = None) -> Any: ...


class Lease:
    """`on_answer` is told what the data server wants with every answer; it must not wait.

    rolls: the last roll that is done, and what one is at.
    """

    def __init__(
        self,
        *,
        calls: Calls,
        identity: data_pb2.RegisterServerRequest,
        counts: Callable[[], tuple[int, list[data_pb2.HostCounts]]],
        on_answer: Callable[[data_pb2.HeartbeatReply], None],
        rolls: Callable[[], tuple[int, str]] = lambda: (0, ""),
        facts: Callable[[], data_pb2.NodeFacts] = data_pb2.NodeFacts,
        metrics: SupervisorMetrics,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.registered = asyncio.Event()
        """Set at the first registration, for good."""
        self._calls = calls
        self._identity = identity
        self._counts = counts
        self._on_answer = on_answer
        self._rolls = rolls
        self._facts = facts
        self.epoch = 0
        self._metrics = metrics
        self._clock = clock
        self._renewed = 0.0
        metrics.lease_age.set_function(self.age_s)

    def age_s(self) -> float:
        """-1 before the first registration."""
        return self._clock() - self._renewed if self.registered.is_set() else -1.0

    async def claim(self, host: str, home: str) -> bool:
        """Whether we may start this host now; from then on nobody else may."""
        await self.registered.wait()
        try:
            await self._calls.call(
                "ClaimHost",
                data_pb2.ClaimHostRequest(
                    server=self._identity.server, lease_epoch=self.epoch, host=host, home=home
                ),
            )
        except Refused as refused:
            log.warning("host.not_claimed", host=host, code=refused.code)
            return False
        return True

    async def goodbye(self) -> None:
        """We end now: what we leave behind may be taken at once. Best effort."""
        if not self.registered.is_set():
            return
        try:
            await self._calls.call(
                "Heartbeat", self._heartbeat(leaving=True), deadline_s=GOODBYE_WITHIN_S
            )
        except Refused as refused:
            log.info("lease.no_goodbye", code=refused.code)

    async def run(self) -> None:
        """For ever."""
        while True:
            reply = await self._register()
            await self._renew(reply)

    async def _register(self) -> data_pb2.RegisterServerReply:
        self._identity.again = self.registered.is_set()
        warning = asyncio.get_running_loop().call_later(
            SAY_AFTER_S, lambda: log.warning("data_server.no_answer", trying="until it answers")
        )
        said = ""
        try:
            while True:
                sent = self._clock()
                try:
                    reply: data_pb2.RegisterServerReply = await self._calls.call(
                        "RegisterServer", self._identity, deadline_s=REGISTER_WITHIN_S
                    )
                    break
                except Refused as refused:
                    if refused.code not in ("BUSY", "RETRY", said):
                        log.error("lease.refused", code=refused.code, trying="until it is granted")
                        said = refused.code
                    await asyncio.sleep(max(AGAIN_S, refused.retry_after_ms / 1000))
        finally:
            warning.cancel()
        self._renewed, self.epoch = sent, reply.lease_epoch
        self.registered.set()
        self._metrics.registrations.inc()
        log.info("lease.registered", lease_ms=reply.lease_ms, epoch=reply.lease_epoch)
        return reply

    async def _renew(self, lease: data_pb2.RegisterServerReply) -> None:
        """Until it is lost."""
        every_s = max(0.05, lease.heartbeat_ms / 1000)
        pause = min(AGAIN_S, every_s)  # the first one soon: it brings the hosts' counts
        while True:
            await asyncio.sleep(pause)
            sent = self._clock()
            try:
                reply = await self._calls.call("Heartbeat", self._heartbeat())
            except Refused as refused:
                if refused.code == "LEASE_LOST":
                    log.warning("lease.lost", age_s=round(self.age_s(), 1))
                    return
                pause = min(AGAIN_S, every_s)
                continue
            self._renewed = sent
            pause = every_s
            self._on_answer(reply)

    def _heartbeat(self, *, leaving: bool = False) -> data_pb2.HeartbeatRequest:
        players, hosts = self._counts()
        rolled, rolling = self._rolls()
        return data_pb2.HeartbeatRequest(
            server=self._identity.server,
            lease_epoch=self.epoch,
            players=players,
            hosts=hosts,
            rolled=rolled,
            rolling=rolling,
            leaving=leaving,
            facts=self._facts(),
        )
