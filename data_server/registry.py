"""The cluster registry: game servers and table hosts, and who of them is alive.

Owner of the leases: this object, in memory, on this process's monotonic clock (leases.py).
Rows of servers, hosts and shards are the database's; heartbeats are answered from memory and
written in groups by `flush`, at most a poll period later. Lost with the process: heartbeats
of that period, which the next ones bring again, and all measured silence: after a start every
lease runs anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from sqlalchemy.engine import Connection

from data_server.follow import Followers
from data_server.leases import Leases
from data_server.store import fence, nodes, presences, shards, takeovers
from data_server.store.database import Database
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

MOST_HINTS = 3
OVERLAP_US = 5_000_000  # events are looked for again this far back: commits come out of order


class Registry:
    def __init__(
        self,
        *,
        database: Database,
        followers: Followers,
        lease_s: float,
        takeover_s: float,
        escrow_release_s: float,
        clock: Callable[[], int],
        monotonic: Callable[[], float],
    ) -> None:
        self.database = database
        self.followers = followers
        self.lease_s = lease_s
        self.takeover_s = min(takeover_s, lease_s)
        self.escrow_release_s = escrow_release_s
        self.servers = Leases(lease_s=lease_s)
        self.hosts = Leases(lease_s=lease_s)
        self._clock = clock
        self._monotonic = monotonic
        self._epochs: dict[str, int] = {}  # lease epochs of servers that have beaten here
        self.draining: frozenset[str] = frozenset()
        self.with_heirs: frozenset[str] = frozenset()
        """Servers whose hosts others could go on with (takeover.py)."""
        self._rolls: Mapping[str, int] = {}
        self._kept: dict[str, list[data_pb2.Adoption]] = {}  # by keeper
        self._pending: dict[str, data_pb2.HeartbeatRequest] = {}
        self._polled = self._watching_since = monotonic()
        self._poll_turn = asyncio.Lock()

    async def register_server(
        self, request: data_pb2.RegisterServerRequest
    ) -> data_pb2.RegisterServerReply:
        if not request.server:
            raise Refused("MALFORMED", detail="server is missing")

        def work(tx: Connection) -> tuple[int, int]:
            lease = nodes.put_server(tx, request, now_us=self._clock())
            if not request.again:
                presences.clear(tx, request.server)
            return lease

        epoch, beat = await self.database.write(work)
        self._epochs[request.server] = epoch
        self._pending.pop(request.server, None)
        self.servers.beat(request.server, beat, self._monotonic())
        return data_pb2.RegisterServerReply(
            lease_ms=int(self.lease_s * 1000),
            heartbeat_ms=int(self.takeover_s * 1000) // 3,
            lease_epoch=epoch,
        )

    async def heartbeat(self, request: data_pb2.HeartbeatRequest) -> data_pb2.HeartbeatReply:
        now = self._monotonic()
        if self._epochs.get(request.server) != request.lease_epoch:
            epoch = await self.database.read(lambda tx: nodes.lease_epoch(tx, request.server))
            if epoch is None or epoch != request.lease_epoch:
                raise Refused("LEASE_LOST")
            self._epochs[request.server] = epoch
        elif not self.servers.alive(request.server, now):
            raise Refused("LEASE_LOST")
        self.servers.beat(request.server, self.servers.beat_of(request.server), now)
        for counts in request.hosts:
            self.hosts.beat(counts.host, self.hosts.beat_of(counts.host), now)
        self._pending[request.server] = request
        if request.leaving:
            self.servers.end(request.server)
        return data_pb2.HeartbeatReply(
            drain=request.server in self.draining,
            adopt=self._kept.get(request.server, ()),
            roll=self._rolls.get(request.server, 0),
            heir=request.server in self.with_heirs,
        )

    async def flush(self) -> None:
        """Write the heartbeats that came since the last time."""
        pending, self._pending = list(self._pending.values()), {}
        if not pending:
            return
        now_us = self._clock()
        server_rows = [
            {
                "_server": beat.server,
                "_lease_epoch": beat.lease_epoch,
                "_players": beat.players,
                "_rolled": beat.rolled,
                "_rolling": beat.rolling[:200],
                "_now_us": now_us,
            }
            for beat in sorted(pending, key=lambda beat: beat.server)
        ]
        hosts = sorted((counts for beat in pending for counts in beat.hosts), key=lambda c: c.host)
        host_rows = [
            {"_host": c.host, "_epoch": c.epoch, "_tables": c.tables, "_players": c.players}
            for c in hosts
        ]
        shard_rows = [_shard_row(counts, shard) for counts in hosts for shard in counts.shards]
        shard_rows.sort(key=lambda row: (row["_room"], row["_number"]))

        def work(tx: Connection) -> None:
            nodes.write_beats(tx, server_rows, host_rows)
            shards.write_counts(tx, shard_rows)

        await self.database.write(work)

    async def poll(self) -> None:
        """See what other data servers wrote: signs of life, draining, ended sessions."""
        async with self._poll_turn:
            away = self._monotonic() - self._polled
            beats, kept = await self.database.read(lambda tx: (nodes.beats(tx), takeovers.kept(tx)))
            now = self._polled = self._monotonic()
            self.servers.observe(beats.servers, now)
            self.hosts.observe(beats.hosts, now)
            if away > self.takeover_s / 2:
                self._watching_since = now
            if away > self.lease_s / 2:
                self.servers.forgive(now)
                self.hosts.forgive(now)
            for server in beats.draining | self.draining:
                self.followers.draining(server, server in beats.draining)
            self.draining = beats.draining
            self._rolls = beats.rolls
            self._see_kept(kept)
            for server, epoch in list(self._epochs.items()):
                if beats.lease_epochs.get(server) != epoch:
                    del self._epochs[server]  # another data server knows better; look it up
            await self._tell_ended(away)

    def _see_kept(self, rows: Sequence[Any]) -> None:
        kept: dict[str, list[data_pb2.Adoption]] = {}
        for row in rows:
            adoption = data_pb2.Adoption(host=row.host, home=row.home)
            kept.setdefault(row.keeper, []).append(adoption)
        self._kept = kept

    def lost_servers(self) -> set[str]:
        """Silent for so long that others are asked to take their hosts; none while we have not
        been listening for as long ourselves."""
        now = self._monotonic()
        if now - self._watching_since < self.takeover_s:
            return set()
        return {
            name for name in self.servers if self.servers.silent_s(name, now) >= self.takeover_s
        }

    def end_lease(self, server: str) -> None:
        """Its next heartbeat finds the lease lost."""
        self._epochs.pop(server, None)

    async def _tell_ended(self, away: float) -> None:
        followed = self.followers.servers()
        if followed:
            since = self._clock() - OVERLAP_US - int(away * 1e6)
            events = await self.database.read(
                lambda tx: presences.events_since(tx, since, followed)
            )
            self.followers.session_ended(events)

    def silent_hosts(self, names: Collection[str], seconds: float) -> set[str]:
        """Which of these hosts we have not heard of for so long. Who never registered is
        watched from the first time it is asked for."""
        now = self._monotonic()
        self.hosts.observe({name: 0 for name in names if not self.hosts.knows(name)}, now)
        return {name for name in names if self.hosts.silent_s(name, now) >= seconds}

    async def claim_host(self, request: data_pb2.ClaimHostRequest) -> data_pb2.Reply:
        """Orders those who want to run a host: giving it away ends the lease of its former
        server in the same transaction, so who was only silent must register before it claims."""

        def work(tx: Connection) -> None:
            if nodes.lease_epoch(tx, request.server, hold=True) != request.lease_epoch:
                raise Refused("LEASE_LOST")
            keeper = takeovers.keeper_of(tx, request.host)
            if request.home == request.server:
                takeovers.take_home(tx, request.host)
            elif keeper != request.server:
                raise Refused("HOST_ELSEWHERE")

        await self.database.write(work)
        if request.home == request.server:
            self._see_kept(await self.database.read(takeovers.kept))
        return data_pb2.Reply()

    async def kept_by(self, server: str) -> frozenset[str]:
        """Hosts of other servers that this one is asked to run."""
        rows = await self.database.read(takeovers.kept)
        return frozenset(row.host for row in rows if row.keeper == server)

    async def register_host(
        self, request: data_pb2.RegisterHostRequest
    ) -> data_pb2.RegisterHostReply:
        host = request.host.host
        if not host:
            raise Refused("MALFORMED", detail="host is missing")

        home = request.home or request.server

        def work(tx: Connection) -> tuple[int, int, list[data_pb2.Shard]]:
            if home != request.server and takeovers.keeper_of(tx, host) != request.server:
                raise Refused("HOST_ELSEWHERE")
            epoch = fence.begin(tx, host, request.host.epoch)
            beat = nodes.put_host(tx, request, epoch)
            shards.keep(tx, host, epoch)
            kept = [shards.message(row) for row in shards.of_host(tx, host)]
            return epoch, beat, kept

        epoch, beat, kept = await self.database.write(work)
        self.hosts.beat(host, beat, self._monotonic())
        release_ms = min(int(self.escrow_release_s * 1000), 2**32 - 1)
        return data_pb2.RegisterHostReply(epoch=epoch, shards=kept, escrow_release_ms=release_ms)

    async def elsewhere(self, request: data_pb2.ElsewhereRequest) -> data_pb2.ElsewhereReply:
        """Living servers that take players, by how full they were at their last heartbeat."""
        rows = await self.database.read(nodes.all_servers)
        open_ = [
            row
            for row in rows
            if row.address.strip()
            and row.server != request.server
            and not row.draining
            and row.players < row.max_players
            and self.server_alive(row.server)
        ]
        open_.sort(key=lambda row: row.players / row.max_players)
        found = [nodes.addresses_of(row) for row in open_[:MOST_HINTS]]
        return data_pb2.ElsewhereReply(
            addresses=[address for address, _ in found if address],
            web_addresses=[one for _, web in found for one in web],
        )

    async def list_hosts(self, request: data_pb2.ListHostsRequest) -> data_pb2.ListHostsReply:
        rows = await self.database.read(lambda tx: nodes.all_hosts(tx, name=request.host))
        return data_pb2.ListHostsReply(hosts=[self.host_info(row) for row in rows])

    def is_over(self, host: str) -> bool:
        """Silent for longer than its lease, measured by us."""
        return self.hosts.silent_s(host, self._monotonic()) >= self.lease_s

    def is_alive(self, row: Any) -> bool:
        return self.hosts.alive(row.host, self._monotonic())

    def server_alive(self, server: str) -> bool:
        return self.servers.alive(server, self._monotonic())

    def host_info(self, row: Any) -> data_pb2.HostInfo:
        return data_pb2.HostInfo(
            host=row.host,
            epoch=row.epoch,
            server=row.server,
            cell=row.cell,
            unix_path=row.unix_path,
            tcp_address=row.tcp_address,
            machine=row.machine,
            max_tables=row.max_tables,
            tables=row.tables,
            players=row.players,
            alive=self.is_alive(row),
            draining=row.server in self.draining,
            home=row.home,
        )

    def node_info(self, row: Any) -> data_pb2.NodeInfo:
        return data_pb2.NodeInfo(
            server=row.server,
            cell=row.cell,
            address=nodes.addresses_of(row)[0],
            build=row.build,
            alive=self.server_alive(row.server),
            draining=row.draining,
            players=row.players,
            max_players=row.max_players,
            last_seen_us=row.last_seen_us,
            roll=row.roll,
            rolled=row.rolled,
            rolling=row.rolling,
        )


def _shard_row(counts: data_pb2.HostCounts, shard: Any) -> dict[str, Any]:
    return {
        "_room": shard.room,
        "_number": shard.shard,
        "_host": counts.host,
        "_epoch": counts.epoch,
        "_tables": shard.tables,
        "_players": shard.players,
        "_free_seats": shard.free_seats,
    }
