"""Simulated game servers: register, heartbeat, presence, settlements, reports, look-ups.

They take no players: no hall sends anybody to a host without games. Their own players are guests
whom they made, three at a table; what a hand moves from one to the other comes back in the
next ones, and the stakes go back at the end. Records of these hands are empty.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from hall_client.load.data_calls import DataServer
from hall_client.load.openloop import Failed, Kind
from paiju.service.ids import new_op, now_us
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2

CELL = "load"
RULE_SET = "doudizhu"
SEATS = 3
STAKE = 1_000
_POINTS = 10
_AT_ONCE = 16


@dataclass(frozen=True, kw_only=True)
class NodesPlan:
    """Rates are of all nodes together, a second. players: who are there at all."""

    nodes: int
    players: int
    seconds: float
    heartbeat_s: float = 5.0
    presence_per_s: float = 240.0
    settlements_per_s: float = 50.0
    reports_per_s: float = 1.0
    look_ups_per_s: float = 20.0
    vanish: int = 0
    seed: int = 7


@dataclass
class Node:
    name: str
    lease_epoch: int = 0
    host_epoch: int = 0
    lease_ms: int = 0
    gone: bool = False

    @property
    def host(self) -> data_pb2.HostEpoch:
        return data_pb2.HostEpoch(host=f"{self.name}/h0", epoch=self.host_epoch)


@dataclass
class Guest:
    player: int
    epoch: int
    node: Node
    online: bool = True


@dataclass
class Table:
    ref: common_pb2.TableRef
    node: Node
    sitters: list[tuple[Guest, int]]
    """(who, sitting)."""
    hand: int = 0


@dataclass
class Fleet:
    """All nodes and whom they have. Call `register`, then `seat`; `kinds` is what they do."""

    server: DataServer
    plan: NodesPlan
    nodes: list[Node] = field(default_factory=list)
    guests: list[Guest] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._choices = random.Random(self.plan.seed)
        self._free: deque[Table] = deque()
        self.nodes = [Node(f"load-{number}") for number in range(self.plan.nodes)]

    # ---- before ----------------------------------------------------------------------------

    async def register(self, told: Callable[[int], None]) -> None:
        """Raises Failed."""
        await _all((self._register(node) for node in self.nodes), told)

    async def _register(self, node: Node) -> None:
        request = data_pb2.RegisterServerRequest(
            server=node.name, cell=CELL, max_players=2_000, build="load"
        )
        reply = await self.server.call("Cluster", "RegisterServer", request)
        node.lease_epoch, node.lease_ms = reply.lease_epoch, reply.lease_ms
        host = data_pb2.RegisterHostRequest(
            host=data_pb2.HostEpoch(host=f"{node.name}/h0", epoch=1),
            server=node.name,
            cell=CELL,
            machine=CELL,
        )
        node.host_epoch = (await self.server.call("Cluster", "RegisterHost", host)).epoch

    async def seat(self, told: Callable[[int], None]) -> None:
        """Guests, and tables of three for them. Raises Failed."""
        run = str(time.time_ns())
        await _all((self._guest(run, number) for number in range(self.plan.players)), told)
        count = len(self.guests) // SEATS
        if not count:
            return
        ids = await self.server.call(
            "Cluster", "AllocateIds", data_pb2.AllocateIdsRequest(count=count)
        )
        threes = [self.guests[n * SEATS : (n + 1) * SEATS] for n in range(count)]
        await _all((self._table(ids.first + n, three) for n, three in enumerate(threes)), told)
        self._free.extend(self.tables)

    async def _guest(self, run: str, number: int) -> None:
        node = self.nodes[number % len(self.nodes)]
        secret = hashlib.sha256(f"{run}/{number}".encode()).digest()
        session = await self.server.guest(node.name, secret)
        self.guests.append(Guest(session.profile.player, session.session_epoch, node))

    async def _table(self, number: int, guests: list[Guest]) -> None:
        node = guests[0].node
        ref = common_pb2.TableRef(room="load", shard=0, table=number)
        sitters = []
        for seat, guest in enumerate(guests):
            request = data_pb2.SitDownRequest(
                op=new_op(),
                host=node.host,
                player=guest.player,
                table=ref,
                seat=seat,
                currency=common_pb2.COIN,
                amount=STAKE,
                rule_set=RULE_SET,
                session_epoch=guest.epoch,
            )
            reply = await self.server.call("Ledger", "SitDown", request)
            sitters.append((guest, reply.sitting))
        self.tables.append(Table(ref, node, sitters))

    # ---- what they do ----------------------------------------------------------------------

    def kinds(self) -> dict[str, Kind]:
        plan = self.plan
        return {
            "heartbeat": Kind(self._heartbeat, len(self.nodes) / plan.heartbeat_s),
            "presence": Kind(self._presence, plan.presence_per_s if self.guests else 0, 0),
            "settlement": Kind(self._settle, plan.settlements_per_s if self.tables else 0, 0),
            "report": Kind(self._report, plan.reports_per_s if self.guests else 0, 0),
            "look-up": Kind(self._look_up, plan.look_ups_per_s if self.guests else 0, 0),
        }

    async def _heartbeat(self, number: int) -> None:
        node = self.nodes[number % len(self.nodes)]
        if node.gone:
            return
        counts = data_pb2.HostCounts(host=node.host.host, epoch=node.host_epoch)
        request = data_pb2.HeartbeatRequest(
            server=node.name, lease_epoch=node.lease_epoch, hosts=[counts]
        )
        try:
            await self.server.call("Cluster", "Heartbeat", request)
        except Failed as failed:
            if "LEASE_LOST" in str(failed):
                await self._register(node)  # as a game server does; and yet it counts
            raise

    async def _presence(self, number: int) -> None:
        """Somebody goes, or comes back."""
        guest = self._anybody()
        guest.online = not guest.online
        change = data_pb2.PresenceChange(
            player=guest.player, session_epoch=guest.epoch, online=guest.online
        )
        request = data_pb2.PresenceRequest(
            server=guest.node.name, gateway=f"{guest.node.name}/g0", changes=[change]
        )
        await self.server.call("Cluster", "Presence", request)

    async def _settle(self, number: int) -> None:
        """One hand of the table that has waited longest; a table has one on its way at most."""
        if not self._free:
            raise Failed("settlement: no table whose last hand is booked; more --players")
        table = self._free.popleft()
        try:
            await self._book(table)
        finally:
            self._free.append(table)

    async def _book(self, table: Table) -> None:
        """Each seat wins in turn what the others lose."""
        table.hand += 1
        winner = table.hand % SEATS
        seats = [
            data_pb2.SeatChange(
                seat=seat,
                sitting=sitting,
                player=guest.player,
                delta=_POINTS * (SEATS - 1) if seat == winner else -_POINTS,
            )
            for seat, (guest, sitting) in enumerate(table.sitters)
        ]
        hand = data_pb2.Settlement(
            table=table.ref,
            hand=table.hand,
            rule_set=RULE_SET,
            currency=common_pb2.COIN,
            result="finished",
            seats=seats,
            game=RULE_SET,
            ended_us=now_us(),
        )
        request = data_pb2.SettleRequest(host=table.node.host, settlements=[hand])
        reply = await self.server.call("Ledger", "Settle", request)
        if reply.results[0].HasField("refusal"):
            raise Failed(f"Settle: {reply.results[0].refusal.code}")

    async def _report(self, number: int) -> None:
        """A player about another, who is never the same soon: there is a limit for each."""
        guest, other = self._anybody(), self._anybody()
        about = hall_pb2.Report(player=other.player, kind="other", detail="load")
        request = data_pb2.ReportRequest(
            op=new_op(), server=guest.node.name, reporter=guest.player, report=about
        )
        await self.server.call("Cluster", "Report", request)

    async def _look_up(self, number: int) -> None:
        request = data_pb2.FindPlayerRequest(player=self._anybody().player)
        await self.server.call("Cluster", "FindPlayer", request)

    def _anybody(self) -> Guest:
        return self._choices.choice(self.guests)

    # ---- after -----------------------------------------------------------------------------

    async def vanish(self) -> float | None:
        """Some nodes say nothing any more; seconds until the data server takes the last one for
        gone. None: it cannot be known, it took longer than four leases, or they were gone."""
        lost = self.nodes[: self.plan.vanish]
        for node in lost:
            node.gone = True
        names, begun = {node.name for node in lost}, time.monotonic()
        if not names & (await self.server.alive() or set()):
            return None
        until = begun + 4 * max(node.lease_ms for node in lost) / 1000
        while time.monotonic() < until:
            alive = await self.server.alive()
            if alive is None:
                return None
            if not alive & names:
                return round(time.monotonic() - begun, 2)
            await asyncio.sleep(0.25)
        return None

    async def stand(self) -> int:
        """Give the stakes back; how many could not be."""
        failed = 0
        for table in self.tables:
            for _, sitting in table.sitters:
                request = data_pb2.StandUpRequest(
                    op=new_op(), host=table.node.host, sitting=sitting
                )
                try:
                    await self.server.call("Ledger", "StandUp", request)
                except Failed:
                    failed += 1
        return failed


async def _all(work: Iterable[Awaitable[None]], told: Callable[[int], None]) -> None:
    """Some at a time; told: how many are done. Raises the first Failed."""
    places, done = asyncio.Semaphore(_AT_ONCE), 0

    async def one(item: Awaitable[None]) -> None:
        nonlocal done
        async with places:
            await item
        done += 1
        told(done)

    await asyncio.gather(*(one(item) for item in work))
