"""What goes wrong in a world, and when. Drawn from the seed before the world begins."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.sim.hall import LEASE_S
from tests.sim.host import Life
from tests.sim.world import World

PLAY_S = (2.5, 6.0)
SHARES = (0.0, 0.0, 0.04, 0.15)
"""Of calls that are lost, not answered, or carried out again."""


class Nemesis:
    """`arrange` plans all; nothing goes wrong any more after `ends` seconds."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._random = Random(world.random.getrandbits(64))
        self.ends = self._random.uniform(*PLAY_S)

    def arrange(self) -> None:
        draw, world = self._random, self._world
        world.trouble.lost = draw.choice(SHARES)
        world.trouble.unanswered = draw.choice(SHARES)
        world.trouble.again = draw.choice(SHARES)
        world.network.slow = draw.choice((0.0, 0.1, 0.3))
        world.network.slow_s = draw.choice((0.05, 0.4))
        for _ in range(draw.choice((1, 2, 3, 4, 5))):
            work = draw.choice(_FAULTS)
            world.after(draw.uniform(0.8, self.ends), lambda work=work: work(self))

    def heal(self) -> None:
        """From now on everything runs, and nothing is lost."""
        world = self._world
        world.say("all is well again")
        world.trouble.lost = world.trouble.unanswered = world.trouble.again = 0.0
        world.network.heal()
        for disk in world.disks.values():
            disk.slow_s, disk.failing, disk.lost_answers = 0.0, False, 0.0
        for life in world.lives:
            world.let_host_go_on(life)
        for index, gateway in enumerate(world.gateways):
            if gateway is not None and gateway.process.alive:
                gateway.process.go_on()
            else:
                world.start_gateway(index)
        if world.hall is not None:
            world.hall.process.go_on()
        world.start_hall()

    def _for_a_while(self, low: float, high: float, end: Callable[[], object]) -> None:
        self._world.after(self._random.uniform(low, high), end)

    def _life(self) -> Life:
        return self._world.current[self._random.choice(self._world.host_names)]

    # ---- hosts -----------------------------------------------------------------------------

    def kill_host(self) -> None:
        self._world.kill_host(self._life())

    def lose_host(self) -> None:
        """So long that its lease is over: what nobody sits at is the other host's then."""
        world, life = self._world, self._life()
        if len(world.host_names) == 1:
            world.kill_host(life)
            return
        away_s = LEASE_S + self._random.uniform(1.0, 6.0)
        world.kill_host(life, "lost", again=False)
        world.after(away_s, lambda: world.restart(life))
        self.ends = max(self.ends, world.loop.now + away_s)

    def stop_host(self) -> None:
        """SIGSTOP; sometimes somebody else takes over meanwhile."""
        world, life = self._world, self._life()
        if not life.process.alive or life.process.stopped:
            return
        world.stop_host(life)
        self._for_a_while(0.02, 4.0, lambda: world.let_host_go_on(life))
        if self._random.random() < 0.5:
            self._for_a_while(0.0, 3.0, lambda: self._successor(life))

    def stop_in_transaction(self) -> None:
        """Stopped between the check of the epoch and the commit; a successor takes over."""
        world, life = self._world, self._life()

        def stop() -> None:
            world.stop_host(life)
            self._for_a_while(0.0, 0.5, lambda: self._successor(life))
            self._for_a_while(0.02, 7.0, lambda: world.let_host_go_on(life))

        self._when_it_writes(life, stop)

    def kill_in_transaction(self) -> None:
        """Killed while it writes, or just after the commit, before anybody heard of it."""
        life = self._life()

        def kill() -> None:
            self._for_a_while(0.0, 0.002, lambda: self._world.kill_host(life))

        self._when_it_writes(life, kill)

    def _when_it_writes(self, life: Life, then: Callable[[], None]) -> None:
        world, looks = self._world, iter(range(2000))

        def look() -> None:
            if life.process in world.disks[life.host].writing and not life.process.stopped:
                then()
            elif next(looks, None) is not None and life.process.alive:
                world.after(0.0005, look)

        look()

    def take_over(self) -> None:
        """A second process of the host while the first one runs."""
        self._successor(self._life())

    def _successor(self, life: Life) -> None:
        world = self._world
        if world.current[life.host] is life and life.process.alive:
            world.start_host(life.host)

    # ---- gateways, data server, network ----------------------------------------------------

    def kill_gateway(self) -> None:
        index = self._random.randrange(2)
        self._world.kill_gateway(index)
        self._for_a_while(0.2, 3.0, lambda: self._world.start_gateway(index))

    def stop_gateway(self) -> None:
        gateway = self._world.gateways[self._random.randrange(2)]
        if gateway is not None and gateway.process.alive:
            self._world.say(f"{gateway.process} is stopped")
            gateway.process.stop()
            self._for_a_while(0.1, 4.0, gateway.process.go_on)

    def kill_hall(self) -> None:
        self._world.kill_hall()
        self._for_a_while(0.3, 5.0, self._world.start_hall)

    def stop_hall(self) -> None:
        hall = self._world.hall
        if hall is not None:
            self._world.say("the data server is stopped")
            hall.process.stop()
            self._for_a_while(0.1, 4.0, hall.process.go_on)

    def cut_stream(self) -> None:
        self._world.say("a stream is cut")
        self._world.network.cut_some_stream()

    def part(self) -> None:
        """A gateway and a host, or a host and the data server, hear nothing of each other."""
        world = self._world
        host = self._life().process.name
        other = self._random.choice(("g0", "g1", "hall"))
        world.say(f"{host} and {other} are parted")
        world.network.cut_off(host, other)
        self._for_a_while(0.3, 4.0, lambda: world.network.join(host, other))

    # ---- disks and clocks ------------------------------------------------------------------

    def slow_disk(self) -> None:
        disk = self._world.disks[self._life().host]
        disk.slow_s = self._random.choice((0.05, 0.3, 1.5))
        self._world.say(f"a disk is slow: {disk.slow_s} s")
        self._for_a_while(0.5, 4.0, lambda: setattr(disk, "slow_s", 0.0))

    def failing_disk(self) -> None:
        disk = self._world.disks[self._life().host]
        self._world.say("a disk fails")
        if self._random.random() < 0.5:
            disk.failing = True
            self._for_a_while(0.1, 4.0, lambda: setattr(disk, "failing", False))
        else:
            disk.lost_answers = 0.3
            self._for_a_while(0.5, 4.0, lambda: setattr(disk, "lost_answers", 0.0))

    def jump(self) -> None:
        """A wall clock jumps by minutes."""
        world = self._world
        some = [life.process for life in world.current.values()]
        some += [gateway.process for gateway in world.gateways if gateway is not None]
        if world.hall is not None:
            some += [world.hall.process] * 2
        process = self._random.choice(some)
        by_s = self._random.choice((-1, 1)) * self._random.choice((3, 200, 900))
        world.say(f"the wall clock of {process} jumps by {by_s} s")
        process.wall_us += by_s * 10**6

    # ---- players ---------------------------------------------------------------------------

    def cut_line(self) -> None:
        bots = self._world.live_bots()
        if bots:
            client = self._random.choice(bots).client
            silently = self._random.random() < 0.6
            self._world.say(f"{client.process} loses its line{' silently' if silently else ''}")
            client.process.context.copy().run(client.cut, silently=silently)

    def crash_client(self) -> None:
        """The device restarts, or is never seen again."""
        world, bots = self._world, self._world.live_bots()
        if not bots:
            return
        bot = self._random.choice(bots)
        world.say(f"{bot.client.process} dies")
        bot.client.process.context.copy().run(bot.client.cut, silently=True)
        bot.client.process.kill()
        if self._random.random() < 0.7:
            self._for_a_while(0.1, 3.0, lambda: world.start_client(bot.number))

    def second_device(self) -> None:
        """The same player comes in from elsewhere: the newest one wins."""
        bots = self._world.live_bots()
        if bots:
            self._world.start_client(self._random.choice(bots).number)


_FAULTS: list[Callable[[Nemesis], None]] = [
    *[Nemesis.kill_host] * 3,
    Nemesis.lose_host,
    *[Nemesis.stop_host] * 3,
    *[Nemesis.take_over] * 2,
    *[Nemesis.stop_in_transaction] * 2,
    *[Nemesis.kill_in_transaction] * 2,
    *[Nemesis.kill_gateway] * 2,
    Nemesis.stop_gateway,
    *[Nemesis.kill_hall] * 2,
    Nemesis.stop_hall,
    Nemesis.cut_stream,
    *[Nemesis.part] * 2,
    *[Nemesis.slow_disk] * 2,
    *[Nemesis.failing_disk] * 2,
    *[Nemesis.jump] * 2,
    *[Nemesis.cut_line] * 4,
    *[Nemesis.crash_client] * 2,
    Nemesis.second_device,
]
