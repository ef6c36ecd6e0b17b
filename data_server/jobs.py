"""What runs by itself: flush, poll, sweep, check, cleanup, reading the keys again.

Each job is repeated for ever; a failure is logged, counted and tried again at the next turn.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

import structlog
from sqlalchemy import select
from sqlalchemy.engine import Connection

from data_server.metrics import Metrics
from data_server.services import Services
from data_server.store import backup, checks, presences, reports, sessions
from data_server.store.tables import Sitting
from paiju.service.refusals import Refused

log = structlog.get_logger()

SWEEP_BATCH = 200
EVENTS_KEPT_US = 600 * 10**6
CHECK_SHARE = 0.05  # of the time at most: a ledger that takes long is checked less often


@dataclass(frozen=True, kw_only=True)
class Jobs:
    services: Services
    metrics: Metrics
    escrow_release_s: float
    address_us: int
    evidence_us: int
    clock: Callable[[], int]

    async def sweep(self) -> None:
        """Return the stakes of sittings whose host has been silent for too long."""
        hosts = await self.services.database.read(_hosts_with_sittings)
        silent = self.services.registry.silent_hosts(hosts, self.escrow_release_s)
        for host in sorted(silent):
            sittings = await self.services.database.read(partial(_sittings_of, host=host))
            for sitting in sittings:
                await self._release(sitting, host=host)
        await self._sweep_orphans()

    async def _sweep_orphans(self) -> None:
        """After a restore: return the stakes of sittings that no host remembers."""
        quiet_us = int(self.escrow_release_s * 1e6)
        left = await self.services.database.read(
            lambda tx: backup.orphans(tx, quiet_us=quiet_us, now_us=self.clock(), limit=SWEEP_BATCH)
        )
        for sitting in left:
            await self._release(sitting, host="")

    async def _release(self, sitting: int, *, host: str) -> None:
        try:
            returned = await self.services.bank.release(sitting)
        except Refused:
            return  # closed meanwhile
        self.metrics.released.inc()
        log.info("escrow.released", host=host, sitting=sitting, returned=returned)

    async def check(self) -> float:
        """Check the whole ledger; returns the seconds it took."""
        begun = time.monotonic()
        result, flow = await self.services.database.read(
            lambda tx: (checks.check_ledger(tx, now_us=self.clock()), checks.coin_flow(tx))
        )
        took = time.monotonic() - begun
        self.metrics.issued.set(flow.issued)
        self.metrics.collected.set(flow.collected)
        faults = result.unbalanced + result.mismatched
        self.metrics.escrow.set(result.escrow)
        self.metrics.ledger_sum.set(result.sum)
        self.metrics.ledger_faults.set(faults)
        self.metrics.open_sittings.set(result.open_sittings)
        self.metrics.checked.set(result.checked_us / 1e6)
        self.metrics.check_seconds.set(took)
        if result.sum or faults:
            log.error("ledger.wrong", sum=result.sum, faults=faults)
        return took

    async def standbys(self) -> None:
        """Ask the database how far its copies are behind; a file has none."""
        if self.services.database.is_sqlite:
            return
        count, lag_s = await self.services.database.read(checks.standbys)
        self.metrics.standbys.set(count)
        self.metrics.standby_lag.set(lag_s)

    async def cleanup(self) -> None:
        """Forget what is kept for a time only."""
        now = self.clock()
        await self.services.operations.forget_old()

        def work(tx: Connection) -> None:
            presences.forget_events(tx, before_us=now - EVENTS_KEPT_US)
            sessions.forget_addresses(tx, before_us=now - self.address_us)
            reports.forget_words(tx, before_us=now - self.evidence_us)
            self.services.accounts.locks.forget(tx, now_us=now)

        await self.services.database.write(work)

    async def check_again_and_again(self, pause_s: float) -> None:
        while True:
            took = 0.0
            try:
                took = await self.check()
            except Exception as error:
                self.failed("check", error)
            await asyncio.sleep(max(pause_s, took / CHECK_SHARE))

    async def every(
        self, name: str, period_s: float, work: Callable[[], Awaitable[object]]
    ) -> None:
        while True:
            try:
                await work()
            except Exception as error:
                self.failed(name, error)
            await asyncio.sleep(period_s)

    def failed(self, name: str, error: Exception) -> None:
        self.metrics.job_failures.labels(name).inc()
        log.warning("job.failed", job=name, error=f"{type(error).__name__}: {error}")


def _hosts_with_sittings(tx: Connection) -> set[str]:
    rows = tx.execute(select(Sitting.host).where(Sitting.closed_us == 0).distinct())
    return {row.host for row in rows}


def _sittings_of(tx: Connection, *, host: str) -> list[int]:
    rows = tx.execute(
        select(Sitting.id)
        .where(Sitting.host == host, Sitting.closed_us == 0)
        .order_by(Sitting.id)
        .limit(SWEEP_BATCH)
    )
    return [row.id for row in rows]
