"""An open-loop driver: N bots over G gateways until enough hands are finished.

Bots arrive by a timetable, whatever the hall does; once seated each plays in turn, as
people do. Every accepted action of every client is a latency sample, from the moment it is
handed to the client to the moment its own update is on the client's board; nothing is left
out because a client was cut off just then. Within one table the next action waits for the
one before (that is the game), so a stall is seen by one sample per waiting table, not by
the actions that were never made: read max and p99 with that in mind.

The seed decides bots' choices and the moments of dropped connections; never the cards.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hall_client.bots.mind import Mind
from hall_client.bots.player import Habits
from hall_client.channels import ChannelPool
from hall_client.client import HallClient
from hall_client.errors import HallError
from hall_client.events import Event, Noticed, TableChanged
from hall_client.load.bot import LoadBot, device_secret, observer
from hall_client.load.continuity import Continuity
from hall_client.load.drops import DropPlan
from hall_client.load.evidence import ActionLog
from hall_client.load.result import MAX_ERRORS, Latency, LoadResult
from hall_client.tls import Tls

_LOOK_EVERY_S = 0.1


@dataclass(frozen=True, kw_only=True)
class LoadPlan:
    """hands: to be finished in all. drops: connections to cut at least.

    seconds: stop then, however many hands are finished; infinity: never.
    arrivals_per_s: bots that come into the hall each second. deadline_s: give up then.
    """

    gateways: Sequence[str]
    server_keys: Sequence[bytes]
    room: str
    players: int
    hands: int
    drops: int
    seed: int
    drop_rate: float = 0.02
    away_s: tuple[float, float] = (0.0, 0.3)
    think_s: tuple[float, float] = (0.0, 0.05)
    arrivals_per_s: float = 60.0
    deadline_s: float = 600.0
    seconds: float = math.inf
    locale: str = "en"
    tls: Tls | None = None  # of gateways by TLS


@dataclass
class Progress:
    """Where a run stands; handed to the caller several times a second."""

    arrived: int = 0
    hands: int = 0
    resumes: int = 0
    actions: int = 0


@dataclass
class Seen:
    """What all bots together saw."""

    finished: dict[tuple[int, int], str] = field(default_factory=dict)  # (table, hand): result
    errors: list[str] = field(default_factory=list)
    error_count: int = 0

    def complain(self, text: str) -> None:
        self.error_count += 1
        if len(self.errors) < MAX_ERRORS:
            self.errors.append(text)

    def saw(self, event: Event) -> None:
        if isinstance(event, TableChanged):
            for happened in event.events:
                if happened.kind == "@hand_end":
                    end = json.loads(happened.data)
                    self.finished[event.table, int(end["hand"])] = str(end["result"])
        elif isinstance(event, Noticed) and event.code in ("SEAT_LOST", "TABLE_GONE"):
            why = event.params.get("why", "")
            if why != "retired":  # the version ended, and the table was not full any more
                self.complain(f"notice {event.code} table {event.table} {why}".rstrip())


class Driver:
    """`run` once. make_mind(bot number) gives each bot what it thinks with.

    log: of all actions sent. watch: told every event of every bot, by number.
    """

    def __init__(
        self,
        plan: LoadPlan,
        *,
        make_mind: Callable[[int], Mind],
        report: Callable[[Progress], None] = lambda _: None,
        log: ActionLog | None = None,
        watch: Callable[[int, Event], None] = lambda bot, event: None,
    ) -> None:
        self._plan = plan
        self._make_mind = make_mind
        self._report = report
        self._log = log or ActionLog()
        self._watch = watch
        self.clients: dict[int, HallClient] = {}
        self._bots: list[LoadBot] = []
        self._checks: list[Continuity] = []
        self._seen = Seen()
        self._told = asyncio.Event()

    def connected(self) -> list[int]:
        """Bots whose session is open now."""
        return [bot for bot, client in self.clients.items() if client.connected]

    def finished(self) -> list[tuple[int, int]]:
        """(table, hand) of all hands that were seen to end."""
        return list(self._seen.finished)

    def enough(self) -> None:
        """Let the bots finish their hands and leave, whatever the plan says."""
        self._told.set()

    async def run(self) -> LoadResult:
        """Play, stand up, and say what was seen. Does not raise for what goes wrong in play."""
        plan, begun = self._plan, time.monotonic()
        run = secrets.token_hex(8)
        async with ChannelPool(tls=plan.tls) as pool:
            tasks: list[asyncio.Task[None]] = []
            for number in range(plan.players):
                tasks.append(asyncio.create_task(self._one(pool, run, number)))
                await self._until(begun + (number + 1) / plan.arrivals_per_s)
            try:
                await self._enough(begun, tasks)
            finally:
                for bot in self._bots:
                    bot.player.stop()
                await self._all_gone(tasks)
        return self._result(time.monotonic() - begun)

    async def _one(self, pool: ChannelPool, run: str, number: int) -> None:
        plan = self._plan
        check = Continuity(lambda text: self._seen.complain(f"bot {number}: {text}"))
        client = HallClient(
            plan.gateways,
            server_keys=plan.server_keys,
            locale=plan.locale,
            kind="load",
            pool=pool,
            first_address=number,
            observer=observer(check, self._seen.saw, lambda event: self._watch(number, event)),
        )
        self.clients[number] = client
        self._checks.append(check)
        try:
            async with client:
                await client.guest(device_secret(run, number), name=f"bot-{run[:6]}-{number}")
                bot = LoadBot(
                    client=client,
                    mind=self._make_mind(number),
                    habits=Habits(room=plan.room, think_s=plan.think_s),
                    seed=plan.seed,
                    number=number,
                    drops=DropPlan(
                        seed=plan.seed, bot=number, rate=plan.drop_rate, away_s=plan.away_s
                    ),
                    log=self._log,
                )
                self._bots.append(bot)
                await bot.run()
        except HallError as error:
            self._seen.complain(f"bot {number}: {type(error).__name__}: {error}")
        except Exception as error:
            self._seen.complain(f"bot {number}: {error!r}")

    async def _enough(self, begun: float, tasks: list[asyncio.Task[None]]) -> None:
        plan = self._plan
        while True:
            progress = self._progress()
            self._report(progress)
            if self._told.is_set():
                return
            if progress.hands >= plan.hands and progress.resumes >= plan.drops:
                return
            if time.monotonic() >= begun + plan.seconds:
                return
            if time.monotonic() >= begun + plan.deadline_s:
                self._seen.complain(f"gave up after {plan.deadline_s:.0f} s")
                return
            if all(task.done() for task in tasks):
                self._seen.complain("no bot is left at the tables")
                return
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _all_gone(self, tasks: list[asyncio.Task[None]]) -> None:
        _, late = await asyncio.wait(tasks, timeout=60.0)
        if late:
            self._seen.complain(f"{len(late)} bots did not stand up in time")
        for task in late:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._report(self._progress())

    @staticmethod
    async def _until(moment: float) -> None:
        await asyncio.sleep(max(0.0, moment - time.monotonic()))

    def _progress(self) -> Progress:
        return Progress(
            arrived=len(self._bots),
            hands=len(self._seen.finished),
            resumes=sum(check.verified for check in self._checks),
            actions=sum(len(bot.latencies) for bot in self._bots),
        )

    def _result(self, seconds: float) -> LoadResult:
        for number, bot in enumerate(self._bots):
            for complaint in bot.player.account.complaints:
                self._seen.complain(f"bot {number}: {complaint}")
        samples = [sample for bot in self._bots for sample in bot.latencies]
        counters = [bot.client.counters() for bot in self._bots]
        progress = self._progress()
        return LoadResult(
            players=self._plan.players,
            hands=progress.hands,
            voided=sum(result == "void" for result in self._seen.finished.values()),
            actions=progress.actions,
            latency_samples=len(samples),
            latency_ms=Latency.of(samples),
            resumes=progress.resumes,
            resumed_by_snapshot=sum(check.by_snapshot for check in self._checks),
            views_checked=sum(c.views_checked for c in counters),
            view_mismatches=sum(c.mismatches for c in counters),
            too_late=sum(bot.player.account.too_late for bot in self._bots),
            broke=sum(bot.player.account.broke for bot in self._bots),
            seconds=round(seconds, 3),
            error_count=self._seen.error_count,
            errors=self._seen.errors,
        )
