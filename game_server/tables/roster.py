"""The seats of a table: who holds which, who is ready, who has been away for too long.

Pure, owned by its table, which numbers and shows what changes here.
"""

from __future__ import annotations

from game_server.tables.room import RoomSpec
from game_server.tables.seat import Seat, SeatState
from paiju.service.refusals import Refused


class Roster:
    """`leaving` collects the seats whose escrow the host must return."""

    def __init__(self, *, room: RoomSpec, seats: int) -> None:
        self.seats: list[Seat | None] = [None] * seats
        self.leaving: list[int] = []
        self._after_hand: list[int] = []
        self.room = room
        self._ready_due: int | None = None

    # ---- looking ---------------------------------------------------------------------------

    def seat_of(self, player: int) -> int | None:
        for index, seat in enumerate(self.seats):
            if seat is not None and seat.player == player:
                return index
        return None

    def find(self, player: int) -> tuple[int, Seat]:
        """The player's seat. Refused(NOT_SEATED)."""
        seat = self.seat_of(player)
        if seat is None:
            raise Refused("NOT_SEATED")
        return seat, self.held(seat)

    def held(self, seat: int) -> Seat:
        """Who sits there. Refused(NOT_SEATED) when nobody does."""
        held = self.seats[seat]
        if held is None:
            raise Refused("NOT_SEATED")
        return held

    def all(self) -> list[Seat]:
        """All seats; only while every one is taken."""
        return [self.held(seat) for seat in range(len(self.seats))]

    def free(self) -> list[int]:
        return [index for index, seat in enumerate(self.seats) if seat is None]

    def away(self) -> list[int]:
        return [i for i, s in enumerate(self.seats) if s is not None and s.away_since is not None]

    def all_ready(self) -> bool:
        return all(s is not None and s.seated and s.ready and not s.pending for s in self.seats)

    # ---- changing --------------------------------------------------------------------------

    def reserve(self, *, seat: int, player: int, name: str) -> None:
        """Hold a seat while the buy-in is moved. Refused: SEAT_TAKEN, ALREADY_SEATED, ..."""
        if not 0 <= seat < len(self.seats):
            raise Refused("NO_SUCH_SEAT", last=len(self.seats) - 1)
        if self.seat_of(player) is not None:
            raise Refused("ALREADY_SEATED")
        if self.seats[seat] is not None:
            raise Refused("SEAT_TAKEN")
        self.seats[seat] = Seat(player=player, name=name)

    def unreserve(self, seat: int) -> None:
        """The buy-in was refused: the seat is free again, nobody saw anything."""
        held = self.seats[seat]
        if held is not None and held.state is SeatState.RESERVED:
            self.seats[seat] = None

    def leave(self, seat: int, *, now: int, playing: bool = False) -> None:
        """The seat is to be cashed out; harmless when it is already.

        In a hand that goes on without the player its escrow stays until that is over: others
        may still win from it. What the rules ask of the seat meanwhile is played for it.
        """
        held = self.held(seat)
        if held.state is SeatState.LEAVING:
            return
        held.state, held.ready, held.contribution = SeatState.LEAVING, False, b""
        if playing:
            held.away_since = now if held.away_since is None else held.away_since
            self._after_hand.append(seat)
        else:
            self.leaving.append(seat)

    def hand_over(self) -> None:
        """Those who left during the hand are cashed out now."""
        self.leaving += self._after_hand
        self._after_hand = []

    def set_away(self, player: int, away: bool, now: int) -> bool:
        """The player's connection went or came back; whether that changed anything."""
        seat = self.seat_of(player)
        if seat is None:
            return False
        held = self.held(seat)
        if held.state is SeatState.LEAVING or away == (held.away_since is not None):
            return False
        held.away_since = now if away else None
        return True

    # ---- time between hands ----------------------------------------------------------------

    def watch(self, now: int, *, playing: bool, anew: bool = True) -> None:
        """Begin or end the time in which a full table must be ready."""
        full = all(seat is not None and seat.seated for seat in self.seats)
        if not full or playing:
            self._ready_due = None
        elif anew or self._ready_due is None:
            self._ready_due = now + self.room.ready_ms

    def overdue(self, now: int) -> list[tuple[int, str]]:
        """Between hands: who was "away" or "idle" for too long and must leave."""
        found = []
        for index, seat in enumerate(self.seats):
            if seat is None or not seat.seated:
                continue
            if seat.away_since is not None and now >= seat.away_since + self.room.away_ms:
                found.append((index, "away"))
            elif self._ready_due is not None and now >= self._ready_due and not seat.ready:
                found.append((index, "idle"))
        return found

    def came_back(self, now: int, *, grace_ms: int, playing: bool) -> None:
        """The host was restarted: nobody is connected yet, and nobody is to blame for it.

        A seat counts as away only when it has not come back after `grace_ms`.
        """
        for index, seat in enumerate(self.seats):
            if seat is None or seat.state is SeatState.RESERVED:
                continue
            if seat.seated:
                seat.away_since = now + grace_ms
            elif playing:
                seat.away_since = now
            elif index not in self.leaving:
                self.leaving.append(index)
        self.watch(now, playing=playing)

    def next_due(self) -> int | None:
        """When somebody will be `overdue`, monotonic ms."""
        dues = [
            seat.away_since + self.room.away_ms
            for seat in self.seats
            if seat is not None and seat.seated and seat.away_since is not None
        ]
        if self._ready_due is not None:
            dues.append(self._ready_due)
        return min(dues, default=None)

    def shift(self, by_ms: int) -> None:
        if self._ready_due is not None:
            self._ready_due += by_ms
        for seat in self.seats:
            if seat is not None and seat.away_since is not None:
                seat.away_since += by_ms  # who is away could not come back meanwhile
