"""The rooms and sentences of the installed game packages, as the gateway needs them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from game_server.gateway.answers import Sentences
from game_server.gateway.rooms import RoomSpec
from paiju.service import refusals
from paiju.wire.v1 import common_pb2


class Packages(Protocol):
    """What is used of paiju.rules.registry.Registry."""

    def rooms(self) -> Sequence[Any]: ...

    def latest(self, name: str, parameters: Mapping[str, Any] | None = None) -> Any: ...


def room_specs(packages: Packages) -> list[RoomSpec]:
    """The rooms that the packages suggest."""
    specs = []
    for preset in packages.rooms():
        game = packages.latest(preset.game, preset.parameters)
        specs.append(
            RoomSpec(
                id=preset.id,
                game=preset.game,
                title=preset.title,
                currency=common_pb2.SCORE if preset.currency == "score" else common_pb2.COIN,
                buy_in_min=preset.buy_in_min,
                buy_in_max=preset.buy_in_max,
                buy_in_default=preset.buy_in_default,
                parameters=_canonical(game, preset.parameters),
                seats=preset.seats or game.info.max_seats,
            )
        )
    return specs


def sentences(packages: Packages) -> Sentences:
    """The hall's catalogue, and for codes of a game the game's own.

    A game's sentence never replaces one of the hall, whatever codes the game has.
    """

    def sentence(code: str, params: Mapping[str, str], locale: str, game: str) -> str:
        if code in refusals.SENTENCES or not game:
            return refusals.sentence(code, params, locale)
        rules = packages.latest(game)
        # Rules name their codes in lower case; tables may send them in upper case.
        text = rules.message(code, params, locale) or rules.message(code.lower(), params, locale)
        return text or code

    return sentence


def _canonical(game: Any, parameters: Mapping[str, Any]) -> str:
    found = getattr(getattr(game, "id", None), "parameters", None)
    if isinstance(found, str):
        return found
    return json.dumps(dict(parameters), sort_keys=True, separators=(",", ":"))
