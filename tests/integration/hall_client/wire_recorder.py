"""A recorder on the wire of every seat and of a spectator at each table: no card is told to anybody
whose view does not hold it, in no snapshot, patch or event, also to who was away for a while.

What a viewer may see is worked out from the records of the hands by the rules alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.unknown_fields import UnknownFieldSet
from sqlalchemy import create_engine, text

from hall_client import HallClient
from hall_client.core import Core
from paiju.rules import record, views
from paiju.rules.api import SPECTATOR
from paiju.rules.registry import Registry
from paiju.rules.testkit._cards import Pile, named_in, shown_in
from paiju.wire.v1 import common_pb2, hall_pb2
from tests.integration.hall_client.mini_hall import MiniHall

REGISTRY = Registry.default()
Views = dict[int, Pile]  # viewer -> the cards that its view shows


@dataclass
class Hand:
    """begins: the number with which it begins; screens: what each viewer's view shows after that
    many actions."""

    seats: int
    screens: Sequence[Views]
    begins: int = 0

    def may_see(self, viewer: int, seq: int) -> Pile:
        """At that number or the one before; after the end what stood there at last."""
        done = min(max(0, seq - self.begins), len(self.screens) - 1)
        return self.screens[done][viewer] | self.screens[max(0, done - 1)][viewer]


@dataclass
class Recorder:
    """Every packet that reached a client of this process, opened."""

    packets: list[tuple[int, hall_pb2.ServerFrame]] = field(default_factory=list)
    tables: dict[int, common_pb2.TableRef] = field(default_factory=dict)

    def heard(self, client: int, packet: bytes) -> None:
        frame = hall_pb2.ServerFrame.FromString(packet)
        self.packets.append((client, frame))
        for update in frame.updates:
            if update.HasField("table"):
                self.tables[update.table.table.table] = update.table.table

    @classmethod
    @contextlib.contextmanager
    def listening(cls) -> Iterator[Recorder]:
        """To all clients of this process, while it lasts."""
        made, receive = cls(), Core.receive

        def recorded(core: Core, packet: bytes, now: float) -> None:
            made.heard(id(core), packet)
            receive(core, packet, now)

        Core.receive = recorded  # type: ignore[method-assign]
        try:
            yield made
        finally:
            Core.receive = receive  # type: ignore[method-assign]


async def look_on(hall: MiniHall, recorder: Recorder) -> None:
    """Watch each table as soon as somebody has heard of it."""
    async with HallClient(hall.gateways, server_keys=hall.server_keys) as client:
        await client.guest(b"spectator".ljust(32))
        seen: set[int] = set()
        while True:
            for table in set(recorder.tables) - seen:
                seen.add(table)
                await client.watch(recorder.tables[table])
            await asyncio.sleep(0.01)


def _hands(url: str) -> dict[tuple[int, int], Hand]:
    """(table, hand) -> what each viewer's view showed, by the rules."""
    engine, found = create_engine(url), {}
    with engine.connect() as connection:
        rows = [bytes(row[0]) for row in connection.execute(text("SELECT record FROM hand_record"))]
    engine.dispose()
    for row in rows:
        one = record.decode(row)
        game, seats = REGISTRY.get(one.game, one.version, one.parameters), len(one.seats)
        state = game.new_state(seats, wealth=one.wealth, carry=one.carry or None)
        viewers, screens = (*range(seats), SPECTATOR), []
        for entry in (None, *one.actions):
            if entry is not None:
                state.apply(entry.seat, game.parse(state, entry.seat, entry.action))
            screens.append({v: shown_in(views.encode(state.view(v))) for v in viewers})
        found[int(one.table), one.hand] = Hand(seats, screens)
    return found


def _told(update: hall_pb2.TableUpdate) -> Pile:
    """The cards that an update names; a card in two places is one card."""
    texts: list[bytes] = [*update.snapshot.view.values(), *update.step.patch.set.values()]
    for event in update.step.events:
        texts += views.encode(json.loads(event.data)).values()
    found: Pile = Counter()
    for one in texts:
        found |= named_in(bytes(one))
    return found


def _find_beginnings(recorder: Recorder, hands: dict[tuple[int, int], Hand]) -> None:
    for _, frame in recorder.packets:
        for update in frame.updates:
            for event in update.table.step.events:
                if event.kind == "@hand_begin":
                    at = update.table.table.table, update.table.step.hand
                    if at in hands:
                        hands[at].begins = update.table.seq


def _leaks(
    recorder: Recorder, hands: dict[tuple[int, int], Hand]
) -> Iterator[tuple[int, int, Pile, int]]:
    """(viewer, number, cards beyond the view, cards told) of each update of a known hand."""
    seat_of: dict[tuple[int, int], int] = {}
    for client, frame in recorder.packets:
        for update in frame.updates:
            assert not len(UnknownFieldSet(update))
            if not update.HasField("table"):
                continue
            change = update.table
            at = client, change.table.table
            if change.HasField("snapshot"):
                seat_of[at] = change.snapshot.seat
            hand = hands.get((change.table.table, change.snapshot.hand or change.step.hand))
            told = _told(change)
            if hand is None:
                assert not told or at[1] not in {table for table, _ in hands}, "a hand of no record"
                continue
            viewer = seat_of[at] if seat_of[at] >= 0 else SPECTATOR
            yield viewer, change.seq, told - hand.may_see(viewer, change.seq), told.total()


def check(recorder: Recorder, url: str) -> None:
    """AssertionError names the first card that somebody was told and may not see."""
    hands = _hands(url)
    _find_beginnings(recorder, hands)
    assert hands and all(hand.begins for hand in hands.values())
    told: dict[int, int] = defaultdict(int)
    for viewer, seq, beyond, cards in _leaks(recorder, hands):
        assert not beyond, f"viewer {viewer} was told {sorted(beyond)} with number {seq}"
        told[viewer] += cards
    seats = max(hand.seats for hand in hands.values())
    assert told.keys() >= {*range(seats), SPECTATOR}
    assert all(told[seat] > 10 for seat in (*range(seats), SPECTATOR))
    assert _a_leak_is_found(recorder, hands)


def _a_leak_is_found(recorder: Recorder, hands: dict[tuple[int, int], Hand]) -> bool:
    """A spectator who gets a seat's update instead of his own is caught."""
    for client, frame in recorder.packets:
        for update in frame.updates:
            change = update.table
            hand = hands.get((change.table.table, change.step.hand))
            if hand is None or not _told(change) - hand.may_see(SPECTATOR, change.seq):
                continue
            forged = Recorder([(client, _as_spectator(change)), (client, _frame(update))])
            if any(beyond for _, _, beyond, _ in _leaks(forged, hands)):
                return True
    return False


def _as_spectator(change: hall_pb2.TableUpdate) -> hall_pb2.ServerFrame:
    nothing = hall_pb2.Snapshot(seat=-2, hand=change.step.hand)
    return _frame(
        hall_pb2.Update(
            table=hall_pb2.TableUpdate(table=change.table, seq=change.seq, snapshot=nothing)
        )
    )


def _frame(*updates: Any) -> hall_pb2.ServerFrame:
    return hall_pb2.ServerFrame(updates=updates)
