"""What a cheat with an account can ask of a session, and what others may not do to him.

Each test is a hole that was there once; docs/security.md lists what was tried besides.
"""

from __future__ import annotations

import pytest

from game_server.gateway.limits import Limits
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2

from .playing import TABLE, Table, notices, seqs

ROOM = "doudizhu.novice"
TOO_LARGE_ID = 2**63


def test_grids_asked_for_at_once_are_counted_too() -> None:
    """The limit looked only at those whose host had answered: 64 at once went through."""
    table = Table(limits=Limits(grids=4)).open()
    codes = [
        table.code(watch_grid=hall_pb2.WatchGrid(room=ROOM, shard=number)) for number in range(6)
    ]
    assert codes == ["", "", "", "", "TOO_LARGE", "TOO_LARGE"]


@pytest.mark.parametrize("kind", ["stand", "sit", "top_up", "quick_join"])
def test_seats_are_not_taken_and_left_as_fast_as_one_can_type(kind: str) -> None:
    """Each is two transactions of the ledger: sixty guests kept everybody else from sitting."""
    table = Table().open()
    bodies = {
        "stand": hall_pb2.Stand(table=TABLE),
        "sit": hall_pb2.Sit(table=TABLE),
        "top_up": hall_pb2.TopUp(table=TABLE, amount=1),
        "quick_join": hall_pb2.QuickJoin(room=ROOM),
    }
    taken = 0
    for _ in range(300):
        table.now += 0.1
        answer = table.ask(**{kind: bodies[kind]})
        if answer is None:
            taken += 1
            table.host(done=hall_pb2.Done())
        else:
            assert answer.refusal.code == "TOO_FAST" and answer.refusal.retry_after_ms > 0
    limits = Limits()
    assert taken <= limits.seats_burst + 30 * limits.seats_per_s + 1
    assert not table.closes()


def test_ready_and_not_ready_fill_no_journal() -> None:
    """Each is a row on the host's disk: 40 a second, of each guest, for ever."""
    table = Table().open()
    taken = 0
    for number in range(300):
        table.now += 0.1
        if table.ask(ready=hall_pb2.Ready(table=TABLE, not_ready=bool(number % 2))) is None:
            taken += 1
            table.host(done=hall_pb2.Done())
    limits = Limits()
    assert taken <= limits.ready_burst + 30 * limits.ready_per_s + 1
    assert not table.closes()


@pytest.mark.parametrize("kind", ["watch", "resync"])
def test_whole_views_are_not_asked_for_without_end(kind: str) -> None:
    """A host builds each anew: a hundred and fifty guests, twenty a second, took a core of it."""
    table = Table().open().watch()
    body = {"watch": hall_pb2.Watch(table=TABLE), "resync": hall_pb2.Resync(table=TABLE)}[kind]
    taken = 0
    for _ in range(300):
        table.now += 0.1
        if table.ask(**{kind: body}) is None:
            taken += 1
            table.done()
    limits = Limits()
    assert taken <= limits.views_burst + 30 * limits.views_per_s + 1
    assert not table.closes()


@pytest.mark.parametrize("kind", ["list_hands", "get_hand"])
def test_old_hands_are_not_asked_for_without_end(kind: str) -> None:
    """A page of them is eighty records that the data server reads and decodes."""
    table = Table().open()
    body = {"list_hands": hall_pb2.ListHands(), "get_hand": hall_pb2.GetHand(table=1, hand=1)}[kind]
    taken = 0
    for _ in range(300):
        table.now += 0.1
        if table.ask(**{kind: body}) is None:
            taken += 1
            table.run(table.session.answered(table.last.ref, hall_pb2.HandList(), table.now))
    limits = Limits()
    assert taken <= limits.hands_burst + 30 * limits.hands_per_s + 1
    assert not table.closes()


def _chat(table: Table, text: str) -> None:
    line = hall_pb2.ChatLine(table=TABLE, player=1, text=text)
    update = hall_pb2.Update(chat=line).SerializeToString()
    event = host_pb2.Deliver(players=[9], table=TABLE.table)
    table.effects += table.session.deliver(event, update, table.now)


def test_nobody_is_talked_out_of_his_hand() -> None:
    """Chat filled a slow player's queue; the second time he was closed as SLOW_CONSUMER."""
    table = Table(limits=Limits(outbox_updates=20, outbox_bytes=10_000)).open().watch()
    table.deliver(1, snapshot=True)
    for second in range(40):
        table.now += 1
        for _ in range(30):
            _chat(table, "x" * 190)
        table.deliver(2 + second)
        if second % 4 == 3:  # a slow connection
            said = table.drain()
            assert seqs(said) == list(range(second - 1, second + 3))[-4:] or second == 3
    assert not table.closes() and "SLOW_CONSUMER" not in notices(table.said)
    assert seqs(table.said) == list(range(1, 42)), "not one move was lost to chat"
    assert any(update.HasField("chat") for update in table.said)


@pytest.mark.parametrize(
    "text",
    ["\x1b[2Jgone", "a\nb", "a\x00b", "\u202eevil", "\u2066x", "\u2028", "\x07", " "],
)
def test_what_acts_on_a_screen_is_no_chat(text: str) -> None:
    table = Table().open().watch()
    assert table.code(chat=hall_pb2.Chat(table=TABLE, text=text)) == "BAD_CHAT"


@pytest.mark.parametrize("text", ["好牌！", "👨‍👩‍👧 gg", "שלום", "a" * 200, "3 > 2 & <b>"])
def test_what_people_say_is_chat(text: str) -> None:
    table = Table().open().watch()
    assert table.code(chat=hall_pb2.Chat(table=TABLE, text=text)) == ""


def test_numbers_and_texts_that_no_database_takes_go_no_further() -> None:
    table = Table().open()
    report = hall_pb2.Report(kind="abuse", player=TOO_LARGE_ID, detail="x")
    assert table.code(report=report) == "NO_SUCH_PLAYER"
    report = hall_pb2.Report(kind="abuse", player=1, detail="a\0b")
    assert table.code(report=report) == "BAD_REPORT"
    where = common_pb2.TableRef(room=ROOM, table=TOO_LARGE_ID)
    assert table.code(report=hall_pb2.Report(kind="abuse", player=1, table=where)) != ""
    assert table.code(sit=hall_pb2.Sit(table=where)) == "NO_SUCH_TABLE"


def test_a_name_with_a_null_is_no_name() -> None:
    table = Table()
    table.hello()
    assert table.code(login=hall_pb2.Login(name="a\0", password="password")) == "BAD_CREDENTIALS"
    assert table.code(register=hall_pb2.Register(name="a\0b", password="password")) == "BAD_NAME"
