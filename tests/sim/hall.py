"""The data server: its database (`Books`, hosts, shards) and what is in its process's memory.

Modelled, over the product's own decisions: data_server.ledger (in `Books`), `Leases` and
`placing.choose`. The database outlives the process; leases and followers do not.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from data_server.keys import FOR_EVER, Keys, TicketSeed
from data_server.leases import Leases
from data_server.placing import Candidate, choose
from data_server.tickets import Ticket, Tickets
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2
from tests.sim.books import Books
from tests.sim.clockwork import Process, SimLoop
from tests.sim.stage import WORLD_BEGAN_US

LEASE_S = 15.0
RELEASE_S = 120.0
SWEEP_S = 5.0
COINS = 1000
TICKET_US = 7 * 86_400 * 10**6


@dataclass
class Shard:
    room: str
    number: int
    game: str
    host: str
    epoch: int


@dataclass
class Database:
    """What survives the data server."""

    books: Books
    hosts: dict[str, data_pb2.RegisterHostRequest] = field(default_factory=dict)
    shards: dict[tuple[str, int], Shard] = field(default_factory=dict)
    players: dict[bytes, int] = field(default_factory=dict)  # device secret -> player
    released: list[tuple[int, float]] = field(default_factory=list)  # by the sweeper; when


class Hall:
    """One life of a data server. lease_clock: what its leases are measured on."""

    def __init__(
        self,
        loop: SimLoop,
        process: Process,
        database: Database,
        *,
        lease_clock: Callable[[Process], float] = Process.monotonic,
    ) -> None:
        self.loop = loop
        self.process = process
        self.database = database
        self.books = database.books
        self._clock = lambda: lease_clock(process)
        self.hosts = Leases(lease_s=LEASE_S)
        self.hosts.observe(dict.fromkeys(database.hosts, 0), self._clock())
        self.followers: list[asyncio.Queue[data_pb2.FollowEvent | None]] = []
        process.on_end.append(self._end_streams)
        process.spawn(self._sweep())

    def handle(self, rpc: str, request: Any) -> Any:
        """One call, carried out at this moment. Raises Refused."""
        return self.process.context.copy().run(_CALLS[rpc], self, request)

    # ---- accounts --------------------------------------------------------------------------

    def open_guest(self, request: data_pb2.OpenGuestRequest) -> data_pb2.SessionReply:
        def work(request: data_pb2.OpenGuestRequest) -> data_pb2.SessionReply:
            books, players = self.books, self.database.players
            player = players.get(request.device_secret)
            if player is None:
                player = players[request.device_secret] = 100 + len(players)
                books.open_wallet(player, COINS)
            epoch = books.sessions[player] = books.sessions.get(player, 0) + 1
            if epoch > 1:
                self._tell(player, epoch)
            ticket = _ticket(player, epoch)
            profile = common_pb2.Profile(player=player, name=f"p{player}", guest=True)
            session = hall_pb2.Session(
                profile=profile,
                session_epoch=epoch,
                ticket=ticket.token,
                ticket_expires_us=ticket.expires_us,
                refresh_token=f"refresh {player} {epoch}",
                wallet=books.wallet(player),
                seats=self._seats_of(player),
            )
            return data_pb2.SessionReply(session=session)

        reply: data_pb2.SessionReply = self.books.once("OpenGuest", request, work)
        return reply

    def _seats_of(self, player: int) -> list[common_pb2.TableRef]:
        return [s.table for s in self.books.open_sittings() if s.player == player]

    def _tell(self, player: int, below: int) -> None:
        ended = data_pb2.SessionEnded(player=player, below_epoch=below, reason="REPLACED")
        for queue in self.followers:
            queue.put_nowait(data_pb2.FollowEvent(session_ended=ended))

    def ticket_keys(self, request: Any) -> data_pb2.TicketKeysReply:
        return _ticket_keys()

    def get_wallet(self, request: data_pb2.GetWalletRequest) -> data_pb2.GetWalletReply:
        return data_pb2.GetWalletReply(wallet=self.books.wallet(request.player))

    def find_player(self, request: data_pb2.FindPlayerRequest) -> data_pb2.FindPlayerReply:
        return data_pb2.FindPlayerReply(seats=self._seats_of(request.player))

    def nothing(self, request: Any) -> data_pb2.Reply:
        return data_pb2.Reply()

    # ---- money -----------------------------------------------------------------------------

    def sit_down(self, request: data_pb2.SitDownRequest) -> Any:
        return self.books.once("SitDown", request, self.books.sit_down)

    def top_up(self, request: data_pb2.TopUpRequest) -> Any:
        return self.books.once("TopUp", request, self.books.top_up)

    def stand_up(self, request: data_pb2.StandUpRequest) -> Any:
        return self.books.once("StandUp", request, self.books.stand_up)

    def settle(self, request: data_pb2.SettleRequest) -> data_pb2.SettleReply:
        return self.books.settle(request)

    # ---- cluster ---------------------------------------------------------------------------

    def register_host(self, request: data_pb2.RegisterHostRequest) -> data_pb2.RegisterHostReply:
        host = request.host.host
        epoch = self.books.begin_epoch(host, request.host.epoch)
        stored = data_pb2.RegisterHostRequest()
        stored.CopyFrom(request)
        stored.host.epoch = epoch
        self.database.hosts[host] = stored
        self.hosts.beat(host, 0, self._clock())
        kept = [shard for shard in self.database.shards.values() if shard.host == host]
        for shard in kept:
            shard.epoch = epoch
        return data_pb2.RegisterHostReply(
            epoch=epoch,
            shards=[_shard(shard) for shard in kept],
            escrow_release_ms=int(RELEASE_S * 1000),
        )

    def heartbeat(self, request: data_pb2.HeartbeatRequest) -> data_pb2.HeartbeatReply:
        for counts in request.hosts:
            self.hosts.beat(counts.host, self.hosts.beat_of(counts.host), self._clock())
        return data_pb2.HeartbeatReply()

    def list_hosts(self, request: Any) -> data_pb2.ListHostsReply:
        hosts = [self._info(host) for host in sorted(self.database.hosts)]
        return data_pb2.ListHostsReply(hosts=hosts)

    def allocate_ids(self, request: data_pb2.AllocateIdsRequest) -> data_pb2.AllocateIdsReply:
        first = self.books.next_id + 1
        self.books.next_id += request.count
        return data_pb2.AllocateIdsReply(first=first, count=request.count)

    def get_shards(self, request: data_pb2.GetShardsRequest) -> data_pb2.GetShardsReply:
        for shard in self.database.shards.values():
            if self._is_free(shard.host):
                self._place(shard.room, shard.number, shard.game, "")
        shards = [s for s in self.database.shards.values() if request.room in ("", s.room)]
        hosts = {shard.host for shard in shards}
        return data_pb2.GetShardsReply(
            shards=[_shard(shard) for shard in shards],
            hosts=[self._info(host) for host in sorted(hosts)],
        )

    def open_shard(self, request: data_pb2.OpenShardRequest) -> data_pb2.OpenShardReply:
        shard = self._place(request.room, request.number, request.game, request.prefer_server)
        if shard is None:
            raise Refused("NO_HOST", retry_after_ms=1000)
        return data_pb2.OpenShardReply(shard=_shard(shard), host=self._info(shard.host))

    def _is_free(self, host: str) -> bool:
        over = self.hosts.silent_s(host, self._clock()) >= LEASE_S
        return over and not any(s.host == host for s in self.books.open_sittings())

    def _place(self, room: str, number: int, game: str, prefer: str) -> Shard | None:
        shards = self.database.shards
        shard = shards.get((room, number))
        if shard is not None and not self._is_free(shard.host):
            return shard
        candidates = [
            Candidate(
                host=name,
                server=host.server,
                max_tables=host.max_tables,
                tables=0,
                shards=sum(s.host == name for s in shards.values()),
            )
            for name, host in self.database.hosts.items()
            if self.hosts.alive(name, self._clock())
        ]
        chosen = choose(candidates, prefer_server=prefer)
        if chosen is None:
            return shard
        epoch = self.database.hosts[chosen.host].host.epoch
        shard = shards[room, number] = Shard(room, number, game, chosen.host, epoch)
        return shard

    def _info(self, name: str) -> data_pb2.HostInfo:
        host = self.database.hosts[name]
        return data_pb2.HostInfo(
            host=name,
            epoch=host.host.epoch,
            server=host.server,
            cell=host.cell,
            unix_path=host.unix_path,
            machine=host.machine,
            max_tables=host.max_tables,
            alive=self.hosts.alive(name, self._clock()),
        )

    async def _sweep(self) -> None:
        """Return the stakes of sittings whose host has been silent for too long."""
        while True:
            await asyncio.sleep(SWEEP_S)
            for sitting in self.books.open_sittings():
                now = self._clock()
                self.hosts.observe({sitting.host: 0}, now)
                if self.hosts.silent_s(sitting.host, now) >= RELEASE_S:
                    self.books.close(sitting)
                    self.database.released.append((sitting.id, self.loop.now))

    # ---- following -------------------------------------------------------------------------

    async def follow(self) -> AsyncIterator[data_pb2.FollowEvent]:
        queue: asyncio.Queue[data_pb2.FollowEvent | None] = asyncio.Queue()
        self.followers.append(queue)
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            self.followers.remove(queue)

    def _end_streams(self) -> None:
        for queue in self.followers:
            queue.put_nowait(None)


def _shard(shard: Shard) -> data_pb2.Shard:
    return data_pb2.Shard(room=shard.room, number=shard.number, host=shard.host, epoch=shard.epoch)


@lru_cache(maxsize=1)
def _tickets() -> Tickets:
    return Tickets(Keys(b"s" * 32, (TicketSeed(b"t" * 32, FOR_EVER),)), ticket_us=TICKET_US)


@lru_cache(maxsize=1)
def _ticket_keys() -> data_pb2.TicketKeysReply:
    key = _tickets().keys.tickets[0]
    found = data_pb2.TicketKey(id=key.id(), public_key=key.public(), not_after_us=FOR_EVER)
    return data_pb2.TicketKeysReply(keys=[found])


@lru_cache(maxsize=1000)
def _ticket(player: int, epoch: int) -> Ticket:
    """Signing costs as much as a whole hand; a world makes the same few again and again."""
    return _tickets().sign(
        player=player, name=f"p{player}", guest=True, epoch=epoch, now_us=WORLD_BEGAN_US
    )


_CALLS: dict[str, Callable[[Hall, Any], Any]] = {
    "OpenGuest": Hall.open_guest,
    "TicketKeys": Hall.ticket_keys,
    "GetWallet": Hall.get_wallet,
    "FindPlayer": Hall.find_player,
    "Presence": Hall.nothing,
    "Signal": Hall.nothing,
    "SitDown": Hall.sit_down,
    "TopUp": Hall.top_up,
    "StandUp": Hall.stand_up,
    "Settle": Hall.settle,
    "RegisterHost": Hall.register_host,
    "Heartbeat": Hall.heartbeat,
    "ListHosts": Hall.list_hosts,
    "AllocateIds": Hall.allocate_ids,
    "GetShards": Hall.get_shards,
    "OpenShard": Hall.open_shard,
}
