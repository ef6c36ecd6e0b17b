"""Whatever comes in: nothing raises, and each command gets one answer or the connection ends."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from game_server.gateway.commands import State
from game_server.gateway.effects import (
    AskData,
    AskPackage,
    AskRooms,
    CheckTicket,
    Close,
    Effect,
    Join,
    ToHost,
)
from game_server.gateway.limits import Limits
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2

from .playing import TABLE, Table
from .test_session import BODIES

CODES = ["RETRY", "BUSY", "NO_SUCH_TABLE", "STALE_SESSION", "ROOM_FULL", "does_not_beat"]


@settings(max_examples=150, deadline=None)
@given(packets=st.lists(st.binary(max_size=200), max_size=5), opened=st.booleans())
def test_random_bytes(packets: list[bytes], opened: bool) -> None:
    table = Table()
    if opened:
        table.open()
    for packet in packets:
        table.raw(packet)
        table.tick(0.5)
    assert len(table.closes()) <= 1


@settings(max_examples=150, deadline=None)
@given(
    kind=st.sampled_from(sorted(BODIES)),
    flips=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=4),
    opened=st.booleans(),
)
def test_damaged_packets(kind: str, flips: list[tuple[int, int]], opened: bool) -> None:
    table = Table()
    table.open() if opened else table.hello()
    packet = bytearray(
        hall_pb2.ClientFrame(
            commands=[table.command(**{kind: BODIES[kind]})] * 2
        ).SerializeToString()
    )
    for place, value in flips:
        packet[place % len(packet)] ^= value
    table.raw(bytes(packet))
    table.tick(1)
    assert len(table.closes()) <= 1


class Step:
    """One thing that happens to a session."""

    def __init__(self, what: str, value: Any) -> None:
        self.what = what
        self.value = value

    def __repr__(self) -> str:
        return f"{self.what}({self.value!r})"


steps = st.one_of(
    st.builds(
        Step,
        st.just("commands"),
        st.lists(
            st.tuples(st.sampled_from([*sorted(BODIES), "unknown"]), st.booleans()),
            min_size=1,
            max_size=6,
        ),
    ),
    st.builds(Step, st.just("answer"), st.tuples(st.integers(0, 9), st.sampled_from(CODES))),
    st.builds(Step, st.just("refuse"), st.tuples(st.integers(0, 9), st.sampled_from(CODES))),
    st.builds(Step, st.just("deliver"), st.tuples(st.integers(1, 40), st.booleans())),
    st.builds(Step, st.just("tick"), st.floats(0, 3)),
    st.builds(Step, st.just("cut"), st.none()),
    st.builds(Step, st.just("detach"), st.none()),
    st.builds(Step, st.just("ended"), st.integers(1, 5)),
    st.builds(Step, st.just("drain"), st.none()),
)


@settings(max_examples=250, deadline=None)
@given(sequence=st.lists(steps, max_size=40), opened=st.booleans())
def test_random_lives(sequence: list[Step], opened: bool) -> None:
    table = Table(limits=Limits(outbox_updates=60))
    if opened:
        table.open()
    asked: Counter[int] = Counter()
    waiting: list[Effect] = []
    ids = iter(range(1000, 100_000))
    for step in sequence:
        before = len(table.effects)
        _happen(table, step, asked=asked, waiting=waiting, ids=ids)
        waiting += [e for e in table.effects[before:] if not isinstance(e, Close)]
    while waiting and not table.session.closed:
        before = len(table.effects)
        _refuse(table, waiting.pop(0), "RETRY")
        table.drain()
    answers = Counter(u.answer.id for u in table.said if u.HasField("answer") and u.answer.id > 999)
    assert all(count == 1 for count in answers.values())
    assert answers.keys() <= asked.keys()
    if not table.session.closed:
        assert answers == asked
    assert len(table.closes()) == (table.session.state is State.CLOSED)
    assert all(e.ref for e in waiting if not isinstance(e, Close))


def _happen(
    table: Table, step: Step, *, asked: Counter[int], waiting: list[Effect], ids: Any
) -> None:
    match step.what:
        case "commands":
            commands = []
            for kind, has_op in step.value:
                body = {kind: BODIES[kind]} if kind in BODIES else {}
                command = table.command(id=next(ids), **body)
                if not has_op:
                    command.op = b""
                if not table.session.closed:
                    asked[command.id] += 1
                commands.append(command)
            table.packet(*commands)
        case "answer" if waiting:
            effect = waiting.pop(step.value[0] % len(waiting))
            _answer(table, effect)
        case "refuse" if waiting:
            _refuse(table, waiting.pop(step.value[0] % len(waiting)), step.value[1])
        case "deliver":
            table.deliver(step.value[0], snapshot=step.value[1])
        case "tick":
            table.tick(step.value)
        case "cut":
            at = table.now + 0.1
            table.run(table.session.cut(TABLE.room, TABLE.shard, ask_at=at, now=table.now))
        case "detach":
            table.session.detached(TABLE.table)
        case "ended":
            table.run(table.session.ended(step.value, "REPLACED", table.now))
        case "drain":
            table.context.draining = not table.context.draining
    table.drain()


def _refuse(table: Table, effect: Effect, code: str) -> None:
    assert not isinstance(effect, Close)
    table.effects += table.session.refused(effect.ref, Refused(code), table.now)


def _answer(table: Table, effect: Effect) -> None:
    session, now = table.session, table.now
    match effect:
        case CheckTicket(ref) | AskData(ref, _, _, True):
            opened = hall_pb2.Session(
                profile=common_pb2.Profile(player=9, name="Nine"), session_epoch=3
            )
            table.effects += session.opened(ref, opened, now)
        case AskData(ref) | AskPackage(ref):
            table.effects += session.answered(ref, hall_pb2.Done(), now)
        case AskRooms(ref):
            table.effects += session.answered(ref, hall_pb2.RoomList(), now)
        case Join(ref):
            seated = hall_pb2.Seated(table=TABLE, seat=1)
            table.effects += session.host_answered(ref, host_pb2.HostAnswer(seated=seated), now)
        case ToHost(ref):
            done = host_pb2.HostAnswer(done=hall_pb2.Done())
            table.effects += session.host_answered(ref, done, now)
