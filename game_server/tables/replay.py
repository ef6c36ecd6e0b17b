"""From the rows of a table to the table: the same transitions, with what the journal says.

Pure. A replay begins with the row `open` or, because that row is complete, with the last
`hand_begin`; it draws chance again and compares, applies actions under the rules' version of
the hand, and compares the outcome. What does not agree is `Diverged`: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from game_server.tables.games import Choice
from game_server.tables.hand import Diverged
from game_server.tables.moment import Moment
from game_server.tables.op import Op
from game_server.tables.seal import Sealer
from game_server.tables.seat import Reservation, Seat, SeatState
from game_server.tables.table import Table
from paiju.rules.api import CHANCE
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2

BEGINNINGS = frozenset({"open", "hand_begin"})


class StoredRow(NamedTuple):
    """A row as it was read back; body is decoded JSON."""

    seq: int
    kind: str
    body: Mapping[str, Any]


class KnownOperation(NamedTuple):
    """A player's operation that was carried out, and what it was answered."""

    player: int
    op: Op
    answer: host_pb2.HostAnswer


def replay(
    table: Table,
    rows: Sequence[StoredRow],
    *,
    sealer: Sealer,
    now: int,
    choose: Callable[[Mapping[str, Any]], Choice],
) -> None:
    """Bring a fresh table to where the last row left it; `Table.go_on` lets it go on.

    now: monotonic ms that the table's clocks shall count from. choose: room and rules of a row
    that has all of `open`. Raises Diverged, SealBroken,
    and whatever the rules raise.
    """
    if not rows or rows[0].kind not in BEGINNINGS:
        raise Diverged("the journal does not begin where a replay can begin")
    table.stream.replay_from(rows[0].seq - 1)
    replayer = _Replayer(table, sealer, now, choose)
    if rows[0].kind == "hand_begin":
        replayer.stand_before(rows[0].body)
    for row in rows:
        replayer.apply(row)
    table.stream.replayed()


class _Replayer:
    def __init__(
        self,
        table: Table,
        sealer: Sealer,
        now: int,
        choose: Callable[[Mapping[str, Any]], Choice],
    ) -> None:
        self._table = table
        self._choose = choose
        self._sealer = sealer
        self._now = now

    def apply(self, row: StoredRow) -> None:
        table = self._table
        if row.seq != table.stream.seq + 1:
            raise Diverged(f"number {row.seq} follows number {table.stream.seq}")
        transition = getattr(self, f"_{row.kind}", None)
        if transition is None:
            raise Diverged(f"rows of kind {row.kind!r} are not known to this program")
        transition(row.body, Moment(self._now, row.body["at"]))
        made = [(step.seq, step.kind) for step in table.take().steps]
        if made != [(row.seq, row.kind)]:
            raise Diverged(f"row {row.seq} ({row.kind}) gave {made}")

    def stand_before(self, body: Mapping[str, Any]) -> None:
        """All that a hand needs is in its first row."""
        hand = body["hand"]
        topped = body.get("topped") or [{}] * len(body["seats"])  # older rows have none
        self._table.stood(
            [
                Seat(
                    player=player,
                    name=name,
                    state=SeatState.SEATED,
                    sitting=sitting,
                    stake=stake,
                    topped=Op.of(last),
                )
                for (player, name, sitting, stake), last in zip(body["seats"], topped, strict=True)
            ],
            hand=hand,
            secret=self._open_seal(body["sealed"], hand),
            carry=body["carry"],
            shown=body["shown"],
        )

    def _open_seal(self, sealed: str, hand: int) -> bytes:
        return self._sealer.open(sealed, table=self._table.ref.table, hand=hand)

    # ---- one method per kind of row --------------------------------------------------------

    def _open(self, body: Mapping[str, Any], at: Moment) -> None:
        self._table.open(secret=self._open_seal(body["sealed"], 1), at=at)

    def _reserve(self, body: Mapping[str, Any], at: Moment) -> None:
        table = self._table
        table.roster.reserve(seat=body["seat"], player=body["player"], name=body["name"])
        asked = Reservation(body["amount"], body["session_epoch"], Op.of(body))
        table.reserved(body["seat"], asked, at=at)

    def _unreserve(self, body: Mapping[str, Any], at: Moment) -> None:
        self._table.unreserved(body["seat"], at=at)

    def _sit(self, body: Mapping[str, Any], at: Moment) -> None:
        self._table.seated(body["seat"], sitting=body["sitting"], stake=body["stake"], at=at)

    def _top_up(self, body: Mapping[str, Any], at: Moment) -> None:
        self._table.topped_up(body["seat"], amount=body["amount"], at=at, op=Op.of(body))

    def _leave(self, body: Mapping[str, Any], at: Moment) -> None:
        self._table.leave(body["seat"], body["why"], at=at, op=Op.of(body))

    def _stand(self, body: Mapping[str, Any], at: Moment) -> None:
        self._table.left(body["seat"], at=at)

    def _ready(self, body: Mapping[str, Any], at: Moment) -> None:
        self._table.made_ready(
            body["seat"],
            contribution=bytes.fromhex(body["contribution"]),
            ready=body["ready"],
            at=at,
            op=Op.of(body),
        )

    def _not_begun(self, body: Mapping[str, Any], at: Moment) -> None:
        self._table.not_begun(at=at)

    def _room(self, body: Mapping[str, Any], at: Moment) -> None:
        chosen = self._choose(body)
        self._table.renewed(chosen.room, chosen.game, at=at)

    def _hand_begin(self, body: Mapping[str, Any], at: Moment) -> None:
        table = self._table
        hand = table.new_hand([bytes.fromhex(c) for c in body["contributions"]], at)
        if (hand.number, hand.commitment) != (body["hand"], body["commitment"]):
            raise Diverged(f"hand {hand.number} has another secret than was committed to")
        next_secret = self._open_seal(body["next_sealed"], hand.number + 1)
        table.begun(hand, next_secret=next_secret, at=at)

    def _action(self, body: Mapping[str, Any], at: Moment) -> None:
        table, seat = self._table, body["seat"]
        if table.hand is None:
            raise Diverged(f"{body['action']!r} without a hand")
        table.hand.replay(seat, body["action"], cause=body["cause"], ms=body["ms"])
        table.moved(
            seat,
            body["action"],
            body["cause"],
            (),
            acted=None if seat == CHANCE else seat,
            op=Op.of(body),
            at=at,
            turns=body["turns"],
        )

    _chance = _action

    def _hand_end(self, body: Mapping[str, Any], at: Moment) -> None:
        table = self._table
        if table.hand is None:
            raise Diverged("the end of a hand that did not begin")
        outcome = None if body["reason"] else table.hand.outcome()
        if outcome is not None and list(outcome.deltas) != body["deltas"]:
            raise Diverged(f"the outcome is {list(outcome.deltas)}, not {body['deltas']}")
        table.ended(outcome, reason=body["reason"], at=at)


def operations(ref: common_pb2.TableRef, rows: Sequence[StoredRow]) -> list[KnownOperation]:
    """The operations of players in these rows, with their answers, oldest first."""
    found = []
    for row in rows:
        op = Op.of(row.body)
        if not op.id:
            continue
        if row.kind == "action":
            answer = host_pb2.HostAnswer(acted=hall_pb2.Acted(hand=row.body["hand"], seq=row.seq))
        elif row.kind == "sit":
            answer = host_pb2.HostAnswer(
                seated=hall_pb2.Seated(table=ref, seat=row.body["seat"], stake=row.body["stake"])
            )
        elif row.kind in ("ready", "leave", "top_up"):
            answer = host_pb2.HostAnswer(done=hall_pb2.Done())
        else:
            continue
        found.append(KnownOperation(row.body["player"], op, answer))
    return found
