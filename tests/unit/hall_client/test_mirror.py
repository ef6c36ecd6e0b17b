"""Whatever the network does to updates, a mirror never shows a board the table never had."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hall_client.mirror import Outcome, TableMirror
from paiju.wire.v1 import hall_pb2
from tests.unit.hall_client.toy import ToyTable

Boards = dict[tuple[int, int], dict[str, bytes]]


def played_table(moves: list[int], restart_at: int) -> tuple[ToyTable, list[object], Boards]:
    """A table after some moves (and a host restart), all its updates for seat 0, its boards."""
    table = ToyTable(7)
    updates: list[object] = [table.snapshot(0)]
    boards: Boards = {(table.epoch, table.seq): dict(table.views[0])}
    for number, move in enumerate(moves):
        if number == restart_at:
            table.epoch += 1
            updates.append(table.snapshot(0))
            boards[table.epoch, table.seq] = dict(table.views[0])
        table.emit({f"k{move}": number, "last": move})
        updates.append(table.ring[-1][0])
        boards[table.epoch, table.seq] = dict(table.views[0])
    return table, updates, boards


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_lost_doubled_and_reordered_updates_never_show_a_wrong_board(data: st.DataObject) -> None:
    moves = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=12))
    restart = data.draw(st.integers(0, 20))
    table, updates, boards = played_table(moves, restart)
    order = data.draw(st.lists(st.integers(0, len(updates) - 1), max_size=30))
    mirror = TableMirror(ref=table.ref)
    for index in order:
        before = (mirror.epoch, mirror.seq)
        outcome = mirror.apply(updates[index])  # type: ignore[arg-type]
        after = (mirror.epoch, mirror.seq)
        assert outcome is not Outcome.MISMATCH
        if outcome is Outcome.APPLIED:
            assert after >= before
        else:
            assert after == before
        if mirror.known:
            assert mirror.parts == boards[after]
            assert set(mirror.view) == set(boards[after])
    # Ends equal: what a resume sends, or a snapshot, brings it up to the table.
    mirror.reconnected()
    for update in table.resume(0, mirror.epoch, mirror.seq) if mirror.known else []:
        mirror.apply(update)
    if not mirror.known or mirror.seq != table.seq:
        assert mirror.apply(table.snapshot(0)) is Outcome.APPLIED
    assert (mirror.epoch, mirror.seq) == (table.epoch, table.seq)
    assert mirror.parts == table.views[0]


@settings(max_examples=60, deadline=None)
@given(
    key=st.sampled_from(["@phase", "secret", "last", "new"]), text=st.binary(min_size=1, max_size=8)
)
def test_an_altered_update_changes_nothing_and_is_counted(key: str, text: bytes) -> None:
    table = ToyTable(7)
    mirror = TableMirror(ref=table.ref)
    assert mirror.apply(table.snapshot(0)) is Outcome.APPLIED
    good = dict(mirror.parts)
    table.emit({"last": 1})
    altered = hall_pb2.TableUpdate()
    altered.CopyFrom(table.ring[-1][0])
    if altered.step.patch.set.get(key) == text:
        return
    altered.step.patch.set[key] = text
    assert mirror.apply(altered) is Outcome.MISMATCH
    assert mirror.parts == good and mirror.counters.mismatches == 1
    spoilt = table.snapshot(0)
    spoilt.snapshot.view[key] = text
    if dict(spoilt.snapshot.view) != table.views[0]:
        assert mirror.apply(spoilt) is Outcome.MISMATCH
    assert mirror.apply(table.snapshot(0)) is Outcome.APPLIED
    assert mirror.parts == table.views[0]


def test_a_key_can_be_taken_away() -> None:
    table = ToyTable(7)
    mirror = TableMirror(ref=table.ref)
    mirror.apply(table.snapshot(0))
    step = hall_pb2.Step(patch=hall_pb2.ViewPatch(check=_without(table, "@hand")))
    getattr(step.patch, "del").append("@hand")
    update = hall_pb2.TableUpdate(table=table.ref, epoch=1, seq=2, step=step)
    assert mirror.apply(update) is Outcome.APPLIED
    assert "@hand" not in mirror.view


def _without(table: ToyTable, key: str) -> int:
    from paiju.rules import views

    return views.check({k: text for k, text in table.views[0].items() if k != key})


def test_numbers_that_went_back_count_only_on_a_new_connection() -> None:
    table = ToyTable(7)
    for number in range(5):
        table.emit({"last": number})
    mirror = TableMirror(ref=table.ref)
    mirror.apply(table.snapshot(0))
    young = ToyTable(7)
    young.emit({"last": 0})
    assert mirror.apply(young.snapshot(0)) is Outcome.DROPPED
    mirror.reconnected()
    assert mirror.apply(young.snapshot(0)) is Outcome.APPLIED
    assert mirror.seq == young.seq
