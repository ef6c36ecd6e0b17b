"""One simulated hall: data server, hosts with their journals, gateways, players.

Everything in it follows from the seed. `World` can start, kill, stop and restart each part;
when to do what is nemesis.py's, whether all went well is checks.py's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from game_server.gateway.gateway import Gateway
from game_server.gateway.limits import Limits
from game_server.tables.room import RoomSpec
from paiju.wire.v1 import common_pb2, host_pb2
from tests.sim.books import Books
from tests.sim.bot import BUY_IN_MIN, Bot, Habits
from tests.sim.calls import SimDataClient, Trouble
from tests.sim.client import SimClient
from tests.sim.clockwork import Process, SimLoop
from tests.sim.disk import Disk
from tests.sim.gateway import ROOM, GatewayProcess
from tests.sim.hall import Database, Hall
from tests.sim.host import GAME, HostProcess, Life, Parts
from tests.sim.network import Network
from tests.sim.stage import WORLD_BEGAN_US
from tests.sim.store import MemoryStore, Tables

WALL_US = 60 * 10**6
"""Wall clocks are wrong by up to so much to begin with."""


@dataclass
class Kinds:
    """What the world is made of. A planted fault puts another class or function in a place."""

    host: Parts = field(default_factory=Parts)
    gateway: type[Gateway] = Gateway
    store: type[MemoryStore] = MemoryStore
    lease_clock: Callable[[Process], float] = Process.monotonic


class World:
    """seed: of everything. say: takes each line of the trace."""

    def __init__(
        self, seed: int, *, kinds: Kinds | None = None, say: Callable[[str], None] | None = None
    ) -> None:
        self.seed = seed
        self.kinds = kinds or Kinds()
        self.random = Random(seed)
        self.loop = SimLoop(Random(self.random.getrandbits(64)))
        self.network = Network(self.loop, Random(self.random.getrandbits(64)))
        self.trouble = Trouble()
        self.faults: list[str] = []
        """What went wrong while the world ran."""
        self.leaving = False
        """Everybody is to go: whoever comes in now, too."""
        self.habits = Habits()
        self.lives: list[Life] = []
        self.bots: list[Bot] = []
        self._say = say
        self._lives_begun = 0
        draw = self.random
        self.seats = draw.choice((2, 2, 3))
        self.host_names = ["h1"] if draw.random() < 0.7 else ["h1", "h2"]
        self.retention_s = draw.choice((600.0, 600.0, 2.0))
        self.idle_s = draw.choice((0.0, 5.0))
        self.room = RoomSpec(
            id=ROOM,
            game=GAME.name,
            currency="coin",
            buy_in_min=BUY_IN_MIN,
            buy_in_max=400,
            buy_in_default=100,
            turn_ms={"add": draw.choice((800, 2000))},
            reserve_ms=draw.choice((0, 700)),
            seats=self.seats,
            newcomers_continue=draw.random() < 0.3,
            ready_ms=draw.choice((1500, 6000)),
            away_turn_ms=400,
            away_ms=draw.choice((1000, 3000)),
        )
        self.limits = Limits(rate_burst=1e6, rate_per_s=1e6, account_burst=1e6)
        self.tables = {name: Tables() for name in self.host_names}
        self.disks = {name: self._disk() for name in self.host_names}
        self.current: dict[str, Life] = {}
        self.gateways: list[GatewayProcess | None] = [None, None]
        self.hall: Hall | None = None
        self._truth = Process(self.loop, "truth")
        self.database = Database(Books(wall_us=self._hall_wall_us))
        self.loop.executor_s = lambda: 0.0005 * self.random.random()
        self.loop.waits = self._waits
        self._host_of: dict[str, str] = {}

    def _disk(self) -> Disk:
        return Disk(self.loop, Random(self.random.getrandbits(64)), idle_s=self.idle_s)

    def say(self, line: str) -> None:
        if self._say is not None:
            self._say(f"{self.loop.now:9.4f}  {line}")

    def fault(self, what: str) -> None:
        self.say(f"FAULT {what}")
        self.faults.append(what)

    def _process(self, name: str) -> Process:
        return Process(
            self.loop,
            name,
            wall_us=self.random.randint(-WALL_US, WALL_US),
            base_s=self.random.uniform(0.0, 1e5),
        )

    def _hall_wall_us(self) -> int:
        wall_us = 0 if self.hall is None else self.hall.process.wall_us
        return WORLD_BEGAN_US + wall_us + int(self.loop.now * 1e6)

    def _waits(self, process: Process) -> bool:
        host = self._host_of.get(process.name)
        return host is not None and self.disks[host].held_from(process)

    def _data(self, process: Process) -> SimDataClient:
        return SimDataClient(process, self.network, lambda: self.hall, self.trouble)

    # ---- data server -----------------------------------------------------------------------

    def start_hall(self) -> None:
        if self.hall is None:
            self.say("data server starts")
            self.hall = Hall(
                self.loop,
                self._process("hall"),
                self.database,
                lease_clock=self.kinds.lease_clock,
            )

    def kill_hall(self) -> None:
        if self.hall is not None:
            self.say("data server dies")
            self.hall.process.kill()
            self.hall = None

    # ---- hosts -----------------------------------------------------------------------------

    def start_host(self, name: str) -> None:
        """A new process of the host; an older one that still runs does not know of it."""
        self._lives_begun += 1
        number = self._lives_begun
        process = self._process(f"{name}.{number}")
        self._host_of[process.name] = name
        life = Life(number, name, process)
        life.store = self.kinds.store(self.tables[name], name, now=lambda: self.loop.now)
        self.lives.append(life)
        self.current[name] = life
        self.say(f"{process} starts")
        HostProcess(
            life,
            data=self._data(process),
            disk=self.disks[name],
            room=self.room,
            parts=self.kinds.host,
            retention_s=self.retention_s,
            on_end=self._host_ended,
            on_command=self._watch_pairs,
        )

    def kill_host(self, life: Life, why: str = "killed", *, again: bool = True) -> None:
        """kill -9; whoever is its supervisor starts another one after a while."""
        if not life.process.alive:
            return
        self.say(f"{life.process} ends: {why}")
        self._close_interval(life)
        life.process.kill()
        if again and self.current[life.host] is life:
            self.after(self.random.uniform(0.2, 1.5), lambda: self.restart(life))

    def restart(self, life: Life) -> None:
        """Unless somebody has begun a newer process already."""
        if self.current[life.host] is life:
            self.start_host(life.host)

    def _host_ended(self, life: Life, why: str) -> None:
        # In a moment: the process is still in the middle of its own step.
        self.after(0.0, lambda: self.kill_host(life, why))

    def stop_host(self, life: Life) -> None:
        self.say(f"{life.process} is stopped")
        self._close_interval(life)
        life.stops.append(self.loop.now)
        life.process.stop()

    def let_host_go_on(self, life: Life) -> None:
        if life.process.alive and life.process.stopped:
            self.say(f"{life.process} goes on")
            if life.serving:
                life.serving.append([self.loop.now, float("inf")])
            life.process.go_on()

    def _close_interval(self, life: Life) -> None:
        """It can act no more, for now or for ever."""
        if life.serving:
            life.serving[-1][1] = min(life.serving[-1][1], self.loop.now)

    def _watch_pairs(self, life: Life, link: Any, command: host_pb2.HostCommand) -> None:
        """A command of an older connection must change nothing."""
        host = life.table_host
        assert host is not None
        pair = (command.session_epoch, command.connection)
        newest = life.newest.get(command.player, (0, 0))
        rows = len(life.made)
        host.handle(link, command)
        life.newest[command.player] = max(pair, newest)
        if pair >= newest:
            return
        kind = command.WhichOneof("body")
        if len(life.made) > rows:
            self.fault(f"two gateways act for player {command.player}: a late {kind} was done")
        for audience in host.desk.audiences.values():
            held = audience.get(command.player)
            if held is not None and held.connection == pair:
                self.fault(f"player {command.player}: an older connection took over ({kind})")

    # ---- gateways --------------------------------------------------------------------------

    def start_gateway(self, index: int) -> None:
        old = self.gateways[index]
        if old is not None and old.process.alive:
            return
        process = self._process(f"g{index}")
        self.say(f"{process} starts")
        self.gateways[index] = GatewayProcess(
            process,
            self.network,
            data=self._data(process),
            seats=self.seats,
            limits=self.limits,
            kind=self.kinds.gateway,
        )

    def kill_gateway(self, index: int) -> None:
        gateway = self.gateways[index]
        if gateway is not None and gateway.process.alive:
            self.say(f"{gateway.process} dies")
            gateway.process.kill()

    # ---- players ---------------------------------------------------------------------------

    def start_client(self, number: int) -> Bot:
        """A device of player `number`; another one of the same player may run already."""
        process = self._process(f"c{number}")
        client = SimClient(
            process,
            self.gateways,
            secret=b"%032d" % number,
            first=self.random.randrange(2),
        )
        random = Random(self.random.getrandbits(64))
        bot = Bot(client, random, self.habits, lambda: self._tables_of_others(client))
        bot.number = number
        bot.leaving = self.leaving
        self.bots.append(bot)
        self.say(f"{process} starts")
        self.loop.call_soon(client.start, context=process.context)
        return bot

    def _tables_of_others(self, client: SimClient) -> list[common_pb2.TableRef]:
        """As their boards say, in a fixed order."""
        refs = {
            mirror.ref.table: mirror.ref
            for bot in self.live_bots()
            if bot.client is not client
            for mirror in bot.client.core.tables
        }
        return [refs[table] for table in sorted(refs)]

    def live_bots(self) -> list[Bot]:
        return [bot for bot in self.bots if not bot.client.gone]

    # ---- time ------------------------------------------------------------------------------

    def after(self, seconds: float, work: Callable[[], object]) -> None:
        """Something that happens to the world, whatever its processes do."""
        self.loop.call_later(seconds, work, context=self._truth.context.copy())

    def start(self) -> None:
        self.start_hall()
        for name in self.host_names:
            self.start_host(name)
        for index in range(len(self.gateways)):
            self.start_gateway(index)
        for number in range(self.seats + self.random.choice((0, 0, 1))):
            self.after(self.random.uniform(0.05, 0.6), lambda n=number: self.start_client(n))

    def close(self) -> None:
        for process in [life.process for life in self.lives]:
            process.alive = False
        self.loop.close()

    def leave(self) -> None:
        self.say("everybody leaves")
        self.leaving = True
        for bot in self.bots:
            bot.leaving = True
            bot.client.process.context.copy().run(bot.think)

    def owners(self) -> list[Life]:
        """The processes that own a journal and serve: what they say is so."""
        return [
            life
            for life in self.lives
            if life.serves and life.store.epoch == self.tables[life.host].epoch
        ]
