"""The rooms of this hall, as tables and gateways need them."""

from __future__ import annotations

from game_server.tables.room import RoomSpec
from paiju.rules.registry import Registry


def load_rooms(registry: Registry) -> dict[str, RoomSpec]:
    """Room id -> what it fixes, from the presets of the installed packages."""
    return {
        preset.id: RoomSpec(
            id=preset.id,
            game=preset.game,
            currency=preset.currency,
            parameters=preset.parameters,
            buy_in_min=preset.buy_in_min,
            buy_in_max=preset.buy_in_max,
            buy_in_default=preset.buy_in_default,
            turn_ms=preset.turn_ms,
            reserve_ms=preset.reserve_ms,
            seats=preset.seats,
            newcomers_continue=preset.newcomers_continue,
        )
        for preset in registry.rooms()
    }
