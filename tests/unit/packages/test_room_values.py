"""What may be changed of a room, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from game_server.tables.room import RoomSpec
from paiju.packages import room_values
from paiju.rules.registry import Registry

REGISTRY = Registry.default()
SCHEMA = {
    "N": {"default": 1, "minimum": 1, "maximum": 100, "meaning": "worth of a card"},
    "open": {"default": False, "minimum": None, "maximum": None, "meaning": "cards lie open"},
    "deal": {"default": "one", "minimum": None, "maximum": None, "meaning": "how it is dealt"},
}
ROOM = RoomSpec(
    id="g.r",
    game="g",
    currency="coin",
    parameters={"N": 5},
    buy_in_min=100,
    buy_in_default=200,
    buy_in_max=300,
    turn_ms={"play": 20_000},
)
PRESET = room_values.values_of(ROOM)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"rules.M": 1}, "no such parameter"),
        ({"rules.N": 0}, "0 is not within 1 to 100"),
        ({"rules.N": True}, "no whole number"),
        ({"rules.N": "7"}, "no whole number"),
        ({"rules.N": 7.0}, "no whole number"),
        ({"rules.open": 1}, "neither true nor false"),
        ({"rules.deal": "x" * 201}, "no text"),
        ({"turn_ms.sleep": 2000}, "no such turn"),
        ({"turn_ms.play": 999}, "999 is not within"),
        ({"reserve_ms": -1}, "not within"),
        ({"buy_in_min": 250}, "do not rise"),
        ({"buy_in_max": 10**16}, "not within"),
        ({"seats": 2}, "rooms have no such value"),
        ({"currency": "score"}, "rooms have no such value"),
    ],
)
def test_what_is_refused(values: dict[str, Any], says: str) -> None:
    (found,) = room_values.problems(values, preset=PRESET, schema=SCHEMA)
    assert says in found and found.startswith(next(iter(values)))


def test_what_is_taken_changes_the_room_and_nothing_else() -> None:
    values = {"rules.N": 7, "rules.open": True, "turn_ms.play": 5000, "buy_in_default": 250}
    assert room_values.problems(values, preset=PRESET, schema=SCHEMA) == []
    changed = replace(ROOM, **room_values.changed(ROOM, values))
    assert changed == replace(
        ROOM, parameters={"N": 7, "open": True}, turn_ms={"play": 5000}, buy_in_default=250
    )
    assert list(room_values.differences(PRESET, room_values.values_of(changed))) == [
        ("buy_in_default", 200, 250),
        ("rules.N", 5, 7),
        ("rules.open", None, True),
        ("turn_ms.play", 20_000, 5000),
    ]


def test_a_room_for_score_has_no_buy_in() -> None:
    preset = room_values.values_of(replace(ROOM, currency="score"))
    (found,) = room_values.problems({"buy_in_min": 1}, preset=preset, schema=SCHEMA)
    assert "plays for score" in found


def test_the_presets_of_all_games_hold_by_their_own_schema() -> None:
    for room in REGISTRY.rooms():
        schema = room_values.schema_of(REGISTRY.latest(room.game).parameters)
        preset = room_values.values_of(room)
        assert room_values.problems(preset, preset=preset, schema=schema) == [], room.id
