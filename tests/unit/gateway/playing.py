"""A session without any shell, for tests: send commands, read what it says."""

from __future__ import annotations

from typing import Any

from game_server.gateway.context import Context
from game_server.gateway.effects import Close, Effect, ToHost
from game_server.gateway.limits import Limits
from game_server.gateway.session import Session
from paiju.service.ids import new_op
from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2, host_pb2

TABLE = common_pb2.TableRef(room="doudizhu.novice", shard=2, table=77)


class Table:
    """A session that sits at nothing yet, its clock, and all it ever said or asked for."""

    def __init__(self, *, limits: Limits | None = None, gate: Refused | None = None) -> None:
        self.now = 100.0
        self.observed: list[tuple[str, str]] = []
        self.context = Context(
            server="gs",
            gateway="gs/gateway-0",
            wall_us=lambda: 5_000_000,
            limits=limits or Limits(),
            game_of=lambda room: room.partition(".")[0],
            observe=lambda kind, outcome: self.observed.append((kind, outcome)),
        )
        self.session = Session(
            context=self.context,
            origin=data_pb2.Origin(server="gs", gateway="gs/gateway-0", address="1.2.3.4"),
            now=self.now,
            gate=gate,
        )
        self.effects: list[Effect] = []
        self.said: list[hall_pb2.Update] = []
        self._id = 0

    def command(self, **body: Any) -> hall_pb2.Command:
        self._id += 1
        return hall_pb2.Command(id=body.pop("id", self._id), op=body.pop("op", new_op()), **body)

    def packet(self, *commands: hall_pb2.Command) -> list[hall_pb2.Update]:
        return self.raw(hall_pb2.ClientFrame(commands=commands).SerializeToString())

    def raw(self, packet: bytes) -> list[hall_pb2.Update]:
        self.effects += self.session.receive(packet, self.now)
        return self.drain()

    def drain(self) -> list[hall_pb2.Update]:
        """What it has said since the last time."""
        packet, count = self.session.take(self.now)
        updates = list(hall_pb2.ServerFrame.FromString(packet).updates)
        assert len(updates) == count
        self.said += updates
        return updates

    def ask(self, **body: Any) -> hall_pb2.Answer | None:
        """The answer to one command, None when it waits for somebody else."""
        updates = self.packet(self.command(**body))
        answers = [u.answer for u in updates if u.HasField("answer")]
        assert len(answers) <= 1
        return answers[0] if answers else None

    def code(self, **body: Any) -> str:
        """The refusal of one command, "" when it was let in."""
        answer = self.ask(**body)
        return answer.refusal.code if answer is not None else ""

    def run(self, effects: Any) -> list[hall_pb2.Update]:
        self.effects += effects
        return self.drain()

    def hello(self, locale: str = "en") -> None:
        answer = self.ask(hello=hall_pb2.Hello(major=protocol.MAJOR, locale=locale))
        assert answer is not None
        assert answer.HasField("welcome")

    def open(self, *, epoch: int = 3, connection: int = 0, locale: str = "en") -> Table:
        self.hello(locale)
        assert self.ask(login=hall_pb2.Login(name="a", password="b")) is None
        session = hall_pb2.Session(
            profile=common_pb2.Profile(player=9, name="Nine"),
            session_epoch=epoch,
            connection=connection,
        )
        self.run(self.session.opened(self.last.ref, session, self.now))
        self.effects.clear()
        return self

    def watch(self, table: common_pb2.TableRef = TABLE, *, seq: int = 0) -> Table:
        cursor = common_pb2.Cursor(table=table, epoch=1, seq=seq) if seq else None
        assert self.ask(watch=hall_pb2.Watch(table=table, cursor=cursor)) is None
        self.done()
        return self

    @property
    def last(self) -> Any:
        return self.effects[-1]

    def done(self) -> list[hall_pb2.Update]:
        return self.host(done=hall_pb2.Done())

    def host(self, *, ref: int = 0, **result: Any) -> list[hall_pb2.Update]:
        """The host answers the last command, or `ref`."""
        answer = host_pb2.HostAnswer(**result)
        return self.run(self.session.host_answered(ref or self.last.ref, answer, self.now))

    def refuse(self, code: str, **more: Any) -> list[hall_pb2.Update]:
        return self.run(self.session.refused(self.last.ref, Refused(code, **more), self.now))

    def deliver(self, seq: int, *, snapshot: bool = False, size: int = 10, epoch: int = 1) -> None:
        kind: dict[str, Any] = (
            {"snapshot": hall_pb2.Snapshot()}
            if snapshot
            else {"step": hall_pb2.Step(events=[hall_pb2.TableEvent(data=b"x" * size)])}
        )
        update = hall_pb2.Update(
            table=hall_pb2.TableUpdate(table=TABLE, epoch=epoch, seq=seq, **kind)
        ).SerializeToString()
        event = host_pb2.Deliver(
            players=[9], table=TABLE.table, epoch=epoch, seq=seq, snapshot=snapshot
        )
        self.effects += self.session.deliver(event, update, self.now)

    def tick(self, after_s: float = 0.0) -> list[hall_pb2.Update]:
        self.now += after_s
        return self.run(self.session.tick(self.now))

    def closes(self) -> list[str]:
        return [e.reason for e in self.effects if isinstance(e, Close)]

    def to_host(self) -> list[str]:
        return [str(e.command.WhichOneof("body")) for e in self.effects if isinstance(e, ToHost)]


def notices(updates: list[hall_pb2.Update]) -> list[str]:
    return [u.notice.code for u in updates if u.HasField("notice")]


def seqs(updates: list[hall_pb2.Update]) -> list[int]:
    return [u.table.seq for u in updates if u.HasField("table")]
