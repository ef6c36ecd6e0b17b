"""The data server: puts the parts together, serves, drains.

Order at start: secrets, database, schema, hall accounts, one poll (so that leases run), then
the ports; `ready` is called when everything answers. Order at the end: health NOT_SERVING,
followers are sent away, calls at work finish, ports close, heartbeats are written, database.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

import structlog

from data_server.calls.lanes import Lanes
from data_server.edge import Edge
from data_server.folder import Addresses, Secrets, announce, withdraw
from data_server.follow import Followers
from data_server.jobs import Jobs
from data_server.keys import Keys
from data_server.metrics import Metrics
from data_server.passwords import Passwords
from data_server.policy import MayPlay, not_frozen
from data_server.registry import Registry
from data_server.services import DAY_US, Services
from data_server.settings import DataSettings
from data_server.store import migrate
from data_server.store.database import Database
from data_server.takeover import Takeover
from data_server.tickets import Tickets
from paiju.service.ids import now_us
from paiju.service.process import raise_file_limit, stop_event, tune_gc, watch_lag

log = structlog.get_logger()

JOB_CONNECTIONS = 4
KEYS_EVERY_S = 30.0
STANDBYS_EVERY_S = 10.0


class DataServer:
    """One data server inside a running loop; `serve` is this with signals.

    on_end: called when an operator wants it to end.
    """

    def __init__(
        self,
        settings: DataSettings,
        *,
        may_play: MayPlay = not_frozen,
        on_end: Callable[[], None] = lambda: None,
        clock: Callable[[], int] = now_us,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self._may_play = may_play
        self._on_end = on_end
        self._clock = clock
        self._monotonic = monotonic
        self.metrics = Metrics()
        self.lanes = Lanes.make(settings, refused=self.metrics.lane_refused)
        self.followers = Followers(on_drop=self.metrics.follow_dropped.inc)
        if settings.data_dir is not None or not settings.database_url:
            settings.folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        self.secrets = Secrets.load(settings)
        self.tickets = Tickets(self.secrets.keys, ticket_us=settings.ticket_s * 10**6)
        self.passwords = Passwords(threads=settings.hash_threads, on_hash=self.metrics.hashes.inc)
        self.database = Database(settings.url(), pool=self.lanes.connections() + JOB_CONNECTIONS)
        self.registry = Registry(
            database=self.database,
            followers=self.followers,
            lease_s=settings.lease_s,
            takeover_s=settings.takeover_s,
            escrow_release_s=settings.escrow_release_s,
            clock=clock,
            monotonic=monotonic,
        )
        self._takeover = Takeover(database=self.database, registry=self.registry)
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> Addresses:
        """Serve; returns where. Raises what stands in the way."""
        settings = self.settings
        await self._prepare_schema()
        self.services = await Services.build(
            settings,
            database=self.database,
            registry=self.registry,
            followers=self.followers,
            passwords=self.passwords,
            tickets=self.tickets,
            may_play=self._may_play,
            metrics=self.metrics,
            package_keys=self.secrets.package_keys,
            clock=self._clock,
        )
        await self.services.depot.open()
        self.jobs = Jobs(
            services=self.services,
            metrics=self.metrics,
            escrow_release_s=settings.escrow_release_s,
            address_us=settings.address_days * DAY_US,
            evidence_us=settings.evidence_days * DAY_US,
            clock=self._clock,
        )
        await self.registry.poll()
        self._watch()
        self.edge = Edge(
            settings=settings,
            secrets=self.secrets,
            lanes=self.lanes,
            metrics=self.metrics,
            services=self.services,
            end=self._on_end,
        )
        addresses = await self.edge.start()
        self._start_jobs()
        return addresses

    async def stop(self) -> None:
        """Drain within `drain_grace_s`, then close everything."""
        await self.edge.not_serving()
        self.followers.close()
        self.services.changes.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.lanes.drain(), self.settings.drain_grace_s)
        await self.edge.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(Exception):
            await self.registry.flush()
        self.passwords.close()
        await self.database.close()

    async def _prepare_schema(self) -> None:
        if self.settings.migrates():
            await migrate.upgrade(self.database)
            return
        at = await migrate.revision(self.database)
        if at != migrate.newest():
            raise ValueError(
                f"the database is at revision {at}, {migrate.newest()} is needed: "
                "run `paiju migrate`"
            )

    def _start_jobs(self) -> None:
        s, jobs = self.settings, self.jobs
        for work in (
            jobs.every("flush", s.poll_s, self.registry.flush),
            jobs.every("poll", s.poll_s, self._poll),
            jobs.every("sweep", s.sweep_s, jobs.sweep),
            jobs.every("cleanup", s.cleanup_s, jobs.cleanup),
            jobs.every("keys", KEYS_EVERY_S, self._read_keys),
            jobs.every("packages", s.package_renew_s, self.services.depot.renew),
            jobs.every("changes", s.poll_s, self.services.depot.look),
            jobs.every("standbys", STANDBYS_EVERY_S, jobs.standbys),
            jobs.check_again_and_again(s.check_s),
            watch_lag(self.metrics.lag.observe),
        ):
            self._tasks.append(asyncio.ensure_future(work))

    async def _poll(self) -> None:
        """In this order: what was not heard while we were away ourselves is forgiven first."""
        await self.registry.poll()
        await self._takeover.look()

    async def _read_keys(self) -> None:
        """Use a ticket key that was rotated into the file; the secret stays as it is."""
        keys = Keys.from_json(self.secrets.keys_file.read_text())
        if keys != self.tickets.keys and keys.secret == self.tickets.keys.secret:
            self.tickets.use(keys)
            log.info("tickets.rotated", signing=keys.tickets[0].id())

    def _watch(self) -> None:
        metrics, registry = self.metrics, self.registry
        metrics.watch_lanes(self.lanes.all())
        watch, now = metrics.watch, self._monotonic
        watch("hash_waiting", "Password hashes asked for.", lambda: self.passwords.waiting)
        watch("pool_in_use", "Database connections at work.", self.database.pool_in_use)
        watch("followers", "Open Follow streams.", self.followers.count)
        watch("servers_alive", "Servers with a lease.", lambda: registry.servers.count_alive(now()))
        watch("hosts_alive", "Hosts with a lease.", lambda: registry.hosts.count_alive(now()))
        watch("package_followers", "Open FollowChanges streams.", self.services.changes.count)
        watch(
            "package_metadata_expires_timestamp_seconds",
            "When game servers refuse updates unless it is renewed; 0 without a repository.",
            lambda: self.services.depot.expires_us / 1e6,
        )
        watch(
            "package_signed_until_timestamp_seconds",
            "When game servers refuse updates unless people sign again; 0 without a repository.",
            lambda: self.services.depot.signed_until_us / 1e6,
        )
        watch(
            "ticket_key_expires_timestamp_seconds",
            "When the key that signs tickets ends; 0: never.",
            lambda: self.tickets.keys.tickets[0].not_after_us / 1e6,
        )
        watch(
            "lease_age_seconds",
            "Longest silence of a living server.",
            lambda: registry.servers.oldest_s(now()),
        )


async def serve(settings: DataSettings, ready: Callable[[Addresses], object] | None = None) -> None:
    """Serve until SIGTERM or SIGINT. `ready` is called once, when everything answers."""
    stop = stop_event()
    raise_file_limit()
    server = DataServer(settings, on_end=stop.set)
    addresses = await server.start()
    if settings.data_dir is not None:
        announce(settings.data_dir, addresses)
    tune_gc()
    log.info(
        "data_server.ready",
        address=addresses.address,
        admin=addresses.admin,
        metrics=addresses.metrics,
    )
    if ready is not None:
        ready(addresses)
    try:
        await stop.wait()
        log.info("data_server.draining")
    finally:
        await server.stop()
        if settings.data_dir is not None:
            withdraw(settings.data_dir)
