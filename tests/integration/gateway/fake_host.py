"""A table host that only speaks the stream: one table per shard, one number per action."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from paiju.wire import frames, link
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2, host_pb2

SECRET = b"cell-secret-of-the-tests"
Answerer = Callable[[host_pb2.HostCommand], host_pb2.HostAnswer | None]


class FakeHost:
    """`log` has (kind, player, pair) of each command; `answer` may take over the answering."""

    def __init__(self, name: str, folder: Path, *, epoch: int = 1, first_table: int = 500) -> None:
        self.name = name
        self.epoch = epoch
        self.path = str(folder / f"{name}.sock")
        self.log: list[host_pb2.HostCommand] = []
        self.frames = 0
        self.opened = 0
        self.refused: list[str] = []
        self.answer: Answerer | None = None
        self.silent = False
        self.seq: dict[int, int] = {}
        self.ring: dict[int, dict[int, bytes]] = {}
        self.subscribed: dict[int, dict[int, asyncio.StreamWriter]] = {}
        self._first = first_table
        self._seated: dict[bytes, host_pb2.HostAnswer] = {}
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    def info(self, **changes: object) -> data_pb2.HostInfo:
        made = data_pb2.HostInfo(
            host=self.name, epoch=self.epoch, server="gs", cell="cell", unix_path=self.path,
            machine="m1", max_tables=250, alive=True,
        )  # fmt: skip
        for field, value in changes.items():
            setattr(made, field, value)
        return made

    async def start(self) -> None:
        Path(self.path).unlink(missing_ok=True)
        self._server = await asyncio.start_unix_server(self._serve, self.path)

    def cut(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        self.cut()
        Path(self.path).unlink(missing_ok=True)
        self.subscribed.clear()

    def kinds(self) -> list[str]:
        return [str(command.WhichOneof("body")) for command in self.log]

    # ---- tables ------------------------------------------------------------------------

    def ref(self, table: int, room: str = "doudizhu.novice") -> common_pb2.TableRef:
        return common_pb2.TableRef(room=room, shard=table - self._first, table=table)

    def step(self, table: int, text: bytes = b"1") -> int:
        """The table goes on by one number; everybody who is subscribed gets it."""
        seq = self.seq[table] = self.seq.get(table, 0) + 1
        step = hall_pb2.Step(events=[hall_pb2.TableEvent(kind="play", data=text)], hand=1)
        update = hall_pb2.Update(
            table=hall_pb2.TableUpdate(table=self.ref(table), epoch=self.epoch, seq=seq, step=step)
        ).SerializeToString()
        self.ring.setdefault(table, {})[seq] = update
        for writer in set(self.subscribed.get(table, {}).values()):
            players = [p for p, w in self.subscribed[table].items() if w is writer]
            self.deliver(writer, players, update, table=table, seq=seq)
        return seq

    def deliver(
        self, writer: asyncio.StreamWriter, players: list[int], update: bytes,
        *, table: int = 0, seq: int = 0, snapshot: bool = False,
    ) -> None:  # fmt: skip
        self.send(
            writer,
            host_pb2.HostEvent(
                deliver=host_pb2.Deliver(
                    players=players, update=update, table=table, epoch=self.epoch if seq else 0,
                    seq=seq, snapshot=snapshot,
                )
            ),
        )  # fmt: skip

    def snapshot(self, writer: asyncio.StreamWriter, player: int, table: int) -> None:
        self.subscribed.setdefault(table, {})[player] = writer
        seq = self.seq.setdefault(table, 1)
        shot = hall_pb2.Snapshot(view={"n": str(seq).encode()}, seat=0)
        update = hall_pb2.Update(
            table=hall_pb2.TableUpdate(
                table=self.ref(table), epoch=self.epoch, seq=seq, snapshot=shot
            )
        )
        self.deliver(
            writer, [player], update.SerializeToString(), table=table, seq=seq, snapshot=True
        )

    def send(self, writer: asyncio.StreamWriter, *events: host_pb2.HostEvent) -> None:
        if not writer.is_closing():
            writer.write(frames.pack(host_pb2.HostFrame(events=events).SerializeToString()))

    def to_all(self, event: host_pb2.HostEvent) -> None:
        for writer in self._writers:
            self.send(writer, event)

    # ---- the stream --------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            asked = link.challenge()
            writer.write(frames.pack(asked.SerializeToString()))
            opened = host_pb2.LinkOpen.FromString(await frames.read_frame(reader))
            accept = link.accept(
                SECRET, asked, opened, cell="cell", host=self.name, epoch=self.epoch
            )
            writer.write(frames.pack(accept.SerializeToString()))
            if accept.HasField("refusal"):
                self.refused.append(accept.refusal.code)
                await writer.drain()
                return
            self.opened += 1
            self._writers.add(writer)
            while True:
                data = await frames.read_frame(reader)
                self.frames += 1
                for command in host_pb2.GatewayFrame.FromString(data).commands:
                    self.log.append(command)
                    if not self.silent:
                        self._command(writer, command)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            self._writers.discard(writer)
            for players in self.subscribed.values():
                for player in [p for p, w in players.items() if w is writer]:
                    del players[player]
            writer.close()

    def _command(self, writer: asyncio.StreamWriter, command: host_pb2.HostCommand) -> None:
        kind = command.WhichOneof("body")
        answer = self.answer(command) if self.answer is not None else None
        if answer is None:
            answer = self._usual(writer, command, str(kind))
        if command.id:
            answer.id = command.id
            self.send(writer, host_pb2.HostEvent(answer=answer))
        if kind in ("quick_join", "sit") and answer.HasField("seated"):
            if command.op not in self._seated:
                self.snapshot(writer, command.player, answer.seated.table.table)
            self._seated[command.op] = answer

    def _usual(
        self, writer: asyncio.StreamWriter, command: host_pb2.HostCommand, kind: str
    ) -> host_pb2.HostAnswer:
        if kind == "quick_join":
            table = self._first + command.shard
            ref = self.ref(table, command.quick_join.room)
            return host_pb2.HostAnswer(seated=hall_pb2.Seated(table=ref, seat=0, stake=100))
        if kind == "sit":
            return host_pb2.HostAnswer(seated=hall_pb2.Seated(table=command.sit.table, seat=1))
        if kind == "act":
            seq = self.step(command.act.table.table, command.act.action.encode())
            return host_pb2.HostAnswer(acted=hall_pb2.Acted(hand=1, seq=seq))
        if kind == "watch":
            self._watch(writer, command)
        elif kind == "resync":
            self.snapshot(writer, command.player, command.resync.table.table)
        elif kind == "unwatch":
            self.subscribed.get(command.unwatch.table.table, {}).pop(command.player, None)
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    def _watch(self, writer: asyncio.StreamWriter, command: host_pb2.HostCommand) -> None:
        table, cursor = command.watch.table.table, command.watch.cursor
        missing = range(cursor.seq + 1, self.seq.get(table, 1) + 1)
        ring = self.ring.get(table, {})
        if not cursor.seq or not all(seq in ring for seq in missing):
            self.snapshot(writer, command.player, table)
            return
        self.subscribed.setdefault(table, {})[command.player] = writer
        for seq in missing:
            self.deliver(writer, [command.player], ring[seq], table=table, seq=seq)
