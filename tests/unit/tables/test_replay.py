"""A table killed after any number of its journal is rebuilt as it was."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import msgspec
import pytest

from game_server.rooms import load_rooms
from game_server.tables.replay import StoredRow, replay
from game_server.tables.seal import Sealer
from game_server.tables.seat import Seat
from game_server.tables.stream import Step
from game_server.tables.table import Table
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


def rebuilt(harness: TableHarness, rows: list[StoredRow], *, sealer: Sealer = SEALER) -> Table:
    original = harness.table
    table = Table(
        ref=original.ref,
        room=original.room,
        game=original.game,
        package="1.0.0",
        epoch=original.epoch + 1,
        entropy=entropy("after the restart"),
        sealer=sealer,
    )
    replay(table, rows, sealer=sealer, now=harness.now + LATER_MS)
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
