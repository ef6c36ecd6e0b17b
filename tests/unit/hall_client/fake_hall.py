"""A hall in this process: gateways on real gRPC ports in front of toy tables.

It keeps the promises the client relies on: one answer per operation id, connection numbers
that only rise, resume by cursor. Tests make it misbehave through `refuse`, `cut_after` and
`mangle`.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc

from paiju.service.ids import now_us
from paiju.service.refusals import Refused, sentence
from paiju.wire.sealed import ServerChannel
from paiju.wire.server_keys import ServerKeys
from paiju.wire.v1 import common_pb2, hall_pb2, hall_pb2_grpc
from tests.unit.hall_client.toy import SPECTATOR, ToyTable

KEYS = ServerKeys.generate()
Mangle = Callable[[hall_pb2.Update], list[hall_pb2.Update]]


async def eventually(condition: Callable[[], object], *, within_s: float = 10.0) -> None:
    """Poll until `condition` is true; TimeoutError after the deadline."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


class Wire:
    """One connection of a player."""

    def __init__(self, gateway: str) -> None:
        self.gateway = gateway
        self.queue: asyncio.Queue[hall_pb2.Update | None] = asyncio.Queue()
        self.player = 0
        self.greeted = False
        self.locale = "en"

    def send(self, **body: Any) -> None:
        self.queue.put_nowait(hall_pb2.Update(**body))

    def cut(self) -> None:
        self.queue.put_nowait(None)


class FakeHall(hall_pb2_grpc.HallServicer):
    def __init__(self, *, seats: int = 2, actions: int = 6) -> None:
        self.seats = seats
        self.actions = actions
        self.tables: dict[int, ToyTable] = {}
        self.players: dict[bytes, int] = {}
        self.names: dict[int, str] = {}
        self.connection: dict[int, int] = defaultdict(int)
        self.epoch: dict[int, int] = defaultdict(int)
        self.audience: dict[int, dict[int, tuple[Wire, int]]] = defaultdict(dict)
        self.answers: dict[tuple[int, bytes], hall_pb2.Answer] = {}
        self.handled: list[tuple[str, bytes]] = []
        self.refuse: dict[str, list[Refused]] = defaultdict(list)
        self.cut_after: dict[str, int] = defaultdict(int)
        self.mangle: Mangle | None = None
        self.ticket_good = True
        self.wires: list[Wire] = []
        self._servers: list[grpc.aio.Server] = []
        self._sent: dict[int, int] = {}

    async def start(self, gateways: int = 1) -> list[str]:
        addresses = []
        for _ in range(gateways):
            server = grpc.aio.server()
            hall_pb2_grpc.add_HallServicer_to_server(self, server)
            addresses.append(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}")
            await server.start()
            self._servers.append(server)
        return addresses

    async def stop_gateway(self, index: int) -> None:
        await self._servers[index].stop(0)

    async def stop(self) -> None:
        for server in self._servers:
            await server.stop(0)

    # ---- one connection --------------------------------------------------------------------

    async def Play(  # type: ignore[override]
        self, request_iterator: AsyncIterator[hall_pb2.Packet], context: Any
    ) -> AsyncIterator[hall_pb2.Packet]:
        wire = Wire("gw")
        self.wires.append(wire)
        channel = ServerChannel(KEYS)
        opening = await anext(request_iterator)
        channel.receive(opening.data, 0.0)
        yield hall_pb2.Packet(data=channel.handshake())
        reader = asyncio.create_task(self._read(wire, channel, request_iterator))
        try:
            while (update := await wire.queue.get()) is not None:
                frame = hall_pb2.ServerFrame(updates=[update])
                yield hall_pb2.Packet(data=channel.seal(frame.SerializeToString(), 0.0))
        finally:
            reader.cancel()
            self.wires.remove(wire)
            for watchers in self.audience.values():
                if watchers.get(wire.player, (None, 0))[0] is wire:
                    del watchers[wire.player]

    async def _read(
        self, wire: Wire, channel: ServerChannel, packets: AsyncIterator[hall_pb2.Packet]
    ) -> None:
        async for packet in packets:
            frame = channel.receive(packet.data, 0.0)
            assert frame is not None
            for command in hall_pb2.ClientFrame.FromString(frame).commands:
                self._command(wire, command)
        wire.cut()

    def _command(self, wire: Wire, command: hall_pb2.Command) -> None:
        kind = command.WhichOneof("body") or ""
        self.handled.append((kind, command.op))
        known = self.answers.get((wire.player, command.op)) if command.op else None
        after: list[Callable[[], None]] = []
        try:
            if self.refuse[kind]:
                raise self.refuse[kind].pop(0)
            if known is not None:
                answer = hall_pb2.Answer()
                answer.CopyFrom(known)
            else:
                answer = getattr(self, f"_on_{kind}")(wire, command, after)
        except Refused as refused:
            refusal = refused.message()
            refusal.text = sentence(refused.code, refused.params, wire.locale)
            answer = hall_pb2.Answer(refusal=refusal)
        answer.id = command.id
        if command.op and answer.refusal.code not in ("RETRY", "BUSY"):
            self.answers[wire.player, command.op] = answer
        if self.cut_after[kind]:
            self.cut_after[kind] -= 1
            self._flush()
            wire.cut()
            return
        wire.send(answer=answer)
        for step in after:
            step()
        self._flush()

    # ---- commands --------------------------------------------------------------------------

    def _on_hello(self, wire: Wire, command: Any, after: Any) -> hall_pb2.Answer:
        wire.greeted = True
        wire.locale = command.hello.locale
        welcome = hall_pb2.Welcome(major=1, server_time_us=now_us(), ping_every_ms=20_000)
        return hall_pb2.Answer(welcome=welcome)

    def _on_ping(self, wire: Wire, command: Any, after: Any) -> hall_pb2.Answer:
        return hall_pb2.Answer(pong=hall_pb2.Pong(nonce=command.ping.nonce))

    def _on_open_guest(self, wire: Wire, command: Any, after: Any) -> hall_pb2.Answer:
        secret = command.open_guest.device_secret
        player = self.players.setdefault(secret, 1000 + len(self.players))
        self.names[player] = command.open_guest.name or f"guest{player}"
        self.epoch[player] += 1
        self.connection[player] = 1
        wire.player = player
        return self._session(player, [])

    def _on_resume(self, wire: Wire, command: Any, after: list[Any]) -> hall_pb2.Answer:
        resume = command.resume
        player = int(resume.ticket.split(":")[0] or 0)
        if not self.ticket_good:
            raise Refused("BAD_TICKET")
        if resume.connection <= self.connection[player]:
            raise Refused("STALE_SESSION")
        self.connection[player] = resume.connection
        wire.player = player
        for cursor in resume.cursors:
            after.append(lambda c=cursor: self._subscribe(wire, c.table.table, c))
        return self._session(player, [c.table.table for c in resume.cursors])

    def _session(self, player: int, named: list[int]) -> hall_pb2.Answer:
        seats = [t.ref for t in self.tables.values() if t.seat_of(player) is not None]
        return hall_pb2.Answer(
            session=hall_pb2.Session(
                profile=common_pb2.Profile(player=player, name=self.names[player], guest=True),
                session_epoch=self.epoch[player],
                ticket=f"{player}:{self.epoch[player]}",
                ticket_expires_us=now_us() + 3_600_000_000,
                refresh_token="r",
                seats=seats,
                connection=self.connection[player],
            )
        )

    def _on_logout(self, wire: Wire, command: Any, after: Any) -> hall_pb2.Answer:
        return hall_pb2.Answer(done=hall_pb2.Done())

    def _on_get_wallet(self, wire: Wire, command: Any, after: Any) -> hall_pb2.Answer:
        return hall_pb2.Answer(wallet=hall_pb2.Wallet(coin=500))

    def _on_report(self, wire: Wire, command: Any, after: Any) -> hall_pb2.Answer:
        return hall_pb2.Answer(done=hall_pb2.Done())

    def _on_list_rooms(self, wire: Wire, command: Any, after: Any) -> hall_pb2.Answer:
        room = hall_pb2.Room(id="toy", game="toy", seats=self.seats)
        return hall_pb2.Answer(rooms=hall_pb2.RoomList(rooms=[room]))

    def _on_quick_join(self, wire: Wire, command: Any, after: list[Any]) -> hall_pb2.Answer:
        self._own(wire)
        table = next((t for t in self.tables.values() if None in t.players), None)
        if table is None:
            number = 2**40 + len(self.tables)
            table = self.tables[number] = ToyTable(number, seats=self.seats, actions=self.actions)
        seat = table.sit(wire.player, self.names[wire.player])
        self._flush()
        after.append(lambda: self._subscribe(wire, table.ref.table, None))
        return hall_pb2.Answer(seated=hall_pb2.Seated(table=table.ref, seat=seat, stake=100))

    def _on_ready(self, wire: Wire, command: Any, after: Any) -> hall_pb2.Answer:
        self._table(command.ready).ready(wire.player)
        return hall_pb2.Answer(done=hall_pb2.Done())

    def _on_act(self, wire: Wire, command: Any, after: Any) -> hall_pb2.Answer:
        act = command.act
        seq = self._table(act).act(wire.player, act.action, act.hand)
        return hall_pb2.Answer(acted=hall_pb2.Acted(hand=act.hand, seq=seq))

    def _on_stand(self, wire: Wire, command: Any, after: Any) -> hall_pb2.Answer:
        table = self._table(command.stand)
        table.stand(wire.player)
        self._flush()
        self.audience[table.ref.table].pop(wire.player, None)
        return hall_pb2.Answer(done=hall_pb2.Done())

    def _on_watch(self, wire: Wire, command: Any, after: list[Any]) -> hall_pb2.Answer:
        watch = command.watch
        self._table(watch)
        cursor = watch.cursor if watch.HasField("cursor") else None
        after.append(lambda: self._subscribe(wire, watch.table.table, cursor))
        return hall_pb2.Answer(done=hall_pb2.Done())

    def _on_resync(self, wire: Wire, command: Any, after: list[Any]) -> hall_pb2.Answer:
        table = self._table(command.resync)
        viewer = self._viewer(table, wire)
        after.append(lambda: wire.send(table=table.snapshot(viewer)))
        return hall_pb2.Answer(done=hall_pb2.Done())

    # ---- tables ----------------------------------------------------------------------------

    def _own(self, wire: Wire) -> None:
        if not wire.player:
            raise Refused("LOGIN_FIRST")

    def _table(self, body: Any) -> ToyTable:
        table = self.tables.get(body.table.table)
        if table is None:
            raise Refused("NO_SUCH_TABLE")
        return table

    def _viewer(self, table: ToyTable, wire: Wire) -> int:
        seat = table.seat_of(wire.player)
        return SPECTATOR if seat is None else seat

    def _subscribe(self, wire: Wire, number: int, cursor: common_pb2.Cursor | None) -> None:
        table = self.tables[number]
        viewer = self._viewer(table, wire)
        self._flush()
        self.audience[number][wire.player] = (wire, viewer)
        if cursor is None:
            wire.send(table=table.snapshot(viewer))
        else:
            for update in table.resume(viewer, cursor.epoch, cursor.seq):
                wire.send(table=update)
        wire.send(presence=hall_pb2.TablePresence(table=table.ref, clocks=table.clocks()))

    def _flush(self) -> None:
        """Send what tables have done since the last time."""
        for number, table in self.tables.items():
            for forms in table.ring[self._sent.get(number, 0) :]:
                for wire, viewer in self.audience[number].values():
                    update = hall_pb2.Update(table=forms[viewer])
                    for out in self.mangle(update) if self.mangle else [update]:
                        wire.queue.put_nowait(out)
            self._sent[number] = len(table.ring)
