"""One run of a scenario: start a hall, let bots play, strike, look whether it came back."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DBAPIError

import games
from hall_client.bots.mind import GameMind
from hall_client.events import Disconnected, Event
from hall_client.load.books import Books, read_books, verify_records, void_hands
from hall_client.load.driver import Driver, LoadPlan
from hall_client.load.evidence import ActionLog, compare, read_records
from hall_client.load.outage import Outage
from hall_client.load.result import LoadResult
from paiju.cli.chaos.figures import Findings, figures
from paiju.cli.chaos.gauges import Expected, differences
from paiju.cli.chaos.scenario import Scenario, Setup, Stage
from paiju.cli.local import LocalHall
from paiju.rules.registry import Registry

WARM_UP_S = 3.0
"""After the bots have sat down: tables are full and hands run."""
SEATED_WITHIN_S = 60.0
BACK_WITHIN_S = 60.0
SETTLED_WITHIN_S = 30.0
LOOK_EVERY_S = 0.05


@dataclass(kw_only=True)
class Run:
    """`play` once. seconds: of play; a blow that has begun is waited for."""

    name: str
    scenario: type[Scenario]
    setup: Setup
    plan: LoadPlan
    seconds: float
    every_s: float
    gateways: int = 2
    hosts: int = 1
    shared_journal: bool = False
    _watchers: list[Callable[[int, Event], None]] = field(default_factory=list)
    _may_cut: Callable[[], bool] = lambda: True
    _found: Findings = field(default_factory=Findings)

    async def play(self) -> dict[str, Any]:
        """The figures, `broken` among them."""
        self.scenario.set_up(self.setup)
        with _importable(self.setup.python_path):
            registry = Registry.default()
            network = self.setup.network
            hall = self.setup.hall(
                data_dir=self.setup.folder,
                database=self.setup.database,
                gateways=self.gateways,
                hosts=self.hosts,
                settings={"spare_calm_s": "0", **self.setup.settings},  # blows come at once
                shared_journal=self.shared_journal,
                to_data=None if network is None else network.data.start,
                python_path=self.setup.python_path,
            )
            try:
                async with hall:
                    await self._in(hall, registry)
            finally:
                if network is not None:
                    await network.close()
        return figures(self.name, self._found)

    async def _in(self, hall: LocalHall, registry: Registry) -> None:
        gateways = hall.gateways
        if self.setup.network is not None:
            gateways = await self.setup.network.to_gateways(gateways)
        engine = create_engine(hall.database_url)
        log, outage = ActionLog(), Outage()
        self._watchers += [outage.saw, self._saw]
        driver = Driver(
            replace(self.plan, gateways=tuple(gateways), server_keys=tuple(hall.server_keys)),
            make_mind=lambda _: GameMind(registry),
            log=log,
            watch=self._tell,
        )
        stage = Stage(
            setup=self.setup,
            hall=hall,
            gateways=gateways,
            driver=driver,
            outage=outage,
            log=log,
            engine=engine,
            watchers=self._watchers,
        )
        playing = asyncio.ensure_future(driver.run())
        try:
            scenario = self.scenario(stage)
            await _until(lambda: self._most_sit(driver), SEATED_WITHIN_S)
            await self._blows(scenario, outage, playing)
            await scenario.end()
            self._found.gauges = await differences(hall, engine, lambda: _expected(driver))
            self._may_cut = lambda: True  # from now on bots leave
            driver.enough()
            result = await playing
            self._found.gauges += await differences(hall, engine, lambda: Expected(0, 0))
            await self._look(scenario, engine, result, registry, log)
            self._found.samples = outage.samples
        finally:
            playing.cancel()
            engine.dispose()

    # ---- while it plays --------------------------------------------------------------------

    def _tell(self, bot: int, event: Event) -> None:
        for watcher in self._watchers:
            watcher(bot, event)

    async def _most_sit(self, driver: Driver) -> bool:
        """There may be one who finds no seat; a slow machine may take its time."""
        return _expected(driver).seated >= max(3, self.plan.players * 3 // 4)

    def _saw(self, bot: int, event: Event) -> None:
        if isinstance(event, Disconnected) and not self._may_cut():
            self._found.interrupted.add(bot)

    async def _blows(
        self, scenario: Scenario, outage: Outage, playing: asyncio.Future[Any]
    ) -> None:
        """Strike, wait until everything is back, let it play on; until the time is over."""
        until = time.monotonic() + self.seconds
        await asyncio.sleep(WARM_UP_S)
        self._may_cut = scenario.may_cut
        await scenario.begin()
        found = self._found
        while found.blows < scenario.blows or time.monotonic() < until - self.every_s:
            if playing.done():
                return
            await scenario.strike()
            found.blows += 1
            if not await _until(scenario.back, BACK_WITHIN_S):
                found.missing += max(1, outage.give_up())
            await asyncio.sleep(self.every_s)

    # ---- afterwards ------------------------------------------------------------------------

    async def _look(
        self,
        scenario: Scenario,
        engine: Engine,
        result: LoadResult,
        registry: Registry,
        log: ActionLog,
    ) -> None:
        found = self._found
        found.result = result
        found.books = await _settled(engine, result)
        found.verified, found.wrong = await asyncio.to_thread(verify_records, engine, registry)
        found.verdict = compare(log, await asyncio.to_thread(read_records, engine))
        meant = set(scenario.void_hands)
        found.voided = await asyncio.to_thread(void_hands, engine) - meant
        found.more, found.broken = scenario.figures(), list(scenario.broken())


@contextlib.contextmanager
def _importable(folders: list[str]) -> Iterator[None]:
    """Games in these folders are games of this process, too."""
    paths = [f"{folder}/games" for folder in folders]
    sys.path[:0] = folders
    games.__path__ += paths
    try:
        yield
    finally:
        for folder in folders:
            sys.path.remove(folder)
        for path in paths:
            games.__path__.remove(path)


def _expected(driver: Driver) -> Expected:
    clients = [client for client in driver.clients.values() if client.connected]
    seated = sum(any(t.seat is not None for t in client.tables()) for client in clients)
    return Expected(len(clients), seated)


async def _until(condition: Callable[[], Awaitable[bool]], within_s: float) -> bool:
    until = time.monotonic() + within_s
    while not await condition():
        if time.monotonic() > until:
            return False
        await asyncio.sleep(LOOK_EVERY_S)
    return True


async def _settled(engine: Engine, result: LoadResult) -> Books:
    """The books as soon as every hand is booked and every stake returned, or at the deadline."""
    until = time.monotonic() + SETTLED_WITHIN_S
    while True:
        with contextlib.suppress(DBAPIError):
            books = await asyncio.to_thread(read_books, engine)
            done = books.settlements >= result.hands and not books.escrow
            if (done and not books.open_sittings) or time.monotonic() >= until:
                return books
        await asyncio.sleep(0.1)
