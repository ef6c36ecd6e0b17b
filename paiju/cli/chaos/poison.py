"""Rules that do harm: raise, never return, take 4 GiB, end the process. Others play beside them.

Each kind is a game package of its own with a room of its own, on the hosts where the bots of
the run play, too. One player of its table says `harm` in mid-hand. Promised is: that hand is
void and reported, nobody else's; the tables beside it go on within seconds; no host dies for
it more often than twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from hall_client.bots.player import Habits
from hall_client.client import HallClient
from hall_client.load.bot import LoadBot, device_secret
from hall_client.load.drops import DropPlan
from hall_client.load.gaps import Gaps
from paiju.cli.chaos import poison_rules
from paiju.cli.chaos.gauges import scrape, total
from paiju.cli.chaos.scenario import Scenario, Setup, Stage, until

KINDS = ("raise", "loop", "allocate", "exit")
HARM_WITHIN_S = 60.0
MAX_DEATHS = 2
"""So often may a host die for one of them: the second time it knows who it was."""
REPORTS = {
    "raise": ("paiju_host_rule_faults_total",),
    "loop": ("paiju_host_tables_voided_total",),
    # A host that cannot even say so any more dies of it.
    "allocate": ("paiju_host_rule_faults_total", "paiju_host_tables_voided_total"),
    "exit": ("paiju_host_tables_voided_total",),
}
Hand = tuple[int, int]
"""Table and number."""
_RESULT = text("SELECT result FROM settlement WHERE table_id = :table AND hand = :hand")
_MANIFEST = """\
name = "poison_{kind}"
version = "1.0.0"
sdk = ">=1,<2"

[[rule_sets]]
name = "poison_{kind}"
entry = "games.poison_{kind}.rules:Poison"
title = {{ zh = "poison_{kind}", en = "poison_{kind}" }}

[[rule_sets.rooms]]
id = "poison_{kind}.room"
title = {{ zh = "poison_{kind}", en = "poison_{kind}" }}
currency = "coin"
buy_in_min = 100
buy_in_max = 1000
buy_in_default = 100
turn_ms = {{ say = 30000 }}
"""


def write_packages(folder: Path) -> None:
    """Four packages, as `games/poison_KIND` below it."""
    source = Path(poison_rules.__file__).read_text("utf-8")
    for kind in KINDS:
        package = folder / "games" / f"poison_{kind}"
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
        (package / "manifest.toml").write_text(_MANIFEST.format(kind=kind), "utf-8")
        (package / "rules.py").write_text(source, "utf-8")


@dataclass
class Order:
    """Harm that is to be done at a table, by whoever decides next: in one hand, in no other.

    It stands until that hand is void: what was said may have come too late, or its answer may
    be lost with the host that died of it.
    """

    wanted: bool = False
    hand: Hand | None = None

    def give(self) -> None:
        """Let it be done in the next hand in which somebody decides."""
        self.wanted, self.hand = True, None


class Mind:
    """Passes, unless the order of its table says harm."""

    def __init__(self, order: Order) -> None:
        self._order = order

    def choose(self, view: Mapping[str, Any]) -> str:
        order, hand = self._order, (int(view["@table"]["id"]), int(view["@hand"]))
        if order.wanted and order.hand is None:
            order.hand = hand
        return "harm" if order.wanted and order.hand == hand else "pass"


class _Table:
    """Three players at a table of one kind."""

    def __init__(self, kind: str, stage: Stage) -> None:
        self.kind = kind
        self.order = Order()
        self._stage = stage
        self._bots: list[LoadBot] = []
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, server_keys: Sequence[bytes]) -> None:
        run = secrets.token_hex(8)
        self._tasks = [
            asyncio.create_task(self._play(run, number, server_keys))
            for number in range(poison_rules.SEATS)
        ]

    async def _play(self, run: str, number: int, keys: Sequence[bytes]) -> None:
        client = HallClient(self._stage.gateways, server_keys=keys, first_address=number)
        async with client:
            await client.guest(device_secret(run, number), name=f"poison-{run[:6]}-{number}")
            bot = LoadBot(
                client=client,
                mind=Mind(self.order),
                habits=Habits(room=f"poison_{self.kind}.room", think_s=(0.05, 0.2)),
                seed=number,
                number=number,
                drops=DropPlan(seed=0, bot=number, rate=0.0, away_s=(0.0, 0.0)),
                log=self._stage.log,
            )
            self._bots.append(bot)
            await bot.run()

    def said(self) -> bool:
        return self.order.hand is not None

    async def stop(self) -> None:
        for bot in self._bots:
            bot.player.stop()
        _, late = await asyncio.wait(self._tasks, timeout=30.0)
        for task in late:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def failed(self) -> list[str]:
        """Players that ended before they were told to."""
        return [f"poison_{self.kind}: {t.exception()!r}" for t in self._tasks if _raised(t)]


class Poison(Scenario):
    """Recovered: the longest silence of each of the other tables, from the blow until the
    poisoned hand is void and all of them have moved."""

    blows = len(KINDS)

    @classmethod
    def set_up(cls, setup: Setup) -> None:
        folder = setup.folder / "poison"
        write_packages(folder)
        setup.python_path.append(str(folder))

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._tables = {kind: _Table(kind, stage) for kind in KINDS}
        self._gaps = Gaps()
        stage.watchers.append(self._gaps.saw)
        self._void: set[Hand] = set()
        self._wrong: list[str] = []
        self._deaths: dict[str, int] = {}
        self._kind = ""
        self._epochs: dict[str, int] = {}
        self._reported = 0.0
        self._over = 0.0

    async def begin(self) -> None:
        for table in self._tables.values():
            table.start(self.hall.server_keys)

    async def strike(self) -> None:
        self._kind = self.next_of(KINDS)
        self._epochs = self.hall.hosts
        self._reported = await self._reports()
        table = self._tables[self._kind]
        table.order.give()
        if not await until(table.said, HARM_WITHIN_S):
            raise RuntimeError(f"poison_{self._kind}: nobody plays there")
        self._gaps.begin()
        self._over = 0.0

    async def back(self) -> bool:
        if not self._over:
            if not await self._is_void() or not self._up():
                return False
            self._over = time.monotonic()
        if not self._gaps.all_since(self._over) or not await self._is_reported():
            return False
        hosts = self.hall.hosts
        if not self._epochs.keys() <= hosts.keys():
            return False  # it may look as if it were up while the state is still the old one
        self.outage.samples += self._gaps.longest()
        deaths = sum(hosts[name] - epoch for name, epoch in self._epochs.items())
        self._deaths[self._kind] = max(deaths, self._deaths.get(self._kind, 0))
        return True

    def _up(self) -> bool:
        return self._epochs.keys() <= self.hall.hosts.keys()

    async def _is_void(self) -> bool:
        """Whether the hand is that was meant; one that ended otherwise heard of it too late."""
        order = self._tables[self._kind].order
        result = "" if order.hand is None else await asyncio.to_thread(self._result, order.hand)
        if order.hand is not None and result == "void":
            self._void.add(order.hand)
            order.wanted = False
        elif result:
            order.give()
        return result == "void"

    def _result(self, hand: Hand) -> str:
        """As the ledger has it; "" while it has none."""
        try:
            with self.stage.engine.connect() as connection:
                found = connection.execute(_RESULT, {"table": hand[0], "hand": hand[1]}).scalar()
        except DBAPIError:
            return ""
        return str(found or "")

    async def _reports(self) -> float:
        text = await scrape(self.hall.metrics["game-server"])
        return sum(total(text, metric) for metric in REPORTS[self._kind])

    async def _is_reported(self) -> bool:
        """A host that died counts from 0 again."""
        with contextlib.suppress(OSError):
            before = 0.0 if self.hall.hosts != self._epochs else self._reported
            return await self._reports() > before
        return False

    async def end(self) -> None:
        for table in self._tables.values():
            self._wrong += table.failed()
        await asyncio.gather(*(table.stop() for table in self._tables.values()))

    @property
    def void_hands(self) -> Collection[Hand]:
        return self._void

    def figures(self) -> Mapping[str, Any]:
        return {"poisoned": {"void": len(self._void), "deaths": self._deaths}}

    def broken(self) -> Sequence[str]:
        loops = [
            f"a host died {deaths} times of one poison_{kind}"
            for kind, deaths in self._deaths.items()
            if deaths > MAX_DEATHS
        ]
        missing = [f"poison_{kind} was not stopped" for kind in KINDS if kind not in self._deaths]
        return [*self._wrong, *loops, *missing]


def _raised(task: asyncio.Task[None]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is not None
