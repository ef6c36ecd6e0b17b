"""A table killed after any number of its journal is rebuilt as it was."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import pytest

from game_server.rooms import load_rooms
from game_server.tables.games import Choice
from game_server.tables.hand import Diverged
from game_server.tables.op import Op
from game_server.tables.replay import StoredRow, operations, replay
from game_server.tables.room import RoomSpec
from game_server.tables.seal import SealBroken, Sealer
from game_server.tables.seat import Seat
from game_server.tables.stream import Step
from game_server.tables.table import Table
from paiju.rules.api import GameId
from paiju.rules.registry import Registry
from paiju.service.refusals import Refused
from tests.unit.tables.harness import SEALER, TableHarness, entropy, whole_check

REGISTRY = Registry.default()
ROOMS = list(load_rooms(REGISTRY).values())
LATER_MS = 123_456  # the host was away for so long


def stored(steps: list[Step]) -> list[StoredRow]:
    return [StoredRow(s.seq, s.kind, msgspec.json.decode(s.body)) for s in steps]


def last_beginning(rows: list[StoredRow]) -> int:
    return max(i for i, row in enumerate(rows) if row.kind in ("open", "hand_begin"))


def chosen(room: RoomSpec) -> Callable[[Mapping[str, Any]], Choice]:
    """Room and rules of a row, as the games of a host find them."""

    def choose(body: Mapping[str, Any]) -> Choice:
        game = REGISTRY.get(body["game"], body["version"], body["parameters"])
        return Choice(room.as_it_was(body["values"]), game, body["package"])

    return choose


def rebuilt(harness: TableHarness, rows: list[StoredRow], *, sealer: Sealer = SEALER) -> Table:
    original = harness.table
    choose = chosen(original.room)
    first = choose(rows[0].body)
    table = Table(
        ref=original.ref,
        room=first.room,
        game=first.game,
        package=first.version,
        epoch=original.epoch + 1,
        entropy=entropy("after the restart"),
        sealer=sealer,
    )
    replay(table, rows, sealer=sealer, now=harness.now + LATER_MS, choose=choose)
    return table


@dataclass(frozen=True)
class Image:
    """Everything of a table that must survive; times as what is left of them."""

    seq: int
    hand: int
    state: int | None
    log: list[object]
    seats: list[Seat | None]
    views: list[dict[str, bytes]]
    played: tuple[RoomSpec, GameId]
    turns: dict[str, object]
    reserve: list[int]
    moved_at: int
    carry: dict[str, object]
    secret: bytes
    after_hand: list[int]

    @classmethod
    def of(cls, table: Table, now: int) -> Image:
        hand = table.hand
        turns = table._turns.dump(now)
        return cls(
            seq=table.stream.seq,
            hand=table.hand_number,
            state=None if hand is None else hand.state.hash(),
            log=[] if hand is None else list(hand._actions),
            seats=[s if s is None else replace(s, away_since=None) for s in table.seats],
            views=[table.stream.view(viewer) for viewer in range(len(table.seats) + 1)],
            played=(table.room, table.game.id),
            turns=turns if hand is not None else {},
            reserve=turns["reserve"] if hand is not None else [],
            moved_at=table._moved_at if hand is not None else 0,
            carry=dict(table._carry),
            secret=table._next_secret,
            after_hand=list(table.roster._after_hand),
        )


class Witness(TableHarness):
    """Keeps an image of the table after every number that ends a change."""

    def __init__(self, **given: object) -> None:
        self.images: dict[int, Image] = {}
        super().__init__(**given)  # type: ignore[arg-type]

    def collect(self):  # type: ignore[no-untyped-def]
        out = super().collect()
        if out.steps:
            self.images[self.table.stream.seq] = Image.of(self.table, self.now)
        return out


def check_prefixes(harness: Witness, *, every: int = 1) -> int:
    """Each prefix that ended a change gives the table of that moment; returns how many."""
    rows, count = stored(harness.steps), 0
    for seq, image in list(harness.images.items())[::every]:
        part = rows[:seq]
        table = rebuilt(harness, part[last_beginning(part) :])
        assert Image.of(table, harness.now + LATER_MS) == image, part[-1]
        for viewer in range(len(table.seats) + 1):
            parts = table.stream.view(viewer)
            assert table.stream._viewers._check[viewer] == whole_check(parts)
        count += 1
    return count


def play(harness: Witness, luck: random.Random, *, hands: int) -> None:
    """Random play: hints, random legal actions, clocks that run out, leavers, newcomers."""
    newcomer = 500
    for _ in range(hands):
        for index, seat in enumerate(harness.table.seats):
            if seat is None:
                newcomer += 1
                harness.sit(newcomer, index, stake=harness.table.room.buy_in_max)
        for seat in harness.table.seats:
            assert seat is not None
            if not seat.ready:
                harness.ready(seat.player)
        for _ in range(3_000):
            hand = harness.table.hand
            if hand is None:
                break
            able = [s for s in hand.state.to_act() if s >= 0 and harness.table.seats[s].seated]
            roll = luck.random()
            if roll < 0.01:
                held = luck.choice(harness.table.seats)
                if held.seated:
                    harness.table.stand(held.player, abandon=True, at=harness.at)
                    harness.collect()
            elif not able or roll < 0.1:
                due = harness.table.next_due()
                assert due is not None
                harness.pass_time(max(0, due - harness.now))
            else:
                seat = luck.choice(able)
                harness.now += luck.randrange(3_000)
                lines = [hand.state.hint(seat), *hand.state.legal_actions(seat)[:3]]
                held = harness.table.seats[seat]
                try:
                    harness.act(held.player, harness.game.format(luck.choice(lines)))
                except Refused as refused:
                    assert refused.code == "ALREADY_CLAIMED"
        harness.free_leaving()


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.id)
def test_every_prefix_gives_the_table_of_that_moment(room) -> None:  # type: ignore[no-untyped-def]
    harness = Witness(seed=f"prefix {room.id}", room=room)
    play(harness, random.Random(room.id), hands=2)
    assert check_prefixes(harness, every=5) >= 4


def test_the_recovered_table_plays_on_to_the_same_outcome() -> None:
    """Both lives get the same actions after the kill: same deltas, same record but for times."""
    harness = Witness(seed="machine 1")
    harness.begin()
    for _ in range(4):
        harness.play_hint()
    rows = stored(harness.steps)
    table = rebuilt(harness, rows[last_beginning(rows) :])
    table.go_on(grace_ms=10_000, at=harness.at)
    assert table.take().steps == [], "a restart itself is no event"
    while harness.table.hand is not None:
        seat = harness.table.hand.state.to_act()[0]
        line = harness.game.format(harness.table.hand.state.hint(seat))
        for one in (harness.table, table):
            held = one.seats[seat]
            assert held is not None
            one.act(held.player, line, hand=1, decided_on=one.stream.seq, at=harness.at)
    (original,), (recovered,) = harness.table.take().settled, table.take().settled
    assert recovered.seats == original.seats
    assert recovered.record.secret == original.record.secret
    assert [a[:2] for a in recovered.record.actions] == [a[:2] for a in original.record.actions]


def test_downtime_costs_nobody_time() -> None:
    harness = Witness(seed="clocks")
    harness.begin()
    harness.play_hint()
    left = {c.seat: (c.remaining_ms, c.reserve_ms) for c in harness.table.clocks(harness.now)}
    rows = stored(harness.steps)
    table = rebuilt(harness, rows[last_beginning(rows) :])
    harness.now += LATER_MS
    table.go_on(grace_ms=10_000, at=harness.at)
    after = {c.seat: (c.remaining_ms, c.reserve_ms) for c in table.clocks(harness.now)}
    assert after == left
    due = table.next_due()
    assert due is not None
    assert due >= harness.now + 10_000, "who has not come back yet is not away yet"


def test_the_journal_alone_does_not_tell_the_next_deck() -> None:
    harness = Witness(seed="sealed")
    harness.begin()
    secrets = [harness.table._next_secret, harness.table.hand.secret]
    text = b"".join(step.body for step in harness.steps)
    for secret in secrets:
        assert secret.hex().encode() not in text
        assert secret not in text
    rows = stored(harness.steps)
    with pytest.raises(SealBroken):
        rebuilt(harness, rows[last_beginning(rows) :], sealer=Sealer(b"some other key of 16"))


@pytest.mark.parametrize(
    "change",
    [
        {"action": "pass"},
        {"action": "no such action"},
        {"seat": 2},
    ],
)
def test_what_the_rules_would_not_give_is_refused(change: dict[str, object]) -> None:
    harness = Witness(seed="diverged")
    harness.begin()
    harness.play_hint()
    rows = stored(harness.steps)[last_beginning(stored(harness.steps)) :]
    index = next(i for i, row in enumerate(rows) if row.kind == "chance")
    rows[index] = rows[index]._replace(body={**rows[index].body, **change})
    with pytest.raises((Diverged, Refused)):
        rebuilt(harness, rows)


def test_a_gap_is_refused() -> None:
    harness = Witness(seed="gap")
    harness.begin()
    rows = stored(harness.steps)
    with pytest.raises(Diverged):
        rebuilt(harness, [*rows[:3], *rows[4:]])


def test_operations_are_known_with_their_answers() -> None:
    harness = Witness(seed="operations")
    harness.begin()
    seat = harness.table.hand.state.to_act()[0]
    player = harness.table.seats[seat].player
    line = harness.game.format(harness.table.hand.state.hint(seat))
    seq = harness.table.act(
        player,
        line,
        hand=1,
        decided_on=harness.table.stream.seq,
        at=harness.at,
        op=Op(b"sixteen bytes id", b"digest"),
    )
    harness.collect()
    (known,) = operations(harness.table.ref, stored(harness.steps))
    assert (known.player, known.op) == (player, Op(b"sixteen bytes id", b"digest"))
    assert (known.answer.acted.hand, known.answer.acted.seq) == (1, seq)


def test_rules_that_raise_once_are_asked_again_on_a_fresh_state(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = TableHarness(seed="raises once")
    harness.begin()
    state = harness.table.hand.state
    real, calls = type(state).apply, []

    def broken(self: object, seat: int, action: object) -> object:
        calls.append(seat)
        if len(calls) == 1:
            raise RuntimeError("half changed")
        return real(self, seat, action)

    monkeypatch.setattr(type(state), "apply", broken)
    harness.play_hint()
    assert harness.table.hand is not None
    assert harness.table.hand.state is not state
    monkeypatch.undo()
    harness.finish_hand()
    assert harness.settled[0].result != "void"


@pytest.mark.parametrize("seed", range(6))
def test_random_hands_killed_after_each_of_their_changes(seed: int) -> None:
    harness = Witness(seed=f"random {seed}")
    play(harness, random.Random(seed), hands=2)
    assert check_prefixes(harness) > 20
