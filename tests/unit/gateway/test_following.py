"""What a session passes on of its tables: cursors, cuts, dropped updates, slow players."""

from __future__ import annotations

from game_server.gateway.effects import ToHost
from game_server.gateway.limits import Limits
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2

from .playing import TABLE, Table, notices, seqs

SMALL = Limits(outbox_updates=10, overflow_window_s=30, stall_s=20)
WHERE = ("doudizhu.novice", 2)


def test_what_is_queued_goes_out_as_one_frame() -> None:
    table = Table().open().watch()
    table.deliver(1, snapshot=True)
    for seq in range(2, 9):
        table.deliver(seq)
    assert seqs(table.drain()) == list(range(1, 9))


def test_nothing_of_a_table_that_is_not_followed() -> None:
    table = Table().open()
    table.deliver(5)
    assert table.drain() == []
    table.deliver(6, snapshot=True)  # a seat's snapshot may come before its answer
    table.deliver(7)
    assert seqs(table.drain()) == [6, 7]
    table.session.detached(TABLE.table)
    table.deliver(8)
    assert table.drain() == []


def test_while_a_watch_is_on_its_way_only_what_fits_its_cursor_passes() -> None:
    table = Table().open()
    cursor = common_pb2.Cursor(table=TABLE, epoch=1, seq=10)
    table.ask(watch=hall_pb2.Watch(table=TABLE, cursor=cursor))
    table.deliver(15)  # of an older subscription
    table.deliver(11)
    table.deliver(12)
    table.deliver(16)
    assert seqs(table.drain()) == [11, 12]
    table.done()
    table.deliver(13)
    assert seqs(table.drain()) == [13]


def test_without_a_cursor_a_snapshot_comes_first() -> None:
    table = Table().open()
    table.ask(watch=hall_pb2.Watch(table=TABLE))
    table.deliver(15)
    table.deliver(15, snapshot=True)
    table.deliver(16)
    assert seqs(table.drain()) == [15, 16]


def test_a_refused_watch_follows_nothing() -> None:
    table = Table().open()
    table.ask(watch=hall_pb2.Watch(table=TABLE))
    table.refuse("NO_SUCH_TABLE")
    assert not table.session.feed.tables
    assert not table.closes()


def test_at_most_sixteen_tables_and_four_grids() -> None:
    table = Table().open()
    for number in range(1, 17):
        table.watch(common_pb2.TableRef(room="r", table=number))
    assert table.code(watch=hall_pb2.Watch(table=TABLE)) == "TOO_LARGE"
    for number in range(4):
        assert table.code(watch_grid=hall_pb2.WatchGrid(room="r", shard=number)) == ""
        table.done()
    table.now += 10
    assert table.code(watch_grid=hall_pb2.WatchGrid(room="r", shard=9)) == "TOO_LARGE"
    assert table.code(watch_grid=hall_pb2.WatchGrid(room="r", shard=3, stop=True)) == ""
    table.done()
    assert table.code(watch_grid=hall_pb2.WatchGrid(room="r", shard=9)) == ""


def test_after_a_cut_it_is_watched_again_from_the_last_number() -> None:
    table = Table().open().watch()
    table.deliver(4, snapshot=True, epoch=7)
    table.deliver(5, epoch=7)
    table.drain()
    table.effects.clear()
    updates = table.run(table.session.cut(*WHERE, ask_at=table.now + 0.1, now=table.now))
    assert notices(updates) == ["TABLE_RECOVERING"]
    assert updates[0].notice.table == TABLE
    table.tick(0.05)
    assert not table.effects
    table.tick(0.06)
    (effect,) = table.effects
    assert isinstance(effect, ToHost)
    assert effect.command.watch.cursor == common_pb2.Cursor(table=TABLE, epoch=7, seq=5)
    table.refuse("RETRY", retry_after_ms=300)
    table.tick(0.29)
    assert len(table.effects) == 1
    assert notices(table.run(table.session.cut(*WHERE, ask_at=table.now, now=table.now))) == []
    table.tick(0.05)
    assert len(table.effects) == 2
    assert table.done() == []  # the player has not asked
    table.deliver(6, epoch=8)
    assert seqs(table.drain()) == [6]
    updates = table.run(table.session.cut(*WHERE, ask_at=table.now, now=table.now))
    assert notices(updates) == ["TABLE_RECOVERING"]  # told again for the next loss


def test_back_off_grows_and_ends_at_its_top() -> None:
    table = Table(limits=Limits(rewatch_min_s=0.1, rewatch_max_s=0.5)).open().watch()
    table.session.cut(*WHERE, ask_at=table.now, now=table.now)
    waits = []
    for _ in range(5):
        table.tick()
        begun, count = table.now, len(table.effects)
        table.refuse("RETRY")
        while len(table.effects) == count:
            table.tick(0.01)
        waits.append(round(table.now - begun, 1))
    assert waits == [0.1, 0.2, 0.4, 0.5, 0.5]


def test_a_table_that_is_gone_is_said_to_be() -> None:
    table = Table().open().watch()
    table.session.cut(*WHERE, ask_at=table.now, now=table.now)
    table.drain()
    table.tick()
    assert notices(table.refuse("NO_SUCH_TABLE")) == ["TABLE_GONE"]
    assert not table.session.feed.tables


def test_what_the_player_has_left_is_not_watched_again() -> None:
    table = Table().open().watch()
    table.ask(unwatch=hall_pb2.Unwatch(table=TABLE))
    table.done()
    assert table.run(table.session.cut(*WHERE, ask_at=table.now, now=table.now)) == []
    assert not table.session.feed.tables


def test_a_seat_that_cannot_be_unwatched_goes_on() -> None:
    table = Table().open().watch()
    table.ask(unwatch=hall_pb2.Unwatch(table=TABLE))
    table.done()
    table.deliver(9)  # the host still sends: he has a seat there
    updates = table.run(table.session.cut(*WHERE, ask_at=table.now, now=table.now))
    assert notices(updates) == ["TABLE_RECOVERING"]


def test_grids_are_asked_for_again() -> None:
    table = Table().open()
    table.ask(watch_grid=hall_pb2.WatchGrid(room=WHERE[0], shard=WHERE[1]))
    table.done()
    table.session.cut(*WHERE, ask_at=table.now, now=table.now)
    table.tick()
    assert table.to_host() == ["watch_grid", "watch_grid"]
    table.refuse("RETRY")
    table.tick(1)
    assert table.to_host() == ["watch_grid"] * 3


def test_a_resume_watches_its_cursors() -> None:
    table = Table()
    table.hello()
    cursor = common_pb2.Cursor(table=TABLE, epoch=2, seq=40)
    table.ask(resume=hall_pb2.Resume(ticket="t", connection=1, cursors=[cursor]))
    session = hall_pb2.Session(session_epoch=1, connection=1)
    session.profile.player = 9
    ref = table.last.ref
    updates = table.run(table.session.opened(ref, session, table.now, cursors=[cursor]))
    assert updates[0].answer.HasField("session")
    assert table.last.command.watch.cursor == cursor
    assert table.last.command.connection == 1


def test_seated_without_a_snapshot_is_watched() -> None:
    table = Table().open()
    table.ask(quick_join=hall_pb2.QuickJoin(room="doudizhu.novice"))
    table.host(seated=hall_pb2.Seated(table=TABLE, seat=1))
    table.effects.clear()
    table.tick(0.1)
    assert not table.effects
    table.tick(0.3)
    assert table.to_host() == ["watch"]


def test_seated_at_a_table_that_was_given_up_is_watched() -> None:
    """The repeat of a seat that is lost meanwhile: only a snapshot can say so (tests/sim)."""
    table = Table().open().watch()
    table.deliver(1, snapshot=True)
    table.ask(unwatch=hall_pb2.Unwatch(table=TABLE))
    table.done()
    table.ask(quick_join=hall_pb2.QuickJoin(room="doudizhu.novice"))
    table.host(seated=hall_pb2.Seated(table=TABLE, seat=1))
    table.effects.clear()
    table.tick(1)
    assert table.to_host() == ["watch"]


def test_seated_with_its_snapshot_is_not_watched() -> None:
    for snapshot_first in (False, True):
        table = Table().open()
        table.ask(quick_join=hall_pb2.QuickJoin(room="doudizhu.novice"))
        if snapshot_first:
            table.deliver(1, snapshot=True)
        table.effects, kept = [], table.effects
        table.host(ref=kept[-1].ref, seated=hall_pb2.Seated(table=TABLE))  # type: ignore[union-attr]
        if not snapshot_first:
            table.deliver(1, snapshot=True)
        table.tick(1)
        assert not table.effects


# ---- slow players ------------------------------------------------------------------------------


def fill(table: Table, first: int, count: int) -> None:
    for seq in range(first, first + count):
        table.deliver(seq)


def test_overflow_drops_the_tables_and_asks_for_one_snapshot_when_drained() -> None:
    table = Table(limits=SMALL).open().watch()
    table.effects.clear()
    fill(table, 1, 11)  # one too many
    fill(table, 12, 50)
    table.tick(1)
    assert not table.effects  # not before it can be delivered
    assert seqs(table.drain()) == []
    table.ask(ping=hall_pb2.Ping())
    table.tick(0)
    assert table.to_host() == ["resync"]
    fill(table, 62, 3)
    assert table.done() == []
    table.deliver(64, snapshot=True)
    table.deliver(65)
    assert seqs(table.drain()) == [64, 65]
    table.tick(1)
    assert table.to_host() == ["resync"]
    assert not table.closes()


def test_answers_survive_an_overflow() -> None:
    table = Table(limits=SMALL).open().watch()
    table.deliver(1)
    table.session.receive(
        hall_pb2.ClientFrame(
            commands=[table.command(ping=hall_pb2.Ping(nonce=5))]
        ).SerializeToString(),
        table.now,
    )
    fill(table, 2, 20)
    updates = table.drain()
    assert [u.answer.pong.nonce for u in updates] == [5]


def test_a_second_overflow_soon_after_closes() -> None:
    table = Table(limits=SMALL).open().watch()
    fill(table, 1, 11)
    table.ask(ping=hall_pb2.Ping())
    table.tick()
    table.deliver(20, snapshot=True)
    fill(table, 21, 20)
    assert table.closes() == ["slow_consumer"]
    assert notices(table.drain()) == ["SLOW_CONSUMER"]


def test_a_second_overflow_much_later_does_not() -> None:
    table = Table(limits=SMALL).open().watch()
    fill(table, 1, 11)
    table.ask(ping=hall_pb2.Ping())
    table.tick(31)
    table.deliver(20, snapshot=True)
    fill(table, 21, 20)
    assert not table.closes()


def test_a_connection_that_takes_nothing_is_closed() -> None:
    for updates in (3, 30):
        table = Table(limits=SMALL).open().watch()
        fill(table, 1, updates)
        table.effects += table.session.tick(table.now + 19)
        assert not table.closes()
        table.effects += table.session.tick(table.now + 21)
        assert table.closes() == ["slow_consumer"]


def test_a_queue_full_of_answers_closes() -> None:
    table = Table(limits=SMALL).open()
    commands = [table.command(ping=hall_pb2.Ping()) for _ in range(32)]
    packet = hall_pb2.ClientFrame(commands=commands).SerializeToString()
    table.effects += table.session.receive(packet, table.now)
    assert table.closes() == ["slow_consumer"]


def test_the_queue_is_bounded_in_bytes_too() -> None:
    table = Table(limits=Limits(outbox_bytes=5_000)).open().watch()
    for seq in range(1, 10):
        table.deliver(seq, size=1_000)
    assert len(table.session.feed.outbox) == 0
    assert not table.closes()


def test_resync_at_a_host_that_does_not_know_us_becomes_a_watch() -> None:
    table = Table(limits=SMALL).open().watch()
    fill(table, 1, 11)
    table.ask(ping=hall_pb2.Ping())
    table.tick()
    table.refuse("NOT_SEATED")
    table.tick(1)
    assert table.to_host()[-2:] == ["resync", "watch"]
    assert not table.last.command.watch.HasField("cursor")


def test_presence_and_grids_pass_without_numbers() -> None:
    table = Table().open().watch()
    grid = hall_pb2.Update(grid=hall_pb2.GridUpdate(room="r")).SerializeToString()
    away = hall_pb2.Update(presence=hall_pb2.TablePresence(table=TABLE)).SerializeToString()
    table.session.deliver(host_pb2.Deliver(), grid, table.now)
    table.session.deliver(host_pb2.Deliver(table=TABLE.table), away, table.now)
    table.session.deliver(host_pb2.Deliver(table=4711), away, table.now)
    assert [u.WhichOneof("body") for u in table.drain()] == ["grid", "presence"]
