"""Whatever views a game makes: each viewer's updates give exactly his view, and the same check."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from game_server.tables.ring import RING_BYTES, Ring
from game_server.tables.viewers import Viewers, to_json
from paiju.rules.api import ALL, Event
from paiju.wire.v1 import common_pb2, hall_pb2
from tests.unit.tables.harness import Receiver, whole_check

SEATS = 2
KEYS = st.sampled_from(["a", "b", "c", "hand", "legal", "牌"])
VALUES = st.none() | st.booleans() | st.integers(0, 3) | st.lists(st.integers(0, 2), max_size=2)
VIEWS = st.dictionaries(KEYS, VALUES, max_size=5)


@st.composite
def moments(draw: st.DrawFn) -> tuple[dict[str, Any], list[dict[str, Any]] | None]:
    """What changes of the table, and the game's views: seats see what is public, with other
    values, keys of their own, and without some."""
    table = draw(st.dictionaries(st.sampled_from(["@phase", "@hand"]), VALUES, max_size=2))
    if draw(st.booleans()):
        return table, None
    public = draw(VIEWS)
    seats = []
    for _ in range(SEATS):
        view = {**public, **draw(st.dictionaries(KEYS, VALUES, max_size=2))}
        for key in draw(st.sets(KEYS, max_size=1)):
            view.pop(key, None)
        seats.append(view)
    return table, [*seats, public]


@given(st.lists(moments(), max_size=8))
def test_patches_give_each_viewer_his_view(
    changes: list[tuple[dict[str, Any], list[dict[str, Any]] | None]],
) -> None:
    viewers = Viewers(ref=common_pb2.TableRef(room="r", table=9), epoch=300, seats=SEATS)
    receivers = [Receiver(viewer) for viewer in range(SEATS + 1)]
    for receiver in receivers:
        receiver.take(viewers.snapshot(receiver.viewer, seq=1, hand=0, clocks=()))
    whole: dict[str, Any] = {}
    game: list[dict[str, Any]] = [{}] * (SEATS + 1)
    for seq, (table, views) in enumerate(changes, 2):
        clocks = [hall_pb2.Clock(seat=1, key="play", remaining_ms=seq)]
        forms = viewers.step(
            seq=seq,
            hand=200,
            table={key: to_json(value) for key, value in table.items()},
            game=views,
            events=(),
            clocks=clocks,
        )
        whole.update(table)
        game = views or game
        for receiver in receivers:
            viewer = receiver.viewer
            before = dict(receiver.parts)
            receiver.take(forms[viewer])  # compares the check, too
            shown = {key: json.loads(text) for key, text in receiver.parts.items()}
            you = viewer if viewer < SEATS else -2
            assert shown == {"@you": you, **whole, **game[viewer]}
            assert receiver.parts == viewers.parts(viewer)
            told = hall_pb2.Update.FromString(forms[viewer]).table
            assert (told.epoch, told.seq, told.step.hand) == (300, seq, 200)
            assert list(told.clocks) == clocks
            assert told.step.HasField("patch") == (receiver.parts != before)
            if told.step.HasField("patch"):
                assert told.step.patch.check == whole_check(receiver.parts)


def test_who_may_not_see_an_event_gets_its_mask() -> None:
    viewers = Viewers(ref=common_pb2.TableRef(table=1), epoch=1, seats=SEATS)
    events = [
        Event("open", {"x": 1}, ALL),
        Event("deal", {"cards": ["3s"]}, (0,), {"cards": 1}),
        Event("whisper", {"to": 1}, (1,)),
    ]
    forms = viewers.step(seq=1, hand=1, table={}, game=None, events=events, clocks=[])
    got = [
        [(e.kind, json.loads(e.data)) for e in hall_pb2.Update.FromString(form).table.step.events]
        for form in forms
    ]
    everybody = ("open", {"x": 1})
    assert got == [
        [everybody, ("deal", {"cards": ["3s"]})],
        [everybody, ("deal", {"cards": 1}), ("whisper", {"to": 1})],
        [everybody, ("deal", {"cards": 1})],
    ]


def test_the_ring_forgets_when_it_holds_too_much() -> None:
    ring = Ring()
    for number in range(1, 101):
        assert ring.push([b"x"], size=RING_BYTES // 10) == number
    assert ring.after(90, 0) == [b"x"] * 10
    assert ring.after(89, 0) is None
    ring.push([b"y"], size=2 * RING_BYTES)
    assert ring.after(100, 0) == [b"y"], "the last one is always there"
    assert ring.after(99, 0) is None
