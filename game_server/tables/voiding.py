"""What rows say about a table without its rules: who sits there, and which hand is unfinished.

For a table that cannot be rebuilt. Pure: nothing here can raise because of a game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from game_server.tables.op import Op
from game_server.tables.replay import StoredRow
from game_server.tables.seal import SealBroken, Sealer
from game_server.tables.seat import Reservation
from paiju.rules import record as records
from paiju.rules.api import CHANCE
from paiju.rules.record import Record, RecordedAction, RecordedOutcome
from paiju.wire.v1 import common_pb2, data_pb2


@dataclass
class Standing:
    """Of one table after its last row. Seats by index."""

    last_seq: int = 0
    players: dict[int, int] = field(default_factory=dict)
    sittings: dict[int, int] = field(default_factory=dict)
    reservations: dict[int, Reservation] = field(default_factory=dict)
    hand: Mapping[str, Any] | None = None  # body of its hand_begin, while it is not over
    actions: list[RecordedAction] = field(default_factory=list)
    last_us: int = 0


def standing(rows: Sequence[StoredRow]) -> Standing:
    """Read the rows, from a beginning or from whatever is there."""
    found = Standing()
    for row in rows:
        body = row.body
        found.last_seq, found.last_us = row.seq, body["at"]
        seat = body.get("seat", CHANCE)
        if row.kind == "reserve":
            found.players[seat] = body["player"]
            found.reservations[seat] = Reservation(
                body["amount"], body["session_epoch"], Op.of(body)
            )
        elif row.kind == "unreserve":
            found.reservations.pop(seat, None)
        elif row.kind == "sit":
            found.reservations.pop(seat, None)
            found.players[seat], found.sittings[seat] = body["player"], body["sitting"]
        elif row.kind == "stand":
            found.sittings.pop(seat, None)
        elif row.kind == "hand_begin":
            found.hand, found.actions = body, []
            for index, (player, _, sitting, _) in enumerate(body["seats"]):
                found.players[index], found.sittings[index] = player, sitting
        elif row.kind in ("action", "chance"):
            action = RecordedAction(seat, body["action"], body["ms"], body["cause"])
            found.actions.append(action)
        elif row.kind == "hand_end":
            found.hand = None
    return found


def void_settlement(
    ref: common_pb2.TableRef, found: Standing, *, sealer: Sealer, now_us: int
) -> data_pb2.Settlement | None:
    """The unfinished hand as one in which nobody won or lost; None when there is none.

    Its secret is revealed like that of any other hand, unless the seal does not open.
    """
    hand = found.hand
    if hand is None:
        return None
    currency = common_pb2.COIN if hand["currency"] == "coin" else common_pb2.SCORE
    return data_pb2.Settlement(
        table=ref,
        hand=hand["hand"],
        rule_set=hand["game"],
        currency=currency,
        result="void",
        seats=[
            data_pb2.SeatChange(seat=seat, sitting=sitting, player=player)
            for seat, (player, _, sitting, _) in enumerate(hand["seats"])
        ],
        record=records.encode(_record(ref, found, hand, sealer, now_us)),
        game=hand["game"],
        ended_us=now_us,
    )


def _record(
    ref: common_pb2.TableRef,
    found: Standing,
    hand: Mapping[str, Any],
    sealer: Sealer,
    now_us: int,
) -> Record:
    try:
        secret = sealer.open(hand["sealed"], table=ref.table, hand=hand["hand"])
    except SealBroken:
        secret = b""
    players = [str(player) for player, *_ in hand["seats"]]
    return Record(
        game=hand["game"],
        version=hand["version"],
        package=hand["package"],
        parameters=hand["parameters"],
        table=str(ref.table),
        hand=hand["hand"],
        seats=players,
        bots=[False] * len(players),
        wealth=hand["wealth"],
        carry=dict(hand["carry"]),
        commitment=hand["commitment"],
        contributions=hand["contributions"],
        secret=secret.hex(),
        actions=found.actions,
        started_us=hand["at"],
        ended_us=now_us,
        outcome=RecordedOutcome.of(None, seats=len(players)),
    )
