"""The core alone: bytes in, bytes out, a clock made of numbers."""

from __future__ import annotations

import itertools

import pytest

from hall_client.core import Core
from hall_client.errors import OutcomeUnknown, Refused, Replaced, SessionEnded, TicketRefused
from hall_client.events import Connected, Disconnected, TableChanged
from hall_client.happenings import Answered, Failed, Hangup
from hall_client.mirror import Outcome
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, hall_pb2
from tests.unit.hall_client.toy import ToyTable


def sent(core: Core, now: float = 0.0) -> list[hall_pb2.Command]:
    """What the core wants to send now."""
    frames = [hall_pb2.ClientFrame.FromString(packet) for packet in core.packets(now)]
    return [command for frame in frames for command in frame.commands]


def give(core: Core, now: float = 0.0, **body: object) -> list[object]:
    """One update from the gateway; what the core says to it."""
    update = hall_pb2.Update(**body)  # type: ignore[arg-type]
    core.receive(hall_pb2.ServerFrame(updates=[update]).SerializeToString(), now)
    return list(core.take())


def refusal(code: str, **more: int) -> common_pb2.Refusal:
    return common_pb2.Refusal(code=code, **more)  # type: ignore[arg-type]


def session(connection: int = 1, **more: object) -> hall_pb2.Session:
    return hall_pb2.Session(
        session_epoch=3,
        connection=connection,
        ticket="t",
        refresh_token="r",
        **more,  # type: ignore[arg-type]
    )


def fresh() -> Core:
    counter = itertools.count(1)
    return Core(new_op=lambda: next(counter).to_bytes(16, "big"))


def greeted(core: Core, now: float = 0.0) -> None:
    core.connected(now)
    hello = sent(core, now)[0]
    assert hello.WhichOneof("body") == "hello"
    give(core, now, answer=hall_pb2.Answer(id=hello.id, welcome=hall_pb2.Welcome(major=1)))


def opened() -> Core:
    core = fresh()
    greeted(core)
    core.submit(guest(), now=0.0)
    (command,) = sent(core)
    give(core, answer=hall_pb2.Answer(id=command.id, session=session()))
    return core


def guest() -> hall_pb2.Command:
    return hall_pb2.Command(open_guest=hall_pb2.OpenGuest(device_secret=b"s" * 32))


def ready(table: ToyTable) -> hall_pb2.Command:
    return hall_pb2.Command(ready=hall_pb2.Ready(table=table.ref))


def resumed(core: Core, now: float = 1.0) -> hall_pb2.Resume:
    """Lose the connection, come back, and say that the resume went well."""
    core.disconnected(now, "gone")
    core.connected(now)
    hello, resume = sent(core, now)
    give(core, now, answer=hall_pb2.Answer(id=hello.id, welcome=hall_pb2.Welcome(major=1)))
    connection = resume.resume.connection
    give(core, now, answer=hall_pb2.Answer(id=resume.id, session=session(connection)))
    return resume.resume


def following(core: Core, table: ToyTable) -> None:
    core.submit(hall_pb2.Command(watch=hall_pb2.Watch(table=table.ref)), now=0.0)
    (watch,) = sent(core)
    give(core, answer=hall_pb2.Answer(id=watch.id, done=hall_pb2.Done()))
    give(core, table=table.snapshot(0))


def test_nothing_but_an_opener_goes_out_before_the_session() -> None:
    core = fresh()
    core.submit(hall_pb2.Command(get_wallet=hall_pb2.GetWallet()), now=0.0)
    core.submit(guest(), now=0.0)
    core.connected(0.0)
    (hello,) = sent(core)
    assert hello.hello.major == protocol.MAJOR and not hello.op
    assert core.next_due() == float("inf")
    give(core, answer=hall_pb2.Answer(id=hello.id, welcome=hall_pb2.Welcome(major=1)))
    (opener,) = sent(core)
    assert opener.WhichOneof("body") == "open_guest" and len(opener.op) == 16
    happenings = give(core, answer=hall_pb2.Answer(id=opener.id, session=session()))
    assert any(isinstance(h, Connected) and not h.resumed for h in happenings)
    (wallet,) = sent(core)
    assert wallet.WhichOneof("body") == "get_wallet" and not wallet.op


def test_the_same_operation_is_sent_until_it_is_answered() -> None:
    core, table = opened(), ToyTable(9)
    pending = core.submit(ready(table), now=0.0)
    (first,) = sent(core)
    for now in (1.0, 2.0):
        assert resumed(core, now).connection == now + 1
        (again,) = sent(core, now)
        assert again == first
    happenings = give(core, answer=hall_pb2.Answer(id=first.id, done=hall_pb2.Done()))
    assert [h.id for h in happenings if isinstance(h, Answered)] == [pending.id]
    resumed(core, 3.0)
    assert sent(core, 3.0) == []


def test_a_transient_refusal_waits_as_long_as_it_says() -> None:
    core, table = opened(), ToyTable(9)
    core.submit(ready(table), now=0.0)
    (first,) = sent(core)
    no = refusal("RETRY", retry_after_ms=400)
    assert not give(core, 0.0, answer=hall_pb2.Answer(id=first.id, refusal=no))
    assert core.next_due() == pytest.approx(0.4)
    assert sent(core, 0.3) == []
    assert sent(core, 0.4) == [first]


def test_a_refusal_that_lasts_and_silence_are_told_to_the_caller() -> None:
    core, table = opened(), ToyTable(9)
    core.submit(ready(table), now=0.0, deadline=0.1)
    (first,) = sent(core)
    no = refusal("RETRY", retry_after_ms=400)
    (failed,) = give(core, 0.0, answer=hall_pb2.Answer(id=first.id, refusal=no))
    assert isinstance(failed, Failed) and isinstance(failed.error, Refused)
    core.submit(ready(table), now=1.0, deadline=2.0)
    core.tick(2.0)
    (failed,) = core.take()
    assert isinstance(failed, Failed) and isinstance(failed.error, OutcomeUnknown)


def test_a_resume_names_every_table_and_how_far_it_was_read() -> None:
    core, table = opened(), ToyTable(9)
    following(core, table)
    table.emit({"last": 1})
    give(core, table=table.ring[-1][0])
    resume = resumed(core)
    assert [(c.table.table, c.epoch, c.seq) for c in resume.cursors] == [(9, 1, 2)]
    assert sent(core, 1.0) == []  # the gateway subscribes by itself


def test_a_seat_that_came_with_the_session_is_watched() -> None:
    core, table = fresh(), ToyTable(9)
    greeted(core)
    core.submit(guest(), now=0.0)
    (command,) = sent(core)
    give(core, answer=hall_pb2.Answer(id=command.id, session=session(seats=[table.ref])))
    (watch,) = sent(core)
    assert watch.watch.table == table.ref and not watch.watch.HasField("cursor")


def test_a_gap_asks_once_for_a_snapshot() -> None:
    core, table = opened(), ToyTable(9)
    following(core, table)
    for number in range(3):
        table.emit({"last": number})
    happenings = [h for forms in table.ring[2:] for h in give(core, table=forms[0])]
    assert [h.outcome for h in happenings if isinstance(h, TableChanged)] == [Outcome.GAP] * 2
    (resync,) = sent(core)
    assert resync.WhichOneof("body") == "resync"
    give(core, answer=hall_pb2.Answer(id=resync.id, done=hall_pb2.Done()))
    give(core, table=table.snapshot(0))
    mirror = core.tables.get(9)
    assert mirror is not None and mirror.parts == table.views[0]


def test_endings() -> None:
    core = opened()
    core.submit(hall_pb2.Command(get_wallet=hall_pb2.GetWallet()), now=0.0)
    happenings = give(core, notice=hall_pb2.Notice(code="REPLACED", text="newer"))
    assert any(isinstance(h, Failed) and isinstance(h.error, Replaced) for h in happenings)
    assert any(isinstance(h, Disconnected) and h.final for h in happenings)
    assert any(isinstance(h, Hangup) for h in happenings)
    with pytest.raises(Replaced):
        core.submit(guest(), now=0.0)


def test_an_old_client_is_told_so_and_stays_away() -> None:
    core = fresh()
    core.connected(0.0)
    (hello,) = sent(core)
    give(core, answer=hall_pb2.Answer(id=hello.id, refusal=refusal("UPGRADE_REQUIRED")))
    assert isinstance(core.ending, SessionEnded) and core.ending.code == "UPGRADE_REQUIRED"


@pytest.mark.parametrize("code", ["SERVER_FULL", "DRAINING", "BUSY"])
def test_a_full_gateway_costs_the_connection_not_the_session(code: str) -> None:
    core = opened()
    core.disconnected(1.0, "gone")
    core.connected(1.0)
    hello, resume = sent(core, 1.0)
    for command in (hello, resume):
        happenings = give(core, answer=hall_pb2.Answer(id=command.id, refusal=refusal(code)))
        assert any(isinstance(h, Hangup) and h.elsewhere for h in happenings)
    assert core.ending is None
    core.disconnected(1.0, "cut")
    assert resumed(core, 2.0).connection == resume.resume.connection + 1


def test_a_player_with_a_password_must_log_in_when_the_ticket_is_no_good() -> None:
    core = fresh()
    greeted(core)
    core.submit(hall_pb2.Command(login=hall_pb2.Login(name="n", password="p")), now=0.0)
    (command,) = sent(core)
    give(core, answer=hall_pb2.Answer(id=command.id, session=session()))
    core.disconnected(1.0, "gone")
    core.connected(1.0)
    _, resume = sent(core, 1.0)
    give(core, answer=hall_pb2.Answer(id=resume.id, refusal=refusal("BAD_TICKET")))
    assert isinstance(core.ending, TicketRefused)


def test_a_refresh_token_is_rotated_under_one_operation_id() -> None:
    core = opened()
    core.submit(hall_pb2.Command(renew=hall_pb2.Renew(refresh_token="r")), now=0.0)
    (renew,) = sent(core)
    core.disconnected(1.0, "gone")
    core.connected(1.0)
    _, resume = sent(core, 1.0)
    assert renew.op == resume.op != b""


def test_frames_stay_within_the_limits() -> None:
    core, table = opened(), ToyTable(9)
    for number in range(100):
        act = hall_pb2.Act(table=table.ref, action="x" * 400, hand=number)
        core.submit(hall_pb2.Command(act=act), now=0.0)
    packets = core.packets(0.0)
    frames = [hall_pb2.ClientFrame.FromString(packet) for packet in packets]
    assert [c.act.hand for f in frames for c in f.commands] == list(range(100))
    assert max(len(packet) for packet in packets) <= protocol.MAX_PACKET_BYTES
    assert max(len(f.commands) for f in frames) <= protocol.MAX_COMMANDS_PER_FRAME


def test_bytes_that_are_no_frame_are_an_error() -> None:
    core = opened()
    with pytest.raises(ValueError, match="no frame"):
        core.receive(b"\xff\xff\xff", 0.0)
